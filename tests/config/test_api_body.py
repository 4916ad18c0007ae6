"""What the API says to a body it cannot read (SPEC P4)."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from projects.models import Project, User

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["citations/import", "citations", "sections", "runs", "snapshots"])
def test_a_form_where_json_is_meant_is_told_so(project: Project, owner: User, path: str) -> None:
    client = Client(enforce_csrf_checks=True)  # as a browser: the token is looked for in the form first
    client.force_login(owner)
    client.get("/")
    form = {"file": SimpleUploadedFile("library.bib", b"@article{a, title={A}}")}
    token = client.cookies["csrftoken"].value
    answer = client.post(f"/api/projects/{project.pk}/{path}", form, HTTP_X_CSRFTOKEN=token)
    assert answer.status_code == 415
    assert answer.json()["error"]["code"] == "not_json"


def test_what_is_no_json_is_told_so(project: Project, owner: User) -> None:
    client = Client()
    client.force_login(owner)
    answer = client.post(f"/api/projects/{project.pk}/citations", b"{", content_type="application/json")
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "invalid"
