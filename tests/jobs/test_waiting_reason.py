"""What a queued job waits for is said (SPEC N7)."""

from datetime import timedelta

import pytest
from django.utils import timezone

from jobs.models import Job, State, WorkerBeat
from jobs.waiting_reason import queue_note
from projects.models import Project, User

pytestmark = pytest.mark.django_db


def a_job(project: Project, owner: User, state: State = State.QUEUED) -> Job:
    job: Job = Job.objects.start(project=project, kind="research", subject=project.pk, user=owner, enqueue=False)
    Job.objects.filter(pk=job.pk).update(state=state)
    job.refresh_from_db()
    return job


def test_without_a_worker_nothing_starts(project: Project, owner: User) -> None:
    WorkerBeat.objects.create(name="old", at=timezone.now() - timedelta(minutes=5))
    assert queue_note(a_job(project, owner)).startswith("No worker of this site is running")


def test_it_is_said_what_is_before_it(project: Project, owner: User) -> None:
    WorkerBeat.objects.create(name="w", at=timezone.now())
    first = a_job(project, owner)
    assert queue_note(first) == "It starts in a moment."
    second = a_job(project, owner)
    a_job(project, owner, State.RUNNING)
    a_job(project, owner, State.DONE)
    assert queue_note(second) == ("It waits for a free worker: 1 running and 1 queued before it. It starts by itself.")


@pytest.mark.parametrize("state", [State.RUNNING, State.DONE, State.PAUSED])
def test_one_that_has_started_has_no_note(project: Project, owner: User, state: State) -> None:
    assert queue_note(a_job(project, owner, state)) == ""
