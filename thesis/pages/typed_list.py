"""The page that links a typed list of references to its marks in the text (SPEC C5, T2)."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from citations.resolution.check_job import running_check
from core.errors import Refused
from projects.access import Act, get_in_project, may
from projects.signed_in_request import PersonRequest
from sections.models import TextImport
from thesis.importing.typed_list.link import LinkPlan, link, linked_message, plan_links

MOST_SHOWN = 1_000  # marks on the page; those after them are linked too, and all are in the API


@require_safe
def typed_list(request: PersonRequest, text_id: UUID) -> HttpResponse:
    """Show the entries of the typed list, what each mark would become, and what is left as it is typed."""
    found = _find(request, text_id)
    return _page(request, found, plan_links(found))


@require_POST
def link_references(request: PersonRequest, text_id: UUID) -> HttpResponse:
    """Link the marks that were not left out, and go back to the page."""
    found = _find(request, text_id, "write")
    left = request.POST.getlist("left")
    try:
        plan = link(
            found,
            request.user,
            token=request.POST.get("token", ""),
            left=left,
            remove_list=request.POST.get("remove_list") == "1",
        )
    except Refused as refused:
        return _page(request, found, plan_links(found), refused)
    messages.success(request, linked_message(plan, left))
    return redirect("thesis:typed_list", found.pk)


def _page(request: PersonRequest, found: TextImport, plan: LinkPlan, refused: Refused | None = None) -> HttpResponse:
    project = found.project
    context: dict[str, Any] = {
        "project": project,
        "tab": "write",
        "brought": found,
        "plan": plan,
        "places": plan.places[:MOST_SHOWN],
        "doubts": plan.doubts[:MOST_SHOWN],
        "wrong": refused.message if refused else "",
        "is_looking": running_check(project) is not None,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }
    return render(request, "thesis/typed_list.html", context, status=refused.status if refused else 200)


def _find(request: PersonRequest, text_id: UUID, act: Act = "read") -> TextImport:
    return get_in_project(request.user, TextImport.objects.all(), act, pk=text_id)
