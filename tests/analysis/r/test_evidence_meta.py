"""Meta-analysis: known numbers, subgroups, few studies, zero cells, words, scripts, the forest plot."""

import base64
import math
import random
import re
from itertools import product
from typing import Any

import pytest

from tests.analysis.r.oracle import Oracle, Service, ask, at, check_oracle, codes, dataset, run_scripts

pytestmark = [pytest.mark.r, pytest.mark.long]

# Corticosteroids in critically ill patients with COVID-19: deaths by 28 days in seven trials (JAMA 2020;324:1330).
TRIALS: dict[str, list[Any]] = {
    "trial": ["DEXA-COVID 19", "CoDEX", "RECOVERY", "CAPE COVID", "COVID STEROID", "REMAP-CAP", "Steroids-SARI"],
    "drug": ["dexamethasone"] * 3 + ["hydrocortisone"] * 3 + ["methylprednisolone"],
    "dose": ["high", "high", "low", "low", "low", "low", "high"],
    "deaths_steroid": [2, 69, 95, 11, 6, 26, 13], "n_steroid": [7, 128, 324, 75, 15, 105, 24],
    "deaths_control": [2, 76, 283, 20, 2, 29, 13], "n_control": [12, 128, 683, 73, 14, 92, 23],
}  # fmt: skip
COUNTS = {
    "study": "@trial",
    "events_1": "@deaths_steroid",
    "n_1": "@n_steroid",
    "events_2": "@deaths_control",
    "n_2": "@n_control",
}
MEANS = {"study": "@study", "mean_1": "@m1", "sd_1": "@s1", "n_1": "@n1", "mean_2": "@m2", "sd_2": "@s2", "n_2": "@n2"}
MEAN_TRIALS: dict[str, list[Any]] = {
    "study": ["a", "b", "c", "d"], "m1": [10.1, 12, 9, 14], "s1": [2, 3, 2.5, 4], "n1": [20, 40, 33, 50],
    "m2": [12, 13, 11, 14.5], "s2": [2.2, 3, 2.1, 4], "n2": [22, 41, 30, 55],
}  # fmt: skip


def steroids(**options: Any) -> dict[str, Any]:
    return {**COUNTS, "options": options}


def bcg() -> dict[str, list[Any]]:
    data = dataset("dat.bcg")

    def total(arm: str) -> list[int]:
        return [a + b for a, b in zip(data[f"{arm}pos"], data[f"{arm}neg"], strict=True)]

    trial = [f"{author}, {year}" for author, year in zip(data["author"], data["year"], strict=True)]
    return {
        "trial": trial,
        "tpos": data["tpos"],
        "treated": total("t"),
        "cpos": data["cpos"],
        "control": total("c"),
        "alloc": data["alloc"],
    }


def vaccine(**options: Any) -> dict[str, Any]:
    return {
        "study": "@trial",
        "events_1": "@tpos",
        "n_1": "@treated",
        "events_2": "@cpos",
        "n_2": "@control",
        "options": {"measure": "RR", **options},
    }


def pooled(name: str, options: dict[str, Any], numbers: dict[str, float], tolerance: float = 2e-6) -> Oracle:
    paths = {
        "or": "estimates.or.value",
        "low": "estimates.or.low",
        "high": "estimates.or.high",
        "log": "estimates.log_or.value",
        "se": "estimates.log_or.se",
        "p": "statistics.p",
        "pi_low": "estimates.prediction.low",
        "pi_high": "estimates.prediction.high",
    }
    expected = {key: (value, paths.get(key, f"statistics.{key}")) for key, value in numbers.items()}
    return Oracle(name, "meta", TRIALS, steroids(**options), expected, tolerance, absolute=5e-6)


