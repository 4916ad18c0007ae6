"""The API of a section's history, /api/sections/ID/versions (SPEC T2, P4)."""

from datetime import datetime
from uuid import UUID

from django.http import Http404, HttpResponse
from ninja import Query, Router, Schema, Status
from pydantic import AliasPath, Field

from projects.access import get_in_project
from projects.signed_in_request import PersonRequest
from sections.models import Section, SectionVersion
from sections.save_state import PERSON, check_person

router = Router(tags=["Sections"])

AT_ONCE = 200  # versions in one answer


class VersionOut(Schema):
    """One version in a section's history.

    `kind` is typed, restored, imported, merged, proposed, replaced (words in the whole thesis) or kept (a text that was
    not chosen in a conflict and never was the text of the section). What one person types within five minutes is one
    version: it began at `began_at`, and its `version` is the number of its last save. The numbers in between lead to
    the same version.
    """

    version: int
    kind: str
    began_at: datetime
    saved_at: datetime
    saved_by: str | None = Field(None, validation_alias=AliasPath("saved_by", "email"))


class VersionText(VersionOut):
    """One version in a section's history, with its LaTeX."""

    latex: str


class UnchosenTextIn(Schema):
    """A text that was not chosen in a conflict: at most 6,000,000 characters. Stored as sent."""

    latex: str


@router.get("/sections/{uuid:section_id}/versions", response=list[VersionOut], summary="The history, newest first")
def versions(
    request: PersonRequest,
    section_id: UUID,
    before: int | None = Query(None, description="Only versions with a smaller number, for the next 200."),  # type: ignore[type-arg]
) -> list[SectionVersion]:
    """At most 200 versions, without their text."""
    found: Section = get_in_project(request.user, Section.objects.defer("latex"), pk=section_id)
    rows = found.versions.select_related("saved_by").defer("latex")
    return list((rows if before is None else rows.filter(version__lt=before))[:AT_ONCE])


@router.get("/sections/{uuid:section_id}/versions/{int:version}", response=VersionText, summary="One version")
def read_version(request: PersonRequest, section_id: UUID, version: int) -> SectionVersion:
    """The number of any save within five minutes of typing leads to the same version."""
    return _row(get_in_project(request.user, Section.objects.defer("latex"), pk=section_id), version)


@router.post(
    "/sections/{uuid:section_id}/versions/kept", response={201: VersionOut}, summary="Keep a text from a conflict"
)
def keep(
    request: PersonRequest,
    response: HttpResponse,
    section_id: UUID,
    payload: UnchosenTextIn,
    person: UUID | None = PERSON,
) -> Status[SectionVersion]:
    """Stores the text in the history and does not change the present text, so it needs no If-Match.

    The version gets the section's next number, which is the ETag of the answer. Saving with the ETag from before still
    works, because the text of the section is the same. A text sent twice is stored once.
    """
    check_person(request, person)
    found: Section = get_in_project(request.user, Section.objects.defer("latex"), "write", pk=section_id)
    kept = found.keep(payload.latex, by=request.user)
    response["ETag"] = f'"{kept.version}"'
    return Status(201, kept)


@router.post(
    "/sections/{uuid:section_id}/versions/{int:version}/restore",
    response=VersionOut,
    summary="Restore an earlier version",
)
def restore(request: PersonRequest, response: HttpResponse, section_id: UUID, version: int) -> SectionVersion:
    """Saves the earlier text as a new version. The text before it stays in the history."""
    found: Section = get_in_project(request.user, Section.objects.all(), "write", pk=section_id)
    saved = found.restore(_row(found, version), by=request.user)
    response["ETag"] = f'"{saved.version}"'
    return saved.current_version_row()


def _row(section: Section, version: int) -> SectionVersion:
    row = section.version_row(version)
    if row is None:
        raise Http404("No such version.")
    return row
