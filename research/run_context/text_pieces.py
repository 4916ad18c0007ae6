"""A text cut into pieces that are short enough to be shown (SPEC X6), each with its exact place.

A piece is a sentence, a row of a table, or a part of a longer one: whole clauses where there are any, whole words where
there are not, else so many characters.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from claims.quotes import Span
from text.sentences import Sentence, sentences

LIMIT = 180  # characters of a file's own words in a row that a model may see
LENGTH = LIMIT - 2  # of a piece: the spaces of the marks beside it can be the file's, too
BETWEEN = " … "
_OTHERWISE = " […] "  # where a file itself has the one between two pieces

_CLAUSE = re.compile(r"[,;:.!?—–]\s+|[，。；：、！？]")
_LINE = re.compile(r"[^\n]+")


class Piece(NamedTuple):
    """`text[start:end]` of its text. `block` counts the paragraphs and tables of the text, `head` is the first row of the
    table that it is a row of. Of what `is_note`, a note was taken.
    """

    start: int
    end: int
    block: int = -1
    head: Span | None = None
    is_note: bool = False

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    def overlaps(self, other: "Piece") -> bool:
        return self.start < other.end and other.start < self.end


def pieces_of(text: str) -> list[Piece]:
    """Return the pieces of `text` in their order, each of at most LENGTH characters, none without a letter or figure."""
    found: list[Piece] = []
    heads: dict[int, Span] = {}
    for one in sentences(text) or (Sentence(text, 0, len(text), 0, ""),):
        for start, end in _rows(one) if one.is_table else [(one.start, one.end)]:
            head = heads.setdefault(one.block, Span(start, min(end, start + LENGTH))) if one.is_table else None
            parts = list(cut(text, start, end))
            if one.kind == "row":  # its first values say what it is a row of
                head = parts[0]
            found += [Piece(*span, one.block, head) for span in parts]
    return [piece for piece in found if any(char.isalnum() for char in text[piece.start : piece.end])]


def _rows(table: Sentence) -> Iterator[tuple[int, int]]:
    """Yield the lines of a table without their outer bars, the rule under its head left out."""
    for line in _LINE.finditer(table.text):
        row = line.group().strip("| \t\r")
        if row.strip("|-: \t"):
            start = table.start + table.text.index(row, line.start())
            yield start, start + len(row)


def cut(text: str, start: int, end: int) -> Iterator[Span]:
    """`text[start:end]` in stretches of at most LENGTH characters, the white space between them left out."""
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
    """Return where a stretch from `start` on is to end: behind a clause, else behind a word, else where it is full."""
    most = start + LENGTH
    clauses = [match.end() for match in _CLAUSE.finditer(text, start, most)]
    if clauses and clauses[-1] - start >= LENGTH // 3:
        return clauses[-1]
    return next((at for at in range(most, start + LENGTH // 3, -1) if text[at - 1].isspace()), most)


def shown(text: str, spans: Iterable[Span]) -> str:
    """Return the words of `text` at `spans`, which do not overlap, in their order and with a mark between each two."""
    said = ""
    last = 0
    for start, end in sorted(spans):
        if said:
            said += _OTHERWISE if text[last:start].strip() == BETWEEN.strip() else BETWEEN
        said += text[start:end]
        last = end
    return said
