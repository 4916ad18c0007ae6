"""Rows of a dataset as they were read, a few at a time, for whoever wants to see them (SPEC N1)."""

from typing import Any

from analysis.datasets.left_out import numbers_of
from analysis.datasets.storage import preview
from analysis.models import DatasetVersion
from core.errors import Refused

AT_ONCE = 10


def first_rows(version: DatasetVersion, start: str = "") -> dict[str, Any] | None:
    """`AT_ONCE` rows from row `start` on (counted from 1): {names, rows: [(number, cells)], first, last, before, after}.

    A row's number is that in the file, as remarks name it. None when the rows cannot be read.
    """
    at = max(1, min(int(start) if start.isdecimal() and len(start) < 9 else 1, max(version.row_count, 1)))
    try:
        rows = preview(version, at, AT_ONCE)
    except Refused:
        return None
    last = at + len(rows) - 1
    return {
        "names": [column["name"] for column in version.columns],
        "rows": list(zip(numbers_of(version, at, len(rows)), rows, strict=True)),
        "first": at,
        "last": last,
        "before": max(1, at - AT_ONCE) if at > 1 else None,
        "after": last + 1 if last < version.row_count else None,
    }
