"""Which notes of the person's files each question of a run is given (SPEC X3 to X5).

An engine chooses; here its choice is checked and brought within bounds. Nothing but the arguments decides, so a run that
goes on, or is replayed, comes to the same slices. In a slice the notes stand in the order in which the question above
has them.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from pydantic import BaseModel

from contextfiles.notes_bundle import fitting
from llm.offline.digest import MUST_KEEP
from llm.roles import DigestItem, RouteChild, Routed, Routing
from text.stemming import content_stems, content_tokens, generic_stems, language_of, stems

Mode = Literal["root", "routed", "inherited", "fallback"]


class Budget(NamedTuple):
    """The most notes that a question is given, and characters of their texts together."""

    items: int
    characters: int


CHILD = Budget(20, 6_000)
INHERITED = Budget(24, 7_000)
FALLBACK = Budget(12, 4_000)
FIRST = 6  # notes where none shares a word with the question and nobody has chosen
SAID = 300  # characters of a reason or a note on coverage
WORDS = 8  # of a question that are named because no note has them


class Slice(BaseModel):
    """What one question is given. `dropped` counts the notes of the question above that it is not given."""

    node_id: str
    mode: Mode
    selection_reason: str
    items: list[DigestItem]
    coverage_note: str = ""
    dropped: int = 0


def root(items: Sequence[DigestItem], node_id: str) -> Slice:
    """Return the root has everything: what that may be is bounded when the files' notes are put together (X4)."""
    return Slice(
        node_id=node_id, mode="root", selection_reason="The whole question has all notes of the files.", items=[*items]
    )


def leaves_a_choice(items: Iterable[DigestItem]) -> bool:
    """Return whether there is anything to choose: constraints go to each question anyway."""
    return any(item.kind not in MUST_KEEP for item in items)


def fault(answer: Routing, children: Sequence[RouteChild]) -> str:
    """Return why `answer` is of no use although its shape is right, or ""."""
    named = {routed.node_id.strip() for routed in answer.slices}
    return "it names none of the questions" if named.isdisjoint(child.node_id for child in children) else ""


def settled(items: Sequence[DigestItem], children: Sequence[RouteChild], answer: Routing) -> list[Slice]:
    """Return what `answer` comes to, one slice for each of `children`, in their order (X5).

    Questions and numbers that do not exist are left out, constraints are added, and what does not fit into CHILD is cut,
    the notes furthest from the question first. Constraints are never cut: where they alone are more than fit, they are
    the slice. A question that the answer passes over, or gives only numbers that do not exist, has `fallback`.
    """
    routed = {one.node_id.strip(): one for one in reversed(answer.slices)}  # of two for one question the first
    return [_settled(items, child, routed.get(child.node_id)) or fallback(items, child) for child in children]


def _settled(items: Sequence[DigestItem], child: RouteChild, routed: Routed | None) -> Slice | None:
    wanted = {number - 1 for number in (routed.items if routed else []) if 0 < number <= len(items)}
    if routed is None or (routed.items and not wanted):
        return None
    places = _within(items, child, wanted, CHILD)
    said = [_ended(_short(routed.reason) or "No reason was given.")]
    if added := len([place for place in places if place not in wanted]):
        said.append(f"Added: {added} constraint{'' if added == 1 else 's'}, which every question has.")
    if cut := len(wanted - set(places)):
        said.append(f"Left out for want of room: {cut} that were chosen.")
    return _slice(items, child, "routed", places, " ".join(said), routed.coverage_note)


def fallback(items: Sequence[DigestItem], child: RouteChild) -> Slice:
    """Return what `child` is given when no engine has chosen: the notes that share most words with it, else the first ones."""
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
        else "No note shares a word with the question. These are the first.",
    )


def inherited(items: Sequence[DigestItem], child: RouteChild) -> Slice:
    """Return what the question above has, as far as it fits."""
    places = _within(items, child, set(range(len(items))), INHERITED)
    has = "nothing else" if items else "no notes either"
    return _slice(items, child, "inherited", places, f"The question above has {has}.")


def nearness(items: Sequence[DigestItem], child: RouteChild) -> list[int]:
    """For each note, how many of the words that carry something in the question it shares."""
    language = language_of(child.node_question)
    words = content_stems(f"{child.node_question} {child.perspective}", language)
    return [len(words.intersection(stems(item.text, language))) for item in items]


def uncovered(items: Iterable[DigestItem], child: RouteChild) -> str:
    """Return the words of the question that none of `items` has, as a sentence; "" when there are none."""
    language = language_of(child.node_question)
    found = {stem for item in items for stem in stems(item.text, language)} | generic_stems()
    missing = {token.stem: token.surface for token in content_tokens(child.node_question, language)[::-1]}
    words = [word for stem, word in [*missing.items()][::-1] if stem not in found][:WORDS]
    return f"No note here speaks of: {', '.join(words)}." if words else ""


def _within(items: Sequence[DigestItem], child: RouteChild, wanted: set[int], budget: Budget) -> list[int]:
    """Places of the constraints and, nearest first, of as many of `wanted` as fit beside them; in their order."""
    constraints = [place for place, item in enumerate(items) if item.kind in MUST_KEEP]
    shared = nearness(items, child)
    nearest = sorted(wanted.difference(constraints), key=lambda place: (-shared[place], place))
    return fitting(items, nearest, budget.items, budget.characters, constraints)


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
    """Return what an engine has said, on one line that is not too long."""
    line = " ".join(text.split())
    return line if len(line) <= SAID else f"{line[: SAID - 1]}…"


def _ended(said: str) -> str:
    return said if said[-1] in ".!?…。" else f"{said}."
