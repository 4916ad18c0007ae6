"""Storing what an engine drafts: findings with the exact span they rest on, contradictions, gaps (SPEC R7, R13)."""

from collections.abc import Collection, Iterable, Sequence
from textwrap import shorten

from claims.quotes import Span
from core.fast_sql import create
from llm.offline.relevance import is_statement
from llm.roles import Condensed, ContradictionDraft, GapDraft
from research.models import Contradiction, Finding, Gap, Node, Source
from research.run_context.excerpts import stands
from research.run_context.run_context import Inquiry
from research.supervision.directives import SAME, overlap
from text.sentences import sentences

ABOUT = 100  # characters of the subject of a contradiction


def record_findings(inquiry: Inquiry, node: Node, answer: Condensed) -> None:
    """Store the findings whose quote stands word for word in a source of this run, in a sentence that states something.

    The others are dropped, and an event says so. A finding rests on whole sentences or rows: a shorter quote is
    extended.

    Ids follow from the node's number, so they do not depend on which sibling was faster.
    """
    sources = {
        source.source_id: source
        for source in inquiry.run.sources.filter(source_id__in={draft.source_id for draft in answer.findings})
    }
    # A node that is researched again continues the numbering, and its new findings replace the old ones (R17).
    before = list(node.findings.values_list("pk", flat=True))
    kept: list[Finding] = []
    leads = 0
    for draft in answer.findings:
        source = sources.get(draft.source_id)
        quoted = stands(draft.quote, source.text, is_file=source.kind == Source.Kind.FILE) if source else None
        if source is None or quoted is None:
            continue
        if words := stated(source, quoted):
            kept.append(
                Finding(
                    run=inquiry.run,
                    node=node,
                    source=source,
                    finding_id=f"F{node.number}-{len(before) + len(kept) + 1}",
                    content=draft.content,
                    start=words.start,
                    end=words.end,
                    confidence=draft.confidence,
                    category=draft.category[:30],
                )
            )
        else:
            leads += 1
    create(kept)
    if before and kept:
        Finding.objects.filter(pk__in=before).update(is_superseded=True)
    _record_contradictions(inquiry, node, answer.contradictions)
    how = "resting on words that stand in its source" if inquiry.uses_model else "word for word from its source"
    sentence = _sentence(len(kept), len(answer.findings) - len(kept) - leads, leads, how)
    inquiry.tell("findings_condensed", sentence, node=node, summary="Findings", lines=[one.content for one in kept])


def stated(source: Source, quoted: Span) -> Span | None:
    """Return the span of the whole sentences or rows of `source` with the `quoted` words; None if they state nothing.

    Titles, headings, column names, captions, entries of a reference list and parts of sentences are leads
    (docs/decisions/leads.md). Texts stored before leads were marked are checked here in the same way.
    """
    if source.is_lead or (source.kind == Source.Kind.FILE and source.document.lower().endswith((".bib", ".ris"))):
        return None
    # Older records of works begin with their title.
    title = len(source.title) if source.text.startswith(f"{source.title}\n\n") else 0
    whole = [
        one
        for one in sentences(source.text)
        if max(one.start, title) < quoted.end and quoted.start < one.end and title < one.end and is_statement(one)
    ]
    return Span(whole[0].start, whole[-1].end) if whole else None


def _record_contradictions(inquiry: Inquiry, node: Node, drafts: Sequence[ContradictionDraft]) -> None:
    if not drafts:
        return
    named = inquiry.run.contradictions.filter(contradiction_id__startswith=f"D{node.number}-")
    first = max((int(row.contradiction_id.rpartition("-")[2]) for row in named), default=0) + 1
    for number, conflict in enumerate(_of_two_sides(inquiry, drafts), start=first):
        _record_contradiction(inquiry, node, number, conflict)


def _of_two_sides(inquiry: Inquiry, drafts: Sequence[ContradictionDraft]) -> list[ContradictionDraft]:
    """Return the contradictions between two retrieved passages, of two works or of one, with the ids of both sides.

    Both sides may be in one passage if each is described. A draft with only one side is no contradiction.
    """
    named = {one for draft in drafts for one in _ids_of(draft)}
    known = set(inquiry.run.sources.filter(source_id__in=named).values_list("source_id", flat=True))
    kept = []
    for draft in drafts:
        ids = [one for one in _ids_of(draft) if one in known]
        told = {" ".join(side.says.casefold().split()) for side in draft.sides if {*side.source_ids} & {*ids}} - {""}
        if ids and (len(ids) > 1 or len(told) > 1) and (draft.description.strip() or draft.sides):
            kept.append(draft.model_copy(update={"source_ids": ids}))
    return kept


