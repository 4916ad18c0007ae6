"""SPEC T1, P3, P4: theses and their members through the JSON API."""

import json
import uuid
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from projects.models import ApiToken, Project, User
from tests.people import signed_in


def send(client: Client, method: str, path: str, payload: Any = None, **more: Any) -> Any:
    body = "" if payload is None else json.dumps(payload)
    return getattr(client, method)(f"/api/projects{path}", body, content_type="application/json", **more)


def test_making_one(owner: User) -> None:
    response = send(signed_in(owner), "post", "", {"title": " Alder  and soil ", "citation_style": "ieee"})
    assert response.status_code == 201
    made = response.json()
    assert (made["title"], made["citation_style"], made["role"], made["sections_total"]) == (
        "Alder and soil",
        "ieee",
        "owner",
        9,
    )


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        ({"title": "   "}, "title"),
        ({"title": "x" * 301}, "title"),
        ({"title": "half \ud800"}, "title"),
        ({"title": "nul \x00"}, "title"),
        ({"title": None}, "title"),
        ({}, "title"),
        ({"title": "Fine", "question": "x" * 4001}, "question"),
        ({"title": "Fine", "question": "half \ud800"}, "question"),
        ({"title": "Fine", "degree": "x" * 61}, "degree"),
        ({"title": "Fine", "citation_style": "No Such Style"}, "citation_style"),
    ],
)
def test_what_is_wrong_is_named_by_field(owner: User, facts: dict[str, Any], field: str) -> None:
    response = send(signed_in(owner), "post", "", facts)
    assert response.status_code == 422
    assert response.json()["error"]["field"] == field
    assert not Project.objects.exists()


def test_the_list_is_of_what_you_may_see(project: Project, owner: User, reader: User, outsider: User) -> None:
    Project.objects.create_for(owner, title="Another")
    rows = signed_in(owner).get("/api/projects").json()
    assert [row["title"] for row in rows] == ["Another", "Alder and soil"]
    assert [row["role"] for row in signed_in(reader).get("/api/projects").json()] == ["reader"]
    assert signed_in(outsider).get("/api/projects").json() == []


def test_reading_one(project: Project, owner: User) -> None:
    project.sections.get(slug="results").write("Three words here", based_on=0, by=owner)
    row = signed_in(owner).get(f"/api/projects/{project.pk}").json()
    assert (row["words"], row["sections_written"], row["discipline"]) == (3, 1, "Forestry")


def test_changing_some_facts_leaves_the_rest(project: Project, editor: User) -> None:
    response = send(signed_in(editor), "patch", f"/{project.pk}", {"degree": "PhD"})
    assert (response.json()["degree"], response.json()["title"]) == ("PhD", "Alder and soil")
    assert send(signed_in(editor), "patch", f"/{project.pk}", {"title": " "}).status_code == 422
    project.refresh_from_db()
    assert project.title == "Alder and soil"


def test_replacing_all_of_them(project: Project, owner: User) -> None:
    row = send(signed_in(owner), "put", f"/{project.pk}", {"title": "New"}).json()
    assert (row["title"], row["discipline"], row["citation_style"]) == ("New", "", "apa")


def test_deleting(project: Project, owner: User, editor: User) -> None:
    assert send(signed_in(editor), "delete", f"/{project.pk}").status_code == 403
    assert send(signed_in(owner), "delete", f"/{project.pk}").status_code == 204
    assert not Project.objects.exists()


def test_members(project: Project, owner: User, outsider: User) -> None:
    EmailAddress.objects.create(user=owner, email=owner.email, verified=True, primary=True)  # else it would wait
    client = signed_in(owner)
    path = f"/{project.pk}/members"
    sent = send(client, "post", path, {"email": outsider.email, "role": "editor"}).json()
    assert project.role_of(outsider) is None, "nobody is a member without having said so"
    joined = send(signed_in(outsider), "post", "/invited/accept", {"invitation": sent["link"].split("/")[-2]}).json()
    assert joined == {"project_id": str(project.pk), "role": "editor"}
    assert send(client, "put", f"{path}/{outsider.pk}", {"role": "reader"}).json()["role"] == "reader"
    rows = client.get(f"/api/projects{path}").json()
    assert [(row["email"], row["role"]) for row in rows] == [(owner.email, "owner"), (outsider.email, "reader")]
    assert send(signed_in(outsider), "delete", f"{path}/{outsider.pk}").status_code == 204
    assert project.role_of(outsider) is None


@pytest.mark.parametrize(
    ("payload", "field"),
    [
        ({"email": "nobody", "role": "editor"}, "email"),
        ({"email": "asha@example.org", "role": "editor"}, "email"),
        ({"email": "\ud800@example.org", "role": "editor"}, "email"),
        ({"email": "oskar@example.org", "role": "owner"}, "role"),
        ({"email": "oskar@example.org", "role": "king"}, "role"),
    ],
)
def test_who_cannot_be_a_member(
    project: Project, owner: User, outsider: User, payload: dict[str, str], field: str
) -> None:
    response = send(signed_in(owner), "post", f"/{project.pk}/members", payload)
    assert response.status_code == 422
    assert response.json()["error"]["field"] == field


def test_the_owner_stays(project: Project, owner: User) -> None:
    path = f"/{project.pk}/members/{owner.pk}"
    assert send(signed_in(owner), "put", path, {"role": "reader"}).status_code == 422
    assert send(signed_in(owner), "delete", path).status_code == 422
    assert project.owner == owner


def test_a_token_is_as_good_as_a_session(project: Project, owner: User) -> None:
    _, token = ApiToken.issue(owner, "Backup")
    client = Client(enforce_csrf_checks=True)
    rows = client.get("/api/projects", headers={"Authorization": f"Bearer {token}"}).json()
    assert [row["id"] for row in rows] == [str(project.pk)]
    made = send(client, "post", "", {"title": "By a program"}, headers={"Authorization": f"Bearer {token}"})
    assert made.status_code == 201
    assert client.get("/api/projects", headers={"Authorization": "Bearer sch_wrong"}).status_code == 401


def test_a_session_alone_cannot_write_from_another_site(owner: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert send(client, "post", "", {"title": "From elsewhere"}).status_code == 403
    assert not Project.objects.exists()


def test_who_may(project: Project, owner: User, reader: User, outsider: User) -> None:
    one, members = f"/{project.pk}", f"/{project.pk}/members"
    facts, somebody = {"title": "Mine"}, {"email": outsider.email, "role": "editor"}
    asked = [
        ("put", one, facts, 403),
        ("patch", one, facts, 403),
        ("delete", one, None, 403),
        ("post", members, somebody, 403),
        ("put", f"{members}/{reader.pk}", {"role": "editor"}, 403),
        ("delete", f"{members}/{owner.pk}", None, 403),
    ]
    for method, path, payload, status in asked:
        assert send(signed_in(reader), method, path, payload).status_code == status
        assert send(signed_in(outsider), method, path, payload).status_code == 404
        assert send(Client(), method, path, payload).status_code == 401
    assert signed_in(outsider).get(f"/api/projects{one}").status_code == 404
    assert signed_in(outsider).get(f"/api/projects{members}").status_code == 404
    assert Client().get("/api/projects").status_code == 401
    assert signed_in(owner).get(f"/api/projects/{uuid.uuid4()}").status_code == 404
    assert send(signed_in(owner), "patch", "", facts).status_code == 405
