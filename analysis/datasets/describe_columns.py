"""Descriptions of the columns of a table: proposals with their reasons, for the user to confirm (SPEC N1).

A column is {id, name, label, type, level_of_measurement, levels, missing, merge, unit, personal, proposed, codes, bad}:

    type                  numeric, factor, ordered, logical, date or text, as in the R service
    level_of_measurement  nominal, ordinal, numeric, date or text
    levels                the codes of a factor, in order
    missing               the texts that mean a missing value in this column
    merge                 {"yes": "Yes", "Y": "Yes"}: spellings that are read as the same value
    identifies            "person": its values are ids of people; "other": they are not; absent when not decided
    personal              the personal data that it may contain, in words; "" for none
    proposed              {type, level_of_measurement, reason, is_sure}: the proposal, also after the column is changed
    codes                 numbers that look like codes for "missing" (-99, 999); values until marked as missing
    extremes              {rows, texts}: numbers implausibly far from all others; values until marked as missing
    bad                   {count, rows, texts}: cells that do not fit a numeric or date column, at most 20
    units                 numbers in several units, not decided yet: [{unit, count, rows}]
    converted             {to, from: [{unit, count}]} of cells converted from other units
    labels                {"1": "Male"}: the names in results of the levels of a factor, or of "true" and "false"
    order_unknown         true for an ordered column whose levels are not in order yet
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.datasets.column_summary import summary_of
from analysis.datasets.infer_types import MOST_LEVELS, counts_by_stored_text, propose_column
from analysis.datasets.number_style import style_of
from analysis.datasets.numbers_with_units import mixed_units_message, mixture, units_remarks, why_no_numbers
from analysis.datasets.outliers import mark_extremes
from analysis.datasets.parse_cells import PLAIN, Dates
from analysis.datasets.table_layout import remark, rows_in_words
from analysis.datasets.value_labels import FALSE, TRUE
from text.personal_data import kind_of_column, plural
from text.personal_data.table_columns import kind_of_name

TYPES = ("numeric", "factor", "ordered", "logical", "date", "text")
LEVELS = ("nominal", "ordinal", "numeric", "date", "text")
LEVEL_OF = {
    "numeric": "numeric",
    "factor": "nominal",
    "ordered": "ordinal",
    "logical": "nominal",
    "date": "date",
    "text": "text",
}
LOOKED_AT = 5_000  # cells that are searched for personal data
_NAMED = 20  # invalid cells that are listed


def describe_frame_columns(
    frame: pd.DataFrame, names: Sequence[str], reading: Mapping[str, Any], *, typed: bool = False
) -> tuple[list[dict[str, Any]], dict[str, Any], dict[str, Any], list[dict[str, Any]]]:
    """Return the columns, their summaries, the inferred settings (decimal, thousands, day_first) and remarks.

    The cells of `frame` are replaced by their stored form: numbers with a point, dates as ISO 8601.
    """
    counts = {id_: Counter(frame[id_].tolist()) for id_ in frame.columns}
    style, remarks = style_of(counts, reading)
    columns: list[dict[str, Any]] = []
    summary: dict[str, Any] = {}
    dates: list[Dates] = []
    for id_, name in zip(frame.columns, names, strict=True):
        column, kept, found = propose_column(
            id_, name, counts[id_], style, reading.get("day_first"), list(reading.get("missing") or []), typed=typed
        )
        measures, bare = column.pop("measures", ({}, {}))
        looked = [kept.get(text, text) for text in frame[id_].iloc[:LOOKED_AT]]
        column["personal"] = personal_of(name, looked, column["type"])
        if propose_as_id(column):
            kept, measures = {}, {}
        remarks += units_remarks(column, frame[id_], measures, bare) if column["unit"] else []
        if kept:
            texts = frame[id_].tolist()
            frame[id_] = pd.Series(list(map(kept.get, texts, texts)), index=frame.index, dtype=object)
            counts[id_] = counts_by_stored_text(counts[id_], kept)
        if measures and not column["unit"]:
            column["units"] = mixture(frame[id_], measures, column["missing"])
        if found:
            dates.append(found)
        if column["personal"]:
            remarks.append(
                remark(
                    "warning",
                    "personal",
                    f"This column seems to contain {column['personal']}. "
                    "Remove columns that identify people if the analyses do not need them.",
                    column=id_,
                )
            )
        _add_remarks(column, frame[id_], counts[id_], remarks)
        mark_extremes(column, frame[id_], remarks)
        summary[id_] = summary_of(column, counts[id_])
        columns.append(column)
    found_reading: dict[str, Any] = {"decimal": style.decimal, "thousands": style.thousands}
    if dates:
        found_reading["day_first"] = reading.get(
            "day_first", Counter(one.day_first for one in dates).most_common(1)[0][0]
        )
    return columns, summary, found_reading, remarks


def _add_remarks(
    column: dict[str, Any], cells: "pd.Series[Any]", counts: Counter[str], remarks: list[dict[str, Any]]
) -> None:
    """Add the remarks on a column, and find the rows of its invalid cells."""
    id_ = column["id"]
    if column["merge"]:
        said = ", ".join(f"“{text}” as “{best}”" for text, best in list(column["merge"].items())[:4])
        remarks.append(
            remark("warning", "spellings", f"Different spellings were read as the same value: {said}.", column=id_)
        )
    if column["codes"]:
        remarks.append(
            remark(
                "warning",
                "codes",
                f"{' and '.join(column['codes'])} {'lies' if len(column['codes']) == 1 else 'lie'} far from all other "
                "values. If this is a code for missing values, mark it as missing.",
                cells.index[cells == column["codes"][0]].tolist(),
                id_,
            )
        )
    if told := [text for text in column["missing"] if text]:
        count = sum(counts[one] for one in told)
        remarks.append(
            remark(
                "note",
                "missing",
                f"{', '.join(f'“{one}”' for one in told[:5])}: read as missing "
                f"({count:,} {'cell' if count == 1 else 'cells'}).",
                column=id_,
            )
        )
    _add_invalid_cells_remark(column, cells, remarks)
    short_years, is_open = column.pop("short_years", False), column.pop("is_open", False)
    if short_years:
        said = "Its years have two digits and were read as years of the last hundred years."
        remarks.append(remark("warning", "short_years", said, column=id_))
    if is_open:
        said = column["proposed"]["reason"] + " If that is wrong, read the file again with the other order."
        remarks.append(remark("warning", "day_first", said, column=id_))
    filled = [text for text in counts if text and text not in column["missing"]]
    if not filled:
        remarks.append(remark("warning", "all_missing", "This column has no values.", column=id_))
    elif len(filled) == 1 and counts[filled[0]] > 1:
        remarks.append(remark("note", "constant", f"All values are the same: “{filled[0][:40]}”.", column=id_))


def _add_invalid_cells_remark(column: dict[str, Any], cells: "pd.Series[Any]", remarks: list[dict[str, Any]]) -> None:
    """Add a remark on the cells that do not fit the type of their column, with what to do."""
    id_ = column["id"]
    if column["bad"]:
        find_invalid_cells(column, cells)
    if column.get("units"):
        rows = [row for one in column["units"][1:] for row in one["rows"]]
        remarks.append(remark("error", "mixed_units", mixed_units_message(column["units"]), rows, id_))
    elif column["bad"]:
        is_date = column["type"] == "date"
        kind, what = ("not dates", "date") if is_date else ("not numbers", "number")
        rows, texts = column["bad"]["rows"], column["bad"]["texts"]
        examples = ", ".join(f"“{text[:30]}”" for text in texts[:3])
        one = column["bad"]["count"] == 1
        end = f". Correct {'it' if one else 'them'} in the file, or mark {'it' if one else 'them'} as missing."
        if not is_date:
            end = why_no_numbers(texts, column["bad"]["count"]) or end
        remarks.append(
            remark(
                "error",
                "not_date" if is_date else "not_number",
                f"{rows_in_words(rows).capitalize()}: {examples} {f'is not a {what}' if one else f'are {kind}'}{end}",
                rows,
                id_,
            )
        )


def find_invalid_cells(column: dict[str, Any], cells: "pd.Series[Any]") -> None:
    """Set column["bad"] to the cells that neither fit a numeric, date or logical column nor are missing; else None."""
    is_right = _IS_RIGHT[column["type"]]
    missing = {"", *column["missing"]}
    wrong = {text for text in cells.unique() if text not in missing and not is_right(text)}
    found = cells[cells.isin(wrong)]
    rows, texts = found.index[:_NAMED].tolist(), found.unique()[:_NAMED].tolist()
    column["bad"] = {"count": len(found), "rows": rows, "texts": texts} if wrong else None


_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?: [0-9]{2}:[0-9]{2}:[0-9]{2})?")

_IS_RIGHT: dict[str, Callable[[str], Any]] = {
    "numeric": PLAIN.fullmatch,
    "date": _ISO_DATE.fullmatch,
    "logical": lambda text: text.lower() in TRUE | FALSE,
}

__all__ = ["LEVELS", "LEVEL_OF", "MOST_LEVELS", "TYPES", "find_invalid_cells", "describe_frame_columns"]


_FEW = 10  # different values: a coded column with fewer has categories, which identify nobody
# Personal data written as numbers, which are ids and not measurements.
_NAMING = frozenset(plural(kind) for kind in ("phone", "patient_number", "national_id", "iban", "address"))


def personal_of(name: str, cells: Sequence[str], type_: str) -> str:
    """Return the kind of personal data that a column may contain, in words ("telephone numbers"); "" for none."""
    kind = kind_of_column(name, cells)
    if not kind or (kind == "patient_name" and type_ in ("numeric", "date", "logical")):
        return ""
    is_coded = type_ in ("factor", "ordered", "logical", "date") and len(set(cells) - {""}) < _FEW
    return "" if is_coded and kind != kind_of_name(name)[0] else plural(kind)


def propose_as_id(column: dict[str, Any]) -> bool:
    """Propose text for a column of numbers that identify people, and return whether it is such a column."""
    if column["type"] != "numeric" or column["personal"] not in _NAMING:
        return False
    reason = f"Its numbers seem to be {column['personal']}, which identify someone and measure nothing."
    proposal = {"type": "text", "level_of_measurement": "text"}
    column.update(proposal, unit="", codes=[], bad=None)
    column["proposed"] = {**proposal, "reason": reason, "is_sure": False}
    return True
