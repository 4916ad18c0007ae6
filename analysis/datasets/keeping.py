"""A dataset's bytes: the file as it came, the rows as they were read, and the job that reads one into the other."""

import csv
import io
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from itertools import islice
from typing import Any

from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone

from analysis.datasets.carried import carry_over
from analysis.models import DatasetVersion
from core.errors import Refused
from core.storable import storable
from jobs.models import Job
from jobs.work import Stopped, asked_of

State = DatasetVersion.State
_GONE = "The data were deleted. Nothing was read."
_FAILED = "Reading stopped before its end ({}). The file is kept: read it again."


def read(job: Job) -> None:
    """Read the file of the job's version. Again after a crash: it begins anew, the rows are written at its end only."""
    version: DatasetVersion | None = DatasetVersion.objects.select_related("dataset").filter(pk=job.subject).first()
    if version is None:
        raise Stopped(_GONE)
    if version.state == State.READING:
        try:
            read_version(version, lambda: asked_of(job))
        except Refused as refused:
            raise Stopped(refused.message) from refused


def read_version(version: DatasetVersion, look: Any = None) -> None:
    """Read the kept file of a version and keep its rows, columns and remarks. Raises Refused for what cannot be read.

    `look` is called before anything is written, and may raise.
    """
    from analysis.datasets.reading import read_table  # pandas takes a second to load, and only here is it needed

    try:
        with version.upload.open("rb") as stored:
            data = stored.read()
    except OSError as error:
        raise Refused(
            "The file is no longer on the disk of the server. Upload it again.", field="file", code="gone"
        ) from error
    table = read_table(data, version.file_name, version.reading)
    del data
    if look:
        look()
    is_confirmed = carry_over(version, table)
    ids = list(table.frame.columns)
    content = rows_csv(ids, [table.frame[id_].tolist() for id_ in ids])
    version.columns, version.summary = storable(table.columns), storable(table.summary)
    version.remarks, version.sheets = storable(table.remarks), storable(table.sheets)
    dropped = {name: version.reading[name] for name in ("dropped",) if name in version.reading}
    version.reading, version.row_count = storable(table.reading) | dropped, table.row_count
    keep_rows(version, content)
    version.state, version.error = State.PROPOSED, ""
    if is_confirmed:
        version.state, version.confirmed_by, version.confirmed_at = State.READY, version.created_by, timezone.now()
    with transaction.atomic():
        fields = ["columns", "summary", "remarks", "sheets", "reading", "row_count", "rows", "state", "error"]
        fields += ["confirmed_by", "confirmed_at"]
        kept = DatasetVersion.objects.select_for_update().filter(pk=version.pk, state=State.READING)
        if not kept.exists():  # it was deleted, or read by another worker meanwhile
            drop(version.rows.storage, str(version.rows.name))
            raise Refused(_GONE)
        version.save(update_fields=fields)


def close(job: Job) -> None:
    """What is written of a version whose job ended before it was read: why."""
    rows = DatasetVersion.objects.filter(pk=job.subject, state=State.READING)
    rows.update(
        state=State.ERROR,
        error=job.reason if job.state == "failed" and job.reason else _FAILED.format("it was stopped"),
    )


def rows_csv(ids: Sequence[str], cells: Sequence[Sequence[str]]) -> bytes:
    """Texts of columns as they are kept: UTF-8 CSV under the ids of the columns."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(ids)
    writer.writerows(zip(*cells, strict=True))
    return out.getvalue().encode("utf-8", "replace")


def keep_rows(version: DatasetVersion, content: bytes) -> None:
    """Store `content` as the rows of a version; what it had before goes once the transaction is through."""
    old = str(version.rows.name or "")
    version.rows.save("rows.csv", ContentFile(content), save=False)
    if old and old != version.rows.name:
        storage = version.rows.storage
        transaction.on_commit(lambda: drop(storage, old))


def lines_of(version: DatasetVersion) -> Iterator[list[str]]:
    """The rows of a version, first the ids of its columns. Raises Refused when there are none to be read."""
    if not version.rows:
        raise Refused("These data have not been read yet.", field="data", code="not_read", status=409)
    try:
        with version.rows.open("rb") as stored, TextIOWrapper(stored, encoding="utf-8", newline="") as text:
            csv.field_size_limit(10_000_000)
            yield from csv.reader(text)
    except OSError as error:
        raise Refused(
            "The rows are no longer on the disk of the server. Upload the file again.", field="data", code="gone"
        ) from error


def cells_of(version: DatasetVersion, ids: Sequence[str]) -> dict[str, list[str]]:
    """The texts of the columns `ids` as they are kept. Raises Refused as `lines_of`."""
    lines = lines_of(version)
    at = {id_: place for place, id_ in enumerate(next(lines, []))}
    if missing := [one for one in ids if one not in at]:
        raise Refused(f"The data have no column {missing[0]}.", field="columns", code="unknown_column")
    places = [at[one] for one in ids]
    found: list[list[str]] = [[] for _ in ids]
    adding = list(zip([one.append for one in found], places, strict=True))
    known: dict[str, str] = {}
    for line in lines:
        for add, place in adding:
            text = line[place]
            add(known.setdefault(text, text))
    return dict(zip(ids, found, strict=True))


def preview(version: DatasetVersion, start: int = 1, count: int = 20) -> list[list[str]]:
    """`count` rows of a version from row `start` on (from 1), as they are kept."""
    first = max(1, start)
    return list(islice(lines_of(version), first, first + max(0, count)))


def copy_bytes(source: DatasetVersion, target: DatasetVersion, *, rows: bool) -> None:
    """The file of `source`, and with `rows` also its rows, for `target`. Raises Refused when they cannot be read."""
    if not source.upload:
        raise Refused("The file of this version was deleted. Upload it again.", field="file", code="gone")
    try:
        with source.upload.open("rb") as stored:
            target.upload.save("upload", stored, save=False)
        if rows:
            with source.rows.open("rb") as stored:
                target.rows.save("rows.csv", stored, save=False)
    except OSError as error:
        raise Refused(
            "The file is no longer on the disk of the server. Upload it again.", field="file", code="gone"
        ) from error


def remove_bytes(sender: type[DatasetVersion], instance: DatasetVersion, **_: Any) -> None:
    """Receiver of post_delete: the bytes go with their row, once that is sure."""
    for kept in (instance.upload, instance.rows):
        if kept:
            transaction.on_commit(lambda storage=kept.storage, name=str(kept.name): drop(storage, name))  # type: ignore[misc]


def drop_bytes(version: DatasetVersion) -> None:
    """Remove what was stored for a version that came to nothing."""
    for kept in (version.upload, version.rows):
        if kept:
            drop(kept.storage, str(kept.name))


def drop(storage: Any, name: str) -> None:
    """Delete a file that nothing points to any more; one that cannot be deleted stops nobody."""
    try:
        storage.delete(name)
    except OSError:  # nobody waits for it
        return
