"""The cells of a sheet of an Excel workbook as its XML streams by, row by row.

openpyxl reads what a workbook is made of. Its rows are read here: it gives either values or formulas, fills up what
a sheet only claims to hold, and knows merged cells only when it has loaded everything.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, time
from typing import Any, NamedTuple

from openpyxl.utils.cell import range_boundaries
from openpyxl.worksheet._reader import FORMULA_TAG, ROW_TAG, WorkSheetParser
from openpyxl.xml.constants import SHEET_MAIN_NS
from openpyxl.xml.functions import iterparse  # of defusedxml: entities are refused

_MERGED_TAG = f"{{{SHEET_MAIN_NS}}}mergeCell"
_EXACT = 15  # digits that Excel keeps of a number


class Cell(NamedTuple):
    column: int  # from 1
    value: Any  # as openpyxl reads it; None where a formula has none stored with it
    formula: str  # "" where there is none


class Range(NamedTuple):
    """Merged cells, by columns and rows counted from 1."""

    first_column: int
    first_row: int
    last_column: int
    last_row: int

    def covers(self, row: int, column: int) -> bool:
        """Return whether a cell lies in it and is not its first."""
        inside = self.first_column <= column <= self.last_column and self.first_row <= row <= self.last_row
        return inside and (column, row) != (self.first_column, self.first_row)


class SheetParser(WorkSheetParser):  # type: ignore[misc]  # openpyxl carries no types
    """The rows of one sheet. `is_spent` is asked before each: once it says so, no more are read."""

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
        self.merged: list[Range] = []  # they stand at the end of a sheet
        self.left_out = 0  # the first row that was not read

    def rows(self) -> Iterator[tuple[int, list[Cell]]]:
        """Yield all rows with their numbers, until there is enough."""
        for _, element in iterparse(self.source):
            if element.tag == _MERGED_TAG:
                self.merged.append(Range(*range_boundaries(element.get("ref"))))
            if element.tag != ROW_TAG:
                continue
            if self.is_spent():  # what was merged stands at the end of a sheet, and stays unknown
                self.left_out = int(element.get("r") or self.row_counter + 1)
                return
            number, row = self.parse_row(element)
            element.clear()
            self.row_dimensions.clear()
            yield number, row

    def parse_cell(self, element: Any) -> Cell:
        cell = super().parse_cell(element)
        formula = ""
        if element.find(FORMULA_TAG) is not None:
            found = self.parse_formula(element)
            formula = getattr(found, "text", None) or (found if isinstance(found, str) else "") or "="
        return Cell(cell["column"], cell["value"], formula)


def shown(value: Any) -> str:
    """Return a cell's value as text: dates as ISO 8601, numbers with the digits that Excel keeps, True as Excel writes it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        return str(value.date() if value.time() == time() else value.replace(microsecond=0))
    if isinstance(value, float):
        return f"{value:.{_EXACT}g}"
    return str(value)  # of a date and a time, that is ISO 8601
