"""Two results side by side: what was asked, what differs, and their figures (SPEC N2)."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from analysis.models import Analysis
from analysis.pages.rail import rail_of
from analysis.pages.result import find, parts_of
from analysis.running.compare import Compared, compare
from analysis.showing.shown import shown
from projects.access import may
from projects.requests import PersonRequest


@require_safe
def compared(request: PersonRequest, project_id: UUID, analysis_id: UUID, other_id: UUID) -> HttpResponse:
    """The older one at the left. With ?differences only the lines in which the two differ."""
    both = sorted((find(request, project_id, one) for one in (analysis_id, other_id)), key=lambda one: one.number)
    if both[0].pk == both[1].pk or not all(one.result for one in both):
        raise Http404("Two results are compared.")
    left, right = both
    rows = compare(left, right)
    only = "differences" in request.GET
    context = {
        "project": left.project,
        "tab": "analyses",
        "rail": rail_of(left.project),
        "analysis": find(request, project_id, analysis_id),
        "both": [{"analysis": one, **parts_of(shown(one))} for one in both],
        "left": left,
        "right": right,
        "groups": grouped([row for row in rows if not (only and row.is_same)]),
        "only": only,
        "differing": sum(not row.is_same for row in rows),
        "is_same_data": _data(left) == _data(right),
        "may_write": may(left.project.role, "write"),  # type: ignore[attr-defined]
    }
    return render(request, "analysis/compare.html", context)


def grouped(rows: list[Compared]) -> list[dict[str, Any]]:
    """Lines under the words of their group, in their order."""
    groups: dict[str, list[Compared]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    return [{"words": words, "rows": of_it} for words, of_it in groups.items()]


def _data(found: Analysis) -> Any:
    return found.data_id
