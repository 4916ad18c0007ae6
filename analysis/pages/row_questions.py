"""What the page of a dataset says of rows: questions about some, which are left out and why (SPEC N1)."""

from typing import Any

from analysis.datasets.left_out import left_out_of, questions_of, rows_text
from analysis.models import DatasetVersion

SHOWN = 20  # rows of a question
REASONS = ["total row", "entered twice", "withdrew consent", "did not meet the inclusion criteria"]


def rows_context(version: DatasetVersion, sent: dict[str, str] | None, leave: str) -> dict[str, Any]:
    """What the page says of rows: questions with the cells of their rows, rows that are left out, the form's fields."""
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
