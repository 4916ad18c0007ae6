"""The API for parts of other sections that have no label yet (SPEC T2, P4)."""

from typing import Any, Literal
from uuid import UUID

from ninja import Router, Schema

from latex.numbering import Kind
from projects.access import get_in_project
from projects.signed_in_request import PersonRequest
from sections.labels import give_label, unlabelled_parts
from sections.models import Section

router = Router(tags=["Sections"])


class PartOut(Schema):
    """A numbered part without a label. `start` counts code points of the LaTeX, -1 for the section's own title.

    `level` of a heading is as in a label.
    """

    section_id: UUID
    section: str
    kind: Kind
    number: str
    level: int
    start: int
    title: str


class LabelIn(Schema):
    """The part, as it was listed, and its new label, which must not be in use in the thesis."""

    kind: Literal["heading", "table", "figure"]
    title: str
    start: int
    key: str


class GivenOut(Schema):
    """The label that the part has now: the new one, or the one that somebody gave it since it was listed."""

    key: str


@router.get("/sections/{uuid:section_id}/unlabelled", response=list[PartOut], summary="Parts without a label")
def unlabelled(request: PersonRequest, section_id: UUID) -> list[dict[str, Any]]:
    """The titles of sections, and the headings, tables and figures of the other sections, that have no label."""
    return list(unlabelled_parts(get_in_project(request.user, Section.objects.all(), pk=section_id)))


@router.post("/sections/{uuid:section_id}/labels", response=GivenOut, summary="Give a part a label")
def give(request: PersonRequest, section_id: UUID, payload: LabelIn) -> dict[str, str]:
    r"""Adds a \label to a heading, table or figure of this section, as a change of its text like any other."""
    found: Section = get_in_project(request.user, Section.objects.all(), "write", pk=section_id)
    return {"key": give_label(found, **payload.dict(), by=request.user)}
