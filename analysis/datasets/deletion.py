"""A person deletes a dataset, or columns of it: the bytes go, and the cells out of what was kept of reading and analyses.

Results stay, and the hash of the file they were made on; where a dataset went, they say so (docs/privacy.md). A column of
names or telephone numbers is not needed by any analysis and should not lie on the server (SPEC N1): it goes from the rows
and from the stored file, in every version. What is stored as the file is then a CSV in which these columns are blank; the
other sheets of a workbook go with them.
"""

import csv
import hashlib
import io
from collections.abc import Callable, Collection, Sequence
from itertools import compress
from typing import Any
from uuid import UUID

from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone

from analysis.datasets.storage import cells_of, drop, drop_later, keep_rows, rows_csv
from analysis.datasets.table_layout import remark
from analysis.models import Analysis, Dataset, DatasetVersion, Figure
from core.errors import Refused
from jobs.models import Job, JobEvent
from jobs.work import Stopped, asked_of
from projects.models import Project, User

NOTE = "[deleted with the data]"
_NO_RESULT = "There was no result. Why was deleted with the data, since it may have quoted them."
KIND = "dataset-columns"
_QUOTED = 3  # characters: a shorter cell says nothing, and stands in any sentence
State = DatasetVersion.State
_FIELDS = [
    "upload",
    "rows",
    "file_name",
    "size",
    "sha256",
    "reading",
    "sheets",
    "columns",
    "summary",
    "remarks",
    "state",
]


def delete_dataset(dataset: Dataset, by: User | None) -> None:
    """Delete `dataset` with its versions and their bytes. What reads it, or computes on it, is stopped.

    Figures that were asked for by themselves go as well: they draw the data, and no number of a result is in them.
    """
    with transaction.atomic():
        analyses = list(Analysis.objects.filter(data__dataset=dataset).select_related("data", "job"))
        jobs = set(dataset.versions.exclude(job=None).values_list("job", flat=True))
        jobs |= {one.job_id for one in analyses if one.job_id is not None}
        for job in Job.objects.filter(pk__in=jobs):
            job.ask("cancel")
        forget_reasons(analyses, jobs)
        gone = {"deleted_at": timezone.now().isoformat(), "deleted_by": str(by or "")}
        for one in analyses:
            data = one.data
            assert data is not None
            version = {"dataset": dataset.name, "number": data.number, "rows": data.row_count, "sha256": data.sha256}
            # It may have waited for R: then nothing says yet what it was asked of.
            one.request = {**one.request, "data_version": {**version, **gone}}
        Analysis.objects.bulk_update(analyses, ["request"], batch_size=200)
        drop_pictures([one for one in analyses if one.kind == Analysis.Kind.FIGURE])
        dataset.delete()


def forget_reasons(analyses: Collection[Analysis], jobs: Collection[UUID]) -> None:
    """Take out why `jobs` failed, and why `analyses` have no result: both say it in words of the file."""
    Job.objects.filter(pk__in=jobs).exclude(reason="").update(reason=NOTE)
    JobEvent.objects.filter(job__in=jobs, kind="job_failed").update(text=NOTE, details={})
    failed = [one for one in analyses if one.error]
    for one in failed:
        one.error = one.unquoted_error(_NO_RESULT)
    Analysis.objects.bulk_update(failed, ["error"], batch_size=200)


def uses_of(dataset: Dataset) -> dict[str, int]:
    """Return what the page says before it deletes: how many `versions`, `analyses` on them, and `figures` that go."""
    analyses = Analysis.objects.filter(data__dataset=dataset)
    return {
        "versions": dataset.versions.count(),
        "analyses": analyses.count(),
        "figures": Figure.objects.filter(analysis__in=analyses.filter(kind=Analysis.Kind.FIGURE)).count(),
    }


def deleted_data(analysis: Analysis) -> dict[str, Any] | None:
    """{dataset, number, sha256, deleted_at, deleted_by} of data that `analysis` was made on and that were deleted; of
    data that went before this was noted without the last two. None where they are there, or it had none.
    """
    if analysis.data_id is not None or not isinstance(analysis.request, dict):
        return None
    return analysis.request.get("data_version") or None


