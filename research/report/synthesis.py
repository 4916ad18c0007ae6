"""Writing the report: the engine fills the sections, code adds headings, markers and references (R9, R10)."""

from typing import Any

from asgiref.sync import sync_to_async

from citations.formats.csl import year_of
from claims.markers import MARK, guard_brackets
from jobs.work import Stopped
from llm.roles import CitedFinding, ContradictionDraft, DigestItem, Heading, Synthesis, SynthesizeAsked
from research.context.routing import attach_to_report
from research.journal.journal import Response
from research.journal.provenance import digest
from research.models import Finding, Run, Source
from research.plurals import counted
from research.query_type import HEADINGS, detect, report_title
from research.report.draft import Draft, Report, rendered_report, save_report, settled
from research.report.fallback import FallbackAnswer, ask_with_fallback
from research.report.references import style_for
from research.report.search_methods import methods_note, not_searched
from research.report.section_headings import FURTHER
from research.review.methods_table import methodology_table
from research.review.study_methods import method_of
from research.run_context.library_answers import PROVIDER as LIBRARY
from research.run_context.run_context import RunContext
from research.search.hits import short_names
from research.setup.budget import why_cut_short
from sources.providers import PROVIDERS
from sources.work import Person

THEMES = {  # theme of the findings of a category, where their question has no topic
    "population": "Population and setting",
    "exposure": "Exposure or intervention",
    "comparison": "Comparison",
    "outcome": "Outcome",
    "disagreement": "Disagreement",
    "limits": "Limits",
    "definition": "Definition",
}


async def synthesise(inquiry: RunContext, prefix: str = "") -> Draft:
    """Write the report of the run and return it as a draft for the claim check (claims.verification).

    `prefix` precedes the keys of its steps: with a new one, the report is written again and replaces the earlier one.
    When the engine cannot write, because money or time ran out or its answer is unusable, the offline engine sets the
    findings under the same headings, and the report says that it is partial.

    Raises Stopped when there is no finding: no evidence, no report.
    """
    findings = await sync_to_async(distinct_findings)(inquiry.run)
    if not findings:
        raise Stopped(await sync_to_async(_nothing_found)(inquiry))
    run = inquiry.run
    detected = detect(run.question, academic=inquiry.academic, template=inquiry.profile.synthesis_template)
    await inquiry.once(f"{prefix}synthesis/type", lambda: _typed(inquiry, detected.query_type, detected.reason))
    headings = HEADINGS[detected.query_type]
    notes = await attach_to_report(inquiry, prefix)
    asked = await sync_to_async(_synthesis_request)(inquiry, findings, detected.query_type, headings, notes)
    source_of = {finding.finding_id: finding.source.public_id for finding in findings}
    finding_of = {
        id: one.finding_id for one in reversed(findings) for id in (one.source.document, one.source.source_id)
    }
    # The theme of each finding, in a few words.
    theme_of = {one.finding_id: one.node.topic or THEMES.get(one.category, FURTHER) for one in findings}

    def sections(answer: Synthesis) -> tuple[dict[str, str], int]:
        return settled(answer, headings, source_of, finding_of, theme_of)

    def fault(answer: Synthesis) -> str:
        bodies, _ = sections(answer)
        return "" if any(map(MARK.search, bodies.values())) else "it cites none of the findings"

    wrote = await ask_with_fallback(
        inquiry,
        f"{prefix}synthesis/1",
        asked,
        fault=fault,
        less=lambda share: shortened(asked, share),
        record=lambda wrote: _shortened(inquiry, asked, wrote),
    )
    bodies, orphans = sections(wrote.answer)
    if not any(map(MARK.search, bodies.values())):
        raise Stopped("The report cited none of the retrieved sources, so it was discarded. The findings are kept.")
    draft = Draft(
        title=report_title(detected.query_type, wrote.answer.title or run.question),
        headings=headings,
        bodies=bodies,
        source_of=source_of,
        style=style_for(detected.query_type, inquiry.profile.citation_style),
        note=await _note(inquiry, f"{prefix}synthesis/note", _left_out(asked, wrote)),
        table=await sync_to_async(methodology_table)(run),
        missing=(*await sync_to_async(why_cut_short)(run), *_missing(wrote, findings)),
        orphans=orphans,
    )
    report = await rendered_report(run, draft)
    await inquiry.once(f"{prefix}synthesis/report", lambda: _written(inquiry, draft, report))
    return draft


