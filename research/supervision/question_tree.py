"""The tree of questions (SPEC R6): research a question, draw findings, judge them, and split the question if needed.

Siblings are worked at the same time; the journal limits the number of concurrent calls. A node's number is assigned
when its parent is split and never changes.
"""

import asyncio
from collections.abc import Collection, Sequence
from decimal import Decimal

from core.concurrency import gather_all
from llm.roles import (
    CondenseAsked,
    Condensed,
    DecomposeAsked,
    Decomposition,
    Directive,
    FindingDraft,
    GapDraft,
    Passage,
    Sufficiency,
    SufficiencyAsked,
)
from research.context.routing import notes_for, route
from research.models import Node
from research.nearest_texts import nearest
from research.next_question import NextQuestion
from research.plurals import counted
from research.run_context.excerpts import quote_span
from research.run_context.run_context import RunContext
from research.search.researcher import ResearcherState, research
from research.setup.budget import KEPT_CALLS, WORTH_KEEPING, ResearchOver, of_a_report
from research.setup.limits import MAX_CHILDREN, MAX_DEPTH
from research.supervision.directives import Academic, clean_plan, disciplines_of
from research.supervision.record_findings import close_gaps, record_findings, record_gaps

PLAN = "1/plan"  # key of the step in which a model plans the run
MIN_SOURCES = 2
FINDINGS = 12  # of a node; doubled when there are at most SHORT passages to read
SHORT = 12  # passages
READ = 40  # passages per node that a model draws findings from


async def work_tree(inquiry: RunContext) -> None:
    """Work the whole tree from its root.

    A model makes a plan first, and the parts of the plan are researched instead of the whole question. The offline
    engine can split a question only after a first search, so it begins with that.
    """
    root, _ = await Node.objects.aget_or_create(
        run=inquiry.run, number="1", defaults={"depth": 0, "question": inquiry.run.question}
    )
    narrow = inquiry.profile.is_narrow
    parts = await plan(inquiry, root) if (inquiry.uses_model or inquiry.approved) and not narrow else []
    await _begin(inquiry)
    if parts:
        await _work_parts(inquiry, root, parts)
    else:
        await work_node(inquiry, root, splits=not narrow)


async def _begin(inquiry: RunContext) -> None:
    """Start the research phase: from here on part of the time and money is reserved for the report (R16)."""
    begun = await inquiry.fix("research/begin", {"worked": round(inquiry.limits.worked, 1)})
    inquiry.limits.research_from = begun["worked"]
    if inquiry.uses_model:
        to_be_kept = of_a_report("".join(item.text for item in inquiry.digest))
        inquiry.purse.reserve_for_report(*to_be_kept, KEPT_CALLS, most=WORTH_KEEPING)


def end_research(inquiry: RunContext) -> None:
    """End the research phase: what was reserved for the report may be spent."""
    inquiry.limits.research_from, inquiry.limits.spent = None, None
    inquiry.purse.reserve_for_report(Decimal(0), 0, 0, most=1.0)


async def work_node(
    inquiry: RunContext,
    node: Node,
    prefix: str = "",
    *,
    first: Sequence[str] = (),
    answers: Collection[str] = (),
    splits: bool = True,
) -> None:
    """Research one node and, when that is not enough, its parts, unless `splits` is false.

    A new `prefix` for its keys in the journal lets a node be worked again; gaps that it left open before are closed
    then. `first` are queries that were suggested for it, `answers` the gaps that it should fill (R7).
    """
    node.prefix = prefix
    if prefix:
        await inquiry.once(node.key("again"), lambda: _again(inquiry, node))
    researched, found, judged = await look_into(inquiry, node, first, answers)
    # Splitting is futile when no search was answered, or when a part already has everything the library holds.
    is_futile = researched.all_failed or researched.over or (researched.has_all and node.depth > 0)
    if judged.is_sufficient or node.depth >= MAX_DEPTH or is_futile or not splits:
        return
    if children := await split(inquiry, node, found, judged):
        await _work_parts(inquiry, node, children, [gap.description for gap in judged.gaps])


