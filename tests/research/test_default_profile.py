"""The default profile of a thesis is set on the settings page and over the API (SPEC T1, R2)."""

import json
from typing import Any

import pytest
from django.conf import settings

from projects.models import Project, User
from tests.people import signed_in

pytestmark = pytest.mark.django_db


def page(project: Project) -> str:
    return f"/projects/{project.pk}/research/profile/"


def put(user: User, project: Project, name: Any) -> Any:
    address = f"/api/projects/{project.pk}/default-profile"
    return signed_in(user).put(address, json.dumps({"profile": name}), content_type="application/json")


def test_a_run_starts_with_it(project: Project, owner: User) -> None:
    part = signed_in(owner).get(page(project), headers={"HX-Request": "true"}).content.decode()
    assert f"As this site: {settings.RESEARCH_DEFAULT_PROFILE}" in part
    assert "<html" not in part
    assert signed_in(owner).post(page(project), {"profile": "systematic-review"}).status_code == 302
    form = signed_in(owner).get(f"/projects/{project.pk}/research/").context["form"]
    assert form["profile"].value() == "systematic-review"
    assert signed_in(owner).post(page(project), {"profile": ""}).status_code == 302
    project.refresh_from_db()
    assert project.default_profile == ""


def test_over_the_api(project: Project, owner: User) -> None:
    assert put(owner, project, "bibliometric").json() == {"profile": "bibliometric"}
    assert signed_in(owner).get(f"/api/projects/{project.pk}/default-profile").json() == {"profile": "bibliometric"}
    refused = put(owner, project, "mine alone")
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "profile")
    assert signed_in(owner).post(page(project), {"profile": "mine alone"}).status_code == 422


def test_who_may(project: Project, reader: User, supervisor: User, editor: User, outsider: User) -> None:
    for user, status in ((reader, 403), (supervisor, 403), (outsider, 404)):
        assert signed_in(user).post(page(project), {"profile": "academic"}).status_code == status
        assert put(user, project, "academic").status_code == status
    assert "The owner or an editor can change this" in signed_in(reader).get(page(project)).content.decode()
    assert put(editor, project, "academic").status_code == 200
    assert signed_in(editor).delete(page(project)).status_code == 405
