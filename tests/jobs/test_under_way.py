"""The top bar names the jobs under way, and stops when they have ended."""

import pytest
from django.test import Client

from jobs.models import Job, State
from projects.models import Project, User
from tests.people import signed_in

pytestmark = pytest.mark.django_db
ASKED = "/jobs/under-way/"


def bar(user: User) -> str:
    return str(signed_in(user).get(ASKED).content.decode())


def test_while_there_are_jobs_it_counts_them_and_asks_again(project: Project, owner: User) -> None:
    first = Job.objects.start(project=project, kind="build", subject=project.pk, user=owner, enqueue=False)
    assert "1 job<" in bar(owner)
    assert "1 job<" in signed_in(owner).get("/").content.decode(), "as in the bar of a page"
    second = Job.objects.start(project=project, kind="research", subject=project.pk, user=owner, enqueue=False)
    assert "2 jobs<" in bar(owner)
    first.change_state(State.DONE)
    assert "1 research run<" in bar(owner)
    assert f'hx-get="{ASKED}"' in bar(owner)
    second.change_state(State.DONE)
    assert bar(owner).strip() == "", "nothing is left that would ask again"


def test_it_is_for_members_and_for_reading(project: Project, owner: User, outsider: User) -> None:
    Job.objects.start(project=project, kind="build", subject=project.pk, user=owner, enqueue=False)
    assert bar(outsider).strip() == ""
    assert signed_in(owner).post(ASKED).status_code == 405
    assert Client().get(ASKED).status_code == 302
