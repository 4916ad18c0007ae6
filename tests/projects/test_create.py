"""SPEC T1: a new thesis, with the usual chapters."""

from typing import Any

import pytest
from django.test import Client

from projects.models import Project, User
from tests.people import signed_in

FACTS = {
    "title": "Alder and soil",
    "discipline": "",
    "degree": "",
    "study_design": "",
    "question": "",
    "citation_style": "apa",
}


def test_a_title_is_enough(owner: User) -> None:
    response = signed_in(owner).post("/projects/new/", FACTS)
    project = Project.objects.get()
    assert response.status_code == 302
    assert response["Location"] == f"/projects/{project.pk}/"
    assert project.role_of(owner) == "owner"
    assert [(section.number, section.title) for section in project.sections.all()][:2] == [
        (0, "Front matter"),
        (1, "Abstract"),
    ]
    assert project.sections.count() == 9


def test_white_space_in_a_title_is_one_space(owner: User) -> None:
    signed_in(owner).post("/projects/new/", {**FACTS, "title": "  Alder\r\n and\u2003 soil "})
    assert Project.objects.get().title == "Alder and soil"


@pytest.mark.parametrize("title", ["", "   ", "\t\n", "\u200b\u200d"])
def test_a_title_nobody_can_see_is_asked_for(owner: User, title: str) -> None:
    response = signed_in(owner).post("/projects/new/", {**FACTS, "title": title, "discipline": "Forestry"})
    assert response.status_code == 422
    page = response.content.decode()
    assert "Give your thesis a title" in page
    assert 'value="Forestry"' in page
    assert not Project.objects.exists()


def test_a_long_title_is_refused_with_its_length(owner: User) -> None:
    response = signed_in(owner).post("/projects/new/", {**FACTS, "title": "a" * 301})
    assert "at most 300 characters; this one has 301" in response.content.decode()
    assert signed_in(owner).post("/projects/new/", {**FACTS, "title": "a" * 300}).status_code == 302


def test_any_csl_style_is_taken_and_nothing_else(owner: User) -> None:
    client = signed_in(owner)
    assert client.post("/projects/new/", {**FACTS, "citation_style": "journal-of-forestry"}).status_code == 302
    assert client.post("/projects/new/", {**FACTS, "citation_style": "../../etc/passwd"}).status_code == 422
    assert Project.objects.get().citation_style == "journal-of-forestry"


def test_the_form_is_open_to_everybody_who_signed_in(outsider: User) -> None:
    assert "Create thesis" in signed_in(outsider).get("/projects/new/").content.decode()


def test_signing_in_comes_first(db: Any) -> None:
    assert Client().post("/projects/new/", FACTS)["Location"].startswith("/accounts/login/")
    assert not Project.objects.exists()


def test_other_methods(owner: User) -> None:
    assert signed_in(owner).delete("/projects/new/").status_code == 405
