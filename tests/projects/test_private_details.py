"""SPEC T4: names and words that no model is told are kept by those who write, on the settings page and in the API."""

import json
from typing import Any

import pytest

from projects.models import Project, User
from tests.people import signed_in


def address(project: Project) -> str:
    return f"/projects/{project.pk}/private/"


def patch(who: User, project: Project, payload: Any) -> Any:
    return signed_in(who).patch(f"/api/projects/{project.pk}", json.dumps(payload), content_type="application/json")


@pytest.mark.parametrize("who", ["owner", "editor"])
def test_writers_keep_a_list(project: Project, who: str, request: pytest.FixtureRequest) -> None:
    client = signed_in(request.getfixturevalue(who))
    response = client.post(address(project), {"kept_private": "Maria  Keller\r\n\r\nWard 7B\r\nMaria Keller"})
    assert response["Location"] == f"/projects/{project.pk}/settings/#private"
    project.refresh_from_db()
    assert project.kept_private == "Maria Keller\nWard 7B"
    page = client.get(f"/projects/{project.pk}/settings/").content.decode()
    assert "Maria Keller\nWard 7B</textarea>" in page
    assert client.get(address(project))["Location"] == f"/projects/{project.pk}/settings/#private"


@pytest.mark.parametrize("who", ["supervisor", "reader"])
def test_others_do_not_see_it(project: Project, who: str, request: pytest.FixtureRequest) -> None:
    Project.objects.filter(pk=project.pk).update(kept_private="Maria Keller")
    person = request.getfixturevalue(who)
    client = signed_in(person)
    assert "Keller" not in client.get(f"/projects/{project.pk}/settings/").content.decode()
    assert client.post(address(project), {"kept_private": ""}).status_code == 403
    assert client.get(f"/api/projects/{project.pk}").json()["kept_private"] is None
    assert patch(person, project, {"kept_private": ""}).status_code == 403
    project.refresh_from_db()
    assert project.kept_private == "Maria Keller"


def test_a_stranger_finds_nothing(project: Project, outsider: User) -> None:
    assert signed_in(outsider).post(address(project), {"kept_private": "x"}).status_code == 404
    assert patch(outsider, project, {"kept_private": "xy"}).status_code == 404


def test_other_methods(project: Project, owner: User) -> None:
    assert signed_in(owner).put(address(project)).status_code == 405


WRONG = [
    ("x" * 20_001, "20,001 characters; the limit is 20,000"),
    ("\n".join(f"Name {n}" for n in range(1_001)), "1,001 lines; the limit is 1,000"),
    ("Maria Keller\n(K.)", "Line 2 has fewer than two letters"),
    ("half \ud800", "cannot be stored"),
]


@pytest.mark.parametrize(("written", "message"), WRONG, ids=["long", "many", "letter", "surrogate"])
def test_what_is_wrong_is_said_and_nothing_is_lost(project: Project, owner: User, written: str, message: str) -> None:
    Project.objects.filter(pk=project.pk).update(kept_private="Maria Keller")
    if "\ud800" not in written:  # no browser can send one
        response = signed_in(owner).post(address(project), {"kept_private": written})
        assert response.status_code == 422
        page = response.content.decode()
        assert message in page
        assert written[:50] in page, "it stays as it was typed"
    answer = patch(owner, project, {"kept_private": written, "title": "Other"})
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "kept_private")
    assert message in answer.json()["error"]["message"]
    project.refresh_from_db()
    assert (project.kept_private, project.title) == ("Maria Keller", "Alder and soil")


def test_programs_change_it(project: Project, owner: User) -> None:
    answer = patch(owner, project, {"kept_private": "Maria Keller\n\nWard 7B"}).json()
    assert answer["kept_private"] == "Maria Keller\nWard 7B"
    facts = json.dumps({"title": "Alder and water"})
    replaced = signed_in(owner).put(f"/api/projects/{project.pk}", facts, content_type="application/json").json()
    assert (replaced["title"], replaced["kept_private"]) == ("Alder and water", "Maria Keller\nWard 7B")
    assert patch(owner, project, {"kept_private": ""}).json()["kept_private"] == ""
    assert "kept_private" not in signed_in(owner).get("/api/projects").json()[0]
