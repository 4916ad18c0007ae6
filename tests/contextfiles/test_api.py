"""Context files over the JSON API (SPEC P4, X1)."""

from uuid import uuid4

from django.test import Client

from contextfiles.models import ContextFile
from projects.models import Project, User
from tests.contextfiles.make_files import NOTES, stored, uploaded
from tests.people import signed_in


def url(project: Project, file: ContextFile | None = None) -> str:
    return f"/api/projects/{project.pk}/context-files" + (f"/{file.pk}" if file else "")


def test_upload_list_read_delete(owner: User, project: Project) -> None:
    client = signed_in(owner)
    answer = client.post(url(project), {"files": [uploaded(), uploaded("b.exe", b"MZ")]})
    assert answer.status_code == 201
    said = answer.json()
    assert [refused["code"] for refused in said["refused"]] == ["format"]
    [row] = said["stored"]
    assert (row["name"], row["size"], row["format"], row["status"]) == ("notes.md", len(NOTES), "md", "stored")
    assert row["uploaded_by"] == "Asha Menon"
    assert client.get(url(project)).json() == [row]
    file = ContextFile.objects.get()
    assert client.get(url(project, file)).json() == row
    assert client.delete(url(project, file)).status_code == 204
    assert client.get(url(project, file)).status_code == 404


def test_nothing_stored_is_an_error(owner: User, project: Project) -> None:
    stored(project)
    client = signed_in(owner)
    answer = client.post(url(project), {"files": uploaded()})
    assert answer.status_code == 409
    assert answer.json()["error"] == {
        "code": "duplicate",
        "message": "notes.md is uploaded already.",
        "field": "files",
    }
    assert client.post(url(project), {}).status_code == 422


def test_strangers(outsider: User, reader: User, project: Project) -> None:
    file = stored(project)
    for client, status in ((signed_in(outsider), 404), (Client(), 401)):
        assert client.get(url(project)).status_code == status
        assert client.get(url(project, file)).status_code == status
        assert client.delete(url(project, file)).status_code == status
        assert client.post(url(project), {"files": uploaded("a.txt", b"a")}).status_code == status
    assert signed_in(reader).get(url(project)).status_code == 200
    assert signed_in(reader).delete(url(project, file)).status_code == 403
    assert signed_in(reader).post(url(project), {"files": uploaded("a.txt", b"a")}).status_code == 403
    assert ContextFile.objects.count() == 1


def test_wrong_method_and_wrong_id(owner: User, project: Project) -> None:
    client = signed_in(owner)
    assert client.put(url(project)).status_code == 405
    assert client.get(f"{url(project)}/{uuid4()}").status_code == 404
