"""Places for heavy work, shared by every process through the database (SPEC N7).

CAPACITY places in all: a build takes 2, an analysis 1. At most QUEUE jobs stand in line, first come first
served; the next one is told "busy". Places are leased, so those of a killed worker come free by themselves.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic, sleep

from django.db import connection, transaction
from django.db.models import Sum
from django.utils import timezone

from core.errors import Refused
from jobs.models import LEASE, ComputeSlot, Job
from jobs.work import asked_of

CAPACITY = 3
QUEUE = 5
_PLACES = 7_325_001  # names PostgreSQL's lock below; nothing else in this database takes that number


class Busy(Refused):
    """Too many jobs stand in line already, or none of the places came free."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="busy", status=429)


def ask_for(job: Job, needs: int) -> ComputeSlot:
    """Stand in line for `needs` places (1 to CAPACITY). Asking again keeps the place in line.

    Raises Busy when QUEUE jobs wait already.
    """
    if not 1 <= needs <= CAPACITY:
        raise ValueError(f"A job takes 1 to {CAPACITY} places, not {needs}.")
    now = timezone.now()
    with transaction.atomic():
        _lock()
        ComputeSlot.objects.filter(lease_until__lt=now).exclude(job=job).delete()
        waiting = ComputeSlot.objects.filter(places=0).exclude(job=job).count()
        if waiting >= QUEUE and not ComputeSlot.objects.filter(job=job).exists():
            raise Busy(f"{waiting} jobs are ahead of yours and no more can wait. Please try again in some minutes.")
        asked = {"needs": needs, "lease_until": now + LEASE}
        return ComputeSlot.objects.update_or_create(
            job=job, defaults=asked, create_defaults={**asked, "asked_at": now}
        )[0]


def take(job: Job) -> bool:
    """Take the places asked for if they are free and nobody is ahead. Renews the lease either way."""
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


def give_back(job: Job) -> None:
    """Free the places of `job`, unless its lease was lost: then they are those of the attempt that goes on."""
    with transaction.atomic():
        _lock()
        ComputeSlot.objects.filter(job=job, job__lease_by=job.lease_by).delete()


def ahead_of(job: Job) -> list[str]:
    """Return the kinds of the jobs that hold places or stand in line before `job`, first the one that came first."""
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
def places(
    job: Job,
    needs: int,
    *,
    tell: Callable[[list[str]], None] = lambda kinds: None,
    insists: bool = False,
    poll: float = 0.25,
    patience: float = 3600.0,
) -> Iterator[None]:
    """Hold `needs` places for the block; waits at most `patience` seconds, looking every `poll` seconds.

    `tell` gets the kinds of the jobs that are ahead whenever their number changes. Pause and cancel are obeyed while
    waiting. Raises Busy as `ask_for`, unless the job `insists` since it was taken on before; and when patience runs out.
    """
    told, until = 0, monotonic() + patience
    try:
        while not _taken(job, needs, insists=insists):
            asked_of(job)
            ahead = ahead_of(job)
            if ahead and len(ahead) != told:
                told = len(ahead)
                tell(ahead)
            if monotonic() > until:
                raise Busy("No place came free within an hour. Please start it again later.")
            sleep(poll)
        yield
    finally:
        give_back(job)


def _taken(job: Job, needs: int, *, insists: bool) -> bool:
    """Return whether the places are taken now. Who is in no line stands in it, also when its place ran out: the machine slept."""
    if not ComputeSlot.objects.filter(job=job).exists():
        try:
            ask_for(job, needs)
        except Busy:
            if not insists:
                raise
            return False
    return take(job)


def _lock() -> None:
    """One process at a time decides about places, until its transaction ends.

    On SQLite the immediate transaction is the lock already. On PostgreSQL it is a number: rows would not do, since
    there are none to lock before the first job asks.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_PLACES])