ORACLES = [
    pooled("fixed", {"measure": "OR", "method": "FE"}, {
        "k": 7, "log": -0.416572, "se": 0.109214, "or": 0.659303, "low": 0.532258, "high": 0.816672, "z": -3.814289, "p": 0.00013658,
        "Q": 7.110376, "Q_df": 6, "Q_p": 0.31076, "I2": 15.616282, "H2": 1.185063,
    }),
    pooled("mantel_haenszel", {"method": "MH"}, {"or": 0.661152}),
    pooled("paule_mandel_wald", {"method": "PM", "knapp_hartung": False}, {"tau2": 0.03584236, "log": -0.362181, "or": 0.696157, "se": 0.150491, "low": 0.518333, "high": 0.934985, "p": 0.016099, "I2": 23.703029}, 1e-5),
    pooled("paule_mandel", {"method": "PM"}, {"or": 0.696157, "se": 0.150491, "low": 0.481708, "high": 1.006075, "p": 0.052813, "df": 6, "pi_low": 0.373863, "pi_high": 1.296289}, 1e-5),
    pooled("dersimonian_laird_wald", {"method": "DL", "knapp_hartung": False}, {"tau2": 0.02135104, "or": 0.685062, "se": 0.137053, "low": 0.523685, "high": 0.896168, "p": 0.005783, "I2": 15.616282}),
    pooled("dersimonian_laird", {"method": "DL"}, {"se": 0.140806, "low": 0.485398, "high": 0.966857, "p": 0.036232, "pi_low": 0.406621, "pi_high": 1.154171}, 1e-5),
    pooled("reml", {}, {"tau2": 0, "or": 0.659303, "se": 0.11889, "low": 0.492882, "high": 0.881917, "p": 0.012767, "df": 6, "I2": 0, "pi_low": 0.485688, "pi_high": 0.89498}, 1e-5),
    Oracle("risk_ratio", "meta", TRIALS, steroids(measure="RR", method="FE"), {"rr": (0.799074, "estimates.rr.value"), "low": (0.702953, "estimates.rr.low"), "high": (0.908338, "estimates.rr.high")}, 2e-6),
    Oracle("by_drug", "meta", TRIALS, steroids(method="FE", subgroup="@drug"), {
        "or_1": (0.641923, "estimates.or_group_1.value"), "low_1": (0.502651, "estimates.or_group_1.low"), "high_1": (0.819784, "estimates.or_group_1.high"),
        "or_2": (0.690953, "estimates.or_group_2.value"), "i2_2": (56.355295, "statistics.I2_group_2"), "or_3": (0.909091, "estimates.or_group_3.value"),
        "high_3": (2.87341, "estimates.or_group_3.high"), "q": (0.381958, "statistics.Q_between"), "df": (2, "statistics.df_between"), "p_between": (0.82615, "statistics.p_between"),
    }, 3e-6),
    Oracle("by_drug_random", "meta", TRIALS, steroids(method="PM", subgroup="@drug"), {
        "or_1": (0.649132, "estimates.or_group_1.value"), "low_1": (0.36051, "estimates.or_group_1.low"), "high_1": (1.168824, "estimates.or_group_1.high"), "tau2_1": (0.00520231, "statistics.tau2_group_1"),
        "or_2": (0.86966, "estimates.or_group_2.value"), "low_2": (0.072361, "estimates.or_group_2.low"), "high_2": (10.451867, "estimates.or_group_2.high"), "p_2": (0.83156, "estimates.log_or_group_2.p"),
    }, 1e-4),
    Oracle("by_dose", "meta", TRIALS, steroids(method="FE", subgroup="@dose"), {
        "high": (0.845916, "estimates.or_group_1.value"), "low": (0.611839, "estimates.or_group_2.value"), "q": (1.561228, "statistics.Q_between"), "p_between": (0.211486, "statistics.p_between"),
    }, 3e-6),
]  # fmt: skip


@pytest.mark.parametrize("oracle", ORACLES, ids=str)
def test_seven_trials(service: Service, oracle: Oracle) -> None:
    check_oracle(service, oracle)


