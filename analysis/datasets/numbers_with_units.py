"""Cells with a number and its unit: "10.1 g/dl", "72kg", "12,5 %", "1.5 x10^9/L".

Numbers with one unit make a numeric column. Several units are never mixed: the column lists them with their rows, and
the user decides: convert all to one unit where that is exact, or leave out the cells with the other units.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from analysis.datasets.parse_cells import PLAIN, Style, number_of, number_text, unit_of
from analysis.datasets.table_layout import NAMED, remark, rows_in_words
from analysis.datasets.units import Unit, convertible, in_two_parts, is_duration, unit_in, unknown_unit
from core.errors import Refused

if TYPE_CHECKING:
    import pandas as pd

MOST_LEFT_OUT = 100  # different cells that can be marked as missing at once
_LONGEST = 80  # characters of a cell that is examined
_TWO = re.compile(
    r"(?P<first>[0-9]{1,3}(?:[.,][0-9])?)\s*/\s*(?P<second>[0-9]{1,3}(?:[.,][0-9])?)(?:\s*mm\s?hg)?", re.IGNORECASE
)
_LIMIT = re.compile(r"[<>≤≥]=?\s*[0-9]")

_DEGREES = {one.size for one in map(unit_in, ("°C", "°F")) if one}
_OF_MASS, _OF_MOLES = (
    {one.dimension for one in map(unit_in, units.split()) if one}
    for units in ("mg/dl mg g/24h µg/kg", "mmol/l mmol mmol/24h µmol/kg")
)


class Measure(NamedTuple):
    """A number in its stored form, and its unit."""

    number: str
    unit: Unit


def measures_of(texts: Iterable[str], style: Style) -> dict[str, Measure]:
    """Return the `texts` that are a number with a unit. An unknown unit counts only when all have the same one."""
    begin = _beginning(style)
    known: dict[str, Measure] = {}
    letters: dict[str, Measure] = {}  # with C and F, which are degrees when other cells have degrees
    unknown: dict[str, Measure] = {}
    for text in texts:
        if len(text) > _LONGEST or PLAIN.fullmatch(text):
            continue
        if one := _measure(text, begin, style):
            is_letter = one.unit.text.upper() in ("C", "F")
            (letters if is_letter else known if unit_in(one.unit.text) else unknown)[text] = one
    if any(one.unit.size in _DEGREES for one in known.values()):
        known |= letters
    if not known and len(unknown) > 2 and len({one.unit.size for one in unknown.values()}) == 1:
        return unknown
    return known


def _measure(text: str, begin: "re.Pattern[str]", style: Style) -> Measure | None:
    if two := in_two_parts(text, style.decimal):
        return Measure(number_text(float(two[0])), two[1])
    if (sign := unit_of(text)) and (number := number_of(text, style)) and (unit := unit_in(sign)):
        return Measure(number, unit)
    match = begin.match(text)
    number = number_of(match[0].strip(), style) if match and match[0].strip() else None
    if match is None or number is None:
        return None
    rest = text[match.end() :]
    if rest.strip().upper() in ("C", "F") and (degrees := unit_in(f"°{rest.strip()}")):
        return Measure(number, degrees._replace(text=rest.strip()))
    unit = unit_in(rest) or (unknown_unit(rest) if rest[:1].isspace() else None)
    return Measure(number, unit) if unit else None


def stray_percentages(counts: Mapping[str, int], style: Style) -> set[str]:
    """Return texts such as "36.7%" in a column where most numbers have no %: they may be shares or counts."""
    shares = {text for text in counts if text.endswith("%") and number_of(text, style) is not None}
    if not shares:
        return shares
    bare = sum(count for text, count in counts.items() if not unit_of(text) and number_of(text, style) is not None)
    return shares if sum(counts[text] for text in shares) < bare else set()


def _beginning(style: Style) -> "re.Pattern[str]":
    """Return a pattern for the number at the beginning of a cell."""
    thousands = rf"['’\u00a0\u2007\u2009\u202f {re.escape(style.thousands)}]"
    return re.compile(
        rf"[+−–-]?(?:[0-9]{{1,3}}(?:{thousands}[0-9]{{2,3}})*{thousands}[0-9]{{3}}(?![0-9^*])|[0-9]+)?"
        rf"(?:{re.escape(style.decimal)}[0-9]+)?(?:[eE][+-]?[0-9]{{1,3}}(?![0-9^]))?"
    )


def units_in(measures: Mapping[str, Measure], counts: Mapping[str, int]) -> list[Unit]:
    """Return the different units, the most frequent first, each in its most frequent spelling."""
    spelled: dict[Any, Counter[str]] = {}
    units: dict[tuple[Any, str], Unit] = {}
    for text, one in measures.items():
        spelled.setdefault(one.unit.size, Counter())[one.unit.text] += counts[text]
        units[one.unit.size, one.unit.text] = one.unit
    sizes = sorted(spelled, key=lambda size: -spelled[size].total())
    return [units[size, spelled[size].most_common(1)[0][0]] for size in sizes]


def mixture(cells: "pd.Series[Any]", measures: Mapping[str, Measure], missing: Iterable[str]) -> list[dict[str, Any]]:
    """Return the units of a column, [{unit, count, rows}], the most frequent first; "" for numbers without a unit."""
    left_out = {"", *missing}
    counts = Counter(text for text in cells if text not in left_out)
    found = [
        _part(unit.text, {text for text, one in measures.items() if one.unit.size == unit.size}, cells)
        for unit in units_in(measures, counts)
    ]
    if bare := {text for text in counts if PLAIN.fullmatch(text)}:
        found.append(_part("", bare, cells))
    return found


def _part(unit: str, texts: set[str], cells: "pd.Series[Any]") -> dict[str, Any]:
    rows = [int(row) for row, text in zip(cells.index, cells, strict=True) if text in texts]
    return {"unit": unit, "count": len(rows), "rows": rows[:NAMED]}


def can_convert(mixed: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the units of a column convert into each other exactly."""
    units = [unit_in(one["unit"]) for one in mixed if one["unit"]]
    known = [one for one in units if one is not None]
    return len(known) == len(units) > 1 and convertible(known)


