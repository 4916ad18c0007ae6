"""The stored files of a thesis, for rooms that stand beside the one that keeps them.

`contextfiles` keeps files; `citations`, on the same floor, reads the entries of some. Neither imports the other: the
keeper says here how a file is found, whoever needs its bytes asks here. When a file goes, `file_deleted` tells.
"""

from collections.abc import Callable
from typing import NamedTuple
from uuid import UUID

from django.http import Http404

from projects.models import Project


class StoredFile(NamedTuple):
    """A file as it was brought. `size` is in bytes; `format` a key of the keeper's ("bib"); `read` raises OSError."""

    id: UUID
    name: str
    format: str
    size: int
    sha256: str
    read: Callable[[], bytes]


Finder = Callable[[Project, UUID], StoredFile | None]
_FINDERS: list[Finder] = []


def finds_files(finder: Finder) -> Finder:
    """Register a function that finds a project's files; it gives None where the project has no such file."""
    _FINDERS.append(finder)
    return finder


def stored_file(project: Project, file_id: UUID) -> StoredFile:
    """Return the file of `project`, which the caller has from `get_project`. Raises Http404 when it has no such file."""
    found = _found(project, file_id)
    if found is None:
        raise Http404("No such file.")
    return found


def has_file(project: Project, file_id: UUID) -> bool:
    """Return whether `project` has a file with this id, still."""
    return _found(project, file_id) is not None


def _found(project: Project, file_id: UUID) -> StoredFile | None:
    return next((found for finder in _FINDERS if (found := finder(project, file_id))), None)
