"""Tables as people bring them, made by the tests that read them."""

import io
import zipfile
from collections.abc import Sequence
from typing import Any

import openpyxl

from analysis.datasets.read_table import Table, read_table

# As a hospital's program exports it: titles above, lakhs, five spellings of yes, a blank row, a row of totals.
HOSPITAL = """District Hospital
Admissions 01-01-2023 to 31-03-2023

S.No.,Patient Name,Mobile No,Date of admission,Age,Sex,Diabetes,Hb (g/dl),Bill (Rs),CRP,Severity,ANA,,
1,Asha Rao,9845012345,13-01-2023,54,Male,Yes,11.2,"1,00,000",12,mild,+,,
2,Ravi K,9845012346,02-02-2023,61,male,yes,NA,"45,500",nil,severe,-,,
3,Mira D,9845012347,28-02-2023,47,Female,Y,10.1,"12,34,567",<5,moderate,-,,

4,John P,9845012348,05-03-2023,-99,F,No,9.8,-,30,Mild,++,,
5,Sita B,9845012349,31-03-2023,70,Female,no,12.4,"99,000",41,Severe,-,,
6,Om P,9845012340,30-03-2023,66,M,No,13,"9,000",17,mild,+,,
Total,,,,298,,,56.5,"12,88,067",,,,,
,,,,,,,,,,,,,
"""


def read(text: str, name: str = "data.csv", encoding: str = "utf-8", **reading: Any) -> Table:
    return read_table(text.encode(encoding), name, reading or None)


def values(table: Table, name: str) -> list[str]:
    """The texts of the column called `name`."""
    return list(table.frame[column(table, name)["id"]])


def column(table: Table, name: str) -> dict[str, Any]:
    return next(one for one in table.columns if one["name"] == name)


def codes(table: Table) -> set[str]:
    return {one["code"] for one in table.remarks}


def remark_of(table: Table, code: str) -> dict[str, Any]:
    return next(one for one in table.remarks if one["code"] == code)


def workbook(*sheets: tuple[str, Any], merged: Sequence[str] = ()) -> bytes:
    """A workbook with `sheets` (name, rows); `merged` are ranges of the first."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    for cells in merged:
        book.worksheets[0].merge_cells(cells)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def rewritten(data: bytes, name: str, old: bytes, new: bytes) -> bytes:
    """A workbook in which `old` is `new` in the part `name`."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.infolist():
            content = source.read(entry)
            target.writestr(entry.filename, content.replace(old, new) if entry.filename == name else content)
    return out.getvalue()
