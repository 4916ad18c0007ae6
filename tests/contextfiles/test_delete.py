"""Deleting a file takes its bytes and its text along."""

from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from contextfiles.models import ContextFile, Digest, FileText
from projects.models import Project, User
from tests.contextfiles.make_files import stored, text_of
from tests.people import signed_in


def url(file: ContextFile) -> str:
    return reverse("contextfiles:delete", args=[file.project_id, file.pk])


def test_delete_removes_the_blob_after_commit(
    editor: User, project: Project, django_capture_on_commit_callbacks: Any
) -> None:
    file = stored(project)
    text_of(file)
    Digest.objects.create(sha256=file.sha256, engine="x")
    path = Path(file.blob.path)
    with django_capture_on_commit_callbacks(execute=False) as callbacks:
        answer = signed_in(editor).post(url(file), headers={"HX-Request": "true"})
    assert answer.status_code == 200
    assert "notes.md" not in answer.content.decode()
    assert path.exists()
    for callback in callbacks:
        callback()
    assert not path.exists()
    assert not ContextFile.objects.exists()
    assert not FileText.objects.exists()
    assert not Digest.objects.exists()


def test_a_text_stays_while_another_file_has_the_same_content(owner: User, project: Project) -> None:
    another = Project.objects.create_for(owner, title="Another")
    text_of(stored(another))
    stored(project).delete()
    assert FileText.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_deletion_that_is_rolled_back_keeps_the_blob(project: Project) -> None:
    file = stored(project)

    def fail() -> None:
        with transaction.atomic():
            ContextFile.objects.get(pk=file.pk).delete()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert Path(file.blob.path).exists()


@pytest.mark.django_db(transaction=True)
def test_deleting_a_thesis_deletes_its_files(project: Project) -> None:
    path = Path(stored(project).blob.path)
    project.delete()
    assert not path.exists()


def test_without_htmx_the_list_follows(owner: User, project: Project) -> None:
    answer = signed_in(owner).post(url(stored(project)))
    assert answer["Location"] == reverse("contextfiles:list", args=[project.pk])


def test_who_may_delete(project: Project, reader: User, supervisor: User, outsider: User, owner: User) -> None:
    file = stored(project)
    for user, status in {reader: 403, supervisor: 403, outsider: 404}.items():
        assert signed_in(user).post(url(file)).status_code == status
    assert Client().post(url(file)).status_code == 302
    assert signed_in(owner).put(url(file)).status_code == 405
    assert ContextFile.objects.count() == 1
