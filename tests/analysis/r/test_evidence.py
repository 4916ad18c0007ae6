"""ROC curves, diagnostic accuracy, agreement of raters and methods:
known numbers, refusals, words, scripts, figures."""

import base64
import random
from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest

from tests.analysis.r.oracle import Oracle, Service, ask, at, check_oracle, codes, dataset, run_scripts

pytestmark = pytest.mark.r

# Peak flow of 17 people by two meters (Bland and Altman, Lancet 1986).
WRIGHT = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
MINI = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]
# Four judges of six subjects (Shrout and Fleiss, Psychol Bull 1979).
JUDGES = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
HOSTILE = ["if", "x`; system('id'); `", "😀", "रक्तचाप", "n" * 300, "=cmd|' /C calc'!A0"]


def rated(table: list[list[int]]) -> dict[str, list[str]]:
    """A table of counts as two columns of ratings."""
    pairs = [
        (str(i + 1), str(j + 1))
        for i, row in enumerate(table)
        for j, count in enumerate(row)
        for _ in range(count)
    ]  # fmt: skip
    return {"first": [a for a, _ in pairs], "second": [b for _, b in pairs]}


JUDGED = {f"judge {j + 1}": [row[j] for row in JUDGES] for j in range(4)}
THREE = rated([[53, 5, 2], [11, 14, 5], [1, 6, 3]])
SIX = rated(
    [
        [5, 8, 1, 2, 4, 2],
        [3, 5, 3, 5, 5, 0],
        [1, 2, 6, 11, 2, 1],
        [0, 1, 5, 4, 3, 3],
        [0, 0, 1, 2, 5, 2],
        [0, 0, 1, 2, 1, 4],
    ]
)


def roc(score: str, auc: float, se: float, low: float, high: float, cut: float, sens: float, spec: float) -> Oracle:
    return Oracle(
        f"roc_{score}",
        "roc",
        "aSAH",
        {"outcome": "@outcome", "score": f"@{score}", "options": {"event_value": "Poor"}},
        {
            "auc": (auc, "estimates.auc.value"),
            "auc_low": (low, "estimates.auc.low"),
            "auc_high": (high, "estimates.auc.high"),
            "se": (se, "statistics.se_delong"),
            "cases": (41, "statistics.n_cases"),
            "controls": (72, "statistics.n_controls"),
            "cut": (cut, "estimates.youden_threshold.value"),
            "sens": (sens, "estimates.youden_sensitivity.value"),
            "spec": (spec, "estimates.youden_specificity.value"),
        },
        tolerance=1e-9,
    )


SCOTT = {
    "sensitivity": (0.9005376344086021, 0.8769319125038284, 0.9200284498433728, 0.8767461767957109, 0.9210922995836943),
    "specificity": (0.7600950118764845, 0.7301117625298534, 0.7877157752816379, 0.729776463203555, 0.7885803245751011),
    "ppv": (0.768348623853211, 0.7392065056444834, 0.7951367767917628, 0.7388926273797569, 0.7959784291653594),
    "npv": (0.896358543417367, 0.8718400637172506, 0.9166348746484619, 0.8716392862901463, 0.9177401746630709),
}
SCOTT_EXPECTED = {
    name: (value, f"estimates.{name}.value")
    for name, value in {
        "accuracy": 0.8259773013871374, "lr_pos": 3.7537261790695196, "lr_neg": 0.13085517473118283, "dor": 28.686111854428685,
        "youden": 0.6606326462850867, "prevalence": 0.4691046658259773, "apparent_prevalence": 0.5498108448928121, "nnd": 1.5137005499550564,
    }.items()
} | {
    "lr_pos_low": (3.320688435507481, "estimates.lr_pos.low"), "lr_pos_high": (4.243234648805133, "estimates.lr_pos.high"),
    "lr_neg_low": (0.10506432351192252, "estimates.lr_neg.low"), "lr_neg_high": (0.16297708091163116, "estimates.lr_neg.high"),
} | {
    f"{name}{part}": (value, path.format(name))
    for name, values in SCOTT.items()
    for value, (part, path) in zip(
        (values[0], *values[1:3], *values[1:]),
        [
            ("", "estimates.{}.value"), ("_low", "estimates.{}.low"), ("_high", "estimates.{}.high"),
            ("_low_wilson", "statistics.{}_low_wilson"), ("_high_wilson", "statistics.{}_high_wilson"),
            ("_low_exact", "statistics.{}_low_exact"), ("_high_exact", "statistics.{}_high_exact"),
        ],
        strict=True,
    )
}  # fmt: skip

