"""Saying which rows of a dataset count: answers to questions about rows, rows left out with a reason, rows put back (SPEC N1)."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from analysis.datasets.decide_rows import decide_rows
from analysis.datasets.left_out import questions_of, rows_in
from analysis.datasets.start import read_again
from analysis.models import DatasetVersion
from analysis.pages.data import find, refused, version_of
from analysis.pages.row_questions import SHOWN
from core.errors import Refused
from projects.requests import PersonRequest


@require_POST
def choose_rows(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    """Leave rows out, keep those that were asked about, put rows back, or read a second row of headings as such."""
    dataset = find(request, project_id, dataset_id, "write")
    version = version_of(dataset, request.GET.get("version", ""))
    try:
        newer = _decided(version, request)
    except Refused as problem:
        return refused(request, version, problem, rows_open=True)
    if newer.pk != version.pk:
        messages.success(request, f"This becomes version {newer.number}. Version {version.number} stays as it is.")
    else:
        messages.success(request, "Left out.")
    return redirect("analysis:data", project_id, dataset_id)


def _decided(version: DatasetVersion, request: PersonRequest) -> DatasetVersion:
    act, sent = request.POST.get("act", ""), request.POST
    if act == "headings":
        return _with_headings(version, request)
    if act in ("answer", "keep"):
        return _answered(version, request, keeps_all=act == "keep")
    rows = rows_in(sent.get("rows", ""))
    if act == "put_back":
        return decide_rows(version, request.user, put_back=rows)
    return decide_rows(version, request.user, leave_out=[{"rows": rows, "reason": sent.get("reason", "")}])


def _answered(version: DatasetVersion, request: PersonRequest, *, keeps_all: bool) -> DatasetVersion:
    """The answer to the question with the code that was sent; a row without a tick is data."""
    asked = _open_question(version, request.POST.get("question", ""))
    one_by_one = "one_by_one" in request.POST
    ticked = set(request.POST.getlist("row"))
    shown = {str(row) for row in asked["rows"][:SHOWN]}
    keep = [row for row in asked["rows"] if keeps_all or (one_by_one and str(row) in shown and str(row) not in ticked)]
    left: dict[str, list[int]] = {}
    for row, reason in zip(asked["rows"], asked.get("reasons") or ["total row"] * len(asked["rows"]), strict=True):
        if row not in keep:
            left.setdefault(reason, []).append(row)
    return decide_rows(
        version, request.user, leave_out=[{"rows": rows, "reason": why} for why, rows in left.items()], keep=keep
    )


def _with_headings(version: DatasetVersion, request: PersonRequest) -> DatasetVersion:
    asked = _open_question(version, "second_header")
    had = {name: value for name, value in version.reading.items() if name != "row_numbers"}
    return read_again(version, request.user, had | {"header_rows": asked["header_rows"]})


def _open_question(version: DatasetVersion, code: str) -> dict[str, Any]:
    asked = next((one for one in questions_of(version) if one["code"] == code), None)
    if asked is None:
        raise Refused("This was answered meanwhile. Look at the data again.", field="", code="answered", status=409)
    return asked
