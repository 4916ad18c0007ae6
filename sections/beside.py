"""What stands beside the text: Sources, Comments, History and Draft, each a panel with an address of its own.

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
    request: PersonRequest,
    project: Project,
    section: Section,
    panel: str,
    context: dict[str, Any],
    status: int = 200,
    template: str = "",
) -> HttpResponse:
    """`panel` ("comments", "history", "draft") of `section`, alone for htmx and on a page of its own otherwise.

    `template` is its own where it is none of this room's.
    """
    own = template or f"sections/_{panel}.html"
    everything = {
        "project": project,
        "tab": "write",
        "section": section,
        "panel": own,
        "panel_name": panel.capitalize(),
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
        "may_comment": may(project.role, "comment"),  # type: ignore[attr-defined]
        "person": request.user,
        **context,
    }
    return render(request, own if request.htmx else "sections/beside.html", everything, status=status)
