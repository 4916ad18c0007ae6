"""How long a worker has a job to itself, and the heartbeat that renews it. See docs/decisions/jobs.md."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import Error as DatabaseError
from django.db import connection
from django.utils import timezone

from jobs.models import ComputeSlot, Job, State

log = logging.getLogger("scholium.jobs")

LEASE = timedelta(seconds=15)
HEARTBEAT = 5.0  # seconds between renewals of the lease


@contextmanager
def heartbeat(job: Job) -> Iterator[None]:
    """Renew the lease in a separate thread during the block."""
    done = threading.Event()
    thread = threading.Thread(target=_beat, args=(job, done), name=f"heartbeat {job.pk}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(timeout=HEARTBEAT)


def _beat(job: Job, done: threading.Event) -> None:
    try:
        while not done.wait(HEARTBEAT):
            try:
                until = timezone.now() + LEASE
                if Job.objects.filter(pk=job.pk, lease_by=job.lease_by, state=State.RUNNING).update(lease_until=until):
                    ComputeSlot.objects.filter(job=job).update(lease_until=until)
            except DatabaseError:
                connection.close()  # a broken connection would make every later heartbeat fail too
                log.warning("job %s: missed a heartbeat, since the database did not answer", job.pk)
    finally:
        connection.close()
