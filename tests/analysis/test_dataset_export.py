"""What is sent to R and what is exported agree cell by cell, and no cell is a formula to a spreadsheet."""

import csv
import io
import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.datasets.export import csv_of, label_of, neutralize_formula, text_of
from analysis.datasets.parse_cells import number_text
from analysis.datasets.read_table import Table, columns_of_table, read_table
from core.errors import Refused
from tests.analysis.tables import HOSPITAL, read
from tests.examples import examples

FORMULAS = ["=1+1", "+41 61 265 25 25", "-1+2", "@SUM(A1)", "=cmd|' /C calc'!A0", "-", "+", "++", "-5.2", "+3", "text"]


def all_of(table: Table) -> list[dict[str, Any]]:
    return columns_of_table(table, [one["id"] for one in table.columns])


def exported(table: Table) -> list[list[str]]:
    return list(csv.reader(io.StringIO(csv_of(all_of(table)).decode(), newline="")))


def test_columns_as_the_service_takes_them() -> None:
    table = read(
        "id,n,g,b,d\nx,1.50,yes,TRUE,13-01-2023\ny,NA,Yes,FALSE,14-01-2023\nz,3,no,,15-01-2023\n", missing=["NA"]
    )
    sent = {one["name"]: one for one in all_of(table)}
    assert [one["id"] for one in sent.values()] == ["c1", "c2", "c3", "c4", "c5"]
    assert sent["n"] == {
        "id": "c2",
        "name": "n",
        "label": "",
        "unit": "",
        "type": "numeric",
        "levels": [],
        "values": [1.5, None, 3],
    }
    assert sent["g"]["values"] == ["yes", "yes", "no"]
    assert sent["g"]["levels"] == ["no", "yes"]
    assert sent["b"]["values"] == [True, False, None]
    assert sent["d"]["values"] == ["2023-01-13", "2023-01-14", "2023-01-15"]
    json.dumps(list(sent.values()), allow_nan=False)


def test_only_the_columns_that_are_asked_for_in_that_order() -> None:
    table = read("a,b,c\n1,2,3\n4,5,6\n")
    assert [one["name"] for one in columns_of_table(table, ["c3", "c1"])] == ["c", "a"]
    with pytest.raises(Refused, match="no column c9"):
        columns_of_table(table, ["c9"])


def test_a_numeric_column_with_a_text_is_sent_as_text() -> None:
    [sent] = columns_of_table(read("a\n1.5\n2\n3\n4\n<5\n"), ["c1"])
    assert sent["type"] == "numeric"
    assert sent["values"] == ["1.5", "2", "3", "4", "<5"]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_are_neutral_and_numbers_stay_numbers(text: str) -> None:
    safe = neutralize_formula(text)
    assert safe == (f"'{text}" if text in FORMULAS[:5] else text)


@pytest.mark.parametrize("text", ["\t=1", "\r=1", "\n=1", "\0=1", "＝1+1"])
def test_signs_before_a_formula_are_neutral_too(text: str) -> None:
    assert neutralize_formula(text).startswith("'")


def test_names_labels_and_levels_are_neutral_alike() -> None:
    table = read("=x,g\na,=1\nb,=1\nc,@2\nd,@2\n")
    sent = columns_of_table(table, ["c1", "c2"])
    assert sent[0]["name"] == "'=x"
    assert sent[1]["levels"] == ["'=1", "'@2"]
    assert set(sent[1]["values"]) == {"'=1", "'@2"}
    assert exported(table)[1] == ["a", "'=1"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (100000.0, "100000"),
        (1e14, "100000000000000"),
        (0.1 + 0.2, "0.3"),
        (1.5e-7, "0.00000015"),
        (-0.0, "0"),
        (-5.25, "-5.25"),
    ],
)
def test_numbers_in_text(value: float, text: str) -> None:
    assert number_text(value) == text
    assert text_of(value) == text


finite = (
    st.floats(allow_nan=False, allow_infinity=False).map(lambda value: float(f"{value:.15g}")).filter(math.isfinite)
)


@given(finite)
def test_a_number_is_the_same_after_all(value: float) -> None:
    assert float(number_text(value)) == value


cells = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Cn"]), max_size=12)
tables = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=12)
)


@examples(80)
@given(tables)
def test_what_is_exported_reads_back_as_the_same_cells(rows: list[list[str]]) -> None:
    """And whatever stood in it, nothing is a formula, in the header or below it."""
    out = io.StringIO(newline="")
    csv.writer(out).writerows([[f"name {n}" for n in range(len(rows[0]))], *rows])
    table = read_table(
        out.getvalue().encode(), "a.csv", {"separator": ",", "encoding": "utf-8", "first_row": 1, "totals": False}
    )
    found = exported(table)
    for row in found:
        for cell in row:
            assert neutralize_formula(cell) == cell
    sent = all_of(table)
    if len(sent) == 1 and None in sent[0]["values"]:
        assert [row.pop() for row in found] == ["row", *(str(number + 1) for number in range(table.row_count))]
    assert len(found) - 1 == table.row_count
    for place, one in enumerate(sent):
        assert [row[place] for row in found[1:]] == [text_of(value) for value in one["values"]]
    if not table.row_count:
        return
    again = read_table(
        csv_of(sent), "a.csv", {"separator": ",", "encoding": "utf-8", "first_row": 1, "decimal": ".", "totals": False}
    )
    for before, after in zip(sent, all_of(again), strict=False):
        if before["type"] == after["type"] == "numeric":
            assert before["values"] == after["values"]


@pytest.mark.r
@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_reads_the_export_as_it_was_sent(tmp_path: Path) -> None:
    """Every cell, by the line that every script begins with; a column alone keeps its blank rows, which get numbers."""
    odd = 'n,"say ""hi""",if,आयु\n1.5,=1+1,"two\nlines",😀\n,,NA,\n100000,"a,b",\'x,-\n0.00000015,#no,c:\\d,+\n'
    tables = {"hospital": read(HOSPITAL), "odd": read(odd), "one": read("a,b\n1,x\n,y\n3,z\n")}
    asked = {"hospital": None, "odd": None, "one": ["c1"]}
    expected = {}
    for name, table in tables.items():
        sent = columns_of_table(table, asked[name] or [one["id"] for one in table.columns])
        (tmp_path / f"{name}.csv").write_bytes(csv_of(sent))
        expected[name] = {one["name"]: [text_of(value) or None for value in one["values"]] for one in sent}
    expected["one"]["row"] = ["1", "2", "3"]
    code = """
      all <- lapply(c(hospital = "hospital.csv", odd = "odd.csv", one = "one.csv"), function(file)
        as.list(read.csv(file, colClasses = "character", na.strings = "", check.names = FALSE, encoding = "UTF-8")))
      cat(jsonlite::toJSON(all, na = "null", auto_unbox = FALSE))
    """
    done = subprocess.run(["Rscript", "-e", code], cwd=tmp_path, capture_output=True, timeout=60, check=True)
    assert json.loads(done.stdout) == expected


def test_what_people_call_a_column_goes_with_it() -> None:
    told = [
        label_of({"name": "crp", "label": label, "unit": unit})
        for label, unit in (("", ""), ("CRP", ""), ("", "mg/L"), ("CRP", "mg/L"), ("CRP (mg/L)", "mg/L"))
    ]
    assert told == ["", "CRP", "crp (mg/L)", "CRP (mg/L)", "CRP (mg/L)"]
