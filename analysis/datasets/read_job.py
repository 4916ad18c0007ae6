"""The job that reads the file of a dataset version."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from analysis.datasets.column_changes import CHANGES, ColumnChange, change_column, with_level_labels, with_level_order
from analysis.datasets.column_summary import summary_of, with_summary_line
from analysis.datasets.excluded_rows import left_out_words
from analysis.datasets.read_table import Table, read_table
from analysis.datasets.storage import delete_stored, rows_csv, save_rows
from analysis.datasets.table_layout import remark
from analysis.datasets.units import unit_in
from analysis.models import DatasetVersion
from core.errors import Refused
from core.storable_text import storable
from jobs.models import Job
from jobs.work import Stopped, raise_if_stopped

State = DatasetVersion.State
_GONE = "The data were deleted. Nothing was read."


def read(job: Job) -> None:
    """Read the file of the job's version. It can be repeated after a crash, since rows are written only at the end."""
    version: DatasetVersion | None = DatasetVersion.objects.select_related("dataset").filter(pk=job.subject).first()
    if version is None:
        raise Stopped(_GONE)
    if version.state == State.READING:
        try:
            read_version(version, lambda: raise_if_stopped(job))
        except Refused as refused:
            raise Stopped(refused.message) from refused


def read_version(version: DatasetVersion, look: Any = None) -> None:
    """Read the stored file of a version and store its rows, columns and remarks. Raises Refused when it is unreadable.

    `look` is called before anything is written, and may raise to cancel.
    """
    try:
        with version.upload.open("rb") as stored:
            data = stored.read()
    except OSError as error:
        raise Refused("The file is missing on the server. Upload it again.", field="file", code="gone") from error
    table = read_table(data, version.file_name, version.reading)
    del data
    if look:
        look()
    is_confirmed = carry_over(version, table)
    version.columns, version.summary = storable(table.columns), storable(table.summary)
    version.remarks, version.sheets = storable(table.remarks), storable(table.sheets)
    dropped = {name: version.reading[name] for name in ("dropped",) if name in version.reading}
    version.reading, version.row_count = storable(table.reading) | dropped, table.row_count
    save_rows(version, rows_csv(list(table.frame.columns), [table.frame[id_].tolist() for id_ in table.frame.columns]))
    version.state, version.error = State.PROPOSED, ""
    if is_confirmed:
        version.state, version.confirmed_by, version.confirmed_at = State.READY, version.created_by, timezone.now()
    with transaction.atomic():
        kept = DatasetVersion.objects.select_for_update().filter(pk=version.pk, state=State.READING)
        if not kept.exists():  # it was deleted, or read by another worker in the meantime
            delete_stored(version.rows.storage, str(version.rows.name))
            raise Refused(_GONE)
        version.save(
            update_fields=[
                "columns",
                "summary",
                "remarks",
                "sheets",
                "reading",
                "row_count",
                "rows",
                "state",
                "error",
                "confirmed_by",
                "confirmed_at",
            ]
        )


def close(job: Job) -> None:
    """Mark a version as unreadable, with the reason, when its job ended before it was read."""
    DatasetVersion.objects.filter(pk=job.subject, state=State.READING).update(
        state=State.ERROR,
        error=job.reason
        if job.state == "failed" and job.reason
        else "Reading was stopped before it finished. The file is stored: read it again.",
    )


# Remarks on a column that remain true whatever its type.
_STILL = ("personal", "missing", "blank_name", "same_name", "no_unit", "unit_spellings", "unit_changed", "extreme")


def carry_over(version: DatasetVersion, table: Table) -> bool:
    """Propose for the columns of `table` the settings confirmed for columns of the same name in the last version.

    When `version` only leaves out other rows than a confirmed version (reading "as_version"), all confirmed settings
    are kept. Returns True when that succeeded for every column and no question is open.
    """
    same = version.reading.get("as_version")
    ready = DatasetVersion.objects.filter(
        dataset=version.dataset_id, number__lt=version.number, state=DatasetVersion.State.READY
    ).order_by("-number")
    last: DatasetVersion | None = (ready.filter(number=same) if same else ready).first()
    if last is None:
        return False
    if not same and last.sha256 != version.sha256 and last.reading.get("left_out"):
        table.remarks.insert(0, _left_out_before(last))
    known = {one["name"]: one for one in last.columns}
    for place, column in enumerate(table.columns):
        before = known.get(column["name"])
        if before is None:
            continue
        if not same and (said := _unit_remark(before, column, last.number)):
            table.remarks.append(said)
        made = (
            _as_confirmed(before, column, table)
            if same
            else _with_previous_labels(before, column, _wanted(before, column), table)
        )
        if made is not None and not made.column["bad"]:
            _apply_change(made, column["id"], place, last.number, table)
    # These must be resolved before a column can be confirmed.
    is_open = any(one["bad"] or one.get("units") or one.get("order_unknown") for one in table.columns)
    return bool(same) and not is_open and all(one["level"] != "question" for one in table.remarks)


