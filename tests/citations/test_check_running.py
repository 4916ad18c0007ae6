"""A check while it runs: written as it comes, stopped, overtaken by a person, killed (SPEC C3)."""

import threading
import time
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from citations.editing.edit import attest, edit
from citations.models import Citation
from citations.resolution import check_job
from citations.resolution.check_job import check_again, start_check, start_due_checks
from jobs.models import Job, State
from jobs.work import claim, perform
from projects.models import Project, User
from sources.models import CachedResponse
from tests.citations.test_check import RIGHT, Status, check, claims
from tests.servers.processes import until
from tests.servers.registry_works import Holdings


@pytest.fixture
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_job, "AT_ONCE", 2)
    monkeypatch.setattr(check_job, "GROUP_WAIT", 0.01)


@pytest.fixture
def working(project: Project, owner: User, holdings: Holdings, small_groups: None) -> Any:
    """Starts the check in a thread, which waits at the registries until they are set free."""
    threads: list[threading.Thread] = []

    def start() -> Job:
        holdings.free.clear()
        job = start_check(project, owner)
        assert job is not None

        def work() -> None:
            try:
                perform(str(job.pk))
            finally:
                connection.close()

        threads.append(threading.Thread(target=work))
        threads[-1].start()
        until(lambda: holdings.asked, 30, "a question")
        return job

    yield start
    holdings.free.set()
    for thread in threads:
        thread.join(60)


def ended(job: Job) -> Job:
    def has_ended() -> bool:
        job.refresh_from_db()
        return job.has_ended

    until(has_ended, 30, "the check to end")
    return job


@pytest.mark.django_db(transaction=True)
def test_results_are_written_as_they_come(project: Project, owner: User, holdings: Holdings, working: Any) -> None:
    claims(project)
    job = working()
    holdings.free.set()
    assert ended(job).state == State.DONE
    groups = job.events.filter(kind=check_job.CHECKED)
    assert [event.counters["checked"] for event in groups][-1] == 4
    assert len(groups) > 1


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_person_stops_it(project: Project, owner: User, holdings: Holdings, working: Any) -> None:
    """What is found is kept, what is left is not tried again by itself; asked again, it is."""
    claims(project)
    job = working()
    assert job.ask("cancel")
    assert ended(job).state == State.CANCELLED
    assert not Citation.objects.due().exists()
    start_due_checks()
    assert not Job.objects.alive().exists()
    holdings.free.set()
    check_again(project, Citation.objects.all(), owner)
    check(project, owner)
    assert set(Citation.objects.values_list("tier", flat=True)) == {"A"}


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_stale_verdict_overwrites_nobody(
    project: Project, owner: User, holdings: Holdings, working: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Edited, vouched for or deleted while the registries were asked: the person's word stands."""
    edited, vouched, deleted, left = claims(project)
    monkeypatch.setattr(check_job, "AT_ONCE", 10)
    job = working()
    text = "@book{key1, title={Alder in mixed stands}, author={Ibe, C.}, year={2012}}"
    edit(edited, text, owner)
    attest(vouched, owner, "I have the paper before me.")
    deleted.delete()
    holdings.free.set()
    assert ended(job).state == State.DONE
    rows = {row.pk: row for row in Citation.objects.all()}
    assert rows.keys() == {edited.pk, vouched.pk, left.pk}
    assert (rows[edited.pk].title, rows[edited.pk].status) == ("Alder in mixed stands", Status.NOT_FOUND)
    assert (rows[vouched.pk].status, rows[vouched.pk].tier) == (Status.ATTESTED, "C")
    assert rows[left.pk].tier == "A"


@pytest.mark.django_db(transaction=True)
def test_what_is_added_meanwhile_is_checked_too(
    project: Project, owner: User, holdings: Holdings, working: Any
) -> None:
    claims(project, RIGHT[:2])
    job = working()
    claims(project, RIGHT[2:])
    assert start_check(project, owner) == job
    holdings.free.set()
    assert ended(job).progress == 4
    assert set(Citation.objects.values_list("tier", flat=True)) == {"A"}


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_lost_its_lease_writes_nothing(
    project: Project, owner: User, holdings: Holdings, working: Any
) -> None:
    claims(project)
    job = working()
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert claim(str(job.pk), "another") is not None
    holdings.free.set()
    until(lambda: threading.active_count() < 50 and not holdings.in_flight, 30, "the first worker to stop")
    time.sleep(0.5)
    assert not Citation.objects.exclude(status=Status.UNRESOLVED).exists()


def test_what_was_written_is_not_asked_for_again(
    project: Project, owner: User, holdings: Holdings, small_groups: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed half-way: the next worker goes on with what was not written."""
    claims(project)
    job = start_check(project, owner)
    assert job is not None
    write = check_job._save_verdicts
    calls: list[int] = []

    def write_once(*args: Any) -> None:
        if calls:
            raise SystemExit  # as abrupt as a process that ends
        calls.append(1)
        write(*args)

    monkeypatch.setattr(check_job, "_save_verdicts", write_once)
    with pytest.raises(SystemExit):
        perform(str(job.pk))
    monkeypatch.setattr(check_job, "_save_verdicts", write)
    done = set(Citation.objects.filter(status=Status.VERIFIED).values_list("doi", flat=True))
    assert 0 < len(done) < 4
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    CachedResponse.objects.all().delete()
    holdings.asked.clear()
    perform(str(job.pk))
    job.refresh_from_db()
    assert (job.state, job.progress, job.progress_total) == (State.DONE, 4, 4)
    assert set(Citation.objects.values_list("tier", flat=True)) == {"A"}
    asked = " ".join(f"{one.path} {one.query} {one.form}" for one in holdings.asked)
    assert asked
    assert not [doi for doi in done if doi in asked]
