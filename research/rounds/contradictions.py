"""Contradictions that several questions of a run have come upon are one (SPEC R7)."""

from research.models import Contradiction
from research.rounds.agenda import place
from research.rounds.overlap import ALIKE, SAME, overlap
from research.run_context.inquiry import Inquiry


def merge_contradictions(inquiry: Inquiry) -> None:
    """Keep each contradiction once, under the question that comes first; the log says what was merged into what.

    Two are one when they are between the same works and one is told in much the words of the other; where both name the
    same passages, less of the words need agree. Called when all branches of a round have ended, so who was quicker makes no difference.
    """
    rows = sorted(inquiry.run.contradictions.all(), key=lambda row: place(row.contradiction_id))
    documents = dict(inquiry.run.sources.values_list("source_id", "document"))
    kept: list[Contradiction] = []
    for row in rows:
        works = {documents.get(one, one) for one in row.source_ids}
        same = next((one for one in kept if _is_same(one, row, works, documents)), None)
        if same is None:
            kept.append(row)
            continue
        same.source_ids = list(dict.fromkeys([*same.source_ids, *row.source_ids]))
        same.save(update_fields=["source_ids"])
        row.delete()
        details = {"id": row.contradiction_id, "merged_into": same.contradiction_id, "description": row.description}
        said = f"{row.contradiction_id} tells of the same contradiction as {same.contradiction_id}."
        inquiry.log("supervision", "contradiction_merged", said, details)


def _is_same(one: Contradiction, other: Contradiction, works: set[str], documents: dict[str, str]) -> bool:
    theirs = {documents.get(id, id) for id in one.source_ids}
    wanted = ALIKE if set(one.source_ids) == set(other.source_ids) else SAME
    return theirs == works and overlap(one.description, other.description) >= wanted