async def look_into(
    inquiry: RunContext, node: Node, first: Sequence[str] = (), answers: Collection[str] = ()
) -> tuple[ResearcherState, list[Passage], Sufficiency]:
    """Research `node` itself; return the search, the passages that were read, and whether they are enough.

    `first` are suggested queries that are made before anything else, `answers` the gaps that the node should fill.
    """
    researched = await research(inquiry, node, first)
    found = await asyncio.to_thread(nearest_passages, inquiry, node, researched.haul.passages())
    if found or not inquiry.uses_model:
        condensed = await condense(inquiry, node, found, answers)
        judged = await judge(inquiry, node, researched, condensed, found, answers)
    else:
        judged = _with_gap(_about(node) + _nothing(researched))  # without passages no model needs to be asked
        await inquiry.once(node.key("nothing"), lambda: _judged(inquiry, node, judged, researched, answers))
    return researched, found, judged


async def _work_parts(inquiry: RunContext, node: Node, parts: list[Node], gaps: Sequence[str] = ()) -> None:
    await route(inquiry, node, parts, gaps)
    await gather_all(work_node(inquiry, part, node.prefix) for part in parts)
    await inquiry.once(node.key("joined"), lambda: finish_parent(inquiry, node))


def _again(inquiry: RunContext, node: Node) -> None:
    close_gaps(inquiry, inquiry.run.gaps.filter(node=node).order_by("id"), "The question was researched again.")
    _set(node, Node.State.WORKING, "Researched again")


def nearest_passages(inquiry: RunContext, node: Node, found: list[Passage]) -> list[Passage]:
    """Return the passages of `found` nearest to the node's question, for a model; the offline engine reads all."""
    if not inquiry.uses_model:
        return found
    texts = [f"{passage.title}\n{passage.text}" for passage in found]
    return [found[position] for position in nearest(node.question, texts, READ)]


async def condense(inquiry: RunContext, node: Node, found: list[Passage], answers: Collection[str] = ()) -> Condensed:
    """Return the findings in `found`, with exact spans. A quote that is not in its source is dropped by code."""
    asked = CondenseAsked(
        question=inquiry.run.question,
        node_question=node.question,
        perspective=node.perspective,
        evidence_needed=needed_by(inquiry, node),
        passages=found,
        at_most=FINDINGS if len(found) > SHORT else 2 * FINDINGS,
    )

    def record(answer: Condensed) -> None:
        record_findings(inquiry, node, answer)
        record_gaps(inquiry, node, answer.gaps, answers)

    # Passages that were found must not be lost, so this is asked even when the time is up.
    return await inquiry.ask(node.key("condense"), asked, record, even_late=True)


def needed_by(inquiry: RunContext, node: Node) -> str:
    """Return the evidence that the node needs, for its prompts; "" outside academic mode.

    Thus the prompts of the other modes stay the same (R3, R4).
    """
    return node.evidence_needed if inquiry.academic else ""


def _borne_out(findings: list[FindingDraft], found: list[Passage]) -> list[FindingDraft]:
    """Return the findings whose quote is in the passage they name; the others are dropped."""
    named = {passage.source_id: passage for passage in found}
    there = ((one, named[one.source_id]) for one in findings if one.source_id in named)
    return [one for one, passage in there if quote_span(one.quote, passage.text, is_file=passage.is_file)]


async def judge(
    inquiry: RunContext,
    node: Node,
    researched: ResearcherState,
    condensed: Condensed,
    found: list[Passage],
    answers: Collection[str] = (),
) -> Sufficiency:
    """Return whether the node is answered.

    Code overrules the engine: without findings, or when a stop rule ended the search for lack of sources, the node is
    not answered (R5, R7).
    """
    findings = _borne_out(condensed.findings, found)
    documents = {passage.source_id: passage.document for passage in found}
    asked = SufficiencyAsked(
        question=inquiry.run.question,
        node_question=node.question,
        perspective=node.perspective,
        evidence_needed=needed_by(inquiry, node),
        depth=node.depth,
        findings=findings,
        gaps=[gap.description for gap in condensed.gaps],
        documents=len({documents.get(finding.source_id, finding.source_id) for finding in findings}),
        min_sources=MIN_SOURCES,
        digest=notes_for(inquiry, node),
    )

    def record(answer: Sufficiency) -> None:
        _judged(inquiry, node, _put_right(answer, asked, researched, _about(node)), researched, answers)

    answer = await inquiry.ask(node.key("sufficiency"), asked, record, instead=lambda over: _unjudged(asked, over))
    return _put_right(answer, asked, researched, _about(node))


