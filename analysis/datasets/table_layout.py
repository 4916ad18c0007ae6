"""Layout of a table in rows of cells: its header, the titles above it and the notes below it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

import pandas as pd

from analysis.datasets.total_row_labels import kind_of_label
from untrusted.errors import Unreadable

MOST_CHARACTERS = 10_000  # of a cell, the limit of the R service
LONGEST_NAME = 300
LOOKED_AT = 40  # rows that are searched for the header
NAMED = 20  # rows that a remark lists

_CONTROL = {sign: None for sign in chain(range(0x20), range(0x7F, 0xA0)) if sign not in (0x09, 0x0A, 0x0D, 0x85)}
_CONTROL |= {0x09: " ", 0x0D: "\n", 0x85: "\n", 0x2028: "\n", 0x2029: "\n", 0xFEFF: None, 0xFFFE: None, 0xFFFF: None}  # type: ignore[dict-item]
_ODD = re.compile("[\ud800-\udfff]")
_NUMBER = re.compile(r"[\s<>≤≥~≈±+−–-]*[\d.,]*\d[\d\s.,:;/%°()eE±+−–TZ-]*(?:[€$£₹%‰])?\s*")
_YEAR = re.compile(r"(?:1[89]|20|21)\d\d")


@dataclass
class Grid:
    """The non-empty rows of a file as texts, with their row numbers in the file.

    `merged` cells are (first column, first row, last column, last row), counted from 1; `typed` is True when the file
    itself stores which cells are numbers (Excel).
    """

    rows: list[list[str]]
    numbers: list[int]
    reading: dict[str, Any]
    remarks: list[dict[str, Any]] = field(default_factory=list)
    sheets: list[dict[str, Any]] = field(default_factory=list)
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    typed: bool = False


class Body(NamedTuple):
    """The table found in a grid: columns "c1", "c2" ..., their names, and the settings that were used."""

    frame: pd.DataFrame
    names: list[str]
    reading: dict[str, Any]
    remarks: list[dict[str, Any]]
    places: list[int]  # the index of each column in the rows of the grid
    header: list[list[str]]  # the header rows, with a cell for each column


def remark(level: str, code: str, text: str, rows: Sequence[int] = (), column: str = "") -> dict[str, Any]:
    """Return a remark on a file: `level` is error, warning or note, `rows` row numbers of the file, `column` an id."""
    said: dict[str, Any] = {"level": level, "code": code, "text": text}
    if column:
        said["column"] = column
    if len(rows):
        said["rows"] = [int(row) for row in rows[:NAMED]]
        said["count"] = len(rows)
    return said


def cleaned(text: str) -> str:
    """Return the text of a cell without control characters and surrounding white space, with line ends as \\n."""
    if text.isprintable() and text[:1] != " " and text[-1:] != " ":
        return text
    text = text.replace("\r\n", "\n").translate(_CONTROL)
    return _ODD.sub("\N{REPLACEMENT CHARACTER}", text).strip()


def rows_in_words(rows: Sequence[int]) -> str:
    """Return row numbers as text: "row 3", "rows 3, 5 and 9", "rows 3, 5, 9, 11 and 12 more"."""
    if len(rows) == 1:
        return f"row {rows[0]}"
    if len(rows) <= 5:
        return f"rows {', '.join(map(str, rows[:-1]))} and {rows[-1]}"
    return f"rows {', '.join(map(str, rows[:4]))} and {len(rows) - 4:,} more"


def find_table(grid: Grid, known: Mapping[str, Any], most_rows: int, most_columns: int) -> Body:
    """Return the table in a grid. Raises Unreadable when there is none, or it is too large."""
    remarks: list[dict[str, Any]] = []
    rows, numbers = grid.rows, grid.numbers
    if not rows:
        raise Unreadable("This table is empty. Choose another sheet or file.")
    first, header_rows = _header(rows, numbers, grid, known)
    above, header = rows[:first], rows[first : first + header_rows]
    body, numbers_ = rows[first + header_rows :], numbers[first + header_rows :]
    if any(any(row) for row in above):
        told = " / ".join(cell for row in above for cell in row if cell)[:200]
        remarks.append(remark("note", "titles", f"Left out above the header: “{told}”.", numbers[:first]))
    if not header_rows:
        remarks.append(
            remark(
                "warning",
                "no_header",
                "The first row looks like data, so the columns were named automatically. "
                "Choose the header row if there is one.",
            )
        )
    body, numbers_ = _without_notes(body, numbers_, known, remarks)
    if numbers_ and (blank := numbers_[-1] - numbers_[0] + 1 - len(numbers_)):
        remarks.append(remark("note", "blank_rows", f"Blank rows between others were left out: {blank:,}."))
    body, numbers_ = _without_headings(header, body, numbers_, known, remarks)
    if len(body) > most_rows:
        raise Unreadable(too_many_rows(len(body), most_rows))
    width = max((_last(row) for row in chain(header, body)), default=0)
    columns = _used_columns(header, body, width)
    if len(columns) > most_columns:
        raise Unreadable(
            f"This table has {len(columns):,} columns; at most {most_columns} are read. "
            "Remove those that the analyses do not need."
        )
    if not columns:
        raise Unreadable("This table is empty. Choose another sheet or file.")
    _tell_ragged(header, body, numbers_, remarks, grid)
    names = _names(
        [_joined(header, column, first, grid, numbers) for column in columns],
        columns,
        remarks,
        is_headed=bool(header_rows),
    )
    for row in body:
        if len(row) < width:
            row += [""] * (width - len(row))
    cells = {f"c{place}": _column(body, column) for place, column in enumerate(columns, start=1)}
    _refuse_long(cells, names, numbers_)
    frame = pd.DataFrame(cells, index=numbers_, dtype=object)
    reading = {
        "header_rows": header_rows,
        "first_row": numbers[first] if first < len(numbers) else 1,
        "totals": known.get("totals", True),
    }
    heads = [[row[column] if column < len(row) else "" for column in columns] for row in header]
    return Body(frame, names, reading, remarks, columns, heads)


def too_many_rows(rows: int, most: int) -> str:
    """Return the message for a table with too many rows."""
    return (
        f"This table has {rows:,} rows; at most {most:,} are read. "
        "Keep the rows that your question is about, or draw a sample, and upload that."
    )


# --- the header ----------------------------------------------------------------------------------------------------


def _header(rows: list[list[str]], numbers: list[int], grid: Grid, known: Mapping[str, Any]) -> tuple[int, int]:
    """Return the index of the first header row, and the number of header rows."""
    if "first_row" in known:
        at = next((place for place, number in enumerate(numbers) if number >= known["first_row"]), None)
        if at is None:
            raise Unreadable(f"Row {known['first_row']} is below the last row of the table, which is {numbers[-1]}.")
        return at, min(known.get("header_rows", 1), len(rows) - at)
    at, count = _found_header(rows, numbers, grid)
    if "header_rows" in known:
        wanted = known["header_rows"]
        if 0 < wanted < count:
            at += count - wanted
        return at, min(wanted, len(rows) - at)
    return at, count


def _found_header(rows: list[list[str]], numbers: list[int], grid: Grid) -> tuple[int, int]:
    looked = rows[:LOOKED_AT]
    widest = max(_filled(row) for row in rows[:500])
    at = next((place for place, row in enumerate(looked) if _filled(row) >= max(2, 0.6 * widest)), 0)
    if not all(_is_name(cell) for cell in rows[at] if cell):
        return at, 0 if _is_like(rows[at], rows[at + 1 : at + 6]) else 1
    if _is_group_row(rows, at, numbers, grid):
        return at - 1, 2
    spans = [one for one in grid.merged if one[1] == numbers[at] and one[2] > one[0]]
    following = rows[at + 1] if at + 1 < len(rows) else []
    return at, 2 if spans and following and all(_is_name(cell) for cell in following if cell) else 1


def _is_like(row: list[str], below: list[list[str]]) -> bool:
    """Return whether `row` is a row of data: it has numbers where the rows below have numbers."""
    if not below:
        return False
    places = [place for place, cell in enumerate(row) if cell and not _is_name(cell)]
    alike = sum(any(place < len(one) and one[place] and not _is_name(one[place]) for one in below) for place in places)
    return bool(places) and alike >= 0.5 * len(places)


def _is_group_row(rows: list[list[str]], at: int, numbers: list[int], grid: Grid) -> bool:
    """Return whether the row above the names has names for groups of columns: "Blood pressure" over two columns."""
    if not at:
        return False
    above = rows[at - 1]
    if any(one[1] == numbers[at - 1] and one[0] < one[2] < _last(rows[at]) for one in grid.merged):
        return _filled(above) > 1 or above[:1] == [""]
    cells = [cell for cell in above if cell]
    return (
        len(cells) > 1
        and numbers[at] == numbers[at - 1] + 1
        and not any(":" in cell or any(map(str.isdigit, cell)) for cell in cells)
    )


def _joined(header: list[list[str]], column: int, first: int, grid: Grid, numbers: list[int]) -> str:
    """Return the name of a column from all header rows; a name written over several columns applies to each."""
    parts: list[str] = []
    for depth, row in enumerate(header):
        cell = row[column] if column < len(row) else ""
        if not cell and depth < len(header) - 1:
            cell = _over(row, column, numbers[first + depth], grid, below=header[depth + 1])
        if cell and (not parts or parts[-1] != cell):
            parts.append(cell)
    return " ".join(" ".join(parts).split())


def _over(row: list[str], column: int, number: int, grid: Grid, below: list[str]) -> str:
    if grid.merged:
        for first_column, first_row, last_column, last_row in grid.merged:
            if first_row <= number <= last_row and first_column <= column + 1 <= last_column:
                return row[first_column - 1] if first_column - 1 < len(row) else ""
        return ""
    if column >= len(below) or not below[column]:
        return ""
    return next((row[place] for place in range(min(column, len(row) - 1), -1, -1) if row[place]), "")


def _names(found: list[str], columns: list[int], remarks: list[dict[str, Any]], *, is_headed: bool) -> list[str]:
    """Return unique names: a blank one becomes "Column 3", a second "age" becomes "age (2)"."""
    names: list[str] = []
    taken = {name for name in found if name}
    seen: set[str] = set()
    for place, (name, column) in enumerate(zip(found, columns, strict=True), start=1):
        id_ = f"c{place}"
        if not name:
            name = f"Column {column + 1}"
            if is_headed:
                remarks.append(
                    remark("warning", "blank_name", f"A column without a name was named “{name}”.", column=id_)
                )
        if len(name) > LONGEST_NAME:
            name = f"{name[: LONGEST_NAME - 1]}…"
            remarks.append(
                remark(
                    "note",
                    "long_name",
                    f"The name of this column was shortened to {LONGEST_NAME} characters.",
                    column=id_,
                )
            )
        given, number = name, 1
        while name in seen or (number > 1 and name in taken):
            number += 1
            name = f"{given} ({number})"
        if name != given:
            remarks.append(
                remark(
                    "warning",
                    "same_name",
                    f"Another column is also called “{given}”; this one is now “{name}”.",
                    column=id_,
                )
            )
        seen.add(name)
        names.append(name)
    return names


# --- the rows ------------------------------------------------------------------------------------------------------


def _without_notes(
    body: list[list[str]], numbers: list[int], known: Mapping[str, Any], remarks: list[dict[str, Any]]
) -> tuple[list[list[str]], list[int]]:
    """Return the rows and their numbers without the notes at the end of the table."""
    if not known.get("totals", True):
        return body, numbers
    width = max((_filled(row) for row in body[:200]), default=0)
    end = len(body)
    while end > 1 and width > 2:
        row = body[end - 1]
        if (
            _filled(row) != 1
            or not row[0]
            or _NUMBER.fullmatch(row[0])
            or len(row[0]) <= 12
            and not kind_of_label(row[0])
        ):
            break
        end -= 1
    if end < len(body):
        told = " / ".join(row[0] for row in body[end:])[:200]
        remarks.append(remark("note", "notes", f"Left out below the table: “{told}”.", numbers[end:]))
    return body[:end], numbers[:end]


def _without_headings(
    header: list[list[str]],
    body: list[list[str]],
    numbers: list[int],
    known: Mapping[str, Any],
    remarks: list[dict[str, Any]],
) -> tuple[list[list[str]], list[int]]:
    """Return the rows and their numbers without repeated header rows, as in tables combined from several pages."""
    heads = [head for row in header if len(head := _trimmed(row)) > 1 and _filled(head) > 1]
    if not heads or not known.get("totals", True):
        return body, numbers
    again = {number for row, number in zip(body, numbers, strict=True) if _trimmed(row) in heads}
    if not again:
        return body, numbers
    repeats = "repeats the header and was" if len(again) == 1 else "repeat the header and were"
    said = f"{rows_in_words(sorted(again)).capitalize()} {repeats} left out."
    remarks.append(remark("note", "headings_again", said, sorted(again)))
    kept = [(row, number) for row, number in zip(body, numbers, strict=True) if number not in again]
    return [row for row, _ in kept], [number for _, number in kept]


def _trimmed(row: list[str]) -> list[str]:
    """Return the cells of a row up to the last filled one."""
    return row[: _last(row)]


def _used_columns(header: list[list[str]], body: list[list[str]], width: int) -> list[int]:
    """Return the indices of the columns that have a name or a value."""
    left = set(range(width))
    for row in chain(header, body):
        if not left:
            break
        left.difference_update([place for place in left if place < len(row) and row[place]])
    return [place for place in range(width) if place not in left]


def _column(body: list[list[str]], column: int) -> list[str]:
    texts = list(map(itemgetter(column), body))
    kept: dict[str, str] = {}  # one object for equal texts: less memory, and quicker to count
    return list(map(kept.setdefault, texts, texts))


def _tell_ragged(
    header: list[list[str]], body: list[list[str]], numbers: list[int], remarks: list[dict[str, Any]], grid: Grid
) -> None:
    wide = max((_last(row) for row in header), default=0)
    if not wide or grid.typed:
        return
    longer = [number for row, number in zip(body, numbers, strict=True) if len(row) > wide and _last(row) > wide]
    given = max((len(row) for row in header), default=0)
    shorter = [number for row, number in zip(body, numbers, strict=True) if len(row) < given and len(row) < wide]
    if longer:
        remarks.append(
            remark(
                "error",
                "long_rows",
                f"{rows_in_words(longer).capitalize()}: more cells than the header has names. "
                "A text that contains the separator needs quotation marks around it.",
                longer,
            )
        )
    if shorter:
        remarks.append(
            remark(
                "warning",
                "short_rows",
                f"{rows_in_words(shorter).capitalize()}: fewer cells than the header has names; "
                "the rest is read as missing.",
                shorter,
            )
        )


def _refuse_long(cells: dict[str, list[str]], names: list[str], numbers: list[int]) -> None:
    for name, texts in zip(names, cells.values(), strict=True):
        if max(map(len, texts), default=0) <= MOST_CHARACTERS:
            continue
        for number, text in zip(numbers, texts, strict=True):
            if len(text) > MOST_CHARACTERS:
                raise Unreadable(
                    f"Row {number}: the cell under “{name[:40]}” has {len(text):,} characters; "
                    f"at most {MOST_CHARACTERS:,} are allowed. "
                    "An unclosed quotation mark can also turn many rows into one cell."
                )


def _filled(row: list[str]) -> int:
    return sum(1 for cell in row if cell)


def _last(row: list[str]) -> int:
    """Return the number of cells up to the last filled one."""
    return next((place for place in range(len(row), 0, -1) if row[place - 1]), 0)


def _is_name(cell: str) -> bool:
    return not _NUMBER.fullmatch(cell) or bool(_YEAR.fullmatch(cell))
