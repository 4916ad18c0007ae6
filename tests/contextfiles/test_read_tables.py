"""CSV files and workbooks: every passage makes sense alone, and says where it stands (SPEC X11)."""

from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import Any

import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from contextfiles.passages import GROUPED, LONGEST, Unreadable
from contextfiles.read_text import Reading, read
from contextfiles.readers import xlsx
from contextfiles.readers.csv import separator_of
from contextfiles.readers.table_rows import Row, chunks_of, names_at
from tests.contextfiles.make_files import with_entry, workbook
from tests.examples import examples


def passages(reading: Reading) -> list[tuple[str, str]]:
    return [(segment.heading, reading.text[segment.start : segment.end]) for segment in reading.segments]


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1"])
def test_csv_of_every_separator_and_encoding(sign: str, encoding: str) -> None:
    rows = [["Plot", "Höhe", "Note"], ["1", "2,5 m" if sign != "," else "2.5 m", "größer"], ["2", "3 m", "“klein”"]]
    if encoding == "latin-1":
        rows[2][2] = "klein"
    data = "\r\n".join(sign.join(row) for row in rows).encode(encoding)
    names, *rest = rows
    said = "\n".join("▸ " + "; ".join(map(": ".join, zip(names, row, strict=True))) for row in rest)
    assert passages(read("csv", data)) == [("Row 1", " | ".join(names)), ("Rows 2 to 3", said)]


def test_csv_with_quoted_cells() -> None:
    data = b'Plot;Species\n1;"Alnus; glutinosa"\n2;"Betula\npendula"\n;;\n3;"say ""alder"""\n'
    assert passages(read("csv", data)) == [
        ("Row 1", "Plot | Species"),
        (
            "Rows 2 to 5",
            '▸ Plot: 1; Species: Alnus; glutinosa\n▸ Plot: 2; Species: Betula pendula\n▸ Plot: 3; Species: say "alder"',
        ),
    ]


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("1,5;2,5\n3,5;4,5\n", ";"),
        ("name,year\nAlder; a study,2019\nBirch,2020\n", ","),
        ("Plot\tNote\n1\tlong, with, commas; and more\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ('"x;y;z",1\n"a",2\n', ","),
        ("one column\n1\n", "\t"),
    ],
)
def test_the_separator_is_told_from_the_rows(text: str, sign: str) -> None:
    assert separator_of(text) == sign


def test_excel_may_name_the_separator() -> None:
    assert passages(read("csv", b"sep=|\nPlot|Note\n1|a;b\n")) == [
        ("Row 2", "Plot | Note"),
        ("Row 3", "▸ Plot: 1; Note: a;b"),
    ]


def test_a_long_table_repeats_the_names_of_its_columns() -> None:
    lines = ["Plot;Species;Height", *(f"P{row};Alnus glutinosa;{row},5" for row in range(2, 202))]
    found = passages(read("csv", "\n".join(lines).encode()))
    assert len(found) > 3
    assert found.pop(0) == ("Row 1", "Plot | Species | Height")
    assert found[0][0].startswith("Rows 2 to ")
    seen = []
    for heading, text in found:
        rows = text.split("\n")
        first, last = (int(word) for word in heading.split() if word.isdigit())
        assert rows == [f"▸ Plot: P{row}; Species: Alnus glutinosa; Height: {row},5" for row in range(first, last + 1)]
        assert len(text) <= GROUPED + 40
        seen += rows
    assert len(seen) == 200


@pytest.mark.parametrize(
    ("rows", "at"),
    [
        ([["Plot", "Height"], ["1", "2"]], 0),
        ([["Table 1. Soil"], ["Plot", "T0 weight (kg)", "CO2"], ["1", "2", "3"]], 1),
        ([["Species", "2019", "2020"], ["Alnus", "3.5", "4"]], 0),
        ([["1", "2"], ["3", "4"]], None),
        ([["2024-01-01", "a"], ["2024-01-02", "b"]], None),
        ([["only one column"], ["alder"]], None),
        ([["Plot", "Height"]], None),
        ([], None),
    ],
)
def test_where_the_names_of_the_columns_stand(rows: list[list[str]], at: int | None) -> None:
    assert names_at([Row(number, cells) for number, cells in enumerate(rows, start=1)]) == at


