"""Comparisons of groups give the numbers that are known of them, and their scripts give these again."""

from statistics import NormalDist
from typing import Any

import pytest

from analysis.r_client.local_service import LocalService
from tests.analysis.r.oracle import Columns, Oracle, ask, at, check_oracle, dataset, run_scripts

pytestmark = pytest.mark.r

T = {"t": "statistics.t", "df": "statistics.df", "p": "statistics.p"}


def known(values: dict[str, float], paths: dict[str, str]) -> dict[str, tuple[float | str | None, str]]:
    """Expected values with their paths; a name without a path of its own is a statistic."""
    return {name: (value, paths.get(name, f"statistics.{name}")) for name, value in values.items()}


def long(*groups: list[float]) -> Columns:
    """Groups of values as two columns, groups called a, b, c."""
    return {
        "value": [value for group in groups for value in group],
        "group": ("factor", ["abc"[place] for place, group in enumerate(groups) for _ in group]),
    }


DIFFERENCE = {
    "ci_low": "estimates.mean_difference.low",
    "ci_high": "estimates.mean_difference.high",
    "mean_x": "estimates.mean_1.value",
    "mean_y": "estimates.mean_2.value",
    "mean_difference": "estimates.mean_difference.value",
    "cohens_d_pooled": "effect_sizes.cohens_d.value",
    "hedges_g": "effect_sizes.hedges_g.value",
}
MPG = {
    "mean_x": 17.147368421052633,
    "mean_y": 24.39230769230769,
    "mean_difference": -7.244939271255056,
    "cohens_d_pooled": -1.477947095801588,
    "hedges_g": -1.4406879253191949,
}
TABLE_1: dict[str, dict[str, tuple[float | None, float | None]]] = {
    "mpg": {"median": (17.3, 22.8), "q1": (14.95, 21.0), "q3": (19.2, 30.4)},
    "disp": {"median": (275.8, 120.3), "q1": (196.3, None), "q3": (360.0, None)},
    "wt": {"median": (3.52, 2.32), "q1": (None, 1.935), "q3": (None, 2.78)},
    "cyl": {
        "level_1.n": (3, 8), "level_2.n": (4, None), "level_3.n": (12, None),
        "level_1.percent": (15.789473684210526, 61.53846153846154),
        "level_3.percent": (63.1578947368421, 15.384615384615385),
    },
}  # fmt: skip
MTCARS_NAMES = ["mpg", "cyl", "disp", "hp", "drat", "wt", "qsec", "vs", "gear", "carb"]


def mtcars() -> Columns:
    """mtcars with its categories as factors."""
    factors = {"cyl", "vs", "am", "gear", "carb"}
    return {name: ("factor" if name in factors else "numeric", values) for name, values in dataset("mtcars").items()}


def pairs_of_sleep() -> dict[str, list[float]]:
    extra = dataset("sleep", "extra")["extra"]
    return {"first": extra[:10], "second": extra[10:]}


def gain() -> Columns:
    pairs = pairs_of_sleep()
    return {"gain": [round(b - a, 10) for a, b in zip(pairs["first"], pairs["second"], strict=True)]}


CHORIOAMNION = long(
    [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46],
    [1.15, 0.88, 0.90, 0.74, 1.21],
)
DEPRESSION = {
    "before": [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30],
    "after": [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29],
}
# Hollander and Wolfe 1973, p. 140: seconds to run to first base by three ways of rounding it.
ROUNDING_TIMES = {
    "round out": [
        5.40, 5.85, 5.20, 5.55, 5.90, 5.45, 5.40, 5.45, 5.25, 5.85, 5.25,
        5.65, 5.60, 5.05, 5.50, 5.45, 5.55, 5.45, 5.50, 5.65, 5.70, 6.30,
    ],
    "narrow angle": [
        5.50, 5.70, 5.60, 5.50, 5.85, 5.55, 5.40, 5.50, 5.15, 5.80, 5.20,
        5.55, 5.35, 5.00, 5.50, 5.55, 5.55, 5.50, 5.45, 5.60, 5.65, 6.30,
    ],
    "wide angle": [
        5.55, 5.75, 5.50, 5.40, 5.70, 5.60, 5.35, 5.35, 5.00, 5.70, 5.10,
        5.45, 5.45, 4.95, 5.40, 5.50, 5.35, 5.55, 5.25, 5.40, 5.55, 6.25,
    ],
}  # fmt: skip

