"""The sentence of every analysis is clear on its own: it names columns, levels, counts and the direction."""

import json
import random
import re
from collections.abc import Mapping
from typing import Any

import pytest

from analysis.presentation.latex import sentence_latex
from analysis.presentation.plain_text import plain_text
from analysis.presentation.result_view import view_of_result
from analysis.r_client.local_service import LocalService
from tests.analysis.r.oracle import body_of, post

pytestmark = pytest.mark.r

Column = tuple[str, dict[str, Any], list[Any]]


def column(name: str, values: list[Any], type: str = "numeric", **more: Any) -> Column:
    return name, {"type": type, **more}, values


def births(low: str, high: str, no: str, yes: str, **labels: str) -> list[Column]:
    """189 births as they are known (Hosmer and Lemeshow): 29 of 115 and 30 of 74 of low weight."""
    smoke = [low] * 115 + [high] * 74
    light = [no] * 86 + [yes] * 29 + [no] * 44 + [yes] * 30
    return [
        column("smoke", smoke, "factor", levels=[low, high], label=labels.get("smoke", "")),
        column("low", light, "factor", levels=[no, yes], label=labels.get("light", "")),
    ]


def answer(service: LocalService, analysis: str, params: Mapping[str, Any], columns: list[Column]) -> dict[str, Any]:
    """What the service says; columns have label, unit and levels as Django sends them."""
    body = body_of(params, [(name, (more["type"], values)) for name, more, values in columns])
    for sent, (_, more, _) in zip(body.get("data", {}).get("columns", []), columns, strict=True):
        sent.update(more)
        if more.get("unit"):
            sent["label"] = f"{more.get('label') or sent['name']} ({more['unit']})"
    code, found = post(service, f"/v1/run/{analysis}", json.dumps(body).encode())
    assert code == 200, found
    made: dict[str, Any] = found
    return made


def plain_sentence(service: LocalService, analysis: str, params: Mapping[str, Any], columns: list[Column]) -> str:
    plain: str = answer(service, analysis, params, columns)["sentence"]["plain"]
    return plain


TABLE = {"row": "@smoke", "column": "@low"}
HB = [9.5, 10.2, 11.1, 8.7, 12.4, 10.8, 9.9, 11.6, 13.0, 12.2]
LATER = [10.1, 10.9, 11.0, 9.8, 12.9, 11.5, 10.4, 12.3, 13.2, 12.8]
ARM = ["control", "steroid"] * 5
OF_ARMS = column("hb", HB, label="Haemoglobin", unit="g/dl"), column("arm", ARM, "factor", label="Arm")
PAIR = column("hb1", HB, label="Hb before", unit="g/dl"), column("hb2", LATER, label="Hb after", unit="g/dl")
BY: dict[str, Any] = {"outcome": "@hb", "group": "@arm"}


def test_shares_with_labels_with_codes_and_in_another_script(service: LocalService) -> None:
    labelled = births("non-smokers", "smokers", "no", "yes", smoke="Smoking status", light="Low birth weight")
    assert plain_sentence(service, "chi_square", TABLE, labelled) == (
        "By Smoking status, Low birth weight was found in 29 of 115 (25.2%) among non-smokers and 30 of "
        "74 (40.5%) among "
        "smokers, more often among smokers than among non-smokers (Pearson chi-square test, uncorrected, χ²(1) = 4.92, "
        "p = 0.026; odds ratio (smokers against non-smokers, the reference) 2.02 (95% CI 1.08 to 3.77); "
        "Cramér's V = 0.16; "
        "n = 189, none missing)."
    )
    codes = plain_sentence(service, "chi_square", TABLE, births("0", "1", "0", "1"))
    assert codes.startswith(
        "low = 1 was found in 29 of 115 (25.2%) among smoke = 0 and 30 of 74 (40.5%) among smoke = 1,"
    )
    hindi = plain_sentence(
        service, "chi_square", TABLE, births("नहीं", "हाँ", "नहीं", "हाँ", smoke="धूम्रपान", light="कम वज़न")
    )
    assert hindi.startswith("कम वज़न = हाँ was found in 29 of 115 (25.2%) among धूम्रपान = नहीं and 30 of 74")
    named = plain_sentence(service, "chi_square", TABLE, births("0", "1", "Good", "Poor", light="Outcome"))
    assert named.startswith("Outcome was Poor in 29 of 115 (25.2%) among smoke = 0")


