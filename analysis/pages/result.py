"""The page of one analysis: its sentence, figures, what was checked, tables and script; how far it is; why it did not run;
two results side by side; and what of a result goes out as a file (SPEC N2)."""

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

from analysis.access import closed_analysis
from analysis.advice.questions import NAMES
from analysis.datasets.deletion import deleted_data
from analysis.models import Analysis, Dataset, Figure
from analysis.pages.sidebar import followed, room, state_of, told_of
from analysis.presentation.latex import table_latex
from analysis.presentation.result_view import shown
from analysis.running.compare import ComparedLine, compare
from analysis.running.rerun import again, newest_ready
from analysis.running.save_result import remove_analysis
from analysis.running.script_zip import script_zip
from core.errors import Refused
from jobs.progress import stopped
from projects.access import Act, get_in_project, get_project, may_open_data
from projects.signed_in_request import PersonRequest

MOST_TO_COMPARE = 12
_PEOPLE = {
    "Welch", "Mann", "Wilcoxon", "Kruskal", "Friedman", "Fisher", "McNemar", "Cox", "Kaplan", "ROC", "Bland", "Table",
}  # fmt: skip
# Errors that may pass by themselves: the same question can be asked again as it stands.
_MAY_PASS = {"internal", "absent", "died", "busy", "timeout", "cancelled", "stopped"}
# A statistic before its value: p < 0.001, t(18.3) = ..., I² = 15.6%. A word that only ends in such a letter is none.
_STATISTIC = re.compile(r"(?<![\w'’])(p|t|F|d|g|r|z|U|V|W|H|Q|I|R|df|n|k)(?=²?(?:\([^()]{1,40}\))? ?[=<>]\s?[\d<>=−-])")
_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
# An SVG opened by itself: nothing of it runs, and nothing is fetched. Its own looks are in its styles.
_SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'"


class Piece(NamedTuple):
    """Words of a sentence; the letter of a statistic is italic, as it is printed."""

    text: str
    is_italic: bool


