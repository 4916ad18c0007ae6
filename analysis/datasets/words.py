"""Words that stand in cells of many data: for yes and no, for missing values, for steps of a scale."""

import re
from collections.abc import Sequence

from analysis.datasets.orders import by_numbers

YES = {"yes", "y", "ja", "oui", "si", "sí", "haan"}
NO = {"no", "n", "nein", "non", "nahi"}
# What is missing wherever it stands, and what is so among numbers and dates only: "None" and "Nil" are findings, too.
NEVER = {"na", "n/a", "n.a.", "n.a", "#n/a", "nan", "null", "<na>", "missing", "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!"}  # fmt: skip
ABSENT = NEVER | {".", "-", "--", "---", "\u2013", "\u2014", "?", "nil", "none", "not done", "nd", "n.d.", "not available", "not applicable", "not known", "unknown", "nk"}  # fmt: skip

ALIKE = [{"m", "male", "man"}, {"f", "female", "woman"}]  # in a column of nothing else

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
    r"(?:(?P<word>grade|stage|class|level|score|step|asa|nyha|killip|who|who fc|g|t|n|m)[ -]*)?(?P<number>i{1,3}|iv|v|vi|[0-9]{1,2})[ab]?",
    re.IGNORECASE,
)
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6}


def ordered_by(labels: Sequence[str]) -> list[str] | None:
    """`labels` from the least to the most, where their words or numbers say it: mild to severe, I to IV, "6 months" to
    "2 years"; None where nothing does."""
    low = [" ".join(one.casefold().split()) for one in labels]
    for order in ORDERS:
        if len(labels) > 1 and all(one in order for one in low) and len(labels) >= min(3, len(order)):
            return [label for _, label in sorted(zip(map(order.index, low), labels, strict=True))]
    if (
        len(labels) > 1
        and set(low) <= {"low", "high"} | {"mild", "severe"}
        and (set(low) in ({"low", "high"}, {"mild", "severe"}))
    ):
        return sorted(labels, key=lambda one: one.casefold() in ("high", "severe"))
    found = [_STEP.fullmatch(one) for one in low]
    if len(labels) > 2 and all(found):
        words = {(one["word"] or "").strip() for one in found if one}
        places = [_step(one) for one in found if one]
        if len(words) == 1 and len(set(places)) == len(places):
            return [label for _, label in sorted(zip(places, labels, strict=True))]
    return by_numbers(labels)


def _step(found: "re.Match[str]") -> tuple[float, str]:
    number = found["number"].lower()
    return float(_ROMAN.get(number) or number), found[0]


def natural(labels: Sequence[str]) -> list[str]:
    """Labels in the order people expect: no before yes, numbers by value, all else by the alphabet."""
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
