"""Views of the Draft panel, of single proposals, of the drafting allowance, and of support for a sentence (T3, T4)."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.db.models import Count, F, Q, Sum
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from core.errors import Refused
from jobs.models import ENDED
from llm.engine import EngineUnavailable, engine_of_this_installation
from llm.offline import OfflineEngine
from projects.access import Act, get_project, may
from projects.models import Project
from projects.signed_in_request import PersonRequest
from sections.models import Section
from sections.side_panels import render_panel
from thesis.access import get_draft, get_support, visible_drafts, visible_supports
from thesis.drafting.accept import accept_blocks, discard_draft
from thesis.drafting.accept import stop_draft as stop_writing
from thesis.drafting.limits import PER_HOUR, PER_SECTION, PER_THESIS, drafting_usage, drafts_this_hour
from thesis.drafting.start import start_draft
from thesis.find_support import LONGEST, cite_offer, dismiss, look_for_support, offers_of, outcome_of, sentence_place
from thesis.find_support import stop as stop_looking
from thesis.models import Draft, Support
from thesis.pages.draft_form import DraftFormData, finding_choices, read_draft_form, work_choices
from thesis.pages.proposal_view import MOST_EARLIER, drafts_of, proposal

WAY = "support"  # the command "Find support" in the query string of the Draft panel


@vary_on_headers("HX-Request")
@require_safe
def panel(request: PersonRequest, project_id: UUID, slug: str) -> HttpResponse:
    """Show the Draft panel.

    `?way=shorten&start=10&end=50&based_on=3` opens its form for a place in the text, `?follows=ID` to continue a draft;
    `?draft=ID` shows that proposal first.
    """
    project = get_project(request.user, project_id)
    section = get_object_or_404(Section, project=project, slug=slug)
    # These parameters fill the form for support, not the one for a draft.
    sent = QueryDict() if request.GET.get("way") == WAY else request.GET
    return _panel(request, project, section, read_draft_form(sent, section))


@require_POST
def start(request: PersonRequest, project_id: UUID, slug: str) -> HttpResponse:
    """Start a draft and show the panel. With `look`, only search for findings and references.

    If the request is refused, the form keeps what was filled in.
    """
    project = get_project(request.user, project_id, "write")
    section = get_object_or_404(Section, project=project, slug=slug)
    asked = read_draft_form(request.POST, section)
    if "look" in request.POST:
        return _panel(request, project, section, asked, is_open=True)
    follows = drafts_of(section).filter(pk=asked.follows).first() if asked.follows else None
    try:
        start_draft(section, request.user, asked.request(follows, only_quotes=_engine()["only_quotes"]))
    except Refused as refused:
        return _panel(request, project, section, asked, refused=refused, is_open=True)
    if request.htmx:
        return _panel(request, project, section, read_draft_form(QueryDict(), section))
    return redirect("thesis:draft_panel", project.pk, section.slug)


@require_POST
def choices(request: PersonRequest, project_id: UUID, slug: str) -> HttpResponse:
    """Show the chosen findings and references, then those that match the search words."""
    project = get_project(request.user, project_id, "write")
    section = get_object_or_404(Section, project=project, slug=slug)
    return render(request, "thesis/_draft_choices.html", _choices(project, read_draft_form(request.POST, section)))


@vary_on_headers("HX-Request")
@require_safe
def draft_page(request: PersonRequest, draft_id: UUID) -> HttpResponse:
    """Go to a proposal in the panel beside its section; without the right to write, or with ?conversation, show a page.

    For htmx, show the proposal alone, or answer 204 if its state is still the one in `?seen`.
    """
    draft = _find(request, draft_id)
    if not request.htmx and "conversation" not in request.GET and may(draft.project.role, "write"):  # type: ignore[attr-defined]
        section = reverse("sections:section", args=[draft.project_id, draft.section.slug])
        return redirect(f"{section}?{urlencode({'beside': 'draft', 'draft': draft.pk})}")
    if request.htmx and request.GET.get("seen") == draft.state:
        return HttpResponse(status=204)
    return _render_draft(request, draft)


@require_POST
def take_blocks(request: PersonRequest, draft_id: UUID) -> HttpResponse:
    """Put the blocks `numbers` (none: all) into the text and go back to it.

    Works that could not be verified are left out unless `insist` names them.
    """
    draft = _find(request, draft_id, "write")
    numbers = [int(text) for text in request.POST.getlist("numbers") if text.isdecimal() and len(text) < 9]
    try:
        accept_blocks(draft, request.user, numbers or None, insist=request.POST.getlist("insist"))
    except Refused as refused:
        return _render_draft(request, _find(request, draft_id), refused=refused)
    messages.success(request, "The proposal is in the text. The text before it is in the history.")
    return redirect(f"{reverse('sections:section', args=[draft.project_id, draft.section.slug])}?beside=draft")


@require_POST
def leave(request: PersonRequest, draft_id: UUID) -> HttpResponse:
    """Discard a proposal, or the rest of it, and show the panel. It stays among the earlier proposals."""
    draft = _find(request, draft_id, "write")
    return _back(request, draft.project, discard_draft(draft))


@require_POST
def stop(request: PersonRequest, draft_id: UUID) -> HttpResponse:
    """Stop writing a draft and show the panel. The text so far becomes a proposal."""
    draft = _find(request, draft_id, "write")
    return _back(request, draft.project, stop_writing(draft))


def _find(request: PersonRequest, draft_id: UUID, act: Act = "read") -> Draft:
    rows = Draft.objects.select_related("section", "job", "created_by", "follows")
    return get_draft(request.user, rows, draft_id, act)


def _back(request: PersonRequest, project: Project, draft: Draft) -> HttpResponse:
    """Show the panel for htmx, else go to the page with it. `project` has the person's role."""
    if request.htmx:
        return _panel(request, project, draft.section, read_draft_form(QueryDict(), draft.section))
    return redirect("thesis:draft_panel", draft.project_id, draft.section.slug)


