"""Changes that a user makes to columns, applied to their descriptions, summaries and cells (SPEC N1)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from analysis.datasets.cell_vocabulary import natural_order, ordered_by
from analysis.datasets.column_summary import summary_of, with_summary_line
from analysis.datasets.describe_columns import LEVEL_OF, MOST_LEVELS, TYPES, find_invalid_cells
from analysis.datasets.excluded_rows import file_row_numbers
from analysis.datasets.export import cell_meaning
from analysis.datasets.numbers_with_units import DECISIONS, refuse_mixed, resolve_units, why_no_numbers
from analysis.datasets.parse_cells import PLAIN, Style, dates_of, number_of, numbers_of, unit_of
from analysis.datasets.repeated_people import OTHER, PERSON
from analysis.datasets.storage import cells_of, rows_csv, save_rows
from analysis.datasets.table_layout import rows_in_words
from analysis.datasets.value_labels import checked_labels, label_of_code
from analysis.models import DatasetVersion
from core.errors import Refused
from core.storable_text import check_storable

CHANGES = (
    "type",
    "level_of_measurement",
    "levels",
    "missing",
    "merge",
    "label",
    "unit",
    "labels",
    "identifies",
    *DECISIONS,
)
CHANGES_WITHOUT_CELLS = ("label", "unit", "labels", "identifies")  # the changes that do not affect the cells
_FITTING = {  # the levels of measurement of each type
    "numeric": ("numeric", "ordinal", "nominal"),
    "factor": ("nominal", "ordinal"),
    "ordered": ("ordinal",),
    "logical": ("nominal",),
    "date": ("date",),
    "text": ("text", "nominal"),
}
_LONGEST = {"label": 200, "unit": 40}
MOST_CODES = 50


class ColumnChange(NamedTuple):
    """A column after a change. `cells` are its texts when their stored form changes; else None."""

    column: dict[str, Any]
    summary: dict[str, Any]
    cells: list[str] | None


def change_column(
    column: Mapping[str, Any], changes: Mapping[str, Any], cells: "pd.Series[Any]", reading: Mapping[str, Any]
) -> ColumnChange | None:
    """Return `column` with `changes` (of CHANGES) applied, or None when they change nothing.

    `cells` are its texts by row. Raises Refused, with the field "columns.c3.levels", for an impossible change. Cells
    that do not fit a new type are listed in the column's "bad", for the caller to handle.
    """
    made = {**column, **_checked(column, changes)}
    if set(DECISIONS) & changes.keys() and "type" not in changes:
        made["type"] = "numeric"
    if (
        made["type"] != column["type"]
        and "level_of_measurement" not in changes
        and made["level_of_measurement"] not in _FITTING[made["type"]]
    ):
        made["level_of_measurement"] = LEVEL_OF[made["type"]]
    if made["level_of_measurement"] not in _FITTING[made["type"]]:
        fits = " or ".join(_FITTING[made["type"]])
        _refuse(column, "level_of_measurement", f"the level of a column of type {made['type']} is {fits}.")
    texts: list[str] | None = None
    made.pop("units", None)
    style = _style(reading)
    if made["type"] == "numeric" and (texts := resolve_units(made, changes, cells, style)) is not None:
        cells = pd.Series(texts, index=cells.index, dtype=object)
    if made["type"] in ("numeric", "date") and (found := _stored_texts(made, cells, reading)) is not None:
        texts = found
        cells = pd.Series(texts, index=cells.index, dtype=object)
    if made["type"] == "numeric":
        numbers = {number_of(one, style) or one for one in made["missing"] if not unit_of(one)}
        made["missing"] = sorted(numbers | set(made["missing"]))
    made["codes"] = (
        [one for one in made.get("codes") or [] if one not in made["missing"]] if made["type"] == "numeric" else []
    )
    made["levels"] = _levels(made, changes, cells.tolist())
    made = with_level_order(with_level_labels(made, changes), column, is_said="levels" in changes)
    if made["type"] in ("numeric", "date", "logical"):
        find_invalid_cells(made, cells)
    else:
        made["bad"] = None
    return None if made == column and texts is None else ColumnChange(made, summary_of(made, cells.tolist()), texts)


def relabel_column(column: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return `column` with another label or unit, or other labels of its levels. Raises Refused as `changed` does."""
    return with_level_labels({**column, **_checked(column, changes)}, changes)


