"""One row for everything long, and the events it tells (SPEC P1, P2, N7; docs/decisions/jobs.md)."""

import json
import uuid
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple, Self

from django.db import connection, models, transaction
from django.db.models import Q
from django.dispatch import Signal
from django.utils import timezone
from django_q.tasks import async_task

from core.fast_sql import change, insert
from jobs.notify import nudge
from projects.models import Project, User

LEASE = timedelta(seconds=15)
HEARTBEAT = 5.0  # seconds between renewals of the lease
# Attempts in a row that told nothing new before a job is given up. Many: a machine that is switched off again and
# again is not the job's fault, and only a job that kills its own worker gets that far.
STALLS = 12

# Sender Job, with `job`; in the transaction that ended it, so that a receiver that raises undoes the end.
job_ended = Signal()


class State(models.TextChoices):
    QUEUED = "queued", "Waiting to start"
    RUNNING = "running", "Running"
    PAUSED = "paused", "Paused"
    WAITING = "waiting", "Waiting for you"
    DONE = "done", "Done"
    FAILED = "failed", "Stopped"
    CANCELLED = "cancelled", "Cancelled"


# What the stream says when a job comes to rest and no better sentence is known.
SAID = {
    State.DONE: "Done.",
    State.PAUSED: "Paused. Everything found so far is kept.",
    State.WAITING: "Waiting for you.",
    State.FAILED: "Stopped. Everything found so far is kept.",
    State.CANCELLED: "Stopped. Everything found so far is kept.",
}
ENDED = (State.DONE, State.FAILED, State.CANCELLED)
IDLE = (State.PAUSED, State.WAITING)


class JobSignal(Exception):
    """How a job's function ends a job otherwise than by returning: in `state`."""

    state = State.FAILED


class LeaseLost(JobSignal):
    """Another worker has taken the job over; this one must write nothing more."""


class Told(NamedTuple):
    """What an event says (JobEvent)."""

    kind: str
    text: str
    node: str = ""
    phase: str = ""
    counters: dict[str, Any] = {}
    details: dict[str, Any] = {}


class Held(NamedTuple):
    """How the row of a job stands that is locked until the transaction ends."""

    last_seq: int
    lease_by: str
    wanted: str
    counters: str  # JSON


class JobQuerySet(models.QuerySet["Job"]):
    def visible_to(self, user: Any) -> Self:
        return self.filter(project__in=Project.objects.visible_to(user))

    def alive(self) -> Self:
        """Jobs that run or wait for a worker."""
        return self.filter(state__in=[State.QUEUED, State.RUNNING])

    def lost(self) -> Self:
        """Running jobs whose worker let the lease expire: it was killed, or hangs."""
        return self.filter(state=State.RUNNING, lease_until__lt=timezone.now())

    def start(self, *, project: Project, kind: str, subject: uuid.UUID, user: User, enqueue: bool = True) -> "Job":
        """Return a queued job, handed to a worker once the surrounding transaction has committed.

        `subject` is the id of the row the job works on (a Run, say). `enqueue` False is for commands that do
        the work themselves in the foreground.
        """
        job: Job = self.create(project=project, kind=kind, subject=subject, created_by=user)
        if enqueue:
            job.enqueue()
        return job


