"""Intervals have a width and contain their estimate on any scale, and no direction is reported without one."""

import random
import re
from typing import Any

import pytest

from tests.analysis.r.oracle import Columns, Service, ask, run_scripts

pytestmark = [pytest.mark.r, pytest.mark.long]

COIN = random.Random(4)
SCORE = [round(COIN.gauss(50, 10), 1) for _ in range(30)]
NOISE = [round(one + COIN.gauss(0.1, 2), 1) for one in SCORE]
KIND = [COIN.choice("xyz") for _ in range(30)]
CASE = [1 if n % 3 == 0 else 0 for n in range(30)]
APART = [100 + n if case else n for n, case in enumerate(CASE)]

# Where nothing varies that the interval is made of, its formula gives no width.
FLAT: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("kappa", {"raters": ["@a", "@b"]}, {"a": KIND, "b": KIND}, "kappa"),
    ("kappa", {"raters": ["@a", "@b"]}, {"a": KIND, "b": ["x"] * 30}, "kappa"),
    ("kappa", {"raters": ["@a", "@b", "@c"]}, {"a": KIND, "b": KIND, "c": KIND}, "kappa"),
    ("icc", {"raters": ["@a", "@b"], "options": {"form": "icc1"}}, {"a": SCORE, "b": SCORE}, "icc1"),
    ("icc", {"raters": ["@a", "@b"], "options": {"form": "icc3k"}}, {"a": SCORE, "b": SCORE}, "icc3k"),
    ("roc", {"outcome": "@case", "score": "@score"}, {"case": CASE, "score": APART}, "auc"),
    (
        "diagnostic",
        {"test": "@test", "reference": "@case", "options": {"test_value": "pos"}},
        {"test": ["pos"] * 30, "case": CASE},
        "lr_pos",
    ),
    (
        "kaplan_meier",
        {"time": "@days", "event": "@case", "options": {"at": [2]}},
        {"days": list(range(3, 33)), "case": CASE},
        "survival.2",
    ),
    ("correlation", {"x": "@a", "y": "@b", "options": {"method": "spearman"}},
     {"a": [1, 2, 3, 4, 5], "b": [1, 2, 3, 4, 9]}, "rho"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "params", "columns", "id"), FLAT)
def test_an_interval_without_width_is_not_given(
    service: Service, name: str, params: dict[str, Any], columns: Columns, id: str
) -> None:
    answer = ask(service, name, params, columns)
    found = next(one for one in answer["estimates"] if one["id"] == id)
    assert found["value"] is not None
    assert found["ci"] == [None, None]
    assert "1.000 to 1.000" not in answer["sentence"]["plain"]
    run_scripts([(answer, columns)])


def test_a_small_difference_of_large_numbers_keeps_its_interval(service: Service) -> None:
    """Platelets or copies of a virus: the interval is not nothing beside the range of the values."""
    first = [COIN.randrange(10_000, 400_000) for _ in range(60)]
    pairs = {"first": first, "second": [one + 2 * COIN.choice((-1, 1, 2)) for one in first]}
    for name, id in (("paired_t", "mean_difference"), ("wilcoxon", "median_difference")):
        answer = ask(service, name, {"first": "@first", "second": "@second"}, pairs)
        low, high = next(one for one in answer["estimates"] if one["id"] == id)["ci"]
        assert -4 < low < high < 4
        assert not re.search(r"95% CI [0.]+ to [0.]+;", answer["sentence"]["plain"])
        run_scripts([(answer, pairs)])


def test_one_far_value_does_not_take_the_others_for_nothing(service: Service) -> None:
    far = [round(COIN.gauss(0, 1), 2) for _ in range(50)] + [round(COIN.gauss(0.9, 1), 2) for _ in range(50)]
    columns = {"load": [10_000_000, *far[1:]], "arm": ["a"] * 50 + ["b"] * 50}
    answer = ask(service, "mann_whitney", {"outcome": "@load", "group": "@arm"}, columns)
    found = next(one for one in answer["estimates"] if one["id"] == "median_difference")
    low, high = found["ci"]
    assert low < found["value"] < high < -0.01
    assert "difference (arm = a minus arm = b) −" in answer["sentence"]["plain"]


@pytest.mark.parametrize(
    ("name", "params", "columns", "never"),
    [
        ("correlation", {"x": "@a", "y": "@b"}, {"a": [1, 2, 3, 4, 5, 6], "b": [3, 1, 4, 1, 5, 2]}, "correlated"),
        ("bland_altman", {"first": "@a", "second": "@b"}, {"a": SCORE, "b": NOISE}, "read higher|read lower"),
        (
            "meta",
            {"study": "@s", "events_1": "@e", "n_1": "@n", "events_2": "@f", "n_2": "@m", "options": {"measure": "RR"}},
            {"s": ["A", "B", "C"], "e": [5, 9, 4], "n": [50, 60, 40], "f": [7, 8, 5], "m": [50, 61, 41]},
            "lower with|higher with",
        ),
    ],
)  # fmt: skip
def test_no_direction_is_told_where_the_interval_holds_none(
    service: Service, name: str, params: dict[str, Any], columns: Columns, never: str
) -> None:
    answer = ask(service, name, params, columns)
    assert not [one for one in never.split("|") if one in answer["sentence"]["plain"]]


def test_medians_of_survival_have_one_precision(service: Service) -> None:
    columns = {"months": [1.5, 2, 3, 4.5, 6, 7.5, 8.5, 10, 12, 15] * 2, "died": [1, 1, 1, 0, 1, 1, 0, 1, 1, 1] * 2}
    told = ask(service, "kaplan_meier", {"time": "@months", "event": "@died", "options": {"at": [6]}}, columns)
    assert "was 7.5 (95% CI 3.0 to 12.0;" in told["sentence"]["plain"]
    assert "at months = 6 was" in told["sentence"]["plain"]
    assert told["tables"][0]["rows"][0]["ci"] == "3.0 to 12.0"


def test_what_separates_or_fits_exactly_is_said_in_words(service: Service) -> None:
    apart = ask(service, "logistic", {"outcome": "@case", "predictors": ["@score"]}, {"case": CASE, "score": APART})
    assert "no odds ratio can be estimated for each unit more of score" in apart["sentence"]["plain"]
    line = {"double": [2 * one for one in SCORE], "score": SCORE}
    exact = ask(service, "linear", {"outcome": "@double", "predictors": ["@score"]}, line)["sentence"]["plain"]
    assert "fit it exactly" in exact
    assert "< 0.001" not in exact
