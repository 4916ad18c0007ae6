"""Deletion of a dataset or of some of its columns, with the files and every stored text that may quote their cells.

Results are kept, with the hash of their data file; when a dataset is deleted, its results say so (docs/privacy.md).
Columns such as names or telephone numbers are not needed by any analysis and should not be on the server (SPEC N1):
they are removed from the rows and from the stored file of every version. That file then becomes a CSV in which the
columns are blank; the other sheets of a workbook are deleted too.
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

from analysis.datasets.storage import cells_of, delete_on_commit, delete_stored, rows_csv, save_rows
from analysis.datasets.table_layout import remark
from analysis.models import Analysis, Dataset, DatasetVersion, Figure
from core.errors import Refused
from jobs.models import Job, JobEvent
from jobs.work import Stopped, raise_if_stopped
from projects.models import Project, User

NOTE = "[deleted with the data]"
_NO_RESULT = "There was no result. The reason was deleted with the data, because it may have quoted them."
KIND = "dataset-columns"
_QUOTED = 3  # characters: a shorter cell reveals nothing and would match in any sentence
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
    """Delete `dataset` with its versions and files. Jobs that read it or compute with it are cancelled.

    Separate figures are deleted too: they show the data and belong to no result.
    """
    with transaction.atomic():
        analyses = list(Analysis.objects.filter(data__dataset=dataset).select_related("data", "job"))
        jobs = set(dataset.versions.exclude(job=None).values_list("job", flat=True))
        jobs |= {one.job_id for one in analyses if one.job_id is not None}
        for job in Job.objects.filter(pk__in=jobs):
            job.ask("cancel")
        clear_failure_reasons(analyses, jobs)
        gone = {"deleted_at": timezone.now().isoformat(), "deleted_by": str(by or "")}
        for one in analyses:
            data = one.data
            assert data is not None
            version = {"dataset": dataset.name, "number": data.number, "rows": data.row_count, "sha256": data.sha256}
            # An analysis that was still waiting for R has no note of its data yet.
            one.request = {**one.request, "data_version": {**version, **gone}}
        Analysis.objects.bulk_update(analyses, ["request"], batch_size=200)
        clear_figures([one for one in analyses if one.kind == Analysis.Kind.FIGURE])
        dataset.delete()


def clear_failure_reasons(analyses: Collection[Analysis], jobs: Collection[UUID]) -> None:
    """Replace the reasons why `jobs` failed and `analyses` have no result, because both may quote the file."""
    Job.objects.filter(pk__in=jobs).exclude(reason="").update(reason=NOTE)
    JobEvent.objects.filter(job__in=jobs, kind="job_failed").update(text=NOTE, details={})
    failed = [one for one in analyses if one.error]
    for one in failed:
        one.error = one.unquoted_error(_NO_RESULT)
    Analysis.objects.bulk_update(failed, ["error"], batch_size=200)


def deletion_counts(dataset: Dataset) -> dict[str, int]:
    """Return the numbers for the confirmation page: `versions`, `analyses` of them, and `figures` to be deleted."""
    analyses = Analysis.objects.filter(data__dataset=dataset)
    return {
        "versions": dataset.versions.count(),
        "analyses": analyses.count(),
        "figures": Figure.objects.filter(analysis__in=analyses.filter(kind=Analysis.Kind.FIGURE)).count(),
    }


def deleted_data(analysis: Analysis) -> dict[str, Any] | None:
    """Return {dataset, number, sha256, deleted_at, deleted_by} of the deleted data of `analysis`.

    Older deletions have no deleted_at and deleted_by. None when the data still exist, or the analysis had none.
    """
    if analysis.data_id is not None or not isinstance(analysis.request, dict):
        return None
    return analysis.request.get("data_version") or None


def clear_figures(analyses: Collection[Analysis]) -> None:
    """Delete the images of the figures of `analyses`, and set their captions to NOTE."""
    figures = Figure.objects.filter(analysis__in=analyses)
    for figure in figures:
        delete_on_commit(figure.png, figure.pdf)
    figures.update(svg="", png="", pdf="", caption=NOTE, alt="")


def start_column_removal(dataset: Dataset, user: User, ids: Sequence[str], *, enqueue: bool = True) -> DatasetVersion:
    """Start a job that removes the columns `ids` of the newest version of `dataset` from all its versions.

    Other versions lose the columns of the same names. Returns the newest version, which has the state READING until the
    job is done. Raises Refused for data that were not read yet, for unknown columns, and when no column would remain.
    """
    with Project.objects.held(dataset.project_id):
        version: DatasetVersion | None = dataset.versions.first()
        if version is None or version.state not in (State.PROPOSED, State.READY):
            raise Refused(
                "These data have not been read yet. Wait until reading has finished.",
                field="columns",
                code="not_read",
                status=409,
            )
        names = {one["id"]: one["name"] for one in version.columns}
        if not ids:
            raise Refused("Choose the columns to remove.", field="columns", code="none_chosen")
        if (unknown := next((one for one in ids if one not in names), None)) is not None:
            raise Refused(f"The data have no column “{unknown[:40]}”.", field="columns", code="unknown_column")
        if set(ids) == set(names):
            raise Refused("No column would remain. Delete the data instead.", field="columns", code="all_columns")
        version.dataset = dataset
        version.reading = {**version.reading, "dropping": [names[one] for one in names if one in set(ids)]}
        version.state = State.READING
        version.job = Job.objects.start(
            project=dataset.project, kind=KIND, subject=version.pk, user=user, enqueue=enqueue
        )
        version.save(update_fields=["reading", "state", "job"])
    return version


def remove_columns(job: Job) -> None:
    """Remove the columns listed in the job's version. It can be repeated: finished versions are skipped."""
    newest: DatasetVersion | None = DatasetVersion.objects.select_related("dataset").filter(pk=job.subject).first()
    if newest is None:
        raise Stopped("The data were deleted.")
    names = newest.reading.get("dropping") or []
    # The newest version comes last: as long as it lists the columns, the job can be repeated.
    for version in newest.dataset.versions.order_by("number"):
        version.dataset = newest.dataset
        try:
            _remove_from_version(version, names, str(job.created_by or ""), lambda: raise_if_stopped(job))
        except Refused as refused:
            raise Stopped(
                f"Version {version.number} still contains the columns: {refused.message} "
                "Delete the data to remove them completely."
            ) from refused


