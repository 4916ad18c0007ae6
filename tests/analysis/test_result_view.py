"""A result as people read it: each number rounded by its column, each part in words (SPEC N2)."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.presentation.number_format import (
    as_number,
    format_cell,
    format_integer,
    format_interval,
    format_number,
    format_p,
    format_p_with_letter,
)
from analysis.presentation.result_view import n_words, table_of, versions_words, view_of_result
from tests.analysis.results import answer, table


@pytest.mark.parametrize(
    ("value", "digits", "said"),
    [
        (7.2449, 2, "7.24"),
        (-7.2449, 2, "−7.24"),
        (-0.001, 2, "−0.001"),  # too small for two decimals: never "−0.00"
        (0, 2, "0.00"),
        (-0.0, 2, "0.00"),
        (1234567.0, 2, "1,234,567"),
        (1.234567e12, 2, "1.23e+12"),
        (1.0e-9, 2, "1e−09"),
        ("Inf", 2, "∞"),
        ("-Inf", 2, "−∞"),
        (None, 2, ""),
        ("Alder", 2, "Alder"),
        (True, 2, ""),
    ],
)
def test_a_number_is_rounded_and_never_lost(value: Any, digits: int, said: str) -> None:
    assert format_number(value, digits) == said


@pytest.mark.parametrize(
    ("p", "said", "words"),
    [
        (0.0013736, "0.001", "p = 0.001"),
        (0.00099, "< 0.001", "p < 0.001"),
        (1e-20, "< 0.001", "p < 0.001"),
        (0, "< 0.001", "p < 0.001"),
        (0.04999, "0.050", "p = 0.050"),
        (0.99961, "> 0.999", "p > 0.999"),
        (1, "1.000", "p = 1.000"),
        (None, "", ""),
    ],
)
def test_p_has_three_decimals_and_is_never_nothing(p: Any, said: str, words: str) -> None:
    assert (format_p(p), format_p_with_letter(p)) == (said, words)


@given(st.floats(0, 1))
def test_no_p_is_told_as_zero(p: float) -> None:
    assert format_p(p) not in ("0.000", "-0.000", "")


@given(st.floats(-1e300, 1e300) | st.sampled_from([math.inf, -math.inf]), st.integers(0, 6))
def test_a_number_that_is_read_back_is_the_same_to_its_digits(value: float, digits: int) -> None:
    said = format_number(value, digits).replace("−", "-").replace("∞", "inf").replace(",", "")
    assert math.isclose(float(said), value, rel_tol=6e-3, abs_tol=0.5000001 * 10**-digits)
    assert not said.startswith("-0.00") or float(said) != 0


@pytest.mark.parametrize(
    ("value", "format", "said"),
    [
        (19, "integer", "19"),
        (19.0, "integer", "19"),
        (3.5, "integer", "3.5"),
        (35.29, "percent", "35.3%"),
        (0.04, "p", "0.040"),
        ("12 (35.3%)", "text", "12 (35.3%)"),
        ("5.1 (2.2 to 8.0)", "number", "5.1 (2.2 to 8.0)"),
        (4, "text", "4.0"),
        (None, "number", ""),
        (True, "text", "yes"),
    ],
)
def test_a_cell_is_written_by_the_format_of_its_column(value: Any, format: str, said: str) -> None:
    assert format_cell(value, format, 1) == said


def test_whole_numbers_and_ends_of_intervals() -> None:
    assert format_integer("Inf") == "∞"
    assert format_interval(0.532, 0.817) == "0.53 to 0.82"
    assert format_interval(None, 0.8) == ""
    assert format_interval("-Inf", -3.9057, side="less") == "below −3.91"
    assert format_interval(1.2, "Inf", side="greater") == "above 1.20"
    assert format_interval(0.0312, 1, 3, side="least") == "at least 0.031"
    assert format_interval(None, "Inf", side="greater") == ""
    assert format_interval(0, 2, open_end="low") == "above 0.00 to 2.00"
    assert format_interval(-1, 0, open_end="high") == "−1.00 to below 0.00"
    assert as_number(float("nan")) is None


def test_a_result_has_all_its_parts() -> None:
    made = view_of_result(
        answer(warnings=[{"code": "small", "message": "Few rows.", "columns": ["c2", "c9"]}]), {"c2": "shade"}
    )
    assert made.method == "Welch two-sample t-test"
    assert made.sentence.startswith("Height was 4.25")
    assert made.n_words == "8 rows, none left out for missing values"
    difference, mean = made.estimates
    assert (difference.value, difference.interval, difference.level) == ("−1.18", "−1.74 to −0.61", "95% CI")
    assert (mean.value, mean.interval, mean.level) == ("4.25", "", "")
    assert dict(made.statistics) == {"t": "−5.094", "df": "5.920", "p": "0.002"}
    assert made.effect_sizes[0].label == "Cohen's d"
    (check,) = made.assumptions
    assert (check.status, check.numbers) == ("ok", "statistic 0.967, p = 0.880")
    assert made.warnings[0].columns == ["shade", "c9"]
    assert made.versions == "R 4.2.2, stats 4.2.2"
    assert (made.alternative, made.strength) == ("mann_whitney", "info")
    assert [table.id for table in made.tables] == ["main"]


@pytest.mark.parametrize(
    ("one", "value", "inside", "level"),
    [
        ({"value": 0.152, "ci": [0.0004, 0.31], "format": "percent", "digits": 2}, "15.20%", "0.04% to 31.00%",
         "95% CI"),
        ({"value": 0.152, "ci": [0.02, 0.31], "format": "percent"}, "15.2%", "2.0% to 31.0%", "95% CI"),
        ({"value": 1.017, "ci": [0.9987, 1.0362], "digits": 3}, "1.017", "0.999 to 1.036", "95% CI"),
        ({"value": 1.017, "ci": [0.9987, 1.0362]}, "1.017", "0.999 to 1.036", "95% CI"),  # one of before `digits`
        ({"value": 0.04, "ci": [1e-05, 1], "side": "least", "digits": 5}, "0.04000", "at least 0.00001",
         "95% one-sided"),
        ({"value": -7.2, "ci": ["-Inf", -3.906], "side": "less", "digits": 1}, "−7.2", "below −3.9", "95% one-sided"),
        ({"value": -1, "ci": [-2, 0], "open": "high", "digits": 0}, "−1", "−2 to below 0", "95% CI"),
    ],
)  # fmt: skip
def test_an_estimate_has_the_decimals_of_its_sentence(one: dict[str, Any], value: str, inside: str, level: str) -> None:
    (made,) = view_of_result({"estimates": [{"id": "x", "label": "x", "conf_level": 0.95, **one}]}).estimates
    assert (made.value, made.interval, made.level) == (value, inside, level)


def test_a_table_has_its_cells_in_the_order_of_its_columns() -> None:
    made = table_of(table())
    assert [one.label for one in made.columns] == ["Shade", "n", "Mean", "p"]
    assert [(row.cells, row.level) for row in made.rows] == [
        (["full", "4", "4.25", "0.002"], 0),
        (["half", "4", "5.42", ""], 1),
    ]


@pytest.mark.parametrize(
    ("n", "said"),
    [
        ({"total": 182, "used": 180, "missing": 2}, "180 of 182 rows, 2 left out for missing values"),
        ({"total": 1, "used": 1, "missing": 0}, "1 row, none left out for missing values"),
        ({"total": 50_000, "used": 50_000, "missing": 0}, "50,000 rows, none left out for missing values"),
        ({"total": 0, "used": 0, "missing": 0}, ""),
        ({}, ""),
    ],
)
def test_how_many_rows_were_used(n: dict[str, Any], said: str) -> None:
    assert n_words(n) == said


def test_an_empty_result_shows_nothing_and_fails_at_nothing() -> None:
    made = view_of_result({})
    assert (made.sentence, made.tables, made.n_words, versions_words({})) == ("", [], "", "")


@pytest.mark.parametrize(("value", "shown"), [(8, "8"), (0, "0"), (1204, "1204"), (2.5, "2.50")])
def test_a_count_among_the_estimates_has_no_decimals(value: float, shown: str) -> None:
    result = view_of_result({"estimates": [{"id": "c1.n", "label": "Age: n", "value": value, "ci": [None, None]}]}, {})
    assert [one.value for one in result.estimates] == [shown]
