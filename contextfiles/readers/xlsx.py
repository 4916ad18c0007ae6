"""Reader of Excel workbooks (XLSX): the rows of every sheet, with the names of their columns."""

import warnings
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import openpyxl

from contextfiles.passages import MAX_CHARACTERS, Chunk, Reading, reading_of_chunks
from contextfiles.readers.table_rows import Row, chunks_of, one_line
from untrusted.ooxml import EXCEL, opening
from untrusted.xlsx_cells import Cell, Range, SheetParser, shown

MAX_CELLS = 200_000  # filled cells of the whole workbook
MAX_LOOKED_AT = 1_100_000  # cells and rows, empty or not: a sheet may have 1,048,576 rows
MAX_CHARACTERS_HELD = MAX_CHARACTERS // 2  # of all cells: column names are repeated in the text


def read_xlsx(data: bytes) -> Reading:
    """Return the text of a workbook, with separate passages for each sheet; `page` is the number of the sheet.

    A formula is shown as the value stored with it, else as the formula. Cells beyond MAX_CELLS are left out, and the
    heading of the last passage says so. Raises Unreadable for a damaged or empty workbook or a decompression bomb.
    """
    with opening(data, EXCEL), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns of everything unknown to it: colours, charts, late dates
        workbook = openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
        return reading_of_chunks(_chunks(workbook))


class _Budget:
    """How many cells and characters of a workbook may still be read."""

    def __init__(self) -> None:
        self.cells, self.looked_at, self.characters = MAX_CELLS, MAX_LOOKED_AT, MAX_CHARACTERS_HELD

    @property
    def is_spent(self) -> bool:
        """Whether one of the limits is reached."""
        return min(self.cells, self.looked_at, self.characters) <= 0

    def take(self, row: list[Cell], filled: list[tuple[int, str]]) -> None:
        """Count a row with its `filled` cells."""
        self.looked_at -= 1 + len(row)
        self.cells -= len(filled)
        self.characters -= sum(len(text) for _, text in filled)


def _chunks(workbook: Any) -> list[Chunk]:
    chunks: list[Chunk] = []
    left_out: list[str] = []
    budget = _Budget()
    sheets = workbook.worksheets
    for number, sheet in enumerate(sheets, start=1):
        if budget.is_spent:
            left_out.append(f"{len(sheets) - number + 1} more sheets" if number < len(sheets) else "1 more sheet")
            break
        hidden = "" if sheet.sheet_state == "visible" else " (hidden)"
        with sheet._get_source() as source:
            parser = SheetParser(source, sheet, lambda: budget.is_spent)
            rows = []
            for number_, row in parser.rows():
                filled = _filled(row)
                budget.take(row, filled)
                if filled:
                    rows.append((number_, filled))
        chunks += chunks_of(_whole(rows, parser.merged), f"Sheet {one_line(sheet.title)}{hidden}", number)
        if parser.left_out:
            left_out.append(f"row {parser.left_out:,} and all below")
    if left_out and chunks:
        said = f"{chunks[-1].heading}. Too large to read whole, left out: {', '.join(left_out)}"
        chunks[-1] = chunks[-1]._replace(heading=said)
    return chunks


def _filled(row: list[Cell]) -> list[tuple[int, str]]:
    """Return (column, text) of the filled cells; of a formula the value stored with it, else the formula."""
    said = ((cell.column, shown(cell.value) or (cell.formula if cell.formula != "=" else "")) for cell in row)
    return [(column, text) for column, value in said if (text := one_line(value))]


def _whole(rows: list[tuple[int, list[tuple[int, str]]]], merged: list[Range]) -> Iterator[Row]:
    """Yield the rows with a cell for each used column.

    The first cell of a merged range gives the value in each of its rows; values hidden below it are left out.
    """
    columns = {column: at for at, column in enumerate(sorted({column for _, cells in rows for column, _ in cells}))}
    waiting = sorted(merged, key=lambda each: each.first_row, reverse=True)
    across: list[Range] = []
    first: dict[Range, str] = {}
    for number, cells in sorted(rows):
        while waiting and waiting[-1].first_row <= number:
            across.append(waiting.pop())
        across = [each for each in across if each.last_row >= number]
        texts = [""] * len(columns)
        for column, text in cells:
            if not any(each.covers(number, column) for each in across):
                texts[columns[column]] = text
        for each in across:
            if each.first_column in columns:
                first.setdefault(each, texts[columns[each.first_column]])
                texts[columns[each.first_column]] = first[each]
        yield Row(number, texts)
