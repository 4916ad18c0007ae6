"""The JSON API from the pages of a build to the text, and back (SPEC T6)."""

from typing import Annotated, Any
from uuid import UUID

from ninja import Query, Router, Schema
from pydantic import Field

from projects.access import get_in_project
from projects.signed_in_request import PersonRequest
from sections.models import Section
from thesis.models import Build
from thesis.page_places.places import page_place, text_place

router = Router(tags=["Builds"])

_ROWS = Build.objects.exclude(kind=Build.Kind.WORD).exclude(output="")
_MOST_PAGES = 100_000
_MOST_OFFSET = 10**9


class TextPlaceOut(Schema):
    """A place in the text: the character `offset` (code points) of the LaTeX of a section as it is now.

    `words` are the printed words. `is_exact` is false if they are not in the text themselves (a number, a citation), so
    that the place is beside them; `is_changed` is true if the section was changed since the build.
    """

    section: UUID = Field(alias="section.pk")
    slug: str = Field(alias="section.slug")
    title: str = Field(alias="section.title")
    version: int = Field(alias="section.version")
    offset: int
    words: str
    is_exact: bool
    is_changed: bool
    latex: str = Field(description="The text from there on, at most 60 characters.")
    before: str = Field(description="The text before it, at most 60 characters.")

    @staticmethod
    def resolve_latex(place: Any) -> str:
        """Return the text from the place on."""
        return str(place.section.latex[place.offset : place.offset + 60])

    @staticmethod
    def resolve_before(place: Any) -> str:
        """Return the text before the place."""
        return str(place.section.latex[max(place.offset - 60, 0) : place.offset])


class PagePlaceOut(Schema):
    """A line on a page (from 1): its box in parts of the width and height of the page, and its words."""

    page: int
    left: float
    top: float
    width: float
    height: float
    words: str


@router.get("/builds/{uuid:build_id}/place", response=TextPlaceOut | None, summary="From a page to the text")
def place(
    request: PersonRequest,
    build_id: UUID,
    page: Annotated[int, Query(ge=1, le=_MOST_PAGES)],
    x: Annotated[float, Query(ge=0, le=1)] = 0.0,
    y: Annotated[float, Query(ge=0, le=1)] = 0.0,
) -> Any:
    """The place in the text of a point of a page; `x` and `y` in parts of its width and height, from the upper left.

    null if the page has no words of a section. Previews beside the editor are builds too.
    """
    return text_place(get_in_project(request.user, _ROWS, pk=build_id), page, x, y)


@router.get("/builds/{uuid:build_id}/page", response=PagePlaceOut | None, summary="From the text to a page")
def page(
    request: PersonRequest,
    build_id: UUID,
    section: UUID,
    offset: Annotated[int, Query(ge=0, le=_MOST_OFFSET)] = 0,
) -> Any:
    """Where the character `offset` of a section's LaTeX is printed, or the nearest words of the section that are.

    null if the section is not printed, or if a long build is of an earlier version of Scholium.
    """
    build = get_in_project(request.user, _ROWS, pk=build_id)
    row = get_in_project(request.user, Section.objects.filter(project=build.project_id), pk=section)
    return page_place(build, row, offset)
