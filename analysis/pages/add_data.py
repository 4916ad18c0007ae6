"""Bringing a table: a new dataset, or a newer file of one that is there (SPEC N1)."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from analysis.datasets.kinds import MOST_BYTES
from analysis.datasets.start import start_dataset
from analysis.models import Dataset
from analysis.pages.rail import rail_of
from core.errors import Refused
from projects.access import get_in_project, get_project, may
from projects.models import Project
from projects.requests import PersonRequest


@require_http_methods(["GET", "HEAD", "POST"])
def add_data(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """The form; a POST takes `file` and `name`. ?dataset= names the dataset of which this is a newer file."""
    project = get_project(request.user, project_id, "write")
    dataset = _dataset(request, project)
    if request.method != "POST":
        return render(request, "analysis/add_data.html", _context(project, dataset))
    upload = request.FILES.get("file")
    name = request.POST.get("name", "").strip()
    try:
        if upload is None:
            raise Refused("Choose a file: CSV or Excel (.xlsx).", field="file", code="no_file")
        name = name or (dataset.name if dataset else upload.name or "")
        version = start_dataset(project, request.user, name, upload, dataset=dataset)
    except Refused as problem:
        context = _context(project, dataset) | {"problem": problem, "name": name}
        return render(request, "analysis/add_data.html", context, status=problem.status)
    return redirect("analysis:data", project.pk, version.dataset_id)


def _dataset(request: PersonRequest, project: Project) -> Dataset | None:
    wanted = request.POST.get("dataset") or request.GET.get("dataset")
    if not wanted:
        return None
    try:
        key = UUID(wanted)
    except ValueError:
        return None
    return get_in_project(request.user, Dataset.objects.all(), "write", pk=key, project_id=project.pk)


def _context(project: Project, dataset: Dataset | None) -> dict[str, Any]:
    return {
        "project": project,
        "tab": "analyses",
        "rail": rail_of(project),
        "dataset": dataset,
        "name": "",
        "most_bytes": max(MOST_BYTES.values()),
        "most_csv": MOST_BYTES["csv"],
        "most_xlsx": MOST_BYTES["xlsx"],
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }
