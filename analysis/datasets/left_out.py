"""Rows that are left out with a reason, kept though they look like totals, or put back (SPEC N1, N8).

Rows are named by their numbers in the uploaded file, which never change. What was said stands in the version's reading:
`left_out` is [{rows, reason}], `kept_rows` are rows that are data although they looked like totals or headings. The file
is read again with it, so that the types are proposed from the rows that count; what was confirmed before stays confirmed.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from django.db import transaction

from analysis.models import DatasetVersion
from core.errors import Refused
from core.storable import check_storable
from projects.models import User

MOST_ROWS = 10_000  # that are left out by hand
MOST_REASON = 200  # characters
State = DatasetVersion.State
_RANGE = re.compile(r"\s*([0-9]{1,9})\s*(?:(?:-|–|to|bis)\s*([0-9]{1,9}))?\s*")


def decide_rows(
    version: DatasetVersion,
    user: User | None,
    *,
    leave_out: Sequence[Mapping[str, Any]] = (),
    keep: Sequence[int] = (),
    put_back: Sequence[int] = (),
    enqueue: bool = True,
) -> DatasetVersion:
    """Say of rows of `version` that they are left out ([{rows, reason}]), are data (`keep`), or count again (`put_back`).

    The answer to a question about rows that are apart already changes a version whose types are not confirmed in place;
    all else is a new version, which a worker reads. Raises Refused for rows that are not there, without a reason, or when
    no row would remain.
    """
    from analysis.datasets.start import read_again

    if version.state not in (State.PROPOSED, State.READY):
        raise Refused("These data are not read yet. Wait until they are.", field="rows", code="not_read", status=409)
    asked = asked_rows(version)
    wanted = [(_numbers(one.get("rows")), _reason(one.get("reason"))) for one in leave_out]
    keep, put_back = _numbers(keep), _numbers(put_back)
    if not all(rows for rows, _ in wanted) or not (wanted or keep or put_back):
        raise Refused("Name the rows, for example 116 or 12-15.", field="rows", code="no_rows")
    before = left_out_of(version)
    _check(version, [row for rows, _ in wanted for row in rows], keep, put_back)
    back = {*keep, *put_back}
    left = [
        {"rows": rest, "reason": one["reason"]} for one in before if (rest := [r for r in one["rows"] if r not in back])
    ]
    for rows, reason in wanted:
        _add(left, rows, reason)
    kept = sorted(
        {*version.reading.get("kept_rows", []), *keep, *put_back} - {row for rows, _ in wanted for row in rows}
    )
    said = {"left_out": left, "kept_rows": kept}
    suspects = asked.get("totals", set())
    out = {row for rows, _ in wanted for row in rows}
    if version.state == State.PROPOSED and out <= suspects and not put_back and not suspects & set(keep):
        return _in_place(version, said)
    reading = {name: value for name, value in version.reading.items() if name != "row_numbers"} | said
    return read_again(version, user, reading, as_confirmed=version.state == State.READY, enqueue=enqueue)


def asked_rows(version: DatasetVersion) -> dict[str, set[int]]:
    """The rows that questions of a version are about, by the questions' codes."""
    return {one["code"]: set(one.get("rows") or ()) for one in questions_of(version)}


def questions_of(version: DatasetVersion) -> list[dict[str, Any]]:
    """The remarks of a version that ask something; while there is one, its types cannot be confirmed."""
    return [one for one in version.remarks if one.get("level") == "question"]


def refuse_open_questions(version: DatasetVersion) -> None:
    """Raise Refused while a version has a question that nobody answered."""
    if asked := questions_of(version):
        said = " ".join(str(one["text"]) for one in asked[:3])
        raise Refused(f"Answer this first: {said}", field="rows", code="open_question", status=409)


def left_out_of(version: DatasetVersion) -> list[dict[str, Any]]:
    """The rows that are left out of a version: [{rows, reason}]."""
    return list(version.reading.get("left_out") or [])


def checked_rows(reading: Mapping[str, Any]) -> None:
    """Raise Refused where `left_out` and `kept_rows` of a reading are not what they should be."""
    left = reading.get("left_out", [])
    if not isinstance(left, list) or not all(isinstance(one, dict) for one in left):
        raise Refused("left_out is a list of {rows, reason}.", field="left_out", code="bad_reading")
    for one in left:
        _numbers(one.get("rows"))
        _reason(one.get("reason"))
    _numbers(reading.get("kept_rows", []))


def carried_rows(version: DatasetVersion, reading: Mapping[str, Any]) -> dict[str, Any]:
    """`reading` with the rows that were left out of `version`, unless it says its own or reads another table."""
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
    """ "116, 120-122" as [116, 120, 121, 122]. Raises Refused for what names no rows."""
    found: list[int] = []
    for part in filter(str.strip, re.split(r"[,;\n]", text)):
        match = _RANGE.fullmatch(part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if last < first or last - first >= MOST_ROWS:
            said = f"“{part.strip()[:40]}” names no rows. Write their numbers as in the file, for example 116 or 12-15."
            raise Refused(said, field="rows", code="bad_rows")
        found += range(first, last + 1)
    return list(dict.fromkeys(found))


def rows_text(rows: Sequence[int]) -> str:
    """[116, 120, 121, 122] as "116, 120-122"."""
    rows = sorted(rows)
    starts = [rows[0], *(after for one, after in pairwise(rows) if after != one + 1)] if rows else []
    ends = [*(one for one, after in pairwise(rows) if after != one + 1), rows[-1]] if rows else []
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in zip(starts, ends, strict=True))


