"""The page of a dataset with its columns and versions, and the page that uploads one (SPEC N1)."""

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

from analysis.access import hide_version_cells
from analysis.datasets.deletion import KIND as DROPPING
from analysis.datasets.deletion import delete_dataset, deletion_counts, start_column_removal
from analysis.datasets.edit_dataset import confirm, rename, reread_file, set_person_column, start_dataset
from analysis.datasets.excluded_rows import questions_of, rows_in
from analysis.datasets.export import exported_csv
from analysis.datasets.file_type import MOST_BYTES
from analysis.datasets.repeated_people import repeats_of
from analysis.datasets.row_decisions import decide_rows
from analysis.models import Dataset, DatasetVersion
from analysis.pages.column_rows import KINDS, column_rows, remarks_of
from analysis.pages.column_types_form import changes_in
from analysis.pages.dataset_rows import SHOWN, first_rows, rows_context
from analysis.pages.read_options_form import choices_of, reading_in
from analysis.pages.sidebar import find_row, job_progress, page_context, progress_response
from core.errors import Refused
from core.grouping import grouped
from jobs.progress import stopped
from projects.access import Act, get_in_project, get_project, may_open_data
from projects.signed_in_request import PersonRequest

State = DatasetVersion.State


@require_http_methods(["GET", "HEAD", "POST"])
def add_data(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the upload form, or upload a file and go to its page. ?dataset= uploads a new version of a dataset."""
    project = get_project(request.user, project_id, "write")
    wanted = request.POST.get("dataset") or request.GET.get("dataset", "")
    dataset = find_row(request, Dataset.objects.filter(project=project), wanted, "write")
    name = request.POST.get("name", "").strip()
    problem: Refused | None = None
    if request.method == "POST":
        upload = request.FILES.get("file")
        try:
            if upload is None:
                raise Refused("Choose a file: CSV or Excel (.xlsx).", field="file", code="no_file")
            name = name or (dataset.name if dataset else upload.name or "")
            version = start_dataset(project, request.user, name, upload, dataset=dataset)
            return redirect("analysis:data", project.pk, version.dataset_id)
        except Refused as refusal:
            problem = refusal
    context = {
        **page_context(project),
        "dataset": dataset,
        "problem": problem,
        "name": name,
        "most_bytes": max(MOST_BYTES.values()),
        "most_csv": MOST_BYTES["csv"],
        "most_xlsx": MOST_BYTES["xlsx"],
    }
    return render(request, "analysis/add_data.html", context, status=problem.status if problem else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def data(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    """Show a version of a dataset (?version=2, else the newest), or save what its columns mean and go back."""
    act: Act = "write" if request.method == "POST" else "read"
    version = named_version(request, project_id, dataset_id, act)
    if request.method != "POST":
        return render(request, "analysis/data.html", context_of(request, version))
    try:
        newer = confirm(version, request.user, changes_in(version, request.POST))
    except Refused as problem:
        return refused(request, version, problem)
    if newer.pk != version.pk:
        said = f"Saved as version {newer.number}. Results on version {version.number} stay as they are."
    else:
        said = "Nothing changed." if version.state == State.READY else "Confirmed."
    messages.success(request, said)
    return redirect(_address(version.dataset))


@require_safe
def version(request: PersonRequest, version_id: UUID) -> HttpResponse:
    """Redirect from the id of a version, which a job links to, to the page of its dataset."""
    found = get_object_or_404(DatasetVersion.objects.select_related("dataset"), pk=version_id)
    dataset = find_dataset(request, found.dataset.project_id, found.dataset_id)
    newest = version_of(dataset, "")
    return redirect(_address(dataset) + ("" if newest.pk == found.pk else f"?version={found.number}"))


@require_safe
def progress(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    """Show the progress of reading a file: nothing (204) while nothing changed, the page's body at the end."""
    found = version_of(find_dataset(request, project_id, dataset_id), "")
    opens = may_open_data(found.dataset.project)
    told = _progress_of(found, opens=opens) if found.state == State.READING else None
    return progress_response(request, "analysis/data.html", told, partial(context_of, request, found))


@require_POST
def stop(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    """Stop reading a file and go back to the page of the dataset."""
    newest = version_of(find_dataset(request, project_id, dataset_id, "write"), "")
    return stopped(newest.job, "analysis:data", project_id, dataset_id)


@require_POST
def read_file_again(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    """Read the stored file again with other options, as a new version, and go back to the page of the dataset."""
    found = named_version(request, project_id, dataset_id, "write")
    try:
        reread_file(found, request.user, reading_in(found, request.POST))
    except Refused as problem:
        return refused(request, found, problem, reading_open=True)
    return redirect(_address(found.dataset))


@require_POST
def drop_columns(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    """Start removing columns from the data and the stored file, and go back to the page of the dataset."""
    dataset = find_dataset(request, project_id, dataset_id, "write")
    try:
        start_column_removal(dataset, request.user, request.POST.getlist("column"))
    except Refused as problem:
        return refused(request, version_of(dataset, ""), problem, keeps=False)
    return redirect(_address(dataset))


@require_POST
def choose_rows(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    """Leave rows out, restore them, or answer a question about rows, and go back to the page of the dataset."""
    version = named_version(request, project_id, dataset_id, "write")
    try:
        newer = _apply_row_choice(version, request)
    except Refused as problem:
        return refused(request, version, problem, rows_open=True)
    becomes = f"Saved as version {newer.number}. Version {version.number} stays as it is."
    messages.success(request, becomes if newer.pk != version.pk else "Saved.")
    return redirect(_address(version.dataset))


@require_POST
def rename_data(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    """Rename a dataset and go back to its page."""
    dataset = find_dataset(request, project_id, dataset_id, "write")
    try:
        rename(dataset, request.POST.get("name", ""))
    except Refused as problem:
        return refused(
            request, version_of(dataset, ""), problem, name_open=True, name_sent=request.POST.get("name", "")[:1000]
        )
    messages.success(request, "Renamed.")
    return redirect(_address(dataset))


@require_POST
def identify_people(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    """Save which column identifies people, or that a column does not, and go back to the page of the dataset."""
    found = version_of(find_dataset(request, project_id, dataset_id, "write"), "")
    try:
        newer = set_person_column(
            found, request.user, request.POST.get("column", ""), request.POST.get("identifies", "")
        )
    except Refused as problem:
        return refused(request, found, problem, keeps=False, people_open=True)
    kept = f" as version {newer.number}" if newer.pk != found.pk else ""
    messages.success(request, f"Saved{kept}.")
    return redirect(_address(found.dataset) + "#people")


@require_http_methods(["GET", "HEAD", "POST"])
def remove_data(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    """Show what deleting a dataset removes, or delete it and go to the analyses."""
    dataset = find_dataset(request, project_id, dataset_id, "write")
    if request.method != "POST":
        context = {"project": dataset.project, "tab": "analyses", "dataset": dataset, "uses": deletion_counts(dataset)}
        return render(request, "analysis/delete_data.html", context)
    name = dataset.name
    delete_dataset(dataset, request.user)
    messages.success(request, f"{name} was deleted.")
    return redirect("analysis:index", project_id)


@require_safe
def download(request: PersonRequest, project_id: UUID, dataset_id: UUID) -> HttpResponse:
    """Download the rows as CSV, as they are sent to R. Cells that look like formulas are made harmless."""
    found = named_version(request, project_id, dataset_id, "data")
    if not found.rows:
        raise Http404("This version has no rows.")
    try:
        body = exported_csv(found)
    except OSError as error:
        raise Http404("The rows cannot be read from disk.") from error
    name = re.sub(r"[^\w.-]+", "-", found.dataset.name.rsplit(".", 1)[0]).strip("-.")[:80] or "data"
    disposition = content_disposition_header(True, f"{name}-version-{found.number}.csv")
    headers = {"Content-Disposition": disposition, "X-Content-Type-Options": "nosniff"}
    return HttpResponse(body, content_type="text/csv; charset=utf-8", headers=headers)


def find_dataset(request: PersonRequest, project_id: UUID, dataset_id: UUID, act: Act = "read") -> Dataset:
    """Return a dataset. Raises Http404 or PermissionDenied as get_in_project does."""
    return get_in_project(request.user, Dataset.objects.all(), act, pk=dataset_id, project_id=project_id)


def named_version(request: PersonRequest, project_id: UUID, dataset_id: UUID, act: Act) -> DatasetVersion:
    """Return the version that ?version= names, else the newest one."""
    return version_of(find_dataset(request, project_id, dataset_id, act), request.GET.get("version", ""))


def version_of(dataset: Dataset, number: str) -> DatasetVersion:
    """Return the version with this `number`, or the newest if it is not a number. Raises Http404 if there is none."""
    rows = dataset.versions.select_related("job", "created_by", "confirmed_by")
    if number.isdecimal() and len(number) < 9:
        rows = rows.filter(number=int(number))
    found: DatasetVersion | None = rows.first()
    if found is None:
        raise Http404("No such version of this data.")
    found.dataset = dataset
    return hide_version_cells(found, dataset.project)


def context_of(
    request: PersonRequest,
    version: DatasetVersion,
    *,
    problem: Refused | None = None,
    sent: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Return the template context of the page of `version`.

    `sent` is a form that was refused with `problem`; its values stay in the fields.
    """
    dataset = version.dataset
    held = [dataset.project_id, dataset.pk]
    shared = page_context(dataset.project, everything="all" in request.GET)
    versions = list(dataset.versions.select_related("created_by").defer("columns", "summary", "remarks"))
    is_newest = versions[0].pk == version.pk
    is_read = version.state in (State.PROPOSED, State.READY)
    opens = may_open_data(dataset.project)
    columns = column_rows(version, sent, problem.field if problem else "") if is_read else []
    return {
        **shared,
        "dataset": dataset,
        "version": version,
        "versions": versions,
        "is_newest": is_newest,
        "is_read": is_read,
        # On confirmed data the form only opens with ?change.
        "form": shared["may_write"]
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
        "told": _progress_of(version, opens=opens) if version.state == State.READING else None,
        "problem": problem,
        "progress_url": reverse("analysis:data_progress", args=held),
        "stop_url": reverse("analysis:stop_reading", args=held),
    }


def refused(
    request: PersonRequest, version: DatasetVersion, problem: Refused, *, keeps: bool = True, **opened: Any
) -> HttpResponse:
    """Show the page of `version` with a `problem`.

    With `keeps` the fields keep what was sent. `opened` are more context variables: sections to open, what was typed.
    """
    context = context_of(request, version, problem=problem, sent=request.POST.dict() if keeps else None)
    return render(request, "analysis/data.html", context | opened, status=problem.status)


def _apply_row_choice(version: DatasetVersion, request: PersonRequest) -> DatasetVersion:
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
    """Save the answer to a question about rows, and return the version. A row that was not ticked is data."""
    asked = _open_question(version, request.POST.get("question", ""))
    one_by_one = "one_by_one" in request.POST
    ticked = set(request.POST.getlist("row"))
    shown = {str(row) for row in asked["rows"][:SHOWN]}
    keep = [row for row in asked["rows"] if keeps_all or (one_by_one and str(row) in shown and str(row) not in ticked)]
    reasons = asked.get("reasons") or ["total row"] * len(asked["rows"])
    left = grouped((why, row) for row, why in zip(asked["rows"], reasons, strict=True) if row not in keep)
    return decide_rows(
        version, request.user, leave_out=[{"rows": rows, "reason": why} for why, rows in left.items()], keep=keep
    )


def _with_headings(version: DatasetVersion, request: PersonRequest) -> DatasetVersion:
    asked = _open_question(version, "second_header")
    had = {name: value for name, value in version.reading.items() if name != "row_numbers"}
    return reread_file(version, request.user, had | {"header_rows": asked["header_rows"]})


def _open_question(version: DatasetVersion, code: str) -> dict[str, Any]:
    asked = next((one for one in questions_of(version) if one["code"] == code), None)
    if asked is None:
        raise Refused("This question was already answered. Reload the page.", field="", code="answered", status=409)
    return asked


def _progress_of(version: DatasetVersion, *, opens: bool) -> dict[str, Any]:
    """Return the progress of reading `version`, as `job_progress` returns it."""
    return job_progress(
        version.job,
        f"{version.file_name}, uploaded at",
        version.created_at,
        in_line="Waiting for other jobs. It starts automatically.",
        doing="Removing columns" if version.job and version.job.kind == DROPPING else "Reading the file",
        opens=opens,
    )


def _address(dataset: Dataset) -> str:
    return reverse("analysis:data", args=[dataset.project_id, dataset.pk])
