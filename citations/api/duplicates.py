"""References that may be one work, for programs (SPEC P4, C5). The same functions as the pages call."""

from typing import Annotated, Any
from uuid import UUID

from ninja import Router, Schema
from pydantic import Field

from citations.api.schemas import CitationDetail
from citations.changing.duplicates import find_duplicates
from citations.changing.merging import merge
from projects.access import get_project
from projects.requests import PersonRequest

router = Router(tags=["citations"])


class DuplicateOut(Schema):
    """One of two references that may be one work."""

    id: UUID
    cite_key: str
    title: str
    authors: str
    year: int | None
    container: str
    doi: str
    pmid: str
    status: str
    tier: str


class PairOut(Schema):
    """Two references that may be one work, and why. `kept` would stay, `merged` become a further key of it."""

    kept: DuplicateOut
    merged: DuplicateOut
    evidence: list[str]


class MergeIn(Schema):
    """The two references that are one work."""

    citations: Annotated[list[UUID], Field(min_length=2, max_length=2)]


@router.get("/projects/{uuid:project_id}/citations/duplicates", response=list[PairOut])
def list_duplicates(request: PersonRequest, project_id: UUID) -> Any:
    """The pairs of references that may be one work, at most 500. Two with different DOIs or PMIDs are none."""
    return [pair._asdict() for pair in find_duplicates(get_project(request.user, project_id))]


@router.post("/projects/{uuid:project_id}/citations/merge", response=CitationDetail)
def merge_citations(request: PersonRequest, project_id: UUID, data: MergeIn) -> Any:
    """Merge two references that are one work. The better proven one stays, under both keys; no text is changed."""
    project = get_project(request.user, project_id, "write")
    return merge(project, request.user, *data.citations)
