"""The API for the thesis as set text: a section at a time, as on the manuscript page (SPEC G1)."""

from typing import Any
from uuid import UUID

from ninja import Router, Schema
from pydantic import Field

from core.errors import Refused
from projects.access import get_in_project
from projects.signed_in_request import PersonRequest
from sections.models import Section
from thesis.manuscript_data import text_of
from thesis.manuscript_page.document import document_of
from thesis.printed_commands import MOST, printed_commands

router = Router(tags=["Manuscript"])


class HeadingOut(Schema):
    """A heading of a section: `level` 2 is the highest below the section's own; `anchor` is its id in the HTML."""

    level: int
    number: str
    title: str
    anchor: str


class ManuscriptOut(Schema):
    """A section as set text in HTML, without scripts.

    `data-map` of a paragraph has places in the LaTeX of `version`: "0:120 57:190" means that its character 57 is the
    character 190 of the source. What stands in `data-set` is added by Scholium and not counted. `notes` say what
    differs from the PDF.
    """

    section: UUID
    version: int
    title: str
    number: str
    html: str
    headings: list[HeadingOut]
    notes: list[str]


@router.get("/sections/{uuid:section_id}/manuscript", response=ManuscriptOut, summary="A section as set text")
def read_manuscript(request: PersonRequest, section_id: UUID) -> dict[str, Any]:
    """The section with its printed numbers, citations, formulas and footnotes, as readers see it."""
    section: Section = get_in_project(request.user, Section.objects.all(), pk=section_id)
    document = document_of(section.project)
    chapter = next((one for one in document.chapters if one.id == str(section.pk)), None)
    if chapter is None:
        raise Refused("This section is no longer in the thesis.", code="gone", status=404)
    page = document.chapter(chapter)
    assert page is not None  # it is rendered when it is not cached
    return {
        "section": section.pk,
        "version": section.version,
        "title": section.title,
        "number": document.number(chapter),
        "html": page.html,
        "headings": [one._asdict() for one in page.headings],
        "notes": page.notes,
    }


class PiecesIn(Schema):
    """Short pieces of LaTeX from one paragraph, at most 200 of 500 characters."""

    pieces: list[str] = Field(max_length=MOST)


class PiecesOut(Schema):
    """The pieces as HTML without blocks, in the same order; "" for one that cannot be set alone."""

    pieces: list[str]


@router.post("/sections/{uuid:section_id}/printed-commands", response=PiecesOut, summary="What short LaTeX prints")
def read_pieces(request: PersonRequest, section_id: UUID, payload: PiecesIn) -> dict[str, Any]:
    r"""What \SI{40}{\percent} or a command of the thesis itself prints. Nothing is stored."""
    section: Section = get_in_project(request.user, Section.objects.all(), pk=section_id)
    return {"pieces": printed_commands(text_of(section.project), payload.pieces)}
