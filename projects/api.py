"""/api/projects: theses and their members (SPEC T1, P3, P4)."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.forms import model_to_dict
from ninja import Router, Schema, Status

from projects.access import get_project, may, switch_drafting
from projects.forms import DataForm, NewProjectForm, PrivateForm, ProjectForm, checked
from projects.models import Project
from projects.outlines import OUTLINES, Outline
from projects.signed_in_request import PersonRequest

router = Router(tags=["Projects"])
router.add_router("", "projects.members_api.router")


class ProjectIn(Schema):
    """The facts of a thesis. `title` has at most 300 characters, `question` 4,000; `citation_style` is a CSL id."""

    title: str
    discipline: str = ""
    degree: str = ""
    study_design: str = ""
    question: str = ""
    citation_style: str = "apa"


class ProjectNew(ProjectIn):
    """The facts of a new thesis. `outline` names one of `/projects/outlines`; left out: the nine usual sections, empty."""

    outline: str = ""


class ProjectChange(Schema):
    """The facts to change; what is left out stays. `kept_private` are names and words that no model is told, one a line:
    at most 1,000 lines and 20,000 characters. `data_open_to` says who opens datasets and uploaded files: writers, supervisors
    (these, too) or members (all); `drafting_enabled` whether models may draft its text. Only the owner changes these two.
    """

    title: str | None = None
    discipline: str | None = None
    degree: str | None = None
    study_design: str | None = None
    question: str | None = None
    citation_style: str | None = None
    kept_private: str | None = None
    data_open_to: str | None = None
    drafting_enabled: bool | None = None


class ProjectOut(ProjectIn):
    """A thesis, with your role in it (owner, editor, supervisor or reader) and how far its text is."""

    id: UUID
    role: str
    outline: str
    is_demo: bool
    sections_total: int
    sections_written: int
    words: int
    created_at: datetime
    updated_at: datetime


class ProjectWhole(ProjectOut):
    """A thesis, with who opens its datasets and uploaded files, and the names and words that no model is told, one a line; null
    for those who may not write.

    `why_not_drafting` says why no model may draft its text (the owner or the site switched it off), "" where one may.
    """

    kept_private: str | None
    data_open_to: str
    drafting_enabled: bool
    why_not_drafting: str

    @staticmethod
    def resolve_kept_private(project: Any) -> str | None:
        return project.kept_private if may(project.role, "write") else None


class PartOut(Schema):
    """A section of an outline, with the LaTeX it starts with."""

    slug: str
    title: str
    starter: str


class OutlineOut(Schema):
    """A named outline, and for whom it is. Its sections are numbered from 0."""

    slug: str
    name: str
    whom: str
    parts: list[PartOut]


@router.get("", response=list[ProjectOut], summary="Your theses, the last touched first")
def list_projects(request: PersonRequest) -> list[Project]:
    return list(Project.objects.mine(request.user).with_progress())


@router.get("/outlines", response=list[OutlineOut], summary="What a thesis can start from")
def outlines(request: PersonRequest) -> list[Outline]:
    return list(OUTLINES)


@router.post("", response={201: ProjectOut}, summary="Start a thesis, with the sections of an outline")
def create(request: PersonRequest, payload: ProjectNew) -> Status[Any]:
    project = Project.objects.create_for(request.user, **checked(NewProjectForm(payload.dict())))
    return Status(201, _shown(request, project.pk))


@router.get("/{uuid:project_id}", response=ProjectWhole, summary="One thesis")
def read(request: PersonRequest, project_id: UUID) -> Project:
    get_project(request.user, project_id)
    return _shown(request, project_id)


@router.put("/{uuid:project_id}", response=ProjectWhole, summary="Replace the facts of a thesis")
def replace(request: PersonRequest, project_id: UUID, payload: ProjectIn) -> Project:
    return _change(request, project_id, payload.dict())


@router.patch("/{uuid:project_id}", response=ProjectWhole, summary="Change some facts of a thesis")
def change(request: PersonRequest, project_id: UUID, payload: ProjectChange) -> Project:
    return _change(request, project_id, payload.dict(exclude_none=True))


@router.delete("/{uuid:project_id}", response={204: None}, summary="Delete a thesis and everything in it")
def delete(request: PersonRequest, project_id: UUID) -> Status[Any]:
    get_project(request.user, project_id, "own").delete()
    return Status(204, None)


def _shown(request: PersonRequest, project_id: UUID) -> Project:
    return Project.objects.mine(request.user).with_progress().get(pk=project_id)


def _change(request: PersonRequest, project_id: UUID, facts: dict[str, Any]) -> Project:
    """Lay `facts` over the thesis, checked as the page checks them. One transaction: two changes both last."""
    enabled = facts.pop("drafting_enabled", None)
    with transaction.atomic():
        project = get_project(
            request.user, project_id, "own" if enabled is not None or "data_open_to" in facts else "write"
        )
        if enabled is not None:
            switch_drafting(project, enabled=enabled)
        for kind in (ProjectForm, PrivateForm, DataForm):
            checked(kind({**model_to_dict(project, kind.base_fields), **facts}, instance=project))
        project.save()
    return _shown(request, project_id)
