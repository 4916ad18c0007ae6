"""What a node leaves open: named while its findings are drawn and judged, closed when it is answered (SPEC R7, R13)."""

from collections.abc import Collection, Iterable, Sequence

from llm.roles import GapDraft
from research.models import Gap, Node
from research.rounds.overlap import SAME, overlap
from research.run_context.inquiry import Inquiry

LEAST_URGENT = 5  # priority of a gap; 1 is the most urgent


def record_gaps(inquiry: Inquiry, node: Node, drafts: Sequence[GapDraft], answers: Collection[str] = ()) -> list[Gap]:
    """Keep the gaps that are new to `node`; returns them.

    One that the node has named already only makes it more urgent. `answers` are the gaps (G1.2-1) that the node was
    asked to fill: what says one of them again says that it stays open. Compared is with gaps of this branch alone,
    so that it makes no difference which sibling was quicker.
    """
    if not drafts:
        return []
    known = list(node.gaps.order_by("id"))
    asked = [gap.description for gap in inquiry.run.gaps.filter(gap_id__in=answers)]
    kept = []
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
        kept.append(row)
        details = {
            "gap_id": row.gap_id,
            "description": row.description,
            "priority": row.priority,
            "suggested_queries": row.suggested_queries,
        }
        inquiry.log("supervision", "gap_identified", f"{node.number}: {row.description}", details)
    return kept


def same_gap(one: str, other: str) -> bool:
    """Whether two descriptions name the same gap, in much the same words."""
    return overlap(one, other) >= SAME


def close_gaps(inquiry: Inquiry, gaps: Iterable[Gap], notes: str) -> None:
    """Close those of `gaps` that are open; `notes` say by what they were answered."""
    for gap in gaps:
        if gap.resolution_notes:
            continue
        gap.resolution_notes = notes
        gap.save(update_fields=["resolution_notes"])
        details = {"gap_id": gap.gap_id, "resolution_notes": notes}
        inquiry.log("supervision", "gap_resolved", f"{gap.gap_id}: {gap.description.rstrip('.')}. {notes}", details)
