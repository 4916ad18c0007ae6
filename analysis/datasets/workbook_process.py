"""Reads the cells of one sheet of a workbook in a separate process. It imports neither Django nor pandas."""

import warnings
from io import BytesIO
from typing import IO, Any

import openpyxl
from openpyxl.utils import get_column_letter

from untrusted.errors import Unreadable
from untrusted.ooxml import EXCEL, damaged, refuse_hostile
from untrusted.xlsx_cells import SheetParser, shown

MOST_UNPACKED = 100 * 1024 * 1024  # bytes
MOST_CELLS = 12_000_000  # cells and rows, empty or not
MOST_TEXT = 50_000_000  # characters of all cells
_TOLD = 5  # cells listed that have a formula without a value
_TOO_BIG = (
    "This workbook needs more memory than is allowed. Save the sheet that contains the data as CSV and upload that."
)


def load(sheet: str, most_rows: int) -> None:
    """Do nothing: everything needed is imported already."""


def answered(file: IO[bytes], sheet: str, most_rows: int) -> dict[str, Any]:
    """Return the cells of `sheet` of the workbook `file`: {sheet, sheets, rows, numbers, ...} or {unreadable: why}.

    With "" it is the first sheet that is visible and not empty.
    """
    try:
        data = file.read()
        refuse_hostile(data, EXCEL, MOST_UNPACKED)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # openpyxl warns of everything unknown to it: colours, charts
            try:
                book = openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
                return _chosen(book, sheet, most_rows)
            except (Unreadable, MemoryError):
                raise
            except Exception as error:  # openpyxl, lxml and zipfile raise many kinds over damaged input
                raise damaged(EXCEL) from error
    except Unreadable as error:
        return {"unreadable": str(error)}
    except MemoryError:
        return {"unreadable": _TOO_BIG}


def _chosen(book: Any, wanted: str, most_rows: int) -> dict[str, Any]:
    sheets = [{"name": one.title, "rows": one.max_row or 0, "columns": one.max_column or 0} for one in book.worksheets]
    named = [one for one in book.worksheets if one.title == wanted]
    if wanted and not named:
        raise Unreadable(
            f"There is no sheet “{wanted[:60]}”. Available: {', '.join(str(one['name']) for one in sheets[:10])}."
        )
    for one in named if wanted else sorted(book.worksheets, key=lambda one: one.sheet_state != "visible"):
        found = _rows_of(one, most_rows)
        if found["rows"]:
            at = next(each for each in sheets if each["name"] == one.title)
            at["rows"], at["columns"] = found["numbers"][-1], max(map(len, found["rows"]))
            return {
                "sheet": one.title,
                "sheets": sheets,
                "was_asked": bool(wanted),
                "is_hidden": one.sheet_state != "visible",
                **found,
            }
    raise Unreadable(
        f"Sheet “{wanted[:60]}” is empty. Choose another one." if wanted else "All sheets of this workbook are empty."
    )


def _rows_of(sheet: Any, most_rows: int) -> dict[str, Any]:
    rows: list[list[str]] = []
    numbers: list[int] = []
    looked_at = characters = formulas = valueless = 0
    without_value: list[str] = []
    with sheet._get_source() as source:
        parser = SheetParser(
            source, sheet, lambda: len(rows) >= most_rows or looked_at > MOST_CELLS or characters > MOST_TEXT
        )
        for number, cells in parser.rows():
            looked_at += 1 + len(cells)
            texts: list[str] = []
            for column, value, formula in cells:
                if formula:
                    formulas += 1
                    if value is None:
                        valueless += 1
                        if len(without_value) < _TOLD:
                            without_value.append(f"{get_column_letter(column)}{number}")
                if value is None:
                    continue
                text = shown(value)
                characters += len(text)
                if column > len(texts) + 1:
                    texts += [""] * (column - 1 - len(texts))
                texts.append(text)
            if any(texts):
                rows.append(texts)
                numbers.append(number)
        if characters > MOST_TEXT:
            raise Unreadable(_TOO_BIG)
    return {
        "rows": rows,
        "numbers": numbers,
        "merged": parser.merged[:5000],
        "left_out": parser.left_out,
        "formulas": formulas,
        "without_value": without_value,
        "valueless": valueless,
    }
