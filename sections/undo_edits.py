"""Undoing edits of a text that has changed since: a three-way merge of the edited, the present and the old text."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, chain
from typing import NamedTuple

from latex.text_edits import Edit
from sections.diffs import differences

_TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)


class _Same(NamedTuple):
    """A stretch that both texts have: it begins at `start` of the one and `there` in the other."""

    start: int
    end: int
    there: int


def in_new_text(latex: str, edits: Sequence[Sequence[Edit]]) -> list[list[tuple[int, int, str]]]:
    """Return for each match the places of its edits of `latex` in the new text, with the text that was there."""
    places, moved = {}, 0
    for edit in sorted(chain.from_iterable(edits)):
        start = edit.start + moved
        places[edit] = start, start + len(edit.text), latex[edit.start : edit.end]
        moved += len(edit.text) - (edit.end - edit.start)
    return [[places[edit] for edit in match] for match in edits]


def undo_edits(edited: str, edits: Sequence[Sequence[Sequence[int | str]]], present: str) -> tuple[str, int]:
    """Return `present` with `edits` undone, and how many could not be because their place changed.

    `edits` has for each match its [start, end, old text] in the text `edited`. Those of a match are undone together.
    """
    stretches = _unchanged(edited, present)
    starts = [one.start for one in stretches]
    undone: list[Edit] = []
    left = 0
    for match in edits:
        first, last = min(int(one[0]) for one in match), max(int(one[1]) for one in match)
        # A place where nothing is left is known by the characters on either side
        around = (first, last) if first < last else (max(0, first - 1), min(len(edited), last + 1))
        at = bisect_right(starts, around[0]) - 1
        if at < 0 or stretches[at].end < around[1] or not _is_known(edited, stretches[at], present):
            left += 1
            continue
        moved = stretches[at].there - stretches[at].start
        undone += [Edit(int(start) + moved, int(end) + moved, str(old)) for start, end, old in match]
    parts, done = [], 0
    for edit in sorted(undone, key=lambda edit: edit[:2]):  # in a place that is empty now, in the order of before
        parts += [present[done : edit.start], edit.text]
        done = edit.end
    return "".join([*parts, present[done:]]), left


def _is_known(edited: str, stretch: _Same, present: str) -> bool:
    """Return whether a stretch is surely the same place: a blank or a comma alone is found anywhere."""
    return edited == present or any(sign.isalnum() for sign in edited[stretch.start : stretch.end])


def _unchanged(one: str, other: str) -> list[_Same]:
    """Return the stretches of `one` that are in `other` too, in order."""
    if one == other:
        return [_Same(0, len(one), 0)]
    before, after = _TOKEN.findall(one), _TOKEN.findall(other)
    places = [0, *accumulate(map(len, before))]
    others = [0, *accumulate(map(len, after))]
    return [_Same(places[op.i1], places[op.i2], others[op.j1]) for op in differences(before, after) if op.same]
