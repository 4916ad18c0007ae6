"""Reads a data file into a table: cells of text, proposals for each column, and remarks on problems (SPEC N1).

    table = read_table(path, "patients.csv", None)
    table.frame       # text cells; the columns are "c1", "c2" ..., the index the row numbers of the file
    table.columns     # the proposal for each column (analysis.datasets.describe_columns)

Nothing is decided silently: `reading` has the settings with which the file was read, `remarks` every doubt and repair.
To correct them, pass `reading` with other values and read the file again.
"""

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.datasets import second_header
from analysis.datasets.csv_reader import read_delimited
from analysis.datasets.describe_columns import describe_frame_columns
from analysis.datasets.excluded_rows import checked_rows, runs_of
from analysis.datasets.export import columns_with_values, described_columns
from analysis.datasets.file_type import CSV, MOST_BYTES, kind_of, megabytes
from analysis.datasets.second_header import MOST_HEADER_ROWS
from analysis.datasets.table_layout import Body, Grid, find_table, remark
from analysis.datasets.total_rows import totals_in, totals_question
from analysis.datasets.workbook import read_workbook
from core.errors import Refused
from untrusted.errors import Unreadable

MOST_ROWS = 50_000
MOST_COLUMNS = 200
# The settings that a user may give; the resulting reading contains each of them.
READING = (
    "sheet", "separator", "encoding", "decimal", "thousands", "header_rows", "first_row", "day_first", "missing",
    "totals", "left_out", "kept_rows",
)  # fmt: skip


@dataclass
class Table:
    """A table that was read; `columns`, `reading`, `sheets`, `summary` and `remarks` are as in DatasetVersion."""

    frame: pd.DataFrame
    columns: list[dict[str, Any]]
    reading: dict[str, Any]
    sheets: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[dict[str, Any]] = field(default_factory=list)
    summary: dict[str, Any] = field(default_factory=dict)

    @property
    def row_count(self) -> int:
        """The number of rows."""
        return len(self.frame)


def read_table(data: bytes | Path, name: str, reading: Mapping[str, Any] | None = None) -> Table:
    """Return the table in a CSV file or Excel workbook called `name`.

    `reading` are known settings; the others are inferred from the file: {sheet: its name, separator: one character,
    encoding, decimal: "." or ",", thousands: a character or "", header_rows: 0 to 5, first_row: the row number of the
    file where the header begins, day_first: bool, missing: codes for missing values of all columns, totals: False to
    not look for totals and notes, left_out: [{rows, reason}] and kept_rows, as in excluded_rows.py}. Rows that look
    like totals are set aside, with a remark that asks about them. Raises Refused with a sentence that says what is
    wrong, where, and what to do.
    """
    known = _checked(reading or {})
    with _refusing():
        return _table(grid_of(data, name, known), known)


@contextmanager
def _refusing() -> Generator[None]:
    """Raise Refused for each Unreadable that is raised inside."""
    try:
        yield
    except Unreadable as problem:
        raise Refused(str(problem), field="file", code="unreadable") from problem