BY_AM = {"outcome": "@mpg", "group": "@am"}
BY_GROUP = {"outcome": "@value", "group": "@group"}
CHI = {"chi_squared": "statistics.chi_squared", "df": "statistics.df", "p": "statistics.p"}


def oracles() -> list[Oracle]:
    anova = {
        "F_welch": 68.40097677718389, "df2_welch": 37.74324754302679, "p_welch": 2.812384543614971e-13,
        "eta_squared": 0.7028641947939043, "levene_mean_F": 0.7327658667070045, "levene_mean_p": 0.48504957289742495,
        "levene_median_F": 0.6457341109631506, "levene_median_p": 0.5280694573759913,
        "shapiro_residuals_W": 0.967308970915159, "shapiro_residuals_p": 0.10762998630096482,
        "gh_05_1_diff": -9.129999999999999, "gh_05_1_t": -6.476647726589098, "gh_05_1_df": 37.98640814561006,
        "gh_05_1_p": 3.762533272722024e-07, "gh_1_2_diff": -6.365000000000002, "gh_1_2_t": -4.900484317193553,
        "gh_1_2_p": 5.56863467304769e-05,
    }  # fmt: skip
    anova_paths = {"eta_squared": "effect_sizes.eta_squared.value"} | {
        f"gh_{pair}_{name}": f"estimates.difference_{place}.{'value' if name == 'diff' else name}"
        for pair, place in (("05_1", "1_2"), ("1_2", "2_3"))
        for name in ("diff", "t", "df", "p")
    }
    fisher = {"F": 67.4157378567425, "df1": 2.0, "df2": 57.0, "p": 9.532727011699893e-16}
    dose = {"outcome": "@len", "group": "@dose"}
    table1: dict[str, tuple[float | str | None, str]] = {
        f"{column}_{what}_am{group}": (value, f"estimates.@{column}.{what}.{group + 1}.value")
        for column, rows in TABLE_1.items()
        for what, values in rows.items()
        for group, value in enumerate(values)
        if value is not None
    }
    tests = {
        "mpg": 0.0018713913331785542,
        "cyl": 0.00910470168141751,
        "hp": 0.04570131606633587,
        "qsec": 0.2657440649313052,
    }
    table1 |= {f"{column}_p": (value, f"statistics.@{column}.p") for column, value in tests.items()}
    table1 |= {"n_am0": (19, "n.by_group.0"), "n_am1": (13, "n.by_group.1")}
    return [
        Oracle(
            "table1_mtcars_by_am",
            "table1",
            mtcars(),
            {
                "columns": [f"@{name}" for name in MTCARS_NAMES],
                "group": "@am",
                "options": {"p_values": True, "smd": True},
            },
            table1,
            p_tolerance=1e-4,
        ),
        Oracle(
            "descriptive_sleep_prolongation",
            "descriptive",
            gain(),
            {"columns": ["@gain"]},
            {
                name: (value, f"estimates.c1.{name}.value")
                for name, value in {
                    "min": 0.0,
                    "q1": 1.05,
                    "median": 1.3,
                    "mean": 1.58,
                    "q3": 1.7,
                    "max": 4.6,
                    "n": 10,
                }.items()
            },
        ),
        Oracle(
            "ttest_welch_mtcars",
            "t_test",
            "mtcars",
            BY_AM,
            known(
                {
                    "t": -3.767123145144923,
                    "df": 18.332251638400464,
                    "p": 0.0013736383330710362,
                    "ci_low": -11.280194355040159,
                    "ci_high": -3.2096841874699544,
                    **MPG,
                },
                T | DIFFERENCE,
            ),
        ),
        Oracle(
            "ttest_student_mtcars",
            "t_test",
            "mtcars",
            BY_AM | {"options": {"var_equal": True}},
            known(
                {
                    "t": -4.106126983100689,
                    "df": 30.0,
                    "p": 0.0002850207439350685,
                    "ci_low": -10.848368970861241,
                    "ci_high": -3.6415095716488715,
                    **MPG,
                },
                T | DIFFERENCE,
            ),
        ),
        Oracle(
            "ttest_onesample_sleep",
            "one_sample_t",
            "sleep",
            {"outcome": "@extra"},
            known(
                {
                    "t": 3.412964995270109,
                    "df": 19.0,
                    "p": 0.0029176204041541204,
                    "ci_low": 0.5955844996196042,
                    "ci_high": 2.484415500380396,
                    "mean": 1.54,
                },
                {"ci_low": "estimates.mean.low", "ci_high": "estimates.mean.high", "mean": "estimates.mean.value"},
            ),
        ),
        # The paired test of the same data: R's own example, t.test(extra ~ group, data = sleep, paired = TRUE).
        Oracle(
            "ttest_paired_sleep",
            "paired_t",
            pairs_of_sleep(),
            {"first": "@first", "second": "@second"},
            known(
                {
                    "t": -4.062127683382037,
                    "df": 9,
                    "p": 0.002832890197384256,
                    "ci_low": -2.459885763,
                    "ci_high": -0.700114237,
                },
                T | DIFFERENCE,
            ),
            tolerance=1e-8,
        ),
        Oracle(
            "mannwhitney_exact_chorioamnion",
            "mann_whitney",
            CHORIOAMNION,
            BY_GROUP,
            known(
                {
                    "W": 35.0,
                    "p_greater_exact": 0.1272061272061272,
                    "p_two_sided_exact": 0.2544122544122544,
                    "p_greater_asymptotic": 0.11033568095992347,
                    "rank_biserial": 0.4,
                },
                {
                    "p_greater_exact": "statistics.p_greater",
                    "p_two_sided_exact": "statistics.p",
                    "rank_biserial": "effect_sizes.rank_biserial.value",
                },
            ),
        ),
        Oracle(
            "wilcoxon_signed_rank_depression",
            "wilcoxon",
            DEPRESSION,
            {"first": "@before", "second": "@after"},
            known({"V": 40.0, "p_greater": 0.01953125, "p_two_sided": 0.0390625}, {"p_two_sided": "statistics.p"}),
        ),
        Oracle(
            "anova_toothgrowth_dose",
            "anova",
            "ToothGrowth",
            dose,
            known(anova, anova_paths),
            tolerance=1e-5,
            p_tolerance=1e-4,
        ),
        Oracle(
            "anova_toothgrowth_dose_fisher",
            "anova",
            "ToothGrowth",
            dose | {"options": {"var_equal": True}},
            known(fisher, {}),
            tolerance=1e-5,
            p_tolerance=1e-4,
        ),
        Oracle(
            "kruskal_airquality",
            "kruskal",
            "airquality",
            {"outcome": "@Ozone", "group": "@Month"},
            known({"chi_squared": 29.26657630611694, "df": 4, "p": 6.900714118546782e-06}, CHI),
        ),
        Oracle(
            "kruskal_mucociliary",
            "kruskal",
            long([2.9, 3.0, 2.5, 2.6, 3.2], [3.8, 2.7, 4.0, 2.4], [2.8, 3.4, 3.7, 2.2, 2.0]),
            BY_GROUP,
            known({"chi_squared": 0.7714285714285722, "df": 2, "p": 0.6799647735788936}, CHI),
        ),
        Oracle(
            "kruskal_epsilon_jmv",
            "kruskal",
            long([0, 4, 19, 5, 9, 15], [1, 4, 19, 10, 13, 7], [5, 12, 2, 23, 6, 13]),
            BY_GROUP,
            known(
                {
                    "chi_squared": 0.16735751295336548,
                    "df": 2,
                    "p": 0.9197266648778193,
                    "epsilon_squared": 0.009844559585492088,
                },
                {"epsilon_squared": "effect_sizes.epsilon_squared.value"},
            ),
        ),
        Oracle(
            "friedman_rounding_times",
            "friedman",
            ROUNDING_TIMES,
            {"columns": [f"@{name}" for name in ROUNDING_TIMES]},
            known({"chi_squared": 11.142857142857132, "df": 2, "p": 0.003805040775511383}, CHI),
        ),
    ]


