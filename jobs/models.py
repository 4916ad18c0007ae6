"""Models of background jobs, their events and compute slots (SPEC P1, P2, N7; docs/decisions/jobs.md)."""

import json
import uuid
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple, Self

from django.db import connection, models, transaction
from django.db.models import Q
from django.dispatch import Signal
from django.utils import timezone
from django_q.tasks import async_task

from core.fast_sql import change, insert
from jobs.notify import notify_readers
from projects.models import Project, User

# Attempts in a row without a new event before a job fails. The limit is high, since a machine that is switched off
# repeatedly is not the job's fault; only a job that kills its own worker reaches it.
STALLS = 12

# Sender: Job; job: the job that ended. Sent inside the transaction, so a receiver that raises undoes the end.
job_ended = Signal()


class State(models.TextChoices):
    """States of a job. "waiting" means waiting for the user."""

    QUEUED = "queued", "Waiting to start"
    RUNNING = "running", "Running"
    PAUSED = "paused", "Paused"
    WAITING = "waiting", "Waiting for you"
    DONE = "done", "Done"
    FAILED = "failed", "Stopped"
    CANCELLED = "cancelled", "Cancelled"


# Event texts for a state change without a specific reason.
DEFAULT_EVENT_TEXTS = {
    State.DONE: "Done.",
    State.PAUSED: "Paused. Everything found so far is kept.",
    State.WAITING: "Waiting for you.",
    State.FAILED: "Stopped. Everything found so far is kept.",
    State.CANCELLED: "Stopped. Everything found so far is kept.",
}
ENDED = (State.DONE, State.FAILED, State.CANCELLED)
IDLE = (State.PAUSED, State.WAITING)


class JobSignal(Exception):
    """Raised by a job handler to end the job in `state` instead of done."""

    state = State.FAILED


class LeaseLost(JobSignal):
    """Another worker has taken over the job; this one must not write anything more."""


class NewEvent(NamedTuple):
    """The content of a new JobEvent."""

    kind: str
    text: str
    node: str = ""
    phase: str = ""
    counters: dict[str, Any] = {}
    details: dict[str, Any] = {}


class LockedJob(NamedTuple):
    """The state of a job row that is locked until the transaction ends."""

    last_seq: int
    lease_by: str
    wanted: str
    counters: str  # JSON


class JobQuerySet(models.QuerySet["Job"]):
    """Queries for jobs."""

    def visible_to(self, user: Any) -> Self:
        """Return the jobs of the user's projects."""
        return self.filter(project__in=Project.objects.visible_to(user))

    def alive(self) -> Self:
        """Return the jobs that are running or waiting for a worker."""
        return self.filter(state__in=[State.QUEUED, State.RUNNING])

    def lost(self) -> Self:
        """Return the running jobs whose lease has expired, since their worker was killed or hangs."""
        return self.filter(state=State.RUNNING, lease_until__lt=timezone.now())

    def start(self, *, project: Project, kind: str, subject: uuid.UUID, user: User, enqueue: bool = True) -> "Job":
        """Create a queued job; a worker gets it once the surrounding transaction has committed.

        `subject` is the id of the object the job works on (a Run, for example). With `enqueue` False no worker gets
        it, for commands that run the job in the foreground.
        """
        job: Job = self.create(project=project, kind=kind, subject=subject, created_by=user)
        if enqueue:
            job.enqueue()
        return job


