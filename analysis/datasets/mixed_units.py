"""What a person decides about a column of several units, applied to its cells."""

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from analysis.datasets.cells import Style, number_of, unit_of
from analysis.datasets.measures import (
    MOST_LEFT_OUT,
    Measure,
    converted,
    lone_shares,
    measures_of,
    mixture,
    question,
    units_in,
)
from analysis.datasets.units import Unit, convertible, unit_in
from core.errors import Refused

if TYPE_CHECKING:
    import pandas as pd

DECISIONS = ("convert_to", "only_unit")


def settle(
    column: dict[str, Any], decisions: Mapping[str, str], cells: "pd.Series[Any]", style: Style
) -> list[str] | None:
    """The cells of a column of numbers without their units; None where they stay as they are.

    Of one unit the numbers are kept, and it becomes the unit of `column`. Of several, `decisions` say what becomes of
    them: {"convert_to": "kg"} or {"only_unit": "g/dl"}, which marks cells in other units as missing; without one they stay,
    and `column["units"]` names them. A number without a unit is taken to be in the unit that was chosen.
    """
    column.pop("units", None)
    counts = Counter(text for text in cells if text and text not in column["missing"])
    measures = measures_of(counts.keys() - lone_shares(counts, style), style)
    units = units_in(measures, counts)
    wanted = next((decisions[name] for name in DECISIONS if decisions.get(name)), "")
    if len(units) < 2:
        if wanted:
            _refuse(column, "It has one unit at most: there is nothing to convert or to leave out.")
        if not units:
            return None
        column["unit"] = column["unit"] or units[0].text
        kept = {text: one.number for text, one in measures.items()}
    elif not wanted:
        column["units"] = mixture(_bare(cells, measures, style), measures, column["missing"])
        return None
    else:
        target = _chosen(column, units, wanted)
        if decisions.get("convert_to"):
            kept = _converted(column, measures, units, target, counts)
        else:
            kept = _alone(column, measures, target)
        column["unit"] = target.text
    return [kept.get(text, text) for text in cells]


def _chosen(column: Mapping[str, Any], units: list[Unit], wanted: str) -> Unit:
    known = unit_in(wanted)
    found = next((one for one in units if one.text == wanted or (known and one.size == known.size)), None)
    if found is None:
        _refuse(column, f"“{wanted[:40]}” is none of its units, which are {', '.join(one.text for one in units)}.")
    assert found is not None
    return found


def _converted(
    column: dict[str, Any], measures: Mapping[str, Measure], units: list[Unit], target: Unit, counts: Counter[str]
) -> dict[str, str]:
    if not convertible(units):
        names = " and ".join(one.text for one in units)
        _refuse(column, f"{names} do not convert by a fixed factor. Convert them in the file, or leave one unit out.")
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
            f"{len(others)} different cells are in other units; {MOST_LEFT_OUT} can be left out. Correct the file.",
        )
    column["missing"] = sorted({*column["missing"], *others})
    return {text: one.number for text, one in measures.items() if one.unit.size == target.size}


def _bare(cells: "pd.Series[Any]", measures: Mapping[str, Measure], style: Style) -> "pd.Series[Any]":
    """`cells` with numbers that have no unit as they are kept."""
    known = {text: text if text in measures or unit_of(text) else number_of(text, style) or text for text in set(cells)}
    return cells.map(known)


def refuse_mixed(column: Mapping[str, Any]) -> None:
    """Raise Refused while nobody decided about the units of a column."""
    if column.get("units"):
        _refuse(column, question(column["units"]))


def _refuse(column: Mapping[str, Any], says: str) -> None:
    raise Refused(f"{str(column['name'])[:60]}: {says}", field=f"columns.{column['id']}.units", code="mixed_units")
