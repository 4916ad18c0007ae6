"""Findings become a report: the engine fills the sections, code writes headings, markers and references (R9, R10)."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any

from asgiref.sync import sync_to_async

from citations.csl import year_of
from citations.markdown import escaped
from jobs.work import Stopped
from llm.roles import CitedFinding, ContradictionDraft, Heading, Synthesis, SynthesizeAsked
from research.hits import short_names
from research.inquiry import Inquiry
from research.markers import Numbering, by_findings, guarded, quiet, renumber
from research.methods import failed, methods_note
from research.models import Finding, Run, Source
from research.provenance import digest
from research.query_type import detect
from research.references import heading_for, reference_list, style_for
from research.searching import PROVIDER as LIBRARY
from research.structure import HEADINGS, PREFIX
from research.words import counted
from sources.names import Person

_HEADING = re.compile(r"^#{1,2}(?=[ \t])", re.MULTILINE)  # in a body: that of a section is for code to write


async def synthesise(inquiry: Inquiry) -> Numbering:
    """Write the report of the run. Returns its markers in order, for the claim check.

    Raises Stopped when there is no finding: no evidence, no report.
    """
    findings = await sync_to_async(distinct_findings)(inquiry.run)
    if not findings:
        raise Stopped(await sync_to_async(_nothing_found)(inquiry))
    run = inquiry.run
    detected = detect(run.question, academic=inquiry.academic, template=inquiry.profile.synthesis_template)
    await inquiry.once("synthesis/type", lambda: _typed(inquiry, detected.query_type, detected.reason))
    headings = HEADINGS[detected.query_type]
    asked = await sync_to_async(_asked)(inquiry, findings, detected.query_type, headings)
    source_of = {finding.finding_id: finding.source.public_id for finding in findings}
    finding_of = {finding.source.source_id: finding.finding_id for finding in reversed(findings)}

    def fault(answer: Synthesis) -> str:
        cited = Numbering()
        assemble(answer, headings, source_of, cited, finding_of)
        return "" if cited.numbers else "it cites none of the findings"

    answer = await inquiry.ask("synthesis/1", asked, fault=fault)
    numbering = Numbering()
    body = assemble(answer, headings, source_of, numbering, finding_of)
    if not numbering.numbers:
        raise Stopped("The report cited nothing that was retrieved, so it was not kept. The findings are.")
    sources = await sync_to_async(_numbered)(run, numbering)
    style = style_for(detected.query_type, inquiry.profile.citation_style)
    lines = await asyncio.to_thread(reference_list, sources, style)
    title = f"{PREFIX[detected.query_type]}{' '.join(answer.title.split()) or run.question}"
    note = await sync_to_async(methods_note)(inquiry)
    report = "\n\n".join(
        [
            f"# {quiet(escaped(title))}",
            f"> {quiet(escaped(note))}",
            body,
            f"## {heading_for(style)}",
            *(f"[{n}] {line}" for n, line in enumerate(lines, start=1)),
        ]
    )
    await inquiry.once("synthesis/report", lambda: _written(inquiry, title, report + "\n", numbering))
    return numbering


def distinct_findings(run: Run) -> list[Finding]:
    """The findings of `run`, each span once: of two nodes with the same span, the deeper one has it.

    What rests on a work that any catalogue knows to be retracted is left out, also when that was learnt later.
    """
    retracted = run.sources.filter(retracted=True).values("document")
    rows = run.findings.exclude(source__document__in=retracted).select_related("source", "node")
    rows = rows.order_by("-node__depth", "node__number", "id")
    spans: dict[tuple[int, int, int], Finding] = {}
    for finding in rows:
        spans.setdefault((finding.source_id, finding.start, finding.end), finding)
    return sorted(spans.values(), key=lambda f: ([int(part) for part in f.node.number.split(".")], f.pk))


def assemble(
    answer: Synthesis,
    headings: list[Heading],
    source_of: Mapping[str, str],
    numbering: Numbering,
    finding_of: Mapping[str, str],
) -> str:
    """The sections in the order of `headings`, each with its heading, markers as numbers."""
    bodies = {
        key: by_findings(_HEADING.sub("###", body.strip()), finding_of)
        for key, body in _placed(answer, headings).items()
    }
    nothing = "Nothing was found for this part."
    return "\n\n".join(
        f"## {heading.title}\n\n{renumber(bodies.get(heading.key) or nothing, source_of, numbering, heading.key)}"
        for heading in headings
    )


def _placed(answer: Synthesis, headings: list[Heading]) -> dict[str, str]:
    """The bodies by the key of their heading. Those under keys that do not exist go, in order, where nothing is."""
    keys = [heading.key for heading in headings]
    bodies = {section.key: section.body for section in answer.sections if section.key in keys}
    strays = [section.body for section in answer.sections if section.key not in keys]
    return bodies | dict(zip((key for key in keys if key not in bodies), strays, strict=False))


def _asked(inquiry: Inquiry, findings: list[Finding], query_type: str, headings: list[Heading]) -> SynthesizeAsked:
    run = inquiry.run
    works = {row.document: row for row in run.sources.distinct_works().order_by("-id")}  # with the richest metadata
    return SynthesizeAsked(
        question=run.question,
        brief=run.brief.get("text", ""),
        query_type=query_type,
        headings=headings,
        findings=[
            CitedFinding(
                id=finding.finding_id,
                content=guarded(finding.content),
                category=finding.category,
                source_id=finding.source.source_id,
                document=finding.source.document,
                node=finding.node.number,
                node_question=finding.node.question,
                confidence=finding.confidence,
                **_about(works.get(finding.source.document, finding.source)),
            )
            for finding in findings
        ],
        contradictions=[
            ContradictionDraft(description=guarded(row.description), source_ids=row.source_ids)
            for row in run.contradictions.order_by("contradiction_id")
        ],
        gaps=[guarded(gap.description) for gap in run.gaps.open().order_by("gap_id")],
        digest=inquiry.digest,
    )


def _numbered(run: Run, numbering: Numbering) -> list[Source]:
    """The rows that stand for what is cited, in the order of their numbers."""
    rows = {row.public_id: row for row in run.sources.distinct_works().order_by("-id")}
    return [rows[public_id] for public_id in numbering.numbers]


def _about(source: Source) -> dict[str, Any]:
    """Who says it, when and where, of a published work."""
    if source.kind == Source.Kind.FILE:
        return {}
    authors = (author.get("family") or author.get("literal", "") for author in source.csl.get("author", []))
    return {
        "authors": short_names(Person(family=name) for name in authors),
        "year": year_of(source.csl),
        "venue": source.csl.get("container-title", ""),
        "cited_by": source.citation_count,
    }


def _typed(inquiry: Inquiry, query_type: str, reason: str) -> None:
    inquiry.run.query_type = query_type
    Run.objects.filter(pk=inquiry.run.pk).update(query_type=query_type)
    sentence = f"The report will be built as: {query_type.replace('_', ' ')}."
    inquiry.tell("synthesis_query_type", sentence)
    inquiry.log("synthesis", "synthesis_query_type", sentence, {"query_type": query_type, "detection_reason": reason})


def _written(inquiry: Inquiry, title: str, report: str, numbering: Numbering) -> None:
    run = inquiry.run
    # Every text of a cited work gets its number, so that evidence says which reference it belongs to.
    texts = list(run.sources.all())
    for text in texts:
        text.number = numbering.numbers.get(text.public_id)
    Source.objects.bulk_update([text for text in texts if text.number], ["number"])
    run.title, run.report = title, report
    Run.objects.filter(pk=run.pk).update(title=title, report=report)
    cited = f"{counted(len(numbering.markers), 'citation')} of {counted(len(numbering.numbers), 'source')}"
    sentence = f"The report is written: {cited}."
    inquiry.tell("synthesis_completed", sentence)
    details = {
        "report_length": len(report),
        "source_count": len(numbering.numbers),
        "citation_count": len(numbering.markers),
        "orphans_dropped": numbering.orphans,
        "report_hash": digest(report),
    }
    inquiry.log("synthesis", "synthesis_completed", sentence, details)


def _nothing_found(inquiry: Inquiry) -> str:
    """Why there is no report. That nobody answered is said as that, never as having found nothing (R11)."""
    run = inquiry.run
    failures = failed(run)
    answered = run.provenance.filter(event_type="provider_query").exclude(details__provider=LIBRARY).exists()
    if failures and not answered:
        said = "No evidence, so no report. No catalogue answered, which is not the same as having nothing, and your library"
        return " ".join([f"{said} has nothing on this.", *failures, "Ask again when they are well."])
    passages = run.sources.count()
    looked = f"{counted(passages, 'passage')} came near, and nothing" if passages else "Nothing"
    where = "in your library or the catalogues" if inquiry.catalogues else "in your library"
    advice = "Add files or references on the subject, or put the question in the words they use."
    return " ".join([f"No evidence, so no report. {looked} {where} speaks to this question. {advice}", *failures])
