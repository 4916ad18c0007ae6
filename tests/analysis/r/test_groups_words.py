"""Sentences, tables and advice of comparisons of groups, also with hostile column names."""

import base64
import math
import re
from typing import Any

import pytest

from analysis.r_client.local_service import LocalService
from tests.analysis.r.oracle import Columns, ask, at, dataset, run_scripts

pytestmark = pytest.mark.r

HOSTILE = [
    "if", 'x"; system("id"); "', "x`; system('id'); `", "x'); system('id'); ('", "\\", "😀 outcome", "हीमोग्लोबिन स्तर",
    "n" * 300, "=cmd|' /C calc'!A0", " ", "_^~#%&${}", "a\nb\tc\u2028d", "\u202eabc", "NA", "NULL", "function(x) x",
    "c1", "1",
]  # fmt: skip
NUMBERS = [3.1, 4.7, 2.2, 6.8, 5.5, 9.1, 7.3, 8.4, 1.9, 6.1, 4.4, 7.9]
OTHER = [2.9, 5.1, 2.8, 6.1, 6.5, 9.9, 7.0, 9.4, 1.1, 6.9, 4.0, 8.8]


@pytest.mark.long
def test_names_and_levels_are_only_labels(service: LocalService) -> None:
    """Each hostile name as a column and as a level; the scripts run and agree, and no sentence breaks its line."""
    results: list[tuple[Any, Columns]] = []
    for place, name in enumerate(HOSTILE):
        other = HOSTILE[(place + 1) % len(HOSTILE)] + "!"
        levels = ("factor", [name, other, name, other] * 3)
        columns: Columns = {name: NUMBERS, other: OTHER, name + "?": levels}
        outcome = {"outcome": "c1", "group": "c3"}
        asked: list[tuple[str, dict[str, Any]]] = [
            ("t_test", outcome), ("mann_whitney", outcome), ("anova", outcome), ("kruskal", outcome),
            ("paired_t", {"first": "c1", "second": "c2"}), ("wilcoxon", {"first": "c1", "second": "c2"}),
            ("one_sample_t", {"outcome": "c1"}), ("normality", {"columns": ["c1", "c2"]}),
            ("descriptive", {"columns": ["c1", "c2", "c3"]}),
            ("table1", {"columns": ["c1", "c2"], "group": "c3", "options": {"p_values": True, "smd": True}}),
        ]  # fmt: skip
        analysis, params = asked[place % len(asked)]
        found = ask(service, analysis, params, columns, figures=["svg"] if place % 3 == 0 else [])
        said = found["sentence"]["plain"]
        assert not re.search("[\x00-\x1f\u2028]", said), name
        assert len(said) < 3000
        results.append((found, columns))
    run_scripts(results)


def test_two_columns_of_one_name(service: LocalService) -> None:
    columns = [("dose", NUMBERS), ("dose", OTHER)]
    found = ask(service, "paired_t", {"first": "c1", "second": "c2"}, columns, figures=["svg"])
    run_scripts([(found, columns)])


def test_the_sentence_of_a_t_test(service: LocalService) -> None:
    columns = dataset("mtcars", "mpg", "am")
    said = ask(service, "t_test", {"outcome": "@mpg", "group": "@am"}, columns)["sentence"]
    assert said["plain"] == (
        "The mean of mpg was 17.15 (SD 3.83, n = 19) in am = 0 and 24.39 (SD 6.17, n = 13) in am = 1, "
        "higher in am = 1 than "
        "in am = 0: mean difference (am = 0 minus am = 1) −7.24 (95% CI −11.28 to −3.21; Welch two-sample "
        "t-test, two-sided, "
        "t(18.3) = −3.77, p = 0.001; Cohen's d = −1.48; n = 32, none missing)."
    )
    assert (
        r"(95\% CI $-$11.28 to $-$3.21; Welch two-sample t-test, two-sided, \emph{t}(18.3) = $-$3.77, \emph{p} = 0.001;"
        in said["latex"]
    )


def sentence(service: LocalService, analysis: str, params: dict[str, Any], columns: Columns, **more: Any) -> str:
    plain: str = ask(service, analysis, params, columns, **more)["sentence"]["plain"]
    assert "signific" not in plain
    assert "p = 0.000" not in plain
    return plain


BY = {"outcome": "@y", "group": "@g"}