def _ids_of(draft: ContradictionDraft) -> list[str]:
    return list(dict.fromkeys([*draft.source_ids, *(one for side in draft.sides for one in side.source_ids)]))


def _record_contradiction(inquiry: Inquiry, node: Node, number: int, draft: ContradictionDraft) -> None:
    told = (side.says.strip() for side in draft.sides)
    sides = [says for says in told if says and says not in draft.description]
    about = shorten(draft.about, ABOUT, placeholder="…").rstrip(".")
    description = " ".join(part for part in (draft.description.strip(), *(f"“{side}”" for side in sides)) if part)
    if about and about.casefold() not in description.casefold():
        description = f"On {about}: {description}"
    if inquiry.journal.prefix and inquiry.run.contradictions.filter(description=description).exists():
        return  # a follow-up found the same contradiction again (R17)
    id = f"D{node.number}-{number}"
    Contradiction.objects.create(
        run=inquiry.run, contradiction_id=id, description=description, source_ids=draft.source_ids
    )
    works = set(inquiry.run.sources.filter(source_id__in=draft.source_ids).values_list("document", flat=True))
    who = "Two sources" if len(works) > 1 else f"Two places in {works.pop()}"
    inquiry.say(
        "supervision",
        "contradiction_found",
        f"{who} disagree on {about or node.topic or 'this'}. Both sides are recorded.",
        {
            "id": id,
            "description": description,
            "source_ids": draft.source_ids,
            "about": about,
            "sides": [side.model_dump() for side in draft.sides],
        },
        node=node,
        summary="What they say",
        lines=sides or [description],
    )


def _sentence(kept: int, dropped: int, leads: int, how: str) -> str:
    few = {0: "Nothing here answers the question.", 1: f"One finding, {how}."}
    said = (
        few.get(kept, f"{kept} findings, each {how}."),
        f"{dropped} left out: their words are not in the source." if dropped else "",
        f"{leads} left out: a title, a heading or a reference states nothing." if leads else "",
    )
    return " ".join(filter(None, said))


LEAST_URGENT = 5  # lowest priority of a gap; 1 is the most urgent


def record_gaps(inquiry: Inquiry, node: Node, drafts: Sequence[GapDraft], answers: Collection[str] = ()) -> None:
    """Store the gaps that are new to `node`.

    A gap that the node already has only becomes more urgent. `answers` are the gaps (G1.2-1) that the node should fill:
    a draft that repeats one of them means that it stays open. Only gaps of this branch are compared, so the result does
    not depend on which sibling was faster.
    """
    if not drafts:
        return
    known = list(node.gaps.order_by("id"))
    asked = [gap.description for gap in inquiry.run.gaps.filter(gap_id__in=answers)]
    for draft in drafts:
        said = " ".join(draft.description.split())
        priority = min(max(draft.priority, 1), LEAST_URGENT)
        again = next((gap for gap in known if not gap.resolution_notes and same_gap(gap.description, said)), None)
        if again is not None:
            if priority < again.priority:
                again.priority = priority
                again.save(update_fields=["priority"])
            continue
        if not said or any(same_gap(one, said) for one in asked):
            continue
        row = Gap.objects.create(
            run=inquiry.run,
            node=node,
            gap_id=f"G{node.number}-{len(known) + 1}",
            description=said,
            priority=priority,
            suggested_queries=draft.suggested_queries,
            round=node.round,
        )
        known.append(row)
        inquiry.log(
            "supervision",
            "gap_identified",
            f"{node.number}: {said}",
            {
                "gap_id": row.gap_id,
                "description": said,
                "priority": priority,
                "suggested_queries": draft.suggested_queries,
            },
        )


def same_gap(one: str, other: str) -> bool:
    """Return whether two descriptions name the same gap in similar words."""
    return overlap(one, other) >= SAME


def close_gaps(inquiry: Inquiry, gaps: Iterable[Gap], notes: str) -> None:
    """Close those of `gaps` that are open; `notes` say how they were answered."""
    for gap in gaps:
        if not gap.resolution_notes:
            gap.resolution_notes = notes
            gap.save(update_fields=["resolution_notes"])
            inquiry.log(
                "supervision",
                "gap_resolved",
                f"{gap.gap_id}: {gap.description.rstrip('.')}. {notes}",
                {"gap_id": gap.gap_id, "resolution_notes": notes},
            )
