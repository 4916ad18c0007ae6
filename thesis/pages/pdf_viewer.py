"""The viewer of a built PDF: its pages as pictures with their words, each of which leads to the text (SPEC T6)."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from projects.access import get_in_project, get_project, may
from projects.models import Project
from projects.signed_in_request import PersonRequest
from sections.models import Section
from thesis.latex_build.build_job import last_good
from thesis.models import Build
from thesis.page_places.places import changed_since, first_pages, is_known_whole, page_place, text_place
from thesis.page_places.printed_words import read_pages, stored_words
from untrusted.pdf_words import PrintedPage, PrintedWord

_A4 = (5950, 8420)  # tenths of a point
_HYPHEN = "\u00ad"


@require_safe
def view(request: PersonRequest, build_id: UUID) -> HttpResponse:
    """Show the pages of a built PDF. With `section` (a slug) and `at` (an offset in its LaTeX), open it there."""
    build = _find(request, build_id)
    project = build.project
    stored = stored_words(build)
    sizes = stored.sizes if stored else [_A4] * build.pages
    slug, at = request.GET.get("section", ""), _offset(request)
    section = get_object_or_404(Section, project=project, slug=slug) if slug else None
    shown = page_place(build, section, at) if section else None
    context = {
        "project": project,
        "tab": "build",
        "build": build,
        "pages": [{"number": number, "width": size[0], "height": size[1]} for number, size in enumerate(sizes, 1)],
        "has_words": is_known_whole(build),
        "changed": changed_since(build),
        "shown": shown,
        "box": " ".join(map(str, shown[:5])) if shown else "",
        "missing": section if section and shown is None else None,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }
    return render(request, "thesis/pdf.html", context)


@require_safe
def outline(request: PersonRequest, build_id: UUID) -> HttpResponse:
    """Return the sections of a built PDF with the page where each begins, as a part of the viewer."""
    build = _find(request, build_id)
    return render(request, "thesis/_pdf_outline.html", {"begins": first_pages(build)})


@require_safe
def words(request: PersonRequest, build_id: UUID, number: int) -> HttpResponse:
    """Return the words of a page as invisible text over its picture, which can be searched, selected and read aloud."""
    build = _find(request, build_id)
    stored = stored_words(build)
    if stored is None:
        page = read_pages(build, number, number).get(number) if number <= build.pages else None
    else:
        page = stored.page(number) if 1 <= number <= len(stored.sizes) else None
    if page is None:
        raise Http404("There is no such page.")
    response = render_words(request, page)
    response["Cache-Control"] = "private, max-age=31536000, immutable"  # the output of a build never changes
    return response


def render_words(request: PersonRequest, page: PrintedPage) -> HttpResponse:
    """Return the words of a page as invisible text over its picture."""
    lines = [[_box(word) for word in line] for line in page.lines]
    return render(request, "thesis/_pdf_words.html", {"page": page, "lines": lines})


@require_safe
def text(request: PersonRequest, build_id: UUID, number: int) -> HttpResponse:
    """Go from a point of a page (`x`, `y` in parts of its size) to its words in the editor, or on the manuscript page.

    Words that are not in a section lead to those nearest to them.
    """
    build = _find(request, build_id)
    has_point = "x" in request.GET and "y" in request.GET
    found = text_place(build, number, _part(request, "x"), _part(request, "y"))
    if found is None:
        messages.info(request, f"Page {number} has no words of a section.")
        return redirect(f"{reverse('thesis:pdf_view', args=[build.pk])}#page-{min(max(number, 1), build.pages)}")
    if not found.is_exact and has_point:
        messages.info(request, "These words are not in the text of a section. This is the nearest place.")
    elif found.is_changed:
        messages.info(request, "This section was changed after the PDF was built. This is the nearest place.")
    address = _text_address(build.project, found.section, found.offset)
    return redirect(address)


@require_safe
def newest(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Go to the last good PDF, with `section` and `at` to these words in it."""
    project = get_project(request.user, project_id)
    section = Section.objects.filter(project=project, slug=request.GET.get("section", "")).first()
    build = last_good(project) or (last_good(project, section) if section else None)
    if build is None:
        messages.info(request, "There is no PDF yet. Build it to see these words printed.")
        return redirect("thesis:build", project.pk)
    place = f"?{urlencode({'section': section.slug, 'at': _offset(request)})}" if section else ""
    return redirect(reverse("thesis:pdf_view", args=[build.pk]) + place)


def _find(request: PersonRequest, build_id: UUID) -> Build:
    rows = Build.objects.filter(kind=Build.Kind.PDF).exclude(output="").select_related("section")
    return get_in_project(request.user, rows, pk=build_id)


def _text_address(project: Project, section: Section, offset: int) -> str:
    """Return the address of a place in the text: the editor for people who may write, else the manuscript."""
    if may(project.role, "write"):  # type: ignore[attr-defined]
        return f"{reverse('sections:section', args=[project.pk, section.slug])}?{urlencode({'at': offset})}"
    place = urlencode({"section": section.slug, "at": offset})
    return f"{reverse('thesis:manuscript', args=[project.pk])}?{place}#s-{section.slug}"


def _offset(request: HttpRequest) -> int:
    asked = request.GET.get("at", "")
    return int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 10 else 0


def _part(request: HttpRequest, name: str) -> float:
    try:
        asked = float(request.GET.get(name, ""))
    except ValueError:
        return 0.0
    return asked if 0 <= asked <= 1 else 0.0


def _box(word: PrintedWord) -> dict[str, Any]:
    """Return a word as SVG text that fills its box."""
    height = max(word.bottom - word.top, 1)
    return {
        "text": word.text.replace(_HYPHEN, "-"),
        "x": word.left,
        "y": round(word.bottom - 0.22 * height),
        "size": round(0.78 * height),
        "length": max(word.right - word.left, 1),
    }
