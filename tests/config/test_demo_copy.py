"""A copy of the demo thesis of one's own, by page, API and command (SPEC P7)."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse

from citations.badges import badge_of
from citations.models import Citation
from config.demo.install import KIND, TITLE, copy_demo, install
from jobs.models import Job, State
from jobs.work import perform
from projects.command import find_or_make_project
from projects.models import Project, User
from research.models import Run
from tests.people import signed_in

pytestmark = pytest.mark.django_db


def test_a_new_account_chooses_how_to_start(outsider: User) -> None:
    page = signed_in(outsider).get("/").content.decode()
    for address in (reverse("projects:create"), reverse("thesis:bring"), reverse("demo")):
        assert f'"{address}"' in page
    assert signed_in(outsider).get(reverse("demo")).status_code == 200


def test_one_click_makes_one_copy_and_a_second_click_shows_it(outsider: User) -> None:
    client = signed_in(outsider)
    answer = client.post(reverse("demo"))
    project = Project.objects.get()
    assert answer.headers["Location"] == reverse("demo_copy", args=[project.pk])
    assert (project.title, project.owner) == (TITLE, outsider)
    assert client.post(reverse("demo")).headers["Location"] == answer.headers["Location"]
    assert Project.objects.count() == 1
    page = client.get(answer.headers["Location"]).content.decode()
    assert "Waiting for a worker" in page
    assert "Stop" in page
    assert "Waiting for a worker" in client.get(reverse("demo_copy_progress", args=[project.pk])).content.decode()


def test_it_can_be_stopped_and_keeps_what_is_there(outsider: User) -> None:
    client, job = signed_in(outsider), copy_demo(outsider)
    client.post(reverse("demo_copy_stop", args=[job.project_id]))
    job.refresh_from_db()
    assert job.state == State.CANCELLED
    page = client.get(reverse("demo_copy", args=[job.project_id])).content.decode()
    assert "Stopped before everything was made" in page
    assert reverse("projects:delete", args=[job.project_id]) in page


def test_the_api_and_the_command_make_the_same(outsider: User, other: User) -> None:
    answer = signed_in(outsider).post("/api/demo", content_type="application/json")
    assert answer.status_code == 202
    assert Job.objects.get(pk=answer.json()["job"]).project == Project.objects.get(pk=answer.json()["project"])
    out = StringIO()
    call_command("demo", user=other.email, stdout=out)
    made = Project.objects.get(pk=out.getvalue().split()[-1])
    assert made.owner == other
    assert made.is_demo
    with pytest.raises(CommandError):
        call_command("demo", user="nobody@example.org")


@pytest.fixture
def other() -> User:
    return User.objects.create_user("other@example.org", None)


def test_commands_still_mean_the_thesis_of_the_demo_user(outsider: User) -> None:
    first = install()
    copy_demo(outsider)
    assert find_or_make_project("demo", "") == first


def test_strangers_and_readers_cannot(outsider: User, other: User) -> None:
    project = copy_demo(outsider).project
    project.memberships.create(user=User.objects.create_user("r@example.org", None), role="reader")
    stranger, reader = signed_in(other), signed_in(User.objects.get(email="r@example.org"))
    for name in ("demo_copy", "demo_copy_progress"):
        assert stranger.get(reverse(name, args=[project.pk])).status_code == 404
        assert reader.get(reverse(name, args=[project.pk])).status_code == 200
    assert stranger.post(reverse("demo_copy_stop", args=[project.pk])).status_code == 404
    assert reader.post(reverse("demo_copy_stop", args=[project.pk])).status_code == 403
    assert signed_in(outsider).get(reverse("demo_copy_stop", args=[project.pk])).status_code == 405
    assert signed_in(outsider).put(reverse("demo")).status_code == 405


def test_another_thesis_is_no_copy(project: Project, owner: User) -> None:
    assert signed_in(owner).get(reverse("demo_copy", args=[project.pk])).status_code == 404


def test_the_job_shows_the_product(transactional_db: Any, settings: Any) -> None:
    """Verdicts of every kind, data, and a finished run of this machine; doing it again adds nothing."""
    settings.R_PLUMBER_URLS = []
    user = User.objects.create_user("new@example.org", None)
    job = copy_demo(user)
    perform(str(job.pk))
    job.refresh_from_db()
    assert (job.state, job.progress) == (State.DONE, job.progress_total)
    rows = {row.cite_key: row for row in Citation.objects.filter(project=job.project)}
    said = {key: badge_of(rows[key]).words for key in ("sterne2020", "mehra2020lancet", "crash2005", "halvorsen2021")}
    assert said == {
        "sterne2020": "Demo catalogue",
        "mehra2020lancet": "Retracted, demo catalogue",
        "crash2005": "Conflict, demo catalogue",
        "halvorsen2021": "Not found, demo catalogue",
    }
    assert badge_of(rows["recovery2020hcq"]).words == "Not looked up yet"
    assert not any(name in row.reason for row in rows.values() for name in ("Crossref", "PubMed"))
    run = Run.objects.get(project=job.project)
    assert run.job.state == State.DONE
    assert run.only_quotes
    assert run.findings.exists()
    assert job.project.datasets.count() == 2
    Job.objects.filter(pk=job.pk).update(state=State.QUEUED)
    perform(str(job.pk))
    assert Run.objects.filter(project=job.project).count() == 1
    assert Job.objects.filter(project=job.project, kind=KIND).count() == 1
    page = signed_in(user).get(reverse("demo_copy", args=[job.project_id])).content.decode()
    assert "a finished run" in page
    assert "R did not answer" in page
