"""Somebody says which column identifies people (analysis.datasets.repeats)."""

from django.db import transaction

from analysis.datasets.repeats import OTHER, PERSON, people_columns
from analysis.datasets.start import confirm
from analysis.models import DatasetVersion
from core.errors import Refused
from projects.models import User

State = DatasetVersion.State


def identify(version: DatasetVersion, user: User | None, column: str, meaning: str) -> DatasetVersion:
    """`column` identifies people, or does not (`meaning`); the version that says so.

    A version whose types wait to be confirmed changes in place and goes on waiting; one that was confirmed stays as it
    is, and a new one says so. One column only identifies people: the one that was said before is none any more. Raises
    Refused for an unknown column or meaning.
    """
    known = {one["id"]: one for one in version.columns}
    if column not in known:
        raise Refused("Choose a column of these data.", field="column", code="unknown_column")
    if meaning not in (PERSON, OTHER):
        raise Refused("Say whether the column identifies people or not.", field="identifies")
    changes = {column: {"identifies": meaning}}
    if meaning == PERSON:
        before = [one["id"] for one in people_columns(version.columns) if one.get("identifies") == PERSON]
        changes |= {one: {"identifies": ""} for one in before if one != column}
    if version.state != State.PROPOSED:
        return confirm(version, user, changes)
    from analysis.datasets.changes import reworded  # it loads pandas

    with transaction.atomic():
        locked: DatasetVersion = DatasetVersion.objects.select_for_update().get(pk=version.pk)
        if locked.state != State.PROPOSED:
            return confirm(locked, user, changes)
        locked.columns = [reworded(one, changes.get(one["id"], {})) for one in locked.columns]
        locked.save(update_fields=["columns"])
    return locked
