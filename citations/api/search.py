"""What the dialog for citing asks, for programs too (SPEC C5, C8): catalogues, and what a text is to a thesis."""

from typing import Annotated, Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import StringConstraints

from citations.api.schemas import CitationStatus, NoticeOut
from citations.cite.citing import look, shown_works
from citations.cite.search import Source, find_works
from core.storable import check_storable
from projects.access import get_project

MOST_PASTED = 200_000  # characters of a text that was pasted to be cited

router = Router(tags=["citations"])


class BadgeOut(Schema):
    """The badge of an entry: its colours, the letter of its tier if it has one, an icon and words."""

    tier: str
    letter: str
    icon: str
    words: str


class DifferenceOut(Schema):
    """A field in which an entry differs from the registry's record of the work its identifier leads to."""

    label: str
    claimed: str
    found: str


class CitedOut(Schema):
    """An entry of the thesis as somebody who cites it needs it. `times` it is cited in the saved text.

    `unchecked`: nobody has asked yet whether a registry knows it.
    """

    id: UUID
    cite_key: str
    title: str
    authors: str
    container: str
    year: int | None
    doi: str
    pmid: str
    status: CitationStatus
    tier: str
    badge: BadgeOut
    retracted: bool
    notices: list[NoticeOut]
    published_doi: str
    published_key: str
    times: int
    unchecked: bool
    reason: str
    differences: list[DifferenceOut]
    page: str


class WorkOut(Schema):
    """A work that a catalogue knows. `citation` is the entry of the thesis that it is, where a thesis was named."""

    title: str
    authors: str
    container: str
    year: int | None
    type: str
    doi: str
    pmid: str
    url: str
    preprint: bool
    published_doi: str
    published_key: str
    retracted: bool
    notices: list[NoticeOut]
    citation: CitedOut | None


class FoundOut(Schema):
    """The works of one catalogue, best first; `total` as far as it says."""

    source: str
    total: int
    works: list[WorkOut]


class PickOut(Schema):
    """One thing that a text holds and that can be cited. `value` is what to add; `citation` is set where it is here already."""

    kind: str
    value: str
    title: str
    authors: str
    year: int | None
    citation: CitedOut | None


class LookIn(Schema):
    """What somebody typed or pasted: at most 200,000 characters, as they are."""

    text: Annotated[str, StringConstraints(max_length=MOST_PASTED)]


class LookOut(Schema):
    """`picks` are the identifiers and entries of the text, none for mere words; `citations` the entries that its words find.

    `total` is how many have the words, `more` that counting stopped there.
    """

    picks: list[PickOut]
    citations: list[CitedOut]
    total: int
    more: bool


Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=2, max_length=500)]


@router.get("/citations/search", response=FoundOut, url_name="search_works", summary="Search PubMed or Crossref")
async def search(
    request: HttpRequest,
    q: Words,
    source: Source = "pubmed",
    limit: Annotated[int, Query(ge=1, le=20)] = 10,
    project: UUID | None = None,
) -> Any:
    """Works for words or an identifier. With a `project`, those that it cites already are marked.

    A catalogue that does not answer within eight seconds, or fails, is an error with its reason (502, 503, 504); an
    empty list means that it answered and knows nothing.
    """
    check_storable(q, "q")
    thesis = await sync_to_async(get_project)(request.user, project) if project else None
    works, total = await find_works(source, q, limit)
    return {"source": source, "total": total, "works": await sync_to_async(shown_works)(thesis, works)}


@router.post("/projects/{uuid:project_id}/citations/look", response=LookOut, summary="What a text is to a thesis")
def look_at(request: HttpRequest, project_id: UUID, data: LookIn) -> Any:
    """Identifiers and entries in a text, and the entries of the thesis that it finds. Asks no catalogue, changes nothing."""
    check_storable(data.text, "text")
    return look(get_project(request.user, project_id), data.text)
