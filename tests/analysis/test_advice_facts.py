"""What the values say, where it decides what is advised."""

import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.advice.data_facts import facts_of, is_skewed, least_expected
from analysis.advice.suggest import Facts, Variable


def _groups(values: Any) -> int:
    return len(set(values) - {None})


def facts(values: Mapping[str, Any], **roles: tuple[str, str]) -> Facts:
    """Facts about `roles`: role -> (id, level); a role with a number behind it ("by_2") is the second of its kind."""
    variables = [
        Variable(id, role.partition("_")[0], level, _groups(values[id])) for role, (id, level) in roles.items()
    ]
    return facts_of(variables, values)


BELL = [random.Random(7).gauss(50, 10) for _ in range(40)]


def test_skew_and_outliers() -> None:
    assert not is_skewed(BELL)
    assert is_skewed([*BELL, 1000.0])
    assert is_skewed([2.0**n for n in range(12)])
    assert not is_skewed([1, 2])
    assert not is_skewed([3.0] * 20)
    assert not is_skewed([1, 2, 3, 4, float("inf")])


@pytest.mark.parametrize("unit", [1e-320, 1e-160, 1.0, 1e103, 1.7e155, 1.7e306])
def test_skew_is_the_same_in_any_unit(unit: float) -> None:
    assert is_skewed([0, 0, 0, 0, 0, 0, 0, 0, 0, 100 * unit])
    assert not is_skewed([n * unit for n in range(1, 101)])
    assert not is_skewed([-100 * unit, -50 * unit, 50 * unit, 100 * unit])


def test_the_smallest_group_and_its_skew() -> None:
    arm = ["a"] * 30 + ["b"] * 10
    found = facts({"c1": BELL, "c2": arm}, outcome=("c1", "numeric"), group=("c2", "nominal"))
    assert found == Facts(smallest=10, skewed=False)
    skewed = [2.0**n for n in range(40)]
    assert facts({"c1": skewed, "c2": arm}, outcome=("c1", "numeric"), group=("c2", "nominal")).wants_ranks
    both = {"c1": skewed, "c2": ["a", "b"] * 20}
    assert facts(both, x=("c2", "nominal"), y=("c1", "numeric")) == facts(
        both, x=("c1", "numeric"), y=("c2", "nominal")
    )


def test_an_sd_above_the_mean_of_what_is_never_negative_is_skew() -> None:
    arm = ["a", "b"] * 10
    stay = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 5, 5.1, 5.1, 5.2, 5.2, 4.9, 4.9]
    assert not is_skewed(stay)  # the shape alone does not give it away
    roles = {"outcome": ("c1", "numeric"), "group": ("c2", "nominal")}
    assert facts({"c1": stay, "c2": arm}, **roles).wants_ranks
    assert not facts({"c1": [value - 2 for value in stay], "c2": arm}, **roles).wants_ranks  # may be negative
    assert not facts({"c1": [value + 2 for value in stay], "c2": arm}, **roles).wants_ranks
    assert not facts({"c1": [0, 0, 1, 1] * 5, "c2": arm}, **roles).wants_ranks  # yes or no
    assert facts({"c1": [value * 1e307 for value in stay], "c2": arm}, **roles).wants_ranks


def test_rows_with_something_missing_do_not_count() -> None:
    values = {"c1": [1.0, None, 3.0, 4.0, 5.0], "c2": ["a", "a", None, "b", "b"]}
    assert facts(values, outcome=("c1", "numeric"), group=("c2", "nominal")).smallest == 1
    nothing = {"c1": [None], "c2": ["a"]}
    assert facts(nothing, outcome=("c1", "numeric"), group=("c2", "nominal")) == Facts()


def test_expected_counts() -> None:
    values = {"c1": ["x"] * 8 + ["y"] * 2, "c2": ["a", "b"] * 5}
    assert facts(values, outcome=("c1", "nominal"), group=("c2", "nominal")).least_expected == 1.0
    assert least_expected([]) is None


def test_pairs_are_looked_at_by_their_differences() -> None:
    before, after = [float(n) for n in range(10)], [float(n) for n in range(10)]
    after[0] = 900
    found = facts({"c1": before, "c2": after}, measures=("c1", "numeric"), measures_2=("c2", "numeric"))
    assert found == Facts(smallest=10, skewed=True)


@pytest.mark.parametrize("coding", [(0, 1), (1, 2), ("no", "yes"), ("FALSE", "TRUE")])
def test_events_are_counted_in_complete_rows(coding: tuple[Any, Any]) -> None:
    no, yes = coding
    values = {"c1": [1.0] * 10, "c2": [yes, yes, yes, no, no, no, no, no, no, yes], "c3": [1.0] * 9 + [None]}
    assert facts(values, time=("c1", "numeric"), event=("c2", "nominal"), by=("c3", "numeric")).events == 3
    assert facts(values, outcome=("c2", "nominal"), predictors=("c3", "numeric")) == Facts(smallest=9, events=3)
    assert facts(values, outcome=("c3", "numeric"), predictors=("c1", "numeric")).smallest == 9


cells = st.lists(
    st.none() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(max_size=2), min_size=6, max_size=6
)
levels = st.sampled_from(["nominal", "ordinal", "numeric"])


@given(
    a=cells,
    b=cells,
    one=levels,
    two=levels,
    pair=st.sampled_from(["outcome group", "x y", "measures measures", "time event", "outcome predictors"]),
)
def test_any_values_have_facts(a: list[Any], b: list[Any], one: str, two: str, pair: str) -> None:
    first, second = pair.split()
    variables = [Variable("c1", first, one, _groups(a)), Variable("c2", second, two, _groups(b))]
    assert isinstance(facts_of(variables, {"c1": a, "c2": b}), Facts)
