"""Cells that are a number with its unit: "10.1 g/dl", "72kg", "12,5 %", "1.5 x10^9/L".

Numbers of one unit are a column of numbers. Of several units nothing is merged: the column says which there are, with
their rows, and a person decides: convert all to one of them where that is exact, or leave the cells of the others out.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from analysis.datasets.cells import PLAIN, Style, number_of, number_text, unit_of
from analysis.datasets.grid import NAMED, in_words, remark
from analysis.datasets.units import Unit, convertible, unit_in, unknown_unit

if TYPE_CHECKING:
    import pandas as pd

MOST_LEFT_OUT = 100  # different cells that can be marked as missing at once
_LONGEST = 80  # characters of a cell that is looked at
_TWO = re.compile(r"(?P<first>[0-9]{1,3}(?:[.,][0-9])?)\s*/\s*(?P<second>[0-9]{1,3}(?:[.,][0-9])?)(?:\s*mm\s?hg)?", re.IGNORECASE)  # fmt: skip
_LIMIT = re.compile(r"[<>≤≥]=?\s*[0-9]")


class Measure(NamedTuple):
    """A number as it is kept, and its unit."""

    number: str
    unit: Unit


def measures_of(texts: Iterable[str], style: Style) -> dict[str, Measure]:
    """Those of `texts` that are a number with a unit. A unit nobody knows counts where all of them have that one."""
    begin = _beginning(style)
    known: dict[str, Measure] = {}
    unknown: dict[str, Measure] = {}
    for text in texts:
        if len(text) > _LONGEST or PLAIN.fullmatch(text):
            continue
        if (sign := unit_of(text)) and (number := number_of(text, style)) and (unit := unit_in(sign)):
            known[text] = Measure(number, unit)
            continue
        match = begin.match(text)
        number = number_of(match[0].strip(), style) if match and match[0].strip() else None
        if match is None or number is None:
            continue
        rest = text[match.end() :]
        if unit := unit_in(rest):
            known[text] = Measure(number, unit)
        elif rest[:1].isspace() and (unit := unknown_unit(rest)):
            unknown[text] = Measure(number, unit)
    if not known and len(unknown) > 2 and len({one.unit.size for one in unknown.values()}) == 1:
        return unknown
    return known


def _beginning(style: Style) -> "re.Pattern[str]":
    """The number at the beginning of a cell."""
    thousands = rf"['’\u00a0\u2007\u2009\u202f {re.escape(style.thousands)}]"
    return re.compile(
        rf"[+−–-]?(?:[0-9]{{1,3}}(?:{thousands}[0-9]{{2,3}})*{thousands}[0-9]{{3}}(?![0-9^*])|[0-9]+)?"
        rf"(?:{re.escape(style.decimal)}[0-9]+)?(?:[eE][+-]?[0-9]{{1,3}}(?![0-9^]))?"
    )


def units_in(measures: Mapping[str, Measure], counts: Mapping[str, int]) -> list[Unit]:
    """The different units, the most frequent first, each as it is written most often."""
    spelled: dict[Any, Counter[str]] = {}
    units: dict[tuple[Any, str], Unit] = {}
    for text, one in measures.items():
        spelled.setdefault(one.unit.size, Counter())[one.unit.text] += counts[text]
        units[one.unit.size, one.unit.text] = one.unit
    sizes = sorted(spelled, key=lambda size: -spelled[size].total())
    return [units[size, spelled[size].most_common(1)[0][0]] for size in sizes]


def mixture(cells: "pd.Series[Any]", measures: Mapping[str, Measure], missing: Iterable[str]) -> list[dict[str, Any]]:
    """What a column says of its units, [{unit, count, rows}], the most frequent first; a number without one has ""."""
    left_out = {"", *missing}
    counts = Counter(text for text in cells if text not in left_out)
    found = []
    for unit in units_in(measures, counts):
        own = {text for text, one in measures.items() if one.unit.size == unit.size}
        found.append(_part(unit.text, own, cells))
    if bare := {text for text in counts if PLAIN.fullmatch(text)}:
        found.append(_part("", bare, cells))
    return found


def _part(unit: str, texts: set[str], cells: "pd.Series[Any]") -> dict[str, Any]:
    rows = [int(row) for row, text in zip(cells.index, cells, strict=True) if text in texts]
    return {"unit": unit, "count": len(rows), "rows": rows[:NAMED]}


def can_convert(mixed: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the units of a column turn into each other exactly."""
    units = [unit_in(one["unit"]) for one in mixed if one["unit"]]
    known = [one for one in units if one is not None]
    return len(known) == len(units) > 1 and convertible(known)


