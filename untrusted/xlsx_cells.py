"""The cells of an Excel sheet, streamed row by row from its XML.

openpyxl parses the workbook, but not its rows: it gives either values or formulas, fills in cells that a sheet only
claims to have, and knows merged cells only after loading everything.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, time
from typing import Any, NamedTuple

from openpyxl.utils.cell import range_boundaries
from openpyxl.worksheet._reader import FORMULA_TAG, ROW_TAG, WorkSheetParser
from openpyxl.xml.constants import SHEET_MAIN_NS
from openpyxl.xml.functions import iterparse  # uses defusedxml, so entities are refused

_MERGED_TAG = f"{{{SHEET_MAIN_NS}}}mergeCell"
_EXACT = 15  # digits that Excel stores of a number


class Cell(NamedTuple):
    """A cell of a sheet."""

    column: int  # from 1
    value: Any  # as openpyxl reads it; None for a formula without a stored value
    formula: str  # "" if there is none


class Range(NamedTuple):
    """A range of merged cells, with columns and rows counted from 1."""

    first_column: int
    first_row: int
    last_column: int
    last_row: int

    def covers(self, row: int, column: int) -> bool:
        """Return whether a cell is in the range and is not its first cell."""
        inside = self.first_column <= column <= self.last_column and self.first_row <= row <= self.last_row
        return inside and (column, row) != (self.first_column, self.first_row)


class SheetParser(WorkSheetParser):  # type: ignore[misc]  # openpyxl carries no types
    """Parses the rows of one sheet. `is_spent` is called before each row; once it returns True, reading stops."""

    def __init__(self, source: Any, sheet: Any, is_spent: Callable[[], bool]) -> None:
        book = sheet.parent
        super().__init__(
            source,
            sheet._shared_strings,
            data_only=True,
            epoch=book.epoch,
            date_formats=book._date_formats,
            timedelta_formats=book._timedelta_formats,
        )
        self.is_spent = is_spent
        self.merged: list[Range] = []  # merged ranges come at the end of a sheet
        self.left_out = 0  # number of the first row that was not read

    def rows(self) -> Iterator[tuple[int, list[Cell]]]:
        """Yield the rows with their numbers, until the sheet ends or `is_spent`."""
        for _, element in iterparse(self.source):
            if element.tag == _MERGED_TAG:
                self.merged.append(Range(*range_boundaries(element.get("ref"))))
            if element.tag != ROW_TAG:
                continue
            if self.is_spent():  # merged ranges come later in the sheet, so they stay unknown
                self.left_out = int(element.get("r") or self.row_counter + 1)
                return
            number, row = self.parse_row(element)
            element.clear()
            self.row_dimensions.clear()
            yield number, row

    def parse_cell(self, element: Any) -> Cell:
        """Return a cell with both its value and its formula."""
        cell = super().parse_cell(element)
        formula = ""
        if element.find(FORMULA_TAG) is not None:
            found = self.parse_formula(element)
            formula = getattr(found, "text", None) or (found if isinstance(found, str) else "") or "="
        return Cell(cell["column"], cell["value"], formula)


def shown(value: Any) -> str:
    """Return a cell's value as text: dates as ISO 8601, numbers with Excel's digits, True as Excel writes it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        return str(value.date() if value.time() == time() else value.replace(microsecond=0))
    if isinstance(value, float):
        return f"{value:.{_EXACT}g}"
    return str(value)  # ISO 8601 for a date with time
