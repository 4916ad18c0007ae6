"""A long list of references comes in as a job, with its progress, a way to stop it, and a report (SPEC C10, P1)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from citations.importing import file_import
from citations.importing.file_import import BATCH_SIZE, IMPORT_JOB, start_import
from citations.importing.stored_file_entries import MOST_AT_ONCE
from citations.models import Citation, Import
from core.errors import Refused
from jobs.models import Job, JobEvent, State
from jobs.work import perform
from projects.models import Project, User
from tests.people import signed_in

COUNT = MOST_AT_ONCE + 1
BROKEN = "@article{broken, title = {Never closed\n"


def entries(count: int = COUNT) -> str:
    return "".join(f"@misc{{k{number}, title = {{Work {number}}}, year = 2020}}\n" for number in range(count))


def started(project: Project, text: str = "") -> tuple[Import, Job]:
    """An import that waits for a worker, and its job."""
    brought = start_import(project, project.owner, text or BROKEN + entries(), name="long.bib")
    assert isinstance(brought, Import)
    return brought, Job.objects.get(kind=IMPORT_JOB, subject=brought.pk)


@contextmanager
def at_each_step(does: Callable[[Job], None]) -> Iterator[None]:
    """Something happens with a job each time it has written down how far it is."""
    emit = Job.emit

    def emitting(self: Job, *args: Any, **more: Any) -> JobEvent:
        event = emit(self, *args, **more)
        does(self)
        return event

    Job.emit = emitting  # type: ignore[method-assign]
    try:
        yield
    finally:
        Job.emit = emit  # type: ignore[method-assign]


def test_a_long_file_comes_in_by_a_job_with_a_report(owner: User, project: Project) -> None:
    client = signed_in(owner)
    file = SimpleUploadedFile("long.bib", (BROKEN + entries()).encode())
    answer = client.post(reverse("citations:import", args=[project.pk]), {"file": file})
    job = Job.objects.get()
    assert (job.kind, Citation.objects.count()) == (IMPORT_JOB, 0)
    address = reverse("citations:imported", args=[job.subject])
    assert answer.headers["Location"] == address
    waiting = client.get(address).content.decode()
    assert "Import of long.bib" in waiting
    assert "Waiting to start" in waiting
    progress = reverse("citations:import_progress", args=[job.subject])
    assert "<html" not in client.get(progress).content.decode()

    perform(str(job.pk))
    job.refresh_from_db()
    assert (job.state, job.progress, job.progress_total) == (State.DONE, COUNT, COUNT)
    assert list(Citation.objects.values_list("serial", "cite_key"))[::500] == [
        (1, "k0"),
        (501, "k500"),
        (1001, "k1000"),
    ]
    assert client.get(progress).headers["HX-Redirect"] == address
    page = client.get(address).content.decode()
    assert "1,001 added, 0 updated, 0 unchanged." in page
    assert "1 left out" in page
    assert "<code>broken</code>" in page
    assert Import.objects.get().text == "", "the text is dropped at the end"


def test_what_came_in_is_then_looked_up(project: Project) -> None:
    _, job = started(project)
    perform(str(job.pk))
    assert Citation.objects.due().count() == COUNT
    assert Job.objects.alive().get().kind == "check"


def test_htmx_is_sent_to_the_page_of_the_import(owner: User, project: Project) -> None:
    address = reverse("citations:import", args=[project.pk])
    answer = signed_in(owner).post(address, {"text": entries()}, headers={"HX-Request": "true"})
    assert answer.headers["HX-Redirect"] == reverse("citations:imported", args=[Import.objects.get().pk])


def test_a_stopped_import_leaves_what_is_in(owner: User, project: Project) -> None:
    brought, job = started(project)
    client = signed_in(owner)

    def stop(running: Job) -> None:
        if running.counters.get("done") == BATCH_SIZE and not running.has_ended:
            client.post(reverse("citations:import_stop", args=[brought.pk]))

    with at_each_step(stop):
        perform(str(job.pk))
    job.refresh_from_db()
    assert job.state == State.CANCELLED
    assert Citation.objects.count() == BATCH_SIZE
    page = client.get(reverse("citations:imported", args=[brought.pk])).content.decode()
    assert "Stopped after 500 of 1,001 entries. Imported entries stay." in page
    assert Import.objects.get().text == ""


def test_an_import_stopped_before_it_began(owner: User, project: Project) -> None:
    brought, _ = started(project)
    client = signed_in(owner)
    page = client.post(reverse("citations:import_stop", args=[brought.pk]), follow=True).content.decode()
    assert "Stopped before anything was imported." in page
    assert (Citation.objects.count(), Import.objects.get().text) == (0, "")


def test_an_import_whose_worker_is_killed_goes_on(project: Project) -> None:
    brought, job = started(project)

    def kill(running: Job) -> None:
        if running.counters.get("done") == 2 * BATCH_SIZE:
            raise SystemExit

    with at_each_step(kill), pytest.raises(SystemExit):
        perform(str(job.pk))
    assert Citation.objects.count() == BATCH_SIZE, "what was under way is undone"
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    perform(str(job.pk))
    result = Import.objects.get().result
    assert result
    assert len(result["added"]) == len(set(result["added"])) == Citation.objects.count() == COUNT
    assert [problem["key"] for problem in result["problems"]] == ["broken"], "told once"


def test_a_job_that_is_done_twice_adds_nothing(project: Project) -> None:
    brought, job = started(project)
    perform(str(job.pk))
    Job.objects.filter(pk=job.pk).update(state=State.QUEUED)
    perform(str(job.pk))
    job.refresh_from_db()
    result = Import.objects.get().result
    assert result
    assert (job.state, len(result["added"])) == (State.DONE, COUNT)


def test_a_field_of_5_mb_costs_that_entry_alone(project: Project) -> None:
    text = f"{entries(1)}@misc{{huge, title = {{{'x' * 5_000_000}}}}}\n@misc{{after, title = {{After}}}}"
    _, job = started(project, text)
    perform(str(job.pk))
    assert list(Citation.objects.values_list("cite_key", flat=True)) == ["k0", "after"]
    result = Import.objects.get().result
    assert result
    (problem,) = result["problems"]
    assert (problem["line"], problem["key"], problem["outcome"]) == (2, "huge", "refused")
    assert len(str(problem)) < 500, "the report does not hold the field"


def test_a_short_text_that_takes_long_to_read_goes_to_a_job(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_import, "PATIENCE", -1.0)
    assert isinstance(start_import(project, project.owner, entries(3)), Import)


def test_of_two_imports_at_once_the_second_is_refused(owner: User, project: Project) -> None:
    brought, _ = started(project)
    with pytest.raises(Refused, match="is running"):
        start_import(project, owner, entries())
    address = reverse("citations:import", args=[project.pk])
    page = signed_in(owner).post(address, {"text": entries()}, headers={"HX-Request": "true"})
    assert page.status_code == 422
    assert reverse("citations:imported", args=[brought.pk]) in page.content.decode()
    assert not isinstance(start_import(project, owner, entries(2)), Import), "a short one need not wait"


def test_the_api_imports_a_long_list_as_a_job(owner: User, project: Project) -> None:
    client = signed_in(owner)
    address = f"/api/projects/{project.pk}/citations/import"
    answer = client.post(address, {"text": BROKEN + entries()}, content_type="application/json")
    assert answer.status_code == 202
    stands = f"/api/imports/{answer.json()['import_id']}"
    before = client.get(stands).json()
    assert (before["state"], before["report"], before["job"]) == ("queued", None, answer.json()["job"])
    perform(answer.json()["job"])
    after = client.get(stands).json()
    assert (after["state"], after["done"], after["total"], after["report"]["added"]) == ("done", COUNT, COUNT, COUNT)
    assert [(one["key"], one["outcome"]) for one in after["report"]["problems"]] == [("broken", "refused")]


def test_the_api_takes_a_file(owner: User, project: Project) -> None:
    file = SimpleUploadedFile("two.ris", "TY  - JOUR\nTI  - Ångström\nER  - \n".encode("cp1252"))
    answer = signed_in(owner).post(f"/api/projects/{project.pk}/citations/import/file", {"file": file})
    assert (answer.status_code, answer.json()["added"]) == (200, 1)
    assert Citation.objects.get().title == "Ångström"
    big = SimpleUploadedFile("big.bib", b"x" * 25_000_001)
    refused = signed_in(owner).post(f"/api/projects/{project.pk}/citations/import/file", {"file": big})
    assert (refused.status_code, refused.json()["error"]["field"]) == (413, "file")


def test_strangers_members_and_wrong_methods(
    project: Project, owner: User, reader: User, outsider: User, client: Any
) -> None:
    brought, _ = started(project)
    page, progress, stop = (
        reverse(f"citations:{name}", args=[brought.pk]) for name in ("imported", "import_progress", "import_stop")
    )
    api = f"/api/imports/{brought.pk}"
    stranger, owners = signed_in(outsider), signed_in(owner)
    assert [stranger.get(page).status_code, stranger.get(progress).status_code] == [404, 404]
    assert [stranger.post(stop).status_code, stranger.get(api).status_code] == [404, 404]
    assert [client.get(page).status_code, client.post(stop).status_code, client.get(api).status_code] == [302, 302, 401]
    assert [owners.post(page).status_code, owners.get(stop).status_code, owners.delete(api).status_code] == [405] * 3
    assert (signed_in(reader).get(page).status_code, signed_in(reader).post(stop).status_code) == (200, 403)
