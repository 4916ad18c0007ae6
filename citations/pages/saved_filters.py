"""Saving what the list shows under a name, and deleting saved filters (SPEC C9)."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from citations.library.list_filter import ListFilter
from citations.library.saved_filters import save_filter
from citations.models import SavedFilter
from core.errors import Refused
from projects.access import get_in_project, get_project
from projects.signed_in_request import PersonRequest


@require_POST
def save(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Save what the list shows under a name and show the list again; a refused name is a message."""
    project = get_project(request.user, project_id, "write")
    shown = ListFilter.read(request.POST)
    try:
        save_filter(project, request.POST.get("name", ""), shown)
    except Refused as refused:
        messages.warning(request, refused.message)
    return redirect(f"{reverse('citations:list', args=[project.pk])}?{shown.query()}")


@require_POST
def delete(request: PersonRequest, project_id: UUID, filter_id: int) -> HttpResponse:
    """Delete a saved filter and show the list. No reference is changed."""
    saved = get_in_project(request.user, SavedFilter.objects.all(), "write", pk=filter_id, project_id=project_id)
    saved.delete()
    messages.success(request, f"The filter {saved.name} was deleted.")
    return redirect("citations:list", project_id)
