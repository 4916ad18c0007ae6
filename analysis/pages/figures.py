"""What of a result goes out as a file: figures, the script with its data, tables as LaTeX (SPEC N2)."""

from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.text import slugify
from django.views.decorators.http import require_POST, require_safe

from analysis.models import Analysis, Figure
from analysis.pages.result import find
from analysis.running.script_zip import script_zip
from analysis.showing.latex import table_latex
from core.errors import Refused
from jobs.watching import stopped
from projects.access import get_in_project, may_open_data
from projects.requests import PersonRequest

_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
# An SVG opened by itself: nothing of it runs, and nothing is fetched. Its own looks are in its styles.
_SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'"


@require_safe
def figure(request: PersonRequest, project_id: UUID, figure_id: UUID, format: str) -> HttpResponse:
    """A figure as svg, png or pdf; `?download` to keep it."""
    rows = Figure.objects.select_related("analysis").filter(project=project_id)
    row: Figure = get_in_project(request.user, rows, pk=figure_id)
    if format not in _TYPES:
        raise Http404("A figure is svg, png or pdf.")
    if format == "svg":
        data = row.svg.encode()
    else:
        file = row.png if format == "png" else row.pdf
        data = _bytes(file) if file else b""
    if not data:
        raise Http404("There is no such figure.")
    response = HttpResponse(data, content_type=_TYPES[format])
    response["Content-Security-Policy"] = _SANDBOX
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, max-age=3600"
    kind = "attachment" if "download" in request.GET else "inline"
    number = row.analysis.number if row.analysis else ""
    response["Content-Disposition"] = f'{kind}; filename="analysis-{number}-{slugify(row.kind) or "figure"}.{format}"'
    return response


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
    """The tables of a result as LaTeX; `?table=main` is one of them."""
    row = find(request, project_id, analysis_id)
    ids = [str(one.get("id", "")) for one in (row.result or {}).get("tables") or []]
    wanted = [one for one in ids if one == request.GET.get("table", one)]
    if not wanted:
        raise Http404("There is no such table.")
    made = [table_latex(row.result or {}, one, f"tab:analysis-{row.number}-{slugify(one)}") for one in wanted]
    head = "% In the preamble: \\usepackage{array,booktabs,longtable}\n\n"
    return _download(
        (head + "\n".join(made)).encode(), "application/x-tex; charset=utf-8", f"analysis-{row.number}-table.tex"
    )


@require_safe
def of_job(request: PersonRequest, analysis_id: UUID) -> HttpResponse:
    """Where a job leads to: the page of its analysis."""
    row: Analysis = get_in_project(request.user, Analysis.objects.all(), pk=analysis_id)
    return redirect("analysis:result", row.project_id, row.pk)


@require_POST
def stop(request: PersonRequest, project_id: UUID, analysis_id: UUID) -> HttpResponse:
    """Stop an analysis that runs or waits; one that has ended stays as it is."""
    row = find(request, project_id, analysis_id, "write")
    return stopped(row.job, "analysis:result", project_id, row.pk)


def _bytes(file: object) -> bytes:
    try:
        with file.open("rb") as opened:  # type: ignore[attr-defined]
            data: bytes = opened.read()
    except OSError:
        raise Http404("The disk has lost this figure. Run the analysis again.") from None
    return data


def _download(data: bytes, media_type: str, name: str) -> HttpResponse:
    response = HttpResponse(data, content_type=media_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "no-store"
    return response
