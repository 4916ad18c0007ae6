"""Rows that are left out with a reason, kept although they look like totals, or put back (SPEC N1, N8).

Rows are named by their numbers in the uploaded file, which never change. The decisions are in the version's reading:
`left_out` is [{rows, reason}], `kept_rows` are rows kept as data although they look like totals or headings. The file
is read again with them, so that types are proposed from the included rows; confirmed settings are kept.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from analysis.models import DatasetVersion
from core.errors import Refused
from core.storable_text import check_storable

MOST_ROWS = 10_000  # that are left out by hand
MOST_REASON = 200  # characters
State = DatasetVersion.State
_RANGE = re.compile(r"\s*([0-9]{1,9})\s*(?:(?:-|–|to|bis)\s*([0-9]{1,9}))?\s*")


def rows_in_questions(version: DatasetVersion) -> dict[str, set[int]]:
    """Return the rows of the open questions of a version, by the codes of the questions."""
    return {one["code"]: set(one.get("rows") or ()) for one in questions_of(version)}


def questions_of(version: DatasetVersion) -> list[dict[str, Any]]:
    """Return the open questions among the remarks of a version; its types cannot be confirmed while there are any."""
    return [one for one in version.remarks if one.get("level") == "question"]


def refuse_open_questions(version: DatasetVersion) -> None:
    """Raise Refused while a version has open questions."""
    if asked := questions_of(version):
        said = " ".join(str(one["text"]) for one in asked[:3])
        raise Refused(f"Answer this first: {said}", field="rows", code="open_question", status=409)


def left_out_of(version: DatasetVersion) -> list[dict[str, Any]]:
    """Return the rows left out of a version: [{rows, reason}]."""
    return list(version.reading.get("left_out") or [])


def checked_rows(reading: Mapping[str, Any]) -> None:
    """Raise Refused when `left_out` or `kept_rows` of a reading is invalid."""
    left = reading.get("left_out", [])
    if not isinstance(left, list) or not all(isinstance(one, dict) for one in left):
        raise Refused("left_out must be a list of {rows, reason}.", field="left_out", code="bad_reading")
    for one in left:
        row_numbers(one.get("rows"))
        reason_in(one.get("reason"))
    row_numbers(reading.get("kept_rows", []))


def with_row_decisions(version: DatasetVersion, reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return `reading` with the row decisions of `version`, unless it has its own or reads another table."""
    other = any(
        name in reading and reading[name] != version.reading.get(name) for name in ("sheet", "separator", "encoding")
    )
    had = (
        {}
        if other
        else {name: version.reading[name] for name in ("left_out", "kept_rows") if version.reading.get(name)}
    )
    return {**had, **reading}


def rows_in(text: str) -> list[int]:
    """Return the row numbers in a text: [116, 120, 121, 122] for "116, 120-122". Raises Refused for other texts."""
    found: list[int] = []
    for part in filter(str.strip, re.split(r"[,;\n]", text)):
        match = _RANGE.fullmatch(part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first or last - first >= MOST_ROWS:
            raise Refused(
                f"“{part.strip()[:40]}” is not a row number. Enter row numbers of the file, for example 116 or 12-15.",
                field="rows",
                code="bad_rows",
            )
        found += range(first, last + 1)
    return list(dict.fromkeys(found))


def rows_text(rows: Sequence[int]) -> str:
    """Return row numbers as text: "116, 120-122" for [116, 120, 121, 122]."""
    rows = sorted(rows)
    starts = [rows[0], *(after for one, after in pairwise(rows) if after != one + 1)] if rows else []
    ends = [*(one for one, after in pairwise(rows) if after != one + 1), rows[-1]] if rows else []
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in zip(starts, ends, strict=True))


def left_out_words(left: Sequence[Mapping[str, Any]]) -> str:
    """Return a sentence: "4 rows were left out: withdrew consent (3), total row (1)."; "" for none."""
    count = sum(len(one["rows"]) for one in left)
    if not count:
        return ""
    reasons = [f"{one['reason']} ({len(one['rows']):,})" if len(left) > 1 else str(one["reason"]) for one in left]
    return f"{count:,} {'row was' if count == 1 else 'rows were'} left out: {', '.join(reasons).rstrip('.')}."


def runs_of(numbers: Iterable[int]) -> list[list[int]]:
    """Return row numbers as runs of [first, length]: 2, 3, 4, 7 are [[2, 3], [7, 1]]."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == sum(runs[-1]):
            runs[-1][1] += 1
        else:
            runs.append([int(number), 1])
    return runs


def file_row_numbers(version: DatasetVersion) -> list[int]:
    """Return the numbers in the file of all rows of a version."""
    runs = version.reading.get("row_numbers") or [[1, version.row_count]]
    return [number for first, count in runs for number in range(first, first + count)]


def numbers_of(version: DatasetVersion, start: int, count: int) -> list[int]:
    """Return the numbers in the file of `count` rows, beginning with row `start` of the version."""
    found: list[int] = []
    before = 0
    for first, length in version.reading.get("row_numbers") or [[1, version.row_count]]:
        skipped = max(0, start - 1 - before)
        if skipped < length:
            found += range(first + skipped, first + min(length, skipped + count - len(found)))
        before += length
        start = max(start, before + 1)
        if len(found) == count:
            break
    return [*found, *range(start, start + count - len(found))]


def row_numbers(value: Any) -> list[int]:
    """Return submitted row numbers without duplicates. Raises Refused unless `value` is a list of them."""
    if (
        not isinstance(value, list | tuple)
        or len(value) > MOST_ROWS
        or not all(isinstance(one, int) and not isinstance(one, bool) and 0 < one < 10**9 for one in value)
    ):
        raise Refused(
            f"Rows must be a list of at most {MOST_ROWS:,} row numbers of the file.",
            field="rows",
            code="bad_rows",
        )
    return list(dict.fromkeys(value))


def reason_in(value: Any) -> str:
    """Return a submitted reason as one line. Raises Refused when it is empty or too long."""
    reason = " ".join(value.split()) if isinstance(value, str) else ""
    check_storable(reason, "reason")
    if not reason or len(reason) > MOST_REASON:
        raise Refused(
            f"A reason can have at most {MOST_REASON} characters."
            if reason
            else "Enter the reason why these rows are left out: it is shown with every result.",
            field="reason",
            code="no_reason",
        )
    return reason
