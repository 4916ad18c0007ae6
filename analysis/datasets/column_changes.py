"""What people say a column means, applied to it: its description, what stands in it, its cells (SPEC N1)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from analysis.datasets.cell_vocabulary import natural, ordered_by
from analysis.datasets.column_summary import resaid, summary_of
from analysis.datasets.describe_columns import LEVEL_OF, MOST_LEVELS, TYPES, bad_cells
from analysis.datasets.excluded_rows import numbers_in
from analysis.datasets.export import meant
from analysis.datasets.numbers_with_units import DECISIONS, refuse_mixed, settle, why_no_numbers
from analysis.datasets.parse_cells import PLAIN, Style, dates_of, number_of, numbers_of, unit_of
from analysis.datasets.repeated_people import OTHER, PERSON
from analysis.datasets.storage import cells_of, keep_rows, rows_csv
from analysis.datasets.table_layout import in_words
from analysis.datasets.value_labels import settled, shown
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
WORDS = ("label", "unit", "labels", "identifies")  # of those, what only says how people call a column
_FITTING = {  # which levels of measurement a type may have
    "numeric": ("numeric", "ordinal", "nominal"),
    "factor": ("nominal", "ordinal"),
    "ordered": ("ordinal",),
    "logical": ("nominal",),
    "date": ("date",),
    "text": ("text", "nominal"),
}
_LONGEST = {"label": 200, "unit": 40}
MOST_CODES = 50


class Changed(NamedTuple):
    """A column with another meaning. `cells` are its texts where they are kept otherwise now; None where they stay."""

    column: dict[str, Any]
    summary: dict[str, Any]
    cells: list[str] | None


def changed(
    column: Mapping[str, Any], changes: Mapping[str, Any], cells: "pd.Series[Any]", reading: Mapping[str, Any]
) -> Changed | None:
    """`column` with `changes` of CHANGES; None when they change nothing. `cells` are its texts by their rows.

    Raises Refused, with the field "columns.c3.levels", for what cannot be. Cells that do not fit a new type are in its
    "bad": whoever calls decides.
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
        _refuse(column, "level_of_measurement", f"a column of type {made['type']} is {fits}.")
    texts: list[str] | None = None
    made.pop("units", None)
    style = _style(reading)
    if made["type"] == "numeric" and (texts := settle(made, changes, cells, style)) is not None:
        cells = pd.Series(texts, index=cells.index, dtype=object)
    if made["type"] in ("numeric", "date") and (found := _kept(made, cells, reading)) is not None:
        texts = found
        cells = pd.Series(texts, index=cells.index, dtype=object)
    if made["type"] == "numeric":
        numbers = {number_of(one, style) or one for one in made["missing"] if not unit_of(one)}
        made["missing"] = sorted(numbers | set(made["missing"]))
    made["codes"] = (
        [one for one in made.get("codes") or [] if one not in made["missing"]] if made["type"] == "numeric" else []
    )
    made["levels"] = _levels(made, changes, cells.tolist())
    made = ordered(labelled(made, changes), column, is_said="levels" in changes)
    if made["type"] in ("numeric", "date", "logical"):
        bad_cells(made, cells)
    else:
        made["bad"] = None
    return None if made == column and texts is None else Changed(made, summary_of(made, cells.tolist()), texts)


