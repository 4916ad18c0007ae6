"""What each question of a run is given of the person's files (SPEC X4, X5, X7; docs/decisions/context-routing.md).

The root and the report have everything. Each other question has a slice: when a question becomes parts, one call
chooses for all of them, out of what that question has itself. Everything follows from the answer in the journal; the
rows are for people and programs, and for follow-ups on a run that has ended. A run without notes has no slices at all.
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
from research.next_question import Point
from research.run_context.ask_engine import Asks, sentence
from research.run_context.excerpts import prompt_shown
from research.run_context.run_context import Inquiry
from research.setup.budget import Over
from research.words import counted

ROOT = "1"  # the number of the whole question


async def give_root(inquiry: Inquiry) -> None:
    """Once the files are bound: the whole question is given all that was noted of them.

    Runs from before there were bundles have no slices either, and go on as they were begun: each question has all.
    """
    if inquiry.digest and inquiry.run.context_id:
        whole = question_slices.root(inquiry.digest, ROOT)
        await inquiry.once("context/root", lambda: _given_root(inquiry, whole))
        inquiry.slices[ROOT] = whole


async def route(inquiry: Inquiry, parent: Node, children: Sequence[Node], gaps: Sequence[str] = ()) -> None:
    """Give each of `children`, new parts of `parent`, its slice of what `parent` has. One call serves all of them.

    `gaps` describe what they are to fill; they, too, must be the same when the run goes on. Where the engine's answer
    cannot be used, or the research is over, code chooses, and the run goes on. Raises what Inquiry.put raises.
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
    # A question becomes parts in its first round and, being the root, in each later one: its first part tells which.
    key = parent.key(f"route/{children[0].number}")
    if question_slices.leaves_a_choice(items):
        given = await _routed(inquiry, key, asked, parent, children)
    else:
        given = [question_slices.inherited(items, child) for child in asked.children]
        await inquiry.once(key, lambda: _ready(inquiry, children, given))
    inquiry.slices.update((one.node_id, one) for one in given)


async def route_round(inquiry: Inquiry, children: Sequence[Node], points: Sequence[Point]) -> None:
    """Give each question that a later round begins with its slice of what the root has. `children` name their parent."""
    if inquiry.slices and children and (parent := children[0].parent):
        wanted = [id for point in points for id in point.answers]
        gaps = inquiry.run.gaps.filter(gap_id__in=wanted).order_by("id").values_list("description", flat=True)
        await route(inquiry, parent, children, [description async for description in gaps])


def notes_for(inquiry: Inquiry, node: Node) -> list[DigestItem]:
    """Return the notes that `node` was given: those of its slice, else of the nearest question above it that has one."""
    number = node.number
    while number and number not in inquiry.slices:
        number = number.rpartition(".")[0]
    return inquiry.slices[number].items if number else inquiry.digest


async def attach_to_report(inquiry: Inquiry, prefix: str = "") -> list[DigestItem]:
    """Return all notes, for the report. That they are attached is told once for each report; `prefix` is that of its steps."""
    if inquiry.slices:
        await inquiry.once(f"{prefix}synthesis/context", lambda: _attached(inquiry))
    return inquiry.digest


async def recall(inquiry: Inquiry) -> None:
    """The slices of a run that has ended, from their rows: what its questions were given is not gone through again."""
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


async def _routed(inquiry: Inquiry, key: str, asked: RouteAsked, parent: Node, children: Sequence[Node]) -> list[Slice]:
    await inquiry.once(f"{key}/begin", lambda: _started(inquiry, asked, parent))

    async def question(engine: Asks) -> Any:
        prompt = await prompt_shown(inquiry, asked) if inquiry.uses_model else None
        try:
            answer = (await engine.ask(asked, prompt=prompt)).answer
        except Unusable as failed:  # caught here, so that no stand-in is asked: code has one of its own
            return _failed(f"The answer could not be used: {sentence(failed.why)}")
        except BudgetSpent as spent:  # what the research itself asks next may cost less
            return _failed(sentence(spent))
        return {**answer.model_dump(mode="json"), "failed": ""}

    async def late(over: Over) -> Any:
        return _failed(over.why)

    def settled(answer: Any) -> list[Slice]:
        if answer["failed"]:
            return [question_slices.fallback(asked.items, child) for child in asked.children]
        return question_slices.settled(asked.items, asked.children, Routing.model_validate(answer))

    def record(answer: Any) -> None:
        given = settled(answer)
        _completed(inquiry, asked, parent, given, answer["failed"])
        _ready(inquiry, children, given)

    def fault(answer: Routing) -> str:
        return question_slices.fault(answer, asked.children)

    request = {"role": asked.role, "asked": asked.model_dump(mode="json")}
    return settled(await inquiry.put(key, request, question, record, fault, instead=late))


def _failed(why: str) -> dict[str, Any]:
    return {"slices": [], "failed": why}


# What is written


def _given_root(inquiry: Inquiry, whole: Slice) -> None:
    _ready(inquiry, [Node(number=ROOT, depth=0)], [whole])  # its row is made when research begins
    details = {"node_id": ROOT, "mode": whole.mode, "items": len(whole.items)}
    inquiry.log("binding", "context_for_node_ready", f"{_prepared(whole)}: all notes of the files.", details)


def _started(inquiry: Inquiry, asked: RouteAsked, parent: Node) -> None:
    notes, to_each = counted(len(asked.items), "note"), counted(len(asked.children), "question")
    inquiry.tell(
        "context_routing_started",
        f"Choosing from {notes} of your files for {to_each}.",
        node=parent,
        items_count=len(asked.items),
        node_id=parent.number,
        children=[child.node_id for child in asked.children],
    )


def _completed(inquiry: Inquiry, asked: RouteAsked, parent: Node, given: Sequence[Slice], failed: str) -> None:
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
        said = f"The context for {to_each} could not be routed. {failed} It is chosen by words in common."
        told, logged = {**told, "reason": failed, "trouble": True}, {**logged, "reason": failed}
    elif by_words:
        said += f" The answer has nothing for {', '.join(by_words)}: chosen by words in common."
    event_type = f"context_routing_{'failed' if failed else 'completed'}"
    inquiry.say("supervision", event_type, said, logged, node=parent, fallback=by_words, **told)


def _ready(inquiry: Inquiry, nodes: Sequence[Node], given: Sequence[Slice]) -> None:
    """Keep each slice and say that it is there."""
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


def _attached(inquiry: Inquiry) -> None:
    number = len(inquiry.digest)
    said = f"Full context attached to the report ({counted(number, 'item')})."
    inquiry.say("synthesis", "report_context_attached", said, {"items": number}, selected_items_count=number)