def test_means_with_unit_and_decimals_of_the_data(service: LocalService) -> None:
    assert plain_sentence(service, "t_test", BY, [*OF_ARMS]).startswith(
        "By Arm, the mean of Haemoglobin was 11.18 g/dl (SD 1.52, n = 5) in control and 10.70 g/dl (SD 1.35, n = 5) in "
        "steroid: mean difference (control minus steroid) 0.48 g/dl (95% CI "
    )
    whole = column("w", [3100, 2500, 2900, 2700, 3300, 2600], unit="g"), column("g", list("ababab"), "factor")
    assert "was 3100.0 g (SD 200.0, n = 3) in g = a and 2600.0 g (SD 100.0, n = 3) in g = b" in plain_sentence(
        service, "t_test", {"outcome": "@w", "group": "@g"}, [*whole]
    )
    tiny = column("conc", [0.0012, 0.0031, 0.0022, 0.0045, 0.0018, 0.0027]), column("g", list("ababab"), "factor")
    shares = plain_sentence(service, "t_test", {"outcome": "@conc", "group": "@g"}, [*tiny])
    decimals = {len(number.split(".")[1]) for number in re.findall(r"0\.00\d+", shares)}
    assert len(decimals) == 1


def test_what_a_one_sided_test_asked_is_said(service: LocalService) -> None:
    asked = BY | {"options": {"alternative": "less"}}
    assert "one-sided for a higher mean in steroid than in control" in plain_sentence(
        service, "t_test", asked, [*OF_ARMS]
    )
    labelled = births("non-smokers", "smokers", "no", "yes")
    more = plain_sentence(service, "fisher", TABLE | {"options": {"alternative": "greater"}}, labelled)
    assert "one-sided for a larger share of low = yes among smokers than among non-smokers" in more
    assert "Fisher's exact test, two-sided" in plain_sentence(service, "fisher", TABLE, labelled)


