"""Getting back exactly what was brought, never shown by the browser (SPEC R18)."""

from pathlib import Path
from typing import Any

from django.test import Client
from django.urls import reverse

from contextfiles.models import ContextFile
from projects.models import Project, User
from tests.contextfiles.make_files import NOTES, stored
from tests.people import signed_in


def url(file: ContextFile) -> str:
    return reverse("contextfiles:download", args=[file.project_id, file.pk])


def test_download_is_an_attachment(editor: User, project: Project) -> None:
    page = b"<script>alert(1)</script>"
    answer: Any = signed_in(editor).get(url(stored(project, 'a "søk".html', page)))
    assert b"".join(answer.streaming_content) == page
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Disposition"] == "attachment; filename*=utf-8''a%20%22s%C3%B8k%22.html"
    answer.close()


def test_a_lost_blob_is_not_found(owner: User, project: Project) -> None:
    file = stored(project, "notes.md", NOTES)
    Path(file.blob.path).unlink()
    assert signed_in(owner).get(url(file)).status_code == 404


def test_strangers(outsider: User, owner: User, project: Project) -> None:
    file = stored(project)
    assert signed_in(outsider).get(url(file)).status_code == 404
    assert Client().get(url(file)).status_code == 302
    assert signed_in(owner).post(url(file)).status_code == 405
