"""Table rows as passages that make sense on their own: each value comes after the name of its column.

Used for sheets, CSV files and tables in documents.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, islice, pairwise, zip_longest
from typing import NamedTuple

from contextfiles.passages import GROUPED, Chunk, clean_text
from text.table_rows import row_text

LOOKED_AT = 10  # rows searched for the column names: titles and notes may precede them
SPARSE = 20  # columns per filled cell: in a row with more, empty cells are left out
MISSING = frozenset({"", "na", "n/a", "n.a.", "nan", "null", "none", "missing", "unknown", "-", "–", "—", ".", "?"})

_SENTENCE = re.compile(r"[.!?。][\"'”’)]*(?:\s|$)")
_WORDS = 4  # more words than this in a cell with a sentence
_NUMBER = re.compile(r"[\s<>≤≥~≈±+−–-]*[\d.,]*\d[\d\s.,:;/%°()eE±+−–TZ-]*(?:[€$£%‰])?\s*")
_YEAR = re.compile(r"(?:1[89]|20|21)\d\d")


class Row(NamedTuple):
    """A row and its number in the table, from 1."""

    number: int
    cells: list[str]


def one_line(cell: str) -> str:
    """Return the text of a cell as one line."""
    return " ".join(clean_text(cell).split())


def line_of(cells: list[str]) -> str:
    """Return a row as one line; empty cells between others are shown, unless hardly any cell is filled."""
    last = max((at for at, cell in enumerate(cells, start=1) if cell), default=0)
    is_sparse = last > SPARSE * max(1, _filled(cells))
    return " | ".join([cell for cell in cells if cell] if is_sparse else cells[:last]).strip()


def names_at(rows: list[Row]) -> int | None:
    """Return the index of the row with the column names; None when there is none.

    It is the first row that is nearly as wide as the widest, if it contains no numbers except years.
    """
    widest = max((_filled(row.cells) for row in rows), default=0)
    for at, row in enumerate(rows[:-1]):
        if _filled(row.cells) >= max(2, 0.6 * widest):
            return at if all(_is_name(cell) for cell in row.cells if cell) else None
    return None


def chunks_of(rows: Iterable[Row], where: str = "", page: int | None = None) -> Iterator[Chunk]:
    """Yield the passages of a table, of about GROUPED characters, with headings such as "Sheet Soil, rows 2 to 40".

    `where` is the part of the heading before "rows": "Sheet Soil", or nothing. Empty rows are left out. The column
    names and the rows above them come first, as a lead. A row with a single value is a lead too, and so is every row of
    a table without column names, unless its cells contain sentences: alone, such a row states nothing.
    """
    filled = (row for row in rows if any(row.cells))
    first = list(islice(filled, LOOKED_AT))
    at = names_at(first)
    if at is None:
        yield from _grouped(((row, _prose(row)) for row in chain(first, filled)), where, page)
        return
    below = at + 2 if _is_second_header(first, at) else at + 1
    names = _names(first[:below], at)
    yield from _grouped(((row, "") for row in first[:below]), where, page)
    yield from _grouped(
        ((row, row_text(names, row.cells) or _prose(row)) for row in chain(first[below:], filled)), where, page
    )


def _names(head: list[Row], at: int) -> list[str]:
    """Return the name of each column from the header rows: those before the `at`-th name groups of columns."""
    width = max(len(row.cells) for row in head)
    rows = [[*row.cells, *[""] * width][:width] for row in head]
    # In a row of groups, a name applies to the columns after it, up to the next name.
    groups: list[Iterator[str]] = [
        accumulate(cells, lambda before, cell: cell or before) for cells in rows[:at] if _filled(cells) > 1
    ]
    return [" ".join(dict.fromkeys(filter(None, parts))) for parts in zip(*groups, *rows[at:], strict=True)]


def _is_second_header(rows: list[Row], at: int) -> bool:
    """Return whether the row below the names is a header too, such as units: words above columns of numbers only."""
    if at + 2 >= len(rows) or not all(_is_name(cell) for cell in rows[at + 1].cells if cell):
        return False
    columns = zip_longest(*(row.cells for row in rows[at + 1 :]), fillvalue="")
    held = [(cell, [one for one in below if one.casefold() not in MISSING]) for cell, *below in columns]
    return any(below and cell.casefold() not in MISSING and all(map(_NUMBER.fullmatch, below)) for cell, below in held)


def _prose(row: Row) -> str:
    """Return the cells of a row as paragraphs when one of them contains a sentence; else ""."""
    has_sentence = any(_SENTENCE.search(cell) and len(cell.split()) > _WORDS for cell in row.cells)
    return "\n\n".join(filter(None, row.cells)) if has_sentence else ""


def _grouped(rows: Iterable[tuple[Row, str]], where: str, page: int | None) -> Iterator[Chunk]:
    """Yield passages of `rows`, each (row, its text); rows without a text become leads, with unchanged cells."""
    lines: list[str] = []
    numbers: list[int] = []
    length, are_leads = 0, False
    for row, said in rows:
        line = said or line_of(row.cells)
        if lines and (length + len(line) > GROUPED or are_leads is bool(said)):
            yield Chunk(_text(lines), _heading(where, numbers), page, are_leads)
            lines, numbers, length = [], [], 0
        are_leads = not said
        lines.append(line)
        numbers.append(row.number)
        length += len(line) + 1
    if lines:
        yield Chunk(_text(lines), _heading(where, numbers), page, are_leads)


def _text(lines: list[str]) -> str:
    """Return the lines of rows as one text, with a blank line around rows of several paragraphs."""
    gaps = ["\n\n" if "\n" in above or "\n" in below else "\n" for above, below in pairwise(lines)]
    return "".join(part for pair in zip(lines, [*gaps, ""], strict=True) for part in pair)


def _heading(where: str, numbers: list[int]) -> str:
    rows = f"row {numbers[0]}" if len(numbers) == 1 else f"rows {numbers[0]} to {numbers[-1]}"
    return f"{where}, {rows}" if where else rows.capitalize()


def _filled(cells: list[str]) -> int:
    return sum(map(bool, cells))


def _is_name(cell: str) -> bool:
    return not _NUMBER.fullmatch(cell) or bool(_YEAR.fullmatch(cell))
