"""Errors and warnings that the contract names, through the real service."""

from typing import Any

import pytest

from analysis.r_client.local_service import LocalService
from tests.analysis.r.oracle import ask, codes, compared

pytestmark = pytest.mark.r

SIX = [5, 5, 5, 5, 5, 5]
GROUPS = ["a", "a", "a", "b", "b", "b"]
TWO = {"outcome": "@y", "group": "@g"}


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("name", "params", "columns", "code", "more"),
    [
        ("constant", TWO, {"y": SIX, "g": GROUPS}, "constant_variable", {"column": "c1"}),
        ("one level", TWO, {"y": [1, 2, 3], "g": ["a"] * 3}, "group_levels", {"column": "c2"}),
        ("three levels", TWO, {"y": [1, 2, 3, 4, 5, 6], "g": list("aabbcc")}, "group_levels", {"suggest": "anova"}),
        ("text in a number", TWO, {"y": ("numeric", ["12", "13", "<5", "14"]), "g": list("aabb")}, "not_numeric",
         {"column": "c1"}),
        ("no such column", {"outcome": "no_such", "group": "@g"}, {"g": GROUPS}, "unknown_column",
         {"field": "params.outcome"}),
        ("code for a column", {"outcome": "x`; system('id'); `", "group": "@g"}, {"g": GROUPS}, "unknown_column", {}),
        ("all missing", TWO, {"y": [None] * 6, "g": GROUPS}, "all_missing", {"column": "c1"}),
        ("two rows", TWO, {"y": [1, 2], "g": ["a", "b"]}, "too_few_observations", {}),
        ("no rows", TWO, {"y": [], "g": []}, "all_missing", {}),
        ("infinite", TWO, {"y": ("numeric", ["Inf", "1", "2", "3", "4", "5"]), "g": GROUPS}, "not_numeric", {}),
        ("hexadecimal", TWO, {"y": ("numeric", ["0x1F", "1", "2", "3", "4", "5"]), "g": GROUPS}, "not_numeric", {}),
        ("500 levels", TWO, {"y": list(range(500)), "g": [f"l{number}" for number in range(500)]}, "group_levels", {}),
        ("dates", TWO, {"y": ("date", ["2024-01-31"] * 6), "g": GROUPS}, "not_numeric", {}),
        ("an unknown option", {**TWO, "options": {"eval": "system('id')"}}, {"y": [1, 2, 3, 4, 5, 6], "g": GROUPS},
         "bad_option", {}),
        ("an option out of bounds", {**TWO, "options": {"alternative": "both"}}, {"y": [1, 2, 3, 4, 5, 6], "g": GROUPS},
         "bad_option", {"field": "params.options.alternative"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_cannot_be_tested_is_refused_with_its_code(
    service: LocalService, name: str, params: dict[str, Any], columns: dict[str, Any], code: str, more: dict[str, str]
) -> None:
    answer = ask(service, "t_test", params, columns, status=422)
    assert answer["error"]["code"] == code
    assert {key: answer["error"][key] for key in more} == more
    compared.append(name)


def test_the_first_bad_cells_are_named(service: LocalService) -> None:
    columns = {"BP": ("numeric", ["12", "13", "<5", "14"]), "g": list("aabb")}
    message = ask(service, "t_test", {"outcome": "@BP", "group": "@g"}, columns, status=422)["error"]["message"]
    assert "BP" in message
    assert "“<5” in row 3" in message


def test_complete_separation_is_said(service: LocalService) -> None:
    columns = {"y": [0] * 4 + [1] * 4, "x": list(range(1, 9))}
    assert "separation" in codes(ask(service, "logistic", {"outcome": "@y", "predictors": ["@x"]}, columns))


def test_small_expected_counts_make_it_fisher(service: LocalService) -> None:
    answer = ask(service, "chi_square", {"counts": [[3, 1], [1, 3]]})
    assert "small_expected_counts" in codes(answer)
    assert "Fisher" in answer["method"]


def test_shapiro_is_not_run_on_more_than_5000(service: LocalService) -> None:
    answer = ask(service, "normality", {"columns": ["@x"]}, {"x": [number * 0.5 for number in range(5001)]})
    assert "shapiro_not_run" in codes(answer)


@pytest.mark.parametrize("rows", [200_001])
def test_more_rows_than_can_be_taken(service: LocalService, rows: int) -> None:
    answer = ask(service, "t_test", {"outcome": "@x", "group": "@x"}, {"x": [1] * rows}, status=413)
    assert answer["error"]["code"] == "too_large"
