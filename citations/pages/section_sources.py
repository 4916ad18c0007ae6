"""The panel of cited works beside a section's text: works with problems first, then the others (SPEC C8, editor)."""

from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from citations.audit.key_uses import macros_of
from citations.badges import badge_html, badge_of
from citations.key_aliases import references_by_key
from citations.models import Citation, is_explained
from citations.pages.reference_rows import RowAction, ids_in, row_note
from citations.resolution.check_job import check_again
from core.errors import Refused
from latex.cite_keys import EVERYTHING, cite_commands
from projects.access import get_project, may
from projects.models import Project
from projects.signed_in_request import PersonRequest
from sections.models import Section

SOON = 10  # the panel polls often if an entry's next check is within so many seconds
_MOST_ALSO = 500  # unsaved keys that a page may send
_S = Citation.Status
_LOOK = {_S.CONFLICT: "conflict", _S.NOT_FOUND: "d", _S.REVIEW: "review"}
_ORDER = {_S.CONFLICT: 0, _S.NOT_FOUND: 1, _S.REVIEW: 2}


@require_http_methods(["GET", "HEAD", "POST"])
def cited(request: PersonRequest, project_id: UUID, slug: str) -> HttpResponse:
    """Show the panel for the saved text and for the keys `also`, which are not saved yet. POST looks a work up again.

    Answers 204 when the page is up to date, so that nothing moves while somebody reads it.
    """
    project = get_project(request.user, project_id, "write" if request.method == "POST" else "read")
    section = get_object_or_404(Section, project=project, slug=slug)
    if request.method == "POST":
        rows = Citation.objects.filter(project=project, pk__in=ids_in(request.POST.getlist("citation")))
        with suppress(Refused):  # the work was attested meanwhile, which the panel shows
            check_again(project, list(rows), request.user)
    sent = request.POST if request.method == "POST" else request.GET
    context = panel_context(project, section, sent.get("also", "").split(",")[:_MOST_ALSO])
    is_shown = context["seen"] == request.GET.get("seen")
    return HttpResponse(status=204) if is_shown else render(request, "citations/_section_sources.html", context)


def panel_context(project: Project, section: Section, also: Iterable[str] = ()) -> dict[str, object]:
    """Return the template context of the panel of `section`. The keys `also` are cited but not saved yet."""
    found = dict.fromkeys(
        key for command in cite_commands(section.latex, macros_of(project, section.pk)) for key in command.keys
    )
    found |= dict.fromkeys(key.strip()[:200] for key in also if key.strip())
    keys = [key for key in found if key != EVERYTHING]
    entries = Citation.objects.filter(project=project).defer("bibtex", "note", "claimed", "record")
    rows = references_by_key(entries.select_related("attested_by").prefetch_related("notices"), project, keys)
    cited_rows = {rows[key].pk: rows[key] for key in keys if key in rows}  # each once, also under two keys
    works = [_work(project, row) for row in cited_rows.values()]
    waiting = [row.check_due_at for row in rows.values() if row.status == _S.UNRESOLVED and row.check_due_at]
    now = timezone.now()
    soon = any((due - now).total_seconds() < SOON for due in waiting)
    missing = [key for key in keys if key not in rows]
    order = {row.cite_key: _ORDER.get(_S(row.status), 3) for row in rows.values()}
    needing = sorted((work for work in works if work["needs_look"]), key=lambda work: order[work["key"]])
    shown = [(work["key"], work["badge"], work["said"], work["short"]) for work in works]
    return {
        "project": project,
        "section": section,
        "needing": needing,
        "quiet": [work for work in works if not work["needs_look"]],
        "missing": missing,
        "count": len(works),
        "left_out": sum(order[work["key"]] < 2 for work in needing) + len(missing),
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
        "every": ("2s" if soon else "30s") if waiting else "",
        "seen": sha256(repr((shown, missing, soon, bool(waiting))).encode()).hexdigest()[:16],
    }


def _work(project: Project, row: Citation) -> dict[str, Any]:
    """Return a cited work for the template. `said` describes its problem; `acts` are the actions on it."""
    href = f"{reverse('citations:list', args=[project.pk])}{row.pk}/"
    needs_look = row.status in _LOOK or row.retracted and not is_explained(row)
    first = row.authors.replace(" and ", ",").split(",")[0].strip()
    return {
        "id": str(row.pk),
        "key": row.cite_key,
        "title": row.title or row.cite_key,
        "short": f"{first} {row.year or ''}".strip() if first else row.title or row.cite_key,
        "href": href,
        "badge": badge_html(badge_of(row)),
        "said": row_note(row) if needs_look else "",
        "needs_look": needs_look,
        "acts": _acts(row, href, project.role) if needs_look else [],  # type: ignore[attr-defined]
    }


def _acts(row: Citation, href: str, role: str) -> list[RowAction]:
    acts = []
    if row.status in (_S.CONFLICT, _S.REVIEW):
        acts.append(RowAction("Compare", f"{href}#why"))
    elif row.status == _S.NOT_FOUND and may(role, "write"):
        acts.append(RowAction("Look up again"))
    elif row.retracted:
        acts.append(
            RowAction("Give a reason", f"{href}#retraction")
            if may(role, "attest")
            else RowAction("See the notice", href)
        )
    if row.status in _LOOK and may(role, "attest"):
        acts.append(RowAction("Attest…", f"{href}attest/"))
    return acts
