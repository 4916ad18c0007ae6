"""The settings page of a thesis, which several acts answer with (SPEC T1)."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from projects import mail
from projects.access import may
from projects.forms import DataForm, MemberForm, PrivateForm, ProjectForm
from projects.invitations import has_to_wait
from projects.models import Membership, Project
from projects.requests import PersonRequest


def settings_page(request: PersonRequest, project: Project, status: int = 200, **context: Any) -> HttpResponse:
    """The page. `context` may hold a `form`, `member_form`, `data_form` or `private_form` with its errors; 422 then, else `status`."""
    role = project.role  # type: ignore[attr-defined]
    owns = may(role, "own")
    forms = {
        "form": ProjectForm(instance=project),
        "member_form": MemberForm(),
        "private_form": PrivateForm(instance=project),
        "data_form": DataForm(instance=project),
    }
    shown = {
        "project": project,
        "members": project.memberships.select_related("user").order_by("pk"),
        "waiting": project.invitations.filter(accepted_at=None) if owns else [],
        "has_to_wait": owns and has_to_wait(request.user),
        "mail_is_set_up": mail.is_set_up(),
        "now": timezone.now(),
        "roles": Membership.GRANTED,
        "may_write": may(role, "write"),
        "owns": owns,
        **forms,
        **context,
    }
    wrong = any(shown[name].errors for name in forms)
    return render(request, "projects/settings.html", shown, status=422 if wrong else status)
