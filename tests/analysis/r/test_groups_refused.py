"""Data that a comparison of groups cannot take is refused with the contract's code, and never breaks R."""

from typing import Any

import pytest

from analysis.r_client.local_service import LocalService
from tests.analysis.r.oracle import Columns, ask, codes, run_scripts

pytestmark = pytest.mark.r

Y = [1.5, 2.5, 3.5, 5.5, 6.5, 8.0]
ABAB = ["a", "b", "a", "b", "a", "b"]
BY = {"outcome": "@y", "group": "@g"}
PAIR = {"first": "@y", "second": "@z"}
INF: list[Any] = ["Inf", 1, 2, 3, 4, 5]

REFUSED: list[tuple[str, str, dict[str, Any], Columns, dict[str, Any]]] = [
    # (what, analysis, params, columns, what the error must hold)
    ("constant", "t_test", BY, {"y": [5] * 6, "g": ABAB}, {"code": "constant_variable", "column": "c1"}),
    ("one level", "t_test", BY, {"y": Y[:3], "g": ["a"] * 3}, {"code": "group_levels", "field": "params.group"}),
    ("three levels", "t_test", BY, {"y": Y, "g": ["a", "a", "b", "b", "c", "c"]}, {"code": "group_levels", "suggest": "anova"}),
    ("three levels", "mann_whitney", BY, {"y": Y, "g": ["a", "a", "b", "b", "c", "c"]}, {"code": "group_levels", "suggest": "kruskal"}),
    ("text in a number", "t_test", BY, {"y": ("numeric", ["12", "13", "<5", "14"]), "g": ABAB[:4]}, {"code": "not_numeric", "column": "c1"}),
    ("no such column", "t_test", {"outcome": "c9", "group": "@g"}, {"y": Y, "g": ABAB}, {"code": "unknown_column"}),
    ("missing column", "t_test", {"outcome": "@y"}, {"y": Y, "g": ABAB}, {"code": "unknown_column", "field": "params.group"}),
    ("one column twice", "t_test", {"outcome": "@y", "group": "@y"}, {"y": [1, 2, 1, 2]}, {"code": "bad_option"}),
    ("infinite", "t_test", BY, {"y": ("numeric", INF), "g": ABAB}, {"code": "not_numeric"}),
    ("one value in a group", "t_test", BY, {"y": Y[:4], "g": ["a", "a", "a", "b"]}, {"code": "too_few_observations"}),
    ("spread in no group", "t_test", BY, {"y": [1, 2, 1, 2], "g": ABAB[:4]}, {"code": "constant_variable"}),
    ("squares that are infinite", "anova", BY, {"y": [1e160, *Y[1:]], "g": ABAB}, {"code": "not_numeric", "column": "c1"}),
    ("squares that are infinite", "wilcoxon", PAIR, {"y": Y, "z": [-1e300, *Y[1:]]}, {"code": "not_numeric", "column": "c2"}),
    ("squares that are nothing", "one_sample_t", {"outcome": "@y"}, {"y": [k * 1e-310 for k in range(1, 7)]}, {"code": "constant_variable"}),
    ("nothing known", "t_test", BY, {"y": ("numeric", [None] * 4), "g": ABAB[:4]}, {"code": "all_missing"}),
    ("group gone once rows are out", "t_test", BY, {"y": [1, None, 2, None, 3, None, 4], "g": [*ABAB, "a"]}, {"code": "group_levels"}),
    ("no rows", "t_test", BY, {"y": ("numeric", []), "g": []}, {"code": "all_missing"}),
    ("one row", "t_test", BY, {"y": [1], "g": ["a"]}, {"code": "group_levels"}),
    ("bad option", "t_test", BY | {"options": {"alternative": "both"}}, {"y": Y, "g": ABAB}, {"code": "bad_option"}),
    ("unknown option", "anova", BY | {"options": {"posthoc": "tukey"}}, {"y": Y, "g": ABAB}, {"code": "bad_option"}),
    ("flat group", "anova", BY, {"y": [1, 1, 2, 3, 4, 5], "g": ["a", "a", "b", "b", "c", "c"]}, {"code": "constant_variable", "suggest": "kruskal"}),
    ("all but equal", "t_test", BY, {"y": [1e15 + k % 2 for k in range(6)], "g": ["a"] * 3 + ["b"] * 3}, {"code": "constant_variable"}),
    ("500 levels", "anova", BY, {"y": list(range(1000)), "g": ("factor", [f"l{k // 2}" for k in range(1000)])}, {"code": "group_levels"}),
    ("constant", "kruskal", BY, {"y": [3] * 6, "g": ABAB}, {"code": "constant_variable"}),
    ("words", "kruskal", BY, {"y": ("factor", list("uvwxyz")), "g": ABAB}, {"code": "not_numeric"}),
    ("constant", "one_sample_t", {"outcome": "@y"}, {"y": [5] * 5}, {"code": "constant_variable"}),
    ("one value", "one_sample_t", {"outcome": "@y"}, {"y": [5, None]}, {"code": "too_few_observations"}),
    ("mu is text", "one_sample_t", {"outcome": "@y", "options": {"mu": "5"}}, {"y": Y}, {"code": "bad_option"}),
    ("equal differences", "paired_t", PAIR, {"y": Y, "z": [k + 1 for k in Y]}, {"code": "constant_variable"}),
    ("one column twice", "paired_t", {"first": "@y", "second": "@y"}, {"y": Y}, {"code": "bad_option"}),
    ("no pair", "paired_t", PAIR, {"y": [1, None, 2], "z": [None, 2, None]}, {"code": "too_few_observations"}),
    ("no difference", "wilcoxon", PAIR, {"y": Y, "z": Y}, {"code": "constant_variable"}),
    ("two measurements", "friedman", {"columns": ["@y", "@z"]}, {"y": Y, "z": Y[::-1]}, {"code": "group_levels", "suggest": "wilcoxon"}),
    ("rows all tied", "friedman", {"columns": ["@a", "@b", "@c"]}, {"a": Y, "b": Y, "c": Y}, {"code": "constant_variable"}),
    ("two rows", "friedman", {"columns": ["@a", "@b", "@c"]}, {"a": [1, 2], "b": [2, 3], "c": [3, 1]}, {"code": "too_few_observations"}),
    ("constant", "normality", {"columns": ["@y"]}, {"y": [1, 1, None]}, {"code": "constant_variable"}),
    ("no columns", "descriptive", {"columns": []}, {"y": Y}, {"code": "unknown_column"}),
    ("nothing known", "descriptive", {"columns": ["@g"]}, {"g": ("factor", [None, None])}, {"code": "all_missing"}),
    ("text in a number", "descriptive", {"columns": ["@y"]}, {"y": ("numeric", [1, "x"])}, {"code": "not_numeric"}),
    ("text in a number", "table1", {"columns": ["@y"], "group": "@g"}, {"y": ("numeric", [1, "x"]), "g": ["a", "b"]}, {"code": "not_numeric"}),
    ("the groups as a characteristic", "table1", {"columns": ["@y", "@g"], "group": "@g"}, {"y": Y, "g": ABAB}, {"code": "bad_option"}),
    ("one group", "table1", {"columns": ["@y"], "group": "@g"}, {"y": Y, "g": ["a"] * 6}, {"code": "group_levels"}),
    ("many levels", "table1", {"columns": ["@t"]}, {"t": ("text", [f"v{k}" for k in range(60)])}, {"code": "group_levels", "column": "c1"}),
    ("unknown among the parametric", "table1", {"columns": ["@y"], "options": {"parametric": ["c9"]}}, {"y": Y}, {"code": "unknown_column"}),
    ("other scales", "wilcoxon", PAIR, {"y": ("ordered", ["lo", "hi"], ["lo", "hi"]), "z": ("ordered", ["no", "yes"], ["no", "yes"])}, {"code": "bad_option"}),
    ("constant", "figure/qq", {"column": "@y"}, {"y": [2, 2, 2]}, {"code": "constant_variable"}),
    ("nothing known", "figure/histogram", {"column": "@y"}, {"y": ("numeric", [None, None])}, {"code": "all_missing"}),
    ("many groups", "figure/bar", {"column": "@g"}, {"g": ("factor", [f"l{k}" for k in range(40)])}, {"code": "group_levels"}),
]  # fmt: skip


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("what", "analysis", "params", "columns", "expected"), REFUSED, ids=[f"{one[1]}: {one[0]}" for one in REFUSED]
)
def test_refused(
    service: LocalService, what: str, analysis: str, params: dict[str, Any], columns: Columns, expected: dict[str, Any]
) -> None:
    error = ask(service, analysis, params, columns, status=422)["error"]
    assert {key: error.get(key) for key in expected} == expected, error
    assert error["message"].endswith(".")


