"""Columns that seem to hold data of persons, as the one detector finds them (text.personal; SPEC N1, X2)."""

from collections.abc import Sequence
from typing import Any

from text.personal import kind_of_column, plural
from text.personal.column_names import kind_of_name

_FEW = 10  # different cells of a coded column: categories, which name nobody
# What names a person or a place in figures: nothing was measured, however much it looks like a number.
_NAMING = frozenset(plural(kind) for kind in ("phone", "patient_number", "national_id", "iban", "address"))


def personal_of(name: str, cells: Sequence[str], type_: str) -> str:
    """What data of persons a column seems to hold, in words ("telephone numbers"); "" for none."""
    kind = kind_of_column(name, cells)
    if not kind or (kind == "patient_name" and type_ in ("numeric", "date", "logical")):
        return ""
    is_coded = type_ in ("factor", "ordered", "logical", "date") and len(set(cells) - {""}) < _FEW
    return "" if is_coded and kind != kind_of_name(name)[0] else plural(kind)


def as_names(column: dict[str, Any]) -> bool:
    """Propose a column of numbers as text where its numbers only name somebody; whether it is one."""
    if column["type"] != "numeric" or column["personal"] not in _NAMING:
        return False
    reason = f"Its numbers seem to be {column['personal']}: they name somebody and measure nothing."
    proposal = {"type": "text", "level_of_measurement": "text"}
    column.update(proposal, unit="", codes=[], bad=None)
    column["proposed"] = {**proposal, "reason": reason, "is_sure": False}
    return True