ORACLES = [
    roc("ndka", 0.6119579945799457, 0.056487260062701765, 0.5012449992717025, 0.7226709898881889, 11.08, 0.7073170731707317, 0.5138888888888888),
    roc("wfns", 0.8236788617886179, 0.03833946672586391, 0.7485348878194529, 0.898822835757783, 3.5, 0.6341463414634146, 0.8333333333333334),
    roc("s100b", 0.731368563685637, 0.05165929206998909, 0.6301182117616227, 0.8326189156096512, 0.205, 0.6341463414634146, 0.8055555555555556),
    Oracle("diagnostic_scott", "diagnostic", (), {"counts": {"tn": 640, "fn": 74, "fp": 202, "tp": 670}}, SCOTT_EXPECTED),
    Oracle("kappa", "kappa", THREE, {"raters": ["@first", "@second"]}, {
        "kappa": (0.4285714285714285, "estimates.kappa.value"), "se": (0.0759588315346638, "statistics.se_asymptotic"),
        "low": (0.27969485445574205, "estimates.kappa.low"), "high": (0.5774480026871149, "estimates.kappa.high"),
        "z": (5.459058939351291, "statistics.z"), "agreement": (70.0, "estimates.percent_agreement.value"),
    }),
    Oracle("kappa_weighted", "kappa", SIX, {"raters": ["@first", "@second"], "options": {"weights": "linear"}}, {
        "kappa": (0.31566845505310404, "estimates.kappa.value"), "low": (0.19681166889264778, "estimates.kappa.low"),
        "high": (0.4345252412135603, "estimates.kappa.high"), "z": (5.383653624337364, "statistics.z"),
    }),
    Oracle("icc", "icc", JUDGED, {"raters": [f"@{name}" for name in JUDGED]}, {
        name: (value, f"estimates.{name}.value") for name, value in {
            "icc1": 0.16574176840547544, "icc2": 0.2897637795275591, "icc3": 0.7148407148407149,
            "icc1k": 0.44279713367926865, "icc2k": 0.6200505475989891, "icc3k": 0.9093155423770695,
        }.items()
    } | {
        "icc1_F": (1.794678492239468, "statistics.icc1_F"), "icc3_F": (11.027247956403272, "statistics.icc3_F"), "icc3_p": (0.00013456651648433688, "estimates.icc3.p"),
        "icc1_low": (-0.13293232487475098, "estimates.icc1.low"), "icc1_high": (0.722560062328121, "estimates.icc1.high"),
        "icc2_low": (0.018786513374712016, "estimates.icc2.low"), "icc2_high": (0.7610843696489529, "estimates.icc2.high"),
        "icc3_low": (0.3424647650339253, "estimates.icc3.low"), "icc3_high": (0.9458582599553595, "estimates.icc3.high"),
    }),
    Oracle("bland_altman", "bland_altman", {"Wright": WRIGHT, "mini": MINI}, {"first": "@Wright", "second": "@mini"}, {
        "bias": (-2.1176470588235294, "estimates.bias.value"), "sd": (38.76512987360738, "estimates.sd.value"),
        "low_2sd": (-79.64790680603829, "statistics.loa_low_2sd"), "high_2sd": (75.41261268839122, "statistics.loa_high_2sd"),
        "low": (-78.09590546711173, "estimates.loa_low.value"), "high": (73.86061134946466, "estimates.loa_high.value"),
        "bias_se": (9.401925003509989, "estimates.bias.se"), "bias_low": (-22.04883769664517, "estimates.bias.low"),
        "bias_high": (17.81354357899811, "estimates.bias.high"), "loa_se": (16.284611795031495, "estimates.loa_low.se"), "n": (17, "n.used"),
    }),
]  # fmt: skip


@pytest.mark.sample(1)
@pytest.mark.parametrize("oracle", ORACLES, ids=str)
def test_known_numbers(service: Service, oracle: Oracle) -> None:
    check_oracle(service, oracle)


