"""The outline beside the text: adding, renaming, moving, removing and restoring sections (SPEC T1).

For htmx, each view returns the outline and the heading only, so that unsaved text in the page stays; otherwise it
goes to the page. `?open=SLUG` names the open section, which stays open.
"""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRedirect

from core.errors import Refused
from latex.headings import headings_in
from latex.numbering import Numbered
from projects.access import Act, get_project, may
from projects.forms import clean_or_refuse
from projects.models import Project
from projects.signed_in_request import PersonRequest
from sections import outline
from sections.forms import TitleForm
from sections.models import Section
from sections.printed_numbers import compute_printed_numbers

SHOWN_LEVELS = 2  # levels of headings shown below a section: \section and \subsection


def outline_context(project: Project, opened: Section | None, **more: Any) -> dict[str, Any]:
    """Return the context of every page with the outline: the sections, the open one with its headings, the bin."""
    sections = list(Section.objects.filter(project=project).outline().with_comments())
    numbers = compute_printed_numbers(project, opened)
    for section in sections:
        section.printed = numbers.sections.get(str(section.pk), "")
    write = may(project.role, "write")  # type: ignore[attr-defined]
    return {
        "project": project,
        "tab": "write",
        "sections": sections,
        "section": opened,
        "printed": numbers.sections.get(str(opened.pk), "") if opened else "",
        "numbers": {"here": numbers_in(opened, numbers.here), "labels": labels_in(numbers.labels)} if opened else {},
        "headings": _headings(opened, numbers.here),
        "bin": list(outline.sections_in_bin(project)) if write else [],
        "words": sum(section.words for section in sections),
        "may_write": write,
        "owns": may(project.role, "own"),  # type: ignore[attr-defined]
        **more,
    }


def _headings(opened: Section | None, here: list[Numbered]) -> list[dict[str, Any]]:
    r"""Return the headings of the open section, each with its `depth` (1 or 2) relative to the highest level in it."""
    found = headings_in(opened.latex) if opened else []
    highest = min((heading.level for heading in found), default=0)
    numbers = {one.start: one.number for one in here}
    shown = [(heading.level - highest + 1, heading) for heading in found]
    return [
        {"depth": depth, "title": heading.title, "start": heading.start, "number": numbers.get(heading.start, "")}
        for depth, heading in shown
        if depth <= SHOWN_LEVELS
    ]


def numbers_in(section: Section, here: list[Numbered]) -> list[dict[str, Any]]:
    """Return the numbered parts of the text of `section`: kind, number, and offset in UTF-16 units, for its page."""
    made, at, units = [], 0, 0
    for one in here:
        units += len(section.latex[at : one.start].encode("utf-16-le", "surrogatepass")) // 2
        at = one.start
        if one.number:
            made.append({"kind": one.kind, "number": one.number, "start": units})
    return made


def labels_in(labels: dict[str, Numbered]) -> dict[str, dict[str, str | int]]:
    r"""Return what each label of the thesis names, and the number that a \ref to it prints."""
    return {
        label: {"kind": one.kind, "number": one.refers, "level": one.level, "word": one.word, "title": one.title}
        for label, one in labels.items()
        if one.refers
    }


def project_and_section(
    request: PersonRequest, project_id: UUID, slug: str, act: Act = "write", rows: Any = Section
) -> tuple[Project, Section]:
    """Return the project, and the section of `rows` with this slug. Raises Http404 or PermissionDenied."""
    project = get_project(request.user, project_id, act)
    return project, get_object_or_404(rows, project=project, slug=slug)