def test_a_wide_table_has_each_value_beside_its_name() -> None:
    names = [f"A rather long name of column {number}" for number in range(60)]
    _, chunk = chunks_of([Row(1, names), Row(2, ["alder", *[""] * 58, "birch"])])
    assert chunk.text == "▸ A rather long name of column 0: alder; A rather long name of column 59: birch"


def test_a_cell_beyond_measure_is_shown_as_it_stands() -> None:
    data = f'a,"{"x" * 200_000}"\n'.encode()
    assert read("csv", data).text == data.decode()


def test_a_workbook_is_read_sheet_by_sheet() -> None:
    def fill(book: Any) -> None:
        soil = book.active
        soil.title = "Soil"
        for row in (["Plot", "Nitrogen"], ["P1", 3.4], [], ["P2", 0.1 + 0.2]):
            soil.append(row)
        book.create_sheet("Empty")
        hidden = book.create_sheet("Raw data")
        hidden.sheet_state = "hidden"
        hidden["C3"] = "found"

    reading = read("xlsx", workbook(fill))
    assert passages(reading) == [
        ("Sheet Soil, row 1", "Plot | Nitrogen"),
        ("Sheet Soil, rows 2 to 4", "▸ Plot: P1; Nitrogen: 3.4\n▸ Plot: P2; Nitrogen: 0.3"),
        ("Sheet Raw data (hidden), row 3", "found"),
    ]
    assert [(segment.page, segment.is_lead) for segment in reading.segments] == [(1, True), (1, False), (3, True)]


def test_values_are_shown_as_people_know_them() -> None:
    def fill(book: Any) -> None:
        sheet, day = book.active, date(2024, 5, 6)
        values = [
            day, datetime.combine(day, time(7, 8)), time(7, 8), timedelta(hours=30), True, False, 1e-7,
            123456789012345, "  two\nlines ", "#DIV/0!", 2.0, -3,
        ]  # fmt: skip
        sheet.append(values)

    assert read("xlsx", workbook(fill)).text == (
        "2024-05-06 | 2024-05-06 07:08:00 | 07:08:00 | 1 day, 6:00:00 | TRUE | FALSE | 1e-07 | 123456789012345 | "
        "two lines | #DIV/0! | 2 | -3"
    )


def test_a_formula_shows_its_value_or_else_itself() -> None:
    written = BytesIO()
    with xlsxwriter.Workbook(written) as book:
        sheet = book.add_worksheet("Sums")
        sheet.write_row("A1", ["Part", "Sum"])
        sheet.write_formula("B2", "=SUM(A3:A9)", None, 42.5)
        sheet.write_formula("B3", '="al"&"der"', None, "alder")
        sheet.write_formula("B4", "=1/0", None, "#DIV/0!")
        sheet.write_formula("B5", "=SUM(A3:A9)", None, "")
    assert [text for _, text in passages(read("xlsx", written.getvalue()))] == [
        "Part | Sum",
        "| 42.5\n| alder\n| #DIV/0!\n| =SUM(A3:A9)",
    ]

    def fill(book: Any) -> None:
        book.active["A1"] = "=SUM(B1:B9)"

    assert read("xlsx", workbook(fill)).text == "=SUM(B1:B9)"


def test_a_formula_shared_by_cells_is_that_of_each_cell() -> None:
    xml = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        '<row r="1"><c r="A1"><f t="shared" ref="A1:A2" si="0">B1*2</f></c></row>'
        '<row r="2"><c r="A2"><f t="shared" si="0"/></c></row></sheetData></worksheet>'
    )
    data = with_entry(workbook(), "xl/worksheets/sheet1.xml", xml.encode())
    assert read("xlsx", data).text == "=B1*2\n=B2*2"


