"""Pressing “Read entries” on a stored file (SPEC X1, C10): nothing is parsed before, nothing imported after."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from citations.importing.file_import import import_entries
from citations.importing.stored_file_entries import MAX_BYTES, READ, last_job, read_file
from citations.models import Citation
from contextfiles.models import ContextFile
from jobs.models import Job, State
from jobs.work import perform
from projects.models import Project, User
from projects.stored_files import stored_file
from tests.citations.sample_files import ALDER, BIRCH, CEDAR, FOUR, long_text, page, readings, stored
from tests.people import open_data, signed_in


def read(client: Client, file: ContextFile) -> str:
    """Press the button, and read the page that comes."""
    return client.post(page(file), follow=True).content.decode()


@pytest.mark.parametrize("name", ["refs.bib", "refs.ris"])
def test_an_upload_reads_nothing_and_offers_to(name: str, owner: User, project: Project, media: Path) -> None:
    client = signed_in(owner)
    text = FOUR if name.endswith("bib") else "TY  - JOUR\nTI  - Alder\nER  - \n"
    upload = SimpleUploadedFile(name, text.encode())
    client.post(reverse("contextfiles:upload", args=[project.pk]), {"files": upload})
    file = ContextFile.objects.get()
    file.blob.storage.delete(str(file.blob.name))  # whoever opens it now fails
    for address in ("contextfiles:list", "contextfiles:file"):
        arguments = [project.pk] if address.endswith("list") else [project.pk, file.pk]
        shown = client.get(reverse(address, args=arguments)).content.decode()
        assert f'action="{page(file)}"' in shown
        assert "Read entries" in shown
    assert "The entries of this file have not been read yet" in client.get(page(file)).content.decode()
    assert readings(media) == []
    assert not Citation.objects.exists()
    assert not Job.objects.exists()


def test_reading_shows_what_is_there_and_imports_nothing(owner: User, project: Project, media: Path) -> None:
    file = stored(project)
    shown = read(signed_in(owner), file)
    assert "3 entries read: 3 new" in shown
    assert re.search(
        r"Alder and soil.*Menon.*2021.*doi 10\.1000/alder\s+pmid 321.*menon2021.*article", shown, re.DOTALL
    )
    assert shown.count('name="entry"') == shown.count(" checked>") == 3
    assert "Import 3 references" in shown
    assert "1 could not be read" in shown
    assert re.search(r"Line 9.*broken.*not closed.*Never closed,\n year = 2020", shown, re.DOTALL)
    assert not Citation.objects.exists()
    assert len(readings(media)) == 1


def test_reading_again_opens_no_file(owner: User, project: Project) -> None:
    file = stored(project)
    client = signed_in(owner)
    first = read(client, file)
    file.blob.storage.delete(str(file.blob.name))
    assert "3 entries read" in first
    assert "3 entries read" in read(client, file)


def test_what_is_here_already_is_told_and_not_ticked(owner: User, project: Project) -> None:
    import_entries(
        project,
        "@misc{a, title={Alder and soil}, doi={10.1000/ALDER}}"
        "@misc{b, title={Beech}, pmid={77}} @misc{c, title={Cedar}, year=2019}"
        "@misc{same, title={Spruce}}",
    )
    more = "@misc{d, title={Beech}, pmid={77}} @misc{same, title={Spruce}} @misc{twin, title={Birch}, year=2020}"
    shown = read(signed_in(owner), stored(project, ALDER + BIRCH + CEDAR + more))
    assert "6 entries read: 1 new, 4 already in your references, 1 duplicate in this file." in shown
    rows = re.findall(r"<tr>.*?</tr>", shown, re.DOTALL)[1:]
    told = ["same DOI", "New", "same title and year", "same PMID", "same key", "same title and year"]
    for row, words in zip(rows, told, strict=True):
        assert words in row
    assert [("checked" in row, 'name="entry"' in row) for row in rows] == [
        (False, False),
        (True, True),
        (False, False),
        (False, False),
        (False, False),
        (False, True),  # of two in the file a person may choose
    ]
    assert "Import 1 reference<" in shown


def test_another_work_under_a_key_that_is_here_gets_a_key_of_its_own(owner: User, project: Project) -> None:
    import_entries(project, "@misc{menon2021, title={Something else entirely}, year=2021}")
    shown = read(signed_in(owner), stored(project, ALDER))
    assert "1 new" in shown
    assert "will be imported as <code>menon2021b</code>" in shown


def test_markup_in_an_entry_stays_text(owner: User, project: Project) -> None:
    text = "@misc{<b>k, title={<script>x</script>}, author={<i>a}, doi={10.1/<s>}}\n@misc{<u>z title={<hr>}}"
    shown = read(signed_in(owner), stored(project, text, "a.bib"))
    assert "&lt;script&gt;x" in shown
    for markup in ("<script>x", "<b>k", "<i>a", "<s>", "<u>z", "<hr>}"):
        assert markup not in shown


@pytest.mark.parametrize("text", ["", "no references here", "\x00\x01"])
def test_a_file_without_entries_says_so(text: str, owner: User, project: Project) -> None:
    shown = read(signed_in(owner), stored(project, text))
    assert "0 entries read" in shown
    assert "Import 0" not in shown
    if text.strip("\x00"):
        assert "No entries were found" in shown


def test_a_file_whose_bytes_are_gone_is_told(owner: User, project: Project) -> None:
    file = stored(project)
    file.blob.storage.delete(str(file.blob.name))
    answer = signed_in(owner).post(page(file))
    assert answer.status_code == 404
    assert "cannot be read from the disk" in answer.content.decode()


@pytest.mark.parametrize("name", ["notes.txt", "paper.pdf", "table.csv"])
def test_other_files_have_no_entries(name: str, owner: User, project: Project) -> None:
    file = stored(project, "x", name)
    client = signed_in(owner)
    shown = client.get(reverse("contextfiles:file", args=[project.pk, file.pk])).content.decode()
    assert "Read entries" not in shown
    answer = client.post(page(file))
    assert answer.status_code == 400
    assert "BibTeX (.bib) and RIS (.ris)" in answer.content.decode()


def test_a_file_that_is_too_large_is_refused(owner: User, project: Project) -> None:
    file = stored(project)
    ContextFile.objects.update(size=MAX_BYTES + 1)
    answer = signed_in(owner).post(page(file))
    assert answer.status_code == 413
    assert "Split it" in answer.content.decode()


def test_deleting_the_file_deletes_what_was_read(
    owner: User, project: Project, media: Path, django_capture_on_commit_callbacks: Any
) -> None:
    file = stored(project)
    read(signed_in(owner), file)
    assert len(readings(media)) == 1
    address = page(file)
    with django_capture_on_commit_callbacks(execute=True):
        file.delete()
    assert readings(media) == []
    assert signed_in(owner).get(address).status_code == 404


def test_a_reading_of_another_version_or_content_is_not_used(owner: User, project: Project, media: Path) -> None:
    file = stored(project)
    client = signed_in(owner)
    read(client, file)
    (kept,) = readings(media)
    for old, new in (('"version": 2', '"version": 1'), (file.sha256, "0" * 64), ("{", "")):
        whole = kept.read_text()
        kept.write_text(whole.replace(old, new, 1))
        assert "have not been read yet" in client.get(page(file)).content.decode()
        kept.write_text(whole)
    assert "3 entries read" in client.get(page(file)).content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_long_file_is_read_by_a_job(owner: User, project: Project, media: Path) -> None:
    file = stored(project, long_text())
    client = signed_in(owner)
    shown = read(client, file)
    job = Job.objects.get()
    assert (job.kind, job.subject, job.state) == (READ, file.pk, State.QUEUED)
    assert "read in the background" in shown
    assert readings(media) == []
    read(client, file)
    assert Job.objects.count() == 1, "a second click starts no second job"
    progress = reverse("citations:entries_progress", args=[job.pk])
    waiting = client.get(progress, headers={"HX-Request": "true"})
    assert f'hx-get="{progress}"' in waiting.content.decode()
    assert client.get(reverse("jobs:job", args=[job.pk]), follow=True).redirect_chain[-1][0] == page(file)
    perform(str(job.pk))
    job.refresh_from_db()
    assert (job.state, job.progress_total > 100) == (State.DONE, True)
    assert client.get(progress, headers={"HX-Request": "true"}).headers["HX-Redirect"] == page(file)
    assert "136 entries read: 136 new" in client.get(page(file)).content.decode()
    assert not Citation.objects.exists()


@pytest.mark.long
def test_a_file_that_is_hard_to_read_does_not_hold_the_request(owner: User, project: Project) -> None:
    """Small, and seconds of work for the reader of LaTeX."""
    hard = "".join(f"@misc{{k{number}, title={{{'$x$' * 3_000}}}}}\n" for number in range(100))
    file = stored(project, hard)
    found = read_file(project, stored_file(project, file.pk), owner)
    assert isinstance(found, Job)


@pytest.mark.django_db(transaction=True)
def test_a_long_reading_can_be_stopped(owner: User, project: Project, media: Path) -> None:
    file = stored(project, long_text())
    client = signed_in(owner)
    read(client, file)
    stopped = client.post(page(file, "entries_stop"), follow=True).content.decode()
    assert "have not been read yet" in stopped
    job = last_job(project, stored_file(project, file.pk))
    assert job is not None
    assert job.state == State.CANCELLED
    perform(str(job.pk))
    assert readings(media) == []


@pytest.mark.django_db(transaction=True)
def test_a_file_deleted_before_its_job_runs_stops_it(owner: User, project: Project, media: Path) -> None:
    file = stored(project, long_text())
    read(signed_in(owner), file)
    file.delete()
    job = Job.objects.get()
    perform(str(job.pk))
    job.refresh_from_db()
    assert (job.state, "deleted" in job.reason) == (State.FAILED, True)
    assert readings(media) == []


@pytest.mark.django_db(transaction=True)
def test_a_job_that_failed_says_why_and_can_be_tried_again(owner: User, project: Project) -> None:
    file = stored(project, long_text())
    client = signed_in(owner)
    read(client, file)
    blob = Path(file.blob.path).read_bytes()
    file.blob.storage.delete(str(file.blob.name))
    perform(str(Job.objects.get().pk))
    shown = client.get(page(file)).content.decode()
    assert "cannot be read from the disk" in shown
    assert "Read entries" in shown
    Path(file.blob.path).write_bytes(blob)
    read(client, file)
    perform(str(Job.objects.alive().get().pk))
    assert "136 entries read" in client.get(page(file)).content.decode()


@pytest.mark.parametrize("who", ["reader", "supervisor"])
def test_who_may_only_read_looks_and_reads_nothing(
    who: str, owner: User, project: Project, media: Path, request: Any
) -> None:
    file = stored(project)
    client = signed_in(request.getfixturevalue(who))
    assert client.post(page(file)).status_code == 403
    assert client.post(page(file, "entries_stop")).status_code == 403
    assert readings(media) == []
    assert client.get(page(file)).status_code == 403
    open_data(project)
    assert "<button" not in re.sub(r"(?s)^.*<main|</main>.*$", "", client.get(page(file)).content.decode())
    shown = client.get(reverse("contextfiles:file", args=[project.pk, file.pk])).content.decode()
    assert "Read entries" not in shown
    read(signed_in(owner), file)
    looked = client.get(page(file)).content.decode()
    assert "3 entries read" in looked
    assert "Import 3" not in looked
    assert "checkbox" not in looked


def test_strangers_and_wrong_methods(owner: User, outsider: User, project: Project, client: Client) -> None:
    file = stored(project)
    job = Job.objects.start(project=project, kind=READ, subject=file.pk, user=owner, enqueue=False)
    mine = Project.objects.create_for(outsider, title="Another")
    for person in (outsider, owner):
        elsewhere = reverse("citations:entries", args=[mine.pk, file.pk])
        assert signed_in(person).get(elsewhere).status_code == 404
        assert signed_in(person).post(elsewhere).status_code == 404
    stranger = signed_in(outsider)
    jobs = [reverse("citations:entries_progress", args=[job.pk]), reverse("citations:entries_of", args=[file.pk])]
    for address in (page(file), *jobs):
        assert stranger.get(address).status_code == 404
    for act in ("entries", "entries_stop", "entries_import"):
        assert stranger.post(page(file, act)).status_code == 404
        assert client.post(page(file, act)).status_code == 302
        assert signed_in(owner).put(page(file, act)).status_code == 405
    for act in ("entries_stop", "entries_import"):
        assert signed_in(owner).get(page(file, act)).status_code == 405
    for address in jobs:
        assert signed_in(owner).post(address).status_code == 405
