"""The actions on several references at once, from the form around the list (SPEC C5, C9)."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from citations.formats.export import download
from citations.library.bulk import MOST, Action, change_several, chosen_rows, cited_references
from citations.library.list_filter import ListFilter
from citations.library.tags import split_names
from citations.models import Citation
from citations.pages.forms import ImportForm
from citations.pages.reference_list import list_page
from citations.pages.reference_rows import ids_in
from core.errors import Refused
from projects.access import get_project
from projects.models import Project
from projects.signed_in_request import PersonRequest

_ACTIONS: dict[str, Action] = {"check": "check", "tag": "tag", "untag": "untag", "delete": "delete"}
CITED_SHOWN = 200  # rows of the page that asks whether to delete


@require_POST
def bulk(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Do one action for the selected references and go back to the list; ask first before any are deleted.

    References that the action was not done for are listed above the list with the reason.
    """
    project = get_project(request.user, project_id, "write")
    chosen = chosen_ids(request, project)
    action = _ACTIONS.get(request.POST.get("do", ""))
    try:
        if action is None:
            raise Refused("Choose what to do with the selected works.", field="do")
        if action == "delete" and chosen and "confirmed" not in request.POST:
            return _ask(request, project, chosen)
        result = change_several(
            project,
            request.user,
            action,
            chosen,
            tags=split_names(request.POST.get("names", "")) if action in ("tag", "untag") else (),
            delete_cited="cited" in request.POST,
        )
    except Refused as refused:
        messages.warning(request, refused.message)
        return _back(request, project)
    if not result.not_done:
        messages.success(request, _sentence(action, len(result.done)))
        return _back(request, project)
    told = {"bulk_done": _sentence(action, len(result.done)) if result.done else "", "bulk_result": result}
    return _list_with(request, project, told)


@require_POST
def export_selected(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Download the selected references as a file; `format` is bibtex, biblatex, ris or csl."""
    project = get_project(request.user, project_id)
    chosen = chosen_ids(request, project)
    if not chosen:
        messages.warning(request, "Select at least one reference.")
        return _back(request, project)
    return download(project, request.POST.get("format", "bibtex"), chosen)


def chosen_ids(request: PersonRequest, project: Project) -> list[UUID]:
    """Return the ids of the selected references: all that the list shows with `all`, else those that were ticked."""
    if "all" in request.POST:
        shown = ListFilter.read(request.POST).of(Citation.objects.filter(project=project))
        return list(shown.values_list("pk", flat=True)[: MOST + 1])
    sent = request.POST.getlist("citation") or request.POST.get("chosen", "").split()
    return ids_in(sent[: MOST + 1])


def _ask(request: PersonRequest, project: Project, chosen: list[UUID]) -> HttpResponse:
    """Show the page that says which of the references are cited, and asks whether to delete."""
    if len(chosen) > MOST:
        raise Refused(f"Select at most {MOST:,} references at once.", code="too_many")
    rows = chosen_rows(project, chosen)
    cited = cited_references(project, rows)
    context = {
        "project": project,
        "tab": "citations",
        "count": len(rows),
        "chosen": " ".join(str(row.pk) for row in rows),
        "cited": cited[:CITED_SHOWN],
        "cited_count": len(cited),
        "uncited_count": len(rows) - len(cited),
        "listed": ListFilter.read(request.POST),
        "query": ListFilter.read(request.POST).query(),
    }
    return render(request, "citations/bulk_delete.html", context)


def _back(request: PersonRequest, project: Project) -> HttpResponse:
    """Redirect to the list as it was."""
    query, page = ListFilter.read(request.POST).query(), request.POST.get("page", "")
    if page.isdecimal() and page.isascii() and page != "1" and len(page) < 7:
        query = f"{query}&page={page}".lstrip("&")
    address = reverse("citations:list", args=[project.pk])
    return redirect(f"{address}?{query}" if query else address)


def _list_with(request: PersonRequest, project: Project, told: dict[str, Any]) -> HttpResponse:
    """Show the list as it was, with a result above it."""
    request.GET = request.POST.copy()  # type: ignore[assignment]
    return list_page(request, project, ImportForm(), **told)


def _sentence(action: Action, count: int) -> str:
    works = f"{count:,} work{'' if count == 1 else 's'}"
    be = "is" if count == 1 else "are"
    return {
        "check": f"{works} {be} being looked up.",
        "tag": f"{works} tagged.",
        "untag": f"The tag was removed from {works}.",
        "delete": f"{works} {'was' if count == 1 else 'were'} deleted.",
    }[action]