def shortened(asked: SynthesizeAsked, share: float) -> SynthesizeAsked:
    """Return `asked` with a share of its findings; the least confident are left out, among equals the later ones."""
    keep = max(1, round(share * len(asked.findings)))
    ranked = sorted(range(len(asked.findings)), key=lambda place: (-asked.findings[place].confidence, place))
    kept = [asked.findings[place] for place in sorted(ranked[:keep])]
    return asked.model_copy(update={"findings": kept})


def _left_out(asked: SynthesizeAsked, wrote: FallbackAnswer[Synthesis]) -> list[str]:
    """Return the ids of the findings that the model was not given."""
    kept = {finding.id for finding in shortened(asked, wrote.share).findings}
    return [finding.id for finding in asked.findings if finding.id not in kept]


def _shortened(inquiry: RunContext, asked: SynthesizeAsked, wrote: FallbackAnswer[Synthesis]) -> None:
    if not (left_out := _left_out(asked, wrote)):
        return
    few = f"{len(left_out)} of {counted(len(asked.findings), 'finding')}"
    sentence = f"The material was too long for the model: {few} were left out, the least confident."
    inquiry.tell("synthesis_shortened", sentence)
    inquiry.log(
        "synthesis",
        "synthesis_shortened",
        sentence,
        {"share": wrote.share, "findings": len(asked.findings), "left_out": left_out},
    )


def _missing(wrote: FallbackAnswer[Synthesis], findings: list[Finding]) -> tuple[str, ...]:
    """Return why the report is partial, and what is missing; nothing when the engine wrote it."""
    told = (
        f"It could not be written as it should be. {wrote.trouble}",
        f"The offline engine has set {counted(len(findings), 'finding')} under the headings, in the words in which "
        "they were kept.",
        "Missing is what weighs them against each other and leads from one to the next.",
    )
    return told if wrote.trouble else ()


async def _note(inquiry: RunContext, key: str, left_out: list[str]) -> str:
    """Return how the report was made, as it stood when it was written, whatever is logged later."""

    async def call() -> Response:
        note = await sync_to_async(methods_note)(inquiry)
        less = f" The material was too long for the model: {counted(len(left_out), 'finding')} left out."
        return {"note": f"{note}{less if left_out else ''}"}

    return str((await inquiry.journal.step(key, "note", {}, call))["note"])


def distinct_findings(run: Run) -> list[Finding]:
    """Return the valid findings of `run`, each span once; among several nodes, the deepest keeps it.

    Findings in a work that any catalogue reports as retracted are left out, also when that was found later, and so are
    earlier findings of a node that was researched again (R17).
    """
    retracted = run.sources.filter(retracted=True).values("document")
    rows = run.findings.filter(is_superseded=False).exclude(source__document__in=retracted)
    rows = rows.select_related("source", "node").order_by("-node__depth", "node__number", "id")
    spans = {(finding.source_id, finding.start, finding.end): finding for finding in reversed(rows)}
    return sorted(spans.values(), key=lambda f: ([int(part) for part in f.node.number.split(".")], f.pk))


