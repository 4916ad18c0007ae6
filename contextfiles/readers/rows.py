"""Rows of a table to passages that make sense alone: each begins with the names of the columns.

Used for sheets, CSV files and tables in documents.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import NamedTuple

from contextfiles.passages import GROUPED, Chunk, plain

LOOKED_AT = 10  # rows in which the names of the columns are looked for: titles and notes may stand above them
SPARSE = 20  # places to each filled one: beyond that, empty ones are not drawn
LONGEST_HEADER = 600  # characters: names that take more stand beside each value instead

_NUMBER = re.compile(r"[\s<>≤≥~≈±+−–-]*[\d.,]*\d[\d\s.,:;/%°()eE±+−–TZ-]*(?:[€$£%‰])?\s*")
_YEAR = re.compile(r"(?:1[89]|20|21)\d\d")


class Row(NamedTuple):
    """A row with the number it has where it stands, from 1."""

    number: int
    cells: list[str]


def one_line(cell: str) -> str:
    """A cell's text on one line."""
    return " ".join(plain(cell).split())


def line_of(cells: list[str]) -> str:
    """A row as one line; empty cells between others keep their place, unless hardly any is filled."""
    last = max((at for at, cell in enumerate(cells, start=1) if cell), default=0)
    is_sparse = last > SPARSE * max(1, _filled(cells))
    return " | ".join([cell for cell in cells if cell] if is_sparse else cells[:last]).strip()


def names_at(rows: list[Row]) -> int | None:
    """Which of the first rows holds the names of the columns; None where none does.

    It is the first that is nearly as wide as the widest and holds no numbers, but for years.
    """
    widest = max((_filled(row.cells) for row in rows), default=0)
    for at, row in enumerate(rows[:-1]):
        if _filled(row.cells) >= max(2, 0.6 * widest):
            return at if all(_is_name(cell) for cell in row.cells if cell) else None
    return None


def chunks_of(rows: Iterable[Row], where: str = "", page: int | None = None) -> Iterator[Chunk]:
    """The passages of a table of about GROUPED characters, under headings like "Sheet Soil, rows 2 to 40".

    `where` is what stands before "rows", "Sheet Soil" or nothing. Rows without any text are left out.
    """
    filled = (row for row in rows if any(row.cells))
    first = list(islice(filled, LOOKED_AT))
    at = names_at(first)
    if at is None:
        yield from _grouped(chain(first, filled), [], where, page)
        return
    yield from _grouped(first[:at], [], where, page)
    yield from _grouped(chain(first[at + 1 :], filled), first[at].cells, where, page)


def _grouped(rows: Iterable[Row], names: list[str], where: str, page: int | None) -> Iterator[Chunk]:
    header = line_of(names)
    beside = names if len(header) > LONGEST_HEADER else []
    lines: list[str] = []
    numbers: list[int] = []
    length = 0
    for row in rows:
        line = _told(row.cells, beside) if beside else line_of(row.cells)
        if lines and length + len(line) > GROUPED:
            yield Chunk("\n".join(lines), _heading(where, numbers), page)
            lines, numbers, length = [], [], 0
        if not lines and header and not beside:
            lines, length = [header], len(header)
        lines.append(line)
        numbers.append(row.number)
        length += len(line) + 1
    if lines:
        yield Chunk("\n".join(lines), _heading(where, numbers), page)


def _told(cells: list[str], names: list[str]) -> str:
    """A row of a wide table, each value beside the name of its column."""
    named = chain(names, iter(lambda: "", None))
    return " | ".join(f"{name}: {cell}" if name else cell for cell, name in zip(cells, named, strict=False) if cell)


def _heading(where: str, numbers: list[int]) -> str:
    rows = f"row {numbers[0]}" if len(numbers) == 1 else f"rows {numbers[0]} to {numbers[-1]}"
    return f"{where}, {rows}" if where else rows.capitalize()


def _filled(cells: list[str]) -> int:
    return sum(1 for cell in cells if cell)


def _is_name(cell: str) -> bool:
    return not _NUMBER.fullmatch(cell) or bool(_YEAR.fullmatch(cell))
