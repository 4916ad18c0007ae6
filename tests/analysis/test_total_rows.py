"""Rows of totals and averages are found by arithmetic in any language, and rows of data are not taken for them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.datasets.outliers import extremes_of
from analysis.datasets.read_table import read_table
from analysis.datasets.total_row_labels import kind_of_label
from tests.analysis.tables import codes, read, remark_of, workbook
from tests.examples import examples


def written(value: float, places: int, sign: str = ".") -> str:
    return f"{value:.{places}f}".replace(".", sign)


def table(rows: int, seed: int, sign: str = ".") -> tuple[list[list[str]], list[tuple[list[float], int]]]:
    """Rows with a name, a sex, ages, a laboratory value and a cost; and the numbers of these with their places."""
    rng = np.random.default_rng(seed)
    columns = [
        (rng.integers(18, 90, rows).astype(float).tolist(), 0),
        (rng.normal(4.4, 0.9, rows).round(1).tolist(), 1),
        (np.exp(rng.normal(6, 1, rows)).round(2).tolist(), 2),
    ]
    lines = [
        [f"P{at}", "mf"[at % 2], *(written(values[at], places, sign) for values, places in columns)]
        for at in range(rows)
    ]
    return lines, columns


def as_csv(lines: list[list[str]], wide: int = 5) -> str:
    return "\n".join(";".join(line) for line in [["id", "sex", "age", "lab", "cost"][:wide], *lines]) + "\n"


def suspected_totals(text: str, **reading: Any) -> list[int]:
    found = [one for one in read(text, **reading).remarks if one["code"] == "totals"]
    return found[0]["rows"] if found else []


@examples(60)
@given(
    st.integers(8, 150),
    st.integers(0, 10**6),
    st.sampled_from([".", ","]),
    st.sampled_from([np.sum, np.mean]),
    st.data(),
)
def test_a_table_and_its_arithmetic(rows: int, seed: int, sign: str, of: Any, data: st.DataObject) -> None:
    lines, columns = table(rows, seed, sign)
    places = [2, 3, 4] if of is np.mean else [0, 1, 2]
    label = data.draw(st.sampled_from(["", "Zz", "Gesamt", "कुल"]))
    last = [label, "", *(written(float(of(values)), at, sign) for (values, _), at in zip(columns, places, strict=True))]
    assert suspected_totals(as_csv([*lines, last])) == [rows + 2]
    assert suspected_totals(as_csv(lines)) == []
    found = read(as_csv([*lines, last]))
    assert found.row_count == rows
    assert found.columns[2]["type"] == "numeric"


@pytest.mark.long
@examples(30)
@given(st.lists(st.integers(4, 12), min_size=2, max_size=5), st.integers(0, 10**6))
def test_totals_of_blocks_and_of_all(sizes: list[int], seed: int) -> None:
    lines, expected, sums = [], [], np.zeros(3)
    for block, size in enumerate(sizes):
        part, columns = table(size, seed + block)
        total = [sum(values) for values, _ in columns]
        sums += total
        lines += [*part, ["", "", written(total[0], 0), written(total[1], 1), written(total[2], 2)]]
        expected.append(len(lines) + 1)
    lines.append(["", "", written(sums[0], 0), written(sums[1], 1), written(sums[2], 2)])
    assert suspected_totals(as_csv(lines)) == [*expected, len(lines) + 1]


KINDS: dict[str, Any] = {
    "age": lambda rng, n: rng.integers(18, 90, n),
    "likert": lambda rng, n: rng.integers(1, 6, n),
    "binary": lambda rng, n: rng.integers(0, 2, n),
    "lab": lambda rng, n: rng.normal(4.4, 1, n).round(1),
    "skewed": lambda rng, n: np.exp(rng.normal(2, 1.2, n)).round(1),
    "count": lambda rng, n: rng.poisson(2, n),
    "zeros": lambda rng, n: np.zeros(n, dtype=int),
    "constant": lambda rng, n: np.full(n, 3),
    "id": lambda rng, n: np.arange(1, n + 1),
    "from 0": lambda rng, n: np.arange(n),
    "sorted": lambda rng, n: np.sort(rng.integers(0, 1000, n)),
    "signed": lambda rng, n: rng.integers(-5, 6, n),
    "heavy": lambda rng, n: (rng.pareto(1.1, n) * 10).round(0).astype(int),
    "sex": lambda rng, n: rng.choice(["m", "f"], n),
    "code": lambda rng, n: [f"P{at}" for at in range(n)],
    "ward": lambda rng, n: rng.choice(["A", "B", "C"], n),
    "twice": lambda rng, n: np.repeat(rng.integers(18, 90, n), 2)[:n],
    "share": lambda rng, n: [f"{one}%" for one in rng.integers(0, 101, n)],
    "name": lambda rng, n: [f"p{at}" if rng.random() > 0.1 else "" for at in range(n)],
}


@examples(150)
@given(st.integers(1, 120), st.integers(0, 10**6), st.lists(st.sampled_from(sorted(KINDS)), min_size=2, max_size=8))
def test_rows_of_data_are_not_accused(rows: int, seed: int, kinds: list[str]) -> None:
    rng = np.random.default_rng(seed)
    columns = [KINDS[kind](rng, rows) for kind in kinds]
    head = ",".join(f"{kind} {at}" for at, kind in enumerate(kinds))
    lines = [",".join(str(column[at]) for column in columns) for at in range(rows)]
    assert suspected_totals("\n".join([head, *lines]) + "\n", header_rows=1, first_row=1) == []


def test_the_row_that_was_taken_for_a_patient() -> None:
    lines, columns = table(40, 1, ",")
    total = ["Gesamt", "", written(sum(columns[0][0]), 0), written(sum(columns[1][0]), 1, ","), ""]
    found = read(as_csv([*lines, total]))
    question = remark_of(found, "totals")
    assert question["level"] == "question"
    assert question["text"] == (
        "Row 42 looks like a total: it is called “Gesamt” and its values are the sums of rows 2 to 41. Leave it out?"
    )
    assert question["cells"] == [total]
    assert found.summary["c3"]["max"] < 90


def test_a_genuine_row_near_a_sum_is_asked_about_and_can_be_kept() -> None:
    text = as_csv([["A", "m", "30", "4.0", "10.00"], ["B", "f", "50", "5.1", "30.00"], ["C", "m", "20", "6.2", "20.00"],
                   ["D", "f", "40", "3.3", "5.00"], ["E", "m", "140", "18.6", "65.00"]])  # fmt: skip
    assert suspected_totals(text) == [6]
    kept = read(text, kept_rows=[6])
    assert kept.row_count == 5
    assert "totals" not in codes(kept)
    near = text.replace("140", "139").replace("18.6", "18.9").replace("65.00", "66.00")
    assert suspected_totals(near) == []


def test_words_alone_ask_and_names_of_measurements_do_not() -> None:
    rows = "\n".join(f"p{at};{at % 5};{at % 7}" for at in range(12))
    for label in ("Итого", "合计", "Somme", "मध्यमान", "Total (n = 12)", "Σ", "المجموع", "Rata-rata"):
        assert suspected_totals(f"a;b;c\n{rows}\n{label};901;17\n") == [14], label
    for label in ("Total cholesterol", "Mean arterial pressure", "Meaney", "Summer", "Sumatra"):
        assert suspected_totals(f"a;b;c\n{rows}\n{label};901;17\n") == [], label
    assert kind_of_label("Moyenne :") == "mean"
    surgery = "\n".join(f"{['Total', 'Subtotal', 'Hemi'][at % 3]};{at % 5};{at % 7}" for at in range(30))
    assert suspected_totals(f"surgery;b;c\n{surgery}\n") == []


def test_averages_and_spreads_below_a_total_go_with_it() -> None:
    lines, columns = table(30, 4)
    rows = [
        [name, "", *(written(float(of(np.array(values))), 2) for values, _ in columns)]
        for name, of in (("Sum", np.sum), ("Mean", np.mean), ("SD", lambda values: values.std(ddof=1)), ("Max", np.max))
    ]
    assert suspected_totals(as_csv([*lines, *rows])) == [32, 33, 34, 35]


def statistics(columns: Any, of: Any, *begin: str, more: int = 0, only: list[int] | None = None) -> list[str]:
    """A row of the statistic `of` of `columns`, each with `more` decimals than its values, of the rows `only`."""
    chosen = [(np.array(values)[only] if only else np.array(values), places) for values, places in columns]
    return [*begin, *(written(float(of(values)), places + more) for values, places in chosen)]


def test_rows_of_statistics_in_words_that_nobody_listed() -> None:
    lines, columns = table(45, 5)
    rows = [("Środkowa", np.median), ("Najmniej", np.min), ("Najwięcej", np.max)]
    text = as_csv([*lines, *(statistics(columns, of, name, "", more=1) for name, of in rows)])
    assert suspected_totals(text) == [47, 48, 49]
    assert remark_of(read(text), "totals")["text"].startswith("Rows 47, 48 and 49 look like rows of statistics: ")
    assert suspected_totals(as_csv([*lines, statistics(columns, lambda v: v.std(ddof=1), "SD", "")])) == [47]


def test_totals_of_groups_below_all_rows() -> None:
    lines, columns = table(45, 5)
    men, women = [at for at in range(45) if at % 2 == 0], [at for at in range(45) if at % 2]
    for of, more in ((np.sum, 0), (np.mean, 1)):
        both = [statistics(columns, of, "", sex, more=more, only=only) for sex, only in (("m", men), ("f", women))]
        found = read(as_csv([*lines, *both]))
        assert remark_of(found, "totals")["rows"] == [47, 48]
        assert found.summary["c3"]["n"] == 45
    one = remark_of(read(as_csv([*lines, statistics(columns, np.sum, "", "f", only=women)])), "totals")["text"]
    assert one == "Row 47 looks like a total: its values are the sums of the 22 rows of “f”. Leave it out?"


def test_averages_below_each_group() -> None:
    found = 0
    for seed in range(20):
        lines, columns = table(60, seed)
        lines, columns = [line[:4] for line in lines], columns[:2]
        first, second = list(range(28)), list(range(28, 60))
        rows = [statistics(columns, np.mean, "", "", more=1, only=only) for only in (first, second)]
        found += suspected_totals(as_csv([*lines[:28], rows[0], *lines[28:], rows[1]], 4)) == [30, 63]
    assert found >= 17


@pytest.mark.parametrize("write", ["{sum} ({share}%)", "{sum} ({share} %)", "{share}%", "{sum}/{n}"])
def test_a_row_that_sums_up_groups_of_yes_and_no(write: str) -> None:
    rng = np.random.default_rng(4)
    columns = [rng.integers(0, 2, 60) for _ in range(2)]
    lines = [f"P{at};{40 + at * 7 % 31};{columns[0][at]};{columns[1][at]}" for at in range(60)]
    cells = [write.format(sum=one.sum(), share=f"{100 * one.mean():.1f}", n=60) for one in columns]
    text = "\n".join(["id;age;dm;htn", *lines, f";;{cells[0]};{cells[1]}"]) + "\n"
    found = read(text)
    assert remark_of(found, "totals")["rows"] == [62]
    assert [one["type"] for one in found.columns[2:]] == ["factor", "factor"]


def test_a_row_of_means_with_their_spread() -> None:
    lines, columns = table(45, 5)
    cells = [f"{np.mean(values):.1f} ± {np.std(values, ddof=1):.1f}" for values, _ in columns]
    found = read(as_csv([*lines, ["", "", *cells]]))
    assert (
        remark_of(found, "totals")["text"]
        == "Row 47 looks like a row of averages: its values are the means of rows 2 to 46. Leave it out?"
    )
    assert "not_number" not in codes(found)


def test_a_total_with_its_unit() -> None:
    ages = [30 + at * 7 % 41 for at in range(20)]
    text = "id;age\n" + "".join(f"P{at};{age} yrs\n" for at, age in enumerate(ages))
    assert remark_of(read(f"{text};{sum(ages)} yrs\n"), "totals")["text"] == (
        "Row 22 looks like a total: its value is the sum of rows 2 to 21. Leave it out?"
    )
    assert suspected_totals(f"{text};{sum(ages)}\n") == [22]


def test_a_total_on_top_and_rows_that_are_left_out() -> None:
    lines, columns = table(20, 9)
    total = ["", "", *(written(sum(values), places) for values, places in columns)]
    assert suspected_totals(as_csv([total, *lines])) == [2]
    text = as_csv([*lines, total])
    left = read(text, left_out=[{"rows": [5], "reason": "withdrew consent"}])
    assert remark_of(left, "totals")["rows"] == [22], "it was computed with the row that is left out"
    assert left.row_count == 19
    both = read(text, left_out=[{"rows": [5, 22], "reason": "x"}])
    assert ("totals" in codes(both), both.row_count) == (False, 19)


def test_totals_of_a_workbook() -> None:
    rows = [[f"p{at}", at * 3.7, at % 4 + 20] for at in range(15)]
    book = workbook(
        ("Data", [["id", "crp", "age"], *rows, [None, sum(row[1] for row in rows), sum(row[2] for row in rows)]])
    )
    assert remark_of(read_table(book, "a.xlsx"), "totals")["rows"] == [17]


@pytest.mark.parametrize(
    ("above", "first", "is_asked"),
    [
        ("id,age,bp,crp", ",years,mmHg,mg/l", True),
        ("q1,q2,q3,q4", "How old are you?,How do you sleep at night?,How many?,What do you eat?", True),
        ("id,age,bp,crp", "p9,44,130,2.5", False),
        ("id,age,bp,crp", "p9,44,not measured,n/k", False),
    ],
)
def test_a_second_row_of_headings(above: str, first: str, *, is_asked: bool) -> None:
    rows = "\n".join(f"p{at},{30 + at},{120 + at % 9},{at % 7}.5" for at in range(10))
    found = read(f"{above}\n{first}\n{rows}\n")
    assert ("second_header" in codes(found)) is is_asked
    assert found.row_count == 11, "it is never taken without being asked for"
    if is_asked:
        assert "second_header" not in codes(read(f"{above}\n{first}\n{rows}\n", kept_rows=[2]))
        assert read(f"{above}\n{first}\n{rows}\n", header_rows=2).row_count == 10


@pytest.mark.parametrize(
    ("above", "first", "is_asked"),
    [
        ("id,sex,ward,diag", "Study id,Sex,Ward of admission,Main diagnosis", True),
        ("id,sex,ward,diag", "p99,x,Cardiology and chest medicine,Sepsis", False),
        ("id,sex,ward,diag", "1,2,3,4", True),
        ("id,sex,ward,diag", "(1),(2),(3),(4)", True),
    ],
)
def test_a_second_row_of_headings_over_words(above: str, first: str, *, is_asked: bool) -> None:
    rows = "\n".join(f"p{at},{'mf'[at % 2]},{'ABC'[at % 3]},{['TB', 'COPD'][at % 2]}" for at in range(20))
    assert ("second_header" in codes(read(f"{above}\n{first}\n{rows}\n"))) is is_asked


def test_values_that_begin_like_their_column_are_no_headings() -> None:
    rows = "\n".join(f"Ward {1 + at % 4},Group {1 + at % 3},Doctor {1 + at % 5}" for at in range(20))
    assert "second_header" not in codes(read(f"ward,group,doctor\nWard 9,Group 9,Doctor 9\n{rows}\n"))


def test_headings_that_come_again_are_no_row() -> None:
    rows = [f"p{at};{30 + at};{120 + at % 9}" for at in range(20)]
    head = "id;age;bp"
    found = read("\n".join([head, *rows[:9], head, *rows[9:], head]) + "\n")
    assert remark_of(found, "headings_again")["text"] == "Rows 11 and 23 repeat the header and were left out."
    assert (found.row_count, found.columns[1]["type"]) == (20, "numeric")
    assert found.reading["row_numbers"] == [[2, 9], [12, 11]]
    pages = read_table(
        workbook(("A", [["Study"], ["id", "age"], *[[f"p{at}", at] for at in range(8)], ["id", "age"]])), "a.xlsx"
    )
    assert (pages.row_count, remark_of(pages, "headings_again")["rows"]) == (8, [11])


def test_words_of_patients_are_no_headings() -> None:
    rows = "\n".join(
        f"{['mild', 'severe', 'moderate'][at % 3]},{['yes', 'no'][at % 2]},{['m', 'f'][at % 2]}" for at in range(9)
    )
    assert "second_header" not in codes(read(f"pain,smoker,sex\n{rows}\n"))
    assert "second_header" not in codes(
        read(f"note,age\nnot known yet,\n{rows.replace(',yes,', ',').replace(',no,', ',')}\n")
    )


@pytest.mark.parametrize(("value", "is_found"), [(503, True), (180, True), (1.7, False), (95, False)])
def test_an_age_that_cannot_be(value: float, *, is_found: bool) -> None:
    ages = np.append(np.random.default_rng(2).integers(20, 81, 115).astype(float), value)
    assert (extremes_of(ages) == [value]) is is_found


@pytest.mark.parametrize(
    ("rows", "far"), [(40, [1100, 950]), (45, [2050, 1100, 950]), (60, [900, -200]), (15, [720]), (12, [503])]
)
def test_several_far_values_and_one_in_a_small_table(rows: int, far: list[float]) -> None:
    ages = np.random.default_rng(3).integers(20, 81, rows - len(far)).astype(float)
    assert sorted(extremes_of(np.append(ages, far))) == sorted(far)
    text = "id,age\n" + "".join(f"P{at},{age:g}\n" for at, age in enumerate(np.append(ages, far)))
    told = remark_of(read(text), "extreme")
    assert told["rows"] == list(range(rows - len(far) + 2, rows + 2))
    assert all(f"{one:g}" in told["text"] for one in far)


@examples(100)
@given(st.integers(10, 59), st.integers(0, 10**6), st.sampled_from(["uniform", "normal", "poisson"]))
def test_small_tables_without_far_values(rows: int, seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    values = getattr(rng, kind)(size=rows) if kind != "poisson" else rng.poisson(3, rows).astype(float)
    assert len(extremes_of(values)) <= 1


@examples(100)
@given(st.integers(60, 400), st.integers(0, 10**6), st.sampled_from(["exponential", "uniform", "normal", "poisson"]))
def test_what_is_only_skewed_has_no_extremes(rows: int, seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    values = getattr(rng, kind)(size=rows) if kind != "poisson" else rng.poisson(3, rows).astype(float)
    found = extremes_of(values)
    assert len(found) <= 1
    assert not found or max(abs(values)) == abs(found[0])
