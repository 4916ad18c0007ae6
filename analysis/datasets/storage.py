"""The stored files of a dataset version: the uploaded file, and the rows read from it as CSV."""

import csv
import io
import logging
from collections.abc import Iterator, Sequence
from functools import partial
from io import TextIOWrapper
from itertools import islice
from typing import Any

from django.core.files.base import ContentFile
from django.db import transaction

from analysis.models import DatasetVersion
from core.errors import Refused

log = logging.getLogger(__name__)


def rows_csv(ids: Sequence[str], cells: Sequence[Sequence[str]]) -> bytes:
    """Return columns of texts as UTF-8 CSV, with the ids or names of the columns as its header."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(ids)
    writer.writerows(zip(*cells, strict=True))
    return out.getvalue().encode("utf-8", "replace")


def save_rows(version: DatasetVersion, content: bytes) -> None:
    """Store `content` as the rows of a version; the previous file is deleted when the transaction commits."""
    old = str(version.rows.name or "")
    version.rows.save("rows.csv", ContentFile(content), save=False)
    if old and old != version.rows.name:
        transaction.on_commit(partial(delete_stored, version.rows.storage, old))


def stored_rows(version: DatasetVersion) -> Iterator[list[str]]:
    """Yield the rows of a version, preceded by the ids of its columns. Raises Refused when they cannot be read."""
    if not version.rows:
        raise Refused("These data have not been read yet.", field="data", code="not_read", status=409)
    try:
        with version.rows.open("rb") as stored, TextIOWrapper(stored, encoding="utf-8", newline="") as text:
            csv.field_size_limit(10_000_000)
            yield from csv.reader(text)
    except OSError as error:
        raise Refused(
            "The rows are missing on the server. Upload the file again.", field="data", code="gone"
        ) from error


def cells_of(version: DatasetVersion, ids: Sequence[str]) -> dict[str, list[str]]:
    """Return the stored texts of the columns `ids`. Raises Refused as `stored_rows` does."""
    lines = stored_rows(version)
    at = {id_: place for place, id_ in enumerate(next(lines, []))}
    if missing := [one for one in ids if one not in at]:
        raise Refused(f"The data have no column {missing[0]}.", field="columns", code="unknown_column")
    found: list[list[str]] = [[] for _ in ids]
    adding = [(texts.append, at[id_]) for texts, id_ in zip(found, ids, strict=True)]
    known: dict[str, str] = {}
    for line in lines:
        for add, place in adding:
            text = line[place]
            add(known.setdefault(text, text))
    return dict(zip(ids, found, strict=True))


def preview(version: DatasetVersion, start: int = 1, count: int = 20) -> list[list[str]]:
    """Return `count` stored rows of a version, beginning with row `start` (counted from 1)."""
    first = max(1, start)
    return list(islice(stored_rows(version), first, first + max(0, count)))


def copy_bytes(source: DatasetVersion, target: DatasetVersion, *, rows: bool) -> None:
    """Copy the file of `source`, and with `rows` also its rows, to `target`. Raises Refused when they are missing."""
    if not source.upload:
        raise Refused("The file of this version was deleted. Upload it again.", field="file", code="gone")
    try:
        with source.upload.open("rb") as stored:
            target.upload.save("upload", stored, save=False)
        if rows:
            with source.rows.open("rb") as stored:
                target.rows.save("rows.csv", stored, save=False)
    except OSError as error:
        raise Refused("The file is missing on the server. Upload it again.", field="file", code="gone") from error


def remove_bytes(sender: type[DatasetVersion], instance: DatasetVersion, **_: Any) -> None:
    """Delete the files of a deleted version when the transaction commits (receiver of post_delete)."""
    delete_on_commit(instance.upload, instance.rows)


def delete_on_commit(*files: Any) -> None:
    """Delete the files of file fields, where they have one, when the transaction commits."""
    for kept in filter(None, files):
        transaction.on_commit(partial(delete_stored, kept.storage, str(kept.name)))


def delete_files(version: DatasetVersion) -> None:
    """Delete the stored files of a version that was not saved."""
    for kept in filter(None, (version.upload, version.rows)):
        delete_stored(kept.storage, str(kept.name))


def delete_stored(storage: Any, name: str) -> None:
    """Delete a file that is no longer used. A failure is logged and not raised."""
    try:
        storage.delete(name)
    except OSError:
        log.exception("A file of data that were deleted is still on the disk: %s", name)
