"""The columns of a dataset as the page shows them: summary of the values, proposed type and its reason (SPEC N1)."""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import Any, NamedTuple

from analysis.models import DatasetVersion
from analysis.pages.level_rows import LevelRow, level_rows, unit_choices

# Choices of the select "Type": the words, the column type and the level of measurement.
KINDS = {
    "number": ("Number, measured or counted", "numeric", "numeric"),
    "score": ("Steps of a scale, as numbers", "numeric", "ordinal"),
    "groups": ("Categories", "factor", "nominal"),
    "ordered": ("Ordered categories", "ordered", "ordinal"),
    "yes_no": ("Yes or no", "logical", "nominal"),
    "date": ("Date", "date", "date"),
    "text": ("Text or ID, not analysed", "text", "text"),
}
_KIND = {(type_, level): kind for kind, (_, type_, level) in KINDS.items()}
_KIND_OF_TYPE = {"numeric": "number", "factor": "groups", "ordered": "ordered", "logical": "yes_no", "date": "date"}

MOST_LEVELS = 6  # groups in the small bar chart of a column
MOST_LINES = 8  # height of the text box in which groups are ordered
MOST_ROWS_NAMED = 8  # row numbers listed for a problem


class Bar(NamedTuple):
    """A bar of a small histogram, in units of its drawing (120 wide, 28 high)."""

    x: float
    y: float
    width: float
    height: float


@dataclass
class ColumnRow:
    """A column as the page shows it. `problems` are remarks with `where`; `levels` are {value, label, count, bar} with
    the length of the bar from 0 to 100."""

    id: str
    name: str
    label: str
    unit: str
    kind: str
    proposed: str
    reason: str
    is_sure: bool
    level_lines: str
    labels: dict[str, str]  # labels of levels, by level
    codes_line: str
    proposed_codes: list[str]
    bad: list[str]  # cells that are not a number, or not a date, although the column holds such
    extremes: list[str]  # numbers far from all others that are not marked as missing
    used: int
    missing: int
    share: str
    facts: str
    personal: str
    bars: list[Bar] = field(default_factory=list)
    low: str = ""
    high: str = ""
    levels: list[dict[str, Any]] = field(default_factory=list)
    more_levels: int = 0
    examples: list[str] = field(default_factory=list)
    problems: list[dict[str, Any]] = field(default_factory=list)
    values: list[LevelRow] = field(default_factory=list)  # values with their own fields for place and label
    unit_choices: list[tuple[str, str]] = field(default_factory=list)  # for a column with several units
    unit_chosen: str = ""
    converted: str = ""
    asks_order: bool = False
    ticked: frozenset[str] = frozenset()  # which of the boxes "code", "bad" and "extreme" are ticked
    wrong: str = ""  # the field that was refused: kind, label, unit, units, missing, levels or labels

    @property
    def kind_words(self) -> str:
        """Return the chosen type in words."""
        return KINDS[self.kind][0]

    @property
    def proposed_words(self) -> str:
        """Return the proposed type in words, with a small first letter."""
        words = KINDS[self.proposed][0]
        return f"{words[0].lower()}{words[1:]}"

    @property
    def can_be_grouped(self) -> bool:
        """Return whether the groups are ordered as lines of a text box, because they are too many for single fields."""
        return bool(self.level_lines) and not self.values

    @property
    def names_open(self) -> bool:
        """Return whether the section "Labels and order" is open: its fields were refused, or it needs attention."""
        looks_coded = self.kind in ("groups", "ordered") and all(one.code.isdigit() for one in self.values)
        has_no_order = self.kind == "ordered" and not any(one.place for one in self.values)
        return self.wrong in ("levels", "labels") or has_no_order or (looks_coded and not self.is_sure)

    @property
    def lines(self) -> int:
        """Return the height of the text box in which groups are ordered, in lines."""
        return max(2, min(self.level_lines.count("\n") + 1, MOST_LINES))

    @property
    def in_order(self) -> str:
        """Return the levels in their order, each with its label; for a yes/no column only the labels."""
        if not self.level_lines:
            return ", ".join(self.labels.values())
        return ", ".join(
            f"{level} ({self.labels[level]})" if level in self.labels else level
            for level in self.level_lines.split("\n")
        )

    @property
    def bad_words(self) -> str:
        """Return the bad cells as text: "“n/k”, “none” and 2 more"."""
        quoted = [f"“{text[:40]}”" for text in self.bad[:4]]
        more = len(self.bad) - len(quoted)
        return ", ".join(quoted) + (f" and {more} more" if more > 0 else "")

    @property
    def is_open(self) -> bool:
        """Return whether the section "More" is open, because one of its fields was refused."""
        return self.wrong in ("label", "unit", "missing") or (self.wrong == "levels" and self.can_be_grouped)

    @property
    def is_doubtful(self) -> bool:
        """Return whether the user should check the type: the proposal is unsure and was not changed."""
        return not self.is_sure and self.kind == self.proposed


