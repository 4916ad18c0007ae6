"""Compute slots: a limit on concurrent heavy jobs, shared by all processes through the database (SPEC N7).

There are CAPACITY slots: a build takes 2, an analysis 1. At most QUEUE jobs wait, first come first served; the next
one is refused as busy. Slots are leased, so those of a killed worker are freed automatically.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic, sleep

from django.db import connection, transaction
from django.db.models import Sum
from django.utils import timezone

from core.errors import Refused
from jobs.lease import LEASE
from jobs.models import ComputeSlot, Job
from jobs.work import raise_if_stopped

CAPACITY = 3
QUEUE = 5
_PLACES = 7_325_001  # id of the PostgreSQL advisory lock below, used for nothing else


class QueueFull(Refused):
    """Too many jobs are waiting already, or no slot became free in time."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="busy", status=429)


def request_slots(job: Job, needs: int) -> ComputeSlot:
    """Request `needs` slots (1 to CAPACITY) for `job`. Requesting again keeps its position in the queue.

    Raises QueueFull if QUEUE jobs are waiting already.
    """
    if not 1 <= needs <= CAPACITY:
        raise ValueError(f"A job takes 1 to {CAPACITY} slots, not {needs}.")
    now = timezone.now()
    with transaction.atomic():
        _lock()
        ComputeSlot.objects.filter(lease_until__lt=now).exclude(job=job).delete()
        waiting = ComputeSlot.objects.filter(places=0).exclude(job=job).count()
        if waiting >= QUEUE and not ComputeSlot.objects.filter(job=job).exists():
            raise QueueFull(f"The queue is full: {waiting} jobs are waiting. Try again in a few minutes.")
        asked = {"needs": needs, "lease_until": now + LEASE}
        return ComputeSlot.objects.update_or_create(
            job=job, defaults=asked, create_defaults={**asked, "asked_at": now}
        )[0]


def take_slots(job: Job) -> bool:
    """Take the requested slots if they are free and no other job is first; return whether `job` holds them.

    Renews the lease either way.
    """
    now = timezone.now()
    with transaction.atomic():
        _lock()
        ComputeSlot.objects.filter(lease_until__lt=now).exclude(job=job).delete()
        ComputeSlot.objects.filter(job=job).update(lease_until=now + LEASE)
        slot = ComputeSlot.objects.filter(job=job).first()
        if slot is None:
            return False
        if slot.places:
            return True
        first = ComputeSlot.objects.filter(places=0).order_by("asked_at", "pk").first()
        used = ComputeSlot.objects.aggregate(used=Sum("places"))["used"] or 0
        if first != slot or used + slot.needs > CAPACITY:
            return False
        ComputeSlot.objects.filter(job=job).update(places=slot.needs)
    return True


def free_slots(job: Job) -> None:
    """Free the slots of `job`, unless its lease was lost: then another attempt of the job is using them."""
    with transaction.atomic():
        _lock()
        ComputeSlot.objects.filter(job=job, job__lease_by=job.lease_by).delete()


def ahead_of(job: Job) -> list[str]:
    """Return the kinds of the jobs that hold slots or wait before `job`, oldest first."""
    slots = list(ComputeSlot.objects.filter(lease_until__gte=timezone.now()).select_related("job"))
    mine = next((slot for slot in slots if slot.job_id == job.pk), None)
    if mine is not None and mine.places:
        return []
    return [
        slot.job.kind
        for slot in slots
        if slot is not mine and (mine is None or slot.places or (slot.asked_at, slot.pk) < (mine.asked_at, mine.pk))
    ]


@contextmanager
def hold_slots(
    job: Job,
    needs: int,
    *,
    tell: Callable[[list[str]], None] = lambda kinds: None,
    insists: bool = False,
    poll: float = 0.25,
    patience: float = 3600.0,
) -> Iterator[None]:
    """Hold `needs` slots during the block. Waits at most `patience` seconds, checking every `poll` seconds.

    `tell` is called with the kinds of the jobs ahead whenever their number changes. Pause and cancel work while
    waiting. Raises QueueFull if the queue is full, unless `insists` (for a job that was accepted before), and when
    `patience` runs out.
    """
    told, until = 0, monotonic() + patience
    try:
        while not _try_to_take(job, needs, insists=insists):
            raise_if_stopped(job)
            ahead = ahead_of(job)
            if ahead and len(ahead) != told:
                told = len(ahead)
                tell(ahead)
            if monotonic() > until:
                raise QueueFull("No compute slot became free within an hour. Start this again later.")
            sleep(poll)
        yield
    finally:
        free_slots(job)


def _try_to_take(job: Job, needs: int, *, insists: bool) -> bool:
    """Try to take the slots and return whether `job` holds them.

    Requests them first if the job has no row in the queue, also if its row expired because the machine was asleep.
    """
    if not ComputeSlot.objects.filter(job=job).exists():
        try:
            request_slots(job, needs)
        except QueueFull:
            if not insists:
                raise
            return False
    return take_slots(job)


def _lock() -> None:
    """Lock slot allocation for this process until its transaction ends.

    On SQLite the immediate transaction is already exclusive. PostgreSQL needs an advisory lock, since there are no
    rows to lock before the first job requests slots.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_PLACES])
