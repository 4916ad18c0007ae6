"""SPEC P3: a stranger gets 404 and learns nothing."""

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404

from projects.access import get_project
from projects.models import Project, User


def test_the_owner_finds_the_project(project: Project, owner: User) -> None:
    assert get_project(owner, project.pk, "own") == project


def test_a_stranger_gets_404_even_for_reading(project: Project, outsider: User) -> None:
    with pytest.raises(Http404):
        get_project(outsider, project.pk)


def test_a_reader_reads_and_is_told_why_not_more(project: Project, reader: User) -> None:
    assert get_project(reader, project.pk) == project
    with pytest.raises(PermissionDenied, match="owner or an editor"):
        get_project(reader, project.pk, "write")
