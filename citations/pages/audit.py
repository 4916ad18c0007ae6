"""The audit on a page: a card that the list of citations fetches, and a page of its own (SPEC C7, C9)."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from citations.audit.card import card
from citations.audit.integrity import audit_project
from projects.access import get_project
from projects.requests import PersonRequest


@require_safe
@vary_on_headers("HX-Request")
def audit(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """What the audit finds now: the card to htmx, else a page with the card."""
    project = get_project(request.user, project_id)
    context = {
        "project": project,
        "tab": "citations",
        "audit": card(project, audit_project(project)),
        "audited_at": timezone.now(),
    }
    return render(request, "citations/_audit.html" if request.htmx else "citations/audit.html", context)