def with_level_labels(column: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return `column` with the labels of its levels from `changes`, or else with those that still fit."""
    labels = checked_labels(column, changes.get("labels"))
    return {
        **{name: value for name, value in column.items() if name != "labels"},
        **({"labels": labels} if labels else {}),
    }


def with_level_order(column: dict[str, Any], before: Mapping[str, Any], *, is_said: bool) -> dict[str, Any]:
    """Return `column` with its levels in order when that is known, else marked as `order_unknown`."""
    made = {name: value for name, value in column.items() if name != "order_unknown"}
    if made["type"] != "ordered" or is_said or len(made["levels"]) < 2:
        return made
    was_known = before["type"] == "ordered" and not before.get("order_unknown")
    if was_known and set(made["levels"]) <= set(before["levels"]):
        return made
    words = {label_of_code(column, one): one for one in made["levels"]}
    if (found := ordered_by(list(words)) or ordered_by(made["levels"])) or all(map(PLAIN.fullmatch, made["levels"])):
        order = [words.get(one, one) for one in found] if found else sorted(made["levels"], key=float)
        return {**made, "levels": order}
    return {**made, "order_unknown": True}


def refuse_unordered(column: Mapping[str, Any]) -> None:
    """Raise Refused while the levels of an ordered column are not in order."""
    if column.get("order_unknown"):
        shown_ = ", ".join(f"“{one[:30]}”" for one in column["levels"][:6])
        _refuse(
            column,
            "levels",
            f"put its categories in order, the lowest first: {shown_}. Their names do not show the order.",
        )


def refuse_invalid_cells(column: Mapping[str, Any]) -> None:
    """Raise Refused when cells of a column do not fit its type."""
    refuse_mixed(column)
    if not (bad := column.get("bad")):
        return
    kind = {"numeric": "a number", "date": "a date", "logical": "true or false"}.get(column["type"], "")
    examples = ", ".join(f"“{text[:30]}”" for text in bad["texts"][:3])
    more = bad["count"] - len(bad["rows"])
    rows = rows_in_words(bad["rows"]) + (f" (and {more:,} more)" if more > 0 else "")
    end = (
        f". Mark {'it' if bad['count'] == 1 else 'them'} as missing, choose another type, "
        "or correct the file and upload it again."
    )
    if column["type"] == "numeric":
        end = why_no_numbers(bad["texts"], bad["count"]) or end
    _refuse(column, "type", f"{examples} in {rows} {'is' if bad['count'] == 1 else 'are'} not {kind}{end}")


def _checked(column: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    if unknown := next((name for name in changes if name not in CHANGES), None):
        _refuse(column, str(unknown), f"unknown property. Available: {', '.join(CHANGES)}.")
    if changes.get("type", column["type"]) not in TYPES:
        _refuse(column, "type", f"the type must be one of {', '.join(TYPES)}.")
    if changes.get("identifies", "") not in ("", PERSON, OTHER):
        _refuse(column, "identifies", f"identifies must be “{PERSON}”, “{OTHER}” or empty.")
    for name, most in _LONGEST.items():
        value = changes.get(name, "")
        if not isinstance(value, str) or len(value) > most:
            _refuse(column, name, f"{name} must be a text of at most {most} characters.")
        check_storable(value, f"columns.{column['id']}.{name}")
    _check_lists(column, changes)
    if not all(isinstance(changes.get(name, ""), str) for name in DECISIONS):
        _refuse(column, "units", f"{' and '.join(DECISIONS)} must each be one of its units.")
    checked = {name: value for name, value in changes.items() if name not in ("labels", *DECISIONS)}
    if "missing" in changes:
        checked["missing"] = sorted(set(changes["missing"]))
    return checked


def _check_lists(column: Mapping[str, Any], changes: Mapping[str, Any]) -> None:
    for name in ("levels", "missing"):
        value = changes.get(name, [])
        most = MOST_CODES if name == "missing" else MOST_LEVELS
        if (
            not isinstance(value, list)
            or len(value) > most
            or not all(isinstance(one, str) and 0 < len(one) <= 10_000 for one in value)
        ):
            _refuse(column, name, f"{name} must be a list of at most {most} texts.")
        for one in value:
            check_storable(one, f"columns.{column['id']}.{name}")
    merge = changes.get("merge", {})
    if (
        not isinstance(merge, dict)
        or len(merge) > 2 * MOST_LEVELS
        or not all(isinstance(one, str) and one for pair in merge.items() for one in pair)
    ):
        _refuse(column, "merge", "merge must be the value that each spelling is read as.")


def _stored_texts(column: Mapping[str, Any], cells: "pd.Series[Any]", reading: Mapping[str, Any]) -> list[str] | None:
    """Return the texts of a numeric or date column in their stored form; None when they are unchanged."""
    values = [text for text in cells.unique() if text and text not in column["missing"]]
    if column["type"] == "numeric":
        values = [text for text in values if not unit_of(text)]  # mixed units are handled by `settle`
        found = numbers_of(values, Style())
        style = _style(reading)
        if style != Style():
            found = {**numbers_of(values, style), **{text: text for text, number in found.items() if text == number}}
    else:
        found = dates_of(values, reading.get("day_first")).found
    kept = {text: one for text, one in found.items() if text != one}
    return [kept.get(text, text) for text in cells] if kept else None


def _style(reading: Mapping[str, Any]) -> Style:
    return Style(reading.get("decimal", "."), reading.get("thousands", ","))


def _levels(column: Mapping[str, Any], changes: Mapping[str, Any], cells: Sequence[str]) -> list[str]:
    """Return the levels of a factor in the chosen order, else in their present one; new levels come last."""
    if column["type"] not in ("factor", "ordered"):
        return []
    counts = Counter(cell_meaning(column, text) for text in cells)
    counts.pop("", None)
    if len(counts) > MOST_LEVELS:
        _refuse(
            column,
            "type",
            f"it has {len(counts):,} different values; a column of categories can have at most {MOST_LEVELS}. "
            "Choose text, or group the values in the file.",
        )
    chosen = list(dict.fromkeys(changes.get("levels", column["levels"])))
    if "levels" in changes:
        if lost := next((one for one in counts if one not in chosen), None):
            _refuse(column, "levels", f"“{lost[:40]}” is in the data and needs a place among the categories.")
        if extra := next((one for one in chosen if one not in counts), None):
            _refuse(column, "levels", f"“{extra[:40]}” is not in the data. Write each category exactly as in the data.")
    known = [one for one in chosen if one in counts]
    return known + natural_order([one for one in counts if one not in known])


def _refuse(column: Mapping[str, Any], field: str, says: str) -> None:
    raise Refused(f"{str(column['name'])[:60]}: {says}", field=f"columns.{column['id']}.{field}", code="bad_column")


@dataclass
class VersionContent:
    """The changed content of a version. `rows` are its rows as CSV when cells change; else None."""

    columns: list[dict[str, Any]]
    summary: dict[str, Any]
    rows: bytes | None
    is_changed: bool

    def write(self, version: DatasetVersion) -> None:
        """Set the content on `version` without saving it."""
        version.columns, version.summary = self.columns, self.summary
        if self.rows is not None:
            save_rows(version, self.rows)


def apply_changes(version: DatasetVersion, changes: Mapping[str, Mapping[str, Any]]) -> VersionContent:
    """Return the content of `version` with `changes` of its columns by id.

    Raises Refused for an unknown column, an impossible change, and while cells of a column do not fit its type.
    """
    ids = [one["id"] for one in version.columns]
    if unknown := next((one for one in changes if one not in ids), None):
        raise Refused(
            f"The data have no column {str(unknown)[:40]}.", field=f"columns.{unknown}", code="unknown_column"
        )
    # A new label or unit does not change the cells, so they are not read for it.
    touched = [one for one in ids if set(changes.get(one, ())) - set(CHANGES_WITHOUT_CELLS)]
    cells = cells_of(version, touched) if touched else {}
    rows = file_row_numbers(version) if touched else []
    columns, summary, other = [], dict(version.summary), {}
    for column in version.columns:
        made = None
        if column["id"] in cells:
            texts = pd.Series(cells[column["id"]], index=rows, dtype=object)
            made = change_column(column, changes[column["id"]], texts, version.reading)
        elif changes.get(column["id"]):
            column = relabel_column(column, changes[column["id"]])
            summary[column["id"]] = with_summary_line(column, summary.get(column["id"]) or {"n": 0})
        if made:
            summary[column["id"]] = made.summary
            if made.cells is not None:
                other[column["id"]] = made.cells
        columns.append(made.column if made else column)
    for column in columns:
        refuse_invalid_cells(column)
        refuse_unordered(column)
    content = None
    if other:
        texts_of = cells_of(version, ids) | other
        content = rows_csv(ids, [texts_of[id_] for id_ in ids])
    return VersionContent(columns, summary, content, columns != version.columns)
