"""Changes to a text by their places in it."""

from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """`text` in the place of the characters `start` to `end` of another."""

    start: int
    end: int
    text: str


def edited(latex: str, edits: Iterable[Edit]) -> str:
    """This function will give `latex` with `edits`; one inside another is passed over: it is gone, or comes later."""
    parts: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda one: (one.start, -one.end)):
        if edit.start >= done:
            parts += [latex[done : edit.start], edit.text]
            done = edit.end
    return "".join([*parts, latex[done:]])
