"""Findings become a report: the engine fills the sections, code writes headings, markers and references (R9, R10)."""

import asyncio
import re

from asgiref.sync import sync_to_async

from citations.markdown import escaped
from jobs.work import Stopped
from llm.roles import CitedFinding, ContradictionDraft, Heading, Synthesis, SynthesizeAsked
from research.inquiry import Inquiry
from research.markers import Numbering, guarded, quiet, renumber
from research.models import Finding, Run, Source
from research.provenance import digest
from research.query_type import detect
from research.references import heading_for, reference_list, style_for
from research.structure import HEADINGS, PREFIX
from research.words import counted

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
    source_of = {finding.finding_id: finding.source.source_id for finding in findings}

    def fault(answer: Synthesis) -> str:
        cited = Numbering()
        assemble(answer, headings, source_of, cited)
        return "" if cited.numbers else "it cites none of the findings"

    answer = await inquiry.ask("synthesis/1", asked, fault=fault)
    numbering = Numbering()
    body = assemble(answer, headings, source_of, numbering)
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
    """The findings of `run`, each span once: of two nodes with the same span, the deeper one has it."""
    rows = run.findings.select_related("source", "node").order_by("-node__depth", "node__number", "id")
    spans: dict[tuple[int, int, int], Finding] = {}
    for finding in rows:
        spans.setdefault((finding.source_id, finding.start, finding.end), finding)
    return sorted(spans.values(), key=lambda f: ([int(part) for part in f.node.number.split(".")], f.pk))


def assemble(answer: Synthesis, headings: list[Heading], source_of: dict[str, str], numbering: Numbering) -> str:
    """The sections in the order of `headings`, each with its heading, markers as numbers."""
    bodies = {section.key: _HEADING.sub("###", section.body.strip()) for section in answer.sections}
    nothing = "Nothing was found for this part."
    return "\n\n".join(
        f"## {heading.title}\n\n{renumber(bodies.get(heading.key) or nothing, source_of, numbering, heading.key)}"
        for heading in headings
    )


def methods_note(inquiry: Inquiry) -> str:
    """One paragraph under the title: which engine, what was searched, what could not be."""
    run = inquiry.run
    label = inquiry.engine.label
    said = [f"Written from your library by {label}." if inquiry.uses_model else label]
    stood_in = run.provenance.filter(event_type="stand_in").count()
    if stood_in:
        said.append(f"The offline engine answered in its place {counted(stood_in, 'time')}.")
    searches = sum(run.nodes.values_list("searches", flat=True))
    found = run.sources.count()
    documents = run.sources.values("document").distinct().count()
    said.append(
        f"The library was asked {counted(searches, 'time')} and gave {counted(found, 'passage')} "
        f"of {counted(documents, 'document')}."
    )
    if inquiry.skipped:
        said.append(inquiry.skipped)
    processing = run.context_processing
    if processing.get("status") == "unusable":
        said.append("No usable context: none of the chosen files could be read.")
    elif processing.get("files_error"):
        said.append(f"{processing['files_error']} of {processing['files_total']} files could not be read.")
    return " ".join(said)


def _asked(inquiry: Inquiry, findings: list[Finding], query_type: str, headings: list[Heading]) -> SynthesizeAsked:
    run = inquiry.run
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
    rows = {source.source_id: source for source in run.sources.filter(source_id__in=numbering.numbers)}
    return [rows[source_id] for source_id in numbering.numbers]


def _typed(inquiry: Inquiry, query_type: str, reason: str) -> None:
    inquiry.run.query_type = query_type
    Run.objects.filter(pk=inquiry.run.pk).update(query_type=query_type)
    sentence = f"The report will be built as: {query_type.replace('_', ' ')}."
    inquiry.tell("synthesis_query_type", sentence)
    inquiry.log("synthesis", "synthesis_query_type", sentence, {"query_type": query_type, "detection_reason": reason})


def _written(inquiry: Inquiry, title: str, report: str, numbering: Numbering) -> None:
    run = inquiry.run
    for source_id, number in numbering.numbers.items():
        Source.objects.filter(run=run, source_id=source_id).update(number=number)
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
    passages = inquiry.run.sources.count()
    looked = f"{counted(passages, 'passage')} came near, and nothing" if passages else "Nothing"
    return (
        f"No evidence, so no report. {looked} in your library speaks to this question. "
        "Add files or references on the subject, or put the question in the words they use."
    )
