"""An uploaded file that is cited, and why a retracted work is, for programs (SPEC C2, C11). The pages call the same."""

from typing import Annotated, Any
from uuid import UUID

from ninja import Router, Schema
from pydantic import Field

from citations.api.rows import ONE, find
from citations.api.schemas import CitationDetail
from citations.changing.own_files import (
    LONGEST_AUTHORS,
    LONGEST_TITLE,
    Description,
    cite_as_file,
    describe_file,
    identify_file,
)
from citations.retraction import LONGEST_RETRACTION_REASON, explain_retraction, withdraw_retraction_reason
from projects.requests import PersonRequest

router = Router(tags=["citations"])


class RetractionIn(Schema):
    """Why this retracted work is cited."""

    reason: Annotated[str, Field(max_length=LONGEST_RETRACTION_REASON)]


class DescriptionIn(Schema):
    """How the file is printed. `authors` with semicolons between them; without a title its name stands for one."""

    authors: Annotated[str, Field(max_length=LONGEST_AUTHORS)] = ""
    title: Annotated[str, Field(max_length=LONGEST_TITLE)] = ""
    year: Annotated[str, Field(max_length=4)] = ""


class IdentifierIn(Schema):
    """A DOI, PMID, PMCID, ISBN, arXiv id or address."""

    identifier: Annotated[str, Field(max_length=1_000)]


@router.put(f"{ONE}/retraction", response=CitationDetail)
def explain(request: PersonRequest, project_id: UUID, citation_id: UUID, data: RetractionIn) -> Any:
    """Say why a retracted work is cited; until then the final export waits. Owners, editors and supervisors may."""
    return explain_retraction(find(request, project_id, citation_id, "attest"), request.user, data.reason)


@router.delete(f"{ONE}/retraction", response=CitationDetail)
def withdraw_reason(request: PersonRequest, project_id: UUID, citation_id: UUID) -> Any:
    """Take the reason back."""
    return withdraw_retraction_reason(find(request, project_id, citation_id, "attest"))


@router.put(f"{ONE}/file", response=CitationDetail)
def describe(request: PersonRequest, project_id: UUID, citation_id: UUID, data: DescriptionIn) -> Any:
    """Say who wrote an uploaded file that is cited, and what it is called."""
    return describe_file(find(request, project_id, citation_id, "write"), Description(**data.dict()))


@router.post(f"{ONE}/file", response=CitationDetail)
def as_file(request: PersonRequest, project_id: UUID, citation_id: UUID) -> Any:
    """Cite an uploaded file as such again, after it was looked up or attested."""
    return cite_as_file(find(request, project_id, citation_id, "write"))


@router.post(f"{ONE}/file/work", response=CitationDetail)
def identify(request: PersonRequest, project_id: UUID, citation_id: UUID, data: IdentifierIn) -> Any:
    """Say which published work an uploaded file is; it is then looked up like any other."""
    return identify_file(find(request, project_id, citation_id, "write"), data.identifier, request.user)
