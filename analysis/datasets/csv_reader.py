"""CSV and similar text files as rows of cells, with detection of the separator and the encoding."""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from typing import Any

from analysis.datasets.table_layout import Grid, cleaned, remark, too_many_rows
from untrusted.decoding import decode
from untrusted.errors import Unreadable

SEPARATORS = "\t;|,"  # the likeliest first: a comma also occurs in numbers and in prose
LOOKED_AT = 200  # lines from which the separator is detected
_SAID = "sep="  # Excel's declaration of the separator on the first line
_SPARE = 100  # further rows that may be above, between and below those of the table
_CELL = 10_000_000  # characters that a cell may have here; long cells are refused later, with the row's number
_ODD = re.compile("[^\x20-\x7e\xa1-\u1fff\u2100-\ud7ff\n\r]")  # characters that may have to be removed from a cell
NAMES = {"utf-8-sig": "utf-8"}


def read_delimited(data: bytes, known: dict[str, Any], most_rows: int, most_columns: int) -> Grid:
    """Return the rows of a text file. Raises Unreadable when it is not text or has too many rows."""
    text, encoding = _text(data, known.get("encoding", ""))
    remarks: list[dict[str, Any]] = []
    if "\0" in text:
        text = text.replace("\0", "")
        remarks.append(remark("warning", "nul", "The file contained NUL characters, which were removed."))
    if "\N{REPLACEMENT CHARACTER}" in text:
        line = text.count("\n", 0, text.index("\N{REPLACEMENT CHARACTER}")) + 1
        remarks.append(
            remark(
                "warning",
                "letters",
                f"Some characters could not be read, the first in row {line}. "
                "Save the file as UTF-8 and upload it again, or choose its encoding.",
                [line],
            )
        )
    start, first = 0, text[:8].partition("\n")[0].strip().strip('"')
    separator = known.get("separator")
    if first.lower().startswith(_SAID) and len(first) == len(_SAID) + 1:
        start, separator = text.index("\n") + 1 if "\n" in text else len(text), separator or first[-1]
    separator = separator or separator_of(text[start : start + 200_000])
    grid = Grid([], [], {"separator": separator, "encoding": encoding}, remarks)
    most = most_rows + _SPARE
    is_plain = '"' not in text and not _ODD.search(text)
    for number, row in enumerate(_rows(text, start, separator), start=2 if start else 1):
        cells = list(map(str.strip, row)) if is_plain else [cleaned(cell) for cell in row]
        if any(cells):
            grid.rows.append(cells)
            grid.numbers.append(number)
            if len(grid.rows) > most:
                raise Unreadable(too_many_rows(text.count("\n"), most_rows))
            if len(cells) > 4 * most_columns and sum(map(bool, cells)) > most_columns:
                raise Unreadable(
                    f"Row {number} has {len(cells):,} cells; at most {most_columns} columns are read. "
                    "Check the separator, or remove columns that the analyses do not need."
                )
    return grid


def separator_of(text: str) -> str:
    """Return the separator that splits the first lines most evenly; a comma when none does."""
    best, most = ",", 0.0
    for sign in SEPARATORS:
        counts = Counter(len(row) for row in _some(text, sign) if len(row) > 1 or any(row))
        total = sum(counts.values())
        # A row with a title has one cell with any separator, so only rows that were split are compared.
        parted = {width: count for width, count in counts.items() if width > 1}
        if not parted:
            continue
        width, count = max(parted.items(), key=lambda one: (one[1], one[0]))
        score = count / total * (1 + min(width, 50) / 100) * (0.9 if sign == "," else 1)
        if score > most and count >= min(2, total):
            best, most = sign, score
    return best


def _some(text: str, sign: str) -> Iterator[list[str]]:
    try:
        for number, row in enumerate(csv.reader(StringIO(text, newline=""), delimiter=sign)):
            if number >= LOOKED_AT:
                return
            yield row
    except csv.Error:
        return


def _rows(text: str, start: int, separator: str) -> Iterator[list[str]]:
    csv.field_size_limit(_CELL)
    stream = StringIO(text, newline="")
    stream.seek(start)
    reader = csv.reader(stream, delimiter=separator, skipinitialspace=separator != " ")
    try:
        yield from reader
    except csv.Error as error:
        raise Unreadable(
            f"Line {reader.line_num:,} cannot be read ({error}). Look for an unclosed quotation mark before it."
        ) from error


def _text(data: bytes, encoding: str) -> tuple[str, str]:
    if encoding:
        try:
            return data.decode(encoding).removeprefix("\ufeff"), encoding
        except LookupError as error:
            raise Unreadable(f"Unknown encoding “{encoding[:40]}”. Choose one of those offered.") from error
        except (UnicodeError, ValueError) as error:
            raise Unreadable(f"This file is not encoded as {encoding[:40]}. Choose another encoding.") from error
    text, found = decode(data)
    return text.removeprefix("\ufeff"), NAMES.get(found, found)