@require_POST
def add(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Add a section at the end and open it; for htmx show the outline."""
    project = get_project(request.user, project_id, "write")
    opened = _opened(request, project)
    try:
        added = Section.objects.add(project, clean_or_refuse(TitleForm(request.POST))["title"])
    except Refused as refused:
        return _answer(request, project, opened, outline_wrong=refused.message)
    return _answer(request, project, opened if request.htmx else added, added=True, said=f"{added} was added.")


@require_POST
def rename(request: PersonRequest, project_id: UUID, slug: str) -> HttpResponse:
    """Rename a section and show the outline."""
    project, found = project_and_section(request, project_id, slug)
    wrong = ""
    try:
        found.rename(clean_or_refuse(TitleForm(request.POST))["title"])
    except Refused as refused:
        wrong = refused.message
    return _answer(request, project, _opened(request, project, found), outline_wrong=wrong)


@require_POST
def move(request: PersonRequest, project_id: UUID, slug: str) -> HttpResponse:
    """Move a section up or down (`to`), or to `place`, counted from 0, and show the outline."""
    project, found = project_and_section(request, project_id, slug)
    sent = request.POST.get("place", "")
    if sent.isdecimal() and len(sent) < 6:
        place = int(sent)
    else:
        places = list(Section.objects.filter(project=project).outline().values_list("pk", flat=True))
        place = places.index(found.pk) + {"up": -1, "down": 1}.get(request.POST.get("to", ""), 0)
    found.move_to(max(0, place))
    total = Section.objects.filter(project=project).count()
    return _answer(
        request, project, _opened(request, project, found), said=f"{found} is now {found.number + 1} of {total}."
    )


@require_POST
def remove(request: PersonRequest, project_id: UUID, slug: str) -> HttpResponse:
    """Move a section to the bin. If it was open, open the section that takes its place, else the last one."""
    project, found = project_and_section(request, project_id, slug)
    outline.move_to_bin(found)
    if request.GET.get("open") != found.slug:
        opened = _opened(request, project)
        if request.htmx:
            return _answer(request, project, opened, removed=found, said=f"{found} was moved to the bin.")
    rest = Section.objects.filter(project=project).order_by("number", "pk")
    after = rest.filter(number__gte=found.number).first() or rest.last()
    # The outline of the next page names the removed section and offers to undo.
    address = f"{_address(project, after)}?removed={found.slug}"
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)


@require_POST
def restore(request: PersonRequest, project_id: UUID, slug: str) -> HttpResponse:
    """Restore a section from the bin to its old place and show the outline."""
    project = get_project(request.user, project_id, "write")
    found = get_object_or_404(Section.everything, project=project, slug=slug)
    opened = _opened(request, project)
    try:
        outline.restore_from_bin(found)
    except Refused as refused:
        return _answer(request, project, opened, outline_wrong=refused.message)
    return _answer(
        request, project, opened if request.htmx and opened else found, said=f"{found} was restored.", focus=found.slug
    )


def removed_just_now(request: PersonRequest, project: Project) -> Section | None:
    """Return the section that ?removed=SLUG names if it is in the bin, so that the page can offer to undo it."""
    slug = request.GET.get("removed")
    return outline.sections_in_bin(project).filter(slug=slug).first() if slug else None


def _opened(request: PersonRequest, project: Project, otherwise: Section | None = None) -> Section | None:
    return Section.objects.filter(project=project, slug=request.GET.get("open", "")).first() or otherwise


def _address(project: Project, opened: Section | None) -> str:
    if opened is None:
        return reverse("sections:workspace", args=[project.pk])
    return reverse("sections:section", args=[project.pk, opened.slug])


def _answer(request: PersonRequest, project: Project, opened: Section | None, **more: Any) -> HttpResponse:
    """Show the outline for htmx, else go to the page.

    `more` may have `outline_wrong` (an error message), `added`, `removed` (a section), `said` (a message for screen
    readers), and `focus` (the slug of the row to focus if the focused element is gone).
    """
    if request.htmx:
        return render(request, "sections/section.html#outlined", outline_context(project, opened, **more))
    if more.get("outline_wrong"):
        messages.error(request, more["outline_wrong"])
    return redirect(_address(project, opened))
