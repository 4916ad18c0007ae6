"""Tables of counts, correlation, regression and survival: known numbers, and each script's numbers again in plain R."""

from typing import Any

import pytest

from analysis.r_client.local_service import LocalService
from tests.analysis.r.oracle import Columns, Oracle, ask, check_oracle, dataset, run_scripts

pytestmark = pytest.mark.r

PARTY: dict[str, Any] = {"counts": [[762, 327, 468], [484, 239, 477]]}
TEA: dict[str, Any] = {"counts": [[3, 1], [1, 3]]}
CONVICTIONS: dict[str, Any] = {"counts": [[2, 15], [10, 3]]}
INFERT: dict[str, Any] = {
    "outcome": "@case",
    "predictors": ["@age", "@parity", "@education", "@spontaneous", "@induced"],
}
# R's own order of the levels, where "0-5yrs" is the reference.
EDUCATION = ["0-5yrs", "6-11yrs", "12+ yrs"]
LUNG: dict[str, Any] = {"time": "@time", "event": "@status", "options": {"event_value": "2"}}


def terms(statistic: str, rows: dict[str, tuple[float, float, float, float]]) -> dict[str, tuple[float, str]]:
    """Estimate, standard error, test statistic and p of each term: where they stand in a result."""
    parts = ("value", "se", statistic, "p")
    return {
        f"{'p' if part == 'p' else part}_{term}": (value, f"estimates.{term}.{part}")
        for term, values in rows.items()
        for part, value in zip(parts, values, strict=True)
    }


def intervals(rows: dict[str, tuple[float, ...]], prefix: str = "") -> dict[str, tuple[float, str]]:
    """Ends of intervals (low, high), or ratio, low and high."""
    return {
        f"{prefix}{term}.{part}": (value, f"estimates.{prefix}{term}.{part}")
        for term, values in rows.items()
        for part, value in zip(("value", "low", "high")[-len(values) :], values, strict=True)
    }


def statistics(**values: float) -> dict[str, tuple[float, str]]:
    return {name: (value, f"statistics.{name}") for name, value in values.items()}


