"""The manuscript: the thesis as set text on one page, for reading and commenting (SPEC G1)."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from projects.access import get_project, may
from projects.models import Project
from projects.signed_in_request import PersonRequest
from sections.models import Section
from thesis.front_matter.page_fields import values
from thesis.manuscript import Chapter
from thesis.manuscript_page.document import Document, document_of


@require_safe
@vary_on_headers("HX-Request")
def manuscript(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the manuscript. Chapters that are not rendered yet are loaded one by one, but for that named by ?section=.

    With `at`, an offset in the LaTeX of that section, the page opens there. The list of references comes by htmx too,
    unless it is printed already or asked for (?references=1).
    """
    project = get_project(request.user, project_id)
    document = document_of(project)
    references = document.references_as_html(only_cached="references" not in request.GET)
    if request.htmx:
        return render(request, "thesis/manuscript.html#references", {"project": project, "references": references})
    sections = {str(row.pk): row for row in Section.objects.filter(project=project).with_comments()}
    asked = request.GET.get("section", "")
    chapters = [one for one in document.chapters if one.slug == asked or not asked]
    if asked and not chapters:
        raise Http404("There is no such section in this thesis.")
    opened = next((one for one in chapters if document.texts[one.id].strip()), next(iter(chapters), None))
    body, appendices = (
        [row for one in part if (row := _row(document, sections, one, is_rendered=one is opened))]
        for part in (document.plain.body, document.plain.appendices)
    )
    return render(
        request,
        "thesis/manuscript.html",
        {
            **_context(project),
            "author": values(document.plain)["author"],
            "body": body,
            "appendices": appendices,
            "opened": opened,
            "cites": bool(document.references.works),
            "references": references,
        },
    )


@require_safe
@vary_on_headers("HX-Request")
def chapter(request: PersonRequest, project_id: UUID, slug: str) -> HttpResponse:
    """Return one chapter with its place in the outline; without htmx go to it on the page."""
    project = get_project(request.user, project_id)
    if not request.htmx:
        return redirect(f"{reverse('thesis:manuscript', args=[project.pk])}?section={slug}#s-{slug}")
    document = document_of(project)
    found = next((one for one in document.chapters if one.slug == slug), None)
    if found is None:
        raise Http404("There is no such section in this thesis.")
    sections = {str(row.pk): row for row in Section.objects.filter(project=project, slug=slug).with_comments()}
    row = _row(document, sections, found, is_rendered=True)
    return render(request, "thesis/manuscript.html#loaded", {**_context(project), "row": row})


def _context(project: Project) -> dict[str, Any]:
    role = project.role  # type: ignore[attr-defined]
    return {"project": project, "tab": "read", "may_write": may(role, "write"), "may_comment": may(role, "comment")}


def _row(
    document: Document, sections: dict[str, Section], chapter: Chapter, *, is_rendered: bool
) -> dict[str, Any] | None:
    """Return a chapter for the template, rendered if need be or only if it is cached; None for a removed section."""
    section = sections.get(chapter.id)
    if section is None:
        return None
    page = document.chapter(chapter, only_cached=not is_rendered)
    return {"section": section, "page": page, "number": document.number(chapter)}
