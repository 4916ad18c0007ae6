"""The form that says what each column means: what it shows of a column, and what was changed in it (SPEC N1)."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.datasets.excluded_rows import numbers_of
from analysis.datasets.read_table import read_table
from analysis.pages.column_rows import KINDS, bars_of, codes_line, column_rows, kind_of, remarks_of, row_reference
from analysis.pages.column_types_form import changes_in
from core.errors import Refused
from tests.analysis.database_rows import PATIENTS


def read(text: str = PATIENTS) -> Any:
    table = read_table(text.encode(), "patients.csv")
    return SimpleNamespace(columns=table.columns, summary=table.summary, remarks=table.remarks)


VERSION = read()
IDS = {column["name"]: column["id"] for column in VERSION.columns}


def as_shown(version: Any) -> dict[str, str]:
    """What a browser sends of a form that nobody touched."""
    sent: dict[str, str] = {}
    for row in column_rows(version):
        sent |= {f"kind-{row.id}": row.kind, f"label-{row.id}": row.label, f"unit-{row.id}": row.unit}
        sent |= {f"missing-{row.id}": row.codes_line}
        for one in row.values:
            sent |= {f"name-{row.id}-{one.key}": one.label, f"place-{row.id}-{one.key}": one.place}
    return sent


def test_a_form_nobody_touched_changes_nothing() -> None:
    assert changes_in(VERSION, as_shown(VERSION)) == {}
    assert changes_in(VERSION, {}) == {}


@pytest.mark.parametrize("kind", KINDS)
def test_one_select_sets_type_and_level(kind: str) -> None:
    sent = as_shown(VERSION) | {f"kind-{IDS['crp']}": kind}
    _, type_, level = KINDS[kind]
    meant = {"type": type_, "level_of_measurement": level}
    differs = {name: value for name, value in meant.items() if value != "numeric"}
    expected = {IDS["crp"]: differs} if differs else {}
    assert changes_in(VERSION, sent) == expected
    assert kind_of({"type": type_, "level_of_measurement": level}) == kind


def test_names_units_codes_and_the_order_of_groups() -> None:
    crp, group = IDS["crp"], IDS["group"]
    sent = as_shown(VERSION) | {
        f"label-{crp}": "  C-reactive   protein ",
        f"unit-{crp}": "mg/L",
        f"missing-{crp}": '-99, "1,5" , n/k,, -99',
        f"levels-{group}": "steroid\r\n\r\ncontrol",
    }
    assert changes_in(VERSION, sent) == {
        crp: {"label": "C-reactive protein", "unit": "mg/L", "missing": ["-99", "1,5", "n/k"]},
        group: {"levels": ["steroid", "control"]},
    }


@pytest.mark.parametrize(
    ("part", "sent", "said"),
    [
        ("kind", "spline", "Choose the type"),
        ("label", "x" * 201, "at most 200"),
        ("unit", "m" * 41, "at most 40"),
        ("label", "a\x00b", "cannot be stored"),
        ("missing", ",".join(map(str, range(130))), "at most 100"),
        ("levels", "steroid", "“control” is a group"),
        ("levels", "steroid\ncontrol\nsteroid", "listed twice"),
        ("levels", "steroid\ncontrol\nplacebo", "is not a group of"),
    ],
)
def test_what_cannot_be_is_refused_at_its_field(part: str, sent: str, said: str) -> None:
    field = f"{part}-{IDS['group']}"
    with pytest.raises(Refused, match=said) as refused:
        changes_in(VERSION, as_shown(VERSION) | {field: sent})
    assert refused.value.field == field
    shown = next(row for row in column_rows(VERSION, {field: sent}, field) if row.id == IDS["group"])
    assert shown.wrong == part
    assert (shown.is_open or shown.names_open) == (part != "kind")


def test_a_refusal_of_confirming_is_shown_at_the_same_field() -> None:
    shown = {row.name: row.wrong for row in column_rows(VERSION, None, f"columns.{IDS['sex']}.levels") if row.wrong}
    assert shown == {"sex": "levels"}


def test_what_stands_in_each_column_and_why() -> None:
    rows = {row.name: row for row in column_rows(VERSION)}
    assert {name: row.kind for name, row in rows.items()} == {
        "id": "text", "group": "groups", "age": "number", "sex": "groups", "pain": "number", "crp": "number",
        "phone": "text", "died": "groups",
    }  # fmt: skip
    assert (rows["age"].used, rows["age"].missing, rows["age"].share) == (7, 1, "12.5%")
    assert (rows["age"].low, rows["age"].high) == ("48", "77")
    assert sum(bar.height > 0 for bar in rows["age"].bars) > 1
    assert [(level["value"], level["count"]) for level in rows["group"].levels] == [("control", 4), ("steroid", 4)]
    assert rows["phone"].personal == "telephone numbers"
    assert rows["crp"].proposed_codes == ["-99"]
    assert any(one["level"] == "error" and "n/k" in one["text"] for one in rows["crp"].problems)
    assert rows["died"].is_doubtful
    assert not rows["sex"].is_doubtful
    assert all(row.reason for row in rows.values())


def test_rows_are_named_and_what_is_of_no_column_stands_above() -> None:
    assert row_reference({}) == ""
    assert row_reference({"rows": [4]}) == "Row 4"
    assert row_reference({"rows": [4, 9, 11]}) == "Rows 4, 9 and 11"
    assert row_reference({"rows": list(range(2, 22)), "count": 400}) == "Rows 2, 3, 4, 5, 6, 7, 8, 9 and 392 more"
    assert row_reference({"rows": [4], "text": "Row 4: “n/k” is no number."}) == ""
    remarks = [
        {"level": "note", "text": "a"},
        {"level": "error", "text": "b"},
        {"level": "error", "text": "c", "column": "c1"},
    ]
    assert [one["text"] for one in remarks_of(SimpleNamespace(remarks=remarks))] == ["b", "a"]  # type: ignore[arg-type]


@given(st.lists(st.integers(0, 10**9), max_size=30))
def test_bars_stay_in_their_drawing_and_what_is_not_empty_is_seen(counts: list[int]) -> None:
    bars = bars_of(counts)
    assert len(bars) == (len(counts) if any(counts) else 0)
    for bar, count in zip(bars, counts, strict=False):
        assert bar.x >= 0
        assert bar.x + bar.width <= 120.1
        assert abs(bar.y + bar.height - 28) < 0.05
        assert (bar.height > 0) == (count > 0)


@given(st.lists(st.text('abc019-.,;" ', min_size=1, max_size=6).map(str.strip).filter(bool), unique=True, max_size=8))
def test_codes_are_read_as_they_are_shown(codes: list[str]) -> None:
    column = VERSION.columns[0]
    changed = changes_in(VERSION, {f"missing-{column['id']}": codes_line(codes)})
    assert changed == ({column["id"]: {"missing": codes}} if codes != column["missing"] else {})


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 6)), min_size=1, max_size=6), st.integers(1, 30))
def test_rows_keep_the_numbers_that_remarks_name(gaps: list[tuple[int, int]], start: int) -> None:
    runs, at = [], 1
    for gap, length in gaps:
        runs.append([at + gap, length])
        at += gap + length
    numbers = [number for first, length in runs for number in range(first, first + length)]
    version: Any = SimpleNamespace(reading={"row_numbers": runs}, row_count=len(numbers))
    expected = numbers[start - 1 : start + 4]
    assert numbers_of(version, start, len(expected)) == expected