NAMES = [
    "table1_mtcars_by_am", "descriptive_sleep_prolongation", "ttest_welch_mtcars", "ttest_student_mtcars",
    "ttest_onesample_sleep", "ttest_paired_sleep", "mannwhitney_exact_chorioamnion", "wilcoxon_signed_rank_depression",
    "anova_toothgrowth_dose", "anova_toothgrowth_dose_fisher", "kruskal_airquality", "kruskal_mucociliary",
    "kruskal_epsilon_jmv", "friedman_rounding_times",
]  # fmt: skip


@pytest.fixture(scope="module")
def known_oracles(service: LocalService) -> dict[str, Oracle]:
    """Made once R is known to be there: some of the data comes from R itself."""
    return {oracle.id: oracle for oracle in oracles()}


@pytest.fixture(scope="module")
def answers() -> dict[str, dict[str, Any]]:
    """What was answered so far, by the oracle's id: asked once for its numbers and its script."""
    return {}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", NAMES)
def test_known_numbers(
    service: LocalService, known_oracles: dict[str, Oracle], answers: dict[str, dict[str, Any]], name: str
) -> None:
    answers[name] = check_oracle(service, known_oracles[name])


@pytest.mark.long
def test_scripts_give_the_same_numbers(
    service: LocalService, known_oracles: dict[str, Oracle], answers: dict[str, dict[str, Any]]
) -> None:
    assert sorted(known_oracles) == sorted(NAMES)
    results = [
        (answers.get(oracle.id) or ask(service, oracle.analysis, oracle.params, oracle.sent()), oracle.sent())
        for oracle in known_oracles.values()
    ]
    assert run_scripts(results) > 600