DIED = column("died", [0, 1, 1, 0, 1, 1, 0, 0, 0, 1], label="Death")
AGE = column("age", [54, 71, 63, 40, 50, 68, 59, 45, 66, 70], label="Age", unit="years")
TIME = column("time", [20, 5, 9, 28, 14, 3, 28, 25, 28, 11], label="Follow-up", unit="days")
READ = column("one", list("yynnynynyn"), "factor", label="First reader")
AGAIN = column("two", list("yynnynyynn"), "factor", label="Second reader")
THIRD = column("three", list("yynnynnnyn"), "factor", label="Third reader")
PAIRED: dict[str, Any] = {"first": "@hb1", "second": "@hb2"}
KEYS: list[tuple[str, dict[str, Any], tuple[Column, ...], tuple[str, ...]]] = [
    ("mann_whitney", BY, OF_ARMS, ("Haemoglobin", "By Arm", "(quartiles", "two-sided")),
    ("anova", BY, OF_ARMS, ("Haemoglobin", "By Arm", "g/dl (SD")),
    ("kruskal", BY, OF_ARMS, ("Haemoglobin", "By Arm")),
    ("one_sample_t", {"outcome": "@hb", "options": {"mu": 12}}, OF_ARMS[:1], ("Haemoglobin", "lower than the value 12 g/dl", "two-sided")),
    ("paired_t", PAIRED, PAIR, ("Hb before", "higher for Hb after than for Hb before", "(Hb before minus Hb after) −0.55 g/dl", "n = 10 pairs")),
    ("wilcoxon", PAIRED, PAIR, ("for Hb before", "higher ranks for Hb after than for Hb before", "n = 10 pairs")),
    ("friedman", {"columns": ["@hb1", "@hb2", "@age"]}, (*PAIR, AGE), ("for Hb before", "for Hb after", "for Age", "highest for Age")),
    ("chi_square_gof", {"column": "@arm"}, OF_ARMS[1:], ("Arm was control in 5 of 10 (50.0%)", "equal shares (50.0% each)")),
    ("mcnemar", {"row": "@one", "column": "@two"}, (READ, AGAIN), ("“y” was found in 5 of 10 (50.0%) for First reader", "for Second reader", "the same for both")),
    ("correlation", {"x": "@age", "y": "@hb"}, (AGE, OF_ARMS[0]), ("No correlation of Age and Haemoglobin was shown", "two-sided")),
    ("linear", {"outcome": "@hb", "predictors": ["@arm"]}, OF_ARMS, ("Haemoglobin", "lower for Arm = steroid than for control (reference) (difference −0.48 g/dl",)),
    ("logistic", {"outcome": "@died", "predictors": ["@age"]}, (DIED, AGE), ("Death = 1 (5 of 10, 50.0%)", "higher with each unit (years) more of Age (odds ratio")),
    ("cox", {"time": "@time", "event": "@died", "predictors": ["@age"]}, (TIME, DIED, AGE), ("Follow-up until Death = 1 (5 of 10, 50.0%)", "hazard was higher with each unit (years) more of Age (hazard ratio")),
    ("kaplan_meier", {"time": "@time", "event": "@died", "group": "@arm", "options": {"at": [10]}}, (TIME, DIED, OF_ARMS[1]), ("By Arm", "median of Follow-up until Death = 1", "share without Death = 1 at 10 days was", "in steroid")),
    ("roc", {"outcome": "@died", "score": "@age"}, (DIED, AGE), ("Age as a marker of Death = 1 (5 rows with and 5 without it)", "higher values count as pointing to Death = 1")),
    ("diagnostic", {"test": "@one", "reference": "@two", "options": {"event_value": "y"}}, (READ, AGAIN), ("Of 5 with Second reader = y, 4 had First reader = y: sensitivity 80.0%",)),
    ("kappa", {"raters": ["@one", "@two"]}, (READ, AGAIN), ("First reader and Second reader agreed in 8 of 10 subjects (80.0%)",)),
    ("kappa", {"raters": ["@one", "@two", "@three"]}, (READ, AGAIN, THIRD), ("First reader, Second reader and Third reader agreed",)),
    ("icc", {"raters": ["@hb1", "@hb2"]}, PAIR, ("Agreement of Hb before and Hb after over 10 subjects",)),
    ("bland_altman", PAIRED, PAIR, ("on average Hb before read lower than Hb after", "(Hb before minus Hb after) −0.55 g/dl")),
    ("normality", {"columns": ["@hb"]}, OF_ARMS[:1], ("skewness of Haemoglobin",)),
    ("descriptive", {"columns": ["@hb", "@arm"]}, OF_ARMS, ("mean of Haemoglobin was 10.94 g/dl", "Arm was control in 5 of 10 (50.0%)")),
    ("table1", {"columns": ["@hb"], "group": "@arm"}, OF_ARMS, ("Haemoglobin of 10 rows by Arm: 5 (50.0%) in control",)),
]  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("analysis", "params", "columns", "words"), KEYS, ids=[f"{row[0]}-{n}" for n, row in enumerate(KEYS)]
)
def test_each_sentence_names_what_it_is_about(
    service: LocalService, analysis: str, params: dict[str, Any], columns: tuple[Column, ...], words: tuple[str, ...]
) -> None:
    found = answer(service, analysis, params, [*columns])
    sentence = found["sentence"]["plain"]
    assert [one for one in words if one not in sentence] == [], sentence
    assert not re.search(r"group 1|group 2|the event\b|\bx and y\b|\bTRUE\b|caus|e[+-]\d\d", sentence)
    # LaTeX says the same with other symbols, and the page shows every estimate with the same numbers as the sentence.
    stripped = re.sub(r"\\emph\{([^{}]*)\}", r"\1", sentence_latex(found)).replace("$-$", "−").replace(r"\%", "%")
    assert re.findall(r"\d+(?:\.\d+)?", stripped.replace("$^2$", "²")) == re.findall(r"\d+(?:\.\d+)?", sentence)
    plain = plain_text(found)
    assert plain.startswith(sentence)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("analysis", "params", "columns", "ids"),
    [
        ("t_test", BY, OF_ARMS, ("mean_difference", "mean_1", "sd_1", "cohens_d")),
        ("paired_t", PAIRED, PAIR, ("mean_difference", "mean_1", "sd_2")),
        ("bland_altman", PAIRED, PAIR, ("bias", "loa_low", "sd")),
        ("logistic", {"outcome": "@died", "predictors": ["@age"]}, (DIED, AGE), ("or.c2",)),
        ("roc", {"outcome": "@died", "score": "@age"}, (DIED, AGE), ("auc",)),
        ("linear", {"outcome": "@hb", "predictors": ["@arm"]}, OF_ARMS, ("c2.steroid",)),
        ("diagnostic", {"test": "@one", "reference": "@two", "options": {"event_value": "y"}}, (READ, AGAIN), ("sensitivity", "specificity", "lr_pos")),
    ],
)  # fmt: skip
def test_the_list_of_numbers_rounds_as_the_sentence_does(
    service: LocalService, analysis: str, params: dict[str, Any], columns: tuple[Column, ...], ids: tuple[str, ...]
) -> None:
    found = answer(service, analysis, params, [*columns])
    made = view_of_result(found)
    shown = {one.id: one for one in [*made.estimates, *made.effect_sizes]}
    for name in ids:
        assert shown[name].value in made.sentence, name
        if shown[name].interval and name != "cohens_d":
            assert shown[name].interval in made.sentence, name
    lines = plain_text(found)
    assert all(f"{shown[name].value}" in lines for name in ids)


