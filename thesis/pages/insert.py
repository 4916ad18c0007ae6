"""Pages that insert findings, a report or the result of an analysis into a section, with a preview (SPEC N2, T7)."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import PurePath
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers

from analysis.models import Analysis
from citations.editing.edit import Description
from citations.models import Citation
from core.errors import Refused
from latex.includes import FIGURES
from projects.access import get_in_project
from projects.models import Project
from projects.signed_in_request import PersonRequest
from research.access import get_run
from research.report.finding_list import finding_list
from sections.comment_anchors import Anchor
from sections.models import Section
from sections.printed_numbers import compute_printed_numbers
from thesis.drafting.proposal import Insertion, insert_as_proposal
from thesis.insert.findings import findings_insertion, report_insertion
from thesis.insert.places import cursor_in, placement, places_in
from thesis.insert.report_latex import parts_of as report_parts
from thesis.insert.results import figure_name, parts_of, result_insertion
from thesis.pages.typeset_fragment import refers_elsewhere, set_fragment

MOST_FIELDS = 1_000  # form fields that are read
MOST_SHOWN = 100  # findings offered besides the chosen ones
page_or_post = require_http_methods(["GET", "HEAD", "POST"])


@vary_on_headers("HX-Request")
@page_or_post
def findings(request: PersonRequest, run_id: UUID) -> HttpResponse:
    """Show the page that inserts findings of a run, for htmx its preview alone; on POST insert them.

    `?finding=F1-2&finding=...` are the chosen findings, `?section=` is the section.
    """
    run = get_run(request.user, run_id, "write")
    named = _form_data(request).getlist("finding")
    rows = finding_list(run)
    ticked = [row for row in rows if {row.finding.finding_id, *(one.finding_id for one in row.others)} & set(named)]
    context = {
        "tab": "research",
        "run": run,
        "rows": [*ticked, *(row for row in rows if row not in ticked)][: len(ticked) + MOST_SHOWN],
        "ticked": [row.finding.finding_id for row in ticked],
        "back": reverse("research:findings", args=[run.pk]),
        "nothing": "" if named else "Select findings to see a preview here.",
    }

    def coming(section: Section) -> Insertion:
        return findings_insertion(section.project, [{"run": str(run.pk), "finding_id": one} for one in named])

    return _insert_or_preview(request, run.project, coming, _last_worked_on, context)


@vary_on_headers("HX-Request")
@page_or_post
def report(request: PersonRequest, run_id: UUID) -> HttpResponse:
    """Show the page that inserts the report of a run, for htmx its preview alone; on POST insert it.

    `part` counts the parts of the report from 1 (none: all). `unsupported` includes sentences that the check rejects.
    """
    run = get_run(request.user, run_id, "write")
    asked = _form_data(request)
    if not run.has_report:
        messages.error(request, "This run has no report yet.")
        return redirect("research:run", run.pk)
    parts = report_parts(run)
    numbers = [int(one) for one in asked.getlist("part") if one.isdecimal() and len(one) < 5]
    wanted = numbers if "asked" in asked else [part.number for part in parts]
    context = {
        "tab": "research",
        "run": run,
        "parts": [(part.number, part.title) for part in parts],
        "wanted": wanted,
        "unsupported": "unsupported" in asked,
        "back": reverse("research:report", args=[run.pk]),
        "nothing": "" if wanted else "Select a part of the report to see a preview here.",
    }

    coming = partial(report_insertion, run=run, headings=wanted, with_unsupported="unsupported" in asked)
    return _insert_or_preview(request, run.project, coming, _last_worked_on, context)


@vary_on_headers("HX-Request")
@page_or_post
def result(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    """Show the page that inserts the result of an analysis, for htmx its preview alone; on POST insert it.

    `?part=sentence&part=table:main` are the chosen parts, `?section=` is the section.
    """
    rows = Analysis.objects.select_related("data__dataset").prefetch_related("figures").filter(project=project_id)
    analysis: Analysis = get_in_project(request.user, rows, "write", pk=analysis_id)
    if analysis.result is None:
        messages.error(request, "This analysis has no result yet.")
        return redirect("analysis:result", project_id, analysis.pk)
    asked = _form_data(request)
    parts = parts_of(analysis)
    wanted = asked.getlist("part") if "asked" in asked or "part" in asked else [part.key for part in parts]
    context = {
        "tab": "analyses",
        "analysis": analysis,
        "parts": [(part.key, part.label) for part in parts],
        "wanted": wanted,
        "back": reverse("analysis:result", args=[project_id, analysis.pk]),
        "nothing": "" if wanted else "Select a part of the result to see a preview here.",
        "pictures": {
            f"{FIGURES}/{figure_name(analysis, one)}": reverse("analysis:figure", args=[project_id, one.pk, "png"])
            for one in analysis.figures.all()
        },
    }

    coming = partial(result_insertion, analysis=analysis, parts=wanted)
    return _insert_or_preview(request, analysis.project, coming, _of_results, context)


def _form_data(request: PersonRequest) -> QueryDict:
    return request.POST if request.method == "POST" else request.GET


def _insert_or_preview(
    request: PersonRequest,
    project: Project,
    coming: Callable[[Section], Insertion],
    likely: Callable[[list[Section]], Section | None],
    context: dict[str, Any],
) -> HttpResponse:
    """Insert the content of `coming` on POST, else show its preview. Without a named section, use the `likely` one."""
    asked = _form_data(request)
    sections = list(Section.objects.filter(project=project).outline())
    at_cursor = cursor_in(asked.get("cursor", ""))
    slug = asked.get("section", "") or _section_of(at_cursor, sections)
    section = get_object_or_404(Section, project=project, slug=slug) if slug else likely(sections)
    cursor = at_cursor[1] if at_cursor and section and section.slug == at_cursor[0] else None
    files = _files(asked)
    wrong = ""
    if request.method == "POST" and section is not None:
        try:
            where = placement(section, asked.get("place", ""), cursor)
            insert_as_proposal(section, request.user, coming(section), where, files=files)
        except Refused as refused:
            wrong = refused.message
        else:
            messages.success(request, "Inserted as a proposal beside the text. Accept it there, whole or in part.")
            return redirect(f"{reverse('sections:section', args=[project.pk, section.slug])}?beside=draft")
    context |= {"project": project, "sections": sections, "section": section, "wrong": wrong}
    if section is not None:
        places = places_in(section, cursor)
        context |= {"places": places, "place": asked.get("place", places[0].value), "cursor": asked.get("cursor", "")}
    if section is not None and not context["nothing"]:
        context |= _previewed(project, coming, section, files, context.get("pictures", {}))
    return render(
        request, f"thesis/insert.html{'#coming' if request.htmx else ''}", context, status=422 if wrong else 200
    )


def _section_of(at_cursor: tuple[str, Anchor] | None, sections: list[Section]) -> str:
    """Return the slug of the section that the cursor is in, if it is one of `sections`; else ""."""
    return at_cursor[0] if at_cursor and at_cursor[0] in {one.slug for one in sections} else ""


def _last_worked_on(sections: list[Section]) -> Section | None:
    """Return the section that was edited last. In an empty thesis, return the review of literature, else the first."""
    review = next((section for section in sections if "literature" in section.slug), next(iter(sections), None))
    return _newest(sections) or review


def _of_results(sections: list[Section]) -> Section | None:
    """Return the section for results: the one called Results, else the one edited last, else the first."""
    named = next((one for one in sections if "result" in one.slug or "observation" in one.slug), None)
    return named or _newest(sections) or next(iter(sections), None)


def _newest(sections: list[Section]) -> Section | None:
    written = (section for section in sections if section.version)
    return max(written, key=lambda section: section.updated_at, default=None)


def _previewed(
    project: Project,
    coming: Callable[[Section], Insertion],
    section: Section,
    files: Mapping[UUID, Description],
    pictures: Mapping[str, str],
) -> dict[str, Any]:
    try:
        found = coming(section)
        latex, works = found.preview(project)
    except Refused as refused:
        return {"cannot": refused.message}
    shown = [{"work": one, "file": _described(one.citation, files) if one.is_new else None} for one in works]
    by_key = {row.cite_key: row for row in Citation.objects.filter(project=project)} if works else {}
    by_key |= {one.citation.cite_key: one.citation for one in works}
    labels = compute_printed_numbers(project).labels if refers_elsewhere(latex) else {}
    html = set_fragment(latex, by_key, pictures, labels)
    return {"latex": latex, "html": html, "works": shown, "notes": found.notes}


def _files(asked: QueryDict) -> dict[UUID, Description]:
    """Return the descriptions sent for uploaded files that are cited for the first time, by file id."""
    found = {}
    for name in list(asked)[:MOST_FIELDS]:
        field, _, file_id = name.partition("-")
        if field == "title":
            with suppress(ValueError):
                found[UUID(file_id)] = Description(*(asked.get(f"{one}-{file_id}", "") for one in Description._fields))
    return found


def _described(citation: Citation, files: Mapping[UUID, Description]) -> Description | None:
    """Return the description of a new reference to a file: as typed, else with its name as title. Else None."""
    if citation.status != Citation.Status.FILE or citation.file_id is None:
        return None
    stem = " ".join(PurePath(citation.file_name).stem.replace("_", " ").split())
    return files.get(citation.file_id) or Description(title=stem)
