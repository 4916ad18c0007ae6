"""A p value and the interval beside it are of one method: they never contradict each other."""

import json
import subprocess
from typing import Any

import pytest

from analysis.r_client.local_service import PLUMBER, LocalService
from tests.analysis.r.oracle import PLAIN, ask, at, dataset, run_scripts

pytestmark = pytest.mark.r

RUNS = 60  # of each analysis, each with one to four pairs of p and interval
WITHOUT = {"icc"}  # no p stands beside an interval there


@pytest.mark.long
def test_no_p_value_contradicts_its_interval_in_random_data() -> None:
    command = ["Rscript", "--vanilla", "tests/analysis/r/agreement.R", str(PLUMBER.parent), str(RUNS), "20"]
    ran = subprocess.run(command, env=PLAIN, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]
    found = json.loads(ran.stdout)
    assert not {name: one["first"] for name, one in found.items() if one["wrong"]}
    rare = {name for name, one in found.items() if one["compared"] < RUNS / 2}
    assert rare == WITHOUT


def test_fisher_has_the_interval_of_its_own_p(service: LocalService) -> None:
    """Here the central interval, which R prints, holds 1 although R's p is below 0.05; the matching one does not."""
    answer = ask(service, "fisher", {"counts": [[11, 6], [0, 4]]})
    p = at(answer, "statistics.p")
    odds = at(answer, "estimates.odds_ratio_exact.low"), at(answer, "estimates.odds_ratio_exact.high")
    assert p == pytest.approx(0.03508772, rel=1e-6)
    assert at(answer, "estimates.odds_ratio_conditional.low") < 1 < odds[0]
    assert odds[1] == "Inf"
    assert f"(95% CI {odds[0]:.2f} to infinity)" in answer["sentence"]["plain"]
    run_scripts([(answer, ())])


def test_small_counts_give_the_exact_interval_in_the_chi_square_analysis_too(service: LocalService) -> None:
    answer = ask(service, "chi_square", {"counts": [[3, 9], [10, 4]]})
    exact = ask(service, "fisher", {"counts": [[3, 9], [10, 4]]})
    same = "estimates.odds_ratio_exact.low"
    if answer["method"] == "Fisher's exact test":
        assert at(answer, same) == at(exact, same)
        assert at(answer, "estimates.odds_ratio.low") is None
    few = ask(service, "chi_square", {"counts": [[1, 7], [6, 2]]})
    assert few["method"] == "Fisher's exact test"
    assert at(few, same) == at(ask(service, "fisher", {"counts": [[1, 7], [6, 2]]}), same)
    assert at(few, "estimates.risk_difference.low") is None
    run_scripts([(answer, ()), (few, ())])


@pytest.mark.long
@pytest.mark.parametrize(("side", "word"), [("less", "below"), ("greater", "above")])
@pytest.mark.parametrize("analysis", ["t_test", "fisher", "pearson", "spearman", "kendall"])
def test_one_sided_tests_have_one_sided_intervals(service: LocalService, analysis: str, side: str, word: str) -> None:
    columns: dict[str, Any] = dataset("mtcars", "mpg", "wt", "am")
    options: dict[str, Any] = {"alternative": side}
    if analysis == "t_test":
        params: dict[str, Any] = {"outcome": "@mpg", "group": "@am"}
    elif analysis == "fisher":
        params, columns = {"counts": [[6, 2], [2, 9]]}, {}
    else:
        params, options = {"x": "@mpg", "y": "@wt"}, options | {"method": analysis}
    name = analysis if analysis in ("t_test", "fisher") else "correlation"
    answer = ask(service, name, params | {"options": options}, columns)
    assert f"95% one-sided interval: {word} " in answer["sentence"]["plain"]
    assert answer["estimates"][0]["side"] == side
    open_to = {"less": 0, "greater": 1}[side]
    assert answer["estimates"][0]["ci"][open_to] in ("-Inf", "Inf", -1, 0, 1)
    run_scripts([(answer, columns)])


