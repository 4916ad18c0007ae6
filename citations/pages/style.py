"""The pages for how a thesis's references look: their citation style, and the pattern of new keys (SPEC C5, C12)."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers

from citations.library import key_patterns
from citations.styles import choose_style
from core.errors import Refused
from projects.access import get_project, may
from projects.signed_in_request import PersonRequest

STYLE_PAGE = "citations/style.html"
_PARTS = {"styles": f"{STYLE_PAGE}#styles", "style-picker": f"{STYLE_PAGE}#picker"}  # by the target of htmx


@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request", "HX-Target")
def style(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the page to choose a citation style, or a part of it for htmx; or save the choice and show the list."""
    posted = request.method == "POST"
    project = get_project(request.user, project_id, "write" if posted else "read")
    wrong, status = "", 200
    asked = request.POST if posted else request.GET
    chosen = asked.get("style", "")[:120] or project.citation_style
    if posted:
        try:
            choose_style.save_style(project, chosen)
        except Refused as refused:
            wrong, status = refused.message, 422
        else:
            messages.success(request, f"Citation style changed to {choose_style.name_of(chosen)}.")
            return redirect("citations:list", project.pk)
    words = asked.get("q", "")[:120]
    target = request.htmx.target if request.htmx else ""
    return render(
        request,
        _PARTS.get(target or "", STYLE_PAGE),
        {
            "project": project,
            "tab": "citations",
            "q": words,
            "chosen": chosen,
            "offered": choose_style.offered_styles(words, project.citation_style),
            "preview": None if target == "styles" else choose_style.style_preview(project, chosen),
            "wrong": wrong,
            "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
        },
        status=status,
    )


@require_safe
def preview(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show a preview of the thesis's references in a style."""
    project = get_project(request.user, project_id)
    shown = choose_style.style_preview(project, request.GET.get("style", "") or project.citation_style)
    return render(request, f"{STYLE_PAGE}#preview", {"project": project, "preview": shown})


@require_http_methods(["GET", "HEAD", "POST"])
def keys(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the patterns of keys, each with an example from the thesis, or save the choice and show the list."""
    posted = request.method == "POST"
    project = get_project(request.user, project_id, "write" if posted else "read")
    wrong, status = "", 200
    if posted:
        try:
            key_patterns.save_pattern(project, request.POST.get("pattern", ""))
        except Refused as refused:
            wrong, status = refused.message, refused.status
        else:
            messages.success(request, "Saved. New references get keys of this pattern.")
            return redirect("citations:list", project.pk)
    context = {
        "project": project,
        "tab": "citations",
        "patterns": key_patterns.examples(project),
        "chosen": key_patterns.pattern_of(project),
        "wrong": wrong,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }
    return render(request, "citations/keys.html", context, status=status)
