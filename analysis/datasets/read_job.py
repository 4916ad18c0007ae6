"""The job that reads the file of a dataset's version into its rows."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from analysis.datasets.carried import carry_over
from analysis.datasets.storage import drop, keep_rows, rows_csv
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
