"""The page of a dataset: what was read, what each column means, its versions; and how one comes in (SPEC N1)."""

import re
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from analysis.access import closed_version
from analysis.datasets.deletion import KIND as DROPPING
from analysis.datasets.deletion import delete_dataset, start_dropping, uses_of
from analysis.datasets.repeats import repeats_of
from analysis.datasets.sending import exported_csv
from analysis.datasets.start import confirm, identify, read_again, rename
from analysis.models import Dataset, DatasetVersion
from analysis.pages.column_rows import KINDS, remarks_of, rows_of
from analysis.pages.first_rows import first_rows
from analysis.pages.following import followed
from analysis.pages.rail import rail_of
from analysis.pages.reading_form import choices_of, reading_in
from analysis.pages.row_questions import rows_context
from analysis.pages.types_form import changes_in
from core.errors import Refused
from jobs.slots import ahead_of
from jobs.watching import stopped
from projects.access import Act, get_in_project, may, may_open_data
from projects.requests import PersonRequest

State = DatasetVersion.State


@require_http_methods(["GET", "HEAD", "POST"])
def data(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    """A version of a dataset, the newest unless ?version=2 says another; a POST says what its columns mean."""
    act: Act = "write" if request.method == "POST" else "read"
    dataset = find(request, project_id, dataset_id, act)
    version = version_of(dataset, request.GET.get("version", ""))
    if request.method != "POST":
        return render(request, "analysis/data.html", context_of(request, dataset, version))
    try:
        newer = confirm(version, request.user, changes_in(version, request.POST))
    except Refused as problem:
        return refused(request, version, problem)
    if newer.pk != version.pk:
        messages.success(
            request, f"Kept as version {newer.number}. Results on version {version.number} stay as they are."
        )
    elif version.state == State.READY:
        messages.success(request, "Nothing was changed.")
    else:
        messages.success(request, "Confirmed.")
    return redirect(_address(dataset))


@require_safe
def version(request: PersonRequest, version_id: UUID) -> HttpResponse:
    """The way from a version, which a job knows, to the page of its dataset."""
    found = get_object_or_404(DatasetVersion.objects.select_related("dataset"), pk=version_id)
    dataset = find(request, found.dataset.project_id, found.dataset_id)
    newest = version_of(dataset, "")
    return redirect(_address(dataset) + ("" if newest.pk == found.pk else f"?version={found.number}"))


@require_safe
def progress(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    """How far the reading is, for the page that follows it: nothing while there is no news, the page's body at its end."""
    dataset = find(request, project_id, dataset_id)
    found = version_of(dataset, "")
    told = told_of(found, opens=may_open_data(dataset.project)) if found.state == State.READING else None
    return followed(request, "analysis/data.html", told, partial(context_of, request, dataset, found))


@require_POST
def stop(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    dataset = find(request, project_id, dataset_id, "write")
    return stopped(version_of(dataset, "").job, "analysis:data", project_id, dataset_id)


@require_POST
def read_differently(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    """Read the file again as it is kept, another way: a new version."""
    dataset = find(request, project_id, dataset_id, "write")
    found = version_of(dataset, request.GET.get("version", ""))
    try:
        read_again(found, request.user, reading_in(found, request.POST))
    except Refused as problem:
        return refused(request, found, problem, reading_open=True)
    return redirect(_address(dataset))


@require_POST
def drop_columns(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    """Remove columns from the data and from the stored file."""
    dataset = find(request, project_id, dataset_id, "write")
    try:
        start_dropping(dataset, request.user, request.POST.getlist("column"))
    except Refused as problem:
        return refused(request, version_of(dataset, ""), problem, keeps=False)
    return redirect(_address(dataset))


@require_POST
def rename_data(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    dataset = find(request, project_id, dataset_id, "write")
    try:
        rename(dataset, request.POST.get("name", ""))
    except Refused as problem:
        return refused(request, version_of(dataset, ""), problem, name_open=True)
    messages.success(request, "Renamed.")
    return redirect(_address(dataset))


@require_POST
def say_who(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    """Which column identifies people, or that one which is named so does not."""
    dataset = find(request, project_id, dataset_id, "write")
    found = version_of(dataset, "")
    try:
        newer = identify(found, request.user, request.POST.get("column", ""), request.POST.get("identifies", ""))
    except Refused as problem:
        return refused(request, found, problem, keeps=False, people_open=True)
    kept = f" Kept as version {newer.number}." if newer.pk != found.pk else ""
    messages.success(request, f"Saved.{kept}")
    return redirect(_address(dataset) + "#people")


@require_http_methods(["GET", "HEAD", "POST"])
def remove_data(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    """Ask first, saying what goes and what stays; then delete."""
    dataset = find(request, project_id, dataset_id, "write")
    if request.method != "POST":
        context = {"project": dataset.project, "tab": "analyses", "dataset": dataset, "uses": uses_of(dataset)}
        return render(request, "analysis/delete_data.html", context)
    name = dataset.name
    delete_dataset(dataset, request.user)
    messages.success(request, f"{name} is deleted.")
    return redirect("analysis:index", project_id)


@require_safe
def download(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    """The rows as they are sent to R, as CSV; what looks like a formula is made harmless."""
    dataset = find(request, project_id, dataset_id, "data")
    found = version_of(dataset, request.GET.get("version", ""))
    if not found.rows:
        raise Http404("This version has no rows.")
    try:
        body = exported_csv(found)
    except OSError as error:
        raise Http404("The rows cannot be read from the disk.") from error
    response = HttpResponse(body, content_type="text/csv; charset=utf-8")
    name = f"{_stem(dataset.name)}-version-{found.number}.csv"
    response["Content-Disposition"] = content_disposition_header(True, name)
    response["X-Content-Type-Options"] = "nosniff"
    return response


def find(request: PersonRequest, project_id: UUID, dataset_id: UUID, act: Act = "read") -> Dataset:
    return get_in_project(request.user, Dataset.objects.all(), act, pk=dataset_id, project_id=project_id)


def version_of(dataset: Dataset, number: str) -> DatasetVersion:
    """The version that `number` names, else the newest. Raises Http404 when there is none."""
    rows = dataset.versions.select_related("job", "created_by", "confirmed_by")
    if number.isdecimal() and len(number) < 9:
        rows = rows.filter(number=int(number))
    found: DatasetVersion | None = rows.first()
    if found is None:
        raise Http404("No such version of this data.")
    found.dataset = dataset
    return closed_version(found, dataset.project)


def context_of(
    request: PersonRequest,
    dataset: Dataset,
    version: DatasetVersion,
    *,
    problem: Refused | None = None,
    sent: dict[str, str] | None = None,
) -> dict[str, Any]:
    """The page of `version`; `sent` is a form that was refused with `problem`, whose words stay in their fields."""
    versions = list(dataset.versions.select_related("created_by").defer("columns", "summary", "remarks"))
    is_newest = versions[0].pk == version.pk
    is_read = version.state in (State.PROPOSED, State.READY)
    writes, opens = _may_write(dataset), may_open_data(dataset.project)
    columns = rows_of(version, sent, problem.field if problem else "") if is_read else []
    return {
        "project": dataset.project,
        "tab": "analyses",
        "rail": rail_of(dataset.project, everything="all" in request.GET),
        "dataset": dataset,
        "version": version,
        "versions": versions,
        "is_newest": is_newest,
        "is_read": is_read,
        # On data that was confirmed the form comes when somebody asks for it.
        "form": writes
        and is_read
        and is_newest
        and (version.state == State.PROPOSED or bool(sent) or "change" in request.GET),
        "columns": columns,
        "personal": [column for column in columns if column.personal],
        "doubtful": sum(
            column.is_doubtful or any(one["level"] != "note" for one in column.problems) for column in columns
        ),
        "kinds": [(key, words) for key, (words, _, _) in KINDS.items()],
        "remarks": remarks_of(version),
        "repeats": repeats_of(version) if is_read else None,
        "people_columns": [one for one in version.columns if one.get("type") not in ("date", "logical")]
        if is_read
        else [],
        "first": first_rows(version, request.GET.get("from", "")) if is_read and opens else None,
        "may_open_data": opens,
        **rows_context(version, sent, request.GET.get("leave", "")),
        "reading": choices_of(version, sent),
        "told": told_of(version, opens=opens) if version.state == State.READING else None,
        "problem": problem,
        "may_write": writes,
        **_follows(dataset),
    }


def refused(
    request: PersonRequest, version: DatasetVersion, problem: Refused, *, keeps: bool = True, **opened: bool
) -> HttpResponse:
    """The page of `version` with the `problem`; it `keeps` what was sent in its fields, and what is `opened` is in sight."""
    sent = request.POST.dict() if keeps else None
    context = context_of(request, version.dataset, version, problem=problem, sent=sent)
    return render(request, "analysis/data.html", context | opened, status=problem.status)


def told_of(version: DatasetVersion, *, opens: bool) -> dict[str, Any]:
    """How far the reading of `version` is, in words, and a mark by which a page knows that there is news. What its job
    tells may quote cells, so only who `opens` the data is told that.
    """
    job = version.job
    said, seen, progress_, total = "Waiting to start", "", 0, 0
    if job is not None:
        last = job.events.order_by("-seq").values_list("text", flat=True).first() if opens else None
        line = ahead_of(job) if job.state == "queued" else []
        doing = "Removing columns" if job.kind == DROPPING else "Reading the file"
        said = last or ("It starts by itself when others are done." if line else doing)
        said = "Stopping" if job.wanted == "cancel" else said
        seen = f"{job.last_seq}-{job.state}-{job.wanted}-{job.progress}-{len(line)}"
        progress_, total = job.progress, job.progress_total
    about = f"{version.file_name}, brought at"
    return {"said": said, "seen": seen, "done": progress_, "total": total, "about": about, "at": version.created_at}


def _follows(dataset: Dataset) -> dict[str, str]:
    held = [dataset.project_id, dataset.pk]
    return {
        "progress_url": reverse("analysis:data_progress", args=held),
        "stop_url": reverse("analysis:stop_reading", args=held),
    }


def _may_write(dataset: Dataset) -> bool:
    return may(dataset.project.role, "write")  # type: ignore[attr-defined]


def _address(dataset: Dataset) -> str:
    return reverse("analysis:data", args=[dataset.project_id, dataset.pk])


def _stem(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name.rsplit(".", 1)[0]).strip("-.")[:80] or "data"
