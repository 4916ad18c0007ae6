"""The tree of questions (SPEC R5, R6): research -> findings -> enough? -> if not, split and go on.

Siblings are worked at the same time; the journal limits how many calls are under way. Each node's number is
given when its parent is split and never changes.
"""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any

from asgiref.sync import sync_to_async

from llm.roles import (
    Act,
    CondenseAsked,
    Condensed,
    DecomposeAsked,
    Decomposition,
    FindingDraft,
    Passage,
    ResearchAsked,
    Sufficiency,
    SufficiencyAsked,
)
from research.findings import record_findings
from research.inquiry import Inquiry
from research.models import Finding, Gap, Node
from research.searching import passages_of, search_library
from research.words import counted

MAX_DEPTH = 2
MAX_CHILDREN = 7
MAX_CALLS = 10  # queries a node may make
MAX_TURNS = 4
FUTILE = 5  # queries without adequate sources after which a node stops and names the gap (R5)
BARREN = 2  # rounds in a row with nothing new after which a node stops (R5)
MIN_SOURCES = 2
FINDINGS = 12  # of a node; twice as many where there is so little to read that nothing need be left out
SHORT = 12  # passages
LEAST_URGENT = 5  # priority of a gap; 1 is the most urgent


async def work_tree(inquiry: Inquiry) -> None:
    """Work the whole tree from its root."""
    root = await sync_to_async(_root)(inquiry)
    await work_node(inquiry, root)


def _root(inquiry: Inquiry) -> Node:
    node, _ = Node.objects.get_or_create(
        run=inquiry.run, number="1", defaults={"depth": 0, "question": inquiry.run.question}
    )
    return node


async def work_node(inquiry: Inquiry, node: Node) -> None:
    """Research one node and, when that is not enough, its parts."""
    found = await research(inquiry, node)
    condensed = await condense(inquiry, node, found)
    judged = await judge(inquiry, node, condensed.findings, found)
    if judged.is_sufficient or node.depth >= MAX_DEPTH:
        return
    children = await split(inquiry, node, found, judged)
    if children:
        await _together(work_node(inquiry, child) for child in children)
        await inquiry.once(f"{node.number}/joined", lambda: _joined(inquiry, node))


async def _together(works: Iterable[Coroutine[Any, Any, None]]) -> None:
    """All of `works` at once. When one ends in an exception the others are stopped before it goes on its way,
    so that nothing is written after a run has come to its end.
    """
    try:
        async with asyncio.TaskGroup() as group:
            for work in works:
                group.create_task(work)
    except BaseExceptionGroup as failures:
        first: BaseException = failures
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from None


async def research(inquiry: Inquiry, node: Node) -> list[Passage]:
    """The researcher's loop: the engine says what to search, until it has enough or the stop rules end it."""
    asked_before: list[str] = []
    found: list[Passage] = []
    new = barren = 0
    for turn in range(1, MAX_TURNS + 1):
        if len(asked_before) >= FUTILE and len({passage.document for passage in found}) < MIN_SOURCES:
            break
        left = MAX_CALLS - len(asked_before)
        asked = ResearchAsked(
            question=inquiry.run.question,
            node_question=node.question,
            perspective=node.perspective,
            key_terms=inquiry.run.brief.get("key_terms", []),
            asked_before=asked_before,
            found=found,
            new_last_turn=new,
            calls_left=left,
        )
        act = await inquiry.ask(f"{node.number}/research/{turn}", asked, lambda act: _decided(inquiry, node, act))
        queries = _queries(inquiry, node, act, asked_before)[:left]
        if not queries:
            break
        ids = await search_library(inquiry, node, turn, queries)
        asked_before += queries
        before = {passage.source_id for passage in found}
        found += await sync_to_async(passages_of)(inquiry.run, [i for i in ids if i not in before])
        new = len(found) - len(before)
        barren = 0 if new else barren + 1
        if barren == BARREN:
            break
    return found


def _queries(inquiry: Inquiry, node: Node, act: Act, asked_before: list[str]) -> list[str]:
    """What is searched for next. A model that would stop before it ever searched is not let off: no search, no gap."""
    queries = [query for query in act.queries if query.strip()] if act.tool == "web_search" else []
    return queries or ([] if asked_before or not inquiry.uses_model else [node.question])


async def condense(inquiry: Inquiry, node: Node, found: list[Passage]) -> Condensed:
    """Findings with exact spans. A quote that is not in its source is dropped by code, whoever made it."""
    asked = CondenseAsked(
        question=inquiry.run.question,
        node_question=node.question,
        perspective=node.perspective,
        passages=found,
        at_most=FINDINGS if len(found) > SHORT else 2 * FINDINGS,
    )
    return await inquiry.ask(f"{node.number}/condense", asked, lambda answer: record_findings(inquiry, node, answer))


