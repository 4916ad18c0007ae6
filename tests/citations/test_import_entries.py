"""Importing the entries of a file that are ticked (SPEC C10, X1): what came in, what was renamed, what was left out."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from citations.importing.file_import import import_entries
from citations.importing.stored_file_entries import IMPORT, MOST_AT_ONCE, import_file, read_entries, save_reading
from citations.models import Citation
from contextfiles.models import ContextFile
from jobs.models import Job, State
from jobs.work import perform
from projects.models import Project, User
from projects.stored_files import stored_file
from tests.citations.sample_files import ALDER, BIRCH, CEDAR, page, readings, stored
from tests.people import signed_in


def read(project: Project, file: ContextFile) -> None:
    """What pressing “Read entries” comes to, however busy the machine is."""
    found = stored_file(project, file.pk)
    save_reading(project, found, read_entries(found))


def press_import(client: Client, file: ContextFile, *numbers: int | str) -> str:
    """Import the entries with these numbers in the file; "all": press the button for all."""
    data = {"all": "1"} if numbers == ("all",) else {"entry": [str(number) for number in numbers]}
    return client.post(page(file, "entries_import"), data).content.decode()


def keys(project: Project) -> list[str]:
    return sorted(Citation.objects.filter(project=project).values_list("cite_key", flat=True))


def test_what_is_ticked_comes_in_unchecked(owner: User, project: Project) -> None:
    file = stored(project)
    read(project, file)
    shown = press_import(signed_in(owner), file, 1, 3)
    assert "2 imported." in shown
    assert keys(project) == ["cedar", "menon2021"]
    assert 'id="citations"' in shown
    alder = Citation.objects.get(cite_key="menon2021")
    assert (alder.title, alder.doi, alder.pmid, alder.bibtex) == (
        "Alder and soil",
        "10.1000/alder",
        "321",
        ALDER.strip(),
    )
    assert (alder.status, alder.tier) == ("unresolved", "")
    assert "menon2021" in shown
    again = signed_in(owner).get(page(file)).content.decode()
    assert "3 entries read: 1 new, 2 already in your references." in again


def test_what_was_renamed_and_left_out_is_told(owner: User, project: Project) -> None:
    import_entries(project, f"{CEDAR} @misc{{lund2020, title={{Quite another work}}}}")
    twin = "@misc{again, title={Alder and soil}, year=2021, author={Menon, Asha}}\n"
    long = f"@misc{{long, title={{{'T' * 2_001}}}}}\n"
    odd = (
        "@misc{two words, title={Spruce}}\n@misc{10% off, title={Fir}}\n@misc{Übung, title={Ash}}\n@misc{,title={Yew}}"
    )
    file = stored(project, ALDER + BIRCH + CEDAR + twin + long + odd)
    read(project, file)
    shown = press_import(signed_in(owner), file, *range(1, 10), 99)
    assert keys(project) == sorted(
        ["cedar", "lund2020", "menon2021", "lund2020b", "twowords", "10off", "Übung", "yewnd"]
    )
    assert Citation.objects.get(cite_key="lund2020").title == "Quite another work"
    assert Citation.objects.get(cite_key="lund2020b").title == "Birch"
    told = {
        re.sub(r"<.*?>", "", key): re.sub(r"<.*?>", "", words)
        for key, words in re.findall(r"<tr><td>(<code>.*?)</td><td>(.*?)</td></tr>", shown)
    }
    assert "6 imported, 3 of them under another key; 3 left out." in shown
    assert told["lund2020"].startswith("Imported as lund2020b")
    assert told["two words"].startswith("Imported as twowords")
    assert told["10% off"].startswith("Imported as 10off")
    assert told["cedar"] == "Already in your references as cedar: same key."
    assert told["again"] == "Already in this file as menon2021: same title and year."
    assert "longer than 2,000 characters" in told["long"]


def test_an_import_changes_nothing_that_is_here(owner: User, project: Project) -> None:
    import_entries(project, "@misc{menon2021, title={Alder and soil}, note={Mine.}}")
    before = Citation.objects.values().get()
    file = stored(project, ALDER)
    read(project, file)
    press_import(signed_in(owner), file, 1)
    assert Citation.objects.values().get() == before


def test_the_later_of_two_may_be_chosen(owner: User, project: Project) -> None:
    file = stored(project, ALDER + "@misc{again, title={Alder and soil}, year=2021}")
    read(project, file)
    press_import(signed_in(owner), file, 2)
    assert keys(project) == ["again"]


def test_a_wrong_doi_does_not_cost_an_entry(owner: User, project: Project) -> None:
    file = stored(project, ALDER + "@misc{other, title={Steroids in sepsis}, doi={10.1000/alder}}")
    read(project, file)
    shown = press_import(signed_in(owner), file, 1, 2)
    assert keys(project) == ["menon2021", "other"]
    assert "Its DOI is also that of menon2021, which has a different title." in shown


def test_the_same_title_and_year_may_be_two_works(owner: User, project: Project) -> None:
    first = "@misc{a, title={Editorial}, year=2020, author={Menon, Asha}}"
    other = "@misc{b, title={Editorial}, year=2020, author={Lund, Oskar}}"
    dois = "@misc{c, title={Note}, year=2020, doi={10.1/c}} @misc{d, title={Note}, year=2020, doi={10.1/d}}"
    file = stored(project, first + other + dois)
    read(project, file)
    press_import(signed_in(owner), file, "all")
    assert keys(project) == ["a", "b", "c", "d"]


def test_importing_twice_adds_nothing(owner: User, project: Project) -> None:
    file = stored(project, ALDER + BIRCH + "@misc{, title={Nameless}, year=2020}@misc{x y, title={Odd}, year=2019}")
    read(project, file)
    client = signed_in(owner)
    assert "4 imported" in press_import(client, file, "all")
    before = keys(project)
    shown = press_import(client, file, "all")
    assert "0 imported; 4 left out." in shown
    assert keys(project) == before


def test_nothing_ticked_imports_nothing(owner: User, project: Project) -> None:
    file = stored(project)
    read(project, file)
    for numbers in ((), ("x",), ("²",), ("99",)):
        answer = signed_in(owner).post(page(file, "entries_import"), {"entry": numbers}, follow=True)
        assert answer.redirect_chain[-1][0] == page(file)
        assert "Select at least one entry." in answer.content.decode()
    assert keys(project) == []


def test_what_nobody_has_read_is_not_imported(owner: User, project: Project, media: Path) -> None:
    file = stored(project)
    answer = signed_in(owner).post(page(file, "entries_import"), {"all": "1"})
    assert answer.status_code == 409
    assert "Read the entries of this file first" in answer.content.decode()
    assert (keys(project), readings(media)) == ([], [])


@pytest.mark.long
def test_a_long_list_is_imported_page_by_page(owner: User, project: Project) -> None:
    file = stored(project, "".join(f"@misc{{k{number}, title={{Work {number}}}}}\n" for number in range(501)))
    read(project, file)
    client = signed_in(owner)
    shown = client.get(page(file)).content.decode()
    assert shown.count('name="entry"') == 500
    assert "Import 500 references" in shown
    assert "Import all 501 new references" in shown
    shown = client.get(page(file), {"page": 2}).content.decode()
    assert re.findall(r'name="entry" value="(\d+)"', shown) == ["501"]
    press_import(client, file, 501)
    assert keys(project) == ["k500"]
    assert "501 imported" not in press_import(client, file, "all")
    assert len(keys(project)) == 501


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_very_many_are_imported_by_a_job_all_or_none(owner: User, project: Project) -> None:
    count = MOST_AT_ONCE + 1
    text = "".join(f"@misc{{k{number}, title={{Work {number}}}}}\n" for number in range(count))
    import_entries(project, "@misc{k0, title={Something else}}")
    file = stored(project, text)
    read(project, file)
    client = signed_in(owner)
    answer = client.post(page(file, "entries_import"), {"all": "1"}, follow=True)
    assert "imported in the background" in answer.content.decode()
    job = Job.objects.get()
    assert (job.kind, keys(project)) == (IMPORT, ["k0"])
    perform(str(job.pk))
    job.refresh_from_db()
    assert job.state == State.DONE
    assert len(keys(project)) == count + 1
    progress = client.get(reverse("citations:entries_progress", args=[job.pk]))
    shown = client.get(progress.headers["HX-Redirect"]).content.decode()
    assert "1,001 imported, 1 of them under another key." in shown
    assert "Imported as <code>k0b</code>" in shown
    # What happens when a worker dies between its last word and the end: the same is not told, or done, again.
    Job.objects.filter(pk=job.pk).update(state=State.QUEUED)
    perform(str(job.pk))
    assert client.get(progress.headers["HX-Redirect"]).content.decode().count("1,001 imported") == 1


def test_an_address_that_names_no_import_of_this_thesis_shows_none(
    owner: User, outsider: User, project: Project
) -> None:
    other = Project.objects.create_for(outsider, title="Another")
    job = Job.objects.start(project=other, kind=IMPORT, subject=other.pk, user=outsider, enqueue=False)
    job.emit("entries_imported", "x", details={"imported": ["secret"], "skipped": [], "renamed": [], "notes": []})
    for named in (str(job.pk), "x", "", "\x00"):
        shown = signed_in(owner).get(reverse("citations:list", args=[project.pk]), {"brought": named})
        assert shown.status_code == 200
        assert "imported" not in shown.content.decode()


def test_a_file_deleted_after_reading_cannot_be_imported(owner: User, project: Project) -> None:
    file = stored(project)
    read(project, file)
    address = page(file, "entries_import")
    file.delete()
    assert signed_in(owner).post(address, {"all": "1"}).status_code == 404
    assert keys(project) == []


@pytest.mark.parametrize("who", ["reader", "supervisor"])
def test_who_may_only_read_cannot_import(who: str, project: Project, request: Any) -> None:
    file = stored(project)
    read(project, file)
    client = signed_in(request.getfixturevalue(who))
    assert client.post(page(file, "entries_import"), {"all": "1"}).status_code == 403
    assert keys(project) == []


def test_an_editor_may(editor: User, project: Project) -> None:
    file = stored(project)
    read(project, file)
    found = import_file(project, stored_file(project, file.pk), editor, {"cedar"})
    assert not isinstance(found, Job)
    assert found.imported == ["cedar"]


def test_the_same_key_and_much_the_same_title_may_be_two_works(owner: User, project: Project) -> None:
    import_entries(project, "@misc{who, title={Annual report 2019}, year=2019} @misc{b, title={Alder}, doi={10.1/a}}")
    file = stored(project, "@misc{who, title={Annual report 2020}, year=2020} @misc{b, title={Alder}, doi={10.1/b}}")
    read(project, file)
    press_import(signed_in(owner), file, "all")
    assert keys(project) == ["b", "bb", "who", "whob"]
