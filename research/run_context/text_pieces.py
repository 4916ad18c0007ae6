"""Cutting a text into pieces that are short enough to be shown to a model (SPEC X6), each with its exact place.

A piece is a sentence, a row of a table, or a part of a longer one: whole clauses where possible, else whole words, else
a fixed number of characters.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from claims.quotes import Span
from text.sentences import Sentence, sentences

LIMIT = 180  # characters of a file in a row that a model may see
LENGTH = LIMIT - 2  # characters of a piece: the spaces around the marks may match the file's own
BETWEEN = " … "
_OTHERWISE = " […] "  # used where the file itself has "…" between two pieces

_CLAUSE = re.compile(r"[,;:.!?—–]\s+|[，。；：、！？]")
_LINE = re.compile(r"[^\n]+")


class Piece(NamedTuple):
    """The part `text[start:end]` of a text.

    `block` numbers the paragraphs and tables of the text. `head` is the first row of the table that the piece is a row
    of. `is_note` marks words that a note of the digest repeats.
    """

    start: int
    end: int
    block: int = -1
    head: Span | None = None
    is_note: bool = False

    @property
    def span(self) -> Span:
        """Return where the piece is in its text."""
        return Span(self.start, self.end)

    def overlaps(self, other: "Piece") -> bool:
        """Return whether the two pieces share any character."""
        return self.start < other.end and other.start < self.end


def pieces_of(text: str) -> list[Piece]:
    """Return the pieces of `text` in order, at most LENGTH characters each.

    Pieces without any letter or digit are left out.
    """
    found: list[Piece] = []
    heads: dict[int, Span] = {}
    for one in sentences(text) or (Sentence(text, 0, len(text), 0, ""),):
        for start, end in _rows(one) if one.is_table else [(one.start, one.end)]:
            head = heads.setdefault(one.block, Span(start, min(end, start + LENGTH))) if one.is_table else None
            parts = list(cut(text, start, end))
            if one.kind == "row":  # the first values of a row describe it
                head = parts[0]
            found += [Piece(*span, one.block, head) for span in parts]
    return [piece for piece in found if any(char.isalnum() for char in text[piece.start : piece.end])]


def _rows(table: Sentence) -> Iterator[tuple[int, int]]:
    """Yield the span of each row of a table without its outer bars; the rule under the head is left out."""
    for line in _LINE.finditer(table.text):
        row = line.group().strip("| \t\r")
        if row.strip("|-: \t"):
            start = table.start + table.text.index(row, line.start())
            yield start, start + len(row)


def cut(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the spans of `text[start:end]` in stretches of at most LENGTH characters, without outer white space."""
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end:
        if text[start].isspace():
            start += 1
        else:
            stop = end if end - start <= LENGTH else _break(text, start)
            yield Span(start, start + len(text[start:stop].rstrip()))
            start = stop


def _break(text: str, start: int) -> int:
    """Return where a stretch beginning at `start` ends: after a clause, else after a word, else at full length."""
    most = start + LENGTH
    clauses = [match.end() for match in _CLAUSE.finditer(text, start, most)]
    if clauses and clauses[-1] - start >= LENGTH // 3:
        return clauses[-1]
    return next((at for at in range(most, start + LENGTH // 3, -1) if text[at - 1].isspace()), most)


def shown(text: str, spans: Iterable[Span]) -> str:
    """Return the parts of `text` at `spans`, which do not overlap, in order and with a mark between each two."""
    said = ""
    last = 0
    for start, end in sorted(spans):
        if said:
            said += _OTHERWISE if text[last:start].strip() == BETWEEN.strip() else BETWEEN
        said += text[start:end]
        last = end
    return said
