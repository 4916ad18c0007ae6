"""The findings of a run as a list for people: each quotation once, with the titles of its sources (SPEC R13)."""

from dataclasses import dataclass, field

from django.db.models import Q

from core.grouping import grouped
from research.models import Finding, Node, Run, Source
from research.report.synthesis import distinct_findings


@dataclass(frozen=True)
class Row:
    """A finding; `sources` are the works that contain its words, `others` are findings with exactly the same words."""

    finding: Finding
    sources: list[Source]
    others: list[Finding] = field(default_factory=list)

    @property
    def shows_quote(self) -> bool:
        """Whether its quotation differs from its own words."""
        return _words(self.finding.quote) != _words(self.finding.content)


def in_subtree(node: Node) -> Q:
    """Return the filter for what belongs to `node` or one of its parts."""
    return Q(node__number=node.number) | Q(node__number__startswith=f"{node.number}.")


def finding_list(run: Run, node: Node | None = None) -> list[Row]:
    """Return all findings, or those of `node` and its parts.

    Findings with the same words on the same quotation share a row, since catalogues repeat each other's abstracts.
    """
    findings = distinct_findings(run) if node is None else _findings_below(run, node)
    same = grouped(((_words(finding.content), _words(finding.quote)), finding) for finding in findings)
    return [
        Row(first, list({one.source.public_id: one.source for one in (first, *others)}.values()), others)
        for first, *others in same.values()
    ]


def _findings_below(run: Run, node: Node) -> list[Finding]:
    """Return the findings of `node` and its parts, each span once, at the deepest node.

    distinct_findings cannot be filtered for this: there, a span found by several branches is listed under only one of
    them.
    """
    rows = run.findings.filter(in_subtree(node), is_superseded=False)
    deepest_last = rows.select_related("source", "node").order_by("node__depth", "id")
    return list({(finding.source_id, finding.start, finding.end): finding for finding in deepest_last}.values())


def _words(text: str) -> str:
    return " ".join(text.casefold().split())
