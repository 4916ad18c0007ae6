"""The page of one analysis: its sentence, figures, what was checked, tables and script; how far it is; why it did not run (SPEC N2)."""

from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_POST, require_safe

from analysis.access import closed_analysis
from analysis.advice.questions import NAMES
from analysis.datasets.deletion import deleted_data
from analysis.models import Analysis, Dataset
from analysis.pages.following import followed
from analysis.pages.printed import on_page, pieces, printed
from analysis.pages.rail import rail_of, state_of
from analysis.running.again import again, newest_ready
from analysis.running.keep import remove_analysis
from analysis.showing.shown import Shown, shown
from core.errors import Refused
from jobs.slots import ahead_of
from projects.access import Act, get_in_project, get_project, may, may_open_data
from projects.requests import PersonRequest

MOST_TO_COMPARE = 12
_PEOPLE = {
    "Welch",
    "Mann",
    "Wilcoxon",
    "Kruskal",
    "Friedman",
    "Fisher",
    "McNemar",
    "Cox",
    "Kaplan",
    "ROC",
    "Bland",
    "Table",
}
# Errors that may pass by themselves: the same question can be asked again as it stands.
_MAY_PASS = {"internal", "absent", "died", "busy", "timeout", "cancelled", "stopped"}


@require_safe
def index(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """The newest result; without one, what the next step is."""
    project = get_project(request.user, project_id)
    newest = Analysis.objects.filter(project=project).values_list("pk", flat=True).first()
    if newest is not None:
        return redirect("analysis:result", project.pk, newest)
    datasets = Dataset.objects.filter(project=project)
    context = {
        "project": project,
        "tab": "analyses",
        "rail": rail_of(project),
        "first_data": datasets.first(),
        "ready": datasets.filter(versions__state="ready").first(),
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }
    return render(request, "analysis/index.html", context)


@require_safe
def result(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    return render(request, "analysis/result.html", context_of(request, find(request, project_id, analysis_id)))


@require_safe
def progress(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    """How far an analysis is: nothing while there is no news, all of the page's body at its end."""
    found = find(request, project_id, analysis_id)
    told = told_of(found) if state_of(found) == "running" else None
    return followed(request, "analysis/result.html", told, partial(context_of, request, found))


@require_POST
def run_again(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    """The same question once more, on the newest version of its data."""
    found = find(request, project_id, analysis_id, "write")
    try:
        newer = again(found, request.user)
    except Refused as problem:
        context = context_of(request, found) | {"problem": problem}
        return render(request, "analysis/result.html", context, status=problem.status)
    return redirect("analysis:result", project_id, newer.pk)


@require_POST
def delete(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    """An analysis goes with its figures; what of it was put into sections stays there."""
    found = find(request, project_id, analysis_id, "write")
    number = found.number
    remove_analysis(found)
    messages.success(request, f"Analysis {number} is deleted.")
    return redirect("analysis:index", project_id)


def find(request: PersonRequest, project_id: UUID, analysis_id: UUID, act: Act = "read") -> Analysis:
    rows = Analysis.objects.select_related("job", "data__dataset", "again_of", "created_by")
    found: Analysis = get_in_project(request.user, rows, act, pk=analysis_id, project_id=project_id)
    return closed_analysis(found, found.project)


def context_of(request: PersonRequest, found: Analysis) -> dict[str, Any]:
    state = state_of(found)
    newest = newest_ready(found)
    parts: Shown | None = shown(found) if state == "done" else None
    return {
        "project": found.project,
        "tab": "analyses",
        "rail": rail_of(found.project, everything="all" in request.GET),
        "analysis": found,
        "state": state,
        "shown": parts,
        **parts_of(parts),
        "names": named(found),
        "newer": newest
        if newest is not None and found.data is not None and newest.number > found.data.number
        else None,
        "told": told_of(found) if state == "running" else None,
        "deleted": _deleted(found),
        "error": error_of(found) if state == "failed" else None,
        "suggested": name_of((found.error or {}).get("suggest", "")),
        "others": to_compare(found) if state == "done" else [],
        "may_write": _may_write(found),
        "may_open_data": may_open_data(found.project),
        **_follows(found),
    }


def _deleted(found: Analysis) -> dict[str, Any] | None:
    """The data it was made on, where they were deleted, with the day; None else."""
    gone = deleted_data(found)
    return gone and {**gone, "on": parse_datetime(gone.get("deleted_at", ""))}


def name_of(analysis: str) -> str:
    """What an analysis is called in the middle of a sentence: "Welch analysis of variance", "linear regression"."""
    words = NAMES.get(analysis, analysis.replace("_", " "))
    is_name = words.split(" ")[0].split("-")[0].rstrip("'s") in _PEOPLE
    return words if is_name or not words else f"{words[0].lower()}{words[1:]}"


def parts_of(parts: Shown | None) -> dict[str, Any]:
    """What a template needs beside the parts of a result themselves."""
    if parts is None:
        return {"sentence": [], "figures": [], "tables": []}
    return {
        "sentence": pieces(parts.sentence),
        "figures": [on_page(one) for one in parts.figures],
        "tables": [printed(one) for one in parts.tables],
    }


def error_of(found: Analysis) -> dict[str, Any]:
    """Why there is no result, with the name of the column it is about, and whether it may run as it stands."""
    error = dict(
        found.error or {"code": "stopped", "message": "It was stopped before R answered.", "hint": "Run it again."}
    )
    column = next((one for one in named(found) if one["id"] == error.get("column")), None)
    return {**error, "column_name": column["name"] if column else "", "may_pass": error.get("code") in _MAY_PASS}


def named(found: Analysis) -> list[dict[str, str]]:
    """The columns that were sent to R: [{id, name}]."""
    sent = found.request.get("data", {}).get("columns", []) if isinstance(found.request, dict) else []
    if not sent and found.data is not None and found.error:
        sent = found.data.columns
    return [{"id": one.get("id", ""), "name": one.get("name", "")} for one in sent]


def to_compare(found: Analysis) -> list[Analysis]:
    """Results to set beside this one: of the same kind first, the newest first."""
    rows = Analysis.objects.filter(project=found.project, result__isnull=False).exclude(pk=found.pk)
    rows = rows.select_related("data__dataset").only(
        "number", "title", "name", "kind", "data__number", "data__dataset__name"
    )
    family = Q(again_of=found) | Q(pk=found.again_of_id) | Q(name=found.name)
    alike = list(rows.filter(family)[:MOST_TO_COMPARE])
    rest = list(rows.exclude(family)[: MOST_TO_COMPARE - len(alike)]) if len(alike) < MOST_TO_COMPARE else []
    return [*alike, *rest]


def told_of(found: Analysis) -> dict[str, Any]:
    """How far an analysis is, in words, and a mark by which a page knows that there is news."""
    job = found.job
    assert job is not None
    last = job.events.order_by("-seq").values_list("text", flat=True).first()
    ahead = ahead_of(job) if job.state == "queued" else []
    said = last or ("Others are ahead of it. It starts by itself." if ahead else "Waiting to start")
    return {
        "said": "Stopping" if job.wanted == "cancel" else said,
        "seen": f"{job.last_seq}-{job.state}-{job.wanted}-{len(ahead)}",
        "done": 0,
        "total": 0,
        "about": "Asked at",
        "at": found.created_at,
    }


def _follows(found: Analysis) -> dict[str, str]:
    held = [found.project_id, found.pk]
    return {"progress_url": reverse("analysis:progress", args=held), "stop_url": reverse("analysis:stop", args=held)}


def _may_write(found: Analysis) -> bool:
    return may(found.project.role, "write")  # type: ignore[attr-defined]