def converted(one: Measure, target: Unit) -> str:
    """The number of `one` in the unit `target`, of the same dimension."""
    assert one.unit.factor is not None
    assert target.factor is not None
    return number_text(float(Fraction(one.number) * one.unit.factor / target.factor))


def question(mixed: Sequence[Mapping[str, Any]]) -> str:
    """What stands in a column of several units, and what can be done, in words."""
    told = []
    for one in mixed:
        rows = (
            in_words(one["rows"])
            if one["count"] == len(one["rows"])
            else f"{one['count']:,} rows, the first {one['rows'][0]}"
        )
        told.append(f"{one['unit'] or 'no unit'} ({rows})")
    parts = f"{', '.join(told[:-1])} and {told[-1]}"
    if can_convert(mixed):
        return f"Several units stand in it: {parts}. Nothing was converted: choose what to do with them."
    return (
        f"Several units stand in it: {parts}. Nothing was converted: no fixed factor leads from one to the other (from mg/dl to "
        "mmol/l it depends on the substance). Convert them in the file, or leave the cells of one unit out."
    )


def is_limit(text: str) -> bool:
    """Whether a cell says that a value lies beyond a limit: "<0.01", "> 500 ng/ml"."""
    return bool(_LIMIT.match(text))


def limits_words(count: int) -> str:
    """What values beyond a limit are, and what to do with them; it goes on behind "is no number"."""
    return (
        f": {'it lies' if count == 1 else 'they lie'} beyond a limit, such as one of detection. No number was put in "
        f"{'its' if count == 1 else 'their'} place. Mark {'it' if count == 1 else 'them'} as missing, make groups of the column, or enter "
        "in the file the value that your methods section gives for it."
    )


def two_numbers(texts: Iterable[str]) -> list[str]:
    """Those of `texts` that are two numbers: a blood pressure, "120/80"."""
    return [text for text in texts if _TWO.fullmatch(text)]


def are_pressures(texts: Sequence[str]) -> bool:
    """Whether pairs look like systolic and diastolic pressure: both of two or three figures, the first larger."""
    pairs = [match for text in texts if (match := _TWO.fullmatch(text))]
    return bool(pairs) and all(len(one["first"]) >= 2 and len(one["second"]) >= 2 for one in pairs) and (
        sum(float(one["first"].replace(",", ".")) > float(one["second"].replace(",", ".")) for one in pairs) > 0.9 * len(pairs)
    )  # fmt: skip


def units_remarks(
    column: Mapping[str, Any], cells: "pd.Series[Any]", measures: Mapping[str, Measure], bare: set[str]
) -> list[dict[str, Any]]:
    """What people should know of a column of one unit. `cells` are as the file has them, `bare` those without a unit."""
    found = []
    if rows := [int(row) for row, text in zip(cells.index, cells, strict=True) if text in bare]:
        said = f"No unit stands in {in_words(rows)}: taken as {column['unit']}, as in the other cells. If that is wrong, correct the file."
        found.append(remark("warning", "no_unit", said, rows, column["id"]))
    spellings = sorted({one.unit.text for one in measures.values()})
    if len(spellings) > 1:
        said = f"Read as the same unit: {', '.join(spellings[:6])}."
        found.append(remark("note", "unit_spellings", said, column=column["id"]))
    return found