def test_vaccine_trials(service: Service) -> None:
    """BCG vaccine: metafor's own worked example, REML with Wald's and Knapp-Hartung's interval, and a fixed effect."""
    wald = {
        "estimate": (-0.7145323421581393, "estimates.log_rr.value"),
        "se": (0.17978151610520576, "estimates.log_rr.se"),
        "z": (-3.9744483061317855, "statistics.z"),
        "low": (-1.0668976388103504, "estimates.log_rr.low"),
        "high": (-0.3621670455059283, "estimates.log_rr.high"),
        "rr": (0.4894209398260303, "estimates.rr.value"),
        "rr_low": (0.34407430610677714, "estimates.rr.low"),
        "rr_high": (0.6961660667154266, "estimates.rr.high"),
        "pi_low": (0.15463431340090722, "estimates.prediction.low"),
        "pi_high": (1.5490278391134205, "estimates.prediction.high"),
        "tau2": (0.31324325813648096, "statistics.tau2"),
        "se_tau2": (0.16642575283697092, "statistics.se_tau2"),
        "tau": (0.5596813898429007, "statistics.tau"),
        "I2": (92.22138452126896, "statistics.I2"),
        "H2": (12.855758235309171, "statistics.H2"),
        "Q": (152.2330080823734, "statistics.Q"),
        "Q_df": (12, "statistics.Q_df"),
        "yi": (-0.8893113339202054, "tables.main.0.yi"),
        "vi": (0.32558476500396133, "tables.main.0.vi"),
        "rank_tau": (0.025641025641025637, "statistics.rank_tau"),
        "rank_p": (0.9523619079608663, "statistics.rank_p"),
    }
    knapp = {
        "se": (0.18079174409284796, "estimates.log_rr.se"),
        "t": (-3.952239886524807, "statistics.t"),
        "p": (0.0019200150960573016, "statistics.p"),
        "low": (-1.108443713685551, "estimates.log_rr.low"),
        "high": (-0.3206209706307278, "estimates.log_rr.high"),
        "se_wald": (0.17978151610520576, "statistics.se_wald"),
    }
    fixed = {
        "estimate": (-0.4302851636540906, "estimates.log_rr.value"),
        "low": (-0.5096612584262136, "estimates.log_rr.low"),
        "high": (-0.3509090688819676, "estimates.log_rr.high"),
        "z": (-10.624652501046505, "statistics.z"),
        "Q": (152.2330080823734, "statistics.Q"),
        "rr": (0.6503236196194822, "estimates.rr.value"),
        "rr_low": (0.600699026085764, "estimates.rr.low"),
        "rr_high": (0.7040477707959575, "estimates.rr.high"),
    }
    data = bcg()
    check_oracle(service, Oracle("wald", "meta", data, vaccine(knapp_hartung=False), wald, tolerance=1e-6))
    check_oracle(service, Oracle("knapp", "meta", data, vaccine(), knapp, tolerance=1e-6))
    check_oracle(service, Oracle("fixed", "meta", data, vaccine(method="FE"), fixed, tolerance=1e-6))


def test_leaving_one_out(service: Service) -> None:
    rows = ask(service, "meta", steroids(method="FE"), TRIALS)["tables"][1]["rows"]
    expected = [0.652563, 0.630606, 0.770158, 0.677337, 0.642817, 0.652223, 0.651756]
    assert [row["value"] for row in rows] == pytest.approx(expected, rel=2e-6)
    assert rows[2]["study"] == "RECOVERY"
    assert (rows[2]["low"], rows[2]["high"], rows[2]["i2"]) == pytest.approx((0.555672, 1.067436, 10.435562), rel=2e-6)


def test_words(service: Service) -> None:
    assert ask(service, "meta", COUNTS, TRIALS)["sentence"]["plain"] == (
        "Seven studies (1,703 participants) gave a pooled odds ratio of 0.66 for deaths with steroid "
        "against control, lower "
        "with steroid than with control (95% CI 0.49 to 0.88; random effects, REML, Knapp-Hartung; two-sided test, "
        "t(6) = −3.50, p = 0.013; prediction interval 0.49 to 0.89); heterogeneity I² = 0.0%, τ² = 0.000, "
        "Q(6) = 7.11, p = 0.311."
    )
    named = steroids(method="FE", label_1="Steroids & more", label_2="Usual care", subgroup="@drug")
    sentence = ask(service, "meta", named, TRIALS)["sentence"]
    assert (
        "for deaths with steroids & more against usual care, lower with steroids & more than with usual care (95% CI"
        in sentence["plain"]
    )
    assert sentence["plain"].endswith("these subgroups did not differ clearly (Q(2) = 0.38, p = 0.826).")
    assert "steroids \\& more" in sentence["latex"]
    assert "\\emph{I}$^2$" in sentence["latex"]


def test_missing_numbers_are_told(service: Service) -> None:
    trials = TRIALS | {"deaths_control": [None, *TRIALS["deaths_control"][1:]]}
    answer = ask(service, "meta", COUNTS, trials)
    assert answer["n"] == {"total": 7, "used": 6, "missing": 1}
    assert "(1 study left out for missing numbers)." in answer["sentence"]["plain"]


