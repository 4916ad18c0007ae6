"""Support for a sentence, for programs (SPEC T3). The same functions as the pages call."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from ninja import Router, Schema, Status
from pydantic import Field

from projects.access import get_in_project
from projects.signed_in_request import PersonRequest
from sections.models import Section
from thesis.access import get_support
from thesis.models import Support
from thesis.support import Offer, Outcome, cite, dismiss, look_for_support, offers_of, outcome_of

router = Router(tags=["Drafts"])


class SupportIn(Schema):
    """A sentence of the section, as LaTeX or in plain words: 15 to 1,500 characters. `start` is its first character (code
    points) in version `based_on`, for a sentence that stands there more than once."""

    sentence: str
    start: int | None = Field(None, ge=0)
    based_on: int | None = Field(None, ge=0)


class OfferOut(Schema):
    """A work that may support the sentence. `quote` are its very words, `says` what it says in other words ("" where the
    quotation is all), `shared` the words it has in common with the sentence. `key`, `status` and `tier` are those of the
    reference it is, or with `is_new` would be; `is_cited` after it was cited from here."""

    source_id: str = Field(alias="source.source_id")
    title: str
    authors: str = Field(alias="work.citation.authors")
    year: int | None = Field(alias="work.citation.year")
    url: str = Field(alias="source.url")
    quote: str
    says: str
    shared: list[str]
    finding_id: str = Field(alias="finding.finding_id")
    key: str
    is_new: bool = Field(alias="work.is_new")
    status: str = Field(alias="work.citation.status")
    tier: str = Field(alias="work.citation.tier")
    retracted: bool = Field(alias="work.citation.retracted")
    is_cited: bool


class SupportOut(Schema):
    """`outcome`: looking, waiting (for a person, see the run), found, nothing (it was looked, and nothing speaks to the
    sentence), failed (it could not be looked to the end; `reason` says why) or stopped."""

    id: UUID
    section_id: UUID
    sentence: str
    outcome: Outcome
    reason: str = Field(alias="run.job.reason")
    run: UUID = Field(alias="run_id")
    job: UUID = Field(alias="run.job.pk")
    offers: list[OfferOut]
    taken: list[str]
    created_at: datetime
    created_by: str = Field(alias="asked_by")

    @staticmethod
    def resolve_outcome(support: Support) -> Outcome:
        return outcome_of(support)

    @staticmethod
    def resolve_offers(support: Support) -> list[Offer]:
        return offers_of(support)


class CiteIn(Schema):
    """`source_id` of an offer. Without `place` the key is given back for the caller to put into the text."""

    source_id: str
    place: bool = True


class CitedOut(Schema):
    """The key, and the section's new version and text where it was put in."""

    key: str
    version: int | None
    latex: str | None


@router.post("/sections/{uuid:section_id}/support", response={202: SupportOut}, summary="Find support for a sentence")
def begin(request: PersonRequest, section_id: UUID, payload: SupportIn) -> Any:
    """A small run that counts as one of the drafts of an hour; 429 when there were ten. Nothing changes by itself."""
    section: Section = get_in_project(request.user, Section.objects.all(), "write", pk=section_id)
    return Status(202, look_for_support(section, request.user, **payload.dict()))


@router.get("/support/{uuid:support_id}", response=SupportOut, summary="What was found for a sentence")
def read(request: PersonRequest, support_id: UUID) -> Any:
    return _find(request, support_id)


@router.post("/support/{uuid:support_id}/cite", response=CitedOut, summary="Cite an offered work")
def cite_it(request: PersonRequest, support_id: UUID, payload: CiteIn) -> Any:
    """It becomes a reference, and its key goes behind the sentence. 409 when the sentence does not stand there any more."""
    cited = cite(_find(request, support_id, "write"), request.user, payload.source_id, place=payload.place)
    saved = cited.section
    return {"key": cited.key, "version": saved.version if saved else None, "latex": saved.latex if saved else None}


@router.post("/support/{uuid:support_id}/dismiss", response=SupportOut, summary="Show it no longer")
def leave(request: PersonRequest, support_id: UUID) -> Any:
    found = _find(request, support_id, "write")
    dismiss(found)
    return found


def _find(request: PersonRequest, support_id: UUID, act: Literal["read", "write"] = "read") -> Support:
    return get_support(request.user, Support.objects.select_related("run__job", "created_by"), support_id, act)
