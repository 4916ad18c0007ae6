"""The one way a view finds an object: through the person asking (SPEC P3).

A stranger gets 404, so that nobody learns what exists; a member whose role does not allow the act gets 403
with a sentence that says who may.
"""

from typing import Any, Literal, TypeVar
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404

from projects.models import Membership, Project

M = TypeVar("M", bound=Any)
Act = Literal["read", "comment", "attest", "write", "own"]

_MAY: dict[Act, set[str]] = {
    "read": {"owner", "editor", "supervisor", "reader"},
    "comment": {"owner", "editor", "supervisor"},
    "attest": {"owner", "editor", "supervisor"},
    "write": {"owner", "editor"},
    "own": {"owner"},
}
_WHO: dict[Act, str] = {
    "comment": "Only the owner, an editor or a supervisor of this thesis can comment.",
    "attest": "Only the owner, an editor or a supervisor of this thesis can do that.",
    "write": "Only the owner or an editor of this thesis can change it.",
    "own": "Only the owner of this thesis can do that.",
}


def may(role: str | None, act: Act) -> bool:
    """Whether somebody with `role` (None: a stranger) may do `act`."""
    return role in _MAY[act]


def get_project(user: Any, project_id: UUID | str, act: Act = "read") -> Project:
    """The project, if `user` may `act` on it. Sets `project.role` to the person's role.

    Raises Http404 for strangers and PermissionDenied for members whose role does not allow the act.
    """
    found = (
        Membership.objects.select_related("project").filter(project_id=project_id, user=user).first()
        if user.is_authenticated
        else None
    )
    if found is None:
        raise Http404("No such thesis.")
    if not may(found.role, act):
        raise PermissionDenied(_WHO[act])
    project: Project = found.project
    project.role = found.role  # type: ignore[attr-defined]
    return project


def get_in_project(user: Any, rows: "QuerySet[M]", act: Act = "read", **lookup: Any) -> M:
    """The one row of `rows` that `lookup` names, if it is in a project where `user` may `act`.

    `rows` is of a model with a `project` foreign key. Raises as `get_project`.
    """
    row = rows.select_related("project").filter(**lookup).first()
    if row is None:
        raise Http404("Not found.")
    row.project = get_project(user, row.project_id, act)
    return row