def first(trials: dict[str, list[Any]], count: int) -> dict[str, list[Any]]:
    return {name: values[:count] for name, values in trials.items()}


def test_few_studies(service: Service) -> None:
    one, two, three = (ask(service, "meta", COUNTS, first(TRIALS, k), figures=["svg"]) for k in (1, 2, 3))
    assert codes(one) == ["one_study"]
    assert one["sentence"]["plain"].startswith(
        "One study (19 participants) gave an odds ratio of 2.00 for deaths with steroid against"
    )
    assert "few_studies" in codes(two)
    ids = [{estimate["id"] for estimate in answer["estimates"]} for answer in (one, two, three)]
    assert ["prediction" in found for found in ids] == [False, False, True]
    assert [[figure["id"] for figure in answer["figures"]] for answer in (one, two, three)] == [
        ["forest"],
        ["forest"],
        ["forest", "funnel"],
    ]
    assert [row for row in three["assumptions"] if row["id"] == "small_studies"][0]["status"] == "not_run"
    assert "rank_p" not in three["statistics"]


ZERO: dict[str, list[Any]] = {
    "trial": ["no events", "none treated", "none of control", "everybody", "usual"],
    "deaths_steroid": [0, 0, 5, 20, 10], "n_steroid": [20, 30, 25, 20, 40], "deaths_control": [0, 4, 0, 20, 15], "n_control": [20, 30, 25, 20, 40],
}  # fmt: skip


def test_zero_cells(service: Service) -> None:
    made = []
    for (measure, used), method in product({"OR": 3, "RR": 4, "RD": 5}.items(), ("REML", "MH", "FE")):
        answer = ask(service, "meta", steroids(measure=measure, method=method), ZERO)
        assert answer["n"]["used"] == used
        assert "zero_cell" in codes(answer)
        assert ("double_zero" in codes(answer)) == (measure != "RD")
        assert math.isfinite(answer["estimates"][0]["value"])
        made.append((answer, ZERO))
    run_scripts(made)


def test_studies_that_agree_completely(service: Service) -> None:
    """Knapp and Hartung's interval would have no width: the ordinary one is shown, and said to be."""
    same = {"s": ["a", "b", "c", "d"], "b": [0.2, 0.2, 0.2, 0.5], "se": [0.1, 0.1, 0.2, 0.3], "g": ["x", "x", "x", "y"]}
    params = {"study": "@s", "estimate": "@b", "se": "@se", "options": {"subgroup": "@g"}}
    part = ask(service, "meta", params, same)
    whole = ask(service, "meta", {**params, "options": {}}, same | {"b": [0, 0, 0, 0]})
    assert "identical_effects" in codes(part)
    assert at(part, "estimates.gen_group_1.high") == pytest.approx(0.2 + 1.959964 / 15, rel=1e-6)
    assert "t" in part["statistics"]
    assert whole["method"] == "Meta-analysis of effects, random effects, REML"
    run_scripts([(part, same), (whole, same | {"b": [0, 0, 0, 0]})])


def test_what_cannot_be_pooled_without_a_study_stays_blank(service: Service) -> None:
    trials = ZERO | {"deaths_control": [0, 4, 3, 20, 0], "deaths_steroid": [0, 0, 0, 20, 10]}
    rows = ask(service, "meta", steroids(method="MH"), trials)["tables"][1]["rows"]
    assert [row["value"] is None for row in rows] == [False, False, True]


def by_hand(trials: dict[str, list[int]]) -> tuple[float, float, float]:
    """Fixed effect, its standard error and DerSimonian and Laird's tau2 of log odds ratios, in plain arithmetic."""
    effects, weights = [], []
    for cells in zip(
        trials["deaths_steroid"], trials["n_steroid"], trials["deaths_control"], trials["n_control"], strict=True
    ):
        a, n, c, m = map(float, cells)
        if (a == c == 0) or (a == n and c == m):
            continue
        add = 0.5 if 0 in (a, n - a, c, m - c) else 0
        a, b, c, d = a + add, n - a + add, c + add, m - c + add
        effects.append(math.log(a * d / (b * c)))
        weights.append(1 / (1 / a + 1 / b + 1 / c + 1 / d))
    total = sum(weights)
    mean = sum(w * y for w, y in zip(weights, effects, strict=True)) / total
    q = sum(w * (y - mean) ** 2 for w, y in zip(weights, effects, strict=True))
    spread = total - sum(w * w for w in weights) / total
    return mean, total**-0.5, max(0, (q - len(effects) + 1) / spread) if len(effects) > 1 else 0


