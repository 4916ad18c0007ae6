"""What stands beside the text: Sources, Comments and History, each a panel with an address of its own.

The workspace asks for a panel by htmx; who has no script follows the same link to a page with the panel on it.
"""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from projects.access import may
from projects.models import Project
from projects.requests import PersonRequest
from sections.models import Section


def beside(
    request: PersonRequest, project: Project, section: Section, panel: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """`panel` ("comments" or "history") of `section`, alone for htmx and on a page of its own otherwise."""
    everything = {
        "project": project,
        "tab": "write",
        "section": section,
        "panel": f"sections/_{panel}.html",
        "panel_name": panel.capitalize(),
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
        "may_comment": may(project.role, "comment"),  # type: ignore[attr-defined]
        "person": request.user,
        **context,
    }
    template = f"sections/_{panel}.html" if request.htmx else "sections/beside.html"
    return render(request, template, everything, status=status)
