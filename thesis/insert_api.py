"""The API that inserts findings, reports and results of analyses into a section, as the pages do (SPEC N2, T7)."""

from typing import Annotated, Any
from uuid import UUID

from ninja import Router, Schema, Status
from pydantic import Field

from analysis.models import Analysis
from citations.api.schemas import DescriptionIn
from citations.editing.edit import Description
from core.errors import Refused
from projects.access import get_in_project
from projects.signed_in_request import PersonRequest
from research.models import Run
from sections.models import Section
from thesis.draft_api import DraftOut, FindingRef, draft_out, refs_of
from thesis.drafting.proposal import Insertion, Placement, insert_as_proposal
from thesis.insert.findings import findings_insertion, report_insertion
from thesis.insert.results import Part, parts_of, result_insertion

router = Router(tags=["Drafts"])


class FileIn(DescriptionIn):
    """The description of an uploaded file among the sources, for the list of references when it is first cited."""

    file_id: UUID


class Placed(Schema):
    """Where to insert: at the end, or with `place` range at character `start` (code points) of version `based_on`."""

    place: str = "end"
    start: int = Field(0, ge=0)
    end: int | None = Field(None, ge=0)
    based_on: int | None = Field(None, ge=0)


class FindingsIn(Placed):
    """At most 200 findings, in the order in which they are inserted."""

    findings: list[FindingRef]
    files: Annotated[list[FileIn], Field(max_length=200)] = []


class ReportIn(Placed):
    """A report to insert. `headings` are the numbers of its parts, counted from 1; null for all.

    Sentences that the claim check found unsupported or contradicted are left out unless `with_unsupported`.
    """

    run: UUID
    headings: list[int] | None = None
    files: Annotated[list[FileIn], Field(max_length=200)] = []
    with_unsupported: bool = False


class PutIn(Placed):
    """The `parts` of a result to insert, as listed by GET .../parts: "sentence", "table:main", "figure:box"."""

    section: UUID
    parts: list[str] = ["sentence"]


class ComingOut(Schema):
    """A preview: the LaTeX that would be inserted, and notes on it. Nothing is changed."""

    latex: str
    notes: list[str]


@router.post("/sections/{uuid:section_id}/findings", response={201: DraftOut}, summary="Propose findings for a section")
def put_in_findings(request: PersonRequest, section_id: UUID, payload: FindingsIn) -> Any:
    """Each finding gets a \\cite and a comment on where it comes from. Its sources become references, each once."""
    section: Section = get_in_project(request.user, Section.objects.all(), "write", pk=section_id)
    return _put(
        request, section, findings_insertion(section.project, refs_of(payload.findings)), payload, payload.files
    )


@router.post("/sections/{uuid:section_id}/report", response={201: DraftOut}, summary="Propose a report for a section")
def put_in_report(request: PersonRequest, section_id: UUID, payload: ReportIn) -> Any:
    """Its sources become references, each work once."""
    section: Section = get_in_project(request.user, Section.objects.all(), "write", pk=section_id)
    run = Run.objects.filter(project=section.project, pk=payload.run).first()
    if run is None:
        raise Refused("There is no such run in this thesis.", field="run", code="unknown")
    coming = report_insertion(section, run, payload.headings, with_unsupported=payload.with_unsupported)
    return _put(request, section, coming, payload, payload.files)


@router.get("/analyses/{uuid:analysis_id}/parts", response=list[Part], summary="The parts of a result to insert")
def list_parts(request: PersonRequest, analysis_id: UUID) -> Any:
    """The parts in the order in which they are inserted."""
    return parts_of(get_in_project(request.user, Analysis.objects.all(), pk=analysis_id))


@router.post("/analyses/{uuid:analysis_id}/put/preview", response=ComingOut, summary="Preview of a result in a section")
def preview_result(request: PersonRequest, analysis_id: UUID, payload: PutIn) -> Any:
    """The LaTeX that would be inserted, and notes on it. Nothing is changed."""
    section, coming = _result(request, analysis_id, payload)
    return {"latex": coming.preview(section.project)[0], "notes": coming.notes}


@router.post("/analyses/{uuid:analysis_id}/put", response={201: DraftOut}, summary="Propose a result for a section")
def put_in_result(request: PersonRequest, analysis_id: UUID, payload: PutIn) -> Any:
    """Inserts its sentence, tables (booktabs) and figures (PDF, added to the files of the thesis) as a proposal.

    Each has a comment on where it comes from.
    """
    return _put(request, *_result(request, analysis_id, payload), payload)


def _result(request: PersonRequest, analysis_id: UUID, payload: PutIn) -> tuple[Section, Insertion]:
    row = get_in_project(request.user, Analysis.objects.select_related("data__dataset"), "write", pk=analysis_id)
    section = Section.objects.filter(project=row.project_id, pk=payload.section).first()
    if section is None:
        raise Refused("There is no such section in this thesis.", field="section", code="unknown")
    return section, result_insertion(section, row, payload.parts)


def _put(
    request: PersonRequest, section: Section, coming: Insertion, placed: Placed, files: list[FileIn] | None = None
) -> Any:
    where = Placement(placed.place, placed.start, placed.end, placed.based_on)
    described = {one.file_id: Description(one.authors, one.title, one.year) for one in files or ()}
    return Status(201, draft_out(insert_as_proposal(section, request.user, coming, where, files=described)))