@require_safe
def index(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the newest result; without one, what the next step is."""
    project = get_project(request.user, project_id)
    newest = Analysis.objects.filter(project=project).values_list("pk", flat=True).first()
    if newest is not None:
        return redirect("analysis:result", project.pk, newest)
    datasets = Dataset.objects.filter(project=project)
    context = {
        **room(project),
        "first_data": datasets.first(),
        "ready": datasets.filter(versions__state="ready").first(),
    }
    return render(request, "analysis/index.html", context)


@require_safe
def result(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    return render(request, "analysis/result.html", context_of(request, find(request, project_id, analysis_id)))


@require_safe
def progress(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    """Show how far an analysis is: nothing while there is no news, all of the page's body at its end."""
    found = find(request, project_id, analysis_id)
    told = _told(found) if state_of(found) == "running" else None
    return followed(request, "analysis/result.html", told, partial(context_of, request, found))


@require_POST
def run_again(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    """Show the same question once more, on the newest version of its data."""
    found = find(request, project_id, analysis_id, "write")
    try:
        newer = again(found, request.user)
    except Refused as problem:
        context = context_of(request, found) | {"problem": problem}
        return render(request, "analysis/result.html", context, status=problem.status)
    return redirect("analysis:result", project_id, newer.pk)


@require_POST
def delete(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    """Show an analysis goes with its figures; what of it was put into sections stays there."""
    found = find(request, project_id, analysis_id, "write")
    number = found.number
    remove_analysis(found)
    messages.success(request, f"Analysis {number} is deleted.")
    return redirect("analysis:index", project_id)


@require_safe
def compared(request: PersonRequest, project_id: UUID, analysis_id: UUID, other_id: UUID) -> HttpResponse:
    """Show two results side by side, the older one at the left. With ?differences only the lines in which the two differ."""
    both = sorted((find(request, project_id, one) for one in (analysis_id, other_id)), key=lambda one: one.number)
    left, right = both
    if left.pk == right.pk or not (left.result and right.result):
        raise Http404("Two results are compared.")
    rows = compare(left, right)
    only = "differences" in request.GET
    groups: dict[str, list[ComparedLine]] = {}
    for row in rows:
        if not (only and row.is_same):
            groups.setdefault(row.group, []).append(row)
    parts = [(one, shown(one)) for one in both]
    context = {
        **room(left.project),
        "analysis": find(request, project_id, analysis_id),
        "both": [{"analysis": one, "shown": part, "sentence": pieces(part.sentence)} for one, part in parts],
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
    """Show a figure as svg, png or pdf; `?download` to keep it."""
    row: Figure = get_in_project(
        request.user, Figure.objects.select_related("analysis"), pk=figure_id, project=project_id
    )
    if format not in _TYPES:
        raise Http404("A figure is svg, png or pdf.")
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
    """script.R with the data it reads, as a zip; the script alone for those to whom the data is closed."""
    row = find(request, project_id, analysis_id)
    try:
        data = script_zip(row, with_data=may_open_data(row.project))
    except Refused as refused:
        return HttpResponse(refused.message, status=refused.status, content_type="text/plain; charset=utf-8")
    return _download(data, "application/zip", f"analysis-{row.number}.zip")


@require_safe
def table(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    """Show the tables of a result as LaTeX; `?table=main` is one of them."""
    row = find(request, project_id, analysis_id)
    ids = [str(one.get("id", "")) for one in (row.result or {}).get("tables") or []]
    wanted = [one for one in ids if one == request.GET.get("table", one)]
    if not wanted:
        raise Http404("There is no such table.")
    made = [table_latex(row.result or {}, one, f"tab:analysis-{row.number}-{slugify(one)}") for one in wanted]
    text = "\n".join(["% In the preamble: \\usepackage{array,booktabs,longtable}\n", *made])
    return _download(text.encode(), "application/x-tex; charset=utf-8", f"analysis-{row.number}-table.tex")


@require_safe
def of_job(request: PersonRequest, analysis_id: UUID) -> HttpResponse:
    """Show where a job leads to: the page of its analysis."""
    row: Analysis = get_in_project(request.user, Analysis.objects.all(), pk=analysis_id)
    return redirect("analysis:result", row.project_id, row.pk)


@require_POST
def stop(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    """Stop an analysis that runs or waits; one that has ended stays as it is."""
    row = find(request, project_id, analysis_id, "write")
    return stopped(row.job, "analysis:result", project_id, row.pk)


def find(request: PersonRequest, project_id: UUID, analysis_id: UUID, act: Act = "read") -> Analysis:
    rows = Analysis.objects.select_related("job", "data__dataset", "again_of", "created_by")
    found: Analysis = get_in_project(request.user, rows, act, pk=analysis_id, project_id=project_id)
    return closed_analysis(found, found.project)


def context_of(request: PersonRequest, found: Analysis) -> dict[str, Any]:
    state = state_of(found)
    newest = newest_ready(found)
    parts = shown(found) if state == "done" else None
    gone = deleted_data(found)
    held = [found.project_id, found.pk]
    return {
        **room(found.project, everything="all" in request.GET),
        "analysis": found,
        "state": state,
        "shown": parts,
        "sentence": pieces(parts.sentence) if parts else [],
        "names": named(found),
        "newer": newest
        if newest is not None and found.data is not None and newest.number > found.data.number
        else None,
        "told": _told(found) if state == "running" else None,
        # The data it was made on, where they were deleted, with the day.
        "deleted": gone and {**gone, "on": parse_datetime(gone.get("deleted_at", ""))},
        "error": error_of(found) if state == "failed" else None,
        "suggested": name_of((found.error or {}).get("suggest", "")),
        "others": to_compare(found) if state == "done" else [],
        "may_open_data": may_open_data(found.project),
        "progress_url": reverse("analysis:progress", args=held),
        "stop_url": reverse("analysis:stop", args=held),
    }


def pieces(sentence: str) -> list[Piece]:
    """`sentence` in pieces, the letters of statistics in italics as they are printed."""
    return [
        Piece(text, at % 2 == 1 and text not in ("df", "n", "k"))
        for at, text in enumerate(_STATISTIC.split(sentence))
        if text
    ]


def name_of(analysis: str) -> str:
    """Return what an analysis is called in the middle of a sentence: "Welch analysis of variance", "linear regression"."""
    words = NAMES.get(analysis, analysis.replace("_", " "))
    is_name = words.split(" ")[0].split("-")[0].rstrip("'s") in _PEOPLE
    return words if is_name or not words else f"{words[0].lower()}{words[1:]}"


def error_of(found: Analysis) -> dict[str, Any]:
    """Return why there is no result, with the name of the column it is about, and whether it may run as it stands."""
    error = dict(
        found.error or {"code": "stopped", "message": "It was stopped before R answered.", "hint": "Run it again."}
    )
    column = next((one for one in named(found) if one["id"] == error.get("column")), None)
    return {**error, "column_name": column["name"] if column else "", "may_pass": error.get("code") in _MAY_PASS}


def named(found: Analysis) -> list[dict[str, str]]:
    """Return the columns that were sent to R: [{id, name}]."""
    sent = found.request.get("data", {}).get("columns", []) if isinstance(found.request, dict) else []
    if not sent and found.data is not None and found.error:
        sent = found.data.columns
    return [{"id": one.get("id", ""), "name": one.get("name", "")} for one in sent]


def to_compare(found: Analysis) -> list[Analysis]:
    """Results to set beside this one: of the same kind first, the newest first."""
    rows = (
        Analysis.objects.filter(project=found.project, result__isnull=False)
        .exclude(pk=found.pk)
        .select_related("data__dataset")
        .only("number", "title", "name", "kind", "data__number", "data__dataset__name")
    )
    family = Q(again_of=found) | Q(pk=found.again_of_id) | Q(name=found.name)
    alike = list(rows.filter(family)[:MOST_TO_COMPARE])
    return [*alike, *rows.exclude(family)[: MOST_TO_COMPARE - len(alike)]]


def _told(found: Analysis) -> dict[str, Any]:
    return told_of(
        found.job,
        "Asked at",
        found.created_at,
        in_line="Others are ahead of it. It starts by itself.",
        doing="Waiting to start",
    )


def _bytes(file: FieldFile) -> bytes:
    try:
        with file.open("rb") as opened:
            return bytes(opened.read())
    except OSError:
        raise Http404("The disk has lost this figure. Run the analysis again.") from None


def _download(data: bytes, media_type: str, name: str) -> HttpResponse:
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
    return HttpResponse(data, content_type=media_type, headers=headers)
