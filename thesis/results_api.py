"""A result of an analysis into a section, for programs (SPEC N2, T7). The same functions as the page calls."""

from typing import Any
from uuid import UUID

from ninja import Router, Schema, Status
from pydantic import Field

from analysis.models import Analysis
from core.errors import Refused
from projects.access import get_in_project
from projects.requests import PersonRequest
from sections.models import Section
from thesis.draft_api import DraftOut, draft_out
from thesis.results.coming import parts_of, result_coming
from thesis.results.put import put_result

router = Router(tags=["Drafts"])


class PutIn(Schema):
    """`parts` are of those that GET .../parts lists: "sentence", "table:main", "figure:box". They go to `section` at its end,
    or to character `start` (code points) of version `based_on` when `place` is range."""

    section: UUID
    parts: list[str] = ["sentence"]
    place: str = "end"
    start: int = Field(0, ge=0)
    end: int | None = Field(None, ge=0)
    based_on: int | None = Field(None, ge=0)


class PartOut(Schema):
    key: str
    label: str


class ComingOut(Schema):
    """What would come: its LaTeX, and what should be known of it. Nothing is changed."""

    latex: str
    notes: list[str]


@router.get(
    "/analyses/{uuid:analysis_id}/parts", response=list[PartOut], summary="What of a result can go into a section"
)
def list_parts(request: PersonRequest, analysis_id: UUID) -> Any:
    row: Analysis = get_in_project(request.user, Analysis.objects.all(), pk=analysis_id)
    return [one._asdict() for one in parts_of(row)]


@router.post(
    "/analyses/{uuid:analysis_id}/put/preview", response=ComingOut, summary="How a result would stand in a section"
)
def preview_result(request: PersonRequest, analysis_id: UUID, payload: PutIn) -> Any:
    row = _find(request, analysis_id)
    coming = result_coming(_section(row, payload.section), row, payload.parts)
    return {"latex": coming.preview(row), "notes": coming.notes}


@router.post("/analyses/{uuid:analysis_id}/put", response={201: DraftOut}, summary="Propose a result for a section")
def put_in_result(request: PersonRequest, analysis_id: UUID, payload: PutIn) -> Any:
    """Sentence, tables (booktabs) and figures (PDF, kept among the files of the thesis), each with a comment on where it
    comes from."""
    row = _find(request, analysis_id)
    where = {"place": payload.place, "start": payload.start, "end": payload.end, "based_on": payload.based_on}
    section = _section(row, payload.section)
    return Status(201, draft_out(put_result(section, request.user, row, payload.parts, **where)))  # type: ignore[arg-type]


def _find(request: PersonRequest, analysis_id: UUID) -> Analysis:
    rows = Analysis.objects.select_related("data__dataset")
    row: Analysis = get_in_project(request.user, rows, "write", pk=analysis_id)
    return row


def _section(analysis: Analysis, section_id: UUID) -> Section:
    section: Section | None = Section.objects.filter(project=analysis.project_id, pk=section_id).first()
    if section is None:
        raise Refused("There is no such section in this thesis.", field="section", code="unknown")
    return section