def _unjudged(asked: SufficiencyAsked, over: ResearchOver) -> Sufficiency:
    """Return the verdict of code on a node that no engine judges because research is over."""
    is_sufficient = asked.documents >= asked.min_sources
    gap = GapDraft(description=f"Not looked into further: {asked.node_question}", priority=2)
    return Sufficiency(
        is_sufficient=is_sufficient,
        reasoning=f"Not judged further: {over.decision}.",
        gaps=[] if is_sufficient else [gap],
    )


def _about(node: Node) -> str:
    """Return the beginning of a gap that code names: in the report it is read far from its question."""
    return f"{node.topic}: " if node.topic else ""


def _put_right(judged: Sufficiency, asked: SufficiencyAsked, researched: ResearcherState, about: str) -> Sufficiency:
    if not asked.findings:
        return judged if not judged.is_sufficient and judged.gaps else _with_gap(about + _nothing(researched))
    if researched.stopped and asked.documents < asked.min_sources and (judged.is_sufficient or not judged.gaps):
        few = f"{counted(asked.documents, 'source')} {'is' if asked.documents == 1 else 'are'}"
        return _with_gap(f"{about}{few} not enough to rest on. {researched.stopped}", judged.gaps)
    return judged


def _nothing(researched: ResearcherState) -> str:
    """Return why a node has no findings."""
    if researched.over and not researched.queries:
        return f"Not looked into: {researched.over}."
    if researched.all_failed:
        return f"No search was answered, so nothing is known yet. {researched.failures[0]}"
    found = (
        f"Not every search was answered: {researched.failures[0]} In what was searched, nothing answers this."
        if researched.failures
        else "Nothing was found that answers this."
    )
    return f"{found} {researched.stopped}".strip()


def _with_gap(why: str, gaps: Sequence[GapDraft] = ()) -> Sufficiency:
    return Sufficiency(is_sufficient=False, reasoning=why, gaps=[*gaps, GapDraft(description=why, priority=1)])


async def plan(inquiry: RunContext, root: Node) -> list[Node]:
    """Return the parts into which a model splits the question (R4); none when it is best researched as a whole.

    A plan that a person approved is used as approved (R3).
    """
    approved = inquiry.approved
    if approved is not None:
        await inquiry.once(f"{root.number}/approved", lambda: _split(inquiry, root, approved))
    else:
        await inquiry.ask(
            PLAN, plan_asked(inquiry), lambda answer: _split(inquiry, root, settled_plan(inquiry, answer))
        )
    return await _children(root)


def plan_asked(inquiry: RunContext) -> DecomposeAsked:
    """Return the request for the plan of the whole run, before anything was searched."""
    return DecomposeAsked(
        question=inquiry.run.question,
        node_question=inquiry.run.question,
        depth=0,
        at_most=MAX_CHILDREN,
        passages=[],
        brief=inquiry.run.brief.get("text", ""),
        today=inquiry.today.isoformat(),
        digest=inquiry.digest,
    )


def settled_plan(inquiry: RunContext, answer: Decomposition) -> Decomposition:
    """Return the plan made of `answer`: no duplicates, and in academic mode with the parts it must have (R4)."""
    disciplines = disciplines_of(inquiry.profile.disciplinary_scope, inquiry.run.brief.get("scope_boundaries", []))
    first_of = Academic(inquiry.today, disciplines) if inquiry.academic else None
    return clean_plan(inquiry.run.question, answer, first_of=first_of)


