"""The page "Title page and forms" (SPEC T5)."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers

from projects.access import get_project, may
from projects.models import Project
from projects.signed_in_request import PersonRequest
from thesis.front_matter.page_fields import TITLES, printed, unfilled, written_in_front
from thesis.front_matter.word_limits import limits
from thesis.layout import advice, save_layout
from thesis.layout_form import LayoutForm, with_template
from thesis.manuscript import Manuscript
from thesis.manuscript_data import layout_manuscript

PAGE = "thesis/layout.html"


@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request", "HX-Target")
def layout(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the page; a POST saves the form.

    A POST with `look` saves nothing: it returns the form for the chosen template, or, for htmx with the target
    "printed", the list of the pages that would be printed.
    """
    posted = request.method == "POST"
    project = get_project(request.user, project_id, "write" if posted else "read")
    manuscript = layout_manuscript(project)
    if not posted:
        return render(request, PAGE, _context(project, manuscript, LayoutForm(manuscript)))
    form = LayoutForm(manuscript, request.POST)
    if "look" in request.POST:
        return _look(request, project, manuscript, form)
    if not form.is_valid():
        return render(request, PAGE, _would_be(project, manuscript, form, form), status=422)
    save_layout(project, form.layout())
    messages.success(request, "Title page and forms saved.")
    return redirect("thesis:layout", project.pk)


def _look(request: PersonRequest, project: Project, manuscript: Manuscript, form: LayoutForm) -> HttpResponse:
    if request.htmx and request.htmx.target == "printed":
        form.is_valid()
        return render(request, f"{PAGE}#printed", _would_be(project, manuscript, form, form))
    shown = _would_be(project, manuscript, form, with_template(form, manuscript))
    return render(request, f"{PAGE}#form" if request.htmx else PAGE, shown)


def _would_be(project: Project, manuscript: Manuscript, form: LayoutForm, shown: LayoutForm) -> dict[str, Any]:
    """Return the context of the page with the form `shown`, and what would be printed with the values of `form`."""
    return _context(project, replace(manuscript, layout=form.layout()), shown, is_looked=True)


def _context(project: Project, manuscript: Manuscript, form: LayoutForm, *, is_looked: bool = False) -> dict[str, Any]:
    titles = {chapter.slug: chapter.title for chapter in manuscript.chapters}
    return {
        "project": project,
        "tab": "build",
        "form": form,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
        "is_brought": manuscript.is_brought,
        "is_looked": is_looked,
        "printed": [TITLES[name] for name in printed(manuscript)],
        "own": [TITLES[name] for name in TITLES if name in written_in_front(manuscript)],
        "unfilled": unfilled(manuscript),
        "advice": advice(manuscript),
        "limits": [{**vars(limit), "title": titles.get(limit.slug, "")} for limit in limits(manuscript)],
    }