def _render_draft(request: PersonRequest, draft: Draft, *, refused: Refused | None = None) -> HttpResponse:
    project = draft.project
    context: dict[str, Any] = {
        "project": project,
        "tab": "write",
        "section": draft.section,
        "proposal": proposal(draft),
        "wrong": refused.message if refused else "",
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }
    template = "thesis/_draft_proposal.html"
    if not request.htmx:
        template = "thesis/draft.html"
        turns = drafts_of(draft.section).filter(conversation=draft.conversation).order_by("created_at")
        context["turns"] = list(turns[:MOST_EARLIER])
    return render(request, template, context, status=_status(refused))


def _panel(
    request: PersonRequest,
    project: Project,
    section: Section,
    asked: DraftFormData,
    *,
    refused: Refused | None = None,
    is_open: bool = False,
) -> HttpResponse:
    rows = visible_drafts(drafts_of(section)[:MOST_EARLIER], project)
    alive = [row for row in rows if row.job and not row.job.has_ended]
    waiting = [
        row
        for row in rows
        if row not in alive and row.blocks and (not row.outcome or row == rows[0] and _is_fresh(row))
    ]
    named = [row for row in rows if str(row.pk) == request.GET.get("draft")]
    # Shown in full: that of the address, those being written, and the newest open one
    shown = list(dict.fromkeys([*named, *alive, *waiting[:1]]))[:3]
    context: dict[str, Any] = {
        "proposals": [proposal(row) for row in shown],
        "earlier": [row for row in rows if row not in shown],
        "wrong": refused.message if refused else "",
    }
    if may(project.role, "write"):  # type: ignore[attr-defined]
        context |= _choices(project, asked)
        if request.GET.get("way") == WAY:  # otherwise the panel loads it by htmx, from its own address
            context |= support_context(project, section, request.GET)
        context |= {
            "asked": asked,
            "comes_first": is_open or asked.is_filled,
            "is_open": is_open or asked.is_filled or not shown,
            "goes_on_from": [row for row in rows if row not in alive],
            "meters": drafting_usage(section, request.user),
            **_engine(),
        }
    return render_panel(request, project, section, "draft", context, _status(refused), "thesis/_draft_panel.html")


def _is_fresh(row: Draft) -> bool:
    """Return whether a part of a proposal was accepted in the last half hour, so that the rest may follow soon."""
    at = row.settled_at
    return row.outcome == Draft.Outcome.PARTLY and at is not None and timezone.now() - at < timedelta(minutes=30)


def _engine() -> dict[str, Any]:
    """Return the engine that would write, and whether it only quotes; or why no engine is available."""
    try:
        engine = engine_of_this_installation()
    except EngineUnavailable as error:
        return {"trouble": str(error), "only_quotes": False}
    return {"engine": engine, "only_quotes": engine.name == OfflineEngine.name}


def _choices(project: Project, asked: DraftFormData) -> dict[str, Any]:
    return {
        "findings": finding_choices(project, asked.finding_words, asked.findings),
        "works": work_choices(project, asked.work_words, asked.works),
    }


def _status(refused: Refused | None) -> int:
    if refused is None:
        return 200
    return refused.status if refused.status in (403, 409, 422, 429) else 422


