"""Access to the stored files of a thesis, for apps that must not import `contextfiles`.

`contextfiles` stores files; `citations`, in the same layer, reads references from some of them. Neither imports the
other: `contextfiles` registers a finder here, and other apps get files here. `file_deleted` is sent when a file is
deleted.
"""

from collections.abc import Callable
from typing import NamedTuple
from uuid import UUID

from django.http import Http404

from projects.models import Project


class StoredFile(NamedTuple):
    """A file as uploaded. `size` is in bytes, `format` a key of `contextfiles` ("bib"); `read` may raise OSError."""

    id: UUID
    name: str
    format: str
    size: int
    sha256: str
    read: Callable[[], bytes]


Finder = Callable[[Project, UUID], StoredFile | None]
_FINDERS: list[Finder] = []


def finds_files(finder: Finder) -> Finder:
    """Register a function that finds a project's file by id and returns None if there is none."""
    _FINDERS.append(finder)
    return finder


def stored_file(project: Project, file_id: UUID) -> StoredFile:
    """Return a file of `project`. Raises Http404 if there is none. The caller checks access with `get_project`."""
    found = _found(project, file_id)
    if found is None:
        raise Http404("No such file.")
    return found


def has_file(project: Project, file_id: UUID) -> bool:
    """Return whether `project` still has a file with this id."""
    return _found(project, file_id) is not None


def _found(project: Project, file_id: UUID) -> StoredFile | None:
    return next((found for finder in _FINDERS if (found := finder(project, file_id))), None)