ORACLES = [
    Oracle(
        "chi-square",
        "chi_square",
        (),
        PARTY,
        statistics(
            chi_squared=30.070149095754672,
            df=2,
            p=2.9535891832117595e-07,
            expected_min=246.35473340587595,
            expected_11=703.6713819368879,
        )
        | {"cramers_v": (0.10443580235646777, "effect_sizes.cramers_v.value")},
    ),
    Oracle(
        "goodness of fit",
        "chi_square_gof",
        (),
        {"counts": [20, 15, 25]},
        statistics(chi_squared=2.5, df=2, p=0.2865047968601901),
    ),
    Oracle(
        "fisher, tea",
        "fisher",
        (),
        TEA | {"options": {"alternative": "greater"}},
        statistics(p=0.24285714285714283, p_greater=0.24285714285714283, p_two_sided=0.48571428571428565)
        | {
            "conditional": (6.408319658199662, "estimates.odds_ratio_conditional.value"),
            "sample": (9.0, "estimates.odds_ratio_sample.value"),
        },
        tolerance=1e-4,
        p_tolerance=1e-6,
    ),
    Oracle(
        "fisher, convictions",
        "fisher",
        (),
        CONVICTIONS,
        statistics(p_two_sided=0.0005367241191434358, p_less=0.00046518094336290503)
        | intervals({"odds_ratio_conditional": (0.04693663904968004, 0.003317163950657366, 0.36318960235667996)}),
        p_tolerance=1e-6,
        absolute=1.5e-4,
    ),
    Oracle(
        "linear, one predictor",
        "linear",
        "mtcars",
        {"outcome": "@mpg", "predictors": ["@wt"]},
        terms(
            "t",
            {
                "intercept": (37.28512616734205, 1.8776273372558947, 19.857575264020884, 8.2417988453264055e-19),
                "@wt": (-5.344471572722678, 0.5591010450993231, -9.559044146972116, 1.2939587013504995e-10),
            },
        )
        | intervals(
            {
                "intercept": (33.4504995732661, 41.119752761418),
                "@wt": (-6.486308237418261, -4.202634908027094),
            }
        )
        | statistics(
            r_squared=0.7528327936582646,
            adj_r_squared=0.7445938867802067,
            f=91.37532500376186,
            p=1.2939587013504997e-10,
            sigma=3.0458821247893755,
            df_residual=30,
        ),
        absolute=0,
    ),
    Oracle(
        "linear, two predictors",
        "linear",
        "mtcars",
        {"outcome": "@mpg", "predictors": ["@wt", "@hp"]},
        terms(
            "t",
            {
                "intercept": (37.22727011644705, 1.5987875379993737, 23.284688697931067, 2.5654585119831155e-20),
                "@wt": (-3.8778307424046674, 0.6327334943773935, -6.1286952198104085, 1.1196471362000551e-06),
                "@hp": (-0.03177294698216253, 0.009029709675855783, -3.5187119102089266, 0.0014512285315688661),
            },
        )
        | intervals(
            {
                "intercept": (33.957382452258365, 40.49715778063574),
                "@wt": (-5.1719160406755185, -2.5837454441338163),
                "@hp": (-0.050240776871075254, -0.013305117093249798),
            }
        )
        | statistics(
            r_squared=0.8267854518827914,
            adj_r_squared=0.8148396209781563,
            f=69.21121339177772,
            p=9.109054385221977e-12,
            sigma=2.5934117772265655,
            df_residual=29,
        ),
        absolute=0,
    ),
    Oracle(
        "logistic",
        "logistic",
        "infert",
        INFERT,
        terms(
            "z",
            {
                "intercept": (-1.149236535590606, 1.4122093421725266, -0.8137862434917997, 0.4157674171796817),
                "@education.6-11yrs": (
                    -1.0442435837274588,
                    0.7925590700032582,
                    -1.3175593129268788,
                    0.18765121340211255,
                ),
                "@education.12+ yrs": (
                    -1.4032050894762926,
                    0.834166208077618,
                    -1.6821648682102048,
                    0.09253687450288386,
                ),
                "@age": (0.03958200169770798, 0.031202809069310004, 1.2685396885192448, 0.20460528678111156),
                "@parity": (-0.8282773822931132, 0.1964938942629265, -4.215283051924268, 2.4946510555122442e-05),
                "@spontaneous": (2.0459050216801455, 0.31016332487542214, 6.596218371407671, 4.2177755094563875e-11),
                "@induced": (1.2887573809389625, 0.30146618714564455, 4.2749649409813815, 1.9116737425994798e-05),
            },
        )
        | intervals(
            {
                "intercept": (0.31687860258695666, 0.0198983993555783, 5.046237487906933),
                "@education.6-11yrs": (0.3519579454315137, 0.07444975456091944, 1.663865731766928),
                "@education.12+ yrs": (0.24580786385129805, 0.047923906154151284, 1.2607800736606778),
                "@age": (1.040375807969673, 0.9786566819895689, 1.105987259605802),
                "@parity": (0.4368010798837728, 0.2971856241619736, 0.6420067724529027),
                "@spontaneous": (7.736156760249775, 4.212246330553778, 14.20812476826116),
                "@induced": (3.6282751894693184, 2.009517234891809, 6.551016643172698),
            },
            "or.",
        )
        | statistics(
            null_deviance=316.1711108387898,
            residual_deviance=257.79769020552897,
            aic=271.79769020552897,
            mcfadden_r2=0.1846260415077089,
        )
        | {"n": (248, "n.used")},
        absolute=0,
    ),
    Oracle(
        "cox, two predictors",
        "cox",
        "lung",
        LUNG | {"predictors": ["@age", "@sex"]},
        terms(
            "z",
            {
                "@age": (0.01704533185016502, 0.009223273477257161, 1.8480783305618733, 0.06459101206334557),
                "@sex": (-0.5132185198361836, 0.1674579624362417, -3.0647603277245627, 0.002178444938798774),
            },
        )
        | intervals(
            {
                "@age": (1.017191432449709, 0.9989685802945156, 1.0357466998051608),
                "@sex": (0.5985659787740236, 0.4310935775602922, 0.8310985122379749),
            },
            "hr.",
        )
        | statistics(
            events=165, lr_chi_squared=14.123111213148604, p=0.0008574432116705193, concordance=0.6028530028979714
        )
        | {"n": (228, "n.used")},
        tolerance=1e-4,
        p_tolerance=1e-3,
    ),
    Oracle(
        "cox, one row missing",
        "cox",
        "lung",
        LUNG | {"predictors": ["@age", "@sex", "@ph.ecog"]},
        terms(
            "z",
            {
                "@age": (0.011066764596118479, 0.00926741101436564, 1.1941592510533543, 0.23241567951198328),
                "@sex": (-0.5526123955318382, 0.16773905378342233, -3.294476647312845, 0.0009860513754670081),
                "@ph.ecog": (0.46372847511573223, 0.1135772661613712, 4.082933942580237, 4.447066694355268e-05),
            },
        )
        | intervals(
            {
                "@age": (1.0111282277589624, 0.9929280972043458, 1.029661962280611),
                "@sex": (0.5754445562893491, 0.4142130186234497, 0.7994351275184651),
                "@ph.ecog": (1.589991189649321, 1.2726751774517124, 1.9864235807792225),
            },
            "hr.",
        )
        | statistics(
            events=164, lr_chi_squared=30.50066877298923, p=1.082817699286509e-06, concordance=0.6371354930004548
        )
        | {"n": (227, "n.used"), "missing": (1, "n.missing")},
        tolerance=1e-4,
        p_tolerance=1e-3,
    ),
    Oracle(
        "log-rank, ovarian",
        "kaplan_meier",
        "ovarian",
        {"time": "@futime", "event": "@fustat", "group": "@rx"},
        statistics(chi_squared=1.0627398612914138, df=1, p=0.30259111698909225),
    ),
    Oracle(
        "kaplan-meier, aml",
        "kaplan_meier",
        "aml",
        {"time": "@time", "event": "@status", "group": "@x", "options": {"at": [23, 31]}},
        statistics(chi_squared=3.3963886989776024, df=1, p=0.0653393220405049)
        | {
            "median_maintained": (31, "estimates.median.Maintained.value"),
            "median_nonmaintained": (23, "estimates.median.Nonmaintained.value"),
            "s_maintained_31": (0.490909090909091, "estimates.survival.Maintained.31.value"),
            "s_nonmaintained_23": (0.48611111111111105, "estimates.survival.Nonmaintained.23.value"),
            "events_maintained": (7, "estimates.events.Maintained.value"),
            "events_nonmaintained": (11, "estimates.events.Nonmaintained.value"),
        },
    ),
    # The numbers of R's own help pages: ?mcnemar.test (approval ratings), ?cor.test (tuna).
    Oracle(
        "mcnemar, approval",
        "mcnemar",
        (),
        {"counts": [[794, 86], [150, 570]]},
        {
            "corrected": (16.817796610169491, "statistics.chi_squared_corrected"),
            "p_corrected": (4.1145622813e-05, "statistics.p_corrected"),
            "chi_squared": (64**2 / 236, "statistics.chi_squared"),
            "odds": (86 / 150, "estimates.odds_ratio.value"),
        },
        p_tolerance=1e-6,
    ),
    Oracle(
        "kendall, tuna",
        "correlation",
        {
            "x": [44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1],
            "y": [2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8],
        },
        {"x": "@x", "y": "@y", "options": {"method": "kendall", "alternative": "greater"}},
        {
            "t": (26, "statistics.t_or_z"),
            "p": (0.05971947, "statistics.p"),
            "tau": (0.4444444444, "estimates.tau.value"),
        },
    ),
]


