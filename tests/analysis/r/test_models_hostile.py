"""Count tables, correlation, regression and survival with data that cannot be computed, odd names and odd sizes."""

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from analysis.r_client.local_service import LocalService
from tests.analysis.r.oracle import Columns, ask, at, codes, run_scripts
from tests.examples import examples

pytestmark = [pytest.mark.r, pytest.mark.long]

Y = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]
X = [2, 7, 1, 8, 2, 8, 1, 8, 2, 8]
E = [0, 1, 0, 1, 1, 0, 0, 1, 0, 1]
G = ["a", "b"] * 5
ONE = ["a"] * 10
NONE = [None] * 10
COLUMNS: dict[str, Any] = {
    "y": Y, "x": X, "e": E, "g": G, "one": ONE, "none": NONE, "twice": [2 * value for value in X],
    "text": ["12", "<5"] * 5,
    "same": [4] * 10, "zero": [0] * 10, "ones": [1] * 10, "before": [-1, *Y[1:]], "word": ["yes", "no"] * 5,
    "inf": ("numeric", [1, "Inf", *Y[2:]]), "huge": [value * 1e307 for value in Y], "odd": ["a", None] * 5,
    "even": [None, "b"] * 5,
    "g3": ["a", "b", "c", "a", "b"] * 2, "few": [1, None, None, 2, None, None, None, None, None, 3],
    "each": [f"n{i}" for i in range(10)],
}  # fmt: skip


def survival(**more: Any) -> dict[str, Any]:
    return {"time": "@y", "event": "@e", **more}


