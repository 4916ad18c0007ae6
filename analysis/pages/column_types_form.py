"""Reading the form that says what each column means, as changes for analysis.datasets.edit_dataset.confirm (SPEC N1).

The form has a few fields for each column, "kind-c3" and so on. Only what differs from the stored column is a change, so
confirming an untouched form changes nothing. Checkboxes say that codes like -99 ("code-c3"), cells that do not fit the
type of their column ("bad-c3"), or extreme values ("extreme-c3") count as missing. Each value has fields for its place
and its label (analysis/pages/level_rows.py); more than 30 values are ordered as lines of one field, "levels-c3".
"""

import csv
import re
from collections.abc import Mapping
from typing import Any

from analysis.models import DatasetVersion
from analysis.pages.column_rows import KINDS, bad_texts, kind_of, open_extremes, proposed_codes
from analysis.pages.level_rows import LevelRow, labels_sent, level_rows, levels_sent, unit_sent
from core.errors import Refused
from core.storable_text import check_storable

LONGEST = {"label": 200, "unit": 40}  # characters
MOST_CODES = 100


def changes_in(version: DatasetVersion, sent: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return the changes that the form `sent` makes to the columns of `version`, by column id.

    A column without fields in `sent` stays as it is, so an incomplete form changes nothing else. Raises Refused with
    the invalid field: "kind-c3", "label-c3", "unit-c3", "missing-c3", "levels-c3" or "labels-c3".
    """
    changes = {}
    for column in version.columns:
        values = level_rows(column, version.summary.get(column["id"]) or {}, len(version.columns))
        changes[column["id"]] = _changed(column, values, sent)
    return {id_: changed for id_, changed in changes.items() if changed}


def _changed(column: dict[str, Any], values: list[LevelRow], sent: Mapping[str, str]) -> dict[str, Any]:
    id_ = column["id"]
    kind = sent.get(f"kind-{id_}", kind_of(column))
    if kind not in KINDS:
        raise Refused(f"Choose the type of “{column['name']}”.", field=f"kind-{id_}", code="kind")
    meant: dict[str, Any] = {name: _text_field(column, name, sent) for name in ("label", "unit")}
    meant["missing"] = _missing(column, sent)
    if kind != kind_of(column):
        meant["type"], meant["level_of_measurement"] = KINDS[kind][1:]
    if f"levels-{id_}" in sent and kind in ("groups", "ordered"):
        meant["levels"] = _complete_order(
            column, list(filter(None, map(str.strip, sent[f"levels-{id_}"].splitlines())))
        )
    elif kind in ("groups", "ordered") and (order := levels_sent(column, values, sent, kind)):
        meant["levels"] = order
    if values:
        meant["labels"] = labels_sent(column, values, sent)
    found = {name: value for name, value in meant.items() if value != (column.get(name) or type(value)())}
    if "levels" in meant and kind == "ordered" and (kind_of(column) != kind or column.get("order_unknown")):
        found["levels"] = meant["levels"]  # the order is confirmed now, even if it did not change
    return found | unit_sent(column, sent)


def _text_field(column: dict[str, Any], name: str, sent: Mapping[str, str]) -> str:
    """Return the label or unit of a column, on one line."""
    field, most = f"{name}-{column['id']}", LONGEST[name]
    text = re.sub(r"\s+", " ", sent.get(field, column.get(name) or "")).strip()
    check_storable(text, field)
    if len(text) > most:
        raise Refused(
            f"The {name} of “{column['name']}” has {len(text)} characters; at most {most} are allowed.",
            field=field,
            code="too_long",
        )
    return text


def _missing(column: dict[str, Any], sent: Mapping[str, str]) -> list[str]:
    """Return the codes for missing values that were typed or ticked."""
    id_ = column["id"]
    codes = [str(one) for one in column.get("missing") or []]
    codes = _codes(sent[f"missing-{id_}"]) if f"missing-{id_}" in sent else codes
    codes += proposed_codes(column) if f"code-{id_}" in sent else []
    codes += open_extremes(column) if f"extreme-{id_}" in sent else []
    codes += bad_texts(column) if f"bad-{id_}" in sent else []
    codes = list(dict.fromkeys(codes))
    if len(codes) > MOST_CODES:
        raise Refused(
            f"“{column['name']}” has {len(codes)} codes for missing values; at most {MOST_CODES} are allowed.",
            field=f"missing-{id_}",
            code="too_many",
        )
    return codes


def _complete_order(column: dict[str, Any], levels: list[str]) -> list[str]:
    """Return `levels` in the chosen order. Raises Refused unless they are all groups of the column, each once."""
    has = [str(level) for level in column.get("levels") or []]
    field = f"levels-{column['id']}"
    if twice := next((level for level in levels if levels.count(level) > 1), None):
        wrong = f"“{twice}” is listed twice among the categories of “{column['name']}”."
        raise Refused(wrong, field=field, code="twice")
    if has and (lost := [level for level in has if level not in levels]):
        raise Refused(
            f"“{lost[0]}” is a group of “{column['name']}” but is not listed. Add it on its own line.",
            field=field,
            code="lost",
        )
    if has and (new := [level for level in levels if level not in has]):
        raise Refused(
            f"“{new[0]}” is not a group of “{column['name']}”. Write each group exactly as in the data.",
            field=field,
            code="unknown",
        )
    return levels


def _codes(text: str) -> list[str]:
    """Return the codes in a text such as "-99, 999", each once. In quotes a code may contain a comma."""
    lines = csv.reader([" ".join(text.splitlines())], skipinitialspace=True)
    return list(dict.fromkeys(bare for line in lines for code in line if (bare := code.strip())))
