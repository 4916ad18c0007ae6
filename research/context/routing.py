"""Routing of notes on the user's files to the questions of a run (SPEC X4, X5, X7; docs/decisions/context-routing.md).

The root question and the report get all notes. Every other question gets a slice: when a question is split, one call
chooses the slices of all its parts from the notes that the question has itself. The slices follow from that answer in
the journal; their rows serve pages, the API and follow-ups. A run without notes has no slices.
"""

from collections.abc import Sequence
from typing import Any

from contextfiles import question_slices
from contextfiles.models import NodeContextSlice
from contextfiles.question_slices import Slice
from llm.budget import BudgetSpent
from llm.errors import Unusable
from llm.roles import DigestItem, RouteAsked, RouteChild, Routing
from research.models import Node
from research.next_question import NextQuestion
from research.plurals import counted
from research.run_context.ask_engine import AskableEngine, failure_sentence
from research.run_context.excerpts import prompt_shown
from research.run_context.run_context import RunContext
from research.setup.budget import ResearchOver

ROOT = "1"  # the number of the whole question


async def give_root(inquiry: RunContext) -> None:
    """Give the root question all notes, once the files are read.

    Runs that began before there were snapshots have no slices: there, each question keeps all notes.
    """
    if inquiry.digest and inquiry.run.context_id:
        whole = question_slices.root_slice(inquiry.digest, ROOT)
        await inquiry.once("context/root", lambda: _given_root(inquiry, whole))
        inquiry.slices[ROOT] = whole


async def route(inquiry: RunContext, parent: Node, children: Sequence[Node], gaps: Sequence[str] = ()) -> None:
    """Give each of `children`, new parts of `parent`, its slice of the notes of `parent`, with one call for all.

    `gaps` describe what the children are to fill; like the children, they must be the same when the run is resumed.
    If the engine's answer is unusable or the time for research is over, shared words decide. Raises as RunContext.put.
    """
    if not inquiry.slices or not children:
        return
    items = notes_for(inquiry, parent)
    asked = RouteAsked(
        question=inquiry.run.question,
        node_question=parent.question,
        depth=parent.depth,
        children=[
            RouteChild(node_id=node.number, node_question=node.question, perspective=node.perspective)
            for node in children
        ],
        items=items,
        gaps=list(gaps),
        at_most=question_slices.CHILD.items,
    )
    # The root question is split again in each round, so the key names the first part.
    key = parent.key(f"route/{children[0].number}")
    if question_slices.leaves_a_choice(items):
        given = await _routed(inquiry, key, asked, parent, children)
    else:
        given = [question_slices.inherited_slice(items, child) for child in asked.children]
        await inquiry.once(key, lambda: _ready(inquiry, children, given))
    inquiry.slices.update((one.node_id, one) for one in given)


async def route_round(inquiry: RunContext, children: Sequence[Node], points: Sequence[NextQuestion]) -> None:
    """Give each new question of a later round its slice of the notes of the root question, the parent of `children`."""
    if inquiry.slices and children and (parent := children[0].parent):
        wanted = [id for point in points for id in point.answers]
        gaps = inquiry.run.gaps.filter(gap_id__in=wanted).order_by("id").values_list("description", flat=True)
        await route(inquiry, parent, children, [description async for description in gaps])


def notes_for(inquiry: RunContext, node: Node) -> list[DigestItem]:
    """Return the notes of `node`: those of its slice, else of the nearest question above it that has a slice."""
    number = node.number
    while number and number not in inquiry.slices:
        number = number.rpartition(".")[0]
    return inquiry.slices[number].items if number else inquiry.digest


async def attach_to_report(inquiry: RunContext, prefix: str = "") -> list[DigestItem]:
    """Return all notes, for the report, and report that once; `prefix` goes before the key of that step."""
    if inquiry.slices:
        await inquiry.once(f"{prefix}synthesis/context", lambda: _attached(inquiry))
    return inquiry.digest


async def load_slices(inquiry: RunContext) -> None:
    """Load the slices of a run that has ended from their rows, since its routing steps are not gone through again."""
    if inquiry.slices:
        async for row in NodeContextSlice.objects.filter(bundle=inquiry.run.context_id).order_by("id"):
            inquiry.slices.setdefault(
                row.node_id,
                Slice(
                    node_id=row.node_id,
                    mode=row.mode,
                    selection_reason=row.selection_reason,
                    items=[DigestItem.model_validate(item) for item in row.selected_items],
                    coverage_note=row.coverage_note,
                    dropped=row.dropped_items_count,
                ),
            )


# Asking