def column_rows(version: DatasetVersion, sent: Mapping[str, str] | None = None, refused: str = "") -> list[ColumnRow]:
    """Return the columns of `version` in their order.

    `sent` is a refused form, whose values stay in the fields; `refused` is the name of the refused field.
    """
    said: dict[str, list[dict[str, Any]]] = {}
    undecided = {one["id"] for one in version.columns if one.get("units")}
    for remark in version.remarks:
        column = remark.get("column")
        code = remark.get("code")
        is_decided = code == "mixed_units" and column not in undecided
        if column and not is_decided and code != "personal":  # the page shows personal data separately
            said.setdefault(column, []).append({**remark, "where": row_reference(remark)})
    part, id_ = _refused_part(refused)
    rows = []
    for column in version.columns:
        row = _row(column, version.summary.get(column["id"]) or {}, len(version.columns))
        row.problems = [one for one in said.get(row.id, []) if one["code"] != "extreme" or row.extremes]
        if sent:
            _as_sent(row, sent)
        row.wrong = part if id_ == row.id else ""
        rows.append(row)
    return rows


def _refused_part(field: str) -> tuple[str, str]:
    """Return the part and the column id of a refused field: ("levels", "c3") for "columns.c3.levels" or "levels-c3"."""
    if field.startswith("columns."):
        id_, _, part = field.removeprefix("columns.").partition(".")
        return {
            "type": "kind",
            "level_of_measurement": "kind",
            "merge": "levels",
            "convert_to": "units",
            "only_unit": "units",
        }.get(part, part), id_
    part, _, id_ = field.partition("-")
    return part, id_


def kind_of(column: Mapping[str, Any]) -> str:
    """Return the key of KINDS for the type and level of measurement of a column."""
    type_, level = column.get("type", "text"), column.get("level_of_measurement", "")
    return _KIND.get((type_, level)) or _KIND_OF_TYPE.get(type_, "text")


def proposed_codes(column: Mapping[str, Any]) -> list[str]:
    """Return numbers that look like codes for missing values and are not yet marked as such."""
    return [str(code) for code in column.get("codes") or [] if code not in (column.get("missing") or [])]


def open_extremes(column: Mapping[str, Any]) -> list[str]:
    """Return the extreme values of a column that are not marked as missing."""
    return [
        text for text in (column.get("extremes") or {}).get("texts", ()) if text not in (column.get("missing") or ())
    ]


def bad_texts(column: Mapping[str, Any]) -> list[str]:
    """Return the cells that do not fit the type of their column; data with such cells cannot be confirmed."""
    return [str(text) for text in (column.get("bad") or {}).get("texts") or []]


def _row(column: Mapping[str, Any], told: Mapping[str, Any], of: int) -> ColumnRow:
    proposed = column.get("proposed") or {}
    used, missing = int(told.get("n") or 0), int(told.get("missing") or 0)
    row = ColumnRow(
        id=column["id"],
        name=column["name"],
        label=column.get("label") or "",
        unit=column.get("unit") or "",
        kind=kind_of(column),
        proposed=kind_of(proposed or column),
        reason=proposed.get("reason") or "",
        is_sure=bool(proposed.get("is_sure", True)),
        level_lines="\n".join(map(str, column.get("levels") or [])),
        labels=dict(column.get("labels") or {}),
        codes_line=codes_line(column.get("missing") or []),
        proposed_codes=proposed_codes(column),
        bad=bad_texts(column),
        extremes=open_extremes(column),
        used=used,
        missing=missing,
        share=f"{100 * missing / (used + missing):.1f}%" if missing else "",
        facts=_facts(told),
        personal=column.get("personal") or "",
        values=level_rows(column, told, of),
        unit_choices=unit_choices(column),
        converted=_converted(column.get("converted")),
        asks_order=bool(column.get("order_unknown")),
    )
    if len(bins := told.get("bins") or []) > 1:
        row.bars = bars_of([one["count"] for one in bins])
        row.low, row.high = _end(told, "min", "first"), _end(told, "max", "last")
    elif counts := told.get("counts"):
        top = max(one["count"] for one in counts) or 1
        row.levels = [
            {
                "value": one["label"],
                "label": row.labels.get(one["label"], ""),
                "count": one["count"],
                "bar": round(100 * one["count"] / top, 1),
            }
            for one in counts[:MOST_LEVELS]
        ]
        row.more_levels = int(told.get("distinct") or len(counts)) - len(row.levels)
    else:
        row.examples = (
            [str(one) for one in told.get("examples") or []]
            or [one for one in [_end(told, "min", "first")] if one]
            or row.bad[:3]
        )
    return row