def test_equal_values_end_the_interval_at_0_and_leave_it_out(service: LocalService) -> None:
    """Whole numbers: the interval of the difference in place ends at 0, which the test rejects."""
    columns = {"y": [1, 1, 1, 1, 1, 1, 2, 2, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3, 1, 1], "g": ["a"] * 10 + ["b"] * 10}
    answer = ask(service, "mann_whitney", {"outcome": "@y", "group": "@g"}, columns)
    p, one = at(answer, "statistics.p"), answer["estimates"][0]
    assert p < 0.05
    assert (one["ci"][1], one["open"]) == (0, "high")
    assert one["ci"][0] == pytest.approx(-1, abs=1e-3)  # R finds it by halving
    assert "95% CI −1.0 to below 0.0;" in answer["sentence"]["plain"]
    run_scripts([(answer, columns)])


def test_welch_has_an_omega_squared_of_its_own_f(service: LocalService) -> None:
    columns = dataset("ToothGrowth", "len", "dose")
    for equal in (False, True):
        params = {"outcome": "@len", "group": "@dose", "options": {"var_equal": equal}}
        answer = ask(service, "anova", params, columns)
        f = at(answer, "statistics.F")
        assert at(answer, "effect_sizes.omega_squared.value") == pytest.approx(2 * (f - 1) / (2 * (f - 1) + 60))
        assert at(answer, "effect_sizes.omega_squared.side") == "least"
        assert ("Welch" in at(answer, "effect_sizes.omega_squared.method")) is not equal
        assert f"ω² = {at(answer, 'effect_sizes.omega_squared.value'):.2f}" in answer["sentence"]["plain"]
        assert "η²" not in answer["sentence"]["plain"]


def test_the_hazard_ratio_beside_the_log_rank_test_is_its_own(service: LocalService) -> None:
    params = {"time": "@futime", "event": "@fustat", "group": "@rx"}
    answer = ask(service, "kaplan_meier", params, dataset("ovarian", "futime", "fustat", "rx"))
    # survdiff(): 7 of 5.23 expected events in group 1, 5 of 6.77 in group 2; chi-square 1.06.
    ratio = at(answer, "estimates.hr_log_rank.value")
    assert ratio == pytest.approx(0.548, abs=0.001)
    assert "hr" not in [one["id"] for one in answer["estimates"]]


def test_one_p_for_the_one_term_of_a_model(service: LocalService) -> None:
    columns = dataset("mtcars", "am", "wt")
    answer = ask(service, "logistic", {"outcome": "@am", "predictors": ["@wt"]}, columns)
    assert at(answer, "statistics.p") == at(answer, "estimates.c2.p") != at(answer, "statistics.lr_p")
    assert "likelihood ratio" not in answer["sentence"]["plain"]
    run_scripts([(answer, columns)])


def test_what_runs_off_to_infinity_has_neither_interval_nor_p(service: LocalService) -> None:
    columns = {"y": [0, 0, 0, 0, 1, 1, 1, 1], "x": [1, 2, 3, 4, 5, 6, 7, 8]}
    term = ask(service, "logistic", {"outcome": "@y", "predictors": ["@x"]}, columns)["estimates"][1]
    assert (term["id"], term["ci"], term["p"]) == ("c2", [None, None], None)


def test_an_end_beside_the_null_value_is_told_from_it(service: LocalService) -> None:
    """p is below 0.05 and the interval ends at 0.9976: "1.00" would hold the null value."""
    answer = ask(service, "chi_square", {"counts": [[117, 33], [130, 20]]})
    assert at(answer, "statistics.p") < 0.05
    assert "(95% CI 0.298 to 0.998)" in answer["sentence"]["plain"]


@pytest.mark.long
def test_large_counts_are_as_exact_and_in_time(service: LocalService) -> None:
    answer = ask(service, "fisher", {"counts": [[90000, 100000], [100100, 95000]]})
    assert at(answer, "estimates.odds_ratio_exact.high") < 1
    assert at(answer, "estimates.odds_ratio_exact.low") == pytest.approx(
        at(answer, "estimates.odds_ratio_conditional.low"), rel=1e-3
    )
