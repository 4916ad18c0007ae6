"""Columns as sent to R, and the same cells as a CSV file that a result's script can read (SPEC N1, N2).

Both are made here, so that they agree cell by cell: a column has numbers, or labels, or true and false; a missing value
is null for R and blank in the CSV file. A text that a spreadsheet would take for a formula gets an apostrophe in both.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from analysis.datasets.parse_cells import PLAIN, number_text
from analysis.datasets.storage import cells_of, rows_csv
from analysis.datasets.value_labels import FALSE, TRUE, codes_of, label_of_code
from core.errors import Refused

if TYPE_CHECKING:
    from analysis.models import DatasetVersion

Cell = float | int | bool | str | None
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_ONLY_SIGNS = re.compile(r"[+-]+")


def neutralize_formula(text: str) -> str:
    """Return `text` with an apostrophe before it when a spreadsheet would take it for a formula (OWASP ASVS 1.2.10).

    Numbers, and signs such as "+" and "++", are unchanged.
    """
    if not text.startswith(_FORMULA) or PLAIN.fullmatch(text) or _ONLY_SIGNS.fullmatch(text):
        return text
    return f"'{text}"


def columns_for(version: "DatasetVersion", ids: Iterable[str], coded: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Return the columns `ids` of a version for the R service: {id, name, label, unit, type, levels, values}.

    Values are numbers, true and false, or text; None is missing. Levels are sent as labels, except in the columns
    `coded`. A numeric column with a text that is not a number is sent as text, so that the service can name the rows.
    Raises Refused for an unknown id, or when the rows cannot be read.
    """
    chosen = described_columns(version.columns, ids)
    return columns_with_values(chosen, cells_of(version, [one["id"] for one in chosen]), coded)


def described_columns(columns: Sequence[Mapping[str, Any]], ids: Iterable[str]) -> list[Mapping[str, Any]]:
    """Return the descriptions of the columns `ids`, in that order. Raises Refused for an unknown id."""
    by_id = {one["id"]: one for one in columns}
    wanted = list(dict.fromkeys(ids))
    if gone := [one for one in wanted if one not in by_id]:
        raise Refused(
            f"The data have no column {gone[0]}. Choose the columns again.", field="columns", code="unknown_column"
        )
    return [by_id[one] for one in wanted]


def columns_with_values(
    columns: Sequence[Mapping[str, Any]], cells: Mapping[str, Sequence[str]], coded: Iterable[str] = ()
) -> list[dict[str, Any]]:
    """Return `columns` (descriptions) with their values, from `cells`, the texts by id.

    This is the only place where levels are replaced by their labels; the columns `coded` keep their codes. A column of
    true and false with labels becomes a factor.
    """
    plain = set(coded)
    columns = [{**one, "labels": {}} if one["id"] in plain else one for one in columns]
    return [
        {
            "id": one["id"],
            "name": neutralize_formula(str(one["name"])),
            "label": label_of(one),
            "unit": str(one.get("unit") or ""),
            "type": "factor" if one["type"] == "logical" and one.get("labels") else one["type"],
            "levels": levels_of(one),
            "values": values_of(one, cells[one["id"]]),
        }
        for one in columns
    ]


def label_of(column: Mapping[str, Any]) -> str:
    """Return the title of a column in results, with its unit: "C-reactive protein (mg/L)"; "" for its name alone."""
    label, unit = str(column.get("label") or ""), str(column.get("unit") or "")
    if not unit:
        return label
    name = label or str(column["name"])
    return name if f"({unit})" in name else f"{name} ({unit})"


def values_of(column: Mapping[str, Any], cells: Sequence[str]) -> list[Cell]:
    """Return the cells of a column as values of its type; None for missing."""
    known = {text: _meant(column, text) for text in set(cells)}
    if column["type"] == "numeric" and any(isinstance(value, str) for value in known.values()):
        known = {text: None if value is None else text_of(value) for text, value in known.items()}
    return [known[text] for text in cells]


def levels_of(column: Mapping[str, Any]) -> list[str]:
    """Return the labels of a factor in order, as they are sent; [] for other types."""
    if column["type"] == "logical" and not column.get("labels"):
        return []
    return list(dict.fromkeys(neutralize_formula(label_of_code(column, one)) for one in codes_of(column)))


def exported_csv(version: "DatasetVersion", ids: Iterable[str] | None = None, coded: Iterable[str] = ()) -> bytes:
    """Return the columns `ids` of a version (None: all) as CSV in UTF-8, with the same values as columns_for.

    So the script of a result gives the same numbers with it. No cell is a formula for a spreadsheet.
    """
    return csv_of(columns_for(version, [one["id"] for one in version.columns] if ids is None else ids, coded))


def csv_of(columns: Sequence[Mapping[str, Any]]) -> bytes:
    """Return columns made by `sent` as CSV in UTF-8 with a header."""
    names = [str(one["name"]) for one in columns]
    texts = [_texts(one["values"]) for one in columns]
    if len(texts) == 1 and "" in texts[0]:  # R skips blank lines, so a column of row numbers is added
        names.append("row" if names[0] != "row" else "row number")
        texts.append([str(number) for number in range(1, len(texts[0]) + 1)])
    return rows_csv(names, texts)


def text_of(value: Cell) -> str:
    """Return a value as text for the CSV file."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return number_text(value) if isinstance(value, float) else str(value)


def _texts(values: Sequence[Cell]) -> list[str]:
    known = {(type_, value): text_of(value) for type_, value in {(type(one), one) for one in values}}
    return [known[type(value), value] for value in values]


def cell_meaning(column: Mapping[str, Any], text: str) -> str:
    """Return the meaning of a cell's text: "" for a code of missing, and the merged spelling of a value."""
    if not text or text in (column.get("missing") or ()):
        return ""
    return str((column.get("merge") or {}).get(text, text))


def _meant(column: Mapping[str, Any], cell: str) -> Cell:
    text = cell_meaning(column, cell)
    if not text:
        return None
    if column["type"] == "numeric":
        if not PLAIN.fullmatch(text):
            return neutralize_formula(text)
        number = float(text)
        return int(number) if number.is_integer() and abs(number) < 1e15 else number
    if column["type"] == "logical" and (low := text.lower()) in TRUE | FALSE:
        return (
            neutralize_formula(label_of_code(column, "true" if low in TRUE else "false"))
            if column.get("labels")
            else low in TRUE
        )
    return neutralize_formula(label_of_code(column, text))
