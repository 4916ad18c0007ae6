"""/api/sections: the text of a thesis, with optimistic locking by ETag (SPEC T2, P4)."""

import re
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Header, Router, Schema, Status
from pydantic import AliasPath, Field

from projects.access import get_in_project, get_project
from projects.errors import Refused
from projects.forms import refusal
from projects.requests import PersonRequest
from sections.forms import TitleForm
from sections.models import Section, SectionVersion, Stale

router = Router(tags=["Sections"])

IF_MATCH: Any = Header(  # type: ignore[type-arg]
    None, alias="If-Match", description='The ETag you read, such as "7".'
)


class SectionBrief(Schema):
    """A section without its text. `number` counts from 0, the front matter."""

    id: UUID
    project_id: UUID
    number: int
    slug: str
    title: str
    words: int
    version: int
    updated_at: datetime


class SectionOut(SectionBrief):
    """A section with its LaTeX, character for character as it was written."""

    latex: str


class SectionIn(Schema):
    """A new section, placed after the last. `title` has at most 200 characters."""

    title: str


class SectionChange(Schema):
    """Another title, another place (0 is first), or both. The other sections make room."""

    title: str | None = None
    number: int | None = Field(None, ge=0)


class TextIn(Schema):
    """The whole LaTeX of a section: at most 6,000,000 characters, no NUL, no lone surrogates. Kept as sent."""

    latex: str


class Fault(Schema):
    code: str
    message: str
    field: str | None = None


class StaleOut(Schema):
    """Somebody saved in between. Nothing was written; `current` is what stands there now."""

    error: Fault
    current: SectionOut


class VersionOut(Schema):
    """One saved text in a section's history."""

    version: int
    saved_at: datetime
    saved_by: str | None = Field(None, validation_alias=AliasPath("saved_by", "email"))


class VersionText(VersionOut):
    """One saved text in a section's history, with its LaTeX."""

    latex: str


@router.get("/projects/{uuid:project_id}/sections", response=list[SectionBrief], summary="The sections, in order")
def list_sections(request: PersonRequest, project_id: UUID) -> list[Section]:
    return list(Section.objects.filter(project=get_project(request.user, project_id)).outline())


@router.post("/projects/{uuid:project_id}/sections", response={201: SectionOut}, summary="Add a section")
def add(request: PersonRequest, project_id: UUID, payload: SectionIn) -> Status[Any]:
    project = get_project(request.user, project_id, "write")
    return Status(201, Section.objects.add(project, _title(payload.title)))


@router.get("/sections/{uuid:section_id}", response=SectionOut, summary="One section; its ETag is the version")
def read(request: PersonRequest, response: HttpResponse, section_id: UUID) -> Section:
    found: Section = get_in_project(request.user, Section.objects.all(), pk=section_id)
    response["ETag"] = _etag(found)
    return found


@router.put("/sections/{uuid:section_id}", response={200: SectionOut, 412: StaleOut}, summary="Save the text")
def save(
    request: PersonRequest, response: HttpResponse, section_id: UUID, payload: TextIn, if_match: str | None = IF_MATCH
) -> Any:
    """Needs If-Match with the ETag you read: 428 without it, 412 with the present section when it has moved on."""
    found: Section = get_in_project(request.user, Section.objects.all(), "write", pk=section_id)
    try:
        saved = found.write(payload.latex, based_on=_version_in(if_match), by=request.user)
    except Stale as stale:
        response["ETag"] = _etag(stale.current)
        return Status(412, {"error": {"code": "stale", "message": str(stale)}, "current": stale.current})
    response["ETag"] = _etag(saved)
    return saved


@router.patch("/sections/{uuid:section_id}", response=SectionOut, summary="Rename or move a section")
def change(request: PersonRequest, section_id: UUID, payload: SectionChange) -> Section:
    found: Section = get_in_project(request.user, Section.objects.all(), "write", pk=section_id)
    if payload.title is not None:
        found.rename(_title(payload.title))
    if payload.number is not None:
        found.move_to(payload.number)
    return found


@router.get("/sections/{uuid:section_id}/versions", response=list[VersionOut], summary="The history, newest first")
def versions(request: PersonRequest, section_id: UUID) -> list[SectionVersion]:
    found: Section = get_in_project(request.user, Section.objects.defer("latex"), pk=section_id)
    return list(found.versions.select_related("saved_by").defer("latex"))


@router.get("/sections/{uuid:section_id}/versions/{int:version}", response=VersionText, summary="An earlier text")
def read_version(request: PersonRequest, section_id: UUID, version: int) -> SectionVersion:
    found: Section = get_in_project(request.user, Section.objects.defer("latex"), pk=section_id)
    earlier: SectionVersion = get_object_or_404(found.versions.select_related("saved_by"), version=version)
    return earlier


def _etag(section: Section) -> str:
    return f'"{section.version}"'


def _version_in(if_match: str | None) -> int:
    """The version an If-Match header names. A star, which would overwrite blindly, is refused."""
    if if_match is None:
        raise Refused(
            "Send If-Match with the ETag you read, so that nobody's text is overwritten unseen.",
            code="precondition_required",
            status=428,
        )
    found = re.fullmatch(r'"(\d{1,9})"', if_match.strip())
    if found is None:
        raise Refused('If-Match must be the ETag of the section, such as "7".', code="bad_if_match", status=400)
    return int(found[1])


def _title(title: str) -> str:
    form = TitleForm({"title": title})
    if not form.is_valid():
        raise refusal(form)
    checked: str = form.cleaned_data["title"]
    return checked