@require_safe
def allowance(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show how much of its drafting allowance each section has used. The number of queries is constant."""
    project = get_project(request.user, project_id)
    waiting = Q(outcome="") & ~Q(blocks=[]) & (Q(job=None) | Q(job__state__in=ENDED))
    sums = (
        Draft.objects.filter(project=project)
        .order_by()
        .values("section")
        .annotate(used=Sum(F("output_tokens") + F("reserved_tokens")), drafts=Count("pk"))
        .annotate(open=Count("pk", filter=waiting))
    )
    by_section = {row["section"]: row for row in sums}
    nothing = {"used": 0, "drafts": 0, "open": 0}
    sections = Section.objects.filter(project=project).outline()
    hour_used, next_at = drafts_this_hour(request.user)
    return render(
        request,
        "thesis/drafting_limits.html",
        {
            "project": project,
            "tab": "write",
            "rows": [{**by_section.get(section.pk, nothing), "section": section} for section in sections],
            "used": sum(row["used"] for row in by_section.values()),
            "limit": PER_THESIS,
            "section_limit": PER_SECTION,
            "hour_used": hour_used,
            "hour_limit": PER_HOUR,
            "next_at": next_at,
            "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
        },
    )


_SUPPORTS = Support.objects.select_related("run__job", "created_by")


@vary_on_headers("HX-Request")
@require_safe
def support_panel(request: PersonRequest, project_id: UUID, slug: str) -> HttpResponse:
    """Show the sentences for which support was searched. `?sentence=&start=&based_on=` fills the form for another."""
    project = get_project(request.user, project_id)
    return _support_panel(request, project, get_object_or_404(Section, project=project, slug=slug))


@require_POST
def support_begin(request: PersonRequest, project_id: UUID, slug: str) -> HttpResponse:
    """Start a search for support for a sentence and show the panel."""
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
        return _support_panel(request, project, section, wrong=refused.message, status=refused.status)
    if request.htmx:
        return _support_panel(request, project, section, fresh=True)
    return redirect("thesis:support_panel", project.pk, section.slug)


@vary_on_headers("HX-Request")
@require_safe
def support_one(request: PersonRequest, support_id: UUID) -> HttpResponse:
    """Show one sentence with the offered works, or answer 204 if its outcome is still the one in `?seen`.

    Without htmx, go to the panel of its section.
    """
    found = _support_find(request, support_id)
    if not request.htmx:
        return redirect("thesis:support_panel", found.project_id, found.section.slug)
    if request.GET.get("seen") == outcome_of(found):
        return HttpResponse(status=204)
    return _support_one(request, found)


@require_POST
def support_cite(request: PersonRequest, support_id: UUID) -> HttpResponse:
    """Cite an offered work after the sentence in the saved text, and go back to the text."""
    found = _support_find(request, support_id, "write")
    try:
        cited = cite_offer(found, request.user, request.POST.get("source_id", ""))
    except Refused as refused:
        if request.htmx:
            return _support_one(request, found, wrong=refused.message)
        messages.error(request, refused.message)
        return redirect("thesis:support_panel", found.project_id, found.section.slug)
    messages.success(request, f"{cited.key} is cited after the sentence. The text before is in the history.")
    return redirect(f"{reverse('sections:section', args=[found.project_id, found.section.slug])}?beside=draft")


@require_POST
def support_leave(request: PersonRequest, support_id: UUID) -> HttpResponse:
    """Stop the search (with `stop`), or dismiss the sentence, and show the panel."""
    found = _support_find(request, support_id, "write")
    (stop_looking if "stop" in request.POST else dismiss)(found)
    if request.htmx:
        return _support_panel(request, found.project, found.section, fresh=True)
    return redirect("thesis:support_panel", found.project_id, found.section.slug)


def _support_panel(
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
    return render_panel(request, project, section, "support", context, status=status, template="thesis/_support.html")


def support_context(project: Project, section: Section, asked: QueryDict, *, wrong: str = "") -> dict[str, Any]:
    """Return the context of thesis/_support.html.

    `asked` fills its form: with a `sentence`, or, if `way` is support, with the place of one.
    """
    rows = visible_supports(_SUPPORTS.filter(section=section, dismissed_at=None)[:5], project)
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
        "supports": [_support_shown(row, section) for row in rows],
        "support_asked": {"sentence": sentence, "start": start, "based_on": based_on, "wrong": wrong},
    }


def _support_one(request: PersonRequest, found: Support, wrong: str = "") -> HttpResponse:
    project: Project = found.project
    return render(
        request,
        "thesis/_support_one.html",
        {
            "project": project,
            "section": found.section,
            "one": _support_shown(found, found.section),
            "trouble": wrong,
            "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
        },
    )


def _support_shown(row: Support, section: Section) -> dict[str, Any]:
    outcome = outcome_of(row)
    return {
        "row": row,
        "outcome": outcome,
        "offers": offers_of(row) if outcome == "found" else [],
        "stands": sentence_place(row, section.latex) is not None,
    }


def _support_find(request: PersonRequest, support_id: UUID, act: Act = "read") -> Support:
    return get_support(request.user, _SUPPORTS.select_related("section"), support_id, act)


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 9 else None
