"""The page of an analysis with its progress, result or error; the comparison of two results; and downloads of figures,
tables and scripts (SPEC N2)."""

import re
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

from django.contrib import messages
from django.db.models import Q
from django.db.models.fields.files import FieldFile
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.text import slugify
from django.views.decorators.http import require_POST, require_safe

from analysis.access import hide_analysis_cells
from analysis.advice.question_catalogue import ANALYSIS_NAMES
from analysis.datasets.deletion import deleted_data
from analysis.models import Analysis, Dataset, Figure
from analysis.pages.sidebar import job_progress, page_context, progress_response, state_of
from analysis.presentation.latex import table_latex
from analysis.presentation.result_view import view_of_analysis
from analysis.running.compare import compare
from analysis.running.rerun import newest_ready, rerun_analysis
from analysis.running.save_result import remove_analysis
from analysis.running.script_zip import script_zip
from core.errors import Refused
from core.grouping import grouped
from jobs.progress import stopped
from projects.access import Act, get_in_project, get_project, may_open_data
from projects.signed_in_request import PersonRequest

MOST_TO_COMPARE = 12
_PEOPLE = {
    "Welch", "Mann", "Wilcoxon", "Kruskal", "Friedman", "Fisher", "McNemar", "Cox", "Kaplan", "ROC", "Bland", "Table",
}  # fmt: skip
# Error codes after which running the same analysis again may succeed.
_MAY_PASS = {"internal", "absent", "died", "busy", "timeout", "cancelled", "stopped"}
# The symbol of a statistic before its value: p < 0.001, t(18.3) = ..., I² = 15.6%; not the last letter of a word.
_STATISTIC = re.compile(r"(?<![\w'’])(p|t|F|d|g|r|z|U|V|W|H|Q|I|R|df|n|k)(?=²?(?:\([^()]{1,40}\))? ?[=<>]\s?[\d<>=−-])")
_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
# For an SVG that is opened directly: it must not run scripts or load anything, but it needs its own styles.
_SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'"


class Piece(NamedTuple):
    """A part of a sentence. Symbols of statistics are italic, as in print."""

    text: str
    is_italic: bool


