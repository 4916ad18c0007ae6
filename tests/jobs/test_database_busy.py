"""A database that is held for longer than anybody waits costs a job some seconds, never a result (SPEC R16, P6)."""

import logging
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection
from django_q.models import OrmQ

from jobs.models import Job, State
from jobs.registry import does
from jobs.watchdog import wake_lost
from jobs.work import perform
from tests.jobs.conftest import StartJob

pytestmark = pytest.mark.django_db(transaction=True)

HELD = 0.6  # seconds another program holds the write lock
IMPATIENT = 100  # milliseconds our connection waits for it, instead of the usual 20 s


@contextmanager
def write_lock_held(seconds: float) -> Iterator[None]:
    """Another program that writes for `seconds` after the block has begun."""
    held = threading.Event()

    def hold() -> None:
        other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        held.set()
        time.sleep(seconds)
        other.execute("ROLLBACK")
        other.close()

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(10)
    yield
    thread.join()


def test_the_job_is_put_back_and_finishes(start: StartJob, caplog: pytest.LogCaptureFixture) -> None:
    @does("writing")
    def writing(job: Job) -> None:
        job.emit("number", str(job.attempts), sure_of_lease=job.lease_by)
        if job.attempts > 1:
            return
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout={IMPATIENT}")
        with write_lock_held(HELD):
            job.emit("number", "never told", sure_of_lease=job.lease_by)

    job = start("writing")
    with caplog.at_level(logging.WARNING):
        perform(str(job.pk))
    assert "going back to the queue" in caplog.text
    job.refresh_from_db()
    assert (job.state, job.lease_by, job.reason, job.ended_at) == (State.QUEUED, "", "", None)

    wake_lost()  # at once: nothing but the lock was in the way
    assert OrmQ.objects.count() == 1
    perform(str(job.pk))
    job.refresh_from_db()
    assert (job.state, job.attempts, job.stalls) == (State.DONE, 2, 0)
    told = list(job.events.values_list("seq", "kind", "text"))
    assert [kind for _, kind, _ in told] == ["number", "number", "job_done"]
    assert [seq for seq, _, _ in told] == [1, 2, 3]
    assert told[1][2] == "2"


def test_a_short_wait_is_not_even_noticed(start: StartJob) -> None:
    @does("waiting")
    def waiting(job: Job) -> None:
        with write_lock_held(HELD):
            job.emit("number", "1")

    job = start("waiting")
    perform(str(job.pk))
    job.refresh_from_db()
    assert (job.state, job.attempts) == (State.DONE, 1)
    assert list(job.events.values_list("kind", flat=True)) == ["number", "job_done"]
