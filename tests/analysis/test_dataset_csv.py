"""A CSV file becomes a table, however it was exported; what it cannot be is said in a sentence."""

from pathlib import Path
from typing import Any

import pytest

from analysis.datasets.read_table import read_table
from core.errors import Refused
from tests.analysis.tables import HOSPITAL, codes, column, read, remark_of, values


def test_a_hospital_export_is_read_as_its_table() -> None:
    table = read(HOSPITAL, encoding="cp1252")
    assert table.row_count == 6
    assert table.reading["first_row"] == 4
    assert len(table.columns) == 12  # the two blank columns at the end are none
    assert list(table.frame.index) == [5, 6, 7, 9, 10, 11]  # the rows as Excel numbers them
    assert values(table, "Bill (Rs)") == ["100000", "45500", "1234567", "-", "99000", "9000"]
    assert values(table, "Date of admission")[:2] == ["2023-01-13", "2023-02-02"]
    assert {"titles", "totals", "blank_rows"} <= codes(table)
    assert "District Hospital" in remark_of(table, "titles")["text"]


def test_what_a_hospital_export_means_is_proposed_with_reasons() -> None:
    table = read(HOSPITAL)
    types = {one["name"]: one["type"] for one in table.columns}
    assert types == {
        "S.No.": "text", "Patient Name": "text", "Mobile No": "text", "Date of admission": "date", "Age": "numeric",
        "Sex": "factor", "Diabetes": "factor", "Hb (g/dl)": "numeric", "Bill (Rs)": "numeric", "CRP": "numeric",
        "Severity": "ordered", "ANA": "ordered",
    }  # fmt: skip
    assert all(one["proposed"]["reason"] for one in table.columns)
    assert column(table, "Severity")["levels"] == ["mild", "moderate", "severe"]
    assert column(table, "ANA")["levels"] == ["-", "+", "++"]  # here "-" is a finding, and not missing
    assert column(table, "ANA")["missing"] == []
    assert column(table, "Hb (g/dl)")["missing"] == ["NA"]
    assert column(table, "Bill (Rs)")["missing"] == ["-"]
    assert column(table, "CRP")["missing"] == ["nil"]
    assert set(column(table, "Diabetes")["merge"].values()) <= set(column(table, "Diabetes")["levels"])
    assert len(column(table, "Diabetes")["levels"]) == 2
    assert len(column(table, "Sex")["levels"]) == 2


def test_a_code_for_missing_is_told_and_not_taken() -> None:
    age = column(table := read(HOSPITAL), "Age")
    assert age["codes"] == ["-99"]
    assert "-99" not in age["missing"]
    assert remark_of(table, "codes")["rows"] == [9]


def test_a_cell_that_is_no_number_is_named_with_its_row() -> None:
    table = read(HOSPITAL)
    assert column(table, "CRP")["bad"] == {"count": 1, "rows": [7], "texts": ["<5"]}
    assert "Row 7: “<5” is not a number" in remark_of(table, "not_number")["text"]


def test_columns_that_identify_people_are_flagged() -> None:
    table = read(HOSPITAL)
    assert column(table, "Patient Name")["personal"] == "names of persons"
    assert column(table, "Mobile No")["personal"] == "telephone numbers"
    assert column(table, "Age")["personal"] == ""
    # also by what stands there, whatever the column is called
    rows = "".join(f"{98450 + n} {12345 + n},x{n}@example.org,{n}\n" for n in range(10))
    table = read(f"a,b,c\n{rows}")
    assert [one["personal"] for one in table.columns] == ["telephone numbers", "e-mail addresses", ""]


@pytest.mark.parametrize(
    ("name", "first"), [("Hospital No", 481_200), ("Mobile No", 9_845_012_345), ("Pincode", 560_001)]
)
def test_numbers_that_name_somebody_are_never_measured(name: str, first: int) -> None:
    rows = "".join(f"{first + 37 * (n // 2)},{50 + n % 17}\n" for n in range(40))
    table = read(f"{name},Age\n{rows}")
    named, age = table.columns
    assert named["personal"]
    assert (named["type"], named["level_of_measurement"], named["proposed"]["is_sure"]) == ("text", "text", False)
    assert "mean" not in table.summary[named["id"]]
    assert named["personal"] in named["proposed"]["reason"]
    assert (age["type"], age["personal"]) == ("numeric", "")