def _in_place(version: DatasetVersion, said: Mapping[str, Any]) -> DatasetVersion:
    """What was asked is answered as the rows stand already: nothing is read again."""
    with transaction.atomic():
        locked: DatasetVersion = (
            DatasetVersion.objects.select_for_update(of=("self",)).select_related("dataset").get(pk=version.pk)
        )
        if locked.state != State.PROPOSED or locked.reading != version.reading or locked.remarks != version.remarks:
            said_ = "Somebody changed these data meanwhile. Look at them again."
            raise Refused(said_, field="rows", code="changed", status=409)
        locked.reading = {**locked.reading, **said}
        answered = {*said["kept_rows"], *(row for one in said["left_out"] for row in one["rows"])}
        remarks = []
        for one in locked.remarks:
            if one.get("level") == "question":
                at = [place for place, row in enumerate(one["rows"]) if row not in answered]
                if not at:
                    continue
                one = {**one, "count": len(at)} | {
                    n: [one[n][p] for p in at] for n in ("rows", "reasons", "cells") if n in one
                }
            remarks.append(one)
        locked.remarks = remarks
        locked.save(update_fields=["reading", "remarks"])
    return locked


def _check(version: DatasetVersion, leave_out: list[int], keep: list[int], put_back: list[int]) -> None:
    there = set(numbers_in(version))
    out = {row for one in left_out_of(version) for row in one["rows"]}
    asked = set().union(*asked_rows(version).values())
    if twice := {*leave_out} & {*keep, *put_back} or {
        one for one in leave_out if leave_out.count(one) > 1 and len(leave_out) < 500
    }:
        raise Refused(f"Row {min(twice)} is named twice.", field="rows", code="bad_rows")
    if again := {*leave_out} & out:
        raise Refused(f"Row {min(again)} is left out already.", field="rows", code="bad_rows")
    unknown = {*leave_out} - there - asked or {*keep} - there - asked - out or {*put_back} - out
    if unknown:
        low, high = (min(there), max(there)) if there else (0, 0)
        said = f"Row {min(unknown)} is not among the {'rows that were left out' if set(put_back) & unknown else f'rows of these data, {low} to {high}'}."
        raise Refused(f"{said} Rows have the numbers of the file.", field="rows", code="unknown_row")
    if len(there - {*leave_out}) + len({*keep, *put_back} - there) < 1:
        raise Refused("No row would remain.", field="rows", code="no_rows_left")


def left_out_words(left: Sequence[Mapping[str, Any]]) -> str:
    """ "1 row was left out: total row." or "4 rows were left out: withdrew consent (3), total row (1)."; "" for none."""
    count = sum(len(one["rows"]) for one in left)
    if not count:
        return ""
    reasons = [f"{one['reason']} ({len(one['rows']):,})" if len(left) > 1 else str(one["reason"]) for one in left]
    return f"{count:,} {'row was' if count == 1 else 'rows were'} left out: {', '.join(reasons).rstrip('.')}."


def numbers_in(version: DatasetVersion) -> list[int]:
    """The numbers that the rows of a version have in the file."""
    runs = version.reading.get("row_numbers") or [[1, version.row_count]]
    return [number for first, count in runs for number in range(first, first + count)]


def numbers_of(version: DatasetVersion, start: int, count: int) -> list[int]:
    """The numbers that `count` rows from row `start` on have in the file, as remarks name them."""
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


def _add(left: list[dict[str, Any]], rows: Iterable[int], reason: str) -> None:
    for one in left:
        if one["reason"] == reason:
            one["rows"] = sorted({*one["rows"], *rows})
            return
    left.append({"rows": sorted(rows), "reason": reason})


def _numbers(value: Any) -> list[int]:
    if (
        not isinstance(value, list | tuple)
        or len(value) > MOST_ROWS
        or not all(isinstance(one, int) and not isinstance(one, bool) and 0 < one < 10**9 for one in value)
    ):
        said = f"Rows are a list of at most {MOST_ROWS:,} numbers, as they stand in the file."
        raise Refused(said, field="rows", code="bad_rows")
    return list(dict.fromkeys(value))


def _reason(value: Any) -> str:
    reason = " ".join(value.split()) if isinstance(value, str) else ""
    check_storable(reason, "reason")
    if not reason or len(reason) > MOST_REASON:
        said = (
            "Say why these rows are left out: it stands with every result."
            if not reason
            else f"A reason has at most {MOST_REASON} characters."
        )
        raise Refused(said, field="reason", code="no_reason")
    return reason
