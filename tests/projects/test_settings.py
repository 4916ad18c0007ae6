"""SPEC T1: the facts of a thesis can be changed by those who write it."""

import pytest
from django.test import Client

from projects.models import Project, User
from tests.people import signed_in


def address(project: Project) -> str:
    return f"/projects/{project.pk}/settings/"


FACTS = {
    "title": "Alder, soil and water",
    "discipline": "Hydrology",
    "degree": "PhD",
    "study_design": "Field trial",
    "question": "What does alder do to soil\nand water?",
    "citation_style": "ieee",
}


@pytest.mark.parametrize("who", ["owner", "editor"])
def test_writers_change_the_facts(project: Project, who: str, request: pytest.FixtureRequest) -> None:
    response = signed_in(request.getfixturevalue(who)).post(address(project), FACTS)
    assert response.status_code == 302
    project.refresh_from_db()
    assert {name: getattr(project, name) for name in FACTS} == FACTS


@pytest.mark.parametrize("who", ["supervisor", "reader"])
def test_others_see_them_and_why_not_more(project: Project, who: str, request: pytest.FixtureRequest) -> None:
    client = signed_in(request.getfixturevalue(who))
    page = client.get(address(project)).content.decode()
    assert "The owner or an editor can change these." in page
    assert "Save settings" not in page
    assert "Delete this thesis" not in page
    assert client.post(address(project), FACTS).status_code == 403
    project.refresh_from_db()
    assert project.title == "Alder and soil"


def test_what_was_typed_stays_when_something_is_wrong(project: Project, owner: User) -> None:
    response = signed_in(owner).post(address(project), {**FACTS, "title": " "})
    assert response.status_code == 422
    assert 'value="Hydrology"' in response.content.decode()
    project.refresh_from_db()
    assert project.discipline == "Forestry"


def test_a_style_outside_the_list_is_kept(project: Project, owner: User) -> None:
    Project.objects.filter(pk=project.pk).update(citation_style="journal-of-forestry")
    page = signed_in(owner).get(address(project)).content.decode()
    assert '<option value="journal-of-forestry" selected' in page


def test_a_stranger_finds_nothing(project: Project, outsider: User) -> None:
    client = signed_in(outsider)
    assert client.get(address(project)).status_code == 404
    assert client.post(address(project), FACTS).status_code == 404


def test_signing_in_comes_first(project: Project) -> None:
    assert Client().get(address(project))["Location"].startswith("/accounts/login/")


def test_other_methods(project: Project, owner: User) -> None:
    assert signed_in(owner).put(address(project)).status_code == 405
