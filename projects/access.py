"""The one way a view finds an object: through the person asking (SPEC P3).

A stranger gets 404, so that nobody learns what exists; a member whose role does not allow the act gets 403
with a sentence that says who may.

Whether a model may draft the text of a thesis is said here too: the site can switch it off for all, an owner for one
(SPEC T9).
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
# Who opens datasets, uploaded files and what was read from them, by the setting of the thesis (docs/privacy.md).
_OPENS_DATA: dict[str, set[str]] = {
    Project.DataOpenTo.WRITERS: _MAY["write"],
    Project.DataOpenTo.SUPERVISORS: {*_MAY["write"], "supervisor"},
    Project.DataOpenTo.MEMBERS: _MAY["read"],
}
_WHO: dict[Act, str] = {
    "data": "Your role in this thesis does not open its datasets and uploaded files, nor what was read from them. "
    "Its owner can allow that in the settings.",
    "comment": "Only the owner, an editor or a supervisor of this thesis can comment.",
    "attest": "Only the owner, an editor or a supervisor of this thesis can do that.",
    "write": "Only the owner or an editor of this thesis can change it.",
    "own": "Only the owner of this thesis can do that.",
}


def may(role: str | None, act: Act) -> bool:
    """Return whether somebody with `role` (None: a stranger) may do `act`. Of "data" the thesis decides: may_open_data."""
    return role in _MAY[act]


def may_open_data(project: Project) -> bool:
    """Return whether the person for whom `project` was found may see the cells of its datasets, the text of its uploaded files,
    and what research read from them. What a thesis does not say is closed to all but those who write.
    """
    return project.role in _OPENS_DATA.get(project.data_open_to, _MAY["write"])  # type: ignore[attr-defined]


def check_open_data(project: Project) -> None:
    """Raise PermissionDenied, with a sentence, unless may_open_data."""
    if not may_open_data(project):
        raise PermissionDenied(_WHO["data"])


def get_project(user: Any, project_id: UUID | str, act: Act = "read") -> Project:
    """Return the project, if `user` may `act` on it. Sets `project.role` to the person's role.

    Raises Http404 for strangers and PermissionDenied for members whose role does not allow the act.
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
    """Return the one row of `rows` that `lookup` names, if it is in a project where `user` may `act`.

    `rows` is of a model with a `project` foreign key. Raises as `get_project`.
    """
    row = rows.select_related("project").filter(**lookup).first()
    if row is None:
        raise Http404("Not found.")
    row.project = get_project(user, row.project_id, act)
    return row


def check_drafting(project: Project) -> None:
    """Raises Refused, 403 drafting_off, where nothing is to be drafted for `project`."""
    if why := project.why_not_drafting:
        raise Refused(why, code="drafting_off", status=403)


def switch_drafting(project: Project, *, enabled: bool) -> None:
    """Let models draft the text of `project`, or not. The caller has seen to it that the owner asks."""
    project.drafting_enabled = enabled
    project.save(update_fields=["drafting_enabled", "updated_at"])
