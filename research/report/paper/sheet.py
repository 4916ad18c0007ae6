"""A report for paper: what both the PDF and the Word file say around it (SPEC R14)."""

from dataclasses import dataclass
from datetime import datetime

from research.models import Run
from research.query_type import called
from research.report.document import Document, read_report


@dataclass(frozen=True)
class Sheet:
    """`kind` is the line above the title; `engine` stands at the foot of every page; `at` is when it was completed."""

    name: str
    kind: str
    engine: str
    at: datetime
    document: Document


def sheet_of(run: Run) -> Sheet:
    at = run.completed_at or run.created_at
    kind = ", ".join(filter(None, [called(run.query_type), f"{at.day} {at:%B %Y}"]))
    return Sheet(run.title or run.question, kind, f"Scholium. {run.engine}", at, read_report(run.report))
