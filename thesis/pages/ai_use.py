"""The page "Use of AI": text accepted from drafts, and the statement to print with the declaration (SPEC T9)."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from core.errors import Refused
from projects.access import get_project, may
from projects.models import Project
from projects.signed_in_request import PersonRequest
from thesis.authorship.alignment import RUN
from thesis.authorship.statement import Authorship, authorship_of, is_in_text, save_statement, snippet
from thesis.front_matter.page_fields import LONGEST_TEXT, TITLES, printed, written_in_front
from thesis.front_matter.pages import CLAIMING, excepted
from thesis.layout import advice
from thesis.manuscript_data import layout_manuscript


@require_http_methods(["GET", "HEAD", "POST"])
def ai_use(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the page; a POST saves the statement `words`, or, with `act` "suggested", the one from the records."""
    posted = request.method == "POST"
    project = get_project(request.user, project_id, "write" if posted else "read")
    if not posted:
        return _page(request, project, authorship_of(project))
    words = request.POST.get("words", "")
    try:
        if request.POST.get("act") == "suggested":
            words = authorship_of(project).suggested
        save_statement(project, request.user, words, seen=request.POST.get("seen", ""))
    except Refused as refused:
        return _page(request, project, authorship_of(project), typed=words, refused=refused)
    messages.success(
        request, "Statement saved." if words.strip() else "The statement is generated from the records again."
    )
    return redirect("thesis:ai_use", project.pk)


def _page(
    request: PersonRequest,
    project: Project,
    authorship: Authorship,
    *,
    typed: str | None = None,
    refused: Refused | None = None,
) -> HttpResponse:
    manuscript = layout_manuscript(project, authorship.printed)
    pages = printed(manuscript)
    context = {
        "project": project,
        "tab": "build",
        "authorship": authorship,
        "words": authorship.words if typed is None else typed,
        "wrong": refused.message if refused else "",
        "most": LONGEST_TEXT,
        "run": RUN,
        "excepted": excepted(manuscript.ai_use.stands),
        "forms": [TITLES[name] for name in CLAIMING if name in pages],
        "is_printed": "ai_use" in pages,
        "is_own": "ai_use" in written_in_front(manuscript),
        "snippet": snippet(manuscript) if manuscript.is_brought else "",
        "is_in_text": manuscript.is_brought and is_in_text(manuscript),
        "is_brought": manuscript.is_brought,
        "odd": [one.said for one in advice(manuscript) if one.field == "ai_use"],
        "drafting_off": project.why_not_drafting,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }
    return render(request, "thesis/ai_use.html", context, status=refused.status if refused else 200)