def test_any_trials_against_plain_arithmetic(service: Service) -> None:
    made = []
    for seed in range(6):
        dice = random.Random(seed)
        k = dice.randint(2, 14)
        n, m = ([dice.randint(4, 90) for _ in range(k)] for _ in "ab")
        trials: dict[str, list[Any]] = {
            "trial": [dice.choice(["if", "`x`", "समूह", "", "=1+1"]) for _ in range(k)],
            "g": [dice.choice("ab") for _ in range(k)],
            "deaths_steroid": [dice.randint(0, min(4, x)) for x in n],
            "n_steroid": n,
            "deaths_control": [dice.randint(0, x) for x in m],
            "n_control": m,
        }
        mean, se, tau2 = by_hand(trials)
        fixed = ask(service, "meta", steroids(method="FE", subgroup="@g"), trials)
        random_effects = ask(service, "meta", steroids(method="DL", subgroup="@g"), trials)
        assert at(fixed, "estimates.log_or.value") == pytest.approx(mean, rel=1e-9)
        assert at(fixed, "estimates.log_or.se") == pytest.approx(se, rel=1e-9)
        assert at(random_effects, "statistics.tau2") == pytest.approx(tau2, rel=1e-9, abs=1e-12)
        made += [(fixed, trials), (random_effects, trials)]
    run_scripts(made)


def test_means_and_ready_estimates(service: Service) -> None:
    made = [
        (ask(service, "meta", {**MEANS, "options": options}, MEAN_TRIALS), MEAN_TRIALS)
        for options in ({}, {"measure": "SMD"}, {"method": "DL"})
    ]
    assert [answer["estimates"][0]["id"] for answer, _ in made] == ["md", "smd", "md"]
    dice = random.Random(1)
    given: dict[str, Any] = {
        "s": [f"s{i}" for i in range(60)],
        "b": [dice.gauss(0.3, 0.4) for _ in range(60)],
        "se": [dice.uniform(0.1, 0.5) for _ in range(60)],
    }
    params = {"study": "@s", "estimate": "@b", "se": "@se"}
    ready = ask(service, "meta", params, given)
    assert at(ready, "estimates.gen.value") == pytest.approx(0.3, abs=0.2)
    assert 0 < at(ready, "statistics.rank_p") < 1
    as_or = ask(service, "meta", {**params, "options": {"measure": "OR"}}, given)
    assert at(as_or, "estimates.or.value") == pytest.approx(math.exp(at(ready, "estimates.gen.value")))
    assert "estimates_taken_as_logarithms" in codes(as_or)
    made += [(ready, given), (as_or, given), (ask(service, "meta", vaccine(subgroup="@alloc"), bcg()), bcg())]
    made += [(ask(service, "meta", steroids(method="MH", subgroup="@dose"), TRIALS, conf_level=0.9), TRIALS)]
    run_scripts(made)


def changed(name: str, row: int, value: Any) -> dict[str, list[Any]]:
    values = list(TRIALS[name])
    values[row] = value
    return TRIALS | {name: values}