# --- edge cases: sentences must stay true ------------------------------------------------------------------------


def two(values: list[Any], groups: list[str]) -> list[Column]:
    return [column("y", values), column("g", groups, "factor")]


YG: dict[str, Any] = {"outcome": "@y", "group": "@g"}


def test_no_direction_where_there_is_none(service: LocalService) -> None:
    assert ", the same in both:" in plain_sentence(service, "t_test", YG, two([1, 1, 2, 2, 3, 3], list("ababab")))
    close = two([1, 1.00001, 2, 2, 3, 3], list("ababab"))
    assert ", nearly the same in both:" in plain_sentence(service, "t_test", YG, close)
    shares = [column("r", list("aabb") * 10, "factor"), column("c", ["n", "y"] * 20, "factor")]
    assert ", the same among both (" in plain_sentence(service, "chi_square", {"row": "@r", "column": "@c"}, shares)
    assert "no difference in ranks between" in plain_sentence(
        service, "mann_whitney", YG, two([1, 4, 2, 3], list("aabb"))
    )
    flat = [column("x", [1, 2, 3, 4, 5]), column("y", [1, 2, 3, 2, 1])]
    told = plain_sentence(service, "correlation", {"x": "@x", "y": "@y"}, flat)
    assert told.startswith("No correlation of x and y was shown")


