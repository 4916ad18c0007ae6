"""Skew that mean and SD give away: told where means are described or compared, without choosing anything."""

from typing import Any

import pytest

from analysis.r_client.local_service import LocalService
from tests.analysis.r.oracle import ask

pytestmark = pytest.mark.r

STAY = [1, 1, 2, 2, 3, 3, 4, 5, 9, 38]  # days: mean 6.8, SD 11.2
SCORE = [-4.0, 1.0, 0.5, -2.0, 3.0, 9.0, -5.0, 2.5, 0.0, 1.5]  # may be negative: no sign of skew
TALL = [171.0, 165.0, 180.0, 158.0, 169.0, 175.0, 162.0, 177.0, 166.0, 173.0]
COLUMNS: dict[str, Any] = {"stay": STAY, "score": SCORE, "tall": TALL, "g": ["a", "b"] * 5}


def test_descriptive_statistics_advise_the_median(service: LocalService) -> None:
    advice = ask(service, "descriptive", {"columns": ["@stay", "@score", "@tall"]}, COLUMNS)["recommendation"]
    assert advice["text"].startswith("stay: the SD is more than half the mean")
    assert "median" in advice["text"]
    assert ask(service, "descriptive", {"columns": ["@score", "@tall"]}, COLUMNS)["recommendation"] is None


def test_table_1_warns_of_the_mean_of_a_skewed_column(service: LocalService) -> None:
    params = {"columns": ["@stay", "@score", "@tall"], "group": "@g"}
    assert ask(service, "table1", params, COLUMNS)["warnings"] == []  # medians are shown
    params["options"] = {"parametric": ["@stay", "@score", "@tall"]}  # type: ignore[assignment]
    (warning,) = ask(service, "table1", params, COLUMNS)["warnings"]
    assert (warning["code"], warning["columns"]) == ("mean_of_skewed", ["c1"])


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("analysis", "params"),
    [("t_test", {"group": "@g"}), ("anova", {"group": "@g"}), ("one_sample_t", {})],
)
def test_a_comparison_of_means_tells_of_it(service: LocalService, analysis: str, params: dict[str, Any]) -> None:
    stay = ask(service, analysis, {"outcome": "@stay", **params}, COLUMNS)
    assert "SD against mean" in [one["test"] for one in stay["assumptions"] if one["status"] == "concern"]
    for name in ("@score", "@tall"):
        other = ask(service, analysis, {"outcome": name, **params}, COLUMNS)
        assert "skew" not in [one["id"] for one in other["assumptions"]]


def test_the_check_of_normality_tells_of_it(service: LocalService) -> None:
    (check,) = ask(service, "normality", {"columns": ["@stay"]}, COLUMNS)["assumptions"]
    assert check["status"] == "concern"
    assert "larger than its mean" in check["text"]
    (fine,) = ask(service, "normality", {"columns": ["@tall"]}, COLUMNS)["assumptions"]
    assert fine["status"] == "ok"


def test_few_values_that_are_skewed_by_it_are_compared_by_ranks_on_advice(service: LocalService) -> None:
    """Shapiro-Wilk misses it in small groups."""
    columns = {"y": [0.1, 0.2, 0.4, 6.0, 2.0, 2.2, 2.4, 2.6], "g": ["a"] * 4 + ["b"] * 4}
    answer = ask(service, "t_test", {"outcome": "@y", "group": "@g"}, columns)
    assert answer["method"] == "Welch two-sample t-test"
    assert answer["recommendation"]["alternative_analysis"] == "mann_whitney"
