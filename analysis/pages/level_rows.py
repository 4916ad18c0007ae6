"""The values of a column as the types form lists them, each with a field for its place and one for its label (SPEC N1).

A field is named by its column and a hash of the code ("place-c3-9f2b61c0de"), not by its position in the list. So two
people who have the form open at the same time always label the code they see.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2s
from typing import Any

from analysis.datasets.numbers_with_units import can_convert
from analysis.datasets.value_labels import LONGEST, codes_of
from core.errors import Refused
from core.storable_text import check_storable

MOST_NAMED, MOST_OF_MANY = 30, 10  # values of a column with their own fields, with up to MANY columns and with more
MANY = 60
_FEW = 10  # different numbers up to which they may be codes


@dataclass
class LevelRow:
    """A value of a column: its `code` in the data, its count, its label, and its place in the order."""

    code: str
    key: str
    count: int
    label: str
    place: str = ""


def level_rows(column: Mapping[str, Any], told: Mapping[str, Any], of: int) -> list[LevelRow]:
    """Return the values of `column` that can have labels; none if there are too many.

    `told` is the summary of the column; `of` is the number of columns.
    """
    if column["type"] == "numeric":
        counts = _few_numbers(told)
    else:
        known = {one["label"]: one["count"] for one in told.get("counts") or []}
        counts = {code: known.get(code, 0) for code in codes_of(column)}
    if not counts or len(counts) > (MOST_NAMED if of <= MANY else MOST_OF_MANY):
        return []
    labels = column.get("labels") or {}
    in_order = column["type"] == "ordered" and not column.get("order_unknown")
    return [
        LevelRow(code, key_of(code), count, labels.get(code, ""), str(place) if in_order else "")
        for place, (code, count) in enumerate(counts.items(), start=1)
    ]


def key_of(code: str) -> str:
    """Return a short hash of a code for the name of its field."""
    return blake2s(code.encode(), digest_size=5).hexdigest()


def _few_numbers(told: Mapping[str, Any]) -> dict[str, int]:
    """Return the counts of whole numbers if they are few, read from a histogram in which each has its own bar."""
    bars = [one for one in told.get("bins") or [] if one["count"]]
    is_each_its_own = all(one["high"] - one["low"] == 1 and not (one["low"] - 0.5) % 1 for one in bars)
    are_few = len(bars) == told.get("distinct") and len(bars) <= _FEW
    return {f"{one['low'] + 0.5:g}": one["count"] for one in bars} if are_few and is_each_its_own else {}


def labels_sent(column: Mapping[str, Any], rows: list[LevelRow], sent: Mapping[str, str]) -> dict[str, str]:
    """Return the labels as they were typed; values without a field keep theirs."""
    found = dict(column.get("labels") or {})
    field = f"labels-{column['id']}"
    for row in rows:
        name = f"name-{column['id']}-{row.key}"
        if name not in sent:
            continue
        check_storable(sent[name], field)
        text = " ".join(sent[name].split())
        if len(text) > LONGEST:
            raise Refused(
                f"The label of “{row.code[:40]}” has {len(text)} characters; at most {LONGEST} are allowed.",
                field=field,
                code="too_long",
            )
        found.pop(row.code, None)
        if text:
            found[row.code] = text
    return found


def levels_sent(
    column: Mapping[str, Any], rows: list[LevelRow], sent: Mapping[str, str], kind: str
) -> list[str] | None:
    """Return the values in the order of the typed places; None if no place was typed.

    Raises Refused for two equal places, and for an empty one if the column is ordered.
    """
    typed = [(row, sent.get(f"place-{column['id']}-{row.key}", "").strip()) for row in rows]
    if not any(text for _, text in typed):
        return None
    field, name = f"levels-{column['id']}", column["name"]
    places: dict[float, str] = {}
    for row, text in typed:
        place = number_in(text)
        if not text and kind == "ordered":
            raise Refused(
                f"Every group of “{name}” needs a place: “{row.code[:40]}” has none.", field=field, code="no_place"
            )
        if text and place is None:
            raise Refused(
                f"The place of “{row.code[:40]}” in “{name}” must be a number, not “{text[:20]}”.",
                field=field,
                code="no_place",
            )
        if place in places:
            raise Refused(
                f"“{places[place][:40]}” and “{row.code[:40]}” of “{name}” have the same place. Give each its own.",
                field=field,
                code="twice",
            )
        if place is not None:
            places[place] = row.code
    chosen = [places[place] for place in sorted(places)]
    return chosen + [row.code for row, _ in typed if row.code not in chosen]


def number_in(text: str) -> float | None:
    """Return a typed number, with a decimal point or comma; None if it is not a number."""
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def unit_choices(column: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the choices for a column with several units: (form value, words)."""
    mixed = column.get("units") or []
    units = [one["unit"] for one in mixed if one["unit"]]
    bare = " (numbers without a unit too)" if len(units) < len(mixed) else ""
    return [
        *((f"convert_to:{unit}", f"Convert all to {unit}{bare}") for unit in units if can_convert(mixed)),
        *((f"only_unit:{unit}", f"Keep {unit}{bare}, count other units as missing") for unit in units),
    ]


def unit_sent(column: Mapping[str, Any], sent: Mapping[str, str]) -> dict[str, str]:
    """Return the choice for a column with several units, as a change for analysis.datasets.column_changes."""
    chosen = sent.get(f"units-{column['id']}", "")
    decision, _, unit = chosen.partition(":")
    return {decision: unit} if chosen in {value for value, _ in unit_choices(column)} else {}