def random_columns(seed: int, rows: int = 40) -> dict[str, Any]:
    """Columns with holes, odd names and odd values."""
    dice = random.Random(seed)

    def hole(value: Any) -> Any:
        return None if dice.random() < 0.1 else value

    names = [f"{name} {seed}" for name in HOSTILE]
    return {
        names[0]: [hole(dice.choice(["yes", 'n"o'])) for _ in range(rows)],
        names[1]: [hole(round(dice.gauss(5, 2), 3)) for _ in range(rows)],
        names[2]: [hole(round(dice.gauss(5.3, 2), 3)) for _ in range(rows)],
        names[3]: [hole(dice.choice(["yes", "n\\o"])) for _ in range(rows)],
        names[4]: ("ordered", [hole(dice.choice(["low", "mid", "high"])) for _ in range(rows)], ["low", "mid", "high"]),
        names[5]: ("ordered", [hole(dice.choice(["low", "mid", "high"])) for _ in range(rows)], ["low", "mid", "high"]),
        "binary": ("logical", [hole(dice.random() < 0.4) for _ in range(rows)]),
    }


@pytest.mark.long
def test_scripts_give_the_same_numbers_whatever_the_columns_are_called(service: Service) -> None:
    made: list[tuple[dict[str, Any], Any]] = []
    for seed in range(2):
        data = random_columns(seed)
        yes, first, second, also, grade, again, binary = data
        yes_no = {"event_value": "yes"}
        asked: list[tuple[str, dict[str, Any]]] = [
            ("roc", {"outcome": f"@{yes}", "score": f"@{first}", "options": {"direction": "lower", **yes_no}}),
            ("roc", {"outcome": f"@{binary}", "score": f"@{second}"}),
            ("diagnostic", {"test": f"@{yes}", "reference": f"@{also}", "options": yes_no}),
            ("diagnostic", {"test": f"@{also}", "reference": f"@{binary}", "options": {"test_value": "n\\o"}}),
            ("bland_altman", {"first": f"@{first}", "second": f"@{second}"}),
            ("icc", {"raters": [f"@{first}", f"@{second}"], "options": {"form": "icc3k"}}),
            ("kappa", {"raters": [f"@{yes}", f"@{also}"]}),
            ("kappa", {"raters": [f"@{grade}", f"@{again}"], "options": {"weights": "quadratic"}}),
            ("kappa", {"raters": [f"@{grade}", f"@{again}", f"@{yes}"]}),
        ]
        for name, params in asked:
            answer = ask(service, name, params, data, conf_level=0.9)
            assert answer["n"]["missing"] > 0
            assert "missing" in answer["sentence"]["plain"]
            made.append((answer, data))
    zeros: dict[str, Any] = {"counts": {"tp": 0, "fp": 3, "fn": 5, "tn": 20}}
    made += [(ask(service, oracle.analysis, oracle.params, oracle.sent()), oracle.sent()) for oracle in ORACLES]
    made.append((ask(service, "diagnostic", zeros), ()))
    assert run_scripts(made) > 500


def test_quadratic_kappa_is_an_intraclass_correlation(service: Service) -> None:
    """With quadratic weights kappa equals ICC(2,1) but for a factor of n (Fleiss and Cohen 1973)."""
    weighted = {"raters": ["@first", "@second"], "options": {"weights": "quadratic"}}
    kappa = at(ask(service, "kappa", weighted, SIX), "estimates.kappa.value")
    numbers = {name: [int(value) for value in values] for name, values in SIX.items()}
    icc = at(ask(service, "icc", {"raters": ["@first", "@second"]}, numbers), "estimates.icc2.value")
    assert kappa == pytest.approx(icc, abs=0.01)


