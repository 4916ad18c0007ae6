"""One worker gets a job, its attempts are counted, and one that lost it writes nothing more (SPEC P1, R16)."""

import logging
import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from jobs.lease import LEASE
from jobs.models import STALLS, Job, LeaseLost, State
from jobs.registry import job_handler
from jobs.work import Stopped, WaitsForUser, claim, perform, raise_if_stopped
from tests.jobs.conftest import StartJob

pytestmark = pytest.mark.postgres

CLAIMS = 12
LONG_AGO = timedelta(minutes=1)


def let_lease_expire(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - LONG_AGO)


def claimed(job: Job, lease: str) -> Job:
    taken = claim(str(job.pk), lease)
    assert taken is not None
    return taken


def events_of(job: Job) -> list[str]:
    return list(job.events.values_list("kind", flat=True))


def last_said(job: Job) -> str:
    return str(job.events.values_list("text", flat=True).last())


@pytest.mark.django_db(transaction=True)
def test_one_of_many_claims_at_once_wins(start: StartJob) -> None:
    job = start()
    together, won = threading.Barrier(CLAIMS), []

    def try_it(number: int) -> None:
        try:
            connection.ensure_connection()
            together.wait()
            if claim(str(job.pk), f"worker-{number}"):
                won.append(number)
        finally:
            connection.close()

    threads = [threading.Thread(target=try_it, args=(number,)) for number in range(CLAIMS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    job.refresh_from_db()
    assert [f"worker-{number}" for number in won] == [job.lease_by]
    assert (job.state, job.attempts) == (State.RUNNING, 1)


def test_a_claim_leases_the_job(start: StartJob) -> None:
    taken = claimed(start(), "first")
    assert taken.lease_until is not None
    assert timezone.now() < taken.lease_until <= timezone.now() + LEASE
    assert taken.started_at is not None
    assert claim(str(taken.pk), "second") is None


@pytest.mark.parametrize("state", [State.PAUSED, State.WAITING, State.DONE, State.FAILED, State.CANCELLED])
def test_a_job_that_does_not_wait_for_a_worker_is_not_claimed(start: StartJob, state: State) -> None:
    job = start(state=state)
    assert claim(str(job.pk), "anybody") is None
    perform(str(job.pk))
    job.refresh_from_db()
    assert (job.state, job.attempts) == (state, 0)


def test_no_job_no_claim(db: None) -> None:
    assert claim("00000000-0000-4000-8000-000000000000", "anybody") is None


@pytest.mark.django_db(transaction=True)
def test_the_attempt_is_counted_before_the_work(start: StartJob) -> None:
    seen: list[tuple[int, str]] = []

    @job_handler("looking")
    def looking(job: Job) -> None:
        row = Job.objects.get(pk=job.pk)
        seen.append((row.attempts, row.state))

    job = start("looking")
    perform(str(job.pk))
    assert seen == [(1, State.RUNNING)]


@pytest.mark.django_db(transaction=True)
def test_an_expired_lease_is_retaken_and_says_so(start: StartJob) -> None:
    job = claimed(start(), "first")
    job.emit("number", "1")
    let_lease_expire(job)
    again = claimed(job, "second")
    assert (again.attempts, again.stalls, again.lease_by) == (2, 0, "second")
    assert events_of(job) == ["number", "job_recovered"]


@pytest.mark.django_db(transaction=True)
def test_a_stall_is_an_attempt_that_told_nothing_new(start: StartJob) -> None:
    job = claimed(start(), "attempt 1")
    stalls = []
    for number, tells in enumerate([False, False, True, False], start=2):
        if tells:
            job.emit("number", "a step further")
        let_lease_expire(job)
        job = claimed(job, f"attempt {number}")
        stalls.append(job.stalls)
    assert stalls == [1, 2, 0, 1]


@pytest.mark.django_db(transaction=True)
def test_a_job_that_keeps_killing_its_worker_is_given_up(start: StartJob) -> None:
    """Each attempt dies before it tells anything; after STALLS of them in a row the next one ends the job."""
    job = start(progress_total=3)
    for number in range(STALLS):
        claimed(job, f"attempt {number}")
        let_lease_expire(job)
    perform(str(job.pk))
    job.refresh_from_db()
    assert job.state == State.FAILED
    assert "at the same place" in job.reason
    assert "number" not in events_of(job)
    assert job.ended_at is not None


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_lost_its_lease_writes_neither_event_nor_end(start: StartJob) -> None:
    refused: list[str] = []

    @job_handler("overtaken")
    def overtaken(job: Job) -> None:
        Job.objects.filter(pk=job.pk).update(lease_by="another worker")
        for attempt in (lambda: job.emit("number", "1", sure_of_lease=job.lease_by), lambda: raise_if_stopped(job)):
            with pytest.raises(LeaseLost):
                attempt()
            refused.append("refused")

    job = start("overtaken")
    perform(str(job.pk))
    job.refresh_from_db()
    assert len(refused) == 2
    assert (job.state, job.lease_by, job.ended_at) == (State.RUNNING, "another worker", None)
    assert events_of(job) == []


@pytest.mark.django_db(transaction=True)
def test_a_deleted_job_ends_its_worker_quietly(start: StartJob) -> None:
    @job_handler("deleted")
    def deleted(job: Job) -> None:
        Job.objects.filter(pk=job.pk).delete()
        raise_if_stopped(job)

    job = start("deleted")
    perform(str(job.pk))
    assert not Job.objects.filter(pk=job.pk).exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("signal", "state"),
    [(Stopped("There is no file to read."), State.FAILED), (WaitsForUser("Please approve the plan."), State.WAITING)],
)
def test_a_signal_ends_the_attempt_in_its_state_with_its_sentence(
    start: StartJob, signal: Exception, state: State
) -> None:
    @job_handler("signalling")
    def signalling(job: Job) -> None:
        raise signal

    job = start("signalling")
    perform(str(job.pk))
    job.refresh_from_db()
    assert (job.state, job.reason, job.lease_by) == (state, str(signal), "")
    assert last_said(job) == str(signal)


@pytest.mark.django_db(transaction=True)
def test_a_fault_of_ours_is_told_without_its_inside(start: StartJob, caplog: pytest.LogCaptureFixture) -> None:
    @job_handler("faulty")
    def faulty(job: Job) -> None:
        raise ZeroDivisionError("secret inside")

    job = start("faulty")
    with caplog.at_level(logging.ERROR):
        perform(str(job.pk))
    job.refresh_from_db()
    assert job.state == State.FAILED
    assert str(job.pk)[:8] in job.reason
    assert "secret inside" not in job.reason + last_said(job)
    assert "secret inside" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_a_kind_nobody_registered_fails_alone(start: StartJob) -> None:
    job = start("unheard-of")
    perform(str(job.pk))
    job.refresh_from_db()
    assert job.state == State.FAILED


@pytest.mark.django_db(transaction=True)
def test_a_job_is_done_once_however_often_it_is_performed(start: StartJob) -> None:
    job = start(progress_total=2)
    for _ in range(3):
        perform(str(job.pk))
    job.refresh_from_db()
    assert events_of(job) == ["number", "number", "job_done"]
    assert (job.state, job.attempts, job.progress, job.counters) == (State.DONE, 1, 2, {"told": 2})
