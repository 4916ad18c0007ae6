"""/api/projects: theses and their members (SPEC T1, P3, P4)."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.forms import model_to_dict
from django.shortcuts import get_object_or_404
from ninja import Router, Schema, Status

from projects.access import Act, get_project
from projects.forms import ProjectForm, refusal
from projects.models import Membership, Project
from projects.requests import PersonRequest

router = Router(tags=["Projects"])


class ProjectIn(Schema):
    """The facts of a thesis. `title` has at most 300 characters, `question` 4,000; `citation_style` is a CSL id."""

    title: str
    discipline: str = ""
    degree: str = ""
    study_design: str = ""
    question: str = ""
    citation_style: str = "apa"


class ProjectChange(Schema):
    """The facts to change; what is left out stays."""

    title: str | None = None
    discipline: str | None = None
    degree: str | None = None
    study_design: str | None = None
    question: str | None = None
    citation_style: str | None = None


class ProjectOut(ProjectIn):
    """A thesis, with your role in it (owner, editor, supervisor or reader) and how far its text is."""

    id: UUID
    role: str
    is_demo: bool
    sections_total: int
    sections_written: int
    words: int
    created_at: datetime
    updated_at: datetime


class MemberOut(Schema):
    """A person in a thesis. `role` is owner, editor, supervisor or reader."""

    user_id: UUID
    name: str
    email: str
    role: str

    @staticmethod
    def resolve_name(row: Membership) -> str:
        return row.user.name

    @staticmethod
    def resolve_email(row: Membership) -> str:
        return row.user.email


class MemberIn(Schema):
    """Somebody to admit: the `email` of an existing account, and a `role`: editor, supervisor or reader."""

    email: str
    role: str


class RoleIn(Schema):
    """The new `role` of a member: editor, supervisor or reader."""

    role: str


@router.get("", response=list[ProjectOut], summary="Your theses, the last touched first")
def list_projects(request: PersonRequest) -> list[Project]:
    return list(Project.objects.mine(request.user).with_progress())


@router.post("", response={201: ProjectOut}, summary="Start a thesis, with the usual chapters")
def create(request: PersonRequest, payload: ProjectIn) -> Status[Any]:
    form = ProjectForm(payload.dict())
    if not form.is_valid():
        raise refusal(form)
    project = Project.objects.create_for(request.user, **form.cleaned_data)
    return Status(201, _shown(request, project.pk))


@router.get("/{uuid:project_id}", response=ProjectOut, summary="One thesis")
def read(request: PersonRequest, project_id: UUID) -> Project:
    get_project(request.user, project_id)
    return _shown(request, project_id)


@router.put("/{uuid:project_id}", response=ProjectOut, summary="Replace the facts of a thesis")
def replace(request: PersonRequest, project_id: UUID, payload: ProjectIn) -> Project:
    return _change(request, project_id, payload.dict())


@router.patch("/{uuid:project_id}", response=ProjectOut, summary="Change some facts of a thesis")
def change(request: PersonRequest, project_id: UUID, payload: ProjectChange) -> Project:
    return _change(request, project_id, payload.dict(exclude_none=True))


@router.delete("/{uuid:project_id}", response={204: None}, summary="Delete a thesis and everything in it")
def delete(request: PersonRequest, project_id: UUID) -> Status[Any]:
    get_project(request.user, project_id, "own").delete()
    return Status(204, None)


@router.get("/{uuid:project_id}/members", response=list[MemberOut], summary="Who is in a thesis")
def members(request: PersonRequest, project_id: UUID) -> list[Membership]:
    return list(get_project(request.user, project_id).memberships.select_related("user").order_by("pk"))


@router.post("/{uuid:project_id}/members", response={201: MemberOut}, summary="Admit somebody")
def admit(request: PersonRequest, project_id: UUID, payload: MemberIn) -> Status[Any]:
    return Status(201, get_project(request.user, project_id, "own").admit(payload.email, payload.role))


@router.put("/{uuid:project_id}/members/{uuid:user_id}", response=MemberOut, summary="Change a member's role")
def change_role(request: PersonRequest, project_id: UUID, user_id: UUID, payload: RoleIn) -> Membership:
    membership = get_object_or_404(get_project(request.user, project_id, "own").memberships, user_id=user_id)
    membership.change_role(payload.role)
    return membership


@router.delete("/{uuid:project_id}/members/{uuid:user_id}", response={204: None}, summary="End a membership")
def end(request: PersonRequest, project_id: UUID, user_id: UUID) -> Status[Any]:
    """The owner can end anybody's but the owner's; everybody else can end their own."""
    act: Act = "read" if user_id == request.user.pk else "own"
    get_object_or_404(get_project(request.user, project_id, act).memberships, user_id=user_id).end()
    return Status(204, None)


def _shown(request: PersonRequest, project_id: UUID) -> Project:
    found: Project = Project.objects.mine(request.user).with_progress().get(pk=project_id)
    return found


def _change(request: PersonRequest, project_id: UUID, facts: dict[str, Any]) -> Project:
    """Lay `facts` over the thesis, checked as the page checks them. One transaction: two changes both last."""
    with transaction.atomic():
        project = get_project(request.user, project_id, "write")
        form = ProjectForm({**model_to_dict(project, ProjectForm.Meta.fields), **facts}, instance=project)
        if not form.is_valid():
            raise refusal(form)
        form.save()
    return _shown(request, project_id)
