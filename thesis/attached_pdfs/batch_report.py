"""The report of a batch of PDFs, in groups: what needs a person comes first (SPEC X8)."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from citations.models import Citation
from projects.models import Project
from thesis.models import AttachedPdf, BatchedPdf, PdfBatch

_O = BatchedPdf.Outcome
_ORDER = (
    (_O.CONFLICT, "Conflict: not attached"),
    (_O.UNMATCHED, "No match found"),
    (_O.SCAN, "Scan without text"),
    (_O.UNREADABLE, "Could not be read"),
    (_O.REFUSED, "Not uploaded"),
    (_O.WAITING, "Not looked at yet"),
    (_O.ADDED, "Added to the citations and attached"),
    (_O.ATTACHED, "Attached"),
    (_O.COPY, "Copies of another file"),
)
_DETACHED = "It was attached, and detached later."
_BY_HAND = "A person attached it."


@dataclass(frozen=True)
class ReportedPdf:
    """A file as it is now. `citation` is the reference it is attached to, `suggested` one that it may be."""

    row: BatchedPdf
    outcome: str
    reason: str
    citation: Citation | None = None
    suggested: Citation | None = None

    @property
    def is_open(self) -> bool:
        """Whether a person can attach it."""
        return self.citation is None and self.row.file_id is not None and self.outcome not in (_O.WAITING, _O.COPY)


@dataclass
class ReportGroup:
    """The files with one outcome."""

    outcome: str
    label: str
    files: list[ReportedPdf] = field(default_factory=list)


def report_of(batch: PdfBatch) -> list[ReportGroup]:
    """Return the files of a batch in groups by their present outcome; empty groups are left out."""
    groups = {outcome: ReportGroup(outcome, label) for outcome, label in _ORDER}
    for one in reported_files(batch):
        groups[_O(one.outcome)].files.append(one)
    return [group for group in groups.values() if group.files]


def reported_files(batch: PdfBatch) -> list[ReportedPdf]:
    """Return the files of a batch in the order in which they were uploaded, each as it is now."""
    rows = list(batch.rows.select_related("file", "citation"))
    attached = {
        one.file_id: one.citation
        for one in AttachedPdf.objects.filter(file__in=[row.file_id for row in rows]).select_related("citation")
    }
    return [_reported(row, attached.get(row.file_id) if row.file_id else None) for row in rows]


def _reported(row: BatchedPdf, citation: Citation | None) -> ReportedPdf:
    is_found = row.outcome in (_O.ATTACHED, _O.ADDED)
    if row.outcome == _O.COPY:
        return ReportedPdf(row, row.outcome, row.reason, citation)
    if citation is None:
        outcome = _O.UNMATCHED if is_found else row.outcome
        return ReportedPdf(row, outcome, _DETACHED if is_found else row.reason, suggested=row.citation)
    if is_found and citation.pk == row.citation_id:
        return ReportedPdf(row, row.outcome, row.reason, citation)
    return ReportedPdf(row, _O.ATTACHED, _BY_HAND, citation)


def headline(groups: Iterable[ReportGroup]) -> str:
    """Return a report in one sentence: "24 attached, 4 added and attached, 12 need you."."""
    counts = {group.outcome: len(group.files) for group in groups}
    needed = sum(counts.get(name, 0) for name in (_O.CONFLICT, _O.UNMATCHED, _O.SCAN, _O.UNREADABLE, _O.REFUSED))
    parts = [
        (counts.get(_O.ATTACHED, 0), "attached"),
        (counts.get(_O.ADDED, 0), "added and attached"),
        (needed, "not attached"),
        (counts.get(_O.COPY, 0), "copy of another" if counts.get(_O.COPY) == 1 else "copies of others"),
        (counts.get(_O.WAITING, 0), "not looked at yet"),
    ]
    said = [f"{count:,} {words}" for count, words in parts if count]
    return f"{', '.join(said)}." if said else "No files."


def newest_batches(project: Project, most: int = 20) -> list[PdfBatch]:
    """Return the newest batches of a thesis, without those whose files were all deleted."""
    rows = PdfBatch.objects.filter(project=project, rows__isnull=False).distinct()
    return list(rows.select_related("job", "created_by")[:most])


def count_open(groups: Iterable[ReportGroup]) -> int:
    """Return how many files of a report a person can attach."""
    return sum(one.is_open for group in groups for one in group.files)
