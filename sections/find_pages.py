"""The page for finding and replacing words in the whole thesis (SPEC T2). It works without scripts."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from core.errors import Refused
from projects.access import get_project, may
from projects.forms import clean_or_refuse
from projects.models import Project
from projects.signed_in_request import PersonRequest
from sections.find_and_replace import (
    MOST,
    FoundInThesis,
    Outcome,
    find_in_thesis,
    recent_replacements,
    replace_in_thesis,
    undo_replacement,
)
from sections.forms import ReplaceForm, SearchForm, search_of
from sections.models import Replacement

LISTED = 500  # matches on the page; those after them are replaced too
_NAMED = 5  # sections whose unreplaced matches a message names


@require_safe
def find(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the form and, with ?words=, the matches by section."""
    project = get_project(request.user, project_id)
    if not request.GET.get("words", "").strip():
        return _page(request, project, request.GET)
    try:
        search = search_of(clean_or_refuse(SearchForm(request.GET)))
    except Refused as refused:
        return _page(request, project, request.GET, wrong=refused.message, status=422)
    return _page(request, project, request.GET, found=find_in_thesis(project, search))


@require_POST
def replace(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Replace the chosen matches and show the search again, with a button to undo it."""
    project = get_project(request.user, project_id, "write")
    try:
        sent = clean_or_refuse(ReplaceForm(request.POST))
        outcome = replace_in_thesis(project, search_of(sent), sent["new"], _chosen(request.POST), by=request.user)
    except Refused as refused:
        return _page(request, project, request.POST, wrong=refused.message, status=422)
    if outcome.replacement is None and not outcome.left:
        messages.info(request, "Nothing was replaced: no match was chosen, or the new words are the same.")
    elif outcome.replacement is not None:
        messages.success(request, f"{_places(outcome)} replaced.")
    _tell_left(request, outcome)
    asked = QueryDict(mutable=True)
    for name in ReplaceForm.base_fields:
        asked[name] = request.POST.get(name, "")
    return redirect(f"{reverse('sections:find', args=[project.pk])}?{asked.urlencode()}")


@require_POST
def undo(request: PersonRequest, project_id: UUID, replacement_id: UUID) -> HttpResponse:
    """Undo a replacement and show the page again."""
    project = get_project(request.user, project_id, "write")
    found = get_object_or_404(Replacement, project=project, pk=replacement_id)
    try:
        outcome = undo_replacement(found, by=request.user)
    except Refused as refused:
        messages.info(request, refused.message)
    else:
        if outcome.sections:
            messages.success(request, f"{_places(outcome)} put back. What was typed since is still there.")
        _tell_left(request, outcome)
    return redirect("sections:find", project.pk)


def _chosen(sent: QueryDict) -> dict[UUID, list[str]]:
    """Return the keys of the chosen matches: those with a tick, and those after the last one that was listed.

    `seen` has for each section its id and the keys of all matches that the page stood for.
    """
    ticked = set(sent.getlist("match"))
    number = sent.get("listed", "")
    listed = int(number) if number.isdecimal() and len(number) < 9 else LISTED
    chosen: dict[UUID, list[str]] = {}
    for place, (section, key) in enumerate(_seen(sent)):
        if place >= listed or f"{section} {key}" in ticked:
            chosen.setdefault(section, []).append(key)
    return chosen


def _seen(sent: QueryDict) -> Iterator[tuple[UUID, str]]:
    for row in sent.getlist("seen"):
        named, *keys = row.split()[: MOST + 1] or [""]
        try:
            section = UUID(named)
        except ValueError as error:
            raise Refused("The page did not name the matches. Nothing was changed.") from error
        yield from ((section, key) for key in keys)


def _places(outcome: Outcome) -> str:
    """Return "14 matches in 5 sections were", the beginning of a message."""
    matches = "1 match" if outcome.number == 1 else f"{outcome.number:,} matches"
    sections = "1 section" if len(outcome.sections) == 1 else f"{len(outcome.sections)} sections"
    return f"{matches} in {sections} {'was' if outcome.number == 1 else 'were'}"


def _tell_left(request: PersonRequest, outcome: Outcome) -> None:
    for sentence in outcome.left[:_NAMED]:
        messages.warning(request, sentence)
    if len(outcome.left) > _NAMED:
        messages.warning(request, f"The same in {len(outcome.left) - _NAMED} more sections.")


def _page(
    request: PersonRequest,
    project: Project,
    sent: QueryDict,
    *,
    found: FoundInThesis | None = None,
    wrong: str = "",
    status: int = 200,
) -> HttpResponse:
    may_write = may(project.role, "write")  # type: ignore[attr-defined]
    context = {
        "project": project,
        "tab": "write" if may_write else "read",
        "may_write": may_write,
        "sent": {name: sent.get(name, "") for name in ReplaceForm.base_fields},
        "found": found,
        "listed": _listed(project, found, may_write=may_write) if found else [],
        "most_listed": LISTED,
        "wrong": wrong,
        "recent": recent_replacements(project) if may_write else [],
    }
    return render(request, "sections/find.html", context, status=status)


def _listed(project: Project, found: FoundInThesis, *, may_write: bool) -> list[dict[str, Any]]:
    """Return the sections for the template, each with its first matches and all its keys."""
    rows, left = [], LISTED
    read = reverse("thesis:manuscript", args=[project.pk])
    for one in found.sections:
        slug = one.section.slug
        page = reverse("sections:section", args=[project.pk, slug]) if may_write else read
        there = ("?at={}", "") if may_write else (f"?section={slug}&at={{}}", f"#s-{slug}")
        matches = [
            {"key": key, "match": match, "address": page + there[0].format(match.start) + there[1]}
            for key, match in one.matches[:left]
        ]
        left -= len(matches)
        rows.append({"found": one, "matches": matches, "keys": " ".join(match.key for match in one.matches)})
    return rows
