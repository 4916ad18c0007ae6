"""An uploaded file that is cited is the person's own file: never looked up, never overwritten (SPEC C2)."""

from importlib import import_module
from io import StringIO
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.apps import apps
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from citations.badges import badge_of
from citations.editing.edit import attest, bibtex_for_editing, edit, withdraw_attestation
from citations.formats.export import as_bibtex
from citations.importing.add_references import add, import_draft
from citations.models import Citation
from citations.resolution.apply_verdict import reset_claim
from citations.resolution.check_job import check_again, start_check
from core.errors import Refused
from projects.models import Project, User
from tests.citations.checked_rows import CODEX, check, cite
from tests.people import signed_in
from tests.servers.registry_works import Holdings

FILE, UNRESOLVED, VERIFIED = Citation.Status.FILE, Citation.Status.UNRESOLVED, Citation.Status.VERIFIED


@pytest.fixture
def row(project: Project) -> Citation:
    """A file as findings bring it in (thesis/run_references.py), cited in the text."""
    made = Citation(project=project, cite_key="notes", serial=1, file_name="notes_2024.pdf", file_id=uuid4())
    reset_claim(made, {"type": "document", "title": "notes_2024.pdf"})
    made.save()
    cite(project, "Introduction", "notes")
    return made


def again(row: Citation) -> Citation:
    return Citation.objects.get(pk=row.pk)


def call(browser: Client, row: Citation, path: str, method: str = "put", **data: Any) -> Any:
    send = getattr(browser, method)
    return send(f"/api/projects/{row.project_id}/citations/{row.pk}/{path}", data, content_type="application/json")


def page_of(user: User, row: Citation) -> str:
    return str(signed_in(user).get(reverse("citations:detail", args=[row.project_id, row.pk])).content.decode())


def test_it_is_nothing_to_look_up(owner: User, row: Citation, project: Project) -> None:
    assert (row.status, row.tier, row.check_due_at) == (FILE, "", None)
    assert start_check(project, owner) is None
    Citation.objects.update(check_due_at="2020-01-01T00:00:00Z")
    assert not Citation.objects.due().exists()
    with pytest.raises(Refused, match="this is your own file"):
        check_again(project, [row], owner)
    assert again(row).status == FILE
    told = call(signed_in(owner), row, "check", "post")
    assert (told.status_code, told.json()["error"]["code"]) == (422, "file")


def test_nothing_that_comes_in_overwrites_it(owner: User, row: Citation, project: Project) -> None:
    other = "@article{notes, title = {notes_2024.pdf}, author = {Ibe, Chidi}, year = 2012}"
    add(project, owner, bibtex_entry=other, keep_key=True)
    import_draft(project, owner, f"Words \\cite{{notes}}.\n<bibtex>{other}</bibtex>")
    signed_in(owner).post(
        f"/api/projects/{project.pk}/citations/import", {"text": other}, content_type="application/json"
    )
    assert (again(row).status, again(row).authors, again(row).file_name) == (FILE, "", "notes_2024.pdf")


def test_no_entry_becomes_a_file_by_what_it_says(owner: User, project: Project) -> None:
    """An invented work that names a file in its BibTeX is looked up like any other."""
    entry = (
        "@misc{fake, title = {A trial}, howpublished = {Uploaded "
        f"file}}, file = {{a.pdf}}, fileid = {{{uuid4()}}}}}"
    )
    [added] = add(project, owner, bibtex_entry=entry, keep_key=True)
    assert (added.citation.status, added.citation.file_name) == (UNRESOLVED, "")


@pytest.mark.parametrize("where", ["page", "api"])
def test_it_is_printed_as_a_person_describes_it(owner: User, row: Citation, where: str) -> None:
    given = {"authors": "Okafor, Ngozi; {Ministry of Health}", "title": "Notes of <the> ward", "year": "2024"}
    if where == "api":
        assert call(signed_in(owner), row, "file", **given).json()["authors"] == "Okafor and Ministry of Health"
    else:
        address = reverse("citations:file", args=[row.project_id, row.pk])
        assert signed_in(owner).post(address, given).status_code == 302
    row = again(row)
    assert (row.status, row.title, row.year, row.file_name) == (FILE, "Notes of <the> ward", 2024, "notes_2024.pdf")
    page = page_of(owner, row)
    assert 'value="Okafor, Ngozi; {Ministry of Health}"' in page, "what was typed can be changed later"
    assert "Notes of &lt;the&gt; ward" in page
    bibtex = as_bibtex(row.project.citations.all())
    assert "author = {Okafor, Ngozi and {Ministry of Health}}" in bibtex
    assert "Uploaded file" not in bibtex
    call(signed_in(owner), row, "file")
    assert (again(row).title, again(row).authors, again(row).year) == ("notes_2024.pdf", "", None), "its name stands in"


def test_what_cannot_be_printed_is_refused_and_stays_typed(owner: User, row: Citation) -> None:
    answer = signed_in(owner).post(
        reverse("citations:file", args=[row.project_id, row.pk]),
        {"authors": "Okafor, N", "title": "Ward", "year": "24"},
    )
    assert answer.status_code == 422
    assert "Enter a year of four digits." in answer.content.decode()
    assert 'value="Okafor, N"' in answer.content.decode()
    for given in ({"year": "20²4"}, {"year": "0999"}, {"title": "a\0"}, {"title": "x" * 2_001}):
        assert call(signed_in(owner), row, "file", **given).status_code == 422, given
    assert again(row).title == "notes_2024.pdf"