@require_safe
def index(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Redirect to the newest analysis; if there is none, show the next step."""
    project = get_project(request.user, project_id)
    newest = Analysis.objects.filter(project=project).values_list("pk", flat=True).first()
    if newest is not None:
        return redirect("analysis:result", project.pk, newest)
    datasets = Dataset.objects.filter(project=project)
    context = {
        **page_context(project),
        "first_data": datasets.first(),
        "ready": datasets.filter(versions__state="ready").first(),
    }
    return render(request, "analysis/index.html", context)


@require_safe
def result(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    """Show the page of an analysis."""
    return render(request, "analysis/result.html", context_of(request, find_analysis(request, project_id, analysis_id)))


@require_safe
def progress(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    """Show the progress of an analysis: nothing (204) while nothing changed, the page's body at the end."""
    found = find_analysis(request, project_id, analysis_id)
    told = _progress_of(found) if state_of(found) == "running" else None
    return progress_response(request, "analysis/result.html", told, partial(context_of, request, found))


@require_POST
def run_again(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    """Run an analysis again on the newest version of its data, and go to the page of the new one."""
    found = find_analysis(request, project_id, analysis_id, "write")
    try:
        newer = rerun_analysis(found, request.user)
    except Refused as problem:
        context = context_of(request, found) | {"problem": problem}
        return render(request, "analysis/result.html", context, status=problem.status)
    return redirect("analysis:result", project_id, newer.pk)


@require_POST
def delete(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    """Delete an analysis with its figures and go to the list. What was inserted into sections stays there."""
    found = find_analysis(request, project_id, analysis_id, "write")
    number = found.number
    remove_analysis(found)
    messages.success(request, f"Analysis {number} was deleted.")
    return redirect("analysis:index", project_id)


@require_safe
def compare_results(request: PersonRequest, project_id: UUID, analysis_id: UUID, other_id: UUID) -> HttpResponse:
    """Show two results side by side, the older one on the left. With ?differences show only the lines that differ."""
    both = sorted(
        (find_analysis(request, project_id, one) for one in (analysis_id, other_id)), key=lambda one: one.number
    )
    left, right = both
    if left.pk == right.pk or not (left.result and right.result):
        raise Http404("A comparison needs two different results.")
    rows = compare(left, right)
    only = "differences" in request.GET
    groups = grouped((row.group, row) for row in rows if not (only and row.is_same))
    parts = [(one, view_of_analysis(one)) for one in both]
    context = {
        **page_context(left.project),
        "analysis": find_analysis(request, project_id, analysis_id),
        "both": [{"analysis": one, "shown": part, "sentence": sentence_pieces(part.sentence)} for one, part in parts],
        "left": left,
        "right": right,
        "groups": [{"words": words, "rows": of_it} for words, of_it in groups.items()],
        "only": only,
        "differing": sum(not row.is_same for row in rows),
        "is_same_data": left.data_id == right.data_id,
    }
    return render(request, "analysis/compare.html", context)


@require_safe
def figure(request: PersonRequest, project_id: UUID, figure_id: UUID, format: str) -> HttpResponse:
    """Show a figure as svg, png or pdf; with `?download` as a download."""
    row: Figure = get_in_project(
        request.user, Figure.objects.select_related("analysis"), pk=figure_id, project=project_id
    )
    if format not in _TYPES:
        raise Http404("The format of a figure must be svg, png or pdf.")
    file = row.png if format == "png" else row.pdf
    data = row.svg.encode() if format == "svg" else _bytes(file) if file else b""
    if not data:
        raise Http404("There is no such figure.")
    kind = "attachment" if "download" in request.GET else "inline"
    number = row.analysis.number if row.analysis else ""
    headers = {
        "Content-Security-Policy": _SANDBOX,
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, max-age=3600",
        "Content-Disposition": f'{kind}; filename="analysis-{number}-{slugify(row.kind) or "figure"}.{format}"',
    }
    return HttpResponse(data, content_type=_TYPES[format], headers=headers)


@require_safe
def script(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    """Download the R script with its data as a ZIP file; without data for those who may not open them."""
    row = find_analysis(request, project_id, analysis_id)
    try:
        data = script_zip(row, with_data=may_open_data(row.project))
    except Refused as refused:
        return HttpResponse(refused.message, status=refused.status, content_type="text/plain; charset=utf-8")
    return _download(data, "application/zip", f"analysis-{row.number}.zip")


@require_safe
def table(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    """Download the tables of a result as LaTeX; `?table=main` chooses one."""
    row = find_analysis(request, project_id, analysis_id)
    ids = [str(one.get("id", "")) for one in (row.result or {}).get("tables") or []]
    wanted = [one for one in ids if one == request.GET.get("table", one)]
    if not wanted:
        raise Http404("There is no such table.")
    made = [table_latex(row.result or {}, one, f"tab:analysis-{row.number}-{slugify(one)}") for one in wanted]
    text = "\n".join(["% In the preamble: \\usepackage{array,booktabs,longtable}\n", *made])
    return _download(text.encode(), "application/x-tex; charset=utf-8", f"analysis-{row.number}-table.tex")


@require_safe
def open_from_job(request: PersonRequest, analysis_id: UUID) -> HttpResponse:
    """Redirect from the id of an analysis, which a job links to, to its page."""
    row: Analysis = get_in_project(request.user, Analysis.objects.all(), pk=analysis_id)
    return redirect("analysis:result", row.project_id, row.pk)


@require_POST
def stop(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    """Stop a running or waiting analysis and go back to its page. An analysis that has ended stays as it is."""
    row = find_analysis(request, project_id, analysis_id, "write")
    return stopped(row.job, "analysis:result", project_id, row.pk)


def find_analysis(request: PersonRequest, project_id: UUID, analysis_id: UUID, act: Act = "read") -> Analysis:
    """Return an analysis. Raises Http404 or PermissionDenied as get_in_project does."""
    rows = Analysis.objects.select_related("job", "data__dataset", "again_of", "created_by")
    found: Analysis = get_in_project(request.user, rows, act, pk=analysis_id, project_id=project_id)
    return hide_analysis_cells(found, found.project)


def context_of(request: PersonRequest, found: Analysis) -> dict[str, Any]:
    """Return the template context of the page of an analysis."""
    state = state_of(found)
    newest = newest_ready(found)
    parts = view_of_analysis(found) if state == "done" else None
    gone = deleted_data(found)
    held = [found.project_id, found.pk]
    return {
        **page_context(found.project, everything="all" in request.GET),
        "analysis": found,
        "state": state,
        "shown": parts,
        "sentence": sentence_pieces(parts.sentence) if parts else [],
        "names": sent_columns(found),
        "newer": newest
        if newest is not None and found.data is not None and newest.number > found.data.number
        else None,
        "told": _progress_of(found) if state == "running" else None,
        # The dataset of the analysis if it was deleted, with the date of deletion.
        "deleted": gone and {**gone, "on": parse_datetime(gone.get("deleted_at", ""))},
        "error": error_of(found) if state == "failed" else None,
        "suggested": inline_name((found.error or {}).get("suggest", "")),
        "others": to_compare(found) if state == "done" else [],
        "may_open_data": may_open_data(found.project),
        "progress_url": reverse("analysis:progress", args=held),
        "stop_url": reverse("analysis:stop", args=held),
    }


def sentence_pieces(sentence: str) -> list[Piece]:
    """Return `sentence` in pieces, with the symbols of statistics in italics."""
    return [
        Piece(text, at % 2 == 1 and text not in ("df", "n", "k"))
        for at, text in enumerate(_STATISTIC.split(sentence))
        if text
    ]


def inline_name(analysis: str) -> str:
    """Return the name of an analysis for use inside a sentence: "Welch analysis of variance", "linear regression"."""
    words = ANALYSIS_NAMES.get(analysis, analysis.replace("_", " "))
    is_name = words.split(" ")[0].split("-")[0].rstrip("'s") in _PEOPLE
    return words if is_name or not words else f"{words[0].lower()}{words[1:]}"


def error_of(found: Analysis) -> dict[str, Any]:
    """Return the error of an analysis with the name of its column, and whether running it again may succeed."""
    error = dict(
        found.error or {"code": "stopped", "message": "It was stopped before R answered.", "hint": "Run it again."}
    )
    column = next((one for one in sent_columns(found) if one["id"] == error.get("column")), None)
    return {**error, "column_name": column["name"] if column else "", "may_pass": error.get("code") in _MAY_PASS}


def sent_columns(found: Analysis) -> list[dict[str, str]]:
    """Return the columns that were sent to R as [{id, name}]."""
    sent = found.request.get("data", {}).get("columns", []) if isinstance(found.request, dict) else []
    if not sent and found.data is not None and found.error:
        sent = found.data.columns
    return [{"id": one.get("id", ""), "name": one.get("name", "")} for one in sent]


def to_compare(found: Analysis) -> list[Analysis]:
    """Return other results to compare with this one: related ones first, then the newest."""
    rows = (
        Analysis.objects.filter(project=found.project, result__isnull=False)
        .exclude(pk=found.pk)
        .select_related("data__dataset")
        .only("number", "title", "name", "kind", "data__number", "data__dataset__name")
    )
    family = Q(again_of=found) | Q(pk=found.again_of_id) | Q(name=found.name)
    alike = list(rows.filter(family)[:MOST_TO_COMPARE])
    return [*alike, *rows.exclude(family)[: MOST_TO_COMPARE - len(alike)]]


def _progress_of(found: Analysis) -> dict[str, Any]:
    return job_progress(
        found.job,
        "Started at",
        found.created_at,
        in_line="Waiting for other jobs. It starts automatically.",
        doing="Waiting to start",
    )


def _bytes(file: FieldFile) -> bytes:
    try:
        with file.open("rb") as opened:
            return bytes(opened.read())
    except OSError:
        raise Http404("The file of this figure is missing. Run the analysis again.") from None


def _download(data: bytes, media_type: str, name: str) -> HttpResponse:
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
    return HttpResponse(data, content_type=media_type, headers=headers)
