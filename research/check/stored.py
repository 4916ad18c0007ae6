"""What a claim check compares, out of the rows of a run: its findings, their texts, and what it told of itself."""

from collections.abc import Iterable

from claims.statements import Statements
from claims.verification import Shelf
from llm.roles import Heading
from research.models import Run, Source
from research.report.themes import NO_THEMES, NOTHING, title_of


def shelf_of(run: Run, ids: Iterable[str]) -> Shelf:
    """The findings with those `ids`, and the texts of the works they rest on."""
    rows = run.findings.filter(finding_id__in=set(ids)).select_related("source", "node").order_by("id")
    findings = {row.finding_id: row for row in rows}
    documents = {row.source.document for row in findings.values()}
    texts: dict[str, list[Source]] = {}
    for source in run.sources.filter(document__in=documents).exclude(is_lead=True).order_by("source_id"):
        texts.setdefault(source.public_id, []).append(source)
    return Shelf(findings, texts)


def statements_of(run: Run, headings: Iterable[Heading]) -> Statements:
    """The words of `run` that tell of itself, for a report with those `headings`."""
    parts = list(run.nodes.values_list("topic", "question"))
    return Statements.of(
        headings,
        asked=[run.question, run.title, run.brief.get("text", ""), *(" ".join(part) for part in parts)],
        topics=[title_of(topic) for topic, _ in parts],
        gaps=list(run.gaps.values_list("description", flat=True)),
        works=run.sources.values("document").distinct().count(),
        written=[NOTHING, *NO_THEMES.partition("\n\n")[2].split(". ")],
    )
