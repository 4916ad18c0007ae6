"""A result of an analysis goes into a section: what would come is shown before it goes (SPEC N2, T7)."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers

from analysis.models import Analysis
from core.errors import Refused
from projects.access import get_in_project
from projects.requests import PersonRequest
from sections.models import Section
from thesis.results.coming import parts_of, result_coming
from thesis.results.put import put_result

_COMING = "thesis/put_result.html#coming"
_NOTHING = "Tick a part of the result, and it is shown here as it would come."


@vary_on_headers("HX-Request")
@require_http_methods(["GET", "HEAD", "POST"])
def put(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    """`?part=sentence&part=table:main` are chosen, `?section=` is where; for htmx what would come."""
    rows = Analysis.objects.select_related("data__dataset").prefetch_related("figures").filter(project=project_id)
    analysis: Analysis = get_in_project(request.user, rows, "write", pk=analysis_id)
    project = analysis.project
    if analysis.result is None:
        messages.error(request, "This analysis has no result yet.")
        return redirect("analysis:result", project.pk, analysis.pk)
    asked = request.POST if request.method == "POST" else request.GET
    parts = parts_of(analysis)
    wanted = asked.getlist("part") if "asked" in asked or "part" in asked else [part.key for part in parts]
    sections = list(Section.objects.filter(project=project).outline())
    slug = asked.get("section", "")
    section = get_object_or_404(Section, project=project, slug=slug) if slug else likely(sections)
    wrong = ""
    if request.method == "POST" and section is not None:
        try:
            put_result(section, request.user, analysis, wanted)
        except Refused as refused:
            wrong = refused.message
        else:
            messages.success(request, "It is proposed beside the text. Take it there, whole or in part.")
            return redirect(f"{reverse('sections:section', args=[project.pk, section.slug])}?beside=draft")
    context = {
        "project": project,
        "tab": "analyses",
        "analysis": analysis,
        "parts": parts,
        "wanted": wanted,
        "sections": sections,
        "section": section,
        "wrong": wrong,
        "nothing": "" if wanted else _NOTHING,
        **(_previewed(analysis, section, wanted) if section is not None and wanted else {}),
    }
    template = _COMING if request.htmx else "thesis/put_result.html"
    return render(request, template, context, status=422 if wrong else 200)


def likely(sections: list[Section]) -> Section | None:
    """Where results stand: the section called Results, else the one that was worked on last, else the first."""
    named = next((one for one in sections if "result" in one.slug or "observation" in one.slug), None)
    if named is not None:
        return named
    if written := [section for section in sections if section.version]:
        return max(written, key=lambda section: section.updated_at)
    return next(iter(sections), None)


def _previewed(analysis: Analysis, section: Section, wanted: list[str]) -> dict[str, Any]:
    try:
        coming = result_coming(section, analysis, wanted)
        return {"latex": coming.preview(analysis), "notes": coming.notes}
    except Refused as refused:
        return {"cannot": refused.message}