def test_a_bad_cell_is_named_with_its_row(service: LocalService) -> None:
    columns = {"Level (mg)": ("numeric", ["12", "13", "<5", "14"]), "g": ABAB[:4]}
    error = ask(service, "t_test", {"outcome": "@Level (mg)", "group": "@g"}, columns, status=422)["error"]
    assert "Level (mg)" in error["message"]
    assert "“<5” in row 3" in error["message"]


EXTREME: list[tuple[str, str, dict[str, Any], Columns]] = [
    ("two rows", "descriptive", {"columns": ["@y"]}, {"y": [1, None], "z": [1, 2]}),
    ("constant", "descriptive", {"columns": ["@y"]}, {"y": [7, 7, 7]}),
    ("500 texts", "descriptive", {"columns": ["@t"]}, {"t": ("text", [f"v{k}" for k in range(500)])}),
    ("dates", "descriptive", {"columns": ["@d"]}, {"d": ("date", ["2024-02-29", None, "2023-01-01"]), "z": [1, 2, 3]}),
    ("logical", "descriptive", {"columns": ["@b"]}, {"b": [True, False, None], "z": [1, 2, 3]}),
    ("huge", "descriptive", {"columns": ["@y"]}, {"y": [1e100, -1e100, 1e-300]}),
    ("constant, all tests", "table1", {"columns": ["@y", "@k"], "group": "@g", "options": {"p_values": True, "smd": True, "parametric": ["@y"]}},
        {"y": [2] * 6, "k": ("factor", ["x"] * 6), "g": ABAB}),
    ("group without values", "table1", {"columns": ["@y", "@k"], "group": "@g", "options": {"p_values": True, "smd": True}},
        {"y": [1, None, 2, None, 4, None], "k": ("factor", ["x", None, "y", None, "y", None]), "g": ABAB}),
    ("disjoint levels", "table1", {"columns": ["@k"], "group": "@g", "options": {"p_values": True, "smd": True}}, {"k": ("factor", ABAB), "g": ABAB}),
    ("many small counts", "table1", {"columns": ["@k"], "group": "@g", "options": {"p_values": True}},
        {"k": ("factor", [f"k{n * n % 37}" for n in range(400)]), "g": ("factor", [f"g{n % 7}" for n in range(400)])}),
    ("group partly missing", "table1", {"columns": ["@y"], "group": "@g"}, {"y": Y, "g": ("factor", ["a", "b", None, "a", "b", None])}),
    ("no group", "table1", {"columns": ["@y"], "options": {"p_values": True, "smd": True}}, {"y": Y}),
    ("three groups", "table1", {"columns": ["@y", "@z"], "group": "@g", "options": {"p_values": True, "smd": True, "parametric": ["@z"]}},
        {"y": [*Y, 2, 9, 4], "z": [*Y[::-1], 4, 1, 2], "g": list("abcabcabc")}),
    ("ties", "mann_whitney", BY, {"y": [1, 1, 1, 2, 2, 2], "g": ABAB}),
    ("complete separation", "mann_whitney", BY, {"y": [1, 10, 2, 11, 3, 12], "g": ABAB}),
    ("three rows", "mann_whitney", BY, {"y": [1, 2, 3], "g": list("aab")}),
    ("ordinal", "mann_whitney", BY, {"y": ("ordered", ["mild", "severe", "mild", "moderate", "moderate", "severe"], ["mild", "moderate", "severe"]), "g": ABAB}),
    ("ordinal with numbers", "mann_whitney", BY, {"y": ("ordered", ["1", "3", "2", "2", "1", "3"], ["1", "2", "3"]), "g": ABAB}),
    ("ordinal", "kruskal", BY, {"y": ("ordered", ["mild", "severe", "mild", "moderate", "moderate", "severe"], ["mild", "moderate", "severe"]), "g": list("aabbcc")}),
    ("ordinal", "wilcoxon", PAIR, {"y": ("ordered", ["lo", "hi", "mid", "mid"], ["lo", "mid", "hi"]), "z": ("ordered", ["hi", "hi", "hi", "hi"], ["lo", "mid", "hi"])}),
    ("two pairs", "wilcoxon", PAIR, {"y": [1, 2], "z": [2, 4]}),
    ("zeros and ties", "wilcoxon", PAIR, {"y": [1, 2, 3, 4], "z": [1, 3, 4, 4]}),
    ("one side constant", "paired_t", PAIR, {"y": Y, "z": [3] * 6}),
    ("25 groups", "anova", BY, {"y": [(k * 7) % 13 + k % 3 for k in range(100)], "g": ("factor", [f"g{k % 25}" for k in range(100)])}),
    ("flat group, Fisher", "anova", BY | {"options": {"var_equal": True}}, {"y": [1, 1, 2, 3, 4, 5], "g": list("aabbcc")}),
    ("two flat groups, Fisher", "anova", BY | {"options": {"var_equal": True}}, {"y": [1, 1, 2, 2, 4, 5], "g": list("aabbcc")}),
    ("two groups", "anova", BY, {"y": Y, "g": ABAB}),
    ("huge effect", "anova", BY, {"y": [k % 3 * 1e6 + k * 1e-3 for k in range(300)], "g": [str(k % 3) for k in range(300)]}),
    ("groups of one", "kruskal", BY, {"y": Y, "g": list("abcdef")}),
    ("ordinal", "friedman", {"columns": ["@a", "@b", "@c"]}, {name: ("ordered", values, ["lo", "mid", "hi"]) for name, values in
        {"a": ["lo", "lo", "mid", "lo"], "b": ["mid", "hi", "hi", "mid"], "c": ["hi", "mid", "hi", "hi"]}.items()}),
    ("p of 1e-20 and less", "t_test", BY, {"y": [k % 2 * 50 + k % 7 * 0.1 for k in range(60)], "g": [str(k % 2) for k in range(60)]}),
    ("p of 1", "t_test", BY, {"y": [1, 1, 2, 2, 3, 3], "g": ABAB}),
    ("two values", "normality", {"columns": ["@y", "@z"]}, {"y": [1, 2, None, None], "z": [1, 2, 3, 5]}),
    ("all but equal", "normality", {"columns": ["@y"]}, {"y": [1e12, 1e12 + 1e-3, 1e12 + 2e-3, 1e12 + 3e-3]}),
    ("logical outcome", "t_test", BY, {"y": [True, False, False, True, True, False], "g": list("aaabbb")}),
]  # fmt: skip


DRAWN = {"two rows", "dates", "huge", "three rows", "25 groups", "ordinal", "two values", "one side constant"}


@pytest.mark.long
def test_what_is_odd_but_can_be_answered(service: LocalService) -> None:
    """Answers with figures, no warning of R's own, and scripts that agree."""
    results = []
    for what, analysis, params, columns in EXTREME:
        found = ask(service, analysis, params, columns, figures=["svg"] if what in DRAWN else [])
        assert "r_warning" not in codes(found), (what, analysis, found["warnings"])
        assert found["sentence"]["plain"].endswith("."), (what, analysis)
        assert isinstance(found["effect_sizes"], list), (what, analysis)
        assert isinstance(found["tables"], list), (what, analysis)
        results.append((found, columns))
    run_scripts(results)