def converted(one: Measure, target: Unit) -> str:
    """Return the number of `one` converted to the unit `target`, which has the same dimension."""
    assert one.unit.factor is not None
    assert target.factor is not None
    return number_text(float(Fraction(one.number) * one.unit.factor / target.factor))


def mixed_units_message(mixed: Sequence[Mapping[str, Any]]) -> str:
    """Return a message with the several units of a column and what the user can do."""
    told = []
    for one in mixed:
        rows = (
            rows_in_words(one["rows"])
            if one["count"] == len(one["rows"])
            else f"{one['count']:,} rows, the first {one['rows'][0]}"
        )
        told.append(f"{one['unit'] or 'no unit'} ({rows})")
    parts = f"{', '.join(told[:-1])} and {told[-1]}"
    if can_convert(mixed):
        return f"It contains several units: {parts}. Nothing was converted: choose what to do with them."
    units = [unit for one in mixed if one["unit"] and (unit := unit_in(one["unit"]))]
    if units and all(map(is_duration, units)):
        why = "a month has no fixed number of days"
        more = ", or choose ordered categories as the type and put them in order"
    elif {one.dimension for one in units} & _OF_MASS and {one.dimension for one in units} & _OF_MOLES:
        why, more = f"the factor between {units[0].text} and {units[1].text} depends on the substance", ""
    else:
        why, more = "there is no fixed factor between them", ""
    return (
        f"It contains several units: {parts}. Nothing was converted: {why}. "
        f"Convert them in the file, or leave out the cells with one of the units{more}."
    )


def is_limit(text: str) -> bool:
    """Return whether a cell is a value beyond a limit: "<0.01", "> 500 ng/ml"."""
    return bool(_LIMIT.match(text))


def why_no_numbers(texts: Sequence[str], count: int) -> str:
    """Return an explanation of `count` cells with `texts`, to follow "is not a number", with what to do.

    It is "" when the cells are neither shares nor values beyond a limit.
    """
    if texts and all(text.endswith("%") for text in texts):
        return (
            f" like the others, which have no %. Write {'it' if count == 1 else 'them'} in the file like the others, "
            f"mark {'it' if count == 1 else 'them'} as missing, or leave out the row{'' if count == 1 else 's'}."
        )
    if not all(map(is_limit, texts)):
        return ""
    return (
        f": {'it lies' if count == 1 else 'they lie'} beyond a limit, such as a limit of detection, and "
        f"{'was' if count == 1 else 'were'} not replaced by a number. "
        f"Mark {'it' if count == 1 else 'them'} as missing, choose categories as the type of the column, "
        "or enter in the file the value that your methods section gives."
    )


def two_numbers(texts: Iterable[str]) -> list[str]:
    """Return the `texts` that are two numbers, such as the blood pressure "120/80"."""
    return [text for text in texts if _TWO.fullmatch(text)]


def are_pressures(texts: Sequence[str]) -> bool:
    """Return whether pairs look like blood pressures: both of at least two digits, the first nearly always larger."""
    pairs = [match for text in texts if (match := _TWO.fullmatch(text))]
    return (
        bool(pairs)
        and all(len(one["first"]) >= 2 and len(one["second"]) >= 2 for one in pairs)
        and sum(float(one["first"].replace(",", ".")) > float(one["second"].replace(",", ".")) for one in pairs)
        > 0.9 * len(pairs)
    )


