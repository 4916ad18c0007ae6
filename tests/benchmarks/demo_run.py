"""The demo question, from Start to the report, by the worker (SPEC P7)."""

from statistics import median

from config.demo.install import EMAIL, QUESTION
from jobs.models import Job, State
from projects.models import Project, User
from research.models import Run
from tests.benchmarks.figure import Figure
from tests.servers.processes import until
from tests.start_run import start_run

TARGET = 20.0
TIMES = 3
LONG = 180.0


def one_run() -> Run:
    """A run of the demo question, with all files of the demo thesis, that is done."""
    project = Project.objects.get(is_demo=True)
    files = list(project.context_files.values_list("pk", flat=True))
    run = start_run(project, User.objects.get(email=EMAIL), QUESTION, profile="local-only", file_ids=files)
    until(lambda: Job.objects.get(pk=run.job_id).has_ended, LONG, "the demo run")
    job = Job.objects.get(pk=run.job_id)
    if job.state != State.DONE:
        raise RuntimeError(f"The demo run ended as {job.state}: {job.reason}")
    return Run.objects.select_related("job").get(pk=run.pk)


def whole(job: Job) -> float:
    """Seconds from Start to the end of a job that has ended."""
    return (job.ended_at - job.created_at).total_seconds() if job.ended_at else 0.0


def waited(job: Job) -> float:
    """Seconds until a worker began."""
    return (job.started_at - job.created_at).total_seconds() if job.started_at else 0.0


def measure(address: str) -> list[Figure]:
    jobs = [one_run().job for _ in range(TIMES)]
    return [
        Figure("demo question to report", median(map(whole, jobs)), "s", TARGET, f"median of {TIMES}"),
        Figure("of which waiting for a worker", median(map(waited, jobs)) * 1000, "ms"),
    ]
