"""The check of a thesis' references as the list shows it: ask for one, see how far it is, stop it (SPEC C3, C9).

While a check runs, the strip above the rows asks each second what has become of the rows that wait, and only those that
have turned are sent, so that nothing else of the page moves.
"""

from collections.abc import Iterable
from typing import Any, Literal
from uuid import UUID

from django.contrib import messages
from django.db.models import Min
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import reswap, retarget, trigger_client_event

from citations.check.checking import check_again, check_under_way
from citations.models import Citation
from citations.pages import filters
from citations.pages.list_rows import fit_for_rows, ids_in, rows_of, waiting_mark
from core.errors import Refused
from projects.access import get_project, may
from projects.models import Project
from projects.requests import PersonRequest

State = Literal["running", "later", "unchecked", "idle"]  # and "ended", told once to the page that watched
_EVERY = {"running": "1s", "later": "15s"}
_NEW = "new"  # in place of what a page knows of a row, which it knows nothing of
_MOST = 200  # rows a page asks about at once; it shows half as many


def strip(project: Project, counted: dict[str, int]) -> dict[str, Any]:
    """What the strip above the rows says: `check_state`, the job, and when a service is asked once more."""
    check = check_under_way(project)
    state: State = "idle"
    due = None
    if check:
        state = "running"
    elif counted["waiting"]:
        state = "later"
        waiting = filters.show(Citation.objects.filter(project=project), "waiting")
        due = waiting.aggregate(next=Min("check_due_at"))["next"]
    elif counted["unchecked"]:
        state = "unchecked"
    return {
        "check": check,
        "check_state": state,
        "check_every": _EVERY.get(state, ""),
        "next_check": due if due and due > timezone.now() else None,
        # What a page has been told, so that it is told again only what has changed.
        "seen": "-".join([state, *map(str, counted.values())]),
        "proven": filters.proven(counted),
        "doubtful": counted["doubtful"],
    }


@require_POST
def check(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Look up the entries that are named, or all that a filter shows."""
    project = get_project(request.user, project_id, "write")
    everything = Citation.objects.filter(project=project)
    shown = filters.known(request.POST.get("all", ""))
    named = ids_in(request.POST.getlist("citation")[:_MOST])
    chosen = list(filters.show(everything, shown) if shown else everything.filter(pk__in=named))
    try:
        check_again(project, chosen, request.user)
    except Refused as refused:
        return _refused(request, project, refused)
    if not request.htmx:
        return redirect("citations:list", project.pk)
    return _answer(request, project, dict.fromkeys([one.pk for one in chosen[:_MOST]], _NEW), whole=True)


@require_POST
def stop(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Stop the check that runs. What it has found out is kept."""
    project = get_project(request.user, project_id, "write")
    if job := check_under_way(project):
        job.ask("cancel")
    if not request.htmx:
        return redirect("citations:list", project.pk)
    return _answer(request, project, _marks(request.POST.getlist("row")), seen="running", whole=True)


@require_safe
def progress(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """How far the check is, with the rows that have turned since the page last asked."""
    project = get_project(request.user, project_id)
    return _answer(request, project, _marks(request.GET.getlist("row")), seen=request.GET.get("seen", ""))


def _answer(
    request: PersonRequest, project: Project, shown: dict[UUID, str], *, seen: str = "", whole: bool = False
) -> HttpResponse:
    """The strip, and out of band what else has changed: rows, counts, and a sentence for those who listen."""
    everything = Citation.objects.filter(project=project)
    counted = filters.counts(everything)
    told = strip(project, counted)
    state, before = told["check_state"], seen.partition("-")[0]
    turned = [one for one in fit_for_rows(everything.filter(pk__in=shown)) if waiting_mark(one) != shown[one.pk]]
    asked = request.POST if request.method == "POST" else request.GET
    current = filters.known(asked.get("show", ""))
    has_ended = before == "running" and state != "running"
    if has_ended and state == "idle":
        told["check_state"] = "ended"
    context = {
        **told,
        "project": project,
        "counts": counted,
        "filters": filters.offered(counted, current),
        "shown": current,
        "q": asked.get("q", "")[:200],
        "rows": rows_of(project, turned),
        "strip": whole or state != before,
        "counts_changed": told["seen"] != seen,
        "has_ended": has_ended,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
        "may_attest": may(project.role, "attest"),  # type: ignore[attr-defined]
    }
    response = render(request, "citations/_live.html", context)
    if turned and state != "running" or has_ended:
        trigger_client_event(response, "citations-changed")
    return retarget(reswap(response, "outerHTML"), "#check") if context["strip"] else response


def _refused(request: PersonRequest, project: Project, refused: Refused) -> HttpResponse:
    """Say so without touching the page."""
    if request.htmx:
        response = reswap(HttpResponse(), "none")
        return trigger_client_event(response, "toast", {"text": refused.message})
    messages.warning(request, refused.message)
    return redirect("citations:list", project.pk)


def _marks(given: Iterable[str]) -> dict[UUID, str]:
    """What a page says it shows as waiting; nonsense is left out."""
    return {one: mark for mark in list(given)[:_MOST] for one in ids_in([mark.partition(".")[0]])}
