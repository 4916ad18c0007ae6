"""The sidebar with the data and analyses of a thesis, and the progress of jobs, for all pages of this app."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import CharField, DateTimeField, OuterRef, QuerySet, Subquery
from django.http import HttpResponse
from django.shortcuts import render

from analysis.models import Analysis, Dataset, DatasetVersion
from jobs.compute_slots import ahead_of
from jobs.models import Job
from projects.access import Act, get_in_project, may
from projects.models import Project
from projects.signed_in_request import PersonRequest

M = TypeVar("M", bound=Any)
MOST_ANALYSES = 60  # newest analyses in the sidebar; older ones are behind a link


def room(project: Project, *, everything: bool = False) -> dict[str, Any]:
    """Return the template context of every page of this app; `everything` as in `rail_of`."""
    return {
        "project": project,
        "tab": "analyses",
        "rail": rail_of(project, everything=everything),
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }


def rail_of(project: Project, *, everything: bool = False) -> dict[str, Any]:
    """Return the contents of the sidebar, with three queries.

    `datasets` have the `number` and `state` of their newest version; `analyses` have a `rail_state`; `older` is the
    number of analyses that are left out unless `everything` is set.
    """
    newest = DatasetVersion.objects.filter(dataset=OuterRef("pk")).order_by("-number")
    datasets = Dataset.objects.filter(project=project).annotate(
        number=Subquery(newest.values("number")[:1]),
        state=Subquery(newest.values("state")[:1], output_field=CharField()),
        read_at=Subquery(newest.values("created_at")[:1], output_field=DateTimeField()),
    )
    rows = (
        Analysis.objects.filter(project=project)
        .select_related("job")
        .only("number", "title", "name", "kind", "ended_at", "error", "job__state")
    )
    found = list(rows if everything else rows[: MOST_ANALYSES + 1])
    analyses = found if everything else found[:MOST_ANALYSES]
    older = rows.count() - MOST_ANALYSES if len(found) > len(analyses) else 0
    for one in analyses:
        one.rail_state = state_of(one)  # type: ignore[attr-defined]
    return {"datasets": list(datasets), "analyses": analyses, "older": older}


def state_of(analysis: Analysis) -> str:
    """Return the state of an analysis: "running", "failed" or "done"."""
    if analysis.error:
        return "failed"
    if analysis.ended_at is not None:
        return "done"
    return "running" if analysis.job is not None and not analysis.job.has_ended else "failed"


def followed(
    request: PersonRequest, template: str, told: dict[str, Any] | None, context: Callable[[], dict[str, Any]]
) -> HttpResponse:
    """Show the progress `told` of a job; nothing (204) if it did not change; the body of `template` if it is None."""
    if told is None:
        response = render(request, f"{template}#body", context())
        response["HX-Retarget"], response["HX-Reswap"] = "#main", "innerHTML"
        return response
    if request.GET.get("seen") == told["seen"]:
        return HttpResponse(status=204)
    return render(request, "analysis/_progress.html", context() | {"told": told})


def told_of(
    job: Job | None, about: str, at: datetime, *, in_line: str, doing: str, opens: bool = True
) -> dict[str, Any]:
    """Return the progress of `job`: {said, seen, done, total, about, at}.

    `said` is its last message, else `in_line` if it waits or `doing` if it runs. `seen` changes with every update.
    Messages may quote cells, so they are only included if the user `opens` the data.
    """
    told = {"said": "Waiting to start", "seen": "", "done": 0, "total": 0, "about": about, "at": at}
    if job is None:
        return told
    last = job.events.order_by("-seq").values_list("text", flat=True).first() if opens else None
    ahead = ahead_of(job) if job.state == "queued" else []
    return told | {
        "said": "Stopping" if job.wanted == "cancel" else last or (in_line if ahead else doing),
        "seen": f"{job.last_seq}-{job.state}-{job.wanted}-{job.progress}-{len(ahead)}",
        "done": job.progress,
        "total": job.progress_total,
    }


def row_named(request: PersonRequest, rows: QuerySet[M], wanted: str, act: Act = "read") -> M | None:
    """Return the row with the id `wanted` of a URL or form; None if it is not an id. Raises like `get_in_project`."""
    try:
        return get_in_project(request.user, rows, act, pk=UUID(wanted))
    except ValueError:
        return None
