"""The page and the dialog in which a citation style is chosen (SPEC C12)."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers

from citations.printing import style_choice
from core.errors import Refused
from projects.access import get_project, may
from projects.requests import PersonRequest

PAGE = "citations/style.html"
_PARTS = {"styles": f"{PAGE}#styles", "style-picker": f"{PAGE}#picker"}  # by the target htmx names


@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request", "HX-Target")
def style(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """GET offers styles: to htmx the part it asks for. POST takes the one that is chosen."""
    posted = request.method == "POST"
    project = get_project(request.user, project_id, "write" if posted else "read")
    wrong, status = "", 200
    asked = request.POST if posted else request.GET
    chosen = asked.get("style", "")[:120] or project.citation_style
    if posted:
        try:
            style_choice.choose(project, chosen)
        except Refused as refused:
            wrong, status = refused.message, 422
        else:
            messages.success(request, f"References are printed in {style_choice.name_of(chosen)}.")
            return redirect("citations:list", project.pk)
    words = asked.get("q", "")[:120]
    target = request.htmx.target if request.htmx else ""
    context = {
        "project": project,
        "tab": "citations",
        "q": words,
        "chosen": chosen,
        "offered": style_choice.offered(words, project.citation_style),
        "preview": None if target == "styles" else style_choice.preview(project, chosen),
        "wrong": wrong,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }
    return render(request, _PARTS.get(target or "", PAGE), context, status=status)


@require_safe
def preview(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """The references of the thesis in the style that is looked at."""
    project = get_project(request.user, project_id)
    shown = style_choice.preview(project, request.GET.get("style", "") or project.citation_style)
    return render(request, f"{PAGE}#preview", {"project": project, "preview": shown})
