"""Common words in cells: for yes and no, missing values, steps of a scale, durations and ranges.

The numbers in labels may show their order: "10 days", "6 months", "2 years"; "< 1 year", "1-2 years", "> 5 years";
"18-30", "31-45", "over 60". When two of them overlap ("7" and "< 10", "30 days" and "1 month"), there is no order.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from analysis.datasets.units import Unit, convertible, in_two_parts, is_duration, unit_in, unknown_unit

YES = {"yes", "y", "ja", "oui", "si", "sí", "haan"}
NO = {"no", "n", "nein", "non", "nahi"}
# Words for missing in every column, and words for missing among numbers and dates only, since "None" may be a result.
MISSING_WORDS = {
    "na", "n/a", "n.a.", "n.a", "#n/a", "nan", "null", "<na>", "missing", "#div/0!", "#value!", "#ref!", "#name?",
    "#num!", "#null!",
}  # fmt: skip
MISSING_AMONG_NUMBERS = MISSING_WORDS | {
    ".", "-", "--", "---", "\u2013", "\u2014", "?", "nil", "none", "not done", "nd", "n.d.", "not available",
    "not applicable", "not known", "unknown", "nk",
}  # fmt: skip

SEX_WORDS = [{"m", "male", "man"}, {"f", "female", "woman"}]  # merged in a column with no other values

ORDERS = [
    ("none", "nil", "absent", "minimal", "mild", "moderate", "severe", "very severe", "critical"),
    ("very low", "low", "medium", "normal", "high", "very high"),
    ("never", "rarely", "sometimes", "often", "usually", "always"),
    ("strongly disagree", "disagree", "neither agree nor disagree", "neutral", "agree", "strongly agree"),
    ("very poor", "poor", "fair", "average", "good", "very good", "excellent"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
    ("small", "medium", "large"),
    ("underweight", "normal", "overweight", "obese", "morbidly obese"),
    ("illiterate", "primary", "middle", "secondary", "higher secondary", "graduate", "postgraduate"),
    ("i", "ii", "iii", "iv", "v", "vi"),
    ("-", "+", "++", "+++", "++++"),
    ("negative", "trace", "1+", "2+", "3+", "4+"),
    ("first", "second", "third", "fourth", "fifth"),
]
_STEP = re.compile(
    r"(?:(?P<word>grade|stage|class|level|score|step|asa|nyha|killip|who|who fc|g|t|n|m)[ -]*)?"
    r"(?P<number>i{1,3}|iv|v|vi|[0-9]{1,2})[ab]?",
    re.IGNORECASE,
)
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6}
_NUMBER = r"[0-9]+(?:[.,][0-9]+)?"
_BELOW = (
    r"<=?|≤|under|below|less than|fewer than|younger than|up to|within|unter|bis|weniger als|moins de|menos de|meno di"
)
_ABOVE = r">=?|≥|over|above|more than|greater than|older than|at least|über|ab|mehr als|plus de|más de|mas de|più di"
_MORE = (
    r"\+|plus|and above|or above|and more|or more|and over|or over|and older|or older"
    r"|und mehr|und älter|et plus|y más|e oltre"
)
_TO = r"-|–|—|to|bis|à|a"
_UNIT = r"[^\W\d_%°][^\d<>+–—]*?|[%°][^\d<>+–—]*?"
_LABEL = re.compile(
    rf"(?:(?P<below>{_BELOW})|(?P<above>{_ABOVE}))?\s*(?P<low>{_NUMBER})\s*(?P<unit>{_UNIT})?\s*"
    rf"(?:(?:(?<=[\s0-9])|(?=[-–—]))(?P<to>{_TO})(?:(?=[\s0-9]))\s*(?P<high>{_NUMBER})\s*(?P<unit_>{_UNIT})?)?"
    rf"(?:\s*(?P<more>{_MORE})\s*(?P<unit_of_more>{_UNIT})?)?(?:\s*old)?\.?",
    re.IGNORECASE,
)
_DAY = 86400
_MONTH = Fraction("30.4375") * _DAY  # on average; _SLACK covers the differences between months
_SLACK = 3 * _DAY
_ENDLESS = Fraction(10) ** 30


def ordered_by(labels: Sequence[str]) -> list[str] | None:
    """Return `labels` from low to high when their words or numbers show the order; else None.

    Examples are mild to severe, I to IV, "6 months" to "2 years".
    """
    low = [" ".join(one.casefold().split()) for one in labels]
    for order in ORDERS:
        if len(labels) > 1 and all(one in order for one in low) and len(labels) >= min(3, len(order)):
            return [label for _, label in sorted(zip(map(order.index, low), labels, strict=True))]
    if set(low) in ({"low", "high"}, {"mild", "severe"}):
        return sorted(labels, key=lambda one: one.casefold() in ("high", "severe"))
    found = [_STEP.fullmatch(one) for one in low]
    if len(labels) > 2 and all(found):
        places = [(float(_ROMAN.get(one["number"]) or one["number"]), one[0]) for one in found if one]
        if len({(one["word"] or "").strip() for one in found if one}) == 1 and len(set(places)) == len(places):
            return [label for _, label in sorted(zip(places, labels, strict=True))]
    return by_numbers(labels)


def natural_order(labels: Sequence[str]) -> list[str]:
    """Return labels in natural order: no before yes, numbers by value, others alphabetically."""
    low = {one.casefold() for one in labels}
    if len(labels) == 2 and low & NO and low & YES:
        return sorted(labels, key=lambda one: one.casefold() in YES)
    return sorted(
        labels,
        key=lambda one: [
            (0, int(part), "") if part.isdigit() and part.isascii() else (1, 0, part)
            for part in re.split(r"([0-9]{1,15})", one)
            if part
        ],
    )


class Interval(NamedTuple):
    """A range from `low` to `high` in a unit, or in none."""

    low: Fraction
    high: Fraction
    unit: Unit | None
    is_point: bool


@lru_cache(maxsize=4096)
def interval_of(label: str) -> Interval | None:
    """Return the range in a label: 1 to 2 for "1-2 years", from 5 for "> 5 years"; None for other labels."""
    if len(label) <= 60 and (two := in_two_parts(" ".join(label.split()))):
        return Interval(two[0], two[0], two[1], is_point=True)
    match = _LABEL.fullmatch(" ".join(label.split())) if len(label) <= 60 else None
    if match is None or (match["below"] and (match["above"] or match["to"] or match["more"])):
        return None
    low = _number(match["low"])
    high = _number(match["high"]) if match["high"] else low
    first, second = _unit(match["unit"]), _unit(match["unit_"] or match["unit_of_more"])
    if False in (first, second):
        return None
    if isinstance(first, Unit) and isinstance(second, Unit) and first.size != second.size:
        # "6 months - 2 years" in years
        if not convertible([first, second]) or first.factor is None or second.factor is None:
            return None
        low = low * first.factor / second.factor
    unit: Unit | None = second or first or None  # type: ignore[assignment]
    if high < low:
        return None
    if match["below"]:
        return Interval(-_ENDLESS, high, unit, is_point=False)
    if match["above"] or match["more"]:
        return Interval(low, _ENDLESS, unit, is_point=False)
    return Interval(low, high, unit, is_point=not match["to"])


def by_numbers(labels: Sequence[str]) -> list[str] | None:
    """Return `labels` from low to high by their numbers; None when these show no order."""
    intervals = [found for one in labels if (found := interval_of(one))]
    if len(intervals) < len(labels) or len(labels) < 2:
        return None
    units = [one.unit for one in intervals if one.unit]
    if len(labels) < 3 and not (units and all(map(is_duration, units))):
        return None
    spans = _spans(intervals, units)
    if spans is None:
        return None
    order = sorted(range(len(labels)), key=lambda at: (spans[at][0], spans[at][1]))
    if any(spans[one] == spans[next_] or spans[one][1] > spans[next_][0] for one, next_ in pairwise(order)):
        return None
    return [labels[at] for at in order]


def equal_durations(labels: Sequence[str]) -> dict[str, str]:
    """Return the durations that exactly equal another of `labels`: {"12 months": "1 year"}."""
    first: dict[tuple[object, Fraction], str] = {}
    same: dict[str, str] = {}
    for label in sorted(labels, key=len):
        one = interval_of(label)
        if one is None or one.unit is None or not one.is_point or not is_duration(one.unit) or one.unit.factor is None:
            continue
        length = (one.unit.dimension, one.low * one.unit.factor)
        if length in first:
            same[label] = first[length]
        else:
            first[length] = label
    return same


def _spans(intervals: Sequence[Interval], units: Sequence[Unit]) -> list[tuple[Fraction, Fraction]] | None:
    """Return the intervals on a common scale, or None without one. A bare number has the unit of the others."""
    if len({one.size for one in units}) <= 1:
        return [(one.low, one.high) for one in intervals]
    if len(units) < len(intervals):
        return None
    if convertible(list(units)):
        return [_scaled(one, one.unit.factor) for one in intervals if one.unit and one.unit.factor]
    return [_lasting(one) for one in intervals] if all(map(is_duration, units)) else None


def _scaled(one: Interval, factor: Fraction) -> tuple[Fraction, Fraction]:
    return tuple(end if abs(end) == _ENDLESS else end * factor for end in (one.low, one.high))  # type: ignore[return-value]


def _lasting(one: Interval) -> tuple[Fraction, Fraction]:
    """Return the shortest and longest length, in seconds, that a duration can have."""
    assert one.unit is not None
    assert one.unit.factor is not None
    if one.unit.dimension == (("s", 1),):
        return _scaled(one, one.unit.factor)
    low, high = _scaled(one, one.unit.factor * _MONTH)
    return (low if low == -_ENDLESS or not low else low - _SLACK, high if high == _ENDLESS else high + _SLACK)


def _number(text: str) -> Fraction:
    return Fraction(text.replace(",", "."))


def _unit(text: str | None) -> "Unit | None | bool":
    """Return the unit in a label, None for no text, and False for words that are not a unit."""
    if not (text or "").strip(" ."):
        return None
    return unit_in(str(text).strip()) or unknown_unit(str(text).strip()) or False