def test_fleiss_kappa_of_the_paper(service: Service) -> None:
    """Fleiss 1971's own arithmetic on a small table: 10 subjects, 14 raters, kappa 0.210."""
    counts = [[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
              [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]]  # fmt: skip
    rows = [[str(k) for k, n in enumerate(row) for _ in range(n)] for row in counts]
    columns = {f"r{j}": [row[j] for row in rows] for j in range(14)}
    answer = ask(service, "kappa", {"raters": [f"@r{j}" for j in range(14)]}, columns)
    assert at(answer, "estimates.kappa.value") == pytest.approx(0.20993, abs=1e-5)
    assert answer["method"] == "Fleiss' kappa"


def test_a_direction_is_not_chosen_from_the_data(service: Service) -> None:
    data = dataset("aSAH", "outcome", "s100b")
    params = {"outcome": "@outcome", "score": "@s100b", "options": {"event_value": "Poor", "direction": "lower"}}
    answer = ask(service, "roc", params, data)
    assert at(answer, "estimates.auc.value") == pytest.approx(1 - 0.731368563685637)
    assert "direction" in codes(answer)
    assert "lower values count as pointing to outcome = Poor" in answer["sentence"]["plain"]


def test_a_perfect_score_is_told(service: Service) -> None:
    answer = ask(service, "roc", {"outcome": "@y", "score": "@x"}, {"y": [0, 0, 0, 1, 1, 1], "x": [1, 2, 3, 4, 5, 6]})
    assert codes(answer) == ["perfect_separation", "few_events"]
    assert at(answer, "estimates.youden_threshold.value") == 3.5


def test_a_zero_gives_exact_intervals_and_no_infinite_ratio(service: Service) -> None:
    answer = ask(service, "diagnostic", {"counts": [[10, 0], [2, 30]]})
    assert answer["method"] == "Diagnostic accuracy, exact (Clopper-Pearson) intervals"
    assert codes(answer) == ["zero_cell"]
    assert at(answer, "estimates.lr_pos.value") is None
    assert "positive likelihood ratio not estimable" in answer["sentence"]["plain"]
    assert at(answer, "estimates.specificity.low") == at(answer, "statistics.specificity_low_exact")


@pytest.mark.long
def test_every_small_table_of_counts_is_answered(service: Service) -> None:
    """No table of counts ends in an internal error."""
    for tp, fp, fn, tn in product((0, 3), repeat=4):
        counts = {"counts": {"tp": tp, "fp": fp, "fn": fn, "tn": tn}}
        status = 422 if tp + fn == 0 or fp + tn == 0 else 200
        ask(service, "diagnostic", counts, status=status, script=False)


YES_NO = {"test": ["pos", "neg", "pos", "neg"], "ref": ["ill", "well", "ill", "ill"]}
CASES: list[tuple[str, Mapping[str, Any], Any, str, str]] = [
    ("roc", {"outcome": "@y", "score": "@x"}, {"y": ["a", "b", "a", "b"], "x": [1, 2, 3, 4]}, "bad_option", "params.outcome"),
    ("roc", {"outcome": "@y", "score": "@x", "options": {"event_value": "c"}}, {"y": ["a", "b", "a", "b"], "x": [1, 2, 3, 4]}, "no_events", "params.options.event_value"),
    ("roc", {"outcome": "@y", "score": "@x"}, {"y": [1, 0, 1, 0], "x": [2, 2, 2, 2]}, "constant_variable", "params.score"),
    ("roc", {"outcome": "@y", "score": "@x"}, {"y": [1, 0, 1, 0], "x": ["2", "3", "<5", "1"]}, "not_numeric", "params.score"),
    ("roc", {"outcome": "@y", "score": "@x"}, {"y": [1, 0, 0, 0], "x": [2, 3, 4, 5]}, "too_few_observations", "params.outcome"),
    ("roc", {"outcome": "@y", "score": "@x"}, {"y": [1, 1, 1, 0, 0], "x": [2, 3, 4, None, None]}, "too_few_observations", ""),
    ("roc", {"outcome": "@y", "score": "@x"}, {"y": [1, 1, 1, 1, 0], "x": [2, 3, 4, 5, None]}, "group_levels", "params.outcome"),
    ("roc", {"outcome": "@y", "score": "@x"}, {"y": [0, 0, 0, 0, 1], "x": [2, 3, 4, 5, None]}, "no_events", "params.outcome"),
    ("roc", {"outcome": "@y", "score": "@x"}, {"y": [None] * 4, "x": [1, 2, 3, 4]}, "all_missing", "params.outcome"),
    ("roc", {"outcome": "@y", "score": "c9"}, {"y": [1, 0]}, "unknown_column", "params.score"),
    ("roc", {"outcome": "@y", "score": "@x", "options": {"direction": "auto"}}, {"y": [1, 0], "x": [1, 2]}, "bad_option", "params.options.direction"),
    ("diagnostic", {"test": "@test"}, YES_NO, "unknown_column", "params.reference"),
    ("diagnostic", {}, (), "unknown_column", "params.test"),
    ("diagnostic", {"test": "@test", "reference": "@ref"}, YES_NO, "bad_option", "params.test"),
    ("diagnostic", {"test": "@test", "reference": "@ref", "options": {"test_value": "pos", "event_value": "sick"}}, YES_NO, "no_events", "params.options.event_value"),
    ("diagnostic", {"counts": {"tp": 1, "fp": 2, "fn": 3}}, (), "bad_option", "params.counts"),
    ("diagnostic", {"counts": {"tp": 1, "fp": 2, "fn": 3, "xx": 1}}, (), "bad_option", "params.counts"),
    ("diagnostic", {"counts": {"tp": 1.5, "fp": 2, "fn": 3, "tn": 1}}, (), "bad_option", "params.counts"),
    ("diagnostic", {"counts": {"tp": 0, "fp": 2, "fn": 0, "tn": 1}}, (), "no_events", "params.counts"),
    ("diagnostic", {"counts": {"tp": 3, "fp": 0, "fn": 2, "tn": 0}}, (), "group_levels", "params.counts"),
    ("diagnostic", {"counts": [[1, 2], [3, 4]], "test": "@test", "reference": "@ref"}, YES_NO, "bad_option", "params.counts"),
    ("kappa", {"raters": ["@a"]}, {"a": ["x", "y"]}, "unknown_column", "params.raters"),
    ("kappa", {"raters": ["@a", "@b"]}, {"a": ["x"] * 5, "b": ["x"] * 5}, "constant_variable", "params.raters"),
    ("kappa", {"raters": ["@a", "@b"]}, {"a": ["x", None, "y"], "b": [None, "x", "y"]}, "too_few_observations", ""),
    ("kappa", {"raters": ["@a", "@b", "@c"], "options": {"weights": "linear"}}, {"a": [1, 2, 3], "b": [1, 2, 3], "c": [1, 2, 3]}, "bad_option", "params.options.weights"),
    ("kappa", {"raters": ["@a", "@b"]}, {"a": list(range(300)), "b": list(range(300))}, "group_levels", "params.raters"),
    ("icc", {"raters": ["@a", "@b"]}, {"a": [3] * 4, "b": [3] * 4}, "constant_variable", "params.raters"),
    ("icc", {"raters": ["@a", "@b"]}, {"a": [3] * 4, "b": [5] * 4}, "constant_variable", "params.raters"),
    ("icc", {"raters": ["@a", "@b"]}, {"a": ["three", "4", "5"], "b": [1, 2, 3]}, "not_numeric", "params.raters"),
    ("icc", {"raters": ["@a", "@b"]}, {"a": [1, 2], "b": [1, 2]}, "too_few_observations", ""),
    ("bland_altman", {"first": "@a", "second": "@a"}, {"a": [1, 2, 3]}, "bad_option", "params.second"),
    ("bland_altman", {"first": "@a", "second": "@b"}, {"a": [1, 2, 3], "b": [2, 3, 4]}, "constant_variable", "params.first"),
    ("bland_altman", {"first": "@a", "second": "@b"}, {"a": [1, "Inf", 3], "b": [2, 3, 5]}, "not_numeric", "params.first"),
    ("bland_altman", {"first": "@a", "second": "@b"}, {"a": [1e300, 2, 3], "b": [2, 3, 5]}, "not_numeric", "params.first"),
    ("icc", {"raters": ["@a", "@b"]}, {"a": [1, 2, 3], "b": [1e200, 2, 3]}, "not_numeric", "params.raters"),
    ("bland_altman", {"first": "@a", "second": "@b"}, {"a": [], "b": []}, "all_missing", "params.first"),
]  # fmt: skip


@pytest.mark.sample(4)
@pytest.mark.parametrize(("name", "params", "columns", "code", "field"), CASES)
def test_refusals(service: Service, name: str, params: Mapping[str, Any], columns: Any, code: str, field: str) -> None:
    error = ask(service, name, params, columns, status=422)["error"]
    assert error["code"] == code, error
    assert error.get("field", "") == field
    assert error["message"].endswith((".", "!"))


EDGES: list[tuple[str, dict[str, Any], Any]] = [
    ("icc", {"raters": ["@a", "@b"]}, {"a": [1, 2, 3], "b": [1, 2, 3]}),  # agree completely
    ("icc", {"raters": ["@a", "@b"]}, {"a": [1, 2, 3], "b": [3, 4, 5]}),  # but for a constant
    ("icc", {"raters": ["@a", "@b"]}, {"a": [1, 2, 3], "b": [3, 2, 1.5]}),
    ("kappa", {"raters": ["@a", "@b"]}, {"a": ["x", "y", "x"], "b": ["x", "y", "x"]}),
    ("kappa", {"raters": ["@a", "@b"]}, {"a": ["x", "x", "x"], "b": ["y", "y", "x"]}),
    ("kappa", {"raters": ["@a", "@b", "@c"]}, {"a": ["x", "x", "y"], "b": ["x", "x", "y"], "c": ["x", "x", "y"]}),
    ("bland_altman", {"first": "@a", "second": "@b"}, {"a": [1, 2, 3], "b": [3, 2, 1]}),  # all means are the same
    ("roc", {"outcome": "@a", "score": "@b"}, {"a": [0, 1, 0, 1], "b": [1, 1, 2, 2]}),
    ("roc", {"outcome": "@a", "score": "@b"}, {"a": [1, 1, 0, 0], "b": [1, 1, 2, 2]}),
    ("diagnostic", {"test": "@a", "reference": "@b"}, {"a": [0, 0, 0, 0], "b": [0, 1, 0, 1]}),  # never positive
]


@pytest.mark.long
def test_edges_are_answered_and_their_scripts_agree(service: Service) -> None:
    run_scripts([(ask(service, name, params, columns, figures=["svg"]), columns) for name, params, columns in EDGES])


def test_words(service: Service) -> None:
    names = {HOSTILE[0]: WRIGHT, HOSTILE[1]: MINI}
    answer = ask(service, "bland_altman", {"first": f"@{HOSTILE[0]}", "second": f"@{HOSTILE[1]}"}, names)
    assert answer["sentence"]["plain"] == (
        "Bland-Altman analysis of if and x`; system('id'); `: mean "
        "difference (if minus x`; system('id'); `) −2.1 (95% CI −22.0 to 17.8; SD of the differences "
        "38.8), 95% limits of "
        "agreement from −78.1 (95% CI −112.6 to −43.6) to 73.9 (95% CI 39.3 to 108.4); 1 of 17 pairs lay outside; "
        "n = 17 pairs, none missing."
    )
    kappa = ask(service, "kappa", {"raters": ["@first", "@second"]}, THREE)["sentence"]
    assert kappa["plain"] == (
        "first and second agreed in 70 of 100 subjects (70.0%), against 47.5% expected by chance: Cohen's kappa 0.429 "
        "(95% CI 0.280 to 0.577; two-sided Wald test against 0, z = 5.64, p < 0.001; n = 100 subjects, none missing)."
    )
    assert "\\emph{p} $<$ 0.001" in kappa["latex"]
    assert ask(service, "icc", {"raters": [f"@{name}" for name in JUDGED]}, JUDGED)["sentence"]["plain"] == (
        "Agreement of judge 1, judge 2, judge 3 and judge 4 over 6 subjects: intraclass correlation "
        "ICC(2,1) = 0.29 (95% CI "
        "0.02 to 0.76; two-way random, absolute agreement, single rating; n = 6 subjects, none missing)."
    )


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ["roc", "bland_altman"])
def test_figures_alone(service: Service, kind: str) -> None:
    data = random_columns(3)
    _, first, second, *_, binary = data
    params = (
        {"first": f"@{first}", "second": f"@{second}"}
        if kind == "bland_altman"
        else {"outcome": f"@{binary}", "score": f"@{first}"}
    )
    figures = ask(service, f"figure/{kind}", params, data, figures=["svg", "png"])["figures"]
    assert [figure["format"] for figure in figures] == ["svg", "png"]
    assert base64.b64decode(figures[1]["base64"]).startswith(b"\x89PNG")
    assert figures[0]["alt"].endswith(".")