@pytest.mark.sample(2)
@pytest.mark.parametrize("oracle", ORACLES, ids=str)
def test_known_numbers(service: LocalService, oracle: Oracle) -> None:
    check_oracle(service, oracle)


def test_infert_keeps_the_order_of_its_levels(service: LocalService) -> None:
    columns: dict[str, Any] = dict(dataset("infert", "case", "education"))
    columns["education"] = ("factor", columns["education"], ["12+ yrs", "6-11yrs", "0-5yrs"])
    answer = ask(service, "logistic", {"outcome": "@case", "predictors": ["@education"]}, columns)
    assert [one["id"] for one in answer["estimates"]][:3] == ["intercept", "c2.6-11yrs", "c2.0-5yrs"]
    reference = answer["tables"][0]["rows"][1]
    assert (reference["term"], reference["ci"]) == ("12+ yrs", "Reference")


# --- the scripts -------------------------------------------------------------------------------------------------


def survival(name: str, *columns: str) -> Columns:
    return dataset(name, *columns)


def scripted() -> list[tuple[str, dict[str, Any], Columns]]:
    """A function, since R is asked for its data sets."""
    return [
        ("chi_square", PARTY, ()),
        ("chi_square", TEA, ()),
        ("chi_square", {"row": "@education", "column": "@case"}, dataset("infert", "education", "case")),
        ("chi_square", {"row": "@am", "column": "@vs"}, dataset("mtcars", "am", "vs")),
        ("chi_square", {"row": "@cyl", "column": "@gear"}, dataset("mtcars", "cyl", "gear")),
        ("chi_square", {"counts": [[90000, 10], [20, 90000]]}, ()),
        ("chi_square_gof", {"counts": [20, 15, 25]}, ()),
        ("chi_square_gof", {"counts": [2, 3, 1], "options": {"expected": [1, 2, 1]}}, ()),
        ("chi_square_gof", {"column": "@cyl"}, dataset("mtcars", "cyl")),
        ("fisher", TEA | {"options": {"alternative": "greater"}}, ()),
        ("fisher", CONVICTIONS | {"options": {"alternative": "less", "conf_level": 0.9}}, ()),
        ("fisher", {"counts": [[0, 5], [4, 3]]}, ()),
        ("fisher", {"row": "@cyl", "column": "@gear"}, dataset("mtcars", "cyl", "gear")),
        ("mcnemar", {"counts": [[794, 86], [150, 570]]}, ()),
        ("mcnemar", {"counts": [[20, 5], [9, 11]]}, ()),
        ("mcnemar", {"counts": [[20, 0], [0, 11]]}, ()),
        ("mcnemar", {"counts": [[20, 5, 1], [9, 11, 2], [3, 3, 3]]}, ()),
        ("mcnemar", {"row": "@am", "column": "@vs"}, dataset("mtcars", "am", "vs")),
        *[
            ("correlation", {"x": "@Ozone", "y": "@Temp", "options": {"method": method}},
             dataset("airquality", "Ozone", "Temp"))
            for method in ("pearson", "spearman", "kendall")
        ],
        ("correlation", {"x": "@x", "y": "@y", "options": {"alternative": "less"}},
         {"x": [1, 2, 3, 4], "y": [4, 2, 3, 1]}),
        ("linear", {"outcome": "@mpg", "predictors": ["@wt", "@cyl", "@am"]}, {
            "mpg": dataset("mtcars")["mpg"], "wt": dataset("mtcars")["wt"], "cyl": ("factor", dataset("mtcars")["cyl"]),
            "am": ("logical", [value == 1 for value in dataset("mtcars")["am"]]),
        }),
        ("logistic", INFERT | {"options": {"firth": True}},
         dataset("infert", "case", "age", "parity", "education", "spontaneous", "induced")),
        ("logistic", INFERT, dataset("infert", "case", "age", "parity", "education", "spontaneous", "induced")),
        ("logistic", {"outcome": "@Species", "predictors": ["@Sepal.Width"], "options": {"event_value": "virginica"}},
         dataset("iris", "Species", "Sepal.Width")),
        ("cox", LUNG | {"predictors": ["@age", "@sex", "@ph.ecog"]},
         dataset("lung", "time", "status", "age", "sex", "ph.ecog")),
        ("kaplan_meier", {"time": "@futime", "event": "@fustat", "group": "@rx", "options": {"at": [365.25, 5000]}},
         dataset("ovarian", "futime", "fustat", "rx")),
        ("kaplan_meier", LUNG, dataset("lung", "time", "status")),
        ("kaplan_meier", LUNG | {"group": "@ph.ecog"}, dataset("lung", "time", "status", "ph.ecog")),
    ]  # fmt: skip


@pytest.mark.long
def test_every_script_gives_the_same_numbers(service: LocalService) -> None:
    given = [(ask(service, name, params, columns), columns) for name, params, columns in scripted()]
    assert run_scripts(given) > 400
