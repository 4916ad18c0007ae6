"""Tables with a row for each person: rows below a header such as "first_name, last_name, dob" (text.personal).

Readers write a row as one line with " | " between its cells; in plain text it may be commas, semicolons or tabs.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from text.personal.column_names import is_filled, kind_of_name

_LONGEST = 1_000  # characters of a header, and of a row

_AROUND = " \t\"'*:"
_COLUMN = re.compile(r"[\w .'’/-]+")
# A cell that is a number, but no year: a row of data, and no header.
_DATA = re.compile(r"(?:^|[|,;\t])[ \"]*-?(?!(?:19|20)[0-9]{2}[^0-9])[0-9][0-9.]*[ \"]*(?:$|[|,;\t])")
_RULE = re.compile(r"[\s|:+=-]+")  # the line below the header of a table in Markdown


class Cell(NamedTuple):
    """A cell that holds something of a person: `text[start:end]`."""

    kind: str
    start: int
    end: int


def roster_cells(text: str) -> Iterator[list[Cell]]:
    """Row by row, the cells of tables of persons. One pass over the lines of `text`."""
    parting, number, columns, header = "", 0, dict[int, str](), ""
    before = ""  # the line above, "" for a blank one
    at = 0
    for line in text.split("\n"):
        start, at = at, at + len(line) + 1
        above, before = before, line.strip()
        if not before and parting != "|":
            columns = {}
        if not before or (columns and (line == header or _RULE.fullmatch(line))):
            continue
        if columns and len(line) <= _LONGEST:
            cells = _cells(line, start, parting)
            # Readers leave out empty cells at the end of a row.
            if len(cells) == number or (parting == "|" and 1 < len(cells) < number):
                found = [Cell(kind, *cells[place]) for place, kind in columns.items() if place < len(cells)]
                yield [cell for cell in found if is_filled(text[cell.start : cell.end], cell.kind)]
                continue
        parting, number, columns = _header(line)
        header = line
        # What stands below a row as wide is a row itself, as in a list of variables.
        if columns and above.strip("|").count(parting) == number - 1:
            columns = {}


def _header(line: str) -> tuple[str, int, dict[int, str]]:
    """What parts the cells of a header, how many it has, and the kinds of its columns about persons, by place."""
    if len(line) > _LONGEST or _DATA.search(line):
        return "", 0, {}
    parting = max("|\t;,", key=line.count)
    cells = _cells(line, 0, parting)
    if len(cells) < 2 or any(end - start > 40 for start, end in cells):
        return "", 0, {}
    found = [
        kind_of_name(text) if _COLUMN.fullmatch(text := line[start:end].strip(_AROUND)) else ("", False)
        for start, end in cells
    ]
    kinds = {place: kind for place, (kind, _) in enumerate(found) if kind}
    return parting, len(cells), kinds if any(is_sure for _, is_sure in found) else {}


def _cells(line: str, at: int, parting: str) -> list[tuple[int, int]]:
    """Where the cells of a line begin and end, which itself begins at character `at` of the text; quotes are theirs."""
    bare = line.strip().strip("|") if parting == "|" else line
    begin = line.index(bare) if bare else 0
    cells: list[tuple[int, int]] = []
    if '"' not in bare:
        start = at + begin
        for cell in bare.split(parting):
            cells.append((start, start + len(cell)))
            start += len(cell) + 1
        return cells
    start, quoted = begin, False
    for place in range(begin, begin + len(bare)):
        sign = line[place]
        if sign == '"':
            quoted = not quoted
        elif sign == parting and not quoted:
            cells.append((at + start, at + place))
            start = place + 1
    cells.append((at + start, at + begin + len(bare)))
    return cells
