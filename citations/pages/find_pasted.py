"""Finding the reference that a pasted or dropped text means, else offering to add it (SPEC C5, C8)."""

from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from citations.cite_dialog.cite_dialog import recognise_text
from core.storable_text import storable
from projects.access import get_project, may
from projects.signed_in_request import PersonRequest

LONGEST = 500  # characters; a longer text is pasted into the form that adds works


@require_safe
def find(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Go to the list of references with the one that `text` means; else to the form that adds it, filled in."""
    project = get_project(request.user, project_id)
    text = str(storable(request.GET.get("text", ""))).strip()[:LONGEST]
    address = reverse("citations:list", args=[project.pk])
    if not text:
        return redirect(address)
    found = recognise_text(project, text)
    if len(found.picks) == 1 and (citation := found.picks[0].citation):
        return redirect(f"{address}?{urlencode({'q': citation.cite_key})}#work-{citation.id}")
    if found.citations:
        return redirect(f"{address}?{urlencode({'q': text})}#rows")
    if not may(project.role, "write"):  # type: ignore[attr-defined]
        messages.info(request, f"“{text[:80]}” is not in the citations.")
        return redirect(address)
    messages.info(request, "This is not in your citations yet. You can add it here.")
    return redirect(f"{reverse('citations:add', args=[project.pk])}?{urlencode({'text': text})}")
