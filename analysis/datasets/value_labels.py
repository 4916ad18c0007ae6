"""Labels of the values of a column in results: "1" is "Male".

Labels belong to the codes of a factor ("levels"), or to "true" and "false" of a logical column, however the file writes
these. No label may equal another code, so a level can be named by either.
"""

import re
from collections.abc import Mapping
from typing import Any, NoReturn

from analysis.datasets.cell_vocabulary import NO, YES
from core.errors import Refused
from core.storable_text import check_storable

LONGEST = 100  # characters
TRUE = {"true", "t", "yes", "y", "1"}
FALSE = {"false", "f", "no", "n", "0"}
LABELLED = ("factor", "ordered", "logical")
_NOT_SEEN = re.compile(
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)  # invisible characters, which make labels look alike


def codes_of(column: Mapping[str, Any]) -> list[str]:
    """Return the codes of a column that can have labels, in order."""
    if column["type"] == "logical":
        return ["false", "true"]
    return list(column.get("levels") or []) if column["type"] in LABELLED else []


def checked_labels(column: Mapping[str, Any], wanted: Mapping[str, str] | None) -> dict[str, str]:
    """Return the labels of a column: the `wanted` ones, checked, or else its present ones whose codes still exist.

    Raises Refused with the field "columns.c3.labels" for invalid or colliding labels.
    """
    codes = codes_of(column)
    if wanted is None:
        kept = _still(column, codes)
        _refuse_collisions(column, kept, codes)
        return kept
    if not isinstance(wanted, Mapping) or not all(isinstance(one, str) for pair in wanted.items() for one in pair):
        _refuse(column, "labels must be texts by code.")
    made: dict[str, str] = {}
    for code, label in wanted.items():
        text = " ".join(_NOT_SEEN.sub("", label).split())
        check_storable(text, f"columns.{column['id']}.labels")
        if not text:
            continue
        if column["type"] not in LABELLED:
            _refuse(column, "only categories and yes or no can have labels. Choose the type of the column first.")
        known = _code(code, codes)
        if known is None:
            _refuse(column, f"“{code[:40]}” is not in the data, so it cannot have a label.")
        if len(text) > LONGEST:
            _refuse(column, f"the label of “{code[:40]}” has {len(text)} characters; at most {LONGEST} are allowed.")
        if text != known:
            made[known] = text
    _refuse_collisions(column, made, codes)
    return {code: made[code] for code in codes if code in made}


def _refuse_collisions(column: Mapping[str, Any], labels: Mapping[str, str], codes: list[str]) -> None:
    taken = {code.casefold(): code for code in [*codes, *column.get("missing", []), *column.get("merge", {})]}
    seen: dict[str, str] = {}
    for code, label in labels.items():
        low = label.casefold().lstrip("'")  # exports put an apostrophe before what a spreadsheet would compute
        other = taken.get(low)
        if other is not None and other != code and (column.get("merge") or {}).get(other) != code:
            _refuse(column, f"“{label[:40]}” cannot be the label of “{code[:40]}”: it is another value of this column.")
        if low in seen:
            _refuse(
                column,
                f"“{seen[low][:40]}” and “{code[:40]}” cannot both be “{label[:40]}”. Give each a different label.",
            )
        seen[low] = code


def _still(column: Mapping[str, Any], codes: list[str]) -> dict[str, str]:
    """Return a column's labels for its current codes, also when codes such as 0 and 1 became false and true."""
    had = column.get("labels") or {}
    found = {known: label for code, label in had.items() if (known := _code(code, codes)) is not None}
    return {code: found[code] for code in codes if code in found}


def _code(code: str, codes: list[str]) -> str | None:
    """Return the one of `codes` that equals `code`, or that means the same of true and false; None without one."""
    if code in codes:
        return code
    low = code.lower()
    for words in (TRUE | YES, FALSE | NO):
        alike = [one for one in codes if one.lower() in words]
        if low in words and len(codes) == 2 and len(alike) == 1:
            return alike[0]
    return None


def label_of_code(column: Mapping[str, Any], code: str) -> str:
    """Return the label of `code` in results, or the code itself."""
    return str((column.get("labels") or {}).get(code, code))


def code_named(column: Mapping[str, Any], name: str) -> str:
    """Return the code meant by `name`, which is a code or a label."""
    labels = column.get("labels") or {}
    if name in codes_of(column):
        return name
    return next((code for code, label in labels.items() if label == name), _code(name, codes_of(column)) or name)


def label_named(column: Mapping[str, Any], name: str) -> str:
    """Return the label in results of the level meant by `name`, which is a code or a label."""
    return label_of_code(column, code_named(column, name)) if column.get("labels") else name


def _refuse(column: Mapping[str, Any], says: str) -> NoReturn:
    raise Refused(f"{str(column['name'])[:60]}: {says}", field=f"columns.{column['id']}.labels", code="bad_labels")