def _as_confirmed(before: dict[str, Any], column: dict[str, Any], table: Table) -> ColumnChange:
    """Return `column` as it was confirmed, without categories that no row has any more; the others keep their order."""
    wanted = {name: before[name] for name in CHANGES if name in before}
    column = {**column, "levels": wanted.pop("levels")}
    return change_column(column, wanted, table.frame[column["id"]], table.reading) or ColumnChange(
        column, summary_of(column, table.frame[column["id"]].tolist()), None
    )


def _apply_change(made: ColumnChange, id_: str, place: int, number: int, table: Table) -> None:
    if made.cells is not None:
        table.frame[id_] = made.cells
    made.column["proposed"] = {
        "type": made.column["type"],
        "level_of_measurement": made.column["level_of_measurement"],
        "reason": f"As confirmed in version {number}.",
        "is_sure": True,
    }
    table.columns[place] = made.column
    table.summary[id_] = made.summary
    table.remarks[:] = [one for one in table.remarks if one.get("column") != id_ or one["code"] in _STILL]


def _left_out_before(last: DatasetVersion) -> dict[str, Any]:
    return remark(
        "warning",
        "left_out_before",
        f"In version {last.number}: {left_out_words(last.reading['left_out'])} "
        "This is another file, and all its rows are included: leave these rows out again if it contains them.",
    )


def _with_previous_labels(
    before: dict[str, Any], column: dict[str, Any], wanted: dict[str, Any], table: Table
) -> ColumnChange | None:
    """Return `column` with the `wanted` changes and with the labels its levels had, as far as these still fit."""
    made = change_column(column, wanted, table.frame[column["id"]], table.reading) if wanted else None
    if made is None and not before.get("labels"):
        return None
    made = made or ColumnChange(column, table.summary[column["id"]], None)
    try:
        found = with_level_labels({**made.column, "labels": before.get("labels") or made.column.get("labels", {})}, {})
    except Refused:  # a label is now also a value of the column
        found = {name: value for name, value in made.column.items() if name != "labels"}
    if new := set(found["levels"]) - set(before["levels"]):
        found = with_level_order(found, {**before, "order_unknown": bool(new)}, is_said=False)
    return made._replace(column=found, summary=with_summary_line(found, made.summary))


def _unit_remark(before: dict[str, Any], column: dict[str, Any], number: int) -> dict[str, Any] | None:
    """Return a remark when the unit in the cells differs from that of the last version."""
    old, new = unit_in(before.get("unit") or ""), unit_in(column["unit"])
    if old is None or new is None or old.size == new.size:
        return None
    return remark(
        "warning",
        "unit_changed",
        f"Version {number} was in {before['unit']}; this file is in {column['unit']}. "
        "Results from the two cannot be compared.",
        column=column["id"],
    )


def _wanted(before: dict[str, Any], column: dict[str, Any]) -> dict[str, Any]:
    """Return the changes that turn a column as proposed now into the column as it was confirmed."""
    wanted = {
        name: before[name]
        for name in ("label", "unit", "identifies", "type", "level_of_measurement")
        if before.get(name) and before[name] != column.get(name)
    }
    if column["unit"]:  # the cells contain it
        wanted.pop("unit", None)
    missing = sorted({*before["missing"], *column["missing"]})
    if missing != column["missing"]:
        wanted["missing"] = missing
    levels = [one for one in before["levels"] if one in column["levels"]]
    levels += [one for one in column["levels"] if one not in levels]
    if levels and levels != column["levels"]:
        wanted["levels"] = levels
    return wanted
