"""Facts about the values of a dataset that decide which analysis is advised."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import isfinite
from statistics import fmean, median, quantiles, stdev
from typing import Any

from analysis.advice.suggestion import Facts, Variable
from core.grouping import grouped

SKEWED = 1.0  # coefficient of skewness from which a distribution is called highly skewed (Bulmer 1979)
MOST_COUNTED = 10  # median above which a count can be analysed like any number
_COUNTS = re.compile(
    r"\b(number|no\.?|num|nr|n|count|total) of\b|\bcounts?\b|^n \w+s$|\b(episodes|attacks|falls|visits|admissions|"
    r"readmissions|exacerbations|seizures|relapses|infections|parity|gravida|lesions|cigarettes|children|siblings|"
    r"absences|events|hospitali[sz]ations)\b"
)
SD_OVER_MEAN = 1.0  # ratio above which values that are never negative are skewed (Altman and Bland 1996, BMJ 313:1200)
FAR = 3.0  # interquartile ranges beyond the quartiles: a far outlier (Tukey 1977)
Values = Sequence[Any]


def is_count(values: Values, *, is_said: bool = False) -> bool:
    """Return whether numbers look like counts: 0, 1, 2 ..., mostly small.

    With `is_said`, the name of the variable or the question says that it is a count, so any whole numbers count.
    """
    found = [float(value) for value in values if _is_number(value)]
    if len(set(found)) < 3 or min(found) < 0 or not all(value.is_integer() for value in found):
        return False
    return is_said or (min(found) <= 1 and median(found) <= MOST_COUNTED and 0 in found)


def counts_something(name: str) -> bool:
    """Return whether a column is named like a count: "number of falls", "n_seizures", "exacerbations"."""
    return bool(_COUNTS.search(name.lower().replace("_", " ")))


def facts_of(variables: Sequence[Variable], values: Mapping[str, Values]) -> Facts:
    """Return the facts about `variables`; `values` are their values by id, all of one length, None for missing."""
    parts = {role: [one for one in variables if one.role == role] for role in {one.role for one in variables}}

    def rows(*roles: str) -> list[tuple[Any, ...]]:
        """Return the rows without missing values in these roles."""
        columns = (values[one.id] for role in roles for one in parts.get(role, []))
        return [row for row in zip(*columns, strict=True) if None not in row]

    if {"outcome", "group"} <= parts.keys():
        return _of_two(parts["group"][0], parts["outcome"][0], rows("group", "outcome"))
    if {"x", "y"} <= parts.keys():
        x, y = parts["x"][0], parts["y"][0]
        return _of_two(y, x, rows("y", "x")) if y.level == "nominal" else _of_two(x, y, rows("x", "y"))
    if len(parts.get("measures", [])) == 2:
        return _of_pairs(rows("measures"))
    if {"outcome", "predictors"} <= parts.keys():
        complete = rows("outcome", "predictors")
        rarer = min(Counter(row[0] for row in complete).values(), default=0)
        return Facts(smallest=len(complete), events=rarer if parts["outcome"][0].is_yes_no else None)
    if {"time", "event"} <= parts.keys():
        return Facts(events=_event_count([row[0] for row in rows("event", "time", "by")]))
    return Facts()


def _of_two(group: Variable, outcome: Variable, rows: Sequence[tuple[Any, ...]]) -> Facts:
    """Return the facts about a comparison of groups; `rows` are (group, outcome)."""
    if group.level == outcome.level == "nominal":
        return Facts(least_expected=least_expected(rows))
    if outcome.level != "numeric":
        return Facts()
    groups = grouped((label, float(value)) for label, value in rows if _is_number(value))
    return Facts(
        smallest=min(map(len, groups.values()), default=None),
        skewed=any(is_skewed(one) or has_sd_above_mean(one) for one in groups.values()),
    )


def _of_pairs(rows: Sequence[tuple[Any, ...]]) -> Facts:
    differences = [float(a) - float(b) for a, b in rows if _is_number(a) and _is_number(b)]
    return Facts(smallest=len(differences), skewed=is_skewed(differences))


def least_expected(rows: Sequence[tuple[Any, ...]]) -> float | None:
    """Return the smallest expected count in the table of pairs of values; None without pairs."""
    if not rows:
        return None
    left, right = Counter(row[0] for row in rows), Counter(row[1] for row in rows)
    return min(left.values()) * min(right.values()) / len(rows)


def is_skewed(values: Sequence[float]) -> bool:
    """Return whether numbers are strongly skewed or have far outliers; False for fewer than 4, or if all are equal."""
    spread = _from_0_to_1([value for value in values if isfinite(value)])
    if len(spread) < 4:
        return False
    mean = fmean(spread)
    second, third = (fmean((value - mean) ** power for value in spread) for power in (2, 3))
    if abs(third / second**1.5) > SKEWED:
        return True
    low, _, high = quantiles(spread, n=4, method="inclusive")
    reach = FAR * (high - low)
    return reach > 0 and any(value < low - reach or value > high + reach for value in spread)


def has_sd_above_mean(values: Sequence[float]) -> bool:
    """Return whether the SD of non-negative numbers exceeds their mean, which a symmetric distribution excludes.

    False for fewer than 4 numbers, or fewer than 3 different ones (a yes or no).
    """
    most = max(values, default=0.0)
    if len(values) < 4 or len(set(values)) < 3 or min(values) < 0 or not isfinite(most):
        return False
    scaled = [value / most for value in values]
    return stdev(scaled) > SD_OVER_MEAN * fmean(scaled)


def _from_0_to_1(values: Sequence[float]) -> list[float]:
    """Return `values` scaled to 0 to 1, so that their powers cannot overflow; [] when all are equal."""
    most = max((abs(value) for value in values), default=0.0)
    scaled = [value / most for value in values] if most else []
    if not scaled or min(scaled) == max(scaled):
        return []
    low, width = min(scaled), max(scaled) - min(scaled)
    return [(value - low) / width for value in scaled]


def _event_count(values: Values) -> int:
    """Return how often an event happened: the count of its last value in order (0 1, 1 2, FALSE TRUE, no yes)."""
    found = sorted({str(value) for value in values})
    return sum(str(value) == found[-1] for value in values) if len(found) > 1 else len(values)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
