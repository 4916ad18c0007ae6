"""A person deletes a file: its bytes, its text, and what was made of that text elsewhere (docs/privacy.md)."""

from typing import Any

from django.db import transaction

from contextfiles.models import ContextFile
from projects.models import User
from projects.signals import file_removed


def delete_file(file: ContextFile, by: User | None) -> None:
    """Delete `file`, and have what research read from it taken out of what runs have left. What reads it is stopped.

    Another thesis that has the same bytes keeps its own copy, and what was read from it.
    """
    about: dict[str, Any] = {"project": file.project, "file_id": file.pk, "name": file.name, "sha256": file.sha256}
    with transaction.atomic():
        file.delete()
        file_removed.send(ContextFile, by=by, **about)
