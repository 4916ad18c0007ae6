"""Support for a sentence beside the text: look for it, see what is offered, cite it (SPEC T3)."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from core.errors import Refused
from projects.access import Act, get_project, may
from projects.models import Project
from projects.requests import PersonRequest
from sections.models import Section
from sections.panels import beside
from thesis.access import get_support, open_supports
from thesis.models import Support
from thesis.support import LONGEST, cite, dismiss, look_for_support, offers_of, outcome_of, place_of, stop

WAY = "support"  # of the commands on a selection, as the address of the Draft panel names it
MOST_SHOWN = 5  # sentences of a section, the newest first
_ROWS = Support.objects.select_related("run__job", "created_by")
_TEMPLATE = "thesis/_support.html"


@vary_on_headers("HX-Request")
@require_safe
def panel(request: PersonRequest, project_id: UUID, slug: str) -> HttpResponse:
    """The sentences looked into; `?sentence=&start=&based_on=` fills the form for another."""
    project = get_project(request.user, project_id)
    return _panel(request, project, get_object_or_404(Section, project=project, slug=slug))


@require_POST
def begin(request: PersonRequest, project_id: UUID, slug: str) -> HttpResponse:
    project = get_project(request.user, project_id, "write")
    section = get_object_or_404(Section, project=project, slug=slug)
    try:
        look_for_support(
            section,
            request.user,
            request.POST.get("sentence", "").replace("\r\n", "\n"),
            start=_number(request.POST.get("start")),
            based_on=_number(request.POST.get("based_on")),
        )
    except Refused as refused:
        return _panel(request, project, section, wrong=refused.message, status=refused.status)
    if request.htmx:
        return _panel(request, project, section, fresh=True)
    return redirect("thesis:support_panel", project.pk, section.slug)


@vary_on_headers("HX-Request")
@require_safe
def one(request: PersonRequest, support_id: UUID) -> HttpResponse:
    """One sentence with what is offered, or 204 where it still is as `?seen` says; on its own its section's panel."""
    found = _find(request, support_id)
    if not request.htmx:
        return redirect("thesis:support_panel", found.project_id, found.section.slug)
    if request.GET.get("seen") == outcome_of(found):
        return HttpResponse(status=204)
    return _one(request, found)


@require_POST
def cite_it(request: PersonRequest, support_id: UUID) -> HttpResponse:
    """Put the key of an offered work behind the sentence, as it stands in the saved text."""
    found = _find(request, support_id, "write")
    try:
        cited = cite(found, request.user, request.POST.get("source_id", ""))
    except Refused as refused:
        if request.htmx:
            return _one(request, found, wrong=refused.message)
        messages.error(request, refused.message)
        return redirect("thesis:support_panel", found.project_id, found.section.slug)
    messages.success(request, f"{cited.key} is cited behind the sentence. The text before is in the history.")
    return redirect(f"{reverse('sections:section', args=[found.project_id, found.section.slug])}?beside=draft")


@require_POST
def leave(request: PersonRequest, support_id: UUID) -> HttpResponse:
    """Stop looking, or show it no longer."""
    found = _find(request, support_id, "write")
    if "stop" in request.POST:
        stop(found)
    else:
        dismiss(found)
    if request.htmx:
        return _panel(request, found.project, found.section, fresh=True)
    return redirect("thesis:support_panel", found.project_id, found.section.slug)


def _panel(
    request: PersonRequest,
    project: Project,
    section: Section,
    *,
    wrong: str = "",
    fresh: bool = False,
    status: int = 200,
) -> HttpResponse:
    asked = QueryDict() if fresh else request.POST if request.method == "POST" else request.GET
    context = support_context(project, section, asked, wrong=wrong)
    return beside(request, project, section, "support", context, status=status, template=_TEMPLATE)


def support_context(project: Project, section: Section, asked: QueryDict, *, wrong: str = "") -> dict[str, Any]:
    """What thesis/_support.html shows; `asked` fills its form: a `sentence`, or with way=support the place of one."""
    rows = open_supports(_ROWS.filter(section=section, dismissed_at=None)[:MOST_SHOWN], project)
    sentence = asked.get("sentence", "")
    start, end, based_on = (_number(asked.get(name)) for name in ("start", "end", "based_on"))
    if (
        not sentence
        and asked.get("way") == WAY
        and based_on == section.version
        and start is not None
        and end is not None
    ):
        sentence = section.latex[start : min(end, start + LONGEST + 1)]
    return {
        "supports": [_shown(row, section) for row in rows],
        "support_asked": {"sentence": sentence, "start": start, "based_on": based_on, "wrong": wrong},
    }


def _one(request: PersonRequest, found: Support, wrong: str = "") -> HttpResponse:
    project: Project = found.project
    context = {
        "project": project,
        "section": found.section,
        "one": _shown(found, found.section),
        "trouble": wrong,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }
    return render(request, "thesis/_support_one.html", context)


def _shown(row: Support, section: Section) -> dict[str, Any]:
    outcome = outcome_of(row)
    return {
        "row": row,
        "outcome": outcome,
        "offers": offers_of(row) if outcome == "found" else [],
        "stands": place_of(row, section.latex) is not None,
    }


def _find(request: PersonRequest, support_id: UUID, act: Act = "read") -> Support:
    return get_support(request.user, _ROWS.select_related("section"), support_id, act)


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 9 else None