CASES: list[tuple[dict[str, Any], dict[str, list[Any]], str, str]] = [
    ({"study": "@trial"}, TRIALS, "unknown_column", "params.events_1"),
    ({key: value for key, value in COUNTS.items() if key != "n_2"}, TRIALS, "unknown_column", "params.n_2"),
    ({**COUNTS, "estimate": "@n_control"}, TRIALS, "bad_option", "params"),
    (COUNTS, changed("deaths_steroid", 1, 200), "bad_option", "params.events_1"),
    (COUNTS, changed("deaths_steroid", 1, -1), "bad_option", "params.events_1"),
    (COUNTS, changed("deaths_control", 1, 2.5), "bad_option", "params.events_2"),
    (COUNTS, changed("n_control", 1, 0), "bad_option", "params.n_2"),
    (steroids(method="MH"), TRIALS | {"deaths_steroid": [0] * 7}, "no_events", "params.options.method"),
    (steroids(method="MH", subgroup="@drug"), TRIALS | {"deaths_steroid": [0, 0, 0, 11, 6, 26, 13]}, "no_events", "params.options.method"),
    (COUNTS, changed("n_control", 1, "many"), "not_numeric", "params.n_2"),
    (COUNTS, TRIALS | {"n_control": [None] * 7}, "all_missing", "params.n_2"),
    (COUNTS, TRIALS | {"n_control": [None] * 6 + [9], "n_steroid": [9] * 6 + [None]}, "bad_option", "params.events_1"),
    (COUNTS, TRIALS | {"deaths_steroid": [0] * 7, "deaths_control": [0] * 7}, "no_events", "params.events_1"),
    (steroids(measure="MD"), TRIALS, "bad_option", "params.options.measure"),
    (steroids(measure="HR"), TRIALS, "bad_option", "params.options.measure"),
    (steroids(subgroup="c99"), TRIALS, "unknown_column", "params.options.subgroup"),
    ({**MEANS, "options": {"measure": "OR"}}, MEAN_TRIALS, "bad_option", "params.options.measure"),
    ({**MEANS, "options": {"method": "MH"}}, MEAN_TRIALS, "bad_option", "params.options.method"),
    (MEANS, MEAN_TRIALS | {"s1": [2, 0, 2, 2]}, "bad_option", "params.sd_1"),
    ({"study": "@study", "estimate": "@m1", "se": "@s1"}, MEAN_TRIALS | {"s1": [2, -1, 2, 2]}, "bad_option", "params.se"),
]  # fmt: skip


@pytest.mark.parametrize(("params", "columns", "code", "field"), CASES)
def test_refusals(
    service: Service, params: dict[str, Any], columns: dict[str, list[Any]], code: str, field: str
) -> None:
    error = ask(service, "meta", params, columns, status=422)["error"]
    assert (error["code"], error.get("field")) == (code, field), error


def svg_of(answer: dict[str, Any], name: str) -> str:
    [figure] = [figure for figure in answer["figures"] if figure["id"] == name and figure["format"] == "svg"]
    return base64.b64decode(figure["base64"]).decode()


def test_forest_plot(service: Service) -> None:
    """Columns left and right, the axis, both sides named; long and odd names are cut and stay inside."""
    trials = changed("trial", 1, "The investigators of a trial with a very, very long name indeed " * 3)
    trials["trial"][2] = "<script>alert(1)</script> & `if`"
    answer = ask(service, "meta", steroids(method="FE", subgroup="@drug"), trials, figures=["svg"])
    svg = svg_of(answer, "forest")
    words = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert {"Steroid", "Control", "2/7", "2/12", "57.0%", "Subtotal", "222/678", "Weight"} <= set(words)
    assert {"Favours steroid", "Favours control", "0.66 (0.53 to 0.82)", "methylprednisolone"} <= set(words)
    assert any(word.endswith("…") and word.startswith("The invest") for word in words)
    assert "<script>" not in svg
    assert "Subgroup differences: Q = 0.38, df = 2, p = 0.826" in words
    figure = answer["figures"][0]
    assert figure["alt"] == "Forest plot of 7 studies: pooled odds ratio 0.66 (95% CI 0.53 to 0.82)."
    width = float(re.search(r"viewBox='0 0 ([\d.]+)", svg)[1])  # type: ignore[index]
    assert all(0 <= float(x) <= width for x in re.findall(r"<text x='([-\d.]+)'", svg))
    better = ask(service, "meta", steroids(higher_is_better=True), TRIALS, figures=["svg"])
    sides = re.findall(r"<text x='([\d.]+)'[^>]*>Favours (\w+)<", svg_of(better, "forest"))
    assert [side for _, side in sorted(sides, key=lambda pair: float(pair[0]))] == ["control", "steroid"]


def test_figures_alone(service: Service) -> None:
    for kind in ("forest", "funnel"):
        answer = ask(service, f"figure/{kind}", COUNTS, TRIALS, figures=["svg"])
        assert [figure["id"] for figure in answer["figures"]] == [kind]
    error = ask(service, "figure/funnel", COUNTS, first(TRIALS, 2), status=422)["error"]
    assert error["code"] == "too_few_observations"