def _converted(said: Mapping[str, Any] | None) -> str:
    """Return which cells were converted: "Cells converted to kg: 3 in lb."."""
    if not said:
        return ""
    parts = ", ".join(f"{one['count']:,} in {one['unit']}" for one in said["from"])
    return f"Cells converted to {said['to']}: {parts}."


def _facts(told: Mapping[str, Any]) -> str:
    if told.get("median") is not None:
        return f"Median {_short(told['median'])}, mean {_short(told['mean'])}"
    return f"{told['distinct']:,} different" if "examples" in told and told.get("distinct") else ""


def _end(told: Mapping[str, Any], *names: str) -> str:
    value = next((told[name] for name in names if told.get(name) is not None), "")
    return value if isinstance(value, str) else _short(value)


def _short(value: float) -> str:
    """Return a number with four significant digits: 62.78; with thousands separators from 10,000 on: 15,000,000.

    Only huge and tiny numbers have a power of ten.
    """
    text = f"{value:,.0f}" if 1e4 <= abs(value) < 1e12 else f"{value:.4g}"
    return text.replace("-", "−", 1) if text.startswith("-") else text


def _as_sent(row: ColumnRow, sent: Mapping[str, str]) -> None:
    """Put the values of a refused form into the fields of `row`."""
    row.label, row.unit = sent.get(f"label-{row.id}", row.label), sent.get(f"unit-{row.id}", row.unit)
    row.codes_line = sent.get(f"missing-{row.id}", row.codes_line)
    row.level_lines = sent.get(f"levels-{row.id}", row.level_lines)
    for one in row.values:
        one.label = sent.get(f"name-{row.id}-{one.key}", one.label)
        one.place = sent.get(f"place-{row.id}-{one.key}", one.place)
    row.unit_chosen = sent.get(f"units-{row.id}", "")
    row.ticked = frozenset(part for part in ("code", "bad", "extreme") if f"{part}-{row.id}" in sent)
    kind = sent.get(f"kind-{row.id}", row.kind)
    row.kind = kind if kind in KINDS else row.kind


def codes_line(codes: Sequence[str]) -> str:
    """Return codes for missing values as they are typed: "-99, 999". A code with a comma is in quotes."""
    line = StringIO()
    csv.writer(line, lineterminator="").writerow(codes)
    return line.getvalue() if any("," in code or '"' in code for code in codes) else ", ".join(codes)


def remarks_of(version: DatasetVersion) -> list[dict[str, Any]]:
    """Return the remarks of reading the file that are not about a single column, the most severe first."""
    order = {"error": 0, "warning": 1, "note": 2}
    general = (one for one in version.remarks if not one.get("column") and one.get("level") != "question")
    return [
        {**remark, "where": row_reference(remark)}
        for remark in sorted(general, key=lambda remark: order.get(remark.get("level", "note"), 2))
    ]


def row_reference(remark: dict[str, Any]) -> str:
    """Return the rows a remark is about: "Rows 14, 88 and 102"; "" if there are none, or its text names them."""
    rows = [str(row) for row in remark.get("rows") or []]
    if not rows or re.search(r"\brows? [0-9]", str(remark.get("text", "")), re.IGNORECASE):  # already in the text
        return ""
    more = max(len(rows), int(remark.get("count") or 0)) - MOST_ROWS_NAMED
    if more > 0:
        return f"Rows {', '.join(rows[:MOST_ROWS_NAMED])} and {more:,} more"
    return f"Rows {', '.join(rows[:-1])} and {rows[-1]}" if len(rows) > 1 else f"Row {rows[0]}"


def bars_of(counts: Sequence[float], *, width: float = 120, height: float = 28, gap: float = 1) -> list[Bar]:
    """Return a bar for each of `counts`. The highest fills the drawing; a count above 0 is always visible."""
    top = max(counts, default=0)
    if top <= 0:
        return []
    each = width / len(counts)
    tall = [max(1.0, count / top * height) if count > 0 else 0.0 for count in counts]
    return [
        Bar(round(at * each, 2), round(height - one, 2), round(each - gap, 2), round(one, 2))
        for at, one in enumerate(tall)
    ]