def reworded(column: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """`column` with another label or unit, or with other labels of its levels. Raises Refused as `changed`."""
    return labelled({**column, **_checked(column, changes)}, changes)


def labelled(column: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """`column` with the labels of its levels that `changes` say, or else with those that still fit."""
    labels = settled(column, changes.get("labels"))
    return {
        **{name: value for name, value in column.items() if name != "labels"},
        **({"labels": labels} if labels else {}),
    }


def ordered(column: dict[str, Any], before: Mapping[str, Any], *, is_said: bool) -> dict[str, Any]:
    """`column` with its levels in order where that is known, or marked as one whose order somebody has to say."""
    made = {name: value for name, value in column.items() if name != "order_unknown"}
    if made["type"] != "ordered" or is_said or len(made["levels"]) < 2:
        return made
    was_known = before["type"] == "ordered" and not before.get("order_unknown")
    if was_known and set(made["levels"]) <= set(before["levels"]):
        return made
    words = {shown(column, one): one for one in made["levels"]}
    if (found := ordered_by(list(words)) or ordered_by(made["levels"])) or all(map(PLAIN.fullmatch, made["levels"])):
        order = [words.get(one, one) for one in found] if found else sorted(made["levels"], key=float)
        return {**made, "levels": order}
    return {**made, "order_unknown": True}


def refuse_unordered(column: Mapping[str, Any]) -> None:
    """Raise Refused while nobody has put the levels of an ordered column in order."""
    if column.get("order_unknown"):
        shown_ = ", ".join(f"“{one[:30]}”" for one in column["levels"][:6])
        _refuse(
            column,
            "levels",
            f"put its groups in order, the least first: {shown_}. Nothing in them says which comes first.",
        )


def refuse_bad(column: Mapping[str, Any]) -> None:
    """Raise Refused when cells of a column are not of its type."""
    refuse_mixed(column)
    if not (bad := column.get("bad")):
        return
    kind = {"numeric": "a number", "date": "a date", "logical": "true or false"}.get(column["type"], "")
    examples = ", ".join(f"“{text[:30]}”" for text in bad["texts"][:3])
    more = bad["count"] - len(bad["rows"])
    rows = in_words(bad["rows"]) + (f" (and {more:,} more)" if more > 0 else "")
    end = f". Mark {'it' if bad['count'] == 1 else 'them'} as missing, choose another type, or correct the file and upload it again."
    if column["type"] == "numeric":
        end = why_no_numbers(bad["texts"], bad["count"]) or end
    _refuse(column, "type", f"{examples} in {rows} {'is' if bad['count'] == 1 else 'are'} not {kind}{end}")


def _checked(column: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    if unknown := next((name for name in changes if name not in CHANGES), None):
        _refuse(column, str(unknown), f"there is no such property. There is: {', '.join(CHANGES)}.")
    if changes.get("type", column["type"]) not in TYPES:
        _refuse(column, "type", f"it is one of {', '.join(TYPES)}.")
    if changes.get("identifies", "") not in ("", PERSON, OTHER):
        _refuse(column, "identifies", f"it is “{PERSON}”, “{OTHER}” or empty.")
    for name, most in _LONGEST.items():
        value = changes.get(name, "")
        if not isinstance(value, str) or len(value) > most:
            _refuse(column, name, f"a text of at most {most} characters.")
        check_storable(value, f"columns.{column['id']}.{name}")
    _check_lists(column, changes)
    if not all(isinstance(changes.get(name, ""), str) for name in DECISIONS):
        _refuse(column, "units", f"{' and '.join(DECISIONS)} are one of its units.")
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
            _refuse(column, name, f"a list of at most {most} texts.")
        for one in value:
            check_storable(one, f"columns.{column['id']}.{name}")
    merge = changes.get("merge", {})
    if (
        not isinstance(merge, dict)
        or len(merge) > 2 * MOST_LEVELS
        or not all(isinstance(one, str) and one for pair in merge.items() for one in pair)
    ):
        _refuse(column, "merge", "spellings and what each is read as.")


def _kept(column: Mapping[str, Any], cells: "pd.Series[Any]", reading: Mapping[str, Any]) -> list[str] | None:
    """Return the texts of a column that is now one of numbers or dates, as these are kept; None where they are so already."""
    values = [text for text in cells.unique() if text and text not in column["missing"]]
    if column["type"] == "numeric":
        values = [text for text in values if not unit_of(text)]  # of several units: these were settled, or wait for it
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
    """Return the labels of a factor in the order that was chosen, else in the one they had; new ones come last."""
    if column["type"] not in ("factor", "ordered"):
        return []
    counts = Counter(meant(column, text) for text in cells)
    counts.pop("", None)
    if len(counts) > MOST_LEVELS:
        _refuse(
            column,
            "type",
            f"it has {len(counts):,} different values; a column of groups has at most {MOST_LEVELS}. Choose text, or group the values in the file.",
        )
    chosen = list(dict.fromkeys(changes.get("levels", column["levels"])))
    if "levels" in changes:
        if lost := next((one for one in counts if one not in chosen), None):
            _refuse(column, "levels", f"“{lost[:40]}” stands in the data and needs a place among the groups.")
        if extra := next((one for one in chosen if one not in counts), None):
            _refuse(
                column, "levels", f"“{extra[:40]}” does not stand in the data. Write each group as the data have it."
            )
    known = [one for one in chosen if one in counts]
    return known + natural([one for one in counts if one not in known])


def _refuse(column: Mapping[str, Any], field: str, says: str) -> None:
    raise Refused(f"{str(column['name'])[:60]}: {says}", field=f"columns.{column['id']}.{field}", code="bad_column")


@dataclass
class Made:
    """What a version becomes. `rows` are its rows where cells of it are kept otherwise now; None where they stay."""

    columns: list[dict[str, Any]]
    summary: dict[str, Any]
    rows: bytes | None
    is_changed: bool

    def write(self, version: DatasetVersion) -> None:
        """Give all of it to `version`, which is not saved."""
        version.columns, version.summary = self.columns, self.summary
        if self.rows is not None:
            keep_rows(version, self.rows)


def apply(version: DatasetVersion, changes: Mapping[str, Mapping[str, Any]]) -> Made:
    """`version` with `changes` of its columns by their ids. Raises Refused for an unknown column, for what a column cannot
    be, and while cells of it are not of its type."""
    ids = [one["id"] for one in version.columns]
    if unknown := next((one for one in changes if one not in ids), None):
        raise Refused(
            f"The data have no column {str(unknown)[:40]}.", field=f"columns.{unknown}", code="unknown_column"
        )
    # Another label or unit changes nothing of the cells, which are many.
    touched = [one for one in ids if set(changes.get(one, ())) - set(WORDS)]
    cells = cells_of(version, touched) if touched else {}
    rows = numbers_in(version) if touched else []
    columns, summary, other = [], dict(version.summary), {}
    for column in version.columns:
        made = None
        if column["id"] in cells:
            texts = pd.Series(cells[column["id"]], index=rows, dtype=object)
            made = changed(column, changes[column["id"]], texts, version.reading)
        elif changes.get(column["id"]):
            column = reworded(column, changes[column["id"]])
            summary[column["id"]] = resaid(column, summary.get(column["id"]) or {"n": 0})
        if made:
            summary[column["id"]] = made.summary
            if made.cells is not None:
                other[column["id"]] = made.cells
        columns.append(made.column if made else column)
    for column in columns:
        refuse_bad(column)
        refuse_unordered(column)
    content = None
    if other:
        texts_of = cells_of(version, ids) | other
        content = rows_csv(ids, [texts_of[id_] for id_ in ids])
    return Made(columns, summary, content, columns != version.columns)