def test_very_small_and_very_large_p(service: LocalService) -> None:
    apart: Columns = {"y": [k % 2 * 50 + k % 7 * 0.1 for k in range(60)], "g": ["ab"[k % 2] for k in range(60)]}
    found = ask(service, "t_test", BY, apart)
    assert found["statistics"]["p"] < 1e-20
    assert "p < 0.001" in found["sentence"]["plain"]
    same: Columns = {"y": [1, 1, 2, 2, 3, 3], "g": list("ababab")}
    assert "the same in both: mean difference (g = a minus g = b) 0.0 (95% CI −2.3 to 2.3; " in sentence(
        service, "t_test", BY, same
    )
    assert "p = 1.000" in sentence(service, "t_test", BY, same)


def test_missing_values_are_told(service: LocalService) -> None:
    columns: Columns = {"y": [*NUMBERS, None, None], "g": ("factor", [*("ab" * 6), "a", "b"])}
    found = ask(service, "t_test", BY, columns)
    assert found["n"] == {"total": 14, "used": 12, "missing": 2, "by_group": {"a": 6, "b": 6}}
    assert "n = 12, 2 rows left out for missing values)." in found["sentence"]["plain"]
    assert "2 rows were left out for missing values (complete cases)." in found["tables"][0]["footnotes"]


def test_digits_and_level_of_confidence(service: LocalService) -> None:
    columns = dataset("mtcars", "mpg", "am")
    said = sentence(service, "t_test", {"outcome": "@mpg", "group": "@am"}, columns, digits=1, conf_level=0.99)
    assert "mean difference (am = 0 minus am = 1) −7.2 (99% CI −12.8 to −1.7;" in said


def test_one_sided(service: LocalService) -> None:
    columns = dataset("mtcars", "mpg", "am")
    params = {"outcome": "@mpg", "group": "@am", "options": {"alternative": "less"}}
    found = ask(service, "t_test", params, columns)
    assert found["estimates"][0]["ci"][0] == "-Inf"
    assert (
        "95% one-sided interval: below −3.91; Welch two-sample t-test, one-sided for a higher mean in am "
        "= 1 than in am = 0," in found["sentence"]["plain"]
    )
    run_scripts([(found, columns)])


def test_advice_is_given_and_nothing_switched(service: LocalService) -> None:
    skewed: Columns = {"y": [2**k for k in range(12)], "g": list("ab" * 6)}
    found = ask(service, "t_test", BY, skewed)
    assert found["method"] == "Welch two-sample t-test"
    assert found["assumptions"][0]["status"] == "concern"
    assert found["recommendation"]["alternative_analysis"] == "mann_whitney"
    assert found["recommendation"]["strength"] == "advise"
    ordinal: Columns = {"y": ("ordered", list("123312132213"), ["1", "2", "3"]), "g": list("ab" * 6)}
    assert "ordinal" in ask(service, "t_test", BY, ordinal)["recommendation"]["text"]
    for analysis, alternative in (("anova", "kruskal"), ("paired_t", "wilcoxon")):
        columns: Columns = {"y": [2**k for k in range(12)], "g": list("abc" * 4), "z": [1.5] * 11 + [1]}
        params = BY if analysis == "anova" else {"first": "@y", "second": "@z"}
        assert ask(service, analysis, params, columns)["recommendation"]["alternative_analysis"] == alternative


def test_ranks_of_words_are_told_in_words(service: LocalService) -> None:
    levels = ["mild", "moderate", "severe"]
    columns: Columns = {"pain": ("ordered", [levels[k % 3] for k in range(6)] * 2, levels), "arm": list("aabbab" * 2)}
    found = ask(service, "mann_whitney", {"outcome": "@pain", "group": "@arm"}, columns)
    assert "was moderate (n = 6) in arm = a and severe (n = 6) in arm = b" in found["sentence"]["plain"]
    assert {row["median"] for row in found["tables"][0]["rows"]} <= {
        *levels,
        "between mild and moderate",
        "between moderate and severe",
    }
    assert "median_difference" not in [one["id"] for one in found["estimates"]]


# --- Table 1 ----------------------------------------------------------------------------------------------------------


