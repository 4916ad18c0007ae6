"""Decisions about rows: leave them out with a reason, keep them as data, or put them back (SPEC N1, N8)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction

from analysis.datasets.edit_dataset import reread_file
from analysis.datasets.excluded_rows import (
    file_row_numbers,
    left_out_of,
    reason_in,
    row_numbers,
    rows_in_questions,
)
from analysis.models import DatasetVersion
from core.errors import Refused
from projects.models import User

State = DatasetVersion.State


def decide_rows(
    version: DatasetVersion,
    user: User | None,
    *,
    leave_out: Sequence[Mapping[str, Any]] = (),
    keep: Sequence[int] = (),
    put_back: Sequence[int] = (),
    enqueue: bool = True,
) -> DatasetVersion:
    """Leave out rows of `version` ([{rows, reason}]), `keep` rows as data, or `put_back` rows that were left out.

    An answer about rows that are already set aside changes a version with unconfirmed types in place; anything else
    makes a new version, which a worker reads. Raises Refused for unknown rows, a missing reason, or when no row would
    remain.
    """
    if version.state not in (State.PROPOSED, State.READY):
        raise Refused(
            "These data have not been read yet. Wait until reading has finished.",
            field="rows",
            code="not_read",
            status=409,
        )
    wanted = [(row_numbers(one.get("rows")), reason_in(one.get("reason"))) for one in leave_out]
    keep, put_back = row_numbers(keep), row_numbers(put_back)
    if not all(rows for rows, _ in wanted) or not (wanted or keep or put_back):
        raise Refused("Enter the row numbers, for example 116 or 12-15.", field="rows", code="no_rows")
    named = [row for rows, _ in wanted for row in rows]
    _check(version, named, keep, put_back)
    back = {*keep, *put_back}
    left = [
        {"rows": rest, "reason": one["reason"]}
        for one in left_out_of(version)
        if (rest := [r for r in one["rows"] if r not in back])
    ]
    for rows, reason in wanted:
        _add(left, rows, reason)
    kept = sorted({*version.reading.get("kept_rows", []), *back} - {*named})
    said = {"left_out": left, "kept_rows": kept}
    suspects = rows_in_questions(version).get("totals", set())
    if version.state == State.PROPOSED and suspects.issuperset(named) and not put_back and not suspects & set(keep):
        return _in_place(version, said)
    reading = {name: value for name, value in version.reading.items() if name != "row_numbers"} | said
    return reread_file(version, user, reading, as_confirmed=version.state == State.READY, enqueue=enqueue)


def _in_place(version: DatasetVersion, said: Mapping[str, Any]) -> DatasetVersion:
    """Store the decisions in `version` without reading its file again, and return it."""
    with transaction.atomic():
        locked: DatasetVersion = (
            DatasetVersion.objects.select_for_update(of=("self",)).select_related("dataset").get(pk=version.pk)
        )
        if locked.state != State.PROPOSED or locked.reading != version.reading or locked.remarks != version.remarks:
            raise Refused(
                "These data were changed in the meantime. Reload them and try again.",
                field="rows",
                code="changed",
                status=409,
            )
        locked.reading = {**locked.reading, **said}
        answered = {*said["kept_rows"], *(row for one in said["left_out"] for row in one["rows"])}
        locked.remarks = [left for one in locked.remarks if (left := _unanswered(one, answered))]
        locked.save(update_fields=["reading", "remarks"])
    return locked


def _unanswered(one: dict[str, Any], answered: set[int]) -> dict[str, Any] | None:
    """Return a remark; a question without the rows that were `answered`, or None when it is answered completely."""
    if one.get("level") != "question":
        return one
    at = [place for place, row in enumerate(one["rows"]) if row not in answered]
    kept: dict[str, Any] = {
        name: [one[name][place] for place in at] for name in ("rows", "reasons", "cells") if name in one
    }
    return {**one, **kept, "count": len(at)} if at else None


def _check(version: DatasetVersion, leave_out: list[int], keep: list[int], put_back: list[int]) -> None:
    there = set(file_row_numbers(version))
    out = {row for one in left_out_of(version) for row in one["rows"]}
    asked = set().union(*rows_in_questions(version).values())
    if twice := {*leave_out} & {*keep, *put_back} or {
        one for one in leave_out if leave_out.count(one) > 1 and len(leave_out) < 500
    }:
        raise Refused(f"Row {min(twice)} is listed twice.", field="rows", code="bad_rows")
    if again := {*leave_out} & out:
        raise Refused(f"Row {min(again)} is left out already.", field="rows", code="bad_rows")
    unknown = {*leave_out} - there - asked or {*keep} - there - asked - out or {*put_back} - out
    if unknown:
        low, high = (min(there), max(there)) if there else (0, 0)
        among = "rows that were left out" if set(put_back) & unknown else f"rows of these data, {low} to {high}"
        said = f"Row {min(unknown)} is not among the {among}."
        raise Refused(f"{said} Use the row numbers of the file.", field="rows", code="unknown_row")
    if len(there - {*leave_out}) + len({*keep, *put_back} - there) < 1:
        raise Refused("No row would remain.", field="rows", code="no_rows_left")


def _add(left: list[dict[str, Any]], rows: Iterable[int], reason: str) -> None:
    for one in left:
        if one["reason"] == reason:
            one["rows"] = sorted({*one["rows"], *rows})
            return
    left.append({"rows": sorted(rows), "reason": reason})