# analysis, params, code, what the message or the field must say
REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    ("chi_square", {"row": "@g"}, "unknown_column", "params.column"),
    ("chi_square", {"row": "c99", "column": "@g"}, "unknown_column", "params.row"),
    ("chi_square", {}, "unknown_column", "params.row"),
    ("chi_square", {"row": "@g", "column": "@g"}, "bad_option", "same column"),
    ("chi_square", {"row": "@g", "column": "@one"}, "group_levels", "params.column"),
    ("chi_square", {"row": "@g", "column": "@none"}, "all_missing", "no values"),
    ("chi_square", {"row": "@g", "column": "@odd"}, "group_levels", "params.column"),
    ("chi_square", {"row": "@g", "column": "@e", "counts": [[1, 2], [3, 4]]}, "bad_option", "not both"),
    ("chi_square", {"counts": [[1, 2, 3]]}, "bad_option", "two rows"),
    ("chi_square", {"counts": [[1, 2], [3]]}, "bad_option", "params.counts"),
    ("chi_square", {"counts": [[1, 2], [3, -4]]}, "bad_option", "whole numbers"),
    ("chi_square", {"counts": [[1, 2], [3, 1.5]]}, "bad_option", "whole numbers"),
    ("chi_square", {"counts": [[0, 0], [3, 4]]}, "too_few_observations", "no count"),
    ("chi_square", {"counts": [[0, 0], [0, 0]]}, "too_few_observations", "All counts are 0"),
    ("chi_square", {"counts": [[10**9, 1], [1, 1]]}, "bad_option", "1,000,000,000"),
    ("chi_square_gof", {}, "unknown_column", "params.column"),
    ("chi_square_gof", {"column": "@one"}, "group_levels", "params.column"),
    ("chi_square_gof", {"column": "@g", "options": {"expected": [1, 2, 3]}}, "bad_option", "2 levels and 3"),
    ("chi_square_gof", {"column": "@g", "options": {"expected": [1, 0]}}, "bad_option", "above 0"),
    ("chi_square_gof", {"counts": [5]}, "group_levels", "two counts"),
    ("chi_square_gof", {"counts": [5, 1.5]}, "bad_option", "whole numbers"),
    ("fisher", {"row": "@g3", "column": "@g", "options": {"alternative": "less"}}, "bad_option", "two rows"),
    ("fisher", {"counts": [[10**7, 10**7], [10**7, 10**7]]}, "bad_option", "chi-square"),
    ("mcnemar", {"counts": [[1, 2, 3], [4, 5, 6]]}, "bad_option", "as many rows"),
    ("mcnemar", {"row": "@one", "column": "@one"}, "bad_option", "same column"),
    ("mcnemar", {"row": "@g", "column": "@word"}, "group_levels", "no level in common"),
    ("correlation", {"x": "@x", "y": "@x"}, "bad_option", "same column"),
    ("correlation", {"x": "@x", "y": "@same"}, "constant_variable", "params.y"),
    ("correlation", {"x": "@x", "y": "@text"}, "not_numeric", "<5"),
    ("correlation", {"x": "@x", "y": "@inf"}, "not_numeric", "infinite"),
    ("correlation", {"x": "@x", "y": "@huge"}, "not_converged", "too large"),
    ("correlation", {"x": "@x", "y": "@few"}, "too_few_observations", "3 of 10"),
    ("correlation", {"x": "@x", "y": "@y", "options": {"method": "spearmann"}}, "bad_option", "spearman"),
    ("linear", {"outcome": "@y", "predictors": []}, "unknown_column", "params.predictors"),
    ("linear", {"outcome": "@y", "predictors": ["@x", "@y"]}, "bad_option", "among the predictors"),
    ("linear", {"outcome": "@y", "predictors": ["@x", "@x"]}, "bad_option", "named twice"),
    ("linear", {"outcome": "@g", "predictors": ["@x"]}, "not_numeric", "params.outcome"),
    ("linear", {"outcome": "@same", "predictors": ["@x"]}, "constant_variable", "params.outcome"),
    ("linear", {"outcome": "@y", "predictors": ["@x", "@same"]}, "constant_variable", "same"),
    ("linear", {"outcome": "@y", "predictors": ["@one"]}, "group_levels", "at least two levels"),
    ("linear", {"outcome": "@y", "predictors": ["@x", "@twice"]}, "singular_model", "twice"),
    ("linear", {"outcome": "@y", "predictors": ["@each"]}, "too_few_observations", "10 parameters"),
    ("linear", {"outcome": "@y", "predictors": ["@x", "@huge"]}, "not_converged", "too large"),
    ("linear", {"outcome": "@huge", "predictors": ["@x"]}, "not_converged", "too large"),
    ("linear", {"outcome": "@none", "predictors": ["@x"]}, "all_missing", "params.outcome"),
    ("logistic", {"outcome": "@zero", "predictors": ["@x"]}, "no_events", "params.outcome"),
    ("logistic", {"outcome": "@ones", "predictors": ["@x"]}, "constant_variable", "Every complete row"),
    ("logistic", {"outcome": "@word", "predictors": ["@x"]}, "bad_option", "event_value"),
    ("logistic", {"outcome": "@word", "predictors": ["@x"], "options": {"event_value": "Yes"}}, "no_events", "“Yes”"),
    ("logistic", {"outcome": "@e", "predictors": ["@x", "@twice"]}, "singular_model", "twice"),
    ("logistic", {"outcome": "@e", "predictors": ["@x", "@same"]}, "constant_variable", "same"),
    ("logistic", {"outcome": "@e", "predictors": ["@huge"]}, "not_converged", "too large"),
    ("cox", survival(predictors=["@e"]), "bad_option", "among the predictors"),
    ("cox", {"time": "@before", "event": "@e", "predictors": ["@x"]}, "bad_option", "-1 in row 1"),
    ("cox", {"time": "@y", "event": "@zero", "predictors": ["@x"]}, "no_events", "params.event"),
    ("cox", survival(predictors=["@x", "@twice"]), "singular_model", "twice"),
    ("cox", survival(predictors=["@each"]), "too_few_observations", "parameters"),
    ("cox", survival(predictors=["@huge"]), "not_converged", "too large"),
    ("kaplan_meier", {"time": "@before", "event": "@e"}, "bad_option", "negative"),
    ("kaplan_meier", {"time": "@y", "event": "@y"}, "bad_option", "different columns"),
    ("kaplan_meier", {"time": "@y", "event": "@word"}, "bad_option", "event_value"),
    ("kaplan_meier", {"time": "@y", "event": "@zero"}, "no_events", "params.event"),
    ("kaplan_meier", survival(group="@one"), "group_levels", "params.group"),
    ("kaplan_meier", survival(options={"at": [-1]}), "bad_option", "params.options.at"),
    ("figure/km", survival(group="@one"), "group_levels", "params.group"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "params", "code", "says"), REFUSED, ids=[f"{one[0]}-{one[2]}-{i}" for i, one in enumerate(REFUSED)]
)
def test_what_cannot_be_computed_is_refused_in_words(
    service: LocalService, name: str, params: dict[str, Any], code: str, says: str
) -> None:
    error = ask(service, name, params, COLUMNS, status=413 if code == "too_large" else 422)["error"]
    told = " ".join(str(error.get(key, "")) for key in ("message", "field", "hint"))
    assert error["code"] == code, error
    assert says in told, error