def test_table_1_has_no_p_unless_asked(service: LocalService) -> None:
    columns: Columns = {
        "age": [61, 55, None, 70, 48, 66, 59, 52],
        "sex": ("factor", ["f", "m", "m", "f", "m", None, "m", "f"]),
        "arm": ("factor", ["steroid", "control", "steroid", "control"] * 2),
    }
    params: dict[str, Any] = {"columns": ["@age", "@sex"], "group": "@arm", "options": {"parametric": ["@age"]}}
    plain = ask(service, "table1", params, columns)
    table = plain["tables"][0]
    assert [column["key"] for column in table["columns"]] == ["variable", "all", "group_1", "group_2"]
    assert [column["label"] for column in table["columns"]] == [
        "Characteristic",
        "All (n = 8)",
        "control (n = 4)",
        "steroid (n = 4)",
    ]
    assert [(row["variable"], row.get("level", 0), row.get("group_2")) for row in table["rows"]] == [
        ("age, mean (SD)", 0, "56.0 (7.0)"), ("Missing", 1, "1"),
        ("sex, n (%)", 0, None), ("f", 1, "1 (25.0%)"), ("m", 1, "3 (75.0%)"), ("Missing", 1, "0"),
    ]  # fmt: skip
    assert plain["recommendation"] is None
    params["options"] |= {"p_values": True, "smd": True}
    full = ask(service, "table1", params, columns)
    notes = " ".join(full["tables"][0]["footnotes"])
    assert "p, age: Welch's t-test." in notes
    assert "p, sex: Fisher's exact test." in notes
    assert "SMD: standardised mean difference" in notes
    assert "randomised trial" in full["recommendation"]["text"]
    assert plain["sentence"]["plain"].startswith("The table shows age and sex of 8 rows by arm: 4 (50.0%) in control")


def test_standardised_differences_are_those_of_their_formulas(service: LocalService) -> None:
    columns: Columns = {
        "y": NUMBERS,
        "yes": ("factor", ["n", "y", "n", "y", "y", "y", "n", "n", "n", "y", "n", "y"]),
        "g": ("factor", list("ab" * 6)),
    }
    found = ask(service, "table1", {"columns": ["@y", "@yes"], "group": "@g", "options": {"smd": True}}, columns)
    a, b = NUMBERS[::2], NUMBERS[1::2]

    def moments(x: list[float]) -> tuple[float, float]:
        mean = sum(x) / len(x)
        return mean, sum((one - mean) ** 2 for one in x) / (len(x) - 1)

    numbers = abs(moments(a)[0] - moments(b)[0]) / math.sqrt((moments(a)[1] + moments(b)[1]) / 2)
    assert at(found, "effect_sizes.c1.smd.value") == pytest.approx(numbers)
    shares = [1 / 6, 5 / 6]  # of "y" among each group's six
    levels = abs(shares[0] - shares[1]) / math.sqrt(sum(p * (1 - p) for p in shares) / 2)
    assert at(found, "effect_sizes.c2.smd.value") == pytest.approx(levels)


# --- before a run, and figures alone ----------------------------------------------------------------------------------


def test_what_would_be_chosen(service: LocalService) -> None:
    columns: Columns = {"y": NUMBERS, "g": list("abc" * 4)}
    for options, method in (({}, "Welch's one-way ANOVA"), ({"var_equal": True}, "Fisher's one-way ANOVA")):
        found = ask(service, "validate/anova", BY | {"options": options}, columns)
        assert (found["ok"], found["method"]) == (True, method)
        assert "equal" in found["method_reason"]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("kind", "params"),
    [
        ("histogram", {"column": "@y"}),
        ("box", {"outcome": "@y", "group": "@g"}),
        ("box", {"outcome": "@y"}),
        ("bar", {"column": "@g", "group": "@h"}),
        ("bar", {"column": "@g"}),
        ("scatter", {"x": "@y", "y": "@z", "group": "@g"}),
        ("scatter", {"x": "@y", "y": "@z"}),
        ("qq", {"column": "@y"}),
    ],
)
def test_a_figure_alone(service: LocalService, kind: str, params: dict[str, Any]) -> None:
    columns: Columns = {
        "y": [*NUMBERS, None],
        "z": [*OTHER, 1],
        "g": list("abca" * 3) + ["b"],
        "h": ("factor", list("uvu" * 4) + ["u"]),
    }
    found = ask(service, f"figure/{kind}", params, columns, figures=["svg", "png"] if kind == "qq" else ["svg"])
    drawn = {one["format"]: base64.b64decode(one["base64"]) for one in found["figures"]}
    assert drawn["svg"].lstrip().startswith(b"<?xml")
    assert drawn.get("png", b"\x89PNG").startswith(b"\x89PNG")
    assert all(one["alt"] and one["caption"] for one in found["figures"])
    assert found["n"]["used"] == (12 if "y" in "".join(params.values()) else 13)
