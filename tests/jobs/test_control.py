"""Pausing, resuming and cancelling, in every state a job can be in (SPEC R16)."""

import threading

import pytest
from django.db import connection
from django_q.models import OrmQ

from jobs.models import Job, State
from jobs.registry import job_handler
from jobs.work import perform, raise_if_stopped
from tests.jobs.conftest import StartJob

pytestmark = pytest.mark.django_db(transaction=True)


def events_of(job: Job) -> list[str]:
    return list(job.events.values_list("kind", flat=True))


@pytest.mark.parametrize(
    ("state", "possible", "after"),
    [
        (State.QUEUED, True, State.PAUSED),
        (State.RUNNING, True, State.RUNNING),  # obeyed at its next step
        (State.PAUSED, False, State.PAUSED),
        (State.WAITING, False, State.WAITING),
        (State.DONE, False, State.DONE),
        (State.FAILED, False, State.FAILED),
        (State.CANCELLED, False, State.CANCELLED),
    ],
)
def test_pause(start: StartJob, state: State, possible: bool, after: State) -> None:
    job = start(state=state)
    assert job.ask("pause") is possible
    job.refresh_from_db()
    assert (job.state, job.wanted) == (after, "pause" if state == State.RUNNING else "")
    assert events_of(job) == (["job_paused"] if state == State.QUEUED else [])


@pytest.mark.parametrize(
    ("state", "possible", "after"),
    [
        (State.QUEUED, True, State.CANCELLED),
        (State.RUNNING, True, State.RUNNING),
        (State.PAUSED, True, State.CANCELLED),
        (State.WAITING, True, State.CANCELLED),
        (State.DONE, False, State.DONE),
        (State.FAILED, False, State.FAILED),
        (State.CANCELLED, False, State.CANCELLED),
    ],
)
def test_cancel(start: StartJob, state: State, possible: bool, after: State) -> None:
    job = start(state=state)
    assert job.ask("cancel") is possible
    job.refresh_from_db()
    at_once = possible and state != State.RUNNING
    assert (job.state, job.wanted) == (after, "cancel" if state == State.RUNNING else "")
    assert (job.ended_at is not None) is at_once
    assert events_of(job) == (["job_cancelled"] if at_once else [])


@pytest.mark.parametrize("state", State)
def test_resume(start: StartJob, state: State) -> None:
    """Only a paused or waiting job goes back into the queue; a running one is left alone."""
    idle = state in (State.PAUSED, State.WAITING)
    job = start(state=state, stalls=2)
    assert job.resume() is idle
    job.refresh_from_db()
    assert job.state == (State.QUEUED if idle else state)
    assert job.stalls == (0 if idle else 2)
    assert events_of(job) == (["job_resumed"] if idle else [])
    assert OrmQ.objects.count() == (1 if idle else 0)


@pytest.mark.postgres
def test_a_cancel_overrules_a_pause_never_the_other_way_round(start: StartJob) -> None:
    job = start(state=State.RUNNING)
    assert job.ask("pause")
    assert job.ask("pause")  # pressed twice: once is meant
    assert job.ask("cancel")
    assert not job.ask("pause")
    job.refresh_from_db()
    assert job.wanted == "cancel"


@pytest.mark.postgres
@pytest.mark.parametrize(("wanted", "after"), [("pause", State.PAUSED), ("cancel", State.CANCELLED)])
def test_a_running_job_obeys_at_its_next_step(start: StartJob, wanted: str, after: State) -> None:
    begun, asked = threading.Event(), threading.Event()

    @job_handler("stepping")
    def stepping(job: Job) -> None:
        begun.set()
        assert asked.wait(10)
        raise_if_stopped(job)
        job.emit("number", "never told")

    def work(job_id: str) -> None:
        try:
            perform(job_id)
        finally:
            connection.close()

    job = start("stepping")
    worker = threading.Thread(target=work, args=(str(job.pk),))
    worker.start()
    assert begun.wait(10)
    assert job.ask(wanted)
    asked.set()
    worker.join(10)
    job.refresh_from_db()
    assert (job.state, job.wanted, job.lease_by) == (after, "", "")
    assert events_of(job) == [f"job_{after}"]
    assert "kept" in job.events.get().text


@pytest.mark.postgres
def test_a_paused_job_goes_on_where_it_stopped(start: StartJob) -> None:
    @job_handler("pausing")
    def pausing(job: Job) -> None:
        job.emit("number", str(job.events.filter(kind="number").count() + 1))
        if job.attempts == 1:
            job.ask("pause")
        raise_if_stopped(job)

    job = start("pausing")
    perform(str(job.pk))
    assert job.resume()  # the row counts, not this copy, which still says queued
    perform(str(job.pk))
    job.refresh_from_db()
    assert (job.state, job.attempts) == (State.DONE, 2)
    assert events_of(job) == ["number", "job_paused", "job_resumed", "number", "job_done"]


def test_a_pause_asked_of_a_job_that_ends_is_dropped(start: StartJob) -> None:
    @job_handler("ending")
    def ending(job: Job) -> None:
        job.ask("pause")

    job = start("ending")
    perform(str(job.pk))
    job.refresh_from_db()
    assert (job.state, job.wanted) == (State.DONE, "")


@pytest.mark.postgres
def test_a_cancel_pressed_while_a_pause_is_being_obeyed_wins(start: StartJob) -> None:
    @job_handler("pausing")
    def pausing(job: Job) -> None:
        job.ask("pause")
        try:
            raise_if_stopped(job)
        finally:
            assert job.ask("cancel")

    job = start("pausing")
    perform(str(job.pk))
    job.refresh_from_db()
    assert (job.state, job.wanted) == (State.CANCELLED, "")


def test_what_a_kind_leaves_at_its_end_is_written_once_whoever_ends_it(start: StartJob) -> None:
    ended: list[str] = []

    @job_handler("leaving", ended=lambda job: ended.append(job.state))
    def leaving(job: Job) -> None:
        if job.progress_total == 1:
            raise ZeroDivisionError

    for total in (0, 1):
        perform(str(start("leaving", progress_total=total).pk))
    job = start("leaving", state=State.PAUSED)
    job.ask("cancel")
    job.ask("cancel")
    assert ended == [State.DONE, State.FAILED, State.CANCELLED]