async def split(inquiry: RunContext, node: Node, found: list[Passage], judged: Sufficiency) -> list[Node]:
    """Split a node into narrower questions and return them as nodes."""
    asked = DecomposeAsked(
        question=inquiry.run.question,
        node_question=node.question,
        perspective=node.perspective,
        depth=node.depth,
        at_most=MAX_CHILDREN,
        passages=found,
        gaps=[gap.description for gap in judged.gaps],
        today=inquiry.today.isoformat(),
        digest=notes_for(inquiry, node),
    )

    def record(answer: Decomposition) -> None:
        _split(inquiry, node, clean_plan(node.question, answer))

    await inquiry.ask(node.key("decompose"), asked, record, instead=_unsplit)
    return await _children(node)


def _unsplit(over: ResearchOver) -> Decomposition:
    return Decomposition(directives=[], rationale=f"No further questions: {over.decision}.")


async def _children(node: Node) -> list[Node]:
    """Return the parts that the node itself was split into, without those added by later rounds."""
    return [part async for part in node.children.filter(round=node.round).order_by("id")]


# Rows and events stored with each answer


def _judged(
    inquiry: RunContext, node: Node, judged: Sufficiency, researched: ResearcherState, answers: Collection[str] = ()
) -> None:
    works = node.findings.filter(is_superseded=False).values("source__document").distinct()
    sources = counted(works.count(), "source")
    node.reasoning = judged.reasoning
    if judged.is_sufficient:
        _set(node, Node.State.ENOUGH, f"{sources}, enough")
    elif researched.all_failed:
        _set(node, Node.State.FAILED, "No search was answered")
    else:
        _set(node, Node.State.GAP, f"{sources}; gap named" if judged.gaps else sources)
    record_gaps(inquiry, node, judged.gaps, answers)
    inquiry.tell(
        "node_sufficiency_completed",
        judged.reasoning,
        node=node,
        sufficient=judged.is_sufficient,
        summary="Gaps",
        lines=[gap.description for gap in judged.gaps],
    )


def _split(inquiry: RunContext, node: Node, answer: Decomposition) -> None:
    directives = answer.directives
    if not directives:
        inquiry.tell("node_unresolved", answer.rationale, node=node)
        return
    for position, directive in enumerate(directives, start=1):
        node.add_part(position, directive, round=node.round)
    _set(node, Node.State.SPLIT, f"Working on {counted(len(directives), 'part')}")
    sentence = f"Split into {counted(len(directives), 'question')}: {', '.join(d.topic for d in directives)}."
    inquiry.tell(
        "node_decomposed",
        sentence,
        node=node,
        summary="Questions",
        lines=[f"{node.number}.{n} {d.question}" for n, d in enumerate(directives, start=1)],
    )
    log_split(inquiry, sentence, directives, answer.rationale)


def log_split(inquiry: RunContext, sentence: str, parts: Sequence[Directive | NextQuestion], rationale: str) -> None:
    """Log the questions that another question was split into."""
    directives = [{name: getattr(one, name) for name in ("topic", "perspective", "priority")} for one in parts]
    inquiry.log("supervision", "decomposition", sentence, {"directives": directives, "rationale": rationale})


def finish_parent(inquiry: RunContext, node: Node) -> None:
    """Update a node whose parts are done. When all parts are answered, so is the node, and its gaps are closed."""
    parts = list(node.children.all())
    missing = [part.number for part in parts if part.state != Node.State.ENOUGH]
    below = inquiry.run.findings.filter(is_superseded=False, node__number__startswith=f"{node.number}.").count()
    if not missing:
        _set(node, Node.State.ENOUGH, f"{counted(len(parts), 'part')}, {counted(below, 'finding')}")
        said = f"Answered by {', '.join(part.number for part in parts)}."
        close_gaps(inquiry, inquiry.run.gaps.filter(node=node).order_by("id"), said)
    else:
        _set(node, Node.State.GAP, f"{counted(below, 'finding')}; open: {', '.join(missing)}"[:200])
    whose = f"parts of {node.number}" if node.depth else "questions"
    inquiry.tell("node_completed", f"All {len(parts)} {whose} are done.", node=node)


def _set(node: Node, state: Node.State, said: str) -> None:
    node.state, node.said = state, said
    node.save(update_fields=["state", "said", "reasoning"])