class Job(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=40)
    subject = models.UUIDField(db_index=True)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="jobs")
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    wanted = models.CharField(max_length=6, blank=True)  # "pause" or "cancel", asked of a running job
    reason = models.TextField(blank=True)  # the sentence people read when it stopped
    progress = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(default=0)

    attempts = models.PositiveIntegerField(default=0)  # written before the work starts
    stalls = models.PositiveIntegerField(default=0)  # attempts in a row that told nothing new
    seq_at_claim = models.PositiveIntegerField(default=0)
    lease_by = models.CharField(max_length=64, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    queued_at = models.DateTimeField(default=timezone.now)
    woken_at = models.DateTimeField(null=True, blank=True)  # when the watchdog last woke a worker for it

    last_seq = models.PositiveIntegerField(default=0)
    counters = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["state", "lease_until"]), models.Index(fields=["project", "state"])]

    def __str__(self) -> str:
        return f"{self.kind} {self.id} ({self.state})"

    @property
    def is_alive(self) -> bool:
        return self.state in (State.QUEUED, State.RUNNING)

    @property
    def has_ended(self) -> bool:
        return self.state in ENDED

    def enqueue(self) -> None:
        """Wake a worker up once what was written is committed. Waking it twice is harmless: one claims."""
        job_id = str(self.pk)
        transaction.on_commit(lambda: async_task("jobs.work.perform", job_id, task_name=f"{self.kind} {job_id[:8]}"))

    # Telling

    def emit(
        self,
        kind: str,
        text: str,
        *,
        node: str = "",
        phase: str = "",
        counters: dict[str, Any] | None = None,
        details: dict[str, Any] | None = None,
        sure_of_lease: str = "",
    ) -> "JobEvent":
        """Append one event: a sentence for people, and for programs the counters that changed. Raises as `hold` does."""
        # Without a savepoint: whoever catches LeaseLost has nothing left to write.
        with transaction.atomic(savepoint=False):
            held = self.hold(sure_of_lease=sure_of_lease)
            self.tell([Told(kind, text, node, phase, counters or {}, details or {})], held)
        return self.events.get(seq=held.last_seq + 1)

    def hold(self, *, sure_of_lease: str = "") -> Held:
        """Lock the row of this job until the transaction ends.

        Raises LeaseLost when `sure_of_lease` names a lease that somebody else has taken over since, or when the job
        was deleted.
        """
        # Written by hand: every step of a run asks this, and putting it together anew takes longer than answering it.
        lock = connection.ops.for_update_sql(no_key=True) if connection.features.has_select_for_update else ""
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT last_seq, lease_by, wanted, counters FROM jobs_job WHERE id = %s {lock}",
                [Job._meta.pk.get_db_prep_value(self.pk, connection)],
            )
            row = cursor.fetchone()
        if row is None or (sure_of_lease and row[1] != sure_of_lease):
            raise LeaseLost
        return Held(*row)

    def tell(self, told: Sequence[Told], held: Held) -> None:
        """Append events, in their order, in the transaction that holds the job's row.

        The row is locked while the numbers are taken, so events become visible in the order of their numbers and a
        reader that has seen n never misses n+1 (SPEC P2).
        """
        counted = {name: value for one in told for name, value in one.counters.items()}
        changed: dict[str, Any] = {"last_seq": held.last_seq + len(told)}
        if counted:
            changed["counters"] = json.loads(held.counters) | counted
        change(Job, self.pk, changed)
        now = timezone.now()
        insert(
            JobEvent,
            ("job_id", "seq", "at", *Told._fields),
            ((self.pk, seq, now, *one) for seq, one in enumerate(told, start=held.last_seq + 1)),
        )
        transaction.on_commit(partial(nudge, self.pk))
        for name, value in changed.items():
            setattr(self, name, value)

    def come_to_rest(self, to: State, reason: str = "", **held: Any) -> bool:
        """Move to `to` and say so, with what its kind leaves at an end, all or nothing.

        Only if the row still is as `held` says, in the words of a filter (lease_by=..., state__in=...); else
        False, and nothing is written.
        """
        with transaction.atomic():
            row = Job.objects.select_for_update().filter(pk=self.pk).values("wanted").first()
            if row and row["wanted"] == "cancel" and to in IDLE:
                to = State.CANCELLED  # asked for while the pause was being obeyed
            if not Job.objects.filter(pk=self.pk, **held).update(
                state=to,
                wanted="",
                reason=reason,
                lease_by="",
                lease_until=None,
                ended_at=timezone.now() if to in ENDED else None,
            ):
                return False
            self.refresh_from_db()
            self.emit(f"job_{to}", reason or SAID[to])
            if to in ENDED:
                job_ended.send(Job, job=self)
        return True

    # What people ask of it

    def ask(self, wanted: str) -> bool:
        """Ask for "pause" or "cancel". False when the job has ended or, for a pause, does not run.

        A job no worker holds changes at once; a running one at its next step.
        """
        state = State.PAUSED if wanted == "pause" else State.CANCELLED
        open_to = [State.QUEUED] if wanted == "pause" else [State.QUEUED, *IDLE]
        with transaction.atomic():
            if self.come_to_rest(state, state__in=open_to):
                return True
            # A cancel overrules a pause that was asked for and not yet obeyed; never the other way round.
            held = Q(wanted="") | Q(wanted=wanted) if wanted == "pause" else Q()
            asked = Job.objects.filter(held, pk=self.pk, state=State.RUNNING).update(wanted=wanted)
            self.refresh_from_db()
            return bool(asked)

    def resume(self) -> bool:
        """Put a paused or waiting job back into the queue. False when it is neither."""
        return self._queue_again(IDLE, "job_resumed", "Resumed. It goes on where it stopped.", queued_at=timezone.now())

    def reopen(self) -> bool:
        """Put a job that has ended back into the queue, for more work on the same thing. False when it has not ended."""
        # How long it works is counted anew: the days in between are no work.
        return self._queue_again(
            ENDED,
            "job_reopened",
            "Opened again. What there was stays as it is.",
            reason="",
            queued_at=timezone.now(),
            started_at=None,
            ended_at=None,
        )

    def _queue_again(self, states: Sequence[State], kind: str, said: str, **fields: Any) -> bool:
        with transaction.atomic():
            moved = Job.objects.filter(pk=self.pk, state__in=states).update(
                state=State.QUEUED, wanted="", stalls=0, **fields
            )
            if moved:
                self.refresh_from_db()
                self.emit(kind, said)
                self.enqueue()
        return bool(moved)

    def count_as_done(self) -> None:
        """What the job was made for is done and stays so, although what it was opened again for was not."""
        Job.objects.filter(pk=self.pk, state__in=ENDED).update(state=State.DONE, reason="")
        self.refresh_from_db()


