"""/api/projects: theses and their members (SPEC T1, P3, P4)."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.forms import model_to_dict
from ninja import Router, Schema, Status

from projects.access import get_project, may, switch_drafting
from projects.forms import DataForm, NewProjectForm, PrivateForm, ProjectForm, clean_or_refuse
from projects.models import Project
from projects.section_templates import OUTLINES, Outline
from projects.signed_in_request import PersonRequest

router = Router(tags=["Projects"])
router.add_router("", "projects.members_api.router")


class ProjectIn(Schema):
    """The details of a thesis. `title` has at most 300 characters, `question` 4,000; `citation_style` is a CSL id."""

    title: str
    discipline: str = ""
    degree: str = ""
    study_design: str = ""
    question: str = ""
    citation_style: str = "apa"


class ProjectNew(ProjectIn):
    """The details of a new thesis. `outline` is a slug from `/projects/outlines`; without it the thesis gets the nine
    usual sections, empty.
    """

    outline: str = ""


class ProjectChange(Schema):
    """The details to change; fields left out stay as they are.

    `kept_private`: names and words that are not shared with AI, one per line; at most 1,000 lines and 20,000
    characters. `data_open_to`: who can open datasets and uploaded files: writers (owner and editors), supervisors
    (also supervisors) or members (everyone). `drafting_enabled`: whether AI may draft the text. Only the owner can
    change the last two.
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
    """A thesis, with your role in it (owner, editor, supervisor or reader) and the progress of its text."""

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
    """A thesis with its settings.

    `kept_private`: names and words that are not shared with AI, one per line; null for users who cannot edit.
    `data_open_to`: who can open datasets and uploaded files. `why_not_drafting`: why AI may not draft the text
    (switched off by the owner or for the site), "" if it may.
    """

    kept_private: str | None
    data_open_to: str
    drafting_enabled: bool
    why_not_drafting: str

    @staticmethod
    def resolve_kept_private(project: Any) -> str | None:
        """Return the private names and words, or None for users who cannot edit."""
        return project.kept_private if may(project.role, "write") else None


class PartOut(Schema):
    """A section of an outline, with the LaTeX it starts with."""

    slug: str
    title: str
    starter: str


class OutlineOut(Schema):
    """An outline with its name and the theses it is meant for (`whom`). Sections are numbered from 0."""

    slug: str
    name: str
    whom: str
    parts: list[PartOut]


@router.get("", response=list[ProjectOut], summary="List your theses, last changed first")
def list_projects(request: PersonRequest) -> list[Project]:
    """List your theses, last changed first."""
    return list(Project.objects.mine(request.user).with_progress())


@router.get("/outlines", response=list[OutlineOut], summary="List the outlines a thesis can start from")
def outlines(request: PersonRequest) -> list[Outline]:
    """List the outlines a thesis can start from."""
    return list(OUTLINES)


@router.post("", response={201: ProjectOut}, summary="Create a thesis with the sections of an outline")
def create(request: PersonRequest, payload: ProjectNew) -> Status[Any]:
    """Create a thesis with the sections of an outline."""
    project = Project.objects.create_for(request.user, **clean_or_refuse(NewProjectForm(payload.dict())))
    return Status(201, _shown(request, project.pk))


@router.get("/{uuid:project_id}", response=ProjectWhole, summary="Get a thesis")
def read(request: PersonRequest, project_id: UUID) -> Project:
    """Get a thesis."""
    get_project(request.user, project_id)
    return _shown(request, project_id)


@router.put("/{uuid:project_id}", response=ProjectWhole, summary="Replace the details of a thesis")
def replace(request: PersonRequest, project_id: UUID, payload: ProjectIn) -> Project:
    """Replace the details of a thesis."""
    return _change(request, project_id, payload.dict())


@router.patch("/{uuid:project_id}", response=ProjectWhole, summary="Change some details of a thesis")
def change(request: PersonRequest, project_id: UUID, payload: ProjectChange) -> Project:
    """Change some details of a thesis."""
    return _change(request, project_id, payload.dict(exclude_none=True))


@router.delete("/{uuid:project_id}", response={204: None}, summary="Delete a thesis and everything in it")
def delete(request: PersonRequest, project_id: UUID) -> Status[Any]:
    """Delete a thesis and everything in it."""
    get_project(request.user, project_id, "own").delete()
    return Status(204, None)


def _shown(request: PersonRequest, project_id: UUID) -> Project:
    return Project.objects.mine(request.user).with_progress().get(pk=project_id)


def _change(request: PersonRequest, project_id: UUID, facts: dict[str, Any]) -> Project:
    """Update the thesis with `facts`, validated by the forms of the settings page.

    One transaction, so that of two simultaneous changes neither is lost.
    """
    enabled = facts.pop("drafting_enabled", None)
    with transaction.atomic():
        project = get_project(
            request.user, project_id, "own" if enabled is not None or "data_open_to" in facts else "write"
        )
        if enabled is not None:
            switch_drafting(project, enabled=enabled)
        for kind in (ProjectForm, PrivateForm, DataForm):
            clean_or_refuse(kind({**model_to_dict(project, kind.base_fields), **facts}, instance=project))
        project.save()
    return _shown(request, project_id)