def drop_pictures(analyses: Collection[Analysis]) -> None:
    """Delete the figures of `analyses`, and say so in their place."""
    figures = Figure.objects.filter(analysis__in=analyses)
    for figure in figures:
        drop_later(figure.png, figure.pdf)
    figures.update(svg="", png="", pdf="", caption=NOTE, alt="")


def start_dropping(dataset: Dataset, user: User, ids: Sequence[str], *, enqueue: bool = True) -> DatasetVersion:
    """Have a worker remove the columns `ids` of the newest version of `dataset`, and those of the same name in its other
    versions. Returns that version, which is being read until it is done.

    Raises Refused for data that are not read yet, for unknown columns, and where no column would stay.
    """
    with Project.objects.held(dataset.project_id):
        version: DatasetVersion | None = dataset.versions.first()
        if version is None or version.state not in (State.PROPOSED, State.READY):
            raise Refused(
                "These data are not read yet. Wait until they are.", field="columns", code="not_read", status=409
            )
        names = {one["id"]: one["name"] for one in version.columns}
        if not ids:
            raise Refused("Choose the columns to remove.", field="columns", code="none_chosen")
        if unknown := next((one for one in ids if one not in names), ""):
            raise Refused(f"The data have no column {unknown[:40]}.", field="columns", code="unknown_column")
        if set(ids) == set(names):
            raise Refused("No column would be left. Delete the data instead.", field="columns", code="all_columns")
        version.dataset = dataset
        version.reading = {**version.reading, "dropping": [names[one] for one in names if one in set(ids)]}
        version.state = State.READING
        version.job = Job.objects.start(
            project=dataset.project, kind=KIND, subject=version.pk, user=user, enqueue=enqueue
        )
        version.save(update_fields=["reading", "state", "job"])
    return version


def drop_columns(job: Job) -> None:
    """Remove what the job's version says is to be dropped. Again after a crash: versions that are done are left alone."""
    newest: DatasetVersion | None = DatasetVersion.objects.select_related("dataset").filter(pk=job.subject).first()
    if newest is None:
        raise Stopped("The data were deleted.")
    names = newest.reading.get("dropping") or []
    # The newest at the end: as long as it names what is to be dropped, the job can begin again.
    for version in newest.dataset.versions.order_by("number"):
        version.dataset = newest.dataset
        try:
            _strip(version, names, str(job.created_by or ""), lambda: asked_of(job))
        except Refused as refused:
            raise Stopped(
                f"Version {version.number} still holds the columns: {refused.message} Delete the data to be rid of them."
            ) from refused


def close(job: Job) -> None:
    """A version whose columns were to be dropped can be used again, whether they were or not."""
    version = DatasetVersion.objects.select_for_update().filter(pk=job.subject, state=State.READING).first()
    if version is None:
        return
    names = version.reading.pop("dropping", [])
    version.state = _was(version)
    if any(one["name"] in names for one in version.columns):
        said = f"These columns were not removed: {', '.join(names)}. {job.reason or 'It was stopped.'}"
        version.remarks = [remark("error", "not_dropped", said), *version.remarks]
    version.save(update_fields=["reading", "state", "remarks"])


def _strip(version: DatasetVersion, names: Sequence[str], by: str, look: Callable[[], None]) -> None:
    """Take the columns `names` out of one version: its rows, its stored file, what is known of them."""
    gone = [one for one in version.columns if one["name"] in names]
    kept = [one for one in version.columns if one["name"] not in names]
    if version.state == State.ERROR:
        _forget_unread(version)
    elif gone and not kept:
        _forget_elsewhere(version, {one["id"] for one in gone})
        version.delete()
    if version.state == State.ERROR or not gone or not kept:
        return
    content, blanked = _without(version, [one["id"] for one in gone])
    ids = [one["id"] for one in kept]
    cells = cells_of(version, ids)
    look()
    reading = {name: value for name, value in version.reading.items() if name not in ("sheet", "dropping")}
    dropped = {
        "columns": [one["name"] for one in gone],
        "by": by,
        "at": timezone.now().isoformat(),
        "sha256": version.sha256,  # by which the file is known that still has them
    }
    said = f"Removed from the data and from the stored file: {', '.join(dropped['columns'])}."
    with transaction.atomic():
        drop_later(version.upload)
        version.upload.save("upload", ContentFile(content), save=False)
        keep_rows(version, rows_csv(ids, [cells[one] for one in ids]))
        version.file_name = f"{version.file_name.rpartition('.')[0] or version.file_name}.csv"
        version.size, version.sha256 = len(content), hashlib.sha256(content).hexdigest()
        version.reading = reading | {
            "separator": ",",
            "encoding": "utf-8",
            "dropped": [*version.reading.get("dropped", []), dropped],
        }
        version.sheets = []
        version.summary = {id_: one for id_, one in version.summary.items() if id_ in ids}
        left = [one for one in version.remarks if one.get("column", ids[0]) in ids]
        stays = [one in kept for one in version.columns]
        version.remarks = [*(_unquoted(one, stays, blanked) for one in left), remark("note", "dropped", said)]
        version.columns = kept
        version.state = _was(version) if version.state == State.READING else version.state
        version.save(update_fields=_FIELDS)
        _forget_elsewhere(version, {one["id"] for one in gone})