def test_merged_cells_say_their_value_once() -> None:
    """In each row that they cover; also where a program left values in the cells that the first one covers."""
    xml = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        '<row r="1"><c r="A1" t="inlineStr"><is><t>Site</t></is></c><c r="B1" t="inlineStr"><is><t>Height</t></is></c>'
        '<c r="C1" t="inlineStr"><is><t>hidden</t></is></c></row>'
        '<row r="2"><c r="A2" t="inlineStr"><is><t>North</t></is></c><c r="B2"><v>1</v></c><c r="C2"><v>2</v></c></row>'
        '<row r="3"><c r="A3" t="inlineStr"><is><t>hidden</t></is></c><c '
        'r="B3"><v>3</v></c><c r="C3"><v>4</v></c></row>'
        '</sheetData><mergeCells><mergeCell ref="B1:C1"/><mergeCell ref="A2:A3"/></mergeCells></worksheet>'
    )
    data = with_entry(workbook(), "xl/worksheets/sheet1.xml", xml.encode())
    assert read("xlsx", data).text == (
        "Site | Height\n\n▸ Site: North; Height: 1; column 3: 2\n▸ Site: North; Height: 3; column 3: 4"
    )

    def fill(book: Any) -> None:
        sheet = book.active
        sheet["A1"] = "Soil of all plots"
        sheet.merge_cells("A1:C1")
        sheet.append(["Plot", "Depth", "Nitrogen"])
        sheet.append(["P1", 10, 3.4])

    assert passages(read("xlsx", workbook(fill))) == [
        ("Sheet Sheet, rows 1 to 2", "Soil of all plots\nPlot | Depth | Nitrogen"),
        ("Sheet Sheet, row 3", "▸ Plot: P1; Depth: 10; Nitrogen: 3.4"),
    ]


def test_a_sheet_that_claims_to_be_huge_is_read_for_what_it_holds() -> None:
    xml = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:XFD1048576"/>'
        '<sheetData><row r="7"><c r="XFD7"><v>5</v></c></row><row r="1048576"><c r="XFD1048576"><v>9</v></c></row>'
        "</sheetData></worksheet>"
    )
    data = with_entry(workbook(), "xl/worksheets/sheet1.xml", xml.encode())
    assert passages(read("xlsx", data)) == [("Sheet Soil, rows 7 to 1048576", "5\n9")]


def test_a_sheet_too_large_is_read_in_part_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "MAX_CELLS", 300)

    def fill(book: Any) -> None:
        for row in range(500):
            book.active.append([f"P{row}", row])
        book.create_sheet("Second")["A1"] = "never reached"
        book.create_sheet("Third")["A1"] = "never reached"

    found = passages(read("xlsx", workbook(fill)))
    assert found[-1][1].endswith("P149 | 149")
    assert found[-1][0].endswith(". Too large to read whole, left out: row 151 and all below, 2 more sheets")
    assert "Too large" not in found[0][0]


def test_an_empty_workbook_holds_no_text() -> None:
    with pytest.raises(Unreadable, match="No text"):
        read("xlsx", workbook(lambda book: None))


CELLS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)


@examples(60)
@given(st.lists(st.lists(CELLS, max_size=6), max_size=30))
def test_all_cells_are_in_the_passages(rows: list[list[str]]) -> None:
    chunks = list(chunks_of(Row(at, [" ".join(cell.split()) for cell in cells]) for at, cells in enumerate(rows, 1)))
    text = "\n".join(chunk.text for chunk in chunks)
    for cells in rows:
        assert all(" ".join(cell.split()) in text for cell in cells)
    assert all(chunk.heading.startswith("Row") for chunk in chunks)


def test_a_row_beyond_measure_is_cut() -> None:
    reading = read("csv", ("alder,birch\n" + "word " * 2000 + ",1\n").encode())
    assert all(segment.end - segment.start <= LONGEST for segment in reading.segments)
