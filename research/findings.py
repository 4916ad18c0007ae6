"""Findings as the engine drafts them become rows with the exact span they rest on (SPEC R7, R13)."""

from llm.roles import Condensed
from research.inquiry import Inquiry
from research.models import Contradiction, Finding, Node


def record_findings(inquiry: Inquiry, node: Node, answer: Condensed) -> None:
    """Keep the findings whose quote stands word for word in a source of this run; drop the others aloud.

    Ids follow from the node's number, so they do not depend on which sibling was quicker.
    """
    sources = {
        source.source_id: source
        for source in inquiry.run.sources.filter(source_id__in={draft.source_id for draft in answer.findings})
    }
    kept: list[str] = []
    for draft in answer.findings:
        source = sources.get(draft.source_id)
        start = source.text.find(draft.quote) if source and draft.quote.strip() else -1
        if source is None or start < 0:
            continue
        kept.append(draft.content)
        Finding.objects.create(
            run=inquiry.run,
            node=node,
            source=source,
            finding_id=f"F{node.number}-{len(kept)}",
            content=draft.content,
            start=start,
            end=start + len(draft.quote),
            confidence=draft.confidence,
            category=draft.category[:30],
        )
    for number, conflict in enumerate(answer.contradictions, start=1):
        _record_contradiction(inquiry, node, number, conflict.description, conflict.source_ids)
    how = "resting on words that stand in its source" if inquiry.uses_model else "word for word from its source"
    sentence = _sentence(len(kept), len(answer.findings) - len(kept), how)
    inquiry.tell("findings_condensed", sentence, node=node, summary="Findings", lines=kept)


def _record_contradiction(inquiry: Inquiry, node: Node, number: int, description: str, source_ids: list[str]) -> None:
    row = Contradiction.objects.create(
        run=inquiry.run,
        contradiction_id=f"D{node.number}-{number}",
        description=description,
        source_ids=source_ids,
    )
    details = {"id": row.contradiction_id, "description": description, "source_ids": source_ids}
    inquiry.log("supervision", "contradiction_found", "Two sources disagree; both sides are recorded.", details)
    inquiry.tell(
        "contradiction_found",
        "Two sources disagree. Both sides are recorded.",
        node=node,
        summary="What they say",
        lines=[description],
    )


def _sentence(kept: int, dropped: int, how: str) -> str:
    said = {0: "Nothing here answers the question.", 1: f"One finding, {how}."}.get(
        kept, f"{kept} findings, each {how}."
    )
    return f"{said} {dropped} left out: their words are not in the source." if dropped else said