def _synthesis_request(
    inquiry: RunContext, findings: list[Finding], query_type: str, headings: list[Heading], notes: list[DigestItem]
) -> SynthesizeAsked:
    run = inquiry.run
    works = {row.document: row for row in run.sources.distinct_works().order_by("-id")}  # with the richest metadata
    assessments = {row.document: row.assessment for row in run.sources.exclude(assessment={}).defer("text", "work")}
    return SynthesizeAsked(
        question=run.question,
        brief=run.brief.get("text", ""),
        query_type=query_type,
        headings=headings,
        findings=[
            CitedFinding(
                id=finding.finding_id,
                content=guard_brackets(finding.content),
                category=finding.category,
                source_id=finding.source.source_id,
                document=finding.source.document,
                node=finding.node.number,
                node_question=finding.node.question,
                confidence=finding.confidence,
                **about(works.get(finding.source.document, finding.source)),
                method=method_of(assessments.get(finding.source.document, {}), finding),
            )
            for finding in findings
        ],
        contradictions=[
            ContradictionDraft(description=guard_brackets(row.description), source_ids=row.source_ids)
            for row in run.contradictions.order_by("contradiction_id")
        ],
        gaps=[guard_brackets(gap.description) for gap in run.gaps.open().order_by("gap_id")],
        digest=notes,
    )


def about(source: Source) -> dict[str, Any]:
    """Return the authors, year, venue and citations of a published work: fields of what an engine is given."""
    if source.kind == Source.Kind.FILE:
        return {}
    return {
        "authors": short_names(
            Person(family=author.get("family") or author.get("literal", "")) for author in source.csl.get("author", [])
        ),
        "year": year_of(source.csl),
        "venue": source.csl.get("container-title", ""),
        "cited_by": source.citation_count,
    }


def _typed(inquiry: RunContext, query_type: str, reason: str) -> None:
    inquiry.run.query_type = query_type
    Run.objects.filter(pk=inquiry.run.pk).update(query_type=query_type)
    sentence = f"Type of report: {query_type.replace('_', ' ')}."
    inquiry.tell("synthesis_query_type", sentence)
    inquiry.log("synthesis", "synthesis_query_type", sentence, {"query_type": query_type, "detection_reason": reason})


def _written(inquiry: RunContext, draft: Draft, report: Report) -> None:
    run, numbering = inquiry.run, report.numbering
    # Claims of an earlier report are no longer valid.
    run.claims.all().delete()
    save_report(run, report)
    run.title, run.fidelity = draft.title, {}
    Run.objects.filter(pk=run.pk).update(title=draft.title, fidelity={})
    works = run.sources.exclude(number=None).count_works()
    cited = f"{counted(len(numbering.markers), 'citation')} of {counted(works, 'source')}"
    sentence = f"The report is {'partial' if draft.missing else 'written'}: {cited}."
    inquiry.tell("synthesis_completed", sentence)
    inquiry.log(
        "synthesis",
        "synthesis_completed",
        sentence,
        {
            "report_length": len(report.text),
            "source_count": works,
            "citation_count": len(numbering.markers),
            "orphans_dropped": numbering.orphans,
            "report_hash": digest(report.text),
            **({"missing": list(draft.missing)} if draft.missing else {}),
        },
    )


def _nothing_found(inquiry: RunContext) -> str:
    """Return why there is no report. Failed providers come first: a failure never counts as "nothing found" (R11)."""
    run = inquiry.run
    failures = not_searched(run)
    answered = run.provenance.filter(event_type="provider_query").exclude(details__provider=LIBRARY).exists()
    if failures and not answered:
        said = "No evidence, so no report. No catalogue answered, which is not the same as having nothing, and your"
        addable = [
            one.label for name, one in PROVIDERS.items() if not one.needs and name not in inquiry.profile.catalogues
        ]
        more = f", or add other catalogues under More options: {', '.join(addable)}" if addable else ""
        return " ".join(
            [*failures, *inquiry.skipped, f"{said} library has nothing on this.", f"Try again later{more}."]
        )
    passages = run.sources.count()
    looked = f"{counted(passages, 'passage')} came up, but nothing" if passages else "Nothing"
    others = f" or the catalogues{' that answered' if failures else ''}" if inquiry.catalogues else ""
    said = f"No evidence, so no report. {looked} in your library{others} answers this question."
    advice = "Add files or references on the subject, or rephrase the question in the words they use."
    return " ".join([*failures, said, *inquiry.skipped, advice])
