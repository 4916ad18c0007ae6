"""Changes to several columns of a version at once: what it will be, before anything is written."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from analysis.datasets.changes import WORDS, changed, refuse_bad, refuse_unordered, reworded
from analysis.datasets.left_out import numbers_in
from analysis.datasets.storage import cells_of, keep_rows, rows_csv
from analysis.datasets.summary import resaid
from analysis.models import DatasetVersion
from core.errors import Refused


@dataclass
class Made:
    """What a version becomes. `rows` are its rows where cells of it are kept otherwise now; None where they stay."""

    columns: list[dict[str, Any]]
    summary: dict[str, Any]
    rows: bytes | None
    is_changed: bool

    def write(self, version: DatasetVersion) -> None:
        """Give all of it to `version`, which is not saved."""
        version.columns, version.summary = self.columns, self.summary
        if self.rows is not None:
            keep_rows(version, self.rows)


def apply(version: DatasetVersion, changes: Mapping[str, Mapping[str, Any]]) -> Made:
    """`version` with `changes` of its columns by their ids. Raises Refused for an unknown column, for what a column cannot
    be, and while cells of it are not of its type."""
    import pandas as pd

    known = {one["id"] for one in version.columns}
    if unknown := next((one for one in changes if one not in known), None):
        raise Refused(
            f"The data have no column {str(unknown)[:40]}.", field=f"columns.{unknown}", code="unknown_column"
        )
    # Another label or unit changes nothing of the cells, which are many.
    touched = [one["id"] for one in version.columns if set(changes.get(one["id"], ())) - set(WORDS)]
    cells = cells_of(version, touched) if touched else {}
    rows = numbers_in(version) if touched else []
    columns, summary, other = [], dict(version.summary), {}
    for column in version.columns:
        made = None
        if column["id"] in cells:
            texts = pd.Series(cells[column["id"]], index=rows, dtype=object)
            made = changed(column, changes[column["id"]], texts, version.reading)
        elif changes.get(column["id"]):
            column = reworded(column, changes[column["id"]])
            summary[column["id"]] = resaid(column, summary.get(column["id"]) or {"n": 0})
        if made:
            summary[column["id"]] = made.summary
            if made.cells is not None:
                other[column["id"]] = made.cells
        columns.append(made.column if made else column)
    for column in columns:
        refuse_bad(column)
        refuse_unordered(column)
    content = None
    if other:
        ids = [one["id"] for one in columns]
        whole = cells_of(version, ids)
        content = rows_csv(ids, [other.get(id_, whole[id_]) for id_ in ids])
    return Made(columns, summary, content, columns != version.columns)
