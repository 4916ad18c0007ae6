"""The notes of the user's files that each question of a run gets (SPEC X3 to X5).

A language model chooses; this module checks its choice and enforces the limits. The result depends on the arguments
alone, so a resumed or replayed run gets the same slices. The notes of a slice keep the order of the parent question's.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from pydantic import BaseModel

from contextfiles.notes_bundle import places_that_fit
from llm.offline.digest import MUST_KEEP
from llm.roles import DigestItem, RouteChild, Routed, Routing
from text.stemming import content_stems, content_tokens, generic_stems, language_of, stems

Mode = Literal["root", "routed", "inherited", "fallback"]


class Budget(NamedTuple):
    """The most notes that a question gets, and the most characters of their texts together."""

    items: int
    characters: int


CHILD = Budget(20, 6_000)
INHERITED = Budget(24, 7_000)
FALLBACK = Budget(12, 4_000)
FIRST = 6  # notes given when nothing was chosen and none shares a word with the question
MAX_REASON = 300  # characters of a reason or of a note on coverage
WORDS = 8  # of a question that are listed as not covered


class Slice(BaseModel):
    """The notes that one question gets. `dropped` is the number of its parent's notes that it does not get."""

    node_id: str
    mode: Mode
    selection_reason: str
    items: list[DigestItem]
    coverage_note: str = ""
    dropped: int = 0


def root_slice(items: Sequence[DigestItem], node_id: str) -> Slice:
    """Return the slice of the main question: all notes, whose number is limited when they are combined (X4)."""
    return Slice(
        node_id=node_id, mode="root", selection_reason="The main question gets all notes of the files.", items=[*items]
    )


def leaves_a_choice(items: Iterable[DigestItem]) -> bool:
    """Return whether there is anything to choose: constraints are given to every question anyway."""
    return any(item.kind not in MUST_KEEP for item in items)


def answer_fault(answer: Routing, children: Sequence[RouteChild]) -> str:
    """Return why a well-formed `answer` is unusable, or ""."""
    named = {routed.node_id.strip() for routed in answer.slices}
    return "it names none of the questions" if named.isdisjoint(child.node_id for child in children) else ""


def slices_of_answer(items: Sequence[DigestItem], children: Sequence[RouteChild], answer: Routing) -> list[Slice]:
    """Return the slices that follow from `answer`, one for each of `children`, in their order (X5).

    Unknown questions and numbers are ignored, constraints are added, and notes that do not fit into CHILD are dropped,
    those least related to the question first. Constraints are never dropped, even where they alone exceed the limit.
    A question without any valid number in the answer gets `fallback`.
    """
    routed = {one.node_id.strip(): one for one in reversed(answer.slices)}  # the first of two for one question wins
    return [_settled(items, child, routed.get(child.node_id)) or fallback_slice(items, child) for child in children]


def _settled(items: Sequence[DigestItem], child: RouteChild, routed: Routed | None) -> Slice | None:
    wanted = {number - 1 for number in (routed.items if routed else []) if 0 < number <= len(items)}
    if routed is None or (routed.items and not wanted):
        return None
    places = _within(items, child, wanted, CHILD)
    said = [_ended(_short(routed.reason) or "No reason was given.")]
    if added := len([place for place in places if place not in wanted]):
        said.append(f"Added: {added} constraint{'' if added == 1 else 's'}, which every question gets.")
    if cut := len(wanted - set(places)):
        said.append(f"Left out because of the size limit: {cut} that were chosen.")
    return _slice(items, child, "routed", places, " ".join(said), routed.coverage_note)


def fallback_slice(items: Sequence[DigestItem], child: RouteChild) -> Slice:
    """Return the slice of `child` when no choice was made: the notes that share most words with it, else the first."""
    shared = nearness(items, child)
    free = [place for place, item in enumerate(items) if item.kind not in MUST_KEEP]
    near = {place for place in free if shared[place]}
    places = _within(items, child, near or set(free[:FIRST]), FALLBACK)
    return _slice(
        items,
        child,
        "fallback",
        places,
        "Chosen by the words they share with the question."
        if near
        else "No note shares a word with the question, so these are the first ones.",
    )


def inherited_slice(items: Sequence[DigestItem], child: RouteChild) -> Slice:
    """Return the slice of a question that gets all notes of its parent question, as far as they fit."""
    places = _within(items, child, set(range(len(items))), INHERITED)
    has = "only these notes" if items else "no notes either"
    return _slice(items, child, "inherited", places, f"The question above has {has}.")


def nearness(items: Sequence[DigestItem], child: RouteChild) -> list[int]:
    """Return, for each note, the number of content words it shares with the question."""
    language = language_of(child.node_question)
    words = content_stems(f"{child.node_question} {child.perspective}", language)
    return [len(words.intersection(stems(item.text, language))) for item in items]


def uncovered(items: Iterable[DigestItem], child: RouteChild) -> str:
    """Return a sentence with the words of the question that are in none of `items`; "" when there are none."""
    language = language_of(child.node_question)
    found = {stem for item in items for stem in stems(item.text, language)} | generic_stems()
    missing = {token.stem: token.surface for token in content_tokens(child.node_question, language)[::-1]}
    words = [word for stem, word in [*missing.items()][::-1] if stem not in found][:WORDS]
    return f"Not covered by these notes: {', '.join(words)}." if words else ""


def _within(items: Sequence[DigestItem], child: RouteChild, wanted: set[int], budget: Budget) -> list[int]:
    """Return the sorted places of the constraints and of as many of `wanted` as fit, those nearest to it first."""
    constraints = [place for place, item in enumerate(items) if item.kind in MUST_KEEP]
    shared = nearness(items, child)
    nearest = sorted(wanted.difference(constraints), key=lambda place: (-shared[place], place))
    return places_that_fit(items, nearest, budget.items, budget.characters, constraints)


def _slice(
    items: Sequence[DigestItem], child: RouteChild, mode: Mode, places: Sequence[int], reason: str, note: str = ""
) -> Slice:
    chosen = [items[place] for place in places]
    return Slice(
        node_id=child.node_id,
        mode=mode,
        selection_reason=reason,
        items=chosen,
        coverage_note=_short(note) or uncovered(chosen, child),
        dropped=len(items) - len(chosen),
    )


def _short(text: str) -> str:
    """Return a text of a model on one line of at most MAX_REASON characters."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_REASON else f"{line[: MAX_REASON - 1]}…"


def _ended(said: str) -> str:
    return said if said[-1] in ".!?…。" else f"{said}."
