"""The values of a column as the types form lists them, each with a field for its place and one for its label (SPEC N1).

A field is named by its column and a short mark of the code ("place-c3-9f2b61c0de"), not by its number in the list: two
people who have the form open at once never label another code than the one they see.
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

MOST_NAMED, MOST_OF_MANY = 30, 10  # values with fields of their own, of each of up to MANY columns and of more
MANY = 60
_FEW = 10  # numbers that may be codes


@dataclass
class LevelRow:
    """One value: its `code` in the data, how often it is there, its label, and its place among the others."""

    code: str
    key: str
    count: int
    label: str
    place: str = ""


def level_rows(column: Mapping[str, Any], told: Mapping[str, Any], of: int) -> list[LevelRow]:
    """Return the values of `column`, one of `of`, that can have labels; none where there are too many. `told` is its summary."""
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
    return blake2s(code.encode(), digest_size=5).hexdigest()


def _few_numbers(told: Mapping[str, Any]) -> dict[str, int]:
    """Whole numbers that are few, by the bars of the histogram: each has its own."""
    bars = [one for one in told.get("bins") or [] if one["count"]]
    is_each_its_own = all(one["high"] - one["low"] == 1 and not (one["low"] - 0.5) % 1 for one in bars)
    are_few = len(bars) == told.get("distinct") and len(bars) <= _FEW
    return {f"{one['low'] + 0.5:g}": one["count"] for one in bars} if are_few and is_each_its_own else {}


def labels_sent(column: Mapping[str, Any], rows: list[LevelRow], sent: Mapping[str, str]) -> dict[str, str]:
    """Return the labels as they were typed; those of values without a field stay."""
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
                f"The label of “{row.code[:40]}” has {len(text)} characters; {LONGEST} are the most.",
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
    """Return the values in the order of the numbers that were typed; None where none was. Raises Refused for two that are alike,
    and for some that are blank where every value needs a place."""
    typed = [(row, sent.get(f"place-{column['id']}-{row.key}", "").strip()) for row in rows]
    if not any(text for _, text in typed):
        return None
    field, name = f"levels-{column['id']}", column["name"]
    places: dict[float, str] = {}
    for row, text in typed:
        place = number_in(text)
        if not text and kind == "ordered":
            raise Refused(f"Number every group of “{name}”: “{row.code[:40]}” has none.", field=field, code="no_place")
        if text and place is None:
            raise Refused(
                f"“{text[:20]}” is not a number: “{row.code[:40]}” of “{name}”.", field=field, code="no_place"
            )
        if place in places:
            raise Refused(
                f"“{places[place][:40]}” and “{row.code[:40]}” of “{name}” have the same number. Give each its own.",
                field=field,
                code="twice",
            )
        if place is not None:
            places[place] = row.code
    chosen = [places[place] for place in sorted(places)]
    return chosen + [row.code for row, _ in typed if row.code not in chosen]


def number_in(text: str) -> float | None:
    """Return a number as it was typed, with a point or a comma; None for what is none."""
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def unit_choices(column: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what can be done with a column of several units: (the value of its field, the words)."""
    mixed = column.get("units") or []
    units = [one["unit"] for one in mixed if one["unit"]]
    bare = " (numbers without a unit too)" if len(units) < len(mixed) else ""
    return [
        *((f"convert_to:{unit}", f"Convert all to {unit}{bare}") for unit in units if can_convert(mixed)),
        *((f"only_unit:{unit}", f"Keep {unit}{bare}, count other units as missing") for unit in units),
    ]


def unit_sent(column: Mapping[str, Any], sent: Mapping[str, str]) -> dict[str, str]:
    """Return what was chosen for a column of several units, as analysis.datasets.column_changes takes it."""
    chosen = sent.get(f"units-{column['id']}", "")
    decision, _, unit = chosen.partition(":")
    return {decision: unit} if chosen in {value for value, _ in unit_choices(column)} else {}
