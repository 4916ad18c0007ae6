"""SPEC T1: deleting a thesis says exactly what goes, and only the owner can."""

import uuid

import pytest
from django.apps import apps
from django.test import Client

from projects.models import Project, User
from tests.people import signed_in


def address(project: Project) -> str:
    return f"/projects/{project.pk}/delete/"


def test_the_page_names_what_goes(project: Project, owner: User) -> None:
    project.sections.get(slug="results").write("Two words", based_on=0, by=owner)
    project.citations.create(cite_key="alder2020")
    page = signed_in(owner).get(address(project)).content.decode()
    assert "9 sections with 2 words" in page
    assert "1 work<" in page
    assert "run" not in page.split("<ul>")[1].split("</ul>")[0]
    assert Project.objects.filter(pk=project.pk).exists()


def test_everything_in_it_goes_and_nothing_else(project: Project, owner: User) -> None:
    other = Project.objects.create_for(owner, title="Another")
    response = signed_in(owner).post(address(project))
    assert response["Location"] == "/"
    assert list(Project.objects.all()) == [other]
    assert other.sections.count() == 9


def test_a_thesis_with_research_can_be_deleted(project: Project, owner: User) -> None:
    job = apps.get_model("jobs", "Job").objects.create(project=project, kind="research", subject=uuid.uuid4())
    project.runs.create(job=job, question="What does alder do to soil?")
    client = signed_in(owner)
    assert "1 research run<" in client.get(address(project)).content.decode()
    assert client.post(address(project)).status_code == 302
    assert not Project.objects.exists()


@pytest.mark.parametrize("who", ["editor", "supervisor", "reader"])
def test_only_the_owner_can(project: Project, who: str, request: pytest.FixtureRequest) -> None:
    client = signed_in(request.getfixturevalue(who))
    assert client.get(address(project)).status_code == 403
    assert client.post(address(project)).status_code == 403
    assert Project.objects.exists()


def test_a_stranger_finds_nothing(project: Project, outsider: User) -> None:
    assert signed_in(outsider).post(address(project)).status_code == 404
    assert Project.objects.exists()


def test_signing_in_comes_first(project: Project) -> None:
    assert Client().post(address(project))["Location"].startswith("/accounts/login/")
    assert Project.objects.exists()


def test_other_methods(project: Project, owner: User) -> None:
    assert signed_in(owner).delete(address(project)).status_code == 405


def test_what_is_deleted_has_the_names_of_the_pages(project: Project, owner: User) -> None:
    """What a run made of the files is no content of its own."""
    project.context_files.create(name="alder.md", sha256="0" * 64, size=1)
    project.context_files.create(name="birch.md", sha256="1" * 64, size=1)
    project.context_bundles.create()
    project.citations.create(cite_key="menon2019")
    names = {name: number for number, name in project.contents()}
    assert names["uploaded files"] == 2
    assert names["work"] == 1
    assert not any("context" in name for name in names)
