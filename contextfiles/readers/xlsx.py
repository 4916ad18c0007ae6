"""Excel workbooks (XLSX): the cells of every sheet, row by row, under the names of their columns.

openpyxl reads what a workbook is made of. Its rows are read here: it gives either values or formulas, fills up what
a sheet only claims to hold, and knows merged cells only when it has loaded everything.
"""

import warnings
from collections.abc import Iterator
from datetime import datetime, time
from io import BytesIO
from typing import Any, NamedTuple

import openpyxl
from openpyxl.utils.cell import range_boundaries
from openpyxl.worksheet._reader import FORMULA_TAG, ROW_TAG, WorkSheetParser
from openpyxl.xml.constants import SHEET_MAIN_NS
from openpyxl.xml.functions import iterparse  # of defusedxml: entities are refused

from contextfiles.passages import MAX_CHARACTERS, Chunk, Reading, Unreadable, titled
from contextfiles.readers.office import EXCEL, damaged, refuse_hostile
from contextfiles.readers.rows import Row, chunks_of, one_line

MAX_CELLS = 200_000  # cells with something in them, in the whole workbook
MAX_LOOKED_AT = 1_100_000  # cells and rows, empty or not: a sheet may have 1,048,576 rows
MAX_CHARACTERS_HELD = MAX_CHARACTERS // 2  # of all cells: names of columns are repeated over them

_MERGED_TAG = f"{{{SHEET_MAIN_NS}}}mergeCell"
_EXACT = 15  # digits that Excel keeps of a number


def read_xlsx(data: bytes) -> Reading:
    """Each sheet has passages of its own; `page` is the number of the sheet.

    A cell with a formula shows the value stored with it, else the formula. What goes beyond MAX_CELLS is left out,
    and the heading of the last passage says so. Raises Unreadable for a damaged, bomb-like or empty workbook.
    """
    refuse_hostile(data, EXCEL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns of what it does not know: colours, charts, dates beyond 9999
        try:
            workbook = openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
            return titled(_chunks(workbook))
        except (Unreadable, MemoryError):
            raise
        except Exception as error:  # openpyxl, lxml and zipfile raise many kinds over damaged input
            raise damaged(EXCEL) from error


class _Budget:
    """What may still be read of a workbook."""

    def __init__(self) -> None:
        self.cells, self.looked_at, self.characters = MAX_CELLS, MAX_LOOKED_AT, MAX_CHARACTERS_HELD

    @property
    def is_spent(self) -> bool:
        return min(self.cells, self.looked_at, self.characters) <= 0

    def take(self, row: list["_Cell"]) -> None:
        self.looked_at -= 1
        self.cells -= sum(1 for cell in row if cell.text)
        self.characters -= sum(len(cell.text) for cell in row)


class _Cell(NamedTuple):
    column: int  # from 1
    text: str


class _Range(NamedTuple):
    """Merged cells, by columns and rows counted from 1."""

    first_column: int
    first_row: int
    last_column: int
    last_row: int

    def covers(self, row: int, column: int) -> bool:
        """Whether a cell lies in it and is not its first."""
        inside = self.first_column <= column <= self.last_column and self.first_row <= row <= self.last_row
        return inside and (column, row) != (self.first_column, self.first_row)


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
            parser = _Parser(source, sheet, budget)
            rows = list(parser.rows())
        chunks += chunks_of(_whole(rows, parser.merged), f"Sheet {one_line(sheet.title)}{hidden}", number)
        if parser.left_out:
            left_out.append(f"row {parser.left_out:,} and all below")
    if left_out and chunks:
        said = f"{chunks[-1].heading}. Too large to read whole, left out: {', '.join(left_out)}"
        chunks[-1] = chunks[-1]._replace(heading=said)
    return chunks


class _Parser(WorkSheetParser):  # type: ignore[misc]  # openpyxl carries no types
    """The rows of one sheet, as its XML streams by."""

    def __init__(self, source: Any, sheet: Any, budget: _Budget) -> None:
        book = sheet.parent
        super().__init__(
            source,
            sheet._shared_strings,
            data_only=True,
            epoch=book.epoch,
            date_formats=book._date_formats,
            timedelta_formats=book._timedelta_formats,
        )
        self.budget = budget
        self.merged: list[_Range] = []
        self.left_out = 0  # the first row that was not read

    def rows(self) -> Iterator[tuple[int, list[_Cell]]]:
        """Rows that hold something, with their numbers, until the budget is spent."""
        for _, element in iterparse(self.source):
            if element.tag == _MERGED_TAG:
                self.merged.append(_Range(*range_boundaries(element.get("ref"))))
            if element.tag != ROW_TAG:
                continue
            if self.budget.is_spent:  # what was merged stands at the end of a sheet, and stays unknown
                self.left_out = int(element.get("r") or self.row_counter + 1)
                return
            number, row = self.parse_row(element)
            element.clear()
            self.row_dimensions.clear()
            self.budget.take(row)
            if filled := [cell for cell in row if cell.text]:
                yield number, filled

    def parse_cell(self, element: Any) -> _Cell:
        self.budget.looked_at -= 1
        cell = super().parse_cell(element)
        value = cell["value"]
        if value is None and element.find(FORMULA_TAG) is not None:
            formula = self.parse_formula(element)
            value = getattr(formula, "text", None) or (formula if isinstance(formula, str) and formula != "=" else "")
        return _Cell(cell["column"], one_line(shown(value)))


def _whole(rows: list[tuple[int, list[_Cell]]], merged: list[_Range]) -> Iterator[Row]:
    """Rows with a place for each column that is used at all.

    What lies hidden under merged cells is left out: the first cell of these speaks for all.
    """
    columns = {column: at for at, column in enumerate(sorted({cell.column for _, cells in rows for cell in cells}))}
    waiting = sorted(merged, key=lambda each: each.first_row, reverse=True)
    across: list[_Range] = []
    for number, cells in sorted(rows):
        while waiting and waiting[-1].first_row <= number:
            across.append(waiting.pop())
        across = [each for each in across if each.last_row >= number]
        texts = [""] * len(columns)
        for cell in cells:
            if not any(each.covers(number, cell.column) for each in across):
                texts[columns[cell.column]] = cell.text
        yield Row(number, texts)


def shown(value: Any) -> str:
    """A cell's value as text: dates as ISO 8601, numbers with the digits that Excel keeps, True as Excel writes it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        return str(value.date() if value.time() == time() else value.replace(microsecond=0))
    if isinstance(value, float):
        return f"{value:.{_EXACT}g}"
    return str(value)  # of a date and a time, that is ISO 8601
