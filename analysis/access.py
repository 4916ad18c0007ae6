"""Data and analyses as shown to members without access to the cells (docs/privacy.md).

The hidden values are removed from the model instance before a page or the API gets it, so that neither can forget to
check. Such an instance is never saved, because members without access to data cannot write.
"""

from collections.abc import Mapping
from typing import Any

from analysis.models import Analysis, DatasetVersion
from projects.access import may_open_data
from projects.models import Project

# A category with fewer rows might identify a person, so its name is hidden like a cell.
MIN_CATEGORY_ROWS = 5
_OF_A_COLUMN = ("id", "name", "label", "unit", "type", "level_of_measurement")
_OF_A_SUMMARY = ("n", "missing")
_OF_A_READING = ("sheet", "separator", "encoding", "decimal", "thousands", "header_rows", "first_row", "day_first")
_REASON_HIDDEN = "The reason is not shown to you, because it may quote cells of the data."


def hide_version_cells(version: DatasetVersion, project: Project) -> DatasetVersion:
    """Return `version` without its cells when the user for whom `project` was loaded may not open data.

    Names, labels, units and types of columns remain, and the numbers of present and missing values. Of columns
    confirmed as categories, those with at least FEWEST rows remain with their labels; of yes-or-no columns, the labels.
    """
    if may_open_data(project):
        return version
    is_confirmed = version.state == DatasetVersion.State.READY
    version.columns = [_column(one, version.summary.get(one["id"]) or {}, is_confirmed) for one in version.columns]
    version.summary = {
        id_: {name: one[name] for name in _OF_A_SUMMARY if name in one} for id_, one in version.summary.items()
    }
    version.reading = {name: version.reading[name] for name in _OF_A_READING if name in version.reading}
    version.remarks = []
    version.error = _REASON_HIDDEN if version.error else ""
    return version


def hide_analysis_cells(analysis: Analysis, project: Project) -> Analysis:
    """Return `analysis` with its result, but without a reason for failure that may quote cells, as
    `hide_version_cells`.
    """
    if may_open_data(project):
        return analysis
    if analysis.error:
        analysis.error = analysis.unquoted_error(_REASON_HIDDEN)
    if analysis.job is not None:
        analysis.job.reason = ""
    return analysis


def _column(column: Mapping[str, Any], summary: Mapping[str, Any], is_confirmed: bool) -> dict[str, Any]:
    shown = {name: column[name] for name in _OF_A_COLUMN if name in column}
    if column.get("personal"):
        return {**shown, "personal": column["personal"]}
    if is_confirmed and column.get("type") in ("factor", "ordered"):
        counts = {one["label"]: one["count"] for one in summary.get("counts") or []}
        shown["levels"] = [one for one in column.get("levels") or [] if counts.get(one, 0) >= MIN_CATEGORY_ROWS]
    labels = column.get("labels") or {}
    if column.get("type") == "logical":
        shown["labels"] = labels
    elif kept := {level: labels[level] for level in shown.get("levels", ()) if level in labels}:
        shown["labels"] = kept
    return shown
