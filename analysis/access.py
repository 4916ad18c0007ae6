"""What those see of data and analyses to whom the cells of a thesis are closed (docs/privacy.md).

What is closed is taken off the row in memory, before a page or the API has it, so that neither can forget to ask. A row
of which something was taken is never saved: who may not open data may not write.
"""

from collections.abc import Mapping
from typing import Any

from analysis.models import Analysis, DatasetVersion
from projects.access import may_open_data
from projects.models import Project

# Of fewer rows a group may be one person whom somebody knows; its name is no more told than a cell is.
FEWEST = 5
_OF_A_COLUMN = ("id", "name", "label", "unit", "type", "level_of_measurement")
_OF_A_SUMMARY = ("n", "missing")
_OF_A_READING = ("sheet", "separator", "encoding", "decimal", "thousands", "header_rows", "first_row", "day_first")
_UNSAID = "Why is not shown to you, since it may quote cells of the data."


def closed_version(version: DatasetVersion, project: Project) -> DatasetVersion:
    """`version` as the person sees it for whom `project` was found: without its cells, where these are closed.

    Names, labels, units and types of columns stay, how many values there are and how many are missing, and of columns
    that were confirmed as groups the names and labels of groups with at least FEWEST rows, and the labels of yes and no.
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
    version.error = _UNSAID if version.error else ""
    return version


def closed_analysis(analysis: Analysis, project: Project) -> Analysis:
    """`analysis` likewise: its result stays, the reason why there is none may quote cells."""
    if may_open_data(project):
        return analysis
    if analysis.error:
        analysis.error = analysis.unquoted_error(_UNSAID)
    if analysis.job is not None:
        analysis.job.reason = ""
    return analysis


def _column(column: Mapping[str, Any], summary: Mapping[str, Any], is_confirmed: bool) -> dict[str, Any]:
    shown = {name: column[name] for name in _OF_A_COLUMN if name in column}
    if column.get("personal"):
        return {**shown, "personal": column["personal"]}
    if is_confirmed and column.get("type") in ("factor", "ordered"):
        counts = {one["label"]: one["count"] for one in summary.get("counts") or []}
        shown["levels"] = [one for one in column.get("levels") or [] if counts.get(one, 0) >= FEWEST]
    labels = column.get("labels") or {}
    if column.get("type") == "logical":
        shown["labels"] = labels
    elif kept := {level: labels[level] for level in shown.get("levels", ()) if level in labels}:
        shown["labels"] = kept
    return shown
