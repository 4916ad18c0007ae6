"""The API of sections, /api/sections: the text of a thesis, with optimistic locking by ETag (SPEC T2, P4)."""

import re
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.http import HttpResponse
from ninja import Header, Router, Schema, Status
from pydantic import Field

from core.errors import Refused
from latex.numbering import Kind
from projects.access import get_in_project, get_project
from projects.forms import clean_or_refuse
from projects.signed_in_request import PersonRequest
from sections import outline
from sections.forms import TitleForm
from sections.models import Section, Stale
from sections.outline_pages import labels_in, numbers_in
from sections.printed_numbers import compute_printed_numbers
from sections.save_state import PERSON, PREFER, check_person, savers_since

router = Router(tags=["Sections"])
for part in ("history_api", "snapshot_api", "comment_api", "find_api", "label_api"):
    router.add_router("", f"sections.{part}.router")

IF_MATCH: Any = Header(  # type: ignore[type-arg]
    None, alias="If-Match", description='The ETag you read, such as "7".'
)


class SectionBrief(Schema):
    """A section without its text. `number` is its place in the outline, counted from 0."""

    id: UUID
    project_id: UUID
    number: int
    slug: str
    title: str
    words: int
    version: int
    updated_at: datetime


class SectionOut(SectionBrief):
    """A section with its LaTeX, exactly as it was saved."""

    latex: str


class SavedOut(SectionBrief):
    """A section after saving; without its text if the request says `Prefer: return=minimal`."""

    latex: str | None = None


class RemovedOut(SectionBrief):
    """A section in the bin. `number` is the place to which it is restored."""

    removed_at: datetime


class NumberedOut(Schema):
    """A part of a section with its printed number. `start` counts UTF-16 units of the LaTeX."""

    kind: Kind
    number: str
    start: int


class LabelOut(Schema):
    r"""What a label names, and the number that a \ref prints. `level` of a heading: -1 part, 0 chapter, 1 section.

    `word` is what a theorem is called: "Lemma". `title` is that of a heading or a caption, in plain words.
    """

    kind: Kind
    number: str
    level: int
    word: str = ""
    title: str = ""


class PrintedOut(Schema):
    """The printed numbers of all `sections`, by slug, of the numbered parts of this one, and of all labels."""

    sections: dict[str, str]
    here: list[NumberedOut]
    labels: dict[str, LabelOut]


class SectionIn(Schema):
    """A new section, added at the end. `title` has at most 200 characters."""

    title: str


class SectionChange(Schema):
    """A new `title`, a new place `number` (0 is first), or both. The other sections move accordingly."""

    title: str | None = None
    number: int | None = Field(None, ge=0)


class TextIn(Schema):
    """The whole LaTeX of a section: at most 6,000,000 characters, no NUL, no lone surrogates. Stored as sent.

    `kind` is shown in the history: typed, merged (after a conflict), or proposed (accepted from a proposal).
    """

    latex: str
    kind: Literal["typed", "merged", "proposed"] = "typed"


class Fault(Schema):
    """An error: its `code`, a `message` for people, and the `field` it is about, if any."""

    code: str
    message: str
    field: str | None = None


class StaleOut(Schema):
    """The section was saved in the meantime, so nothing was written. `current` is the present section.

    `saved_by` names the other people who have saved since; it is empty if that was only you, in another window.
    """

    error: Fault
    current: SectionOut
    saved_by: list[str]


@router.get("/projects/{uuid:project_id}/sections", response=list[SectionBrief], summary="The sections, in order")
def list_sections(request: PersonRequest, project_id: UUID) -> list[Section]:
    """The sections without their text. Sections in the bin are not included."""
    return list(Section.objects.filter(project=get_project(request.user, project_id)).outline())


@router.post("/projects/{uuid:project_id}/sections", response={201: SectionOut}, summary="Add a section")
def add(request: PersonRequest, project_id: UUID, payload: SectionIn) -> Status[Any]:
    """The section is empty."""
    project = get_project(request.user, project_id, "write")
    return Status(201, Section.objects.add(project, clean_or_refuse(TitleForm({"title": payload.title}))["title"]))


@router.get("/sections/{uuid:section_id}", response=SectionOut, summary="One section; its ETag is the version")
def read(request: PersonRequest, response: HttpResponse, section_id: UUID) -> Section:
    """Send the ETag as If-Match to save the text."""
    found: Section = get_in_project(request.user, Section.objects.all(), pk=section_id)
    response["ETag"] = _etag(found)
    return found


