"""A report while it is being edited: its sections with the findings they cite, and the Markdown made from them (R10).

Sections contain markers that name findings. Only the rendered report has numbers, so sentences can be corrected or
removed, and the numbers and the reference list follow.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from asgiref.sync import sync_to_async
from django.db import connection

from citations.formats.markdown import escaped
from claims.markers import MARK, Numbering, by_findings, number, quiet, settle
from llm.roles import Heading, Synthesis
from research.models import Run, Source, public_id
from research.report.references import heading_for, reference_list
from research.report.section_headings import NOTHING, is_themed, lowered, themed
from research.review.methods_table import with_table

PARTIAL = "**Partial report.**"  # begins the label under the title of an incomplete report


@dataclass(frozen=True)
class Draft:
    """A report with its sections: `bodies` by key, with normalised markers (claims.markers.settle).

    `source_of` maps the ids of findings to those of sources.
    """

    title: str
    headings: Sequence[Heading]
    bodies: Mapping[str, str]
    source_of: Mapping[str, str]
    style: str
    note: str  # how it was made
    table: str = ""  # methods of its studies (research.review.methods_table)
    missing: tuple[str, ...] = ()  # sentences on why it is partial and what is missing; empty when it is complete
    orphans: int = 0  # markers that were dropped because they named nothing that was retrieved


@dataclass(frozen=True)
class Report:
    """A rendered draft: its Markdown, and the number of each source."""

    text: str
    numbering: Numbering = field(default_factory=Numbering)


def settled(
    answer: Synthesis,
    headings: Sequence[Heading],
    source_of: Mapping[str, str],
    finding_of: Mapping[str, str],
    theme_of: Mapping[str, str],
) -> tuple[dict[str, str], int]:
    """Return the sections of an engine's answer, in the order of `headings`, and the number of dropped markers.

    `finding_of` maps ids of sources, which some models cite, to ids of findings.
    """
    numbering = Numbering()
    placed = _placed(answer, headings)
    bodies = {}
    for heading in headings:
        body = settle(by_findings(lowered(placed.get(heading.key, "")), finding_of), source_of, numbering)
        body = body if any(char.isalnum() for char in MARK.sub("", body)) else ""
        bodies[heading.key] = themed(body, theme_of) if is_themed(heading) else body
    return bodies, numbering.orphans


def _placed(answer: Synthesis, headings: Sequence[Heading]) -> dict[str, str]:
    """Return the bodies by the key of their heading.

    Bodies with unknown keys fill, in order, the headings without a body.
    """
    keys = [heading.key for heading in headings]
    bodies = {section.key: section.body for section in answer.sections if section.key in keys}
    strays = [section.body for section in answer.sections if section.key not in keys]
    return bodies | dict(zip((key for key in keys if key not in bodies), strays, strict=False))


async def shown(run: Run, draft: Draft) -> Report:
    """Return `draft` with numbers in the order of first citation, and the reference list that they lead to."""
    numbering = Numbering(orphans=draft.orphans)
    sections = [
        f"## {heading.title}\n\n"
        f"{number(draft.bodies.get(heading.key) or NOTHING, draft.source_of, numbering, heading.key)}"
        for heading in draft.headings
    ]
    sources = await sync_to_async(_numbered)(run, numbering)
    lines = await asyncio.to_thread(reference_list, sources, draft.style)
    parts = [
        f"# {quiet(escaped(draft.title))}",
        *([f"> {PARTIAL} {quiet(escaped(' '.join(draft.missing)))}"] if draft.missing else []),
        f"> {quiet(escaped(draft.note))}",
        with_table("\n\n".join(sections), draft.table),
        f"## {heading_for(draft.style)}",
        *(f"[{n}] {line}" for n, line in enumerate(lines, start=1)),
    ]
    return Report("\n\n".join(parts) + "\n", numbering)


def _numbered(run: Run, numbering: Numbering) -> list[Source]:
    """Return the rows of the cited works, in the order of their numbers."""
    rows = {row.public_id: row for row in run.sources.distinct_works().order_by("-id")}
    return [rows[one] for one in numbering.numbers]


def keep_report(run: Run, report: Report) -> None:
    """Store `report` and the numbers of its sources, replacing the earlier ones.

    Every text of a cited work gets its number, so that evidence can show which reference it belongs to.
    """
    run.sources.exclude(number=None).update(number=None)
    texts = run.sources.order_by("id").values_list("pk", "source_id", "kind", "document")
    numbered = [(report.numbering.numbers.get(public_id(*text)), pk) for pk, *text in texts]
    with connection.cursor() as cursor:
        cursor.executemany("UPDATE research_source SET number = %s WHERE id = %s", [one for one in numbered if one[0]])
    run.report = report.text
    Run.objects.filter(pk=run.pk).update(report=report.text)


def partial_label(report: str) -> str:
    """Return what a report says is missing from it; "" when it is complete."""
    head = report.partition("\n## ")[0].splitlines()
    return next((line.removeprefix(f"> {PARTIAL}").strip() for line in head if line.startswith(f"> {PARTIAL}")), "")