def test_tukey_is_the_tukey_of_r(service: LocalService) -> None:
    """TukeyHSD(aov(len ~ factor(dose), ToothGrowth)) as R prints it."""
    columns = dataset("ToothGrowth", "len", "dose")
    options = {"post_hoc": "tukey", "var_equal": True}
    found = ask(service, "anova", {"outcome": "@len", "group": "@dose", "options": options}, columns)
    assert at(found, "estimates.difference_1_2.value") == pytest.approx(-9.13)
    assert at(found, "estimates.difference_1_2.low") == pytest.approx(-12.358195, abs=1e-6)
    assert at(found, "estimates.difference_2_3.p") == pytest.approx(4.25e-05, rel=0.01)
    assert "Fisher's one-way ANOVA" in found["method"]
    run_scripts([(found, columns)])


def test_dunn_is_the_dunn_of_its_package(service: LocalService) -> None:
    """dunn.test(airquality$Ozone, airquality$Month) as that package prints its z, months in order."""
    printed = {
        "1_2": -0.925158, "1_3": -4.419470, "2_3": -2.244208, "1_4": -4.132813, "2_4": -2.038635, "3_4": 0.286657,
        "1_5": -1.321202, "2_5": 0.002538, "3_5": 3.217199, "4_5": 2.922827,
    }  # fmt: skip
    found = ask(service, "kruskal", {"outcome": "@Ozone", "group": "@Month"}, dataset("airquality", "Ozone", "Month"))
    for pair, z in printed.items():
        assert at(found, f"estimates.difference_{pair}.z") == pytest.approx(z, abs=1e-6)
    smallest = 2 * (1 - NormalDist().cdf(4.419470))
    assert at(found, "estimates.difference_1_3.p") == pytest.approx(10 * smallest, rel=1e-4)  # Holm: times all ten


@pytest.mark.long
def test_shapiro_is_not_run_on_more_than_5000_values(service: LocalService) -> None:
    values: list[Any] = [(7 * place) % 5003 for place in range(5001)]
    found = ask(service, "normality", {"columns": ["@x"]}, {"x": values}, figures=["svg", "png"])
    assert [warning["code"] for warning in found["warnings"]] == ["shapiro_not_run"]
    assert found["assumptions"][0]["status"] == "not_run"
    assert "p" not in found["statistics"]
    assert {one["id"] for one in found["figures"]} == {"qq_c1", "histogram_c1"}
    assert max(len(one["base64"]) for one in found["figures"]) < 600_000
    assert "normality was not tested" in found["sentence"]["plain"]
