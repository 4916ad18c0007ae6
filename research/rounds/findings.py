"""Findings as the engine drafts them become rows with the exact span they rest on (SPEC R7, R13)."""

from collections.abc import Iterable, Sequence
from textwrap import shorten

from llm.roles import Condensed, ContradictionDraft
from projects.rows import create
from research.files.own_words import stands
from research.inquiry import Inquiry
from research.models import Contradiction, Finding, Node, Source

ABOUT = 100  # characters that say what sources disagree on


def record_findings(inquiry: Inquiry, node: Node, answer: Condensed) -> None:
    """Keep the findings whose quote stands word for word in a source of this run; drop the others aloud.

    Ids follow from the node's number, so they do not depend on which sibling was quicker.
    """
    sources = {
        source.source_id: source
        for source in inquiry.run.sources.filter(source_id__in={draft.source_id for draft in answer.findings})
    }
    # A node that is researched again goes on counting, and what it finds takes the place of what it had (R17).
    before = list(node.findings.values_list("pk", flat=True))
    kept: list[Finding] = []
    for draft in answer.findings:
        source = sources.get(draft.source_id)
        words = stands(draft.quote, source.text, is_file=source.kind == Source.Kind.FILE) if source else None
        if source is None or words is None:
            continue
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
    create(kept)
    if before and kept:
        Finding.objects.filter(pk__in=before).update(is_superseded=True)
    _record_contradictions(inquiry, node, answer.contradictions)
    how = "resting on words that stand in its source" if inquiry.uses_model else "word for word from its source"
    sentence = _sentence(len(kept), len(answer.findings) - len(kept), how)
    inquiry.tell("findings_condensed", sentence, node=node, summary="Findings", lines=[one.content for one in kept])


def _record_contradictions(inquiry: Inquiry, node: Node, drafts: Sequence[ContradictionDraft]) -> None:
    if not drafts:
        return
    named = inquiry.run.contradictions.filter(contradiction_id__startswith=f"D{node.number}-")
    ids: Iterable[str] = named.values_list("contradiction_id", flat=True)
    first = max((int(id.rpartition("-")[2]) for id in ids), default=0) + 1
    for number, conflict in enumerate(_of_two_sides(inquiry, drafts), start=first):
        _record_contradiction(inquiry, node, number, conflict)


def _of_two_sides(inquiry: Inquiry, drafts: Sequence[ContradictionDraft]) -> list[ContradictionDraft]:
    """Those between two passages that were retrieved, of two works or of one, with the ids of both their sides.

    Both sides may stand in one passage, where each is told; what has one side only is no contradiction.
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
    sides = [
        side.says.strip() for side in draft.sides if side.says.strip() and side.says.strip() not in draft.description
    ]
    about = shorten(draft.about, ABOUT, placeholder="…").rstrip(".")
    description = " ".join(part for part in (draft.description.strip(), *(f"“{side}”" for side in sides)) if part)
    if about and about.casefold() not in description.casefold():
        description = f"On {about}: {description}"
    if inquiry.journal.prefix and inquiry.run.contradictions.filter(description=description).exists():
        return  # a follow-up has met it once more (R17)
    row = Contradiction.objects.create(
        run=inquiry.run,
        contradiction_id=f"D{node.number}-{number}",
        description=description,
        source_ids=draft.source_ids,
    )
    details = {
        "id": row.contradiction_id,
        "description": description,
        "source_ids": draft.source_ids,
        "about": about,
        "sides": [side.model_dump() for side in draft.sides],
    }
    works = set(inquiry.run.sources.filter(source_id__in=draft.source_ids).values_list("document", flat=True))
    who = "Two sources" if len(works) > 1 else f"Two places in {works.pop()}"
    said = f"{who} disagree on {about or node.topic or 'this'}. Both sides are recorded."
    inquiry.log("supervision", "contradiction_found", said, details)
    inquiry.tell("contradiction_found", said, node=node, summary="What they say", lines=sides or [description])


def _sentence(kept: int, dropped: int, how: str) -> str:
    said = {0: "Nothing here answers the question.", 1: f"One finding, {how}."}.get(
        kept, f"{kept} findings, each {how}."
    )
    return f"{said} {dropped} left out: their words are not in the source." if dropped else said
