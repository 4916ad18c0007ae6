"""Running a job: claim it, renew its lease, call its handler, and save how it ended.

`perform` is the only task django-q2 runs. It may be called any number of times for the same job, since only one call
can claim it. A handler raises a signal to end a job otherwise than done: Paused, Cancelled, WaitsForUser (waits for the
user) or Stopped (failed, with a sentence for the user).

Commands run a job in the foreground (`run_in_foreground`): events are passed on as they happen, and Ctrl+C stops the
job.
"""

import logging
import os
import signal
import socket
import threading
import time
import uuid
from collections.abc import Callable

from django.db import Error as DatabaseError
from django.db import OperationalError, connection, transaction
from django.db.models import Q
from django.utils import timezone

from core.db_errors import is_deleted, is_temporary
from jobs.lease import LEASE, heartbeat
from jobs.models import STALLS, Job, JobEvent, JobSignal, LeaseLost, State
from jobs.registry import function_for

log = logging.getLogger("scholium.jobs")


class Paused(JobSignal):
    """The user paused the job."""

    state = State.PAUSED


class Cancelled(JobSignal):
    """The user cancelled the job."""

    state = State.CANCELLED


class WaitsForUser(JobSignal):
    """The job waits for the user; the message says for what."""

    state = State.WAITING


class Stopped(JobSignal):
    """The job failed for a known reason; the message tells the user what happened, what is safe and what to do."""


def perform(job_id: str) -> None:
    """Run the job if it can be claimed. Never raises for errors of the job's handler."""
    job = claim(job_id, f"{socket.gethostname()[:40]}:{os.getpid()}:{uuid.uuid4().hex[:8]}")
    if job is None:
        return
    if job.stalls >= STALLS:
        end(job, State.FAILED, f"Stopped {STALLS} times in a row at the same place. What was found is kept.")
        return
    with heartbeat(job):
        try:
            function_for(job.kind)(job)
        except LeaseLost:
            log.warning("job %s: the lease was lost; another worker continues", job_id)
        except JobSignal as ended:
            end(job, ended.state, str(ended))
        except Exception as error:
            if isinstance(error, OperationalError) or is_temporary(error):
                requeue(job, error)
            elif is_deleted(error) and not Job.objects.filter(pk=job.pk).exists():
                log.info("job %s: the thesis was deleted", job_id)
            else:
                log.exception("job %s failed", job_id)
                end(
                    job,
                    State.FAILED,
                    f"Something went wrong on our side (reference {str(job.pk)[:8]}). What was found is kept.",
                )
        else:
            end(job, State.DONE, "")


def claim(job_id: str, lease: str) -> Job | None:
    """Claim the job with `lease` and return it, or None if it cannot be claimed.

    The attempt is counted before the work starts, so that a job that kills its worker is not retried forever: an
    attempt after one without new events adds a stall, and STALLS stalls end the job.
    """
    now = timezone.now()
    free = Q(state=State.QUEUED) | Q(state=State.RUNNING, lease_until__lt=now)
    with transaction.atomic():
        job: Job | None = Job.objects.select_for_update().filter(free, pk=job_id).first()
        if job is None:
            return None
        retaken = job.state == State.RUNNING
        if retaken:
            job.stalls = job.stalls + 1 if job.last_seq <= job.seq_at_claim else 0
        job.state, job.lease_by, job.lease_until = State.RUNNING, lease, now + LEASE
        job.attempts += 1
        job.woken_at = None
        job.started_at = job.started_at or now
        job.seq_at_claim = job.last_seq + (1 if retaken else 0)  # the event emitted below is not progress
        job.save()
        if retaken:
            job.emit("job_recovered", "The worker was interrupted. Continuing from the last saved step.")
    return job


def end(job: Job, state: State, reason: str) -> None:
    """Save the end (or pause) of this attempt and emit its event, unless another worker holds the job now.

    A pause or cancel requested at the last moment of a job that is done has no effect.
    """
    job.change_state(state, reason, lease_by=job.lease_by, state=State.RUNNING)


def requeue(job: Job, error: Exception) -> None:
    """Put the job back into the queue after a database error; the watchdog wakes it up again.

    A busy or unreachable database does not count as a stall; after any other error the lease expires, which counts.
    No event is emitted, since the database is what failed; if this update fails too, the lease expires by itself.
    """
    log.warning("job %s: database trouble, going back to the queue: %s", job.pk, type(error).__name__)
    connection.close()
    back: dict[str, object] = {"lease_until": timezone.now()}
    if is_temporary(error):
        back = {"state": State.QUEUED, "lease_by": "", "lease_until": None, "queued_at": timezone.now() - LEASE}
    try:
        Job.objects.filter(pk=job.pk, lease_by=job.lease_by, state=State.RUNNING).update(**back)
    except DatabaseError:
        log.exception("job %s: could not be requeued; its lease will expire", job.pk)


def raise_if_stopped(job: Job) -> None:
    """Raise Paused, Cancelled or LeaseLost if the running `job` must stop. Makes one query."""
    row = Job.objects.filter(pk=job.pk).values("wanted", "lease_by", "state").first()
    if row is None or row["lease_by"] != job.lease_by:
        raise LeaseLost
    if row["wanted"]:
        raise Paused if row["wanted"] == "pause" else Cancelled


def set_progress(job: Job, done: int, total: int) -> None:
    """Save that `done` of `total` parts of the job are finished."""
    Job.objects.filter(pk=job.pk).update(progress=done, progress_total=total)


_LOOK = 0.1  # seconds between two checks for new events
_AGAIN = 1.0  # seconds until a job is retried that was requeued because the database was busy


def run_in_foreground(job: Job, tell: Callable[[JobEvent], None]) -> None:
    """Run `job` in this process until it stops; `tell` is called with its events in order, in a separate thread.

    Ctrl+C cancels the job at its next step, so that results are kept; a second Ctrl+C ends the process at once.
    """
    ended, wanted, news = threading.Event(), threading.Event(), threading.Event()

    def interrupted(signum: int, frame: object) -> None:
        wanted.set()
        news.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def follow() -> None:
        seen, asked = 0, False
        try:
            while True:
                last = ended.is_set()
                if wanted.is_set() and not asked:
                    asked = job.ask("cancel")
                for event in job.events.filter(seq__gt=seen):
                    tell(event)
                    seen = event.seq
                if last:
                    return
                news.wait(_LOOK)
                news.clear()
        finally:
            connection.close()

    teller = threading.Thread(target=follow, daemon=True)
    teller.start()
    before = signal.signal(signal.SIGINT, interrupted)
    try:
        perform(str(job.pk))
        while Job.objects.filter(pk=job.pk, state=State.QUEUED).exists():
            time.sleep(_AGAIN)
            perform(str(job.pk))
    finally:
        signal.signal(signal.SIGINT, before)
        ended.set()
        news.set()
        teller.join(5)
