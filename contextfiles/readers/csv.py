"""Reader of CSV with any separator and encoding: each row with the names of its columns."""

import csv
from collections import Counter
from collections.abc import Iterator

from contextfiles.passages import Reading, decoded, reading_of_chunks
from contextfiles.readers.table_rows import Row, chunks_of, one_line
from contextfiles.readers.text import read_text

SEPARATORS = "\t;|,"  # the likeliest first: a comma also occurs in numbers and in prose
MOST_CELL = 131_072  # characters
LOOKED_AT = 50  # lines from which the separator is found

_SAID = "sep="  # Excel's declaration of the separator on the first line


def read_csv(data: bytes) -> Reading:
    """Return the text of a CSV file, its rows with the names of their columns. Raises Unreadable."""
    text = decoded(data)
    first, _, rest = text.partition("\n")
    said = first.strip().strip('"')
    skipped = 0
    if said.lower().startswith(_SAID) and len(said) == len(_SAID) + 1:
        separator, text, skipped = said[-1], rest, 1
    else:
        separator = separator_of(text)
    try:
        return reading_of_chunks(chunks_of(_rows(text, separator, skipped)))
    except csv.Error:  # a cell above the limit of the csv module: read as plain text
        return read_text(data)


def separator_of(text: str) -> str:
    """Return the separator: the one that splits most lines into the same number of cells, more than one."""
    lines = [line for line in text[:100_000].split("\n", LOOKED_AT)[:LOOKED_AT] if line.strip()]
    return max(SEPARATORS, key=lambda sign: (_agreement(lines, sign), -SEPARATORS.index(sign)))


def _agreement(lines: list[str], sign: str) -> float:
    """Return the share of `lines` with the most frequent number of cells, to a tenth; 0 when that is one cell."""
    try:
        widths = Counter(len(row) for row in csv.reader(lines, delimiter=sign) if row)
    except csv.Error:
        return 0
    width, times = max(widths.items(), key=lambda found: (found[1], found[0]), default=(1, 1))
    return round(times / max(1, sum(widths.values())), 1) if width > 1 else 0


def _rows(text: str, separator: str, skipped: int) -> Iterator[Row]:
    for number, cells in enumerate(csv.reader(text.splitlines(keepends=True), delimiter=separator), 1 + skipped):
        if any(len(cell) > MOST_CELL for cell in cells):
            raise csv.Error  # like the csv module's own limit, which would apply to the whole process
        yield Row(number, [one_line(cell) for cell in cells])