class Job(models.Model):
    """A background job of a project: its state, lease, progress and counters."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=40)
    subject = models.UUIDField(db_index=True)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="jobs")
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    wanted = models.CharField(max_length=6, blank=True)  # "pause" or "cancel", requested of a running job
    reason = models.TextField(blank=True)  # why it stopped, as a sentence for the user
    progress = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(default=0)

    attempts = models.PositiveIntegerField(default=0)  # counted before the work starts
    stalls = models.PositiveIntegerField(default=0)  # attempts in a row without a new event
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
        """Whether the job is running or waiting for a worker."""
        return self.state in (State.QUEUED, State.RUNNING)

    @property
    def has_ended(self) -> bool:
        """Whether the job is done, failed or cancelled."""
        return self.state in ENDED

    def enqueue(self) -> None:
        """Queue a task that wakes up a worker, after commit. Queueing twice is harmless: one worker claims the job."""
        job_id = str(self.pk)
        transaction.on_commit(lambda: async_task("jobs.work.perform", job_id, task_name=f"{self.kind} {job_id[:8]}"))

    # Events

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
        """Append an event: a sentence for the user, and the counters that changed. Raises the same errors as `hold`."""
        # No savepoint: after LeaseLost nothing more is written in this transaction.
        with transaction.atomic(savepoint=False):
            held = self.hold(sure_of_lease=sure_of_lease)
            self.tell([NewEvent(kind, text, node, phase, counters or {}, details or {})], held)
        return self.events.get(seq=held.last_seq + 1)

    def hold(self, *, sure_of_lease: str = "") -> LockedJob:
        """Lock the row of this job until the transaction ends, and return its state.

        Raises LeaseLost if the job was deleted, or if `sure_of_lease` is given and another worker has the lease now.
        """
        # Raw SQL: every step of a run does this, and building the query would take longer than running it.
        lock = connection.ops.for_update_sql(no_key=True) if connection.features.has_select_for_update else ""
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT last_seq, lease_by, wanted, counters FROM jobs_job WHERE id = %s {lock}",
                [Job._meta.pk.get_db_prep_value(self.pk, connection)],
            )
            row = cursor.fetchone()
        if row is None or (sure_of_lease and row[1] != sure_of_lease):
            raise LeaseLost
        return LockedJob(*row)

    def tell(self, told: Sequence[NewEvent], held: LockedJob) -> None:
        """Append events, in order, in the transaction that locked the job's row.

        The row stays locked while numbers are assigned, so events become visible in the order of their numbers, and a
        reader that has seen event n never misses n+1 (SPEC P2).
        """
        counted = {name: value for one in told for name, value in one.counters.items()}
        changed: dict[str, Any] = {"last_seq": held.last_seq + len(told)}
        if counted:
            changed["counters"] = json.loads(held.counters) | counted
        change(Job, self.pk, changed)
        now = timezone.now()
        insert(
            JobEvent,
            ("job_id", "seq", "at", *NewEvent._fields),
            ((self.pk, seq, now, *one) for seq, one in enumerate(told, start=held.last_seq + 1)),
        )
        transaction.on_commit(partial(notify_readers, self.pk))
        for name, value in changed.items():
            setattr(self, name, value)

    def change_state(self, to: State, reason: str = "", **held: Any) -> bool:
        """Move the job to the state `to`, emit an event and run the end handlers, in one transaction.

        `held` are filter arguments that the row must still match (lease_by=..., state__in=...). If it does not, write
        nothing and return False.
        """
        with transaction.atomic():
            row = Job.objects.select_for_update().filter(pk=self.pk).values("wanted").first()
            if row and row["wanted"] == "cancel" and to in IDLE:
                to = State.CANCELLED  # the user cancelled while the job was pausing
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
            self.emit(f"job_{to}", reason or DEFAULT_EVENT_TEXTS[to])
            if to in ENDED:
                job_ended.send(Job, job=self)
        return True

    # Requests by users

    def ask(self, wanted: str) -> bool:
        """Request "pause" or "cancel" and return whether that is possible in the current state.

        A job that no worker holds changes at once, a running job at its next step.
        """
        state = State.PAUSED if wanted == "pause" else State.CANCELLED
        open_to = [State.QUEUED] if wanted == "pause" else [State.QUEUED, *IDLE]
        with transaction.atomic():
            if self.change_state(state, state__in=open_to):
                return True
            # A cancel replaces a pending pause, but not the other way round.
            held = Q(wanted="") | Q(wanted=wanted) if wanted == "pause" else Q()
            asked = Job.objects.filter(held, pk=self.pk, state=State.RUNNING).update(wanted=wanted)
            self.refresh_from_db()
            return bool(asked)

    def resume(self) -> bool:
        """Put a paused or waiting job back into the queue. Return False if it is neither."""
        return self._queue_again(
            IDLE, "job_resumed", "Resumed. It continues where it stopped.", queued_at=timezone.now()
        )

    def reopen(self) -> bool:
        """Put an ended job back into the queue for more work on the same subject. Return False if it has not ended."""
        # The start time is reset, since the time in between was not spent working.
        return self._queue_again(
            ENDED,
            "job_reopened",
            "Reopened. Existing results are kept.",
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
        """Mark an ended job as done: its original work is complete, although the work it was reopened for is not."""
        Job.objects.filter(pk=self.pk, state__in=ENDED).update(state=State.DONE, reason="")
        self.refresh_from_db()


def hold_jobs(project: Project, **_: Any) -> None:
    """Lock the jobs of a project that is being deleted, so that their workers wait and then find the jobs deleted."""
    list(Job.objects.select_for_update().filter(project=project).order_by("pk").values_list("pk"))


class JobEvent(models.Model):
    """An event of a job, numbered without gaps. Append-only, and kept until the job is deleted."""

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
    """The compute slots a job holds or waits for (SPEC N7; jobs/compute_slots.py). `places` is 0 while it waits."""

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
    """The heartbeat of a worker, updated every few seconds by its watchdog."""

    name = models.CharField(max_length=80, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
