"""The first steps in a thesis: done by what is in rows, put away by each person, gone when all are done."""

from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from citations.models import Citation
from contextfiles.upload import store_path
from jobs.models import Job
from projects.models import Project, User
from tests.people import signed_in
from thesis.first_steps import first_steps, put_away
from thesis.models import Build

HTMX = {"HX-Request": "true"}


def done(project: Project, owner: User) -> list[str]:
    return [step.name for step in first_steps(project, owner).steps if step.is_done]


def address(project: Project) -> str:
    return f"/projects/{project.pk}/first-steps/"


def test_each_step_is_done_by_what_is_there(project: Project, owner: User, tmp_path: Path) -> None:
    assert done(project, owner) == []
    section = project.sections.get(slug="results")
    section = section.write("Alder fixes nitrogen.", based_on=0, by=owner)
    assert done(project, owner) == ["write"]
    Citation.objects.create(project=project, cite_key="menon2019")
    assert done(project, owner) == ["write", "reference"]
    section.write(r"Alder fixes nitrogen \parencite[p.~3]{menon2019}.", based_on=section.version, by=owner)
    assert done(project, owner) == ["write", "reference", "cite"]
    note = tmp_path / "alder.md"
    note.write_text("Alder roots hold nitrogen.")
    store_path(project, owner, note)
    assert done(project, owner) == ["write", "reference", "cite", "upload"]
    job = Job.objects.start(project=project, kind="build", subject=project.pk, user=owner, enqueue=False)
    build = Build.objects.create(project=project, job=job, kind=Build.Kind.PDF)
    assert "build" not in done(project, owner)  # begun is not built
    build.output = "thesis.pdf"
    build.save()
    assert len(done(project, owner)) == 5
    assert not first_steps(project, owner).is_shown
    assert "Put away" not in signed_in(owner).get(address(project), headers=HTMX).content.decode()


def test_steps_cost_one_query(project: Project, owner: User) -> None:
    with CaptureQueriesContext(
        connection,
    ) as asked:
        first_steps(project, owner)
    assert len(asked) == 1


def test_it_is_put_away_and_brought_back_by_each_person(project: Project, owner: User, editor: User) -> None:
    client = signed_in(owner)
    assert "First steps, 0 of 5" in client.get(address(project), headers=HTMX).content.decode()
    assert "Write a sentence" not in client.post(address(project), {"shown": "no"}, headers=HTMX).content.decode()
    assert "Write a sentence" not in client.get(address(project), headers=HTMX).content.decode()
    assert "Write a sentence" in signed_in(editor).get(address(project), headers=HTMX).content.decode()
    assert "Show them beside the outline" in client.get(address(project)).content.decode()
    assert client.post(address(project), {"shown": "yes"}).status_code == 302
    assert "Write a sentence" in client.get(address(project), headers=HTMX).content.decode()
    assert address(project) in client.get(f"/projects/{project.pk}/settings/").content.decode()
    assert address(project) in client.get(f"/projects/{project.pk}/").content.decode()


def test_the_api_does_the_same(project: Project, owner: User) -> None:
    client, at = signed_in(owner), f"/api/projects/{project.pk}/first-steps"
    told = client.get(at).json()
    assert [step["name"] for step in told["steps"]] == ["write", "reference", "cite", "upload", "build"]
    assert told["is_shown"]
    told = client.put(at, {"is_put_away": True}, content_type="application/json").json()
    assert (told["is_put_away"], told["is_shown"]) == (True, False)


@pytest.mark.parametrize("person", ["reader", "supervisor"])
def test_only_who_may_write_has_them(project: Project, person: str, request: pytest.FixtureRequest) -> None:
    client = signed_in(request.getfixturevalue(person))
    assert client.get(address(project)).status_code == 403
    assert client.get(f"/api/projects/{project.pk}/first-steps").status_code == 403


def test_strangers_and_wrong_methods(project: Project, owner: User, outsider: User) -> None:
    assert signed_in(outsider).get(address(project)).status_code == 404
    assert signed_in(outsider).post(address(project), {"shown": "no"}).status_code == 404
    assert signed_in(owner).delete(address(project)).status_code == 405
    put_away(project, outsider, away=True)  # no row of theirs
    assert first_steps(project, owner).is_shown