# --- names and values of strangers -------------------------------------------------------------------------------

NAMES = [
    "if", "x`; system('id'); `", "😀 score", "रक्तचाप", "n" * 300, "=1+1", " ", "a\"b\\c\nd", "c2", "(Intercept)",
    "outcome", "<b>&%_$#{}~^",
]  # fmt: skip
LEVELS = [
    '"); quit("no',
    "`x`",
    "\\u0041",
    "'; DROP",
    "😀",
    "हाँ",
    "-1",
    "c3.a",
    "a\tb",
    "%d %s",
    "=cmd|' /C calc'!A0",
    "L" * 200,
]


def strange(names: list[str], *values: Any) -> Columns:
    return list(zip(names, values, strict=True))


def test_odd_names_and_levels_go_through_every_analysis(service: LocalService) -> None:
    draw = random.Random(4)
    rows = 90
    levels = [LEVELS[i % 3] for i in range(rows)]
    numbers = [round(draw.gauss(5, 2), 2) for _ in range(rows)]
    more = [round(number + draw.gauss(0, 1), 2) for number in numbers]
    events = [int(draw.random() < 0.5) for _ in range(rows)]
    times = [round(draw.expovariate(0.1), 1) for _ in range(rows)]
    results = []
    for turn in range(4):
        names = [NAMES[(turn * 3 + i) % len(NAMES)] for i in range(5)]
        level = {old: LEVELS[turn * 3 + i] for i, old in enumerate(LEVELS[:3])}
        columns = strange(names, numbers, more, events, times, ("factor", [level[one] for one in levels]))
        asked: list[tuple[str, dict[str, Any]]] = [
            ("chi_square", {"row": "c5", "column": "c3"}),
            ("chi_square_gof", {"column": "c5"}),
            ("correlation", {"x": "c1", "y": "c2"}),
            ("linear", {"outcome": "c1", "predictors": ["c2", "c5"]}),
            ("logistic", {"outcome": "c3", "predictors": ["c2", "c5"]}),
            ("cox", {"time": "c4", "event": "c3", "predictors": ["c2", "c5"]}),
            ("kaplan_meier", {"time": "c4", "event": "c3", "group": "c5", "options": {"at": [5, 10.5]}}),
        ]
        for name, params in asked:
            answer = ask(
                service,
                name,
                params,
                columns,
                figures=["svg"] if turn == 1 and name in ("linear", "kaplan_meier") else [],
            )
            sentence = answer["sentence"]["plain"]
            assert "\n" not in sentence
            assert "\t" not in sentence
            assert sentence.endswith((".", ")"))
            results.append((answer, columns))
    assert run_scripts(results) > 300


def test_two_columns_of_one_name(service: LocalService) -> None:
    columns = [("bp", Y), ("bp", X), ("", G)]
    answer = ask(service, "linear", {"outcome": "c1", "predictors": ["c2", "c3"]}, columns)
    assert run_scripts([(answer, columns)])


@examples(8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(st.integers(0, 12), min_size=2, max_size=3), min_size=2, max_size=4).filter(
        lambda rows: len({len(row) for row in rows}) == 1
    )
)
def test_any_table_of_counts_gets_a_p_or_a_reason(service: LocalService, counts: list[list[int]]) -> None:
    empty = any(not sum(row) for row in counts) or any(not sum(column) for column in zip(*counts, strict=True))
    answer = ask(service, "chi_square", {"counts": counts}, status=422 if empty else 200)
    if not empty:
        assert 0 < at(answer, "statistics.p") <= 1
        chi = at(answer, "statistics.chi_squared")
        total = sum(map(sum, counts))
        expected = [[sum(row) * sum(column) / total for column in zip(*counts, strict=True)] for row in counts]
        plain = sum(
            (seen - wanted) ** 2 / wanted
            for a, b in zip(counts, expected, strict=True)
            for seen, wanted in zip(a, b, strict=True)
        )
        assert chi == pytest.approx(plain, abs=1e-9)


# --- wording -----------------------------------------------------------------------------------------------------


