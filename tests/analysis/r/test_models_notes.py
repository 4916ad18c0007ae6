"""What switches by arithmetic, and what is only told: small counts, separation, few events, related predictors."""

from statistics import correlation
from typing import Any

import pytest

from analysis.r_client.local_service import LocalService
from tests.analysis.r.oracle import ask, at, codes, dataset, run_scripts

pytestmark = pytest.mark.r

TEA: dict[str, Any] = {"counts": [[3, 1], [1, 3]]}
LUNG: dict[str, Any] = {"time": "@time", "event": "@status", "options": {"event_value": "2"}}


def test_small_expected_counts_give_fisher(service: LocalService) -> None:
    answer = ask(service, "chi_square", TEA)
    assert "small_expected_counts" in codes(answer)
    assert answer["auto_test"] == "fisher_exact"
    assert answer["method"] == "Fisher's exact test"
    assert "below 5" in answer["method_reason"]
    assert at(answer, "statistics.p") == pytest.approx(0.48571428571428565)
    assert "χ²" not in answer["sentence"]["plain"]
    told = ask(service, "validate/chi_square", TEA)
    assert told["method"] == answer["method"]
    assert told["warnings"][0]["code"] == "small_expected_counts"


@pytest.mark.parametrize(
    ("differ", "method"), [((10, 14), "McNemar exact test"), ((10, 15), "McNemar test, uncorrected")]
)
def test_few_pairs_that_differ_give_the_exact_test(service: LocalService, differ: tuple[int, int], method: str) -> None:
    answer = ask(service, "mcnemar", {"counts": [[30, differ[0]], [differ[1], 30]]})
    assert answer["method"] == method
    exact = method == "McNemar exact test"
    assert at(answer, "statistics.p") == at(answer, f"statistics.{'p_exact' if exact else 'p_chi_squared'}")


@pytest.mark.long
def test_a_large_table_is_simulated_with_the_seed(service: LocalService) -> None:
    counts = [[(7 * i * j + 3 * i + 5 * j) % 40 for j in range(9)] for i in range(9)]
    counts[0][0] = 4
    first, same = (ask(service, "fisher", {"counts": counts}, seed=7) for _ in range(2))
    assert "simulated_p" in codes(first)
    assert "10,000" in first["method"]
    assert at(first, "statistics.p") == at(same, "statistics.p")
    assert run_scripts([(first, ())])


SEPARATED = {"y": [0, 0, 0, 0, 1, 1, 1, 1], "x": [1, 2, 3, 4, 5, 6, 7, 8]}


def test_separation_is_told_and_no_ratio_printed(service: LocalService) -> None:
    answer = ask(service, "logistic", {"outcome": "@y", "predictors": ["@x"]}, SEPARATED, figures=["svg"])
    assert "separation" in codes(answer)
    assert at(answer, "estimates.or.c2.value") is None
    assert at(answer, "assumptions.separation.status") == "concern"
    assert "cannot be estimated" in answer["sentence"]["plain"]
    assert "e+" not in answer["sentence"]["plain"]
    assert answer["tables"][0]["rows"][0]["ci"] == "not estimable"
    run_scripts([(answer, SEPARATED)])


def test_firth_gives_a_finite_ratio_where_a_cell_is_empty(service: LocalService) -> None:
    # In a 2 x 2 table Firth's estimate is that of the table with a half added to every cell.
    columns = {"y": [1] * 10 + [1] * 4 + [0] * 6, "g": ["a"] * 10 + ["b"] * 10}
    params = {"outcome": "@y", "predictors": ["@g"], "options": {"firth": True}}
    answer = ask(service, "logistic", params, columns)
    assert at(answer, "estimates.or.c2.b.value") == pytest.approx((4.5 * 0.5) / (6.5 * 10.5), rel=1e-7)
    assert 0 < at(answer, "estimates.or.c2.b.low") < at(answer, "estimates.or.c2.b.high") < 1
    assert "separation" not in codes(answer)
    plain = ask(service, "logistic", params | {"options": {}}, columns)
    assert plain["recommendation"]["alternative_analysis"] == "logistic"
    assert "Firth" in plain["recommendation"]["text"]


def test_separation_by_one_level_leaves_the_others(service: LocalService) -> None:
    columns: dict[str, Any] = {
        "y": [0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0],
        "g": ["a"] * 6 + ["b"] * 6 + ["c"] * 6,
        "x": [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3],
    }
    columns["g"] = ("factor", columns["g"], ["b", "c", "a"])
    answer = ask(service, "logistic", {"outcome": "@y", "predictors": ["@g", "@x"]}, columns)
    assert at(answer, "estimates.or.c2.a.value") is None
    assert at(answer, "estimates.or.c2.c.value") is not None
    assert at(answer, "estimates.or.c3.value") is not None
    assert [one["columns"] for one in answer["warnings"] if one["code"] == "separation"] == [["c2"]]


def test_a_strong_predictor_is_no_separation(service: LocalService) -> None:
    columns = {"y": [0] * 40 + [1] + [0] + [1] * 40, "x": [*range(41), *range(41, 82)]}
    answer = ask(service, "logistic", {"outcome": "@y", "predictors": ["@x"]}, columns)
    assert "separation" not in codes(answer)
    assert at(answer, "estimates.or.c2.value") > 1


@pytest.mark.long
def test_a_group_without_events_in_cox(service: LocalService) -> None:
    columns = {
        "t": [5, 8, 9, 12, 14, 20, 3, 4, 6, 7, 11, 13],
        "e": [1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0],
        "g": ["a"] * 6 + ["b"] * 6,
    }
    answer = ask(service, "cox", {"time": "@t", "event": "@e", "predictors": ["@g"]}, columns)
    assert "separation" in codes(answer)
    assert at(answer, "estimates.hr.c3.b.value") is None
    survival = ask(service, "kaplan_meier", {"time": "@t", "event": "@e", "group": "@g"}, columns, figures=["svg"])
    assert {"median_not_reached", "no_events_in_group"} <= set(codes(survival))
    run_scripts([(answer, columns), (survival, columns)])


def test_few_events_related_predictors_and_crossing_hazards_are_told(service: LocalService) -> None:
    columns = dataset("mtcars", "am", "wt", "disp", "qsec")
    few = ask(service, "logistic", {"outcome": "@am", "predictors": ["@qsec", "@disp"]}, columns)
    assert "few_events" in codes(few)
    assert at(few, "assumptions.events.status") == "concern"
    linear = ask(service, "linear", {"outcome": "@qsec", "predictors": ["@wt", "@disp"]}, columns)
    assert at(linear, "assumptions.collinearity.statistic") == pytest.approx(
        1 / (1 - correlation(columns["wt"], columns["disp"]) ** 2)
    )
    lung = dataset("lung", "time", "status", "ph.karno", "age")
    cox = ask(service, "cox", LUNG | {"predictors": ["@ph.karno", "@age"]}, lung)
    assert "non_proportional" in codes(cox)
    assert cox["recommendation"]["alternative_analysis"] == "kaplan_meier"
    assert at(cox, "assumptions.proportional.c3.status") == "concern"


def test_an_exact_fit_is_told(service: LocalService) -> None:
    answer = ask(
        service, "linear", {"outcome": "@y", "predictors": ["@x"]}, {"y": [2, 4, 6, 8, 10], "x": [1, 2, 3, 4, 5]}
    )
    assert "perfect_fit" in codes(answer)