def _forget_elsewhere(version: DatasetVersion, gone: Collection[str]) -> None:
    """Take out what is kept of the columns `gone` outside of the version: figures that draw them, and why an analysis has no
    result, which may quote any cell. Results keep their numbers.
    """
    analyses = list(Analysis.objects.filter(data=version).select_related("job"))
    for one in analyses:
        if one.job is not None:
            one.job.ask("cancel")  # what still computes has been sent the cells
    forget_reasons(analyses, {one.job_id for one in analyses if one.job_id is not None})
    drop_pictures([one for one in analyses if one.kind == Analysis.Kind.FIGURE and _names(one.params, gone)])


def _names(value: Any, ids: Collection[str]) -> bool:
    """Return whether one of `ids` stands somewhere in the options of an analysis."""
    if isinstance(value, dict | list):
        return any(_names(one, ids) for one in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, str) and value in ids


def _unquoted(said: dict[str, Any], stays: Sequence[bool], blanked: Collection[str]) -> dict[str, Any]:
    """Return a remark without what it quotes of the columns that go: the row that looks like a total, a note below the table."""
    text = said["text"]
    for cell in sorted(blanked, key=len, reverse=True):
        text = text.replace(cell, "…")
    rows = [list(compress(row, stays)) for row in said.get("cells", [])]
    return {**said, "text": text} | ({"cells": rows} if rows else {})


def _forget_unread(version: DatasetVersion) -> None:
    """Delete the file of a version that could not be read: it may hold the columns as well."""
    if version.upload:
        drop(version.upload.storage, str(version.upload.name))
        version.upload = ""
        version.error = "It could not be read. Its file was deleted when columns were removed from these data."
        version.save(update_fields=["upload", "error"])
        forget_reasons([], [version.job_id] if version.job_id else [])


def _was(version: DatasetVersion) -> str:
    return State.READY if version.confirmed_at else State.PROPOSED


def _without(version: DatasetVersion, gone: Sequence[str]) -> tuple[bytes, set[str]]:
    """Return the stored file of `version` as CSV, its rows where they were, blank in the columns `gone`; and what stood in these.
    Raises Refused.
    """
    # Pandas takes a second to load, and only here is it needed.
    from analysis.datasets.read_table import grid_of, places_of

    try:
        with version.upload.open("rb") as stored:
            data = stored.read()
    except OSError as error:
        raise Refused("The file is no longer on the disk of the server.", field="file", code="gone") from error
    grid = grid_of(data, version.file_name, version.reading)
    places = places_of(grid, version.reading)
    if len(places) != len(version.columns):
        raise Refused("Its stored file has other columns than were read from it.", field="file", code="other_columns")
    blank = {place for one, place in zip(version.columns, places, strict=True) if one["id"] in gone}
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    at = 1
    for number, row in zip(grid.numbers, grid.rows, strict=True):
        out.write("\n" * (number - at))  # rows keep their numbers, by which remarks and errors name them
        writer.writerow(["" if place in blank else cell for place, cell in enumerate(row)] or [""])
        at = number + 1
    blanked = {row[place].strip() for row in grid.rows for place in blank if place < len(row)}
    return out.getvalue().encode("utf-8", "replace"), {text for text in blanked if len(text) >= _QUOTED}