def hold_jobs(project: Project, **_: Any) -> None:
    """Lock the jobs of a project that is being deleted: what they write waits until it is gone, and finds them gone."""
    list(Job.objects.select_for_update().filter(project=project).order_by("pk").values_list("pk"))


class JobEvent(models.Model):
    """One thing that happened, numbered without gaps within its job. Never changed, never deleted."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="events")
    seq = models.PositiveIntegerField()
    at = models.DateTimeField(default=timezone.now)
    kind = models.CharField(max_length=60)
    text = models.TextField()
    node = models.CharField(max_length=20, blank=True)
    phase = models.CharField(max_length=20, blank=True)
    counters = models.JSONField(default=dict)
    details = models.JSONField(default=dict)

    class Meta:
        ordering = ["seq"]
        constraints = [models.UniqueConstraint(fields=["job", "seq"], name="one_event_per_number")]

    def __str__(self) -> str:
        return f"{self.seq} {self.kind}"


class ComputeSlot(models.Model):
    """A place for heavy work: CAPACITY places for all processes together (SPEC N7; jobs/compute_slots.py).

    The row is there while a job holds or awaits its places; `places` 0 means it stands in line.
    """

    job = models.OneToOneField(Job, on_delete=models.CASCADE, related_name="slot", primary_key=True)
    needs = models.PositiveSmallIntegerField()
    places = models.PositiveSmallIntegerField(default=0)
    asked_at = models.DateTimeField(default=timezone.now)
    lease_until = models.DateTimeField()

    class Meta:
        ordering = ["asked_at"]

    def __str__(self) -> str:
        return f"{self.job_id}: {self.places} of {self.needs}"


class WorkerBeat(models.Model):
    """A worker's sign of life, renewed every few seconds by its watchdog."""

    name = models.CharField(max_length=80, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
