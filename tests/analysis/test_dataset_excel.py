"""An Excel workbook becomes a table: one of its sheets, values and never formulas, merged headers, no bomb."""

import datetime
import io
import zipfile

import pytest

from analysis.datasets.read_table import read_table
from core.errors import Refused
from tests.analysis.tables import codes, column, remark_of, rewritten, values, workbook

SEEN = datetime.datetime.fromisoformat("2023-02-02 08:30")
PATIENTS = (
    "Data",
    [
        ["id", "age", "seen", "alive", "crp"],
        ["P1", 54, datetime.date(2023, 1, 13), True, 1.5],
        ["P2", 61.0, SEEN, False, 1e-7],
        ["P3", None, None, True, 3],
    ],
)


def test_cells_are_read_by_their_types() -> None:
    table = read_table(workbook(PATIENTS), "a.xlsx")
    assert values(table, "age") == ["54", "61", ""]
    assert values(table, "seen") == ["2023-01-13", "2023-02-02 08:30:00", ""]
    assert values(table, "crp") == ["1.5", "0.0000001", "3"]
    assert [one["type"] for one in table.columns] == ["text", "numeric", "date", "logical", "numeric"]
    assert table.sheets == [{"name": "Data", "rows": 4, "columns": 5}]


def test_the_first_sheet_that_holds_something_and_any_other_by_its_name() -> None:
    data = workbook(("Cover", []), PATIENTS, ("More", [["x"], [1], [2]]))
    table = read_table(data, "a.xlsx")
    assert table.reading["sheet"] == "Data"
    assert "“Cover”, “More”" in remark_of(table, "sheets")["text"]
    assert read_table(data, "a.xlsx", {"sheet": "More"}).row_count == 2
    for sheet, says in (("Cover", "empty"), ("Nope", "Available: Cover, Data, More")):
        with pytest.raises(Refused, match=says):
            read_table(data, "a.xlsx", {"sheet": sheet})
    with pytest.raises(Refused, match="All sheets"):
        read_table(workbook(("Cover", [])), "a.xlsx")


def test_merged_headers_name_all_their_columns() -> None:
    rows = [
        ["Trial of alder", None, None, None, None],
        ["id", "Blood pressure", None, "Lab", None],
        [None, "sys", "dia", "hb", "crp"],
        [1, 120, 80, 12, 5],
        [2, 130, 90, 11, 6],
    ]
    table = read_table(workbook(("Data", rows), merged=["A1:E1", "A2:A3", "B2:C2", "D2:E2"]), "a.xlsx")
    assert [one["name"] for one in table.columns] == [
        "id",
        "Blood pressure sys",
        "Blood pressure dia",
        "Lab hb",
        "Lab crp",
    ]
    assert table.row_count == 2
    assert "titles" in codes(table)


def test_merged_cells_among_the_rows_are_told() -> None:
    rows = [["group", "n"], *(["a", n] for n in range(10))]
    table = read_table(workbook(("Data", rows), merged=["A6:A8"]), "a.xlsx")
    assert remark_of(table, "merged")["rows"] == [6]


def test_formulas_count_by_the_value_that_is_kept_with_them() -> None:
    data = workbook(("Data", [["a", "b"], [1, "=A2*2"], [2, "=A3*2"]]))
    table = read_table(data, "a.xlsx")  # written by a program that computes nothing
    assert values(table, "b") == ["", ""]
    assert "B2, B3" in remark_of(table, "formula_without_value")["text"]
    kept = rewritten(data, "xl/worksheets/sheet1.xml", b"<f>A2*2</f><v></v>", b"<f>A2*2</f><v>2</v>")
    kept = rewritten(kept, "xl/worksheets/sheet1.xml", b"<f>A2*2</f><v />", b"<f>A2*2</f><v>2</v>")
    table = read_table(kept, "a.xlsx")
    assert values(table, "b") == ["2", ""]
    assert "formulas" in codes(table)


def test_decimal_commas_in_texts_and_numbers_side_by_side() -> None:
    rows = [["a"], ["1,5"], ["2,25"], ["37,5"], [37.5], [1.125]]
    table = read_table(workbook(("Data", rows)), "a.xlsx")
    assert values(table, "a") == ["1.5", "2.25", "37.5", "37.5", "1.125"]


def test_errors_of_cells_are_missing() -> None:
    table = read_table(workbook(("Data", [["a"], [1], [2], ["#DIV/0!"], ["#N/A"]])), "a.xlsx")
    assert column(table, "a")["missing"] == ["#DIV/0!", "#N/A"]


def test_a_workbook_called_csv_is_a_workbook() -> None:
    assert read_table(workbook(PATIENTS), "a.csv").row_count == 3


def zipped(parts: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in parts.items():
            target.writestr(name, content)
    return out.getvalue()


def bomb(megabytes: int) -> bytes:
    data = workbook(PATIENTS)
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as target:
        target.writestr("xl/worksheets/sheet9.xml", b" " * (megabytes * 1024 * 1024))
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "name", "says"),
    [
        (zipped({"xl/workbook.xml": b"<x/>", "xl/vbaProject.bin": b"x"}), "a.xlsm", "macros"),
        (zipped({"xl/workbook.bin": b"x"}), "a.xlsb", "binary"),
        (zipped({"word/document.xml": b"x"}), "a.docx", "not a workbook"),
        (zipped({"xl/workbook.xml": b"<x/>"}), "a.xlsx", "damaged"),
        (b"PK\x03\x04nothing", "a.xlsx", "damaged"),
        (bomb(101), "a.xlsx", "unpacks to far more"),
        (b"PK\x03\x04" + b"\0" * (5 * 1024 * 1024), "a.xlsx", "damaged|at most 5 MB"),
    ],
)
def test_workbooks_that_are_not_opened(data: bytes, name: str, says: str) -> None:
    with pytest.raises(Refused, match=says):
        read_table(data, name)


def test_an_opendocument_sheet_is_named_as_such() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        target.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
    with pytest.raises(Refused, match=r"\.ods"):
        read_table(out.getvalue(), "a.ods")


def test_a_sheet_that_claims_a_million_rows_is_read_as_far_as_it_goes() -> None:
    data = workbook(("Data", [["a"], [1], [2]]))
    claims = rewritten(data, "xl/worksheets/sheet1.xml", b'<dimension ref="A1:A3"', b'<dimension ref="A1:XFD1048576"')
    assert read_table(claims, "a.xlsx").row_count == 2


def test_a_cell_that_looks_like_a_formula_is_a_text() -> None:
    data = workbook(("Data", [["a", "b"], ["x", 1], ["y", 2]]))
    for part in ("xl/sharedStrings.xml", "xl/worksheets/sheet1.xml"):
        data = rewritten(data, part, b">x<", b">=cmd|' /C calc'!A0<")
    assert values(read_table(data, "a.xlsx"), "a") == ["=cmd|' /C calc'!A0", "y"]