def test_it_turns_out_to_be_a_published_work(owner: User, row: Citation, project: Project, holdings: Holdings) -> None:
    address = reverse("citations:file_work", args=[row.project_id, row.pk])
    nothing = signed_in(owner).post(address, {"identifier": "a paper of mine"})
    assert nothing.status_code == 422
    assert 'value="a paper of mine"' in nothing.content.decode()
    signed_in(owner).post(address, {"identifier": f"https://doi.org/{CODEX.doi}"})
    assert again(row).status == UNRESOLVED
    check(project, owner)
    found = again(row)
    assert (found.status, found.tier, found.title) == (VERIFIED, "A", CODEX.title), "a file's name claims no title"
    assert found.file_name == "notes_2024.pdf", "the file can be opened from it as before"
    assert call(signed_in(owner), row, "file", "post").status_code == 422, "a proven work stays one"


def test_a_wrong_identifier_can_be_taken_back(owner: User, row: Citation, project: Project, holdings: Holdings) -> None:
    call(signed_in(owner), row, "file/work", "post", identifier="10.9999/none")
    check(project, owner)
    assert again(row).tier == "D"
    assert "Cite as your own file" in page_of(owner, row)
    assert call(signed_in(owner), row, "file", "post").json()["status"] == "file"
    assert (again(row).title, again(row).doi, again(row).tier) == ("notes_2024.pdf", "", "")


def test_editing_its_bibtex_leaves_it_a_file_until_it_names_an_identifier(owner: User, row: Citation) -> None:
    edit(row, "@misc{notes, title = {Ward notes}, author = {Okafor, Ngozi}}", owner)
    assert (again(row).status, again(row).title, again(row).authors) == (FILE, "Ward notes", "Okafor")
    edit(row, bibtex_for_editing(again(row)).replace("title =", "doi = {10.9999/none}, title =", 1), owner)
    assert again(row).status == UNRESOLVED
    assert again(row).check_due_at


def test_it_can_be_attested_and_is_a_file_again_when_that_is_withdrawn(owner: User, row: Citation) -> None:
    attest(row, owner, "Printed and archived.")
    assert again(row).tier == "C"
    withdraw_attestation(again(row), owner)
    assert again(row).status == FILE


def test_who_may(owner: User, supervisor: User, reader: User, outsider: User, row: Citation) -> None:
    for person, status in ((outsider, 404), (reader, 403), (supervisor, 403), (owner, 200)):
        assert call(signed_in(person), row, "file", title="Ward").status_code == status
    assert "How it is printed" not in page_of(reader, row)


def test_it_is_worded_as_your_file_everywhere(owner: User, row: Citation, project: Project) -> None:
    browser = signed_in(owner)
    page = page_of(owner, row)
    assert "notes_2024.pdf (deleted)" in page, "no such file is among the thesis's any more"
    assert "was deleted from this thesis" in page
    listed = browser.get(reverse("citations:list", args=[project.pk])).content.decode()
    assert "Your own file notes_2024.pdf. Files are not looked up. The author is missing." in listed
    assert 'id="show-file"' in listed
    rail = browser.get(reverse("citations:cited", args=[project.pk, "introduction"])).content.decode()
    card = browser.get(reverse("citations:audit", args=[project.pk])).content.decode()
    assert "1 of your own files" in card
    assert "Your own files only" in card
    out = StringIO()
    call_command("audit_citations", str(project.pk), stdout=out)
    assert "Own file: notes" in out.getvalue()
    assert (badge_of(row).tier, badge_of(row).letter) == ("file", "")
    chips = browser.get(f"/api/projects/{project.pk}/citations/chips").json()
    assert (chips["notes"]["status"], chips["notes"]["words"]) == ("file", "Your file")
    for text in (page, listed, rail, card):
        assert "Your file" in text or "own file" in text
        assert "record was found" not in text
        assert "No catalogue knows it" not in text


def test_the_schema_names_it(owner: User) -> None:
    schema = signed_in(owner).get("/api/openapi.json").json()["components"]["schemas"]
    assert "file" in schema["CitationDetail"]["properties"]["status"]["enum"]


def test_rows_of_an_earlier_version(project: Project) -> None:
    """They are known by the reason that version wrote beside "to be confirmed"; all else stays as it is."""
    reason = "This is your uploaded file alder.md. No catalogue knows it. If it is a published work, put its DOI in;"
    file_id = uuid4()
    csl = {
        "type": "document",
        "title": "alder.md",
        "genre": "Uploaded file",
        "custom": {"bibtex": {"fileid": str(file_id)}},
    }
    rows: dict[str, dict[str, Any]] = {
        "old": {"status": "review", "reason": reason, "csl": csl},
        "gone": {"status": "review", "reason": reason, "csl": {**csl, "custom": {"bibtex": {"file": "alder.md"}}}},
        "said": {"status": "attested", "tier": "C", "reason": reason, "csl": csl},
        "probable": {"status": "review", "reason": "Only the year fails.", "csl": {"title": "Alder"}},
        "faked": {"status": "review", "reason": "Only the year fails.", "csl": csl},
        "odd": {"status": "review", "reason": reason, "csl": {"title": "Alder", "custom": "x"}},
    }
    for key, fields in rows.items():
        Citation.objects.create(project=project, cite_key=key, title=fields["csl"]["title"], **fields)
    import_module("citations.migrations.0005_statuses").name_files(apps, None)
    after: dict[str, tuple[str, str, UUID | None]] = {
        key: (status, name, pk)
        for key, status, name, pk in Citation.objects.values_list("cite_key", "status", "file_name", "file_id")
    }
    assert after == {
        "old": ("file", "alder.md", file_id),
        "gone": ("file", "alder.md", None),
        "said": ("attested", "alder.md", file_id),
        "probable": ("review", "", None),
        "faked": ("review", "", None),
        "odd": ("file", "Alder", None),
    }
    assert Citation.objects.get(cite_key="old").csl == csl
    assert Citation.objects.get(cite_key="said").reason == reason
