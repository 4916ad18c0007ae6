"""The page that links a typed list of references to its marks in the text (SPEC C5, T2)."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from citations.resolution.check_job import running_check
from core.errors import Refused
from projects.access import Act, get_in_project, may
from projects.signed_in_request import PersonRequest
from sections.models import TextImport
from thesis.importing.typed_list.link import LinkPlan, link, linked_message, plan_links

AT_ONCE = 200  # marks on one page


@require_safe
def typed_list(request: PersonRequest, text_id: UUID) -> HttpResponse:
    """Show the entries of the typed list, what each mark would become, and what is left as it is typed.

    ?page= and ?doubts= are pages of the marks to link and of those left as typed.
    """
    found = _find(request, text_id)
    return _page(request, found, plan_links(found), pages=(request.GET.get("page"), request.GET.get("doubts")))


@require_POST
def link_references(request: PersonRequest, text_id: UUID) -> HttpResponse:
    """Link the marks that were not left out, and go back to the page.

    With `to`, "PAGE DOUBTS", nothing is linked: those pages of the marks are shown, and what was chosen stays chosen.
    """
    found = _find(request, text_id, "write")
    # One field for the marks of all other pages, since a form may have a thousand fields at most.
    left = {*request.POST.getlist("left"), *request.POST.get("left_elsewhere", "").split()}
    if to := request.POST.get("to"):
        page, _, doubts = to.partition(" ")
        return _page(request, found, plan_links(found), left=left, pages=(page, doubts))
    try:
        plan = link(
            found,
            request.user,
            token=request.POST.get("token", ""),
            left=left,
            remove_list=request.POST.get("remove_list") == "1",
        )
    except Refused as refused:
        return _page(request, found, plan_links(found), refused, left=left)
    messages.success(request, linked_message(plan, left))
    return redirect("thesis:typed_list", found.pk)


def _page(
    request: PersonRequest,
    found: TextImport,
    plan: LinkPlan,
    refused: Refused | None = None,
    *,
    left: Collection[str] = (),
    pages: tuple[str | None, str | None] = (None, None),
) -> HttpResponse:
    project = found.project
    places, doubts = (
        Paginator(marks, AT_ONCE).get_page(page) for marks, page in zip((plan.places, plan.doubts), pages, strict=True)
    )
    context: dict[str, Any] = {
        "project": project,
        "tab": "write",
        "brought": found,
        "plan": plan,
        "places": places,
        "doubts": doubts,
        "left": left,
        "removes": request.POST.get("remove_list") == "1",
        "left_elsewhere": " ".join(sorted({*left} - {one.id for one in places})),
        "wrong": refused.message if refused else "",
        "is_looking": running_check(project) is not None,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }
    return render(request, "thesis/typed_list.html", context, status=refused.status if refused else 200)


def _find(request: PersonRequest, text_id: UUID, act: Act = "read") -> TextImport:
    return get_in_project(request.user, TextImport.objects.all(), act, pk=text_id)
