"""The tree of questions (SPEC R6): research -> findings -> enough? -> if not, split and go on.

Siblings are worked at the same time; the journal limits how many calls are under way. Each node's number is
given when its parent is split and never changes.
"""

import asyncio
from collections.abc import Sequence

from asgiref.sync import sync_to_async

from llm.roles import (
    CondenseAsked,
    Condensed,
    DecomposeAsked,
    Decomposition,
    FindingDraft,
    GapDraft,
    Passage,
    Sufficiency,
    SufficiencyAsked,
)
from research.concurrently import together
from research.findings import record_findings
from research.inquiry import Inquiry
from research.models import Finding, Gap, Node
from research.nearest import nearest
from research.researcher import Researched, research
from research.words import counted

MAX_DEPTH = 2
MAX_CHILDREN = 7
MIN_SOURCES = 2
FINDINGS = 12  # of a node; twice as many where there is so little to read that nothing need be left out
SHORT = 12  # passages
READ = 40  # passages that a model draws findings from, of those that a node has found
LEAST_URGENT = 5  # priority of a gap; 1 is the most urgent


async def work_tree(inquiry: Inquiry) -> None:
    """Work the whole tree from its root. A model plans first: its parts are researched, not the question as it stands.

    The offline engine can tell parts only by what a first search has found, so it begins with that.
    """
    root = await sync_to_async(_root)(inquiry)
    parts = await plan(inquiry, root) if inquiry.uses_model else []
    if parts:
        await _work_parts(inquiry, root, parts)
    else:
        await work_node(inquiry, root)


def _root(inquiry: Inquiry) -> Node:
    node, _ = Node.objects.get_or_create(
        run=inquiry.run, number="1", defaults={"depth": 0, "question": inquiry.run.question}
    )
    return node


async def work_node(inquiry: Inquiry, node: Node) -> None:
    """Research one node and, when that is not enough, its parts."""
    researched = await research(inquiry, node)
    found = await asyncio.to_thread(nearest_passages, inquiry, node, researched.found)
    if found or not inquiry.uses_model:
        condensed = await condense(inquiry, node, found)
        judged = await judge(inquiry, node, researched, _borne_out(condensed.findings, found), found)
    else:
        judged = _nothing(researched)  # there is nothing to ask a model about
        await inquiry.once(f"{node.number}/nothing", lambda: _judged(inquiry, node, judged))
    # Where nobody answered, narrower questions would not be answered either.
    if judged.is_sufficient or node.depth >= MAX_DEPTH or researched.all_failed:
        return
    children = await split(inquiry, node, found, judged)
    if children:
        await _work_parts(inquiry, node, children)


async def _work_parts(inquiry: Inquiry, node: Node, parts: list[Node]) -> None:
    await together(work_node(inquiry, part) for part in parts)
    await inquiry.once(f"{node.number}/joined", lambda: _joined(inquiry, node))


def nearest_passages(inquiry: Inquiry, node: Node, found: list[Passage]) -> list[Passage]:
    """What a model gets to read of `found`: the passages nearest to the node's question. The offline engine reads all."""
    if not inquiry.uses_model:
        return found
    kept = nearest(node.question, [f"{passage.title}\n{passage.text}" for passage in found], READ)
    return [found[position] for position in kept]


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


def _borne_out(findings: list[FindingDraft], found: list[Passage]) -> list[FindingDraft]:
    """Those whose quote stands in the passage they name: the others were thrown away, and answer nothing."""
    texts = {passage.source_id: passage.text for passage in found}
    return [one for one in findings if one.quote.strip() and one.quote in texts.get(one.source_id, "")]


async def judge(
    inquiry: Inquiry, node: Node, researched: Researched, findings: list[FindingDraft], found: list[Passage]
) -> Sufficiency:
    """Whether the node is answered. What code knows better than any engine is put right here: without findings, or
    after a search that a stop rule ended for want of sources, it is not (R5, R7).
    """
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
    key = f"{node.number}/sufficiency"
    answer = await inquiry.ask(key, asked, lambda answer: _judged(inquiry, node, _put_right(answer, asked, researched)))
    return _put_right(answer, asked, researched)


def _put_right(judged: Sufficiency, asked: SufficiencyAsked, researched: Researched) -> Sufficiency:
    if not asked.findings:
        return judged if not judged.is_sufficient and judged.gaps else _nothing(researched)
    if researched.stopped and asked.documents < asked.min_sources:
        why = f"{researched.stopped} {counted(asked.documents, 'source')} is not enough to rest on."
        return _with_gap(why, judged.gaps) if judged.is_sufficient or not judged.gaps else judged
    return judged


def _nothing(researched: Researched) -> Sufficiency:
    """The judgement on a node that has no finding."""
    if researched.all_failed:
        return _with_gap(f"No search was answered, so nothing is known yet. {researched.failures[0]}")
    return _with_gap(f"Nothing was found that answers this. {researched.stopped}".strip())


def _with_gap(why: str, gaps: Sequence[GapDraft] = ()) -> Sufficiency:
    gap = GapDraft(description=why, priority=1, suggested_queries=[])
    return Sufficiency(is_sufficient=False, reasoning=why, gaps=[*gaps, gap])


async def plan(inquiry: Inquiry, root: Node) -> list[Node]:
    """The parts in which a model goes about the question (R4); none when it is best researched as it stands."""
    asked = DecomposeAsked(
        question=inquiry.run.question,
        node_question=root.question,
        depth=root.depth,
        at_most=MAX_CHILDREN,
        passages=[],
        brief=inquiry.run.brief.get("text", ""),
        today=inquiry.today.isoformat(),
        digest=inquiry.digest,
    )
    await inquiry.ask(f"{root.number}/plan", asked, lambda answer: _split(inquiry, root, answer))
    return await sync_to_async(_children)(root)


async def split(inquiry: Inquiry, node: Node, found: list[Passage], judged: Sufficiency) -> list[Node]:
    asked = DecomposeAsked(
        question=inquiry.run.question,
        node_question=node.question,
        perspective=node.perspective,
        depth=node.depth,
        at_most=MAX_CHILDREN,
        passages=found,
        gaps=[gap.description for gap in judged.gaps],
        today=inquiry.today.isoformat(),
        digest=inquiry.digest,
    )
    await inquiry.ask(f"{node.number}/decompose", asked, lambda answer: _split(inquiry, node, answer))
    return await sync_to_async(_children)(node)


def _children(node: Node) -> list[Node]:
    return list(node.children.order_by("id"))


# What is written with each answer


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
