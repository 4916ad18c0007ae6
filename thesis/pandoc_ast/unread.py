r"""A text with an open brace or environment, read without the blocks that cannot be read (SPEC T2, T6).

pandoc reads a text as a whole or not at all. Each block that is at fault is replaced by a mark, and comes back in the
tree as its source with a sentence that says what is open and from where.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from latex.open_parts import OpenPart, open_parts, part_at
from latex.text_edits import Edit, apply_edits
from thesis.pandoc_ast.nodes import Node
from untrusted.pandoc import PandocFailed

SAID = "said"  # the key of the sentence in the attributes of a code block
_MOST_TRIES = 6
_LONGEST = 60_000  # characters of a block that is shown as source
_MARK = re.compile("\ue013(\\d+)\ue014\\Z")
WHERE = re.compile(r"\(?line (\d+), column \d+\)?")

Made = TypeVar("Made")


class Unread(NamedTuple):
    """A block that cannot be read: its source, and the sentence about it."""

    source: str
    said: str


def read_around(latex: str, read: Callable[[str], Made], first_line: int | None = 1) -> tuple[Made, list[Unread]]:
    """Return what `read` makes of `latex`, without the blocks that it cannot read, and these in order.

    `first_line` is the number of the first line, None if no line is to be named. Raises PandocFailed if no block of the
    text is at fault.
    """
    try:
        return read(latex), []
    except PandocFailed as failed:
        if not WHERE.search(str(failed)):
            raise  # it took too long, or needs too much memory
        error = failed
    parts = open_parts(latex)
    for _ in range(_MOST_TRIES):
        if not parts:
            parts = _with_line(latex, parts, error)
        try:
            made = read(_without(latex, parts))
            return made, [
                Unread(latex[one.start : one.end][:_LONGEST], _sentence(latex, one, first_line)) for one in parts
            ]
        except PandocFailed as failed:
            parts = _with_line(latex, parts, failed)
    raise error


def with_sources(blocks: Any, unread: list[Unread]) -> Any:
    """Return `blocks` with the source of each block in place of its mark, and its sentence in the attributes."""
    if isinstance(blocks, list):
        return [with_sources(one, unread) for one in blocks]
    if not isinstance(blocks, dict):
        return blocks
    if blocks.get("t") == "CodeBlock" and (found := _MARK.match(blocks["c"][1])) and int(found[1]) < len(unread):
        source, said = unread[int(found[1])]
        node: Node = {"t": "CodeBlock", "c": [["", [], [[SAID, said]]], source.strip("\r\n")]}
        return node
    return {name: with_sources(one, unread) for name, one in blocks.items()}


def _with_line(latex: str, parts: list[OpenPart], error: PandocFailed) -> list[OpenPart]:
    """Return `parts` and the block that `error` names by its line. Raises `error` if that leads nowhere."""
    where = WHERE.search(str(error))
    lines = latex.splitlines(keepends=True)
    if where is None or not lines:
        raise error
    at = min(sum(map(len, lines[: int(where[1]) - 1])), len(latex) - 1)
    new = part_at(latex, at, "this cannot be read")
    if any(one.start <= new.start < one.end for one in parts):
        raise error
    return sorted([*(one for one in parts if not new.start <= one.start < new.end), new])


def _without(latex: str, parts: list[OpenPart]) -> str:
    """Return `latex` with a mark for each of `parts`, and the same line ends."""
    return apply_edits(
        latex,
        [
            Edit(
                one.start,
                one.end,
                f"\\begin{{verbatim}}\ue013{place}\ue014\\end{{verbatim}}"
                + "\n" * max(2, latex.count("\n", one.start, one.end)),
            )
            for place, one in enumerate(parts)
        ],
    )


def _sentence(latex: str, part: OpenPart, first_line: int | None) -> str:
    message = f"{part.message[0].upper()}{part.message[1:]}"
    if first_line is None:
        return f"{message}. Its paragraph is shown as source; the text around is set."
    line, first, last = (
        first_line + latex.count("\n", 0, at)
        for at in (part.at, part.start, part.start + len(latex[part.start : part.end].rstrip()))
    )
    shown = f"Line {first:,} is" if first == last else f"Lines {first:,} to {last:,} are"
    return f"{message} (line {line:,}). {shown} shown as source; the text around is set."
