"""What several catalogues know of one work (SPEC R8): the row that stands for it, and the other records."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from research.models import Run, Source

Copies = Mapping[int | None, Sequence[Source]]


def copies_of(run: Run) -> dict[int | None, list[Source]]:
    """The other records of each work, by the key of the row that stands for it, as they were found."""
    copies: dict[int | None, list[Source]] = {}
    rows = run.sources.filter(is_passage=False, duplicate_of__isnull=False).defer("text", "csl", "assessment")
    for row in rows.order_by("id"):
        copies.setdefault(row.duplicate_of_id, []).append(row)
    return copies


def known_of(source: Source, copies: Iterable[Source], name: str) -> Any:
    """The field `name` of the first record of the work that has it; "" when none does."""
    return next((row.work[name] for row in (source, *copies) if row.work.get(name)), "")