def close(job: Job) -> None:
    """Make the version usable again when the job ends, with a remark when its columns were not removed."""
    version = DatasetVersion.objects.select_for_update().filter(pk=job.subject, state=State.READING).first()
    if version is None:
        return
    names = version.reading.pop("dropping", [])
    version.state = _state_before(version)
    if any(one["name"] in names for one in version.columns):
        said = f"These columns were not removed: {', '.join(names)}. {job.reason or 'The job was stopped.'}"
        version.remarks = [remark("error", "not_dropped", said), *version.remarks]
    version.save(update_fields=["reading", "state", "remarks"])


def _remove_from_version(version: DatasetVersion, names: Sequence[str], by: str, look: Callable[[], None]) -> None:
    """Remove the columns `names` from one version: its rows, its stored file and their descriptions."""
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
        "sha256": version.sha256,  # identifies the original file, which still has them
    }
    said = f"Removed from the data and from the stored file: {', '.join(dropped['columns'])}."
    with transaction.atomic():
        delete_on_commit(version.upload)
        version.upload.save("upload", ContentFile(content), save=False)
        save_rows(version, rows_csv(ids, [cells[one] for one in ids]))
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
        version.state = _state_before(version) if version.state == State.READING else version.state
        version.save(update_fields=_FIELDS)
        _forget_elsewhere(version, {one["id"] for one in gone})


def _forget_elsewhere(version: DatasetVersion, gone: Collection[str]) -> None:
    """Delete what is stored of the columns `gone` outside of the version; results keep their numbers.

    This is the figures that show them, and the reasons why analyses failed, which may quote any cell.
    """
    analyses = list(Analysis.objects.filter(data=version).select_related("job"))
    for one in analyses:
        if one.job is not None:
            one.job.ask("cancel")  # a running analysis has the cells
    clear_failure_reasons(analyses, {one.job_id for one in analyses if one.job_id is not None})
    clear_figures([one for one in analyses if one.kind == Analysis.Kind.FIGURE and _names(one.params, gone)])


def _names(value: Any, ids: Collection[str]) -> bool:
    """Return whether one of `ids` occurs anywhere in the parameters of an analysis."""
    if isinstance(value, dict | list):
        return any(_names(one, ids) for one in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, str) and value in ids


def _unquoted(said: dict[str, Any], stays: Sequence[bool], blanked: Collection[str]) -> dict[str, Any]:
    """Return a remark without quotations of removed columns, such as cells of total rows or of notes."""
    text = said["text"]
    for cell in sorted(blanked, key=len, reverse=True):
        text = text.replace(cell, "…")
    rows = [list(compress(row, stays)) for row in said.get("cells", [])]
    return {**said, "text": text} | ({"cells": rows} if rows else {})


def _forget_unread(version: DatasetVersion) -> None:
    """Delete the file of a version that could not be read, since it may contain the columns too."""
    if version.upload:
        delete_stored(version.upload.storage, str(version.upload.name))
        version.upload = ""
        version.error = "It could not be read. Its file was deleted when columns were removed from these data."
        version.save(update_fields=["upload", "error"])
        clear_failure_reasons([], [version.job_id] if version.job_id else [])


def _state_before(version: DatasetVersion) -> str:
    return State.READY if version.confirmed_at else State.PROPOSED


def _without(version: DatasetVersion, gone: Sequence[str]) -> tuple[bytes, set[str]]:
    """Return the file of `version` as CSV with blank cells in the columns `gone`, and the texts removed from these.

    The rows keep their places. Raises Refused.
    """
    # Pandas takes a second to load and is needed only here.
    from analysis.datasets.read_table import grid_of, places_of

    try:
        with version.upload.open("rb") as stored:
            data = stored.read()
    except OSError as error:
        raise Refused("The file is missing on the server.", field="file", code="gone") from error
    grid = grid_of(data, version.file_name, version.reading)
    places = places_of(grid, version.reading)
    if len(places) != len(version.columns):
        raise Refused("The columns of its stored file have changed.", field="file", code="other_columns")
    blank = {place for one, place in zip(version.columns, places, strict=True) if one["id"] in gone}
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    at = 1
    for number, row in zip(grid.numbers, grid.rows, strict=True):
        out.write("\n" * (number - at))  # keeps the row numbers, which remarks and errors name
        writer.writerow(["" if place in blank else cell for place, cell in enumerate(row)] or [""])
        at = number + 1
    blanked = {row[place].strip() for row in grid.rows for place in blank if place < len(row)}
    return out.getvalue().encode("utf-8", "replace"), {text for text in blanked if len(text) >= _QUOTED}
