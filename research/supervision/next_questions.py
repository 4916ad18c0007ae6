"""Choosing the questions of the next round: the most urgent open gaps and the contradictions of sources (SPEC R7).

Each gap is asked about once. If it stays open, the report names it and it is not asked about again, so rounds cannot go
on without progress. Contradictions that several questions found are merged.
"""

from collections.abc import Iterable, Iterator, Mapping
from textwrap import shorten
from uuid import UUID

from research.models import Contradiction, Gap, Node
from research.next_question import NextQuestion
from research.run_context.run_context import RunContext
from research.search.library_index import search
from research.supervision.directives import ALIKE, SAME, overlap

MOST = 5  # questions of a round
QUERIES = 4  # suggested queries that a question begins with: one fewer than end a search as futile (R5)
TOPIC = 90  # characters
DISPUTES = 2  # contradictions per round, so that there is room for gaps too


def next_questions(inquiry: RunContext, resolved: Mapping[str, str]) -> list[NextQuestion]:
    """Return at most MOST questions, the most urgent first. `resolved` are gaps that were just answered."""
    done = {*resolved, *(id for row in inquiry.run.rounds for ids in row.get("asked", {}).values() for id in ids)}
    before = list(inquiry.run.nodes.filter(round__gt=1).values_list("question", flat=True))
    kept: list[NextQuestion] = []
    for point in sorted([*_of_gaps(inquiry, done), *_of_contradictions(inquiry, done)], key=lambda one: one.priority):
        if any(_alike(inquiry, point.question, question) for question in before):
            continue
        same = next((one for one in kept if _alike(inquiry, one.question, point.question)), None)
        if same is not None:
            same.answers += point.answers
            same.queries = list(dict.fromkeys([*same.queries, *point.queries]))[:QUERIES]
        elif len(kept) < MOST and _can_be_answered(inquiry, point):
            kept.append(point)
    return kept


def _alike(inquiry: RunContext, one: str, other: str) -> bool:
    return overlap(one, other, inquiry.run.question) >= SAME


def _of_gaps(inquiry: RunContext, done: set[str]) -> Iterator[NextQuestion]:
    gaps: Iterable[Gap] = inquiry.run.gaps.open().exclude(gap_id__in=done).select_related("node")
    with_findings = set(inquiry.run.findings.values_list("node_id", flat=True))
    for gap in sorted(gaps, key=lambda gap: (gap.priority, place(gap.gap_id))):
        node = gap.node
        # In the general modes, gaps of an answered question are not pursued.
        if node.state == Node.State.ENOUGH and not inquiry.academic:
            continue
        # A gap that only says why the search ended gives nothing to search for.
        is_bare = not gap.suggested_queries and (gap.description == node.reasoning or node.pk not in with_findings)
        if is_bare and node.state != Node.State.FAILED:
            continue  # it was searched for and not found; asking the same again would not find it either
        yield NextQuestion(
            topic=node.topic if is_bare else shorten(gap.description, TOPIC, placeholder="…"),
            question=node.question
            if is_bare
            else gap.description
            if gap.description.endswith("?")
            else f"What fills this gap: {gap.description}",
            perspective=node.perspective,
            evidence_needed=node.evidence_needed,
            priority=gap.priority,
            answers=[gap.gap_id],
            queries=[query[:400] for query in gap.suggested_queries if query.strip()][:QUERIES],
        )


def _of_contradictions(inquiry: RunContext, done: set[str]) -> Iterator[NextQuestion]:
    """Yield questions on what explains that sources disagree, in academic mode.

    The offline engine gets none: it could only quote both sides again.
    """
    if not inquiry.academic or not inquiry.uses_model:
        return
    rows: Iterable[Contradiction] = inquiry.run.contradictions.exclude(contradiction_id__in=done).order_by("id")
    for row in sorted(rows, key=lambda one: place(one.contradiction_id))[:DISPUTES]:
        yield NextQuestion(
            topic=shorten(f"Sources disagree: {row.description}", TOPIC, placeholder="…"),
            question=f"What explains that sources disagree, and which side is better supported: {row.description}"[
                :1000
            ],
            perspective="disagreement",
            priority=2,
            answers=[row.contradiction_id],
        )


def _can_be_answered(inquiry: RunContext, point: NextQuestion) -> bool:
    """Return whether a question is worth asking.

    For the offline engine that means: the library has a passage on it that the run has not found yet.
    """
    if inquiry.uses_model:
        return True
    known = set(inquiry.run.sources.values_list("source_id", flat=True))
    files = [UUID(bound.id) for bound in inquiry.files]
    return any(
        passage.source_id not in known
        for query in point.queries
        for passage in search(inquiry.run.project, query, files=files, limit=5)
    )


def place(id: str) -> list[int]:
    """Return the sort key of a gap or contradiction by its id: G1.2-1 before G1.2-2 before G1.10-1."""
    number, _, position = id[1:].rpartition("-")
    return [*map(int, number.split(".")), -1, int(position)]


def merge_contradictions(inquiry: RunContext) -> None:
    """Merge duplicate contradictions into the one of the first question; the log says what was merged into what.

    Two are duplicates when they are between the same works and their descriptions overlap; where both name the same
    passages, less overlap is needed. Called when all branches of a round have ended, so the order in which they ended
    does not matter.
    """
    documents = dict(inquiry.run.sources.values_list("source_id", "document"))
    kept: list[Contradiction] = []
    for row in sorted(inquiry.run.contradictions.all(), key=lambda row: place(row.contradiction_id)):
        works = {documents.get(one, one) for one in row.source_ids}
        same = next((one for one in kept if _is_same(one, row, works, documents)), None)
        if same is None:
            kept.append(row)
            continue
        same.source_ids = list(dict.fromkeys([*same.source_ids, *row.source_ids]))
        same.save(update_fields=["source_ids"])
        row.delete()
        inquiry.log(
            "supervision",
            "contradiction_merged",
            f"{row.contradiction_id} describes the same contradiction as {same.contradiction_id}.",
            {"id": row.contradiction_id, "merged_into": same.contradiction_id, "description": row.description},
        )


def _is_same(one: Contradiction, other: Contradiction, works: set[str], documents: dict[str, str]) -> bool:
    wanted = ALIKE if set(one.source_ids) == set(other.source_ids) else SAME
    of_same = works == {documents.get(id, id) for id in one.source_ids}
    return of_same and overlap(one.description, other.description) >= wanted
