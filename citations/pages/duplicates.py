"""References that may be one work: the pairs, and merging one (SPEC C5)."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from citations.changing.duplicates import find_duplicates
from citations.changing.merging import merge
from core.errors import Refused
from projects.access import get_project, may
from projects.requests import PersonRequest

SHOWN = 100


@require_http_methods(["GET", "HEAD", "POST"])
def page(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """The pairs; POST merges the two that are named."""
    project = get_project(request.user, project_id, "write" if request.method == "POST" else "read")
    wrong, status = "", 200
    if request.method == "POST":
        try:
            kept = merge(project, request.user, *_two(request))
        except Refused as refused:
            wrong, status = refused.message, refused.status
        else:
            messages.success(request, f"Merged. The text may cite {kept.cite_key} by either key.")
            return redirect("citations:duplicates", project.pk)
    pairs = find_duplicates(project)
    context = {
        "project": project,
        "tab": "citations",
        "pairs": pairs[:SHOWN],
        "count": len(pairs),
        "wrong": wrong,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }
    return render(request, "citations/duplicates.html", context, status=status)


@require_safe
def hint(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """A line for the list of references where some may be one work; it is asked for once the list is there."""
    project = get_project(request.user, project_id)
    count = len(find_duplicates(project))
    return render(request, "citations/_duplicates.html", {"project": project, "count": count})


def _two(request: PersonRequest) -> tuple[UUID, UUID]:
    try:
        one, other = (UUID(value) for value in request.POST.getlist("citation"))
    except ValueError:
        raise Http404 from None
    return one, other
