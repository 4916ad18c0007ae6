"""Why a job that is queued has not started yet, for the person who waits for it (SPEC N7)."""

from datetime import timedelta

from django.utils import timezone

from jobs.models import Job, State, WorkerBeat

BEAT_AGE = timedelta(seconds=30)  # a worker that has not reported for longer is taken for stopped


def worker_is_running() -> bool:
    """Return whether a worker has reported within the last 30 seconds."""
    return bool(WorkerBeat.objects.filter(at__gt=timezone.now() - BEAT_AGE).exists())


def queue_note(job: Job) -> str:
    """Return what `job` waits for, as a sentence; "" unless it is queued. Takes at most three queries."""
    if job.state != State.QUEUED:
        return ""
    if not worker_is_running():
        return "No worker of this site is running at the moment. It starts by itself once one does."
    before = Job.objects.filter(state=State.QUEUED, queued_at__lt=job.queued_at).count()
    running = Job.objects.filter(state=State.RUNNING).count()
    if not running and not before:
        return "It starts in a moment."
    busy = [f"{running} running" if running else "", f"{before} queued before it" if before else ""]
    return f"It waits for a free worker: {' and '.join(filter(None, busy))}. It starts by itself."
