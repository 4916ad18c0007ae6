"""Access checks: every view gets its objects through the permissions of the signed-in user (SPEC P3).

Somebody who is not a member gets 404, so that nobody learns what exists. A member whose role does not allow the
action gets 403, with a sentence that says who may do it.

Also here: whether AI may draft the text of a thesis. The site can switch drafting off for every thesis, an owner for
their own (SPEC T9).
"""

from typing import Any, Literal, TypeVar
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404

from core.errors import Refused
from projects.models import Membership, Project

M = TypeVar("M", bound=Any)
Act = Literal["read", "data", "comment", "attest", "write", "own"]

_MAY: dict[Act, set[str]] = {
    "read": {"owner", "editor", "supervisor", "reader"},
    "comment": {"owner", "editor", "supervisor"},
    "attest": {"owner", "editor", "supervisor"},
    "write": {"owner", "editor"},
    "own": {"owner"},
}
# Roles that can open datasets, uploaded files and text read from them, by the thesis setting (docs/privacy.md).
_OPENS_DATA: dict[str, set[str]] = {
    Project.DataOpenTo.WRITERS: _MAY["write"],
    Project.DataOpenTo.SUPERVISORS: {*_MAY["write"], "supervisor"},
    Project.DataOpenTo.MEMBERS: _MAY["read"],
}
_WHO: dict[Act, str] = {
    "data": "Your role in this thesis does not allow you to open its datasets and uploaded files, or text read from "
    "them. The owner can allow it in the settings.",
    "comment": "Only the owner, an editor or a supervisor of this thesis can comment.",
    "attest": "Only the owner, an editor or a supervisor of this thesis can do that.",
    "write": "Only the owner or an editor of this thesis can change it.",
    "own": "Only the owner of this thesis can do that.",
}


def may(role: str | None, act: Act) -> bool:
    """Return whether `role` (None: not a member) allows `act`. For "data", use may_open_data instead."""
    return role in _MAY[act]


def may_open_data(project: Project) -> bool:
    """Return whether the user may see dataset rows, the text of uploaded files and what research read from them.

    `project` comes from `get_project`, which sets the user's role. An unknown setting allows only owner and editors.
    """
    return project.role in _OPENS_DATA.get(project.data_open_to, _MAY["write"])  # type: ignore[attr-defined]


def check_open_data(project: Project) -> None:
    """Raise PermissionDenied, with an explanation, unless the user may open the data of `project`."""
    if not may_open_data(project):
        raise PermissionDenied(_WHO["data"])


def get_project(user: Any, project_id: UUID | str, act: Act = "read") -> Project:
    """Return the project if `user` may `act` on it, with `project.role` set to the user's role.

    Raises Http404 for non-members, and PermissionDenied for members whose role does not allow the action.
    """
    found = (
        Membership.objects.select_related("project").filter(project_id=project_id, user=user).first()
        if user.is_authenticated
        else None
    )
    if found is None:
        raise Http404("No such thesis.")
    project: Project = found.project
    project.role = found.role  # type: ignore[attr-defined]
    if act == "data":
        check_open_data(project)
    elif not may(found.role, act):
        raise PermissionDenied(_WHO[act])
    return project


def get_in_project(user: Any, rows: "QuerySet[M]", act: Act = "read", **lookup: Any) -> M:
    """Return the row of `rows` that matches `lookup`, if it is in a project where `user` may `act`.

    The model of `rows` needs a `project` foreign key. Raises the same errors as `get_project`.
    """
    row = rows.select_related("project").filter(**lookup).first()
    if row is None:
        raise Http404("Not found.")
    row.project = get_project(user, row.project_id, act)
    return row


def check_drafting(project: Project) -> None:
    """Raise Refused (403, drafting_off) if drafting by AI is switched off for `project`."""
    if why := project.why_not_drafting:
        raise Refused(why, code="drafting_off", status=403)


def switch_drafting(project: Project, *, enabled: bool) -> None:
    """Switch drafting by AI on or off for `project`. The caller checks that the user is the owner."""
    project.drafting_enabled = enabled
    project.save(update_fields=["drafting_enabled", "updated_at"])