async def _routed(
    inquiry: RunContext, key: str, asked: RouteAsked, parent: Node, children: Sequence[Node]
) -> list[Slice]:
    await inquiry.once(f"{key}/begin", lambda: _started(inquiry, asked, parent))

    async def question(engine: AskableEngine) -> Any:
        prompt = await prompt_shown(inquiry, asked) if inquiry.uses_model else None
        try:
            answer = (await engine.ask(asked, prompt=prompt)).answer
        except Unusable as failed:  # caught here so that the offline engine is not asked: shared words decide instead
            return _failed(f"The answer could not be used: {failure_sentence(failed.why)}")
        except BudgetSpent as spent:  # the next question of the research may cost less
            return _failed(failure_sentence(spent))
        return {**answer.model_dump(mode="json"), "failed": ""}

    async def late(over: ResearchOver) -> Any:
        return _failed(over.why)

    def settled(answer: Any) -> list[Slice]:
        if answer["failed"]:
            return [question_slices.fallback_slice(asked.items, child) for child in asked.children]
        return question_slices.slices_of_answer(asked.items, asked.children, Routing.model_validate(answer))

    def record(answer: Any) -> None:
        given = settled(answer)
        _completed(inquiry, asked, parent, given, answer["failed"])
        _ready(inquiry, children, given)

    def fault(answer: Routing) -> str:
        return question_slices.answer_fault(answer, asked.children)

    request = {"role": asked.role, "asked": asked.model_dump(mode="json")}
    return settled(await inquiry.put(key, request, question, record, fault, instead=late))


def _failed(why: str) -> dict[str, Any]:
    return {"slices": [], "failed": why}


# Events and log entries


def _given_root(inquiry: RunContext, whole: Slice) -> None:
    _ready(inquiry, [Node(number=ROOT, depth=0)], [whole])  # the root's row is only created when research begins
    details = {"node_id": ROOT, "mode": whole.mode, "items": len(whole.items)}
    inquiry.log("binding", "context_for_node_ready", f"{_prepared(whole)}: all notes of the files.", details)


def _started(inquiry: RunContext, asked: RouteAsked, parent: Node) -> None:
    notes, to_each = counted(len(asked.items), "note"), counted(len(asked.children), "question")
    inquiry.tell(
        "context_routing_started",
        f"Choosing from {notes} on your files for {to_each}.",
        node=parent,
        items_count=len(asked.items),
        node_id=parent.number,
        children=[child.node_id for child in asked.children],
    )


def _completed(inquiry: RunContext, asked: RouteAsked, parent: Node, given: Sequence[Slice], failed: str) -> None:
    to_each = counted(len(given), "question")
    by_words = [one.node_id for one in given if one.mode == "fallback"]
    told: dict[str, Any] = {"node_id": parent.number, "children": [one.node_id for one in given]}
    logged: dict[str, Any] = {
        "node_id": parent.number,
        "items": len(asked.items),
        "slices": [
            {
                "node_id": one.node_id,
                "mode": one.mode,
                "items": len(one.items),
                "dropped": one.dropped,
                "reason": one.selection_reason,
            }
            for one in given
        ],
    }
    said = f"Chosen from {counted(len(asked.items), 'note')} for {to_each}."
    if failed:
        said = f"The notes for {to_each} could not be chosen by the model. {failed} They are chosen by shared words."
        told, logged = {**told, "reason": failed, "trouble": True}, {**logged, "reason": failed}
    elif by_words:
        said += f" The answer has nothing for {', '.join(by_words)}: chosen by shared words instead."
    event_type = f"context_routing_{'failed' if failed else 'completed'}"
    inquiry.say("supervision", event_type, said, logged, node=parent, fallback=by_words, **told)


def _ready(inquiry: RunContext, nodes: Sequence[Node], given: Sequence[Slice]) -> None:
    """Store each slice and write its event."""
    for node, one in zip(nodes, given, strict=True):
        NodeContextSlice.objects.update_or_create(
            bundle_id=inquiry.run.context_id,
            node_id=one.node_id,
            defaults={
                "mode": one.mode,
                "selection_reason": one.selection_reason,
                "selected_items": [item.model_dump() for item in one.items],
                "coverage_note": one.coverage_note,
                "dropped_items_count": one.dropped,
            },
        )
        details = {"node_id": one.node_id, "depth": node.depth, "selected_items_count": len(one.items)}
        inquiry.tell("context_for_node_ready", f"{_prepared(one)}.", node=node, mode=one.mode, **details)


def _prepared(one: Slice) -> str:
    return f"Prepared context for {one.node_id} ({counted(len(one.items), 'item')})"


def _attached(inquiry: RunContext) -> None:
    number = len(inquiry.digest)
    said = f"Full context attached to the report ({counted(number, 'item')})."
    inquiry.say("synthesis", "report_context_attached", said, {"items": number}, selected_items_count=number)