@pytest.mark.parametrize(
    ("text", "encoding", "separator", "decimal"),
    [
        ("Größe;Gewicht\n1,75;80,5\n1,80;1.090,5\n", "utf-8", ";", ","),
        ("Größe;Gewicht\n1,75;80,5\n1,80;1.090,5\n", "cp1252", ";", ","),
        ("Größe\tGewicht\n1.75\t80.5\n1.80\t1,090.5\n", "utf-16", "\t", "."),
        ("Größe\tGewicht\n1.75\t80.5\n1.80\t1090.5\n", "utf-16-le", "\t", "."),
        ("Größe|Gewicht\n1.75|80.5\n1.8|1'090.5\n", "utf-8-sig", "|", "."),
        ("sep=;\nGröße;Gewicht\n1,75;80,5\n1,80;1 090,5\n", "utf-8", ";", ","),
        ('Größe,Gewicht\r\n"1,75","80,5"\r\n"1,80","1.090,5"\r\n', "utf-8", ",", ","),
    ],
)
def test_dialects(text: str, encoding: str, separator: str, decimal: str) -> None:
    table = read(text, encoding=encoding)
    assert (table.reading["separator"], table.reading["decimal"]) == (separator, decimal)
    assert values(table, "Größe") == ["1.75", "1.8"]
    assert values(table, "Gewicht") == ["80.5", "1090.5"]


def test_what_could_be_read_both_ways_is_said() -> None:
    table = read("a\tb\n1,234\t1\n2,500\t2\n")
    assert values(table, "a") == ["1234", "2500"]
    assert "1,234" in remark_of(table, "thousands")["text"]
    assert values(read("a\tb\n1,234\t1\n2,500\t2\n", decimal=","), "a") == ["1.234", "2.5"]
    assert "day_first" in codes(read("a\n01-02-2023\n03-04-2023\n"))
    assert values(read("a\n01-02-2023\n03-04-2023\n", day_first=False), "a") == ["2023-01-02", "2023-03-04"]


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("13-01-2023", "2023-01-13"),
        ("13/1/23", "2023-01-13"),
        ("2023-01-13 14:30", "2023-01-13 14:30:00"),
        ("13 Jan 2023", "2023-01-13"),
        ("13-JAN-23", "2023-01-13"),
        ("January 13, 2023", "2023-01-13"),
        ("13.1.2023 2:05 PM", "2023-01-13 14:05:00"),
    ],
)
def test_dates_as_people_write_them(written: str, kept: str) -> None:
    table = read(f'a;b\n"{written}";1\n"{written}";2\n')
    assert values(table, "a") == [kept, kept]
    assert column(table, "a")["type"] == "date"


def test_a_date_that_is_none_is_named() -> None:
    table = read("a\n31-01-2023\n30-01-2023\n29-01-2023\n28-01-2023\n31-02-2023\n")
    assert column(table, "a")["bad"]["rows"] == [6]
    assert values(table, "a")[-1] == "31-02-2023"  # it stays as it stood


def test_headers() -> None:
    assert [one["name"] for one in read("Vitals,,Lab,\nsys,dia,hb,crp\n120,80,12,5\n130,90,11,6\n").columns] == [
        "Vitals sys", "Vitals dia", "Lab hb", "Lab crp",
    ]  # fmt: skip
    table = read("1,2,3\n4,5,6\n7,8,9\n")
    assert table.row_count == 3
    assert "no_header" in codes(table)
    assert read("1,2,3\n4,5,6\n7,8,9\n", header_rows=1).row_count == 2
    assert [one["name"] for one in read("2019,2020\n1,2\n3,4\n").columns] == ["2019", "2020"]  # years are names


def test_odd_names_stay_and_are_told_apart() -> None:
    long = "n" * 350
    table = read(
        f"if,x`; system('id'); `,😀,{long},आयु,age,age,,=cmd|' /C calc'!A0\n1,2,3,4,5,6,7,8,9\n2,3,4,5,6,7,8,9,1\n"
    )
    names = [one["name"] for one in table.columns]
    assert names[:3] == ["if", "x`; system('id'); `", "😀"]
    assert len(names[3]) == 300
    assert names[4:8] == ["आयु", "age", "age (2)", "Column 8"]
    assert {"long_name", "same_name", "blank_name"} <= codes(table)


def test_rows_of_other_lengths_are_named_and_lose_nothing() -> None:
    table = read("a,b,c\n1,2,3\n1,2,3,4\n1,2\n5,Inf,9\n")
    assert remark_of(table, "long_rows")["rows"] == [3]
    assert remark_of(table, "short_rows")["rows"] == [4]
    assert values(table, "Column 4") == ["", "4", "", ""]
    assert column(table, "b")["bad"]["texts"] == ["Inf"]


def test_numbers_that_are_names_stay_texts() -> None:
    table = read("pin,id,n\n007,12345678901234567,1.50\n012,12345678901234568,2\n100,12345678901234569,3\n")
    assert values(table, "pin") == ["007", "012", "100"]
    assert values(table, "id")[0] == "12345678901234567"
    assert values(table, "n") == ["1.5", "2", "3"]
    assert column(table, "pin")["type"] != "numeric"


