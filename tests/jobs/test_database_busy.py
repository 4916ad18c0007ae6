"""A database that is held for longer than anybody waits costs a job some seconds, never a result (SPEC R16, P6)."""

import logging
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.db import DataError, OperationalError, connection, transaction
from django_q.models import OrmQ

from core.db_errors import is_temporary
from jobs.models import Job, State, WorkerBeat
from jobs.registry import job_handler
from jobs.watchdog import Watchdog, wake_lost
from jobs.work import perform
from tests.jobs.conftest import StartJob

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

HELD = 0.6  # seconds another program holds the write lock
IMPATIENT = 100  # milliseconds our connection waits for it, instead of the usual 20 s


@contextmanager
def write_lock_held(seconds: float) -> Iterator[None]:
    """Another program that writes for `seconds` after the block has begun: everywhere on SQLite, else to the jobs."""
    held = threading.Event()

    def hold() -> None:
        with transaction.atomic():
            list(Job.objects.select_for_update())
            held.set()
            time.sleep(seconds)
        connection.close()

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(10)
    yield
    thread.join()


def lose_patience() -> None:
    impatient = {"sqlite": f"PRAGMA busy_timeout={IMPATIENT}", "postgresql": f"SET lock_timeout={IMPATIENT}"}
    with connection.cursor() as cursor:
        cursor.execute(impatient[connection.vendor])


@pytest.mark.long
def test_the_job_is_put_back_and_finishes(start: StartJob, caplog: pytest.LogCaptureFixture) -> None:
    @job_handler("writing")
    def writing(job: Job) -> None:
        job.emit("number", str(job.attempts), sure_of_lease=job.lease_by)
        if job.attempts > 1:
            return
        lose_patience()
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
    @job_handler("waiting")
    def waiting(job: Job) -> None:
        with write_lock_held(HELD):
            job.emit("number", "1")

    job = start("waiting")
    perform(str(job.pk))
    job.refresh_from_db()
    assert (job.state, job.attempts) == (State.DONE, 1)
    assert list(job.events.values_list("kind", flat=True)) == ["number", "job_done"]


def test_what_is_nobodys_fault_on_postgresql() -> None:
    def passes(cause: Exception) -> bool:
        error = OperationalError("said in the language of the server")
        error.__cause__ = cause
        return is_temporary(error)

    errors = psycopg.errors
    assert passes(errors.DeadlockDetected())
    assert passes(errors.SerializationFailure())
    assert passes(errors.LockNotAvailable())
    assert passes(errors.AdminShutdown())
    assert passes(errors.TooManyConnections())
    assert passes(errors.ConnectionFailure())
    assert passes(psycopg.OperationalError())  # the line went dead, which has no code
    assert not passes(errors.DiskFull())
    assert not passes(errors.ProgramLimitExceeded())


def test_bad_data_is_somebodys_fault() -> None:
    error = DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes")
    error.__cause__ = psycopg.DataError()
    assert not is_temporary(error)
    assert not is_temporary(ValueError("locked"))


def test_two_jobs_that_wait_for_each_other_both_finish(start: StartJob) -> None:
    """On PostgreSQL one of them is refused and put back; on SQLite the second begins after the first."""
    rows = [start() for _ in range(2)]
    both = threading.Barrier(2)

    @job_handler("crossing")
    def crossing(job: Job) -> None:
        if job.attempts == 1 and connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET deadlock_timeout=20")
        first, second = rows if job.counters["forth"] else reversed(rows)
        with transaction.atomic():
            first.emit("number", "1")
            if job.attempts == 1 and connection.vendor == "postgresql":
                both.wait(10)
            second.emit("number", "2")

    def work(job: Job) -> None:
        try:
            perform(str(job.pk))
        finally:
            connection.close()

    jobs = [start("crossing", counters={"forth": forth}) for forth in (True, False)]
    threads = [threading.Thread(target=work, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for job in jobs:
        perform(str(job.pk))  # by whoever the watchdog wakes
        job.refresh_from_db()
        assert (job.state, job.stalls) == (State.DONE, 0)
    for row in rows:
        assert list(row.events.values_list("seq", flat=True)) == [1, 2]


def cut_the_line() -> None:
    """What a restart of the server does to this connection."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no line to cut")
    with pytest.raises(OperationalError), connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")


def test_a_job_whose_line_is_cut_is_put_back_and_finishes(start: StartJob) -> None:
    @job_handler("cut off")
    def cut_off(job: Job) -> None:
        if job.attempts == 1:
            cut_the_line()
        job.emit("number", "1", sure_of_lease=job.lease_by)

    job = start("cut off")
    for state in (State.QUEUED, State.DONE):
        perform(str(job.pk))
        job.refresh_from_db()
        assert job.state == state
    assert (job.attempts, job.stalls) == (2, 0)


def test_a_watchdog_whose_line_is_cut_looks_again(caplog: pytest.LogCaptureFixture) -> None:
    dog = Watchdog()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as dog.cluster:
        dog.look()
        WorkerBeat.objects.all().delete()
        cut_the_line()
        dog.look()
        assert "did not answer" in caplog.text
        dog.look()
        assert WorkerBeat.objects.filter(name=dog.name).exists()