def units_remarks(
    column: Mapping[str, Any], cells: "pd.Series[Any]", measures: Mapping[str, Measure], bare: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return the remarks on a column with one unit.

    `cells` are the texts of the file, `bare` the numbers of the texts without a unit.
    """
    found = []
    if rows := [int(row) for row, text in zip(cells.index, cells, strict=True) if text in bare]:
        with_unit = [int(row) for row, text in zip(cells.index, cells, strict=True) if text in measures]
        others = (
            "as in the other cells" if len(with_unit) >= len(rows) else f"which is only in {rows_in_words(with_unit)}"
        )
        said = (
            f"There is no unit in {rows_in_words(rows)}: read as {column['unit']}, "
            f"{others}{_elsewhere(measures, bare)}. "
            "If that is wrong, correct the file."
        )
        found.append(remark("warning", "no_unit", said, rows, column["id"]))
    spellings = sorted({one.unit.text for one in measures.values()})
    if len(spellings) > 1:
        said = f"Read as the same unit: {', '.join(spellings[:6])}."
        found.append(remark("note", "unit_spellings", said, column=column["id"]))
    if two := next((text for text in measures if in_two_parts(text)), None):
        said = f"“{two}” and others like it were read as one number: {measures[two].number} {measures[two].unit.text}."
        found.append(remark("note", "two_parts", said, column=column["id"]))
    return found


def _elsewhere(measures: Mapping[str, Measure], bare: Mapping[str, str]) -> str:
    """Return a hint when most numbers without a unit lie outside of those with one, so their unit may differ."""
    known, others = (sorted(map(float, texts)) for texts in ((one.number for one in measures.values()), bare.values()))
    beyond = sum(not known[0] <= one <= known[-1] for one in others)
    if len(known) < 3 or beyond <= 0.5 * len(others):
        return ""
    return (
        f", although they are {number_text(others[0])} to {number_text(others[-1])} and the numbers with a unit are "
        f"{number_text(known[0])} to {number_text(known[-1])}"
    )


DECISIONS = ("convert_to", "only_unit")


def resolve_units(
    column: dict[str, Any], decisions: Mapping[str, str], cells: "pd.Series[Any]", style: Style
) -> list[str] | None:
    """Return the cells of a numeric column without their units; None when they are unchanged.

    A single unit becomes the unit of `column`. For several units, `decisions` is {"convert_to": "kg"}, or
    {"only_unit": "g/dl"}, which marks cells in other units as missing; without a decision the cells are unchanged and
    `column["units"]` lists the units. A number without a unit is read in the chosen unit.
    """
    column.pop("units", None)
    counts = Counter(text for text in cells if text and text not in column["missing"])
    measures = measures_of(counts.keys() - stray_percentages(counts, style), style)
    units = units_in(measures, counts)
    wanted = next((decisions[name] for name in DECISIONS if decisions.get(name)), "")
    if len(units) < 2:
        if wanted:
            _refuse(column, "it has at most one unit: there is nothing to convert or to leave out.")
        if not units:
            return None
        column["unit"] = column["unit"] or units[0].text
        kept = {text: one.number for text, one in measures.items()}
    elif not wanted:
        column["units"] = mixture(_bare(cells, measures, style), measures, column["missing"])
        return None
    else:
        target = _chosen(column, units, wanted)
        kept = (
            _converted(column, measures, units, target, counts)
            if decisions.get("convert_to")
            else _alone(column, measures, target)
        )
        column["unit"] = target.text
    return [kept.get(text, text) for text in cells]


def _chosen(column: Mapping[str, Any], units: list[Unit], wanted: str) -> Unit:
    known = unit_in(wanted)
    found = next((one for one in units if one.text == wanted or (known and one.size == known.size)), None)
    if found is None:
        _refuse(column, f"“{wanted[:40]}” is not one of its units, which are {', '.join(one.text for one in units)}.")
    return found


def _converted(
    column: dict[str, Any], measures: Mapping[str, Measure], units: list[Unit], target: Unit, counts: Counter[str]
) -> dict[str, str]:
    if not convertible(units):
        names = " and ".join(one.text for one in units)
        _refuse(
            column, f"{names} cannot be converted by a fixed factor. Convert them in the file, or leave out one unit."
        )
    said: Counter[str] = Counter()
    for text, one in measures.items():
        if one.unit.size != target.size:
            said[next(unit.text for unit in units if unit.size == one.unit.size)] += counts[text]
    column["converted"] = {"to": target.text, "from": [{"unit": unit, "count": said[unit]} for unit in said]}
    return {text: converted(one, target) for text, one in measures.items()}


def _alone(column: dict[str, Any], measures: Mapping[str, Measure], target: Unit) -> dict[str, str]:
    others = [text for text, one in measures.items() if one.unit.size != target.size]
    if len(others) > MOST_LEFT_OUT:
        _refuse(
            column,
            f"{len(others)} different cells are in other units; at most {MOST_LEFT_OUT} can be left out. "
            "Correct the file.",
        )
    column["missing"] = sorted({*column["missing"], *others})
    return {text: one.number for text, one in measures.items() if one.unit.size == target.size}


def _bare(cells: "pd.Series[Any]", measures: Mapping[str, Measure], style: Style) -> "pd.Series[Any]":
    """Return `cells` with the numbers that have no unit in their stored form."""
    known = {text: text if text in measures or unit_of(text) else number_of(text, style) or text for text in set(cells)}
    return cells.map(known)


def refuse_mixed(column: Mapping[str, Any]) -> None:
    """Raise Refused while the several units of a column are not resolved."""
    if column.get("units"):
        _refuse(column, mixed_units_message(column["units"]))


def _refuse(column: Mapping[str, Any], says: str) -> NoReturn:
    raise Refused(f"{str(column['name'])[:60]}: {says}", field=f"columns.{column['id']}.units", code="mixed_units")
