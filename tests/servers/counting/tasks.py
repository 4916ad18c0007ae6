from time import sleep

from jobs.compute_slots import hold_slots
from jobs.models import Job
from jobs.registry import job_handler
from jobs.work import raise_if_stopped, set_progress

PACE = 0.05  # seconds between two numbers in the first attempt, so that a test can interrupt it


@job_handler("counting")
def counting(job: Job) -> None:
    """Emit the numbers from 1 to `job.progress_total`; a later attempt goes on after the last number."""
    while (told := job.events.filter(kind="number").count()) < job.progress_total:
        raise_if_stopped(job)
        job.emit("number", str(told + 1), counters={"told": told + 1}, sure_of_lease=job.lease_by)
        set_progress(job, told + 1, job.progress_total)
        sleep(PACE if job.attempts == 1 else 0)


@job_handler("standing in")
def standing_in(job: Job) -> None:
    """Hold a slot for heavy work, as an analysis does, while counting to `job.progress_total`."""
    with hold_slots(job, 1, poll=0.05):
        counting(job)
