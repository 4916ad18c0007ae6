from collections.abc import Callable
from uuid import uuid4

import pytest

import tests.servers.counting.tasks  # noqa: F401  registers the kind "counting"
from jobs.models import Job
from projects.models import Project, User

StartJob = Callable[..., Job]


@pytest.fixture
def start(project: Project, owner: User) -> StartJob:
    """Starts a job of Asha's thesis: `start(kind, **fields)`. Not enqueued unless it says so."""

    def start_job(kind: str = "counting", *, enqueue: bool = False, **fields: object) -> Job:
        job: Job = Job.objects.start(project=project, kind=kind, subject=uuid4(), user=owner, enqueue=enqueue)
        if fields:
            Job.objects.filter(pk=job.pk).update(**fields)
            job.refresh_from_db()
        return job

    return start_job