@router.get("/sections/{uuid:section_id}/numbers", response=PrintedOut, summary="The printed numbers")
def numbers(request: PersonRequest, section_id: UUID) -> dict[str, Any]:
    """The same numbers that LaTeX prints. Numbers made by the thesis's own commands are not included."""
    found: Section = get_in_project(request.user, Section.objects.all(), pk=section_id)
    numbers = compute_printed_numbers(found.project, found)
    slugs = Section.objects.filter(project=found.project).values_list("pk", "slug")
    return {
        "sections": {slug: numbers.sections.get(str(pk), "") for pk, slug in slugs},
        "here": numbers_in(found, numbers.here),
        "labels": labels_in(numbers.labels),
    }


@router.put("/sections/{uuid:section_id}", response={200: SavedOut, 412: StaleOut}, summary="Save the text")
def save(
    request: PersonRequest,
    response: HttpResponse,
    section_id: UUID,
    payload: TextIn,
    if_match: str | None = IF_MATCH,
    person: UUID | None = PERSON,
    prefer: str | None = PREFER,
) -> Any:
    """Needs If-Match with the ETag you read: 428 without it, 412 with the present section if it has changed since."""
    check_person(request, person)
    # A section that somebody else has just moved to the bin can still be saved, so that nothing typed is lost.
    found: Section = get_in_project(request.user, Section.everything.defer("latex"), "write", pk=section_id)
    version = _version_in(if_match)
    try:
        saved = found.write(payload.latex, based_on=version, by=request.user, kind=payload.kind)
    except Stale as stale:
        response["ETag"] = _etag(stale.current)
        return Status(
            412,
            {
                "error": {"code": "stale", "message": str(stale)},
                "current": stale.current,
                "saved_by": savers_since(found, version, request.user),
            },
        )
    response["ETag"] = _etag(saved)
    if prefer != "return=minimal":
        return SavedOut.from_orm(saved)
    response["Preference-Applied"] = prefer
    return SavedOut(**SectionBrief.from_orm(saved).model_dump())


@router.patch("/sections/{uuid:section_id}", response=SectionOut, summary="Rename or move a section")
def change(request: PersonRequest, section_id: UUID, payload: SectionChange) -> Section:
    """The text and the address of the section stay the same."""
    found: Section = get_in_project(request.user, Section.objects.all(), "write", pk=section_id)
    if payload.title is not None:
        found.rename(clean_or_refuse(TitleForm({"title": payload.title}))["title"])
    if payload.number is not None:
        found.move_to(payload.number)
    return found


@router.delete("/sections/{uuid:section_id}", response={204: None}, summary="Move a section to the bin")
def remove(request: PersonRequest, section_id: UUID) -> Status[Any]:
    """The section keeps its text, history, comments and address, and can be restored.

    Until then it is left out of lists, counts and exports.
    """
    outline.move_to_bin(get_in_project(request.user, Section.objects.defer("latex"), "write", pk=section_id))
    return Status(204, None)


@router.get("/projects/{uuid:project_id}/sections/bin", response=list[RemovedOut], summary="The sections in the bin")
def list_bin(request: PersonRequest, project_id: UUID) -> list[Section]:
    """The section removed last comes first."""
    return list(outline.sections_in_bin(get_project(request.user, project_id, "write")))


@router.post("/sections/{uuid:section_id}/restore", response=SectionOut, summary="Restore a section from the bin")
def put_back(request: PersonRequest, section_id: UUID) -> Section:
    """It returns to its old place, or to the end if the thesis has become shorter."""
    found: Section = get_in_project(request.user, Section.everything.all(), "write", pk=section_id)
    outline.restore_from_bin(found)
    return found


def _etag(section: Section) -> str:
    return f'"{section.version}"'


def _version_in(if_match: str | None) -> int:
    """Return the version that an If-Match header names. Raises Refused for a star, which would overwrite blindly."""
    if if_match is None:
        raise Refused(
            "Send If-Match with the ETag that you read, so that nobody's changes are overwritten.",
            code="precondition_required",
            status=428,
        )
    found = re.fullmatch(r'"(\d{1,9})"', if_match.strip())
    if found is None:
        raise Refused('If-Match must be the ETag of the section, such as "7".', code="bad_if_match", status=400)
    return int(found[1])
