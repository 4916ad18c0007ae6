"""Columns that seem to hold data of persons, as the one detector finds them (text.personal; SPEC N1, X2)."""

from collections.abc import Sequence

from text.personal import kind_of_column, plural
from text.personal.column_names import kind_of_name

_FEW = 10  # different cells of a coded column: categories, which name nobody


def personal_of(name: str, cells: Sequence[str], type_: str) -> str:
    """What data of persons a column seems to hold, in words ("telephone numbers"); "" for none."""
    kind = kind_of_column(name, cells)
    if not kind or (kind == "patient_name" and type_ in ("numeric", "date", "logical")):
        return ""
    is_coded = type_ in ("factor", "ordered", "logical", "date") and len(set(cells) - {""}) < _FEW
    return "" if is_coded and kind != kind_of_name(name)[0] else plural(kind)
