"""The rows on the page of a dataset: questions about them, rows that are left out and why, and a preview (SPEC N1)."""

from typing import Any

from analysis.datasets.excluded_rows import left_out_of, numbers_of, questions_of, rows_text
from analysis.datasets.storage import preview
from analysis.models import DatasetVersion
from core.errors import Refused

SHOWN = 20  # rows listed in a question
AT_ONCE = 10  # rows of the preview
REASONS = ["total row", "entered twice", "withdrew consent", "did not meet the inclusion criteria"]


def rows_context(version: DatasetVersion, sent: dict[str, str] | None, leave: str) -> dict[str, Any]:
    """Return the template context about rows: questions with their cells, rows that are left out, and form fields."""
    questions = [
        {
            **one,
            "shown": list(zip(one["rows"][:SHOWN], one.get("cells") or [[]] * SHOWN, strict=False)),
            "more": max(0, len(one["rows"]) - SHOWN),
        }
        for one in questions_of(version)
    ]
    left = [
        {"rows": rows_text(one["rows"]), "count": len(one["rows"]), "reason": one["reason"]}
        for one in left_out_of(version)
    ]
    sent = sent or {}
    return {
        "questions": questions,
        "left_out": left,
        "left_out_count": sum(one["count"] for one in left),
        "rows_sent": sent.get("rows", "") or leave,
        "reason_sent": sent.get("reason", ""),
        "rows_open": bool(leave),
        "reasons": REASONS,
    }


def first_rows(version: DatasetVersion, start: str = "") -> dict[str, Any] | None:
    """Return `AT_ONCE` rows from row `start` on (counted from 1); None if the rows cannot be read.

    The result is {names, rows: [(number, cells)], first, last, before, after}. The number of a row is its number in the
    file, as in remarks.
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
