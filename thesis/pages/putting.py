"""Findings and a report of a run go into a section: what would come is shown before it goes (SPEC T7)."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import PurePath
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers

from citations.changing.own_files import Description
from citations.models import Citation
from core.errors import Refused
from projects.requests import PersonRequest
from research.access import get_run
from research.models import Run
from research.report.finding_list import finding_list
from sections.models import Section
from thesis.findings.putting import Coming, findings_coming, put_findings, put_report, report_coming
from thesis.findings.report import parts_of
from thesis.models import Draft

MOST_FIELDS = 1_000  # of a form
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
    put: Callable[[Section], Draft] = lambda section: put_findings(  # noqa: E731
        section, request.user, chosen, files=_files(asked)
    )
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
        return put_report(section, request.user, run, wanted, with_unsupported=everything, files=_files(asked))

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
        **(_previewed(project, coming, section, asked) if section is not None and not nothing else {}),
    }
    template = _COMING if request.htmx else "thesis/put.html"
    return render(request, template, context, status=422 if wrong else 200)


def _likely(sections: list[Section]) -> Section | None:
    """The section that was worked on last; in a thesis without a word the review of literature, else its first."""
    if written := [section for section in sections if section.version]:
        return max(written, key=lambda section: section.updated_at)
    return next((section for section in sections if "literature" in section.slug), next(iter(sections), None))


def _previewed(project: Any, coming: Callable[[Section], Coming], section: Section, asked: QueryDict) -> dict[str, Any]:
    try:
        found = coming(section)
        latex, works = found.preview(project)
    except Refused as refused:
        return {"cannot": refused.message}
    files = _files(asked)
    shown = [{"work": one, "file": _described(one.citation, files) if one.is_new else None} for one in works]
    return {"latex": latex, "works": shown, "notes": found.notes}


def _files(asked: QueryDict) -> dict[UUID, Description]:
    """What the page says of uploaded files that are cited for the first time, by their ids."""
    found = {}
    for name in list(asked)[:MOST_FIELDS]:
        field, _, file_id = name.partition("-")
        if field == "title":
            with suppress(ValueError):
                given = (asked.get(f"{one}-{file_id}", "") for one in Description._fields)
                found[UUID(file_id)] = Description(*given)
    return found


def _described(citation: Citation, files: Mapping[UUID, Description]) -> Description | None:
    """What the fields of a new reference to a file say: what was typed, else its name as a title. None for other works."""
    if citation.status != Citation.Status.FILE or citation.file_id is None:
        return None
    stem = " ".join(PurePath(citation.file_name).stem.replace("_", " ").split())
    return files.get(citation.file_id) or Description(title=stem)


def _find(request: PersonRequest, run_id: UUID) -> Run:
    return get_run(request.user, run_id, "write")
