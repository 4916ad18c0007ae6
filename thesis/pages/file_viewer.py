"""The viewer of an uploaded PDF: its pages as pictures with their words (SPEC X1, R18).

An upload may contain anything, so the browser never gets the PDF itself to open: a process with limits draws each page.
"""

from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from contextfiles.models import ContextFile
from core.errors import Refused
from projects.access import get_in_project
from projects.signed_in_request import PersonRequest
from thesis.attached_pdfs.attach import SECONDS, bytes_of
from thesis.models import AttachedPdf
from thesis.pages.pdf_viewer import render_words
from untrusted.pdf_to_png import draw_page
from untrusted.pdf_words import open_pdf

MOST_PAGES = 2_000  # of the viewer
_HEADERS = {
    "Cache-Control": "private, max-age=3600",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
}


@require_safe
def view(request: PersonRequest, project_id: UUID, file_id: UUID) -> HttpResponse:
    """Show the pages of an uploaded PDF. `#page-3` opens it at that page."""
    file = _find(request, project_id, file_id)
    opened = open_pdf(_bytes(file), 1, 1, seconds=SECONDS)
    sizes = opened.sizes[:MOST_PAGES] if opened else []
    context = {
        "project": file.project,
        "tab": "files",
        "file": file,
        "attached": AttachedPdf.objects.filter(file=file).select_related("citation").first(),
        "pages": [{"number": number, "width": size[0], "height": size[1]} for number, size in enumerate(sizes, 1)],
        "left_out": len(opened.sizes) - len(sizes) if opened else 0,
    }
    return render(request, "thesis/file_pdf.html", context)


@require_safe
def page(request: PersonRequest, project_id: UUID, file_id: UUID, number: int) -> HttpResponse:
    """Return page `number` of an uploaded PDF as PNG; 404 when it cannot be drawn."""
    file = _find(request, project_id, file_id)
    png = draw_page(_bytes(file), number, scale=2.0) if 1 <= number <= MOST_PAGES else None
    if png is None:
        raise Http404("This page cannot be rendered.")
    return HttpResponse(png, content_type="image/png", headers=_HEADERS)


@require_safe
def words(request: PersonRequest, project_id: UUID, file_id: UUID, number: int) -> HttpResponse:
    """Return the words of a page as invisible text over its picture."""
    file = _find(request, project_id, file_id)
    is_page = 1 <= number <= MOST_PAGES
    opened = open_pdf(_bytes(file), number, number, seconds=SECONDS) if is_page else None
    if opened is None or not opened.pages:
        raise Http404("There is no such page.")
    response = render_words(request, opened.pages[0])
    response["Cache-Control"] = _HEADERS["Cache-Control"]
    return response


def _find(request: PersonRequest, project_id: UUID, file_id: UUID) -> ContextFile:
    rows = ContextFile.objects.filter(format="pdf")
    return get_in_project(request.user, rows, "data", pk=file_id, project_id=project_id)


def _bytes(file: ContextFile) -> bytes:
    try:
        return bytes_of(file)
    except Refused as refused:
        raise Http404(refused.message) from refused