async def judge(inquiry: Inquiry, node: Node, findings: list[FindingDraft], found: list[Passage]) -> Sufficiency:
    documents = {passage.source_id: passage.document for passage in found}
    asked = SufficiencyAsked(
        question=inquiry.run.question,
        node_question=node.question,
        perspective=node.perspective,
        depth=node.depth,
        findings=findings,
        documents=len({documents.get(finding.source_id, finding.source_id) for finding in findings}),
        min_sources=MIN_SOURCES,
        digest=inquiry.digest,
    )
    return await inquiry.ask(f"{node.number}/sufficiency", asked, lambda answer: _judged(inquiry, node, answer))


async def split(inquiry: Inquiry, node: Node, found: list[Passage], judged: Sufficiency) -> list[Node]:
    asked = DecomposeAsked(
        question=inquiry.run.question,
        node_question=node.question,
        perspective=node.perspective,
        depth=node.depth,
        at_most=MAX_CHILDREN,
        passages=found,
        gaps=[gap.description for gap in judged.gaps],
        digest=inquiry.digest,
    )
    await inquiry.ask(f"{node.number}/decompose", asked, lambda answer: _split(inquiry, node, answer))
    return await sync_to_async(_children)(node)


def _children(node: Node) -> list[Node]:
    return list(node.children.order_by("id"))


# What is written with each answer


def _decided(inquiry: Inquiry, node: Node, act: Act) -> None:
    _set(node, Node.State.WORKING, "Searching" if act.tool == "web_search" else "Reading")
    if act.thought:
        inquiry.tell("thought", act.thought, node=node)


def _judged(inquiry: Inquiry, node: Node, judged: Sufficiency) -> None:
    sources = counted(node.findings.values("source__document").distinct().count(), "source")
    node.reasoning = judged.reasoning
    if judged.is_sufficient:
        _set(node, Node.State.ENOUGH, f"{sources}, enough")
    else:
        _set(node, Node.State.GAP, f"{sources}; gap named" if judged.gaps else sources)
    for position, gap in enumerate(judged.gaps, start=1):
        row = Gap.objects.create(
            run=inquiry.run,
            node=node,
            gap_id=f"G{node.number}-{position}",
            description=gap.description,
            priority=min(max(gap.priority, 1), LEAST_URGENT),
            suggested_queries=gap.suggested_queries,
        )
        details = {
            "gap_id": row.gap_id,
            "description": row.description,
            "priority": row.priority,
            "suggested_queries": row.suggested_queries,
        }
        inquiry.log("supervision", "gap_identified", f"{node.number}: {row.description}", details)
    inquiry.tell(
        "node_sufficiency_completed",
        judged.reasoning,
        node=node,
        sufficient=judged.is_sufficient,
        summary="Gaps",
        lines=[gap.description for gap in judged.gaps],
    )


def _split(inquiry: Inquiry, node: Node, answer: Decomposition) -> None:
    directives = [one for one in answer.directives if one.question.strip()][:MAX_CHILDREN]
    if not directives:
        inquiry.tell("node_unresolved", answer.rationale, node=node)
        return
    for position, directive in enumerate(directives, start=1):
        Node.objects.create(
            run=inquiry.run,
            parent=node,
            number=f"{node.number}.{position}",
            depth=node.depth + 1,
            topic=directive.topic[:200],
            question=directive.question,
            perspective=directive.perspective[:60],
        )
    _set(node, Node.State.SPLIT, f"Working on {counted(len(directives), 'part')}")
    sentence = f"Split into {counted(len(directives), 'question')}: {', '.join(d.topic for d in directives)}."
    lines = [f"{node.number}.{n} {d.question}" for n, d in enumerate(directives, start=1)]
    inquiry.tell("node_decomposed", sentence, node=node, summary="Questions", lines=lines)
    details = {
        "directives": [{"topic": d.topic, "perspective": d.perspective, "priority": d.priority} for d in directives],
        "rationale": answer.rationale,
    }
    inquiry.log("supervision", "decomposition", sentence, details)


def _joined(inquiry: Inquiry, node: Node) -> None:
    """The parts are worked. When each of them is answered, so is the node, and the gaps it named are closed."""
    parts = list(node.children.all())
    missing = [part.number for part in parts if part.state != Node.State.ENOUGH]
    below = Finding.objects.filter(run=inquiry.run, node__number__startswith=f"{node.number}.").count()
    if not missing:
        _set(node, Node.State.ENOUGH, f"{counted(len(parts), 'part')}, {counted(below, 'finding')}")
        _close_gaps(inquiry, node, f"Answered by {', '.join(part.number for part in parts)}.")
    else:
        _set(node, Node.State.GAP, f"{counted(below, 'finding')}; open: {', '.join(missing)}"[:200])
    inquiry.tell("node_completed", f"All {len(parts)} parts of {node.number} are worked.", node=node)


def _close_gaps(inquiry: Inquiry, node: Node, notes: str) -> None:
    for gap in inquiry.run.gaps.open().filter(node=node):
        gap.resolution_notes = notes
        gap.save(update_fields=["resolution_notes"])
        details = {"gap_id": gap.gap_id, "resolution_notes": notes}
        inquiry.log("supervision", "gap_resolved", f"{node.number}: {gap.description}. {notes}", details)


def _set(node: Node, state: Node.State, said: str) -> None:
    node.state, node.said = state, said
    node.save(update_fields=["state", "said", "reasoning"])
