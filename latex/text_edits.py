"""Edits of a text by position."""

from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """`text` that replaces the characters `start` to `end` of another text."""

    start: int
    end: int
    text: str


def apply_edits(latex: str, edits: Iterable[Edit]) -> str:
    """Return `latex` with `edits` applied; an edit inside another one is skipped."""
    parts: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda one: (one.start, -one.end)):
        if edit.start >= done:
            parts += [latex[done : edit.start], edit.text]
            done = edit.end
    return "".join([*parts, latex[done:]])