def columns_of_table(table: Table, ids: Iterable[str], coded: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Return the columns `ids` of a table that was just read, as export.columns_for does for a version."""
    chosen = described_columns(table.columns, ids)
    return columns_with_values(chosen, {one["id"]: table.frame[one["id"]].tolist() for one in chosen}, coded)


def grid_of(data: bytes | Path, name: str, reading: Mapping[str, Any]) -> Grid:
    """Return the rows of cells in a file, before the table is found. Arguments and errors are as in read_table."""
    known = _checked(reading)
    with _refusing():
        raw = data if isinstance(data, bytes) else _bytes_of(data, name)
        kind = kind_of(raw, name)
        if len(raw) > MOST_BYTES[kind]:
            raise Unreadable(
                f"{name} has {megabytes(len(raw))}; the limit for "
                f"{'a CSV file' if kind == CSV else 'an Excel workbook'} is {megabytes(MOST_BYTES[kind])}. "
                "Remove what the analyses do not need, or split the file."
            )
        return (
            read_delimited(raw, known, MOST_ROWS, MOST_COLUMNS) if kind == CSV else read_workbook(raw, known, MOST_ROWS)
        )


def places_of(grid: Grid, reading: Mapping[str, Any]) -> list[int]:
    """Return the index in the rows of `grid` of each column of its table. Raises Refused as read_table does."""
    with _refusing():
        return find_table(
            replace(grid, rows=[*map(list, grid.rows)]), _checked(reading), MOST_ROWS, MOST_COLUMNS
        ).places


def _table(grid: Grid, known: dict[str, Any]) -> Table:
    body = find_table(grid, known, MOST_ROWS, MOST_COLUMNS)
    grid.rows = []  # frees memory
    style = {**grid.reading, **known}
    asked = _second_header(body, style)
    frame, questions, which = included_rows(body.frame, style)
    columns, summary, found, remarks = describe_frame_columns(frame, body.names, style, typed=grid.typed)
    reading = {
        **grid.reading,
        **body.reading,
        **found,
        **which,
        **{name: known[name] for name in ("missing",) if name in known},
        "row_numbers": runs_of(frame.index.tolist()),
    }
    told = [*asked, *questions, *grid.remarks, *body.remarks, *remarks]
    if not len(frame):
        told.insert(0, remark("error", "no_rows", "The table has a header but no rows."))
    elif len(frame) == 1:
        told.insert(0, remark("warning", "one_row", "There is only one row: nothing can be compared."))
    return Table(frame, columns, reading, grid.sheets, told, summary)


def _second_header(body: Body, known: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a question about the first row when it looks like a second header row and was not kept as data."""
    rows, depth = body.reading["header_rows"], body.frame.index
    if not 0 < rows < MOST_HEADER_ROWS or not len(depth) or depth[0] in known.get("kept_rows", ()):
        return []
    first = body.frame.iloc[: 1 + second_header.LOOKED_AT].to_numpy().tolist()
    if not second_header.is_second_header(body.header[-1], first, known):
        return []
    return [second_header.second_header_question(body.reading["first_row"], int(depth[0]), first[0], rows + 1)]


def _bytes_of(path: Path, name: str) -> bytes:
    try:
        if path.stat().st_size > max(MOST_BYTES.values()):
            raise Unreadable(
                f"{name} has {megabytes(path.stat().st_size)}; the limit is {megabytes(max(MOST_BYTES.values()))}."
            )
        return path.read_bytes()
    except OSError as error:
        raise Unreadable(f"{name} cannot be read: {error.strerror}.") from error


def _checked(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that are set in `reading`, checked. Raises Refused for an invalid setting."""
    known = {name: value for name, value in reading.items() if name in READING and value not in (None, "")}
    known.update({name: "" for name in ("thousands",) if reading.get(name) == ""})
    _check_signs(known)
    for name, least, most in (("header_rows", 0, 5), ("first_row", 1, 1_048_576)):
        value = known.get(name, least)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            label = name.replace("_", " ").capitalize()
            _refuse(name, f"{label} must be a whole number from {least} to {most:,}.")
    for name in ("day_first", "totals"):
        if not isinstance(known.get(name, True), bool):
            _refuse(name, f"{name.replace('_', ' ').capitalize()} must be true or false.")
    checked_rows(known)
    missing = known.get("missing", [])
    if not isinstance(missing, list) or not all(isinstance(one, str) and len(one) <= 100 for one in missing):
        _refuse("missing", "Codes for missing values must be a list of texts.")
    for name in ("sheet", "encoding"):
        if not isinstance(known.get(name, ""), str):
            _refuse(name, f"{name.capitalize()} must be a text.")
    return known


def _check_signs(known: dict[str, Any]) -> None:
    separator = known.get("separator")
    if separator is not None and (not isinstance(separator, str) or len(separator) != 1 or separator in '"\r\n'):
        _refuse("separator", "The separator must be one character, such as a comma, a semicolon or a tab.")
    if known.get("decimal", ".") not in (".", ","):
        _refuse("decimal", "The decimal separator must be a point or a comma.")
    if known.get("thousands", "") not in ("", ".", ",", "'", "’", " ", "\u00a0", "\u202f"):
        _refuse("thousands", "The thousands separator must be a comma, a point, a space, an apostrophe or empty.")
    if known.get("thousands") and known["thousands"] == known.get("decimal"):
        _refuse("thousands", "The thousands separator and the decimal separator must differ.")


def _refuse(name: str, says: str) -> None:
    raise Refused(says, field=name, code="bad_reading")


def included_rows(
    frame: pd.DataFrame, reading: Mapping[str, Any]
) -> tuple[pd.DataFrame, list[dict[str, Any]], dict[str, Any]]:
    """Return the included rows of `frame`, remarks on the others, and the settings left_out and kept_rows.

    Totals are searched for among all rows, also those left out, since they were computed from all. Raises Unreadable
    when no row remains.
    """
    left = [dict(one) for one in reading.get("left_out") or []]
    kept = [int(row) for row in reading.get("kept_rows") or []]
    out = {int(row) for one in left for row in one["rows"]}
    remarks = []
    suspects: list[int] = []
    if reading.get("totals", True):
        totals = [one for one in totals_in(frame, reading, frozenset(kept)) if int(frame.index[one.place]) not in out]
        if totals and len(totals) < len(frame):
            remarks.append(totals_question(totals, frame))
            suspects = [int(frame.index[one.place]) for one in totals]
    if out or suspects:
        stays = ~np.isin(frame.index.to_numpy(), [*out, *suspects])
        if not stays.any() and len(frame):
            raise Unreadable("All rows of this table are left out. Put back at least one of them.")
        frame = frame[stays].copy()
    return frame, remarks, {name: rows for name, rows in (("left_out", left), ("kept_rows", kept)) if rows}