def test_sentences_read_as_they_are_meant_to(service: LocalService) -> None:
    counts = {"row": "@arm", "column": "@died"}
    columns = {
        "arm": ["control"] * 120 + ["steroid"] * 120,
        "died": ["no"] * 56 + ["yes"] * 64 + ["no"] * 76 + ["yes"] * 44,
    }
    assert ask(service, "chi_square", counts, columns)["sentence"]["plain"] == (
        "By arm, died = yes was found in 64 of 120 (53.3%) among control and 44 of 120 (36.7%) among "
        "steroid, more often among control "
        "than among steroid (Pearson chi-square test, uncorrected, χ²(1) = 6.73, p = 0.009; odds ratio "
        "(steroid against control, the "
        "reference) 0.51 (95% CI 0.30 to 0.85); Cramér's V = 0.17; n = 240, none missing)."
    )
    aml = {
        "t": [9, 13, 18, 23, 28, 5, 8, 12, 16, 20],
        "e": [1, 1, 0, 1, 0, 1, 1, 1, 0, 1],
        "x": ["kept"] * 5 + ["not"] * 5,
    }
    told = ask(service, "kaplan_meier", {"time": "@t", "event": "@e", "group": "@x", "options": {"at": [10]}}, aml)
    assert told["sentence"]["plain"].startswith(
        "The median of t until e = 1 (Kaplan-Meier) was 23 in x = kept (95% CI 9 to not reached; 3 of 5, "
        "60.0%, with e = 1)"
    )
    assert "the share without e = 1 at t = 10 was 80.0% in x = kept" in told["sentence"]["plain"]
    assert "log-rank test, two-sided, χ²(1) = " in told["sentence"]["plain"]
    assert "\\emph{" in told["sentence"]["latex"]
    assert "\\%" in told["sentence"]["latex"]


def test_p_of_one_and_of_almost_nothing(service: LocalService) -> None:
    even = ask(service, "chi_square", {"counts": [[10, 10], [10, 10]]})
    assert "p = 1.000" in even["sentence"]["plain"]
    assert at(even, "statistics.p") == 1
    sure = ask(service, "chi_square", {"counts": [[90, 10], [10, 90]]})
    assert "p < 0.001" in sure["sentence"]["plain"]
    assert 0 < at(sure, "statistics.p") < 1e-20
    none = ask(service, "mcnemar", {"counts": [[20, 0], [0, 11]]})
    assert "p = 1.000" in none["sentence"]["plain"]
    assert "odds ratio" not in none["sentence"]["plain"]
    exactly = ask(service, "correlation", {"x": "@x", "y": "@y"}, {"x": [1, 2, 3, 4, 5], "y": [2, 4, 6, 8, 10]})
    assert at(exactly, "estimates.r.value") == pytest.approx(1)
    assert "p < 0.001" in exactly["sentence"]["plain"]


def test_groups_that_were_never_observed_together(service: LocalService) -> None:
    columns = {"t": [1, 5], "e": [0, 1], "g": ["a", "b"]}
    answer = ask(service, "kaplan_meier", {"time": "@t", "event": "@e", "group": "@g"}, columns, figures=["svg"])
    assert "not_comparable" in codes(answer)
    assert "log-rank" not in answer["sentence"]["plain"]
    assert run_scripts([(answer, columns)])


def test_an_event_of_other_values_is_told(service: LocalService) -> None:
    columns = {"s": ["dead", "alive", "lost", "dead", "alive"] * 4, "x": list(range(20)), "t": list(range(1, 21))}
    answer = ask(
        service, "logistic", {"outcome": "@s", "predictors": ["@x"], "options": {"event_value": "dead"}}, columns
    )
    assert "other_values_no_event" in codes(answer)
    assert any("all others count as no event" in note for note in answer["tables"][0]["footnotes"])
    assert run_scripts([(answer, columns)])


def test_figures_stay_small_and_speak(service: LocalService) -> None:
    draw = random.Random(2)
    rows = 6000
    columns = {
        "t": [round(draw.expovariate(0.1), 3) for _ in range(rows)],
        "e": [int(draw.random() < 0.4) for _ in range(rows)],
        "g": [f"Arm {i % 4} with quite a long name that needs two lines" for i in range(rows)],
    }
    (figure,) = ask(service, "figure/km", {"time": "@t", "event": "@e", "group": "@g"}, columns, figures=["svg"])[
        "figures"
    ]
    assert len(figure["base64"]) < 500_000
    assert figure["alt"].startswith("Survival curves over t with intervals and numbers at risk.")
    points = ask(service, "correlation", {"x": "@t", "y": "@e"}, columns, figures=["svg", "png"])
    assert [one["format"] for one in points["figures"]] == ["png"]
