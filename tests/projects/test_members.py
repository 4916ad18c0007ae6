"""SPEC T1, P3: the owner says who is in a thesis and as what; ownership is never given away."""

from typing import Any

import pytest
from django.test import Client

from projects.models import Membership, Project, User
from tests.people import signed_in


def add(client: Client, project: Project, email: str, role: str = "editor") -> Any:
    return client.post(f"/projects/{project.pk}/members/", {"email": email, "role": role})


def act(client: Client, project: Project, user: User, **data: str) -> Any:
    return client.post(f"/projects/{project.pk}/members/{user.pk}/", data)


def test_adding_twice_changes_no_role(project: Project, owner: User, reader: User) -> None:
    response = signed_in(owner).post(f"/projects/{project.pk}/members/", {"email": reader.email, "role": "editor"})
    assert "is already a member" in response.content.decode()
    assert project.role_of(reader) == "reader"


def test_nobody_is_made_a_second_owner(project: Project, owner: User, reader: User, outsider: User) -> None:
    client = signed_in(owner)
    add(client, project, outsider.email, "owner")
    act(client, project, reader, role="owner")
    assert project.role_of(outsider) is None
    assert project.role_of(reader) == "reader"
    assert project.owner == owner


def test_a_role_is_changed(project: Project, owner: User, reader: User) -> None:
    act(signed_in(owner), project, reader, role="supervisor")
    assert project.role_of(reader) == "supervisor"


def test_a_member_is_removed(project: Project, owner: User, reader: User) -> None:
    act(signed_in(owner), project, reader, act="remove")
    assert project.role_of(reader) is None


@pytest.mark.parametrize("data", [{"act": "remove"}, {"role": "reader"}, {}])
def test_the_owner_stays_the_owner(project: Project, owner: User, data: dict[str, str]) -> None:
    response = act(signed_in(owner), project, owner, **data)
    assert response.status_code == 302
    assert project.role_of(owner) == Membership.Role.OWNER


@pytest.mark.parametrize("who", ["editor", "supervisor", "reader"])
def test_only_the_owner_does_this(
    project: Project, owner: User, outsider: User, who: str, request: pytest.FixtureRequest
) -> None:
    client = signed_in(request.getfixturevalue(who))
    assert add(client, project, outsider.email).status_code == 403
    assert act(client, project, owner, act="remove").status_code == 403
    assert project.memberships.count() == 2


def test_a_member_can_leave(project: Project, reader: User) -> None:
    response = act(signed_in(reader), project, reader, act="remove")
    assert response["Location"] == "/"
    assert project.role_of(reader) is None


def test_a_member_cannot_promote_themselves(project: Project, reader: User) -> None:
    assert act(signed_in(reader), project, reader, role="editor").status_code == 403


def test_a_person_who_is_no_member_is_not_found(project: Project, owner: User, outsider: User) -> None:
    assert act(signed_in(owner), project, outsider, role="editor").status_code == 404


def test_a_stranger_finds_nothing(project: Project, outsider: User, reader: User) -> None:
    client = signed_in(outsider)
    assert add(client, project, outsider.email).status_code == 404
    assert act(client, project, reader, act="remove").status_code == 404
    assert act(client, project, outsider, act="remove").status_code == 404


def test_signing_in_comes_first(project: Project, outsider: User) -> None:
    assert add(Client(), project, outsider.email)["Location"].startswith("/accounts/login/")
    assert project.role_of(outsider) is None


def test_only_posting(project: Project, owner: User) -> None:
    client = signed_in(owner)
    assert client.get(f"/projects/{project.pk}/members/").status_code == 405
    assert client.get(f"/projects/{project.pk}/members/{owner.pk}/").status_code == 405
