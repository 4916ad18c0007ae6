"""Findings and a report of a run go into a section: what would come is shown before it goes (SPEC T7)."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers

from projects.access import get_in_project
from projects.errors import Refused
from projects.requests import PersonRequest
from research.models import Run
from research.pages.finding_list import finding_list
from sections.models import Section
from thesis.findings.putting import Coming, findings_coming, put_findings, put_report, report_coming
from thesis.findings.report import parts_of
from thesis.models import Draft

MOST_SHOWN = 100  # findings that are offered beside the chosen ones
page_or_post = require_http_methods(["GET", "HEAD", "POST"])
_COMING = "thesis/put.html#coming"


@vary_on_headers("HX-Request")
@page_or_post
def findings(request: PersonRequest, run_id: UUID) -> HttpResponse:
    """Findings of a run: `?finding=F1-2&finding=...` are chosen, `?section=` is where; for htmx what would come."""
    run = _find(request, run_id)
    asked = request.POST if request.method == "POST" else request.GET
    named = asked.getlist("finding")
    chosen = [{"run": str(run.pk), "finding_id": one} for one in named]
    put: Callable[[Section], Draft] = lambda section: put_findings(section, request.user, chosen)  # noqa: E731
    rows = finding_list(run)
    ticked = [row for row in rows if {row.finding.finding_id, *(one.finding_id for one in row.others)} & set(named)]
    context = {
        "rows": [*ticked, *(row for row in rows if row not in ticked)][: len(ticked) + MOST_SHOWN],
        "chosen": named,
    }
    context |= {
        "ticked": [row.finding.finding_id for row in ticked],
        "back": reverse("research:findings", args=[run.pk]),
    }
    nothing = "Tick what is to go in, and it is shown here as it would come."
    return _answer(
        request,
        run,
        asked,
        put,
        lambda section: findings_coming(run.project, chosen),
        context,
        nothing if not chosen else "",
    )


@vary_on_headers("HX-Request")
@page_or_post
def report(request: PersonRequest, run_id: UUID) -> HttpResponse:
    """The report of a run: `part` counts its parts from 1 (none given: all), `unsupported` brings in what did not hold."""
    run = _find(request, run_id)
    asked = request.POST if request.method == "POST" else request.GET
    if not run.has_report:
        messages.error(request, "This run has no report yet.")
        return redirect("research:run", run.pk)
    parts = parts_of(run)
    numbers = [int(one) for one in asked.getlist("part") if one.isdecimal() and len(one) < 5]
    wanted = numbers if "asked" in asked else [part.number for part in parts]
    everything = "unsupported" in asked

    def put(section: Section) -> Draft:
        return put_report(section, request.user, run, wanted, with_unsupported=everything)

    def coming(section: Section) -> Coming:
        return report_coming(section, run, wanted, with_unsupported=everything)

    context = {
        "parts": parts,
        "wanted": wanted,
        "unsupported": everything,
        "back": reverse("research:report", args=[run.pk]),
    }
    nothing = "" if wanted else "Tick a part of the report, and it is shown here as it would come."
    return _answer(request, run, asked, put, coming, context, nothing)


def _answer(
    request: PersonRequest,
    run: Run,
    asked: QueryDict,
    put: Callable[[Section], Draft],
    coming: Callable[[Section], Coming],
    context: dict[str, Any],
    nothing: str,
) -> HttpResponse:
    project = run.project
    sections = list(Section.objects.filter(project=project).outline())
    slug = asked.get("section", "")
    section = get_object_or_404(Section, project=project, slug=slug) if slug else _likely(sections)
    wrong = ""
    if request.method == "POST" and section is not None:
        try:
            put(section)
        except Refused as refused:
            wrong = refused.message
        else:
            messages.success(request, "It is proposed beside the text. Take it there, whole or in part.")
            return redirect(f"{reverse('sections:section', args=[project.pk, section.slug])}?beside=draft")
    context |= {
        "project": project,
        "tab": "research",
        "run": run,
        "sections": sections,
        "section": section,
        "wrong": wrong,
        "nothing": nothing,
        **(_previewed(project, coming, section) if section is not None and not nothing else {}),
    }
    template = _COMING if request.htmx else "thesis/put.html"
    return render(request, template, context, status=422 if wrong else 200)


def _likely(sections: list[Section]) -> Section | None:
    """The section that was worked on last; in a thesis without a word the review of literature, else its first."""
    if written := [section for section in sections if section.version]:
        return max(written, key=lambda section: section.updated_at)
    return next((section for section in sections if "literature" in section.slug), next(iter(sections), None))


def _previewed(project: Any, coming: Callable[[Section], Coming], section: Section) -> dict[str, Any]:
    try:
        found = coming(section)
        latex, works = found.preview(project)
    except Refused as refused:
        return {"cannot": refused.message}
    return {"latex": latex, "works": works, "notes": found.notes}


def _find(request: PersonRequest, run_id: UUID) -> Run:
    run: Run = get_in_project(request.user, Run.objects.select_related("job"), "write", pk=run_id)
    return run
