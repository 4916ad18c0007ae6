"""Findings and reports into a section, for programs (SPEC T7). The same functions as the pages call."""

from typing import Annotated, Any
from uuid import UUID

from ninja import Router, Schema, Status
from pydantic import Field

from citations.api.schemas import DescriptionIn
from citations.changing.own_files import Description
from core.errors import Refused
from projects.access import get_in_project
from projects.requests import PersonRequest
from research.models import Run
from sections.models import Section
from thesis.draft_api import DraftOut, FindingRef, draft_out
from thesis.findings.putting import put_findings, put_report

router = Router(tags=["Drafts"])


class Placed(Schema):
    """Where it goes: at the end, or at character `start` (code points) of version `based_on`."""

    place: str = "end"
    start: int = Field(0, ge=0)
    end: int | None = Field(None, ge=0)
    based_on: int | None = Field(None, ge=0)


class FileIn(DescriptionIn):
    """How an uploaded file among the sources is printed, when it is first cited."""

    file_id: UUID


class FindingsIn(Placed):
    """Findings in the order in which they are to stand: at most 200."""

    findings: list[FindingRef]
    files: Annotated[list[FileIn], Field(max_length=200)] = []


class ReportIn(Placed):
    """`headings` counts the parts of the report from 1; null is all. Sentences that the claim check found unsupported or
    contradicted stay out unless `with_unsupported`."""

    run: UUID
    headings: list[int] | None = None
    files: Annotated[list[FileIn], Field(max_length=200)] = []
    with_unsupported: bool = False


@router.post("/sections/{uuid:section_id}/findings", response={201: DraftOut}, summary="Propose findings for a section")
def put_in_findings(request: PersonRequest, section_id: UUID, payload: FindingsIn) -> Any:
    """Each finding with \\cite and a comment on where it comes from; its sources become references, each work once."""
    section = _section(request, section_id)
    chosen = [{"run": str(one.run), "finding_id": one.finding_id} for one in payload.findings]
    return Status(201, draft_out(put_findings(section, request.user, chosen, **_place(payload))))


@router.post("/sections/{uuid:section_id}/report", response={201: DraftOut}, summary="Propose a report for a section")
def put_in_report(request: PersonRequest, section_id: UUID, payload: ReportIn) -> Any:
    section = _section(request, section_id)
    run = Run.objects.filter(project=section.project, pk=payload.run).first()
    if run is None:
        raise Refused("There is no such run in this thesis.", field="run", code="unknown")
    draft = put_report(
        section,
        request.user,
        run,
        payload.headings,
        with_unsupported=payload.with_unsupported,
        **_place(payload),
    )
    return Status(201, draft_out(draft))


def _section(request: PersonRequest, section_id: UUID) -> Section:
    section: Section = get_in_project(request.user, Section.objects.all(), "write", pk=section_id)
    return section


def _place(payload: FindingsIn | ReportIn) -> dict[str, Any]:
    files = {one.file_id: Description(one.authors, one.title, one.year) for one in payload.files}
    return {
        "files": files,
        "place": payload.place,
        "start": payload.start,
        "end": payload.end,
        "based_on": payload.based_on,
    }
