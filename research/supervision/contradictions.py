"""The contradictions of a run with both their sides (SPEC R7, R13)."""

import re
from typing import NamedTuple

from core.grouping import grouped
from research.models import Contradiction, Finding, Run, Source


class Side(NamedTuple):
    """One side of a contradiction: a source, and what was found in it on the question at issue.

    Where both sides stand in one work, a side is a passage of it.
    """

    source: Source
    findings: list[Finding]


class Dispute(NamedTuple):
    """A contradiction with its sides. `node` is the number of the question at issue, "" when there is none."""

    row: Contradiction
    node: str
    sides: list[Side]


def disputes_of(run: Run) -> list[Dispute]:
    """Return all contradictions of a run in order, with three queries however many there are."""
    rows = list(run.contradictions.order_by("id"))
    named = {source_id for row in rows for source_id in row.source_ids}
    sources = {
        source.source_id: source
        for source in run.sources.filter(source_id__in=named).defer("text", "work", "assessment")
    }
    documents = {source.document for source in sources.values()}
    findings = run.findings.filter(source__document__in=documents, is_superseded=False).select_related("source", "node")
    found = grouped(
        (name, finding)
        for finding in findings.order_by("id")
        for name in {finding.source.public_id, finding.source.source_id}
    )
    return [_dispute(row, sources, found) for row in rows]


def _dispute(row: Contradiction, sources: dict[str, Source], found: dict[str, list[Finding]]) -> Dispute:
    at = re.fullmatch(r"D([0-9.]+)-[0-9]+", row.contradiction_id)
    node = at[1] if at else ""
    works = {sources[one].public_id: sources[one] for one in row.source_ids if one in sources}
    if len(works) == 1:  # both sides are passages of one work
        works = {one: sources[one] for one in row.source_ids if one in sources}
    told = _words(row.description)
    return Dispute(
        row, node, [Side(source, _side_findings(found.get(name, []), node, told)) for name, source in works.items()]
    )


def _side_findings(findings: list[Finding], node: str, told: str) -> list[Finding]:
    """Return at most three findings of one source that show its side.

    These are the findings that the description of the contradiction, `told`, quotes; else those on the question of the
    contradiction, `node`; else any.
    """
    quoted = [finding for finding in findings if _words(finding.content) in told]
    here = [finding for finding in findings if finding.node.number == node]
    return list({finding.content: finding for finding in quoted or here or findings}.values())[:3]


def _words(text: str) -> str:
    return " ".join(text.casefold().split())