def test_units_and_signs_of_minus() -> None:
    table = read("a,b\n₹ 1,−5\n₹ 2.5,-3\n₹ 3,4\n", separator=",")
    assert values(table, "a") == ["1", "2.5", "3"]
    assert column(table, "a")["unit"] == "₹"
    assert values(table, "b") == ["-5", "-3", "4"]


def test_columns_of_one_value_or_none() -> None:
    table = read("a,b,c\n1,,x\n1,,x\n1,NA,x\n")
    assert {"constant", "all_missing"} <= codes(table)
    assert table.summary["c2"]["said"] == "no values"


def test_500_levels_are_text() -> None:
    rows = "".join(f"g{n % 500},{n}\n" for n in range(3000))
    assert column(read(f"a,b\n{rows}"), "a")["type"] == "text"


def test_one_row_and_none() -> None:
    assert "one_row" in codes(read("a,b\n1,2\n"))
    table = read("a,b\n")
    assert table.row_count == 0
    assert "no_rows" in codes(table)


def test_summaries() -> None:
    table = read("a,b,d\n" + "".join(f"{n},{'x' if n % 3 else 'y'},2024-01-{n:02}\n" for n in range(1, 31)))
    numbers, groups, dates = (table.summary[f"c{n}"] for n in (1, 2, 3))
    assert (numbers["min"], numbers["median"], numbers["max"], numbers["missing"]) == (1, 15.5, 30, 0)
    assert numbers["q1"] == 8.25
    assert sum(one["count"] for one in numbers["bins"]) == 30
    assert len(numbers["bins"]) <= 20
    assert groups["counts"] == [{"label": "x", "count": 20}, {"label": "y", "count": 10}]
    assert (dates["first"], dates["last"]) == ("2024-01-01", "2024-01-30")


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("data", "name", "says"),
    [
        (b"", "a.csv", "empty"),
        (b"\r\n \n", "a.csv", "empty"),
        (b"<!DOCTYPE html><html><body><table><tr><td>1", "a.csv", "web page"),
        (b"\xef\xbb\xbf<table><tr><td>1</td></tr></table>", "a.xls", "web page"),
        (b"%PDF-1.7", "a.csv", "PDF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "a.xls", ".xls"),
        (b"$FL2@(#) SPSS", "a.sav", "SPSS"),
        (b"a,b\n1,\0\0\0\x01\x02", "a.csv", "plain text"),
        (b"\xff\xfea\x00,\x00b\x00\n\x00\x00\xd8", "a.csv", "not"),
        (b"a,b\n1,2\n", "a.xlsx", "workbook"),
        (b'a,b\n1,"' + b"x" * 10_001 + b'"\n', "a.csv", "Row 2"),
        (b"a,b\n" + b"1,2\n" * 50_001, "a.csv", "50,001 rows"),
        (b",".join(b"c%d" % n for n in range(201)) + b"\n" + b"1," * 200 + b"1\n", "a.csv", "201 columns"),
        (b"1," * 2_000_000, "a.csv", "columns"),
    ],
)
def test_what_is_no_table_is_said_in_a_sentence(data: bytes, name: str, says: str) -> None:
    with pytest.raises(Refused, match=says) as refused:
        read_table(data, name)
    assert refused.value.message.endswith((".", ".”"))


def test_two_million_rows_are_refused_before_they_are_read() -> None:
    with pytest.raises(Refused, match="2,000,0.. rows; at most 50,000"):
        read_table(b"a,b\n" + b"1,2\n" * 2_000_000, "a.csv")


def test_more_bytes_than_are_taken(tmp_path: Path) -> None:
    big = tmp_path / "big.csv"
    with big.open("wb") as file:
        file.truncate(26 * 1024 * 1024)
    with pytest.raises(Refused, match="26 MB; the limit is 25 MB"):
        read_table(big, "big.csv")
    with pytest.raises(Refused, match="cannot be read"):
        read_table(tmp_path / "none.csv", "none.csv")


@pytest.mark.parametrize(
    "reading",
    [
        {"separator": "::"}, {"decimal": "x"}, {"decimal": ",", "thousands": ","}, {"header_rows": -1},
        {"first_row": 0},
        {"first_row": 99}, {"day_first": "yes"}, {"missing": "NA"}, {"encoding": "klingon"}, {"encoding": "ascii"},
        {"sheet": 3}, {"totals": "no"},
    ],
)  # fmt: skip
def test_a_reading_that_cannot_be(reading: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        read_table("ä,b\n1,2\n".encode(), "a.csv", reading)


def test_a_reading_that_is_told_is_obeyed() -> None:
    table = read("x\na;b\n1;2\n9;3\nTotal;5\n", separator=";", first_row=2, totals=False, missing=["9"])
    assert table.row_count == 3
    assert column(table, "a")["missing"] == ["9"]
    again = read("x\na;b\n1;2\n9;3\nTotal;5\n", **table.reading)
    assert again.frame.equals(table.frame)