def test_a_direction_is_told_where_the_test_found_one(service: LocalService) -> None:
    """Of two means that may be alike the numbers stand there, and no "higher in"."""
    found, none = two([*range(8), *range(20, 28)], list("aaaaaaaabbbbbbbb")), two([1, 4, 2, 6, 3, 5], list("aabbab"))
    assert "higher in g = b than in g = a" in plain_sentence(service, "t_test", YG, found)
    assert "higher" not in plain_sentence(service, "t_test", YG, none)
    assert "with higher ranks in g = b" in plain_sentence(service, "mann_whitney", YG, found)
    assert "higher" not in plain_sentence(service, "mann_whitney", YG, none)
    assert "higher in g = b than in g = a" in plain_sentence(service, "anova", YG, found)
    assert "higher" not in plain_sentence(service, "kruskal", YG, none)


def test_one_in_a_group_and_no_event_in_a_group(service: LocalService) -> None:
    alone = plain_sentence(service, "mann_whitney", YG, two([1, 2, 3, 4, 5], ["new drug", *["control"] * 4]))
    assert "1.0 (quartiles 1.0 to 1.0, n = 1) in new drug" in alone
    rows = [
        column("arm", ["treated", "control"] * 30, "factor"),
        column("death", ["no", "yes", "no", "no"] * 15, "factor"),
    ]
    none = plain_sentence(service, "chi_square", {"row": "@arm", "column": "@death"}, rows)
    assert "15 of 30 (50.0%) among control and 0 of 30 (0.0%) among treated, more often among control than" in none


def test_rows_left_out_are_counted(service: LocalService) -> None:
    gaps = two([1, 2, 3, 4, None, None, 7, 8], list("abababab"))
    assert "n = 6, 2 rows left out for missing values" in plain_sentence(service, "t_test", YG, gaps)
    counts = answer(service, "chi_square", {"counts": [[20, 10], [12, 18]]}, [])
    assert "missing" not in counts["sentence"]["plain"]
    assert "missing" not in " ".join(counts["tables"][0]["footnotes"])


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("first", "second"),
    [("A" * 120 + "1", "A" * 120 + "2"), ("+", "-"), ("$x$ & <b>", "50%_of {y}"), ("Ω-3", "ω-6"), ("1.5", "2"), ("true", "false")],
)  # fmt: skip
def test_levels_stay_apart_whatever_they_are(service: LocalService, first: str, second: str) -> None:
    found = answer(service, "t_test", YG, two([1.0, 2.5, 3.5, 4.0, 5.5, 6.0], [first, second] * 3))
    sentence, latex = found["sentence"]["plain"], found["sentence"]["latex"]
    (groups,) = re.findall(r"mean difference \((.*?) minus (.*?)\) [−\d]", sentence)
    assert groups[0] != groups[1]
    assert sentence.count(groups[0]) >= 2
    assert not re.search(r"(?<!\\)[&%_#]", latex)


def test_many_groups_are_told_by_their_ends(service: LocalService) -> None:
    columns = two([k % 8 + k / 100 for k in range(80)], [f"ward {k % 8}" for k in range(80)])
    sentence = plain_sentence(service, "anova", YG, columns)
    assert re.search(r"was from \d.* in ward 0 to \d.* in ward 7, the lowest and the highest of 8 groups", sentence)


@pytest.mark.long
def test_a_value_between_two_roundings_is_the_same_in_sentence_and_table(service: LocalService) -> None:
    """Quartiles such as 11.525 with two decimals: there round() of R and Python part."""
    rng = random.Random(3)
    for _ in range(5):
        columns = [column(name, [round(rng.gauss(12, 1.5), 1) for _ in range(40)]) for name in ("hb", "crp", "tsh")]
        found = answer(service, "descriptive", {"columns": ["@hb", "@crp", "@tsh"]}, columns)
        told = re.findall(r"quartiles ([0-9.]+) to ([0-9.]+)", found["sentence"]["plain"])
        lines = plain_text(found, {}).split("Numbers\n")[1].splitlines()
        cells = [line.split() for line in lines if line.startswith(("hb", "crp", "tsh"))]
        assert len(told) == 3
        assert [(row[6], row[8]) for row in cells] == told
