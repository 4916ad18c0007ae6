"""The manual in the application: docs/manual as pages, and the page that explains what somebody sees."""

import re
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt

FOLDER = Path(settings.BASE_DIR) / "docs" / "manual"
CONTENTS = "README"
# The page for a URL name, else for its namespace
_PAGES = {
    **{"thesis:manuscript": "read", "thesis:manuscript_chapter": "read", "thesis:pdf": "read", "thesis:bring": "start"},
    **dict.fromkeys(("thesis:pdf_batches", "thesis:pdf_batch", "thesis:reference_pdfs"), "citations"),
    **{"thesis:draft": "write", "thesis:ai_use": "write", "projects:home": "start", "projects:create": "start"},
    **{"sections": "write", "citations": "citations", "contextfiles": "files", "research": "research"},
    **{"thesis:file_pdf": "files", "analysis": "analyses", "thesis": "build", "projects": "settings"},
}


def manual_address(request: HttpRequest) -> dict[str, str]:
    """Return the address of the manual's page about the page that is asked for, for all templates."""
    match = request.resolver_match
    names = (match.view_name, match.namespace) if match else ()
    page = next((_PAGES[name] for name in names if name in _PAGES), "")
    return {"manual_address": reverse("manual_page", args=[page]) if page else reverse("manual")}


@cache
def _page(slug: str) -> tuple[str, SafeString]:
    """Return the title and the HTML of a page. Raises Http404 if there is none."""
    try:
        text = (FOLDER / f"{slug}.md").read_text(encoding="utf-8")
    except OSError as error:
        raise Http404 from error
    contents = reverse("manual")
    text = re.sub(r"\]\((\w+)\.md\)", lambda link: f"]({contents}{link[1]}/)", text)
    text = text.replace("](images/", f"]({contents}images/")
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    return text.partition("\n")[0].lstrip("# "), SafeString(html)


@cache
def pages() -> list[tuple[str, str]]:
    """Return the address name and the title of each page, in the order of the contents."""
    text = (FOLDER / f"{CONTENTS}.md").read_text(encoding="utf-8")
    return [(slug, title) for title, slug in re.findall(r"^\d+\. \[(.+?)\]\((\w+)\.md\)", text, re.MULTILINE)]


@login_not_required
@require_safe
def manual(request: HttpRequest, slug: str = CONTENTS) -> HttpResponse:
    """Show a page of the manual, or its contents."""
    title, html = _page(slug)
    context: dict[str, Any] = {"title": title, "html": html, "pages": pages(), "slug": slug}
    return render(request, "config/manual.html", context)


@login_not_required
@require_safe
def picture(request: HttpRequest, name: str) -> HttpResponse:
    """Return a picture of the manual."""
    path = FOLDER / "images" / f"{name}.png"
    if not path.is_file():
        raise Http404
    response = HttpResponse(path.read_bytes(), content_type="image/png")
    response["Cache-Control"] = "public, max-age=86400"
    return response
