"""Pages for writing: sections, their text and pictures (SPEC T1, T2). Only members see pictures (SPEC N5)."""

from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

from django.http import Http404, HttpResponse, HttpResponseNotModified
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import parse_etags
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRedirect

from core.errors import Refused
from latex.line_endings import differing, restore_line_endings
from projects.access import get_project, may
from projects.models import Project, User
from projects.signed_in_request import PersonRequest
from sections.comments import open_threads
from sections.forms import SaveForm
from sections.models import Section, Stale
from sections.outline_pages import outline_context, project_and_section, removed_just_now
from sections.save_state import page_state
from sections.thesis_files import bytes_of, find_picture, first_page_png

LONGEST_BOX = 1_000_000  # characters; browsers take many seconds to fill a text box with more


@require_safe
def workspace(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the workspace with the section named by ?section=, else the first one."""
    project = get_project(request.user, project_id)
    slug = request.GET.get("section")
    if not may(project.role, "write"):  # type: ignore[attr-defined]
        return _manuscript(project, slug or "")
    sections = Section.objects.filter(project=project).order_by("number", "pk")
    return _page(request, project, get_object_or_404(sections, slug=slug) if slug else sections.first())


@vary_on_headers("HX-Request")
@require_http_methods(["GET", "HEAD", "POST"])
def section(request: PersonRequest, project_id: UUID, slug: str) -> HttpResponse:
    """Show the workspace with a section; on POST save its text."""
    project, found = project_and_section(request, project_id, slug, "write" if request.method == "POST" else "read")
    if request.method == "POST":
        return _save(request, project, found)
    if not may(project.role, "write") and request.GET.get("view") != "source":  # type: ignore[attr-defined]
        return _manuscript(project, slug)
    return _page(request, project, found)


def _manuscript(project: Project, slug: str) -> HttpResponse:
    """Go to the manuscript: whoever may not write reads set text. The LaTeX is at ?view=source."""
    address = reverse("thesis:manuscript", args=[project.pk])
    return redirect(f"{address}?section={slug}#s-{slug}" if slug else address)


def _save(request: PersonRequest, project: Project, found: Section) -> HttpResponse:
    """Save the text in the form. If that fails, the page still shows every character that the person typed."""
    sent = request.POST.get("latex")
    mine = found.latex if sent is None else sent
    form = SaveForm(request.POST)
    try:
        if not form.is_valid() or sent is None:
            raise Refused("The page did not send the text or its version number. Nothing was changed.")
        saved = _written(request, found, restore_line_endings(mine, found.latex), form.cleaned_data)
    except Stale as stale:
        return _page(
            request, project, found, UnsavedText.beside(stale.current, mine, form.cleaned_data["version"]), status=409
        )
    except Refused as refused:
        # Without a version number assume 0, so that saving again shows the text that it would overwrite.
        return _page(
            request,
            project,
            found,
            UnsavedText(mine, form.cleaned_data.get("version", 0), wrong=refused.message),
            status=422,
        )
    if not request.htmx:
        return redirect("sections:section", project.pk, found.slug)
    if form.cleaned_data["settle"] == "theirs":
        return HttpResponseClientRedirect(reverse("sections:section", args=[project.pk, found.slug]))
    return _page(request, project, saved)


def _written(request: PersonRequest, found: Section, latex: str, asked: dict[str, Any]) -> Section:
    """Save over the version of the page or, after a conflict, over the version shown next to the text."""
    is_settled = asked["settle"] and asked["over"] is not None
    if is_settled and asked["settle"] == "theirs":
        return found.yield_to(asked["over"], mine=latex, by=request.user)
    return found.write(latex, based_on=asked["over" if is_settled else "version"], by=request.user)


@dataclass
class UnsavedText:
    """Text that could not be saved, and why: the sentence `wrong`, or `theirs`, which was saved in the meantime."""

    latex: str
    based_on: int
    wrong: str = ""
    theirs: Section | None = None
    saved_by: User | None = None
    parts: tuple[str, str, str] = ("", "", "")  # their text: same as mine, different, same again

    @classmethod
    def beside(cls, theirs: Section, mine: str, based_on: int) -> Self:
        """Return the unsaved text `mine` with the section `theirs`, which was saved in the meantime."""
        last = theirs.versions.select_related("saved_by").defer("latex").first()
        return cls(
            mine, based_on, theirs=theirs, saved_by=last.saved_by if last else None, parts=differing(theirs.latex, mine)
        )


def _page(
    request: PersonRequest,
    project: Project,
    found: Section | None,
    unsaved: UnsavedText | None = None,
    status: int = 200,
) -> HttpResponse:
    """Show the workspace with `found` open; for a save by htmx, only the parts that change."""
    context = {**outline_context(project, found), "unsaved": unsaved, "removed": removed_just_now(request, project)}
    if found is not None:
        context |= {
            "latex": unsaved.latex if unsaved else found.latex,
            "based_on": unsaved.based_on if unsaved else found.version,
            "by_script": unsaved is None and len(found.latex) > LONGEST_BOX,
            "open_comments": open_threads(found),
            "may_comment": may(project.role, "comment"),  # type: ignore[attr-defined]
        }
        if unsaved is None and context["may_write"]:
            context["page_state"] = page_state(found, request.user)  # in a conflict scripts do not save
    return render(
        request, "sections/section.html#answer" if request.htmx else "sections/section.html", context, status=status
    )


@require_safe
def by_path(request: PersonRequest, project_id: UUID, path: str) -> HttpResponse:
    r"""Send the picture that `\includegraphics{path}` means; for a PDF its first page as PNG. 404 if there is none."""
    file = find_picture(get_project(request.user, project_id), path)
    if file is None:
        raise Http404("There is no such picture in this thesis.")
    etag = f'"{file.sha256}"'
    if etag in (tag.removeprefix("W/") for tag in parse_etags(request.headers.get("If-None-Match", ""))):
        response: HttpResponse = HttpResponseNotModified()
    else:
        is_pdf = file.media_type == "application/pdf"
        try:
            data = first_page_png(file) if is_pdf else bytes_of(file)
        except OSError as error:
            raise Http404("The stored picture cannot be read from the disk.") from error
        if data is None:
            raise Http404("This PDF cannot be shown as a picture.")
        response = HttpResponse(data, content_type="image/png" if is_pdf else file.media_type)
    response["ETag"] = etag
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response
