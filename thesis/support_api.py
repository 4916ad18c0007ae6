"""The API of support for a sentence (SPEC T3). It calls the same functions as the pages."""

from datetime import datetime
from typing import Any, ClassVar, Literal
from uuid import UUID

from ninja import Router, Schema, Status
from pydantic import Field

from projects.access import get_in_project
from projects.signed_in_request import PersonRequest
from sections.models import Section
from thesis.access import get_support
from thesis.find_support import Outcome, cite_offer, dismiss, look_for_support, offers_of, outcome_of
from thesis.models import Support

router = Router(tags=["Drafts"])


class SupportIn(Schema):
    """A sentence of the section, as LaTeX or in plain words: 15 to 1,500 characters.

    `start` is its first character (code points) in version `based_on`, for a sentence that occurs more than once.
    """

    sentence: str
    start: int | None = Field(None, ge=0)
    based_on: int | None = Field(None, ge=0)


class OfferOut(Schema):
    """A work that may support the sentence.

    `quote` is its exact text, `says` what it says in other words ("" if there is only the quotation), `shared` are the
    words it has in common with the sentence. `key`, `status` and `tier` are those of its reference (by the
    demo catalogue alone with `is_demo`); with `is_new` the
    reference is created when the work is cited. `is_cited` is true once it was cited from here.
    """

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
    is_demo: bool = Field(alias="work.citation.is_of_demo_catalogue")
    retracted: bool = Field(alias="work.citation.retracted")
    is_cited: bool


class SupportOut(Schema):
    """A search for support and the works it offers.

    `outcome`: looking, waiting (for a person, see the run), found, nothing (the search was completed and found no work
    about the sentence), failed (the search could not be completed; `reason` says why) or stopped.
    """

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

    resolve_outcome: ClassVar = staticmethod(outcome_of)
    resolve_offers: ClassVar = staticmethod(offers_of)


class CiteIn(Schema):
    """The `source_id` of an offer. With `place` false only the key is returned, for the caller to insert."""

    source_id: str
    place: bool = True


class CitedOut(Schema):
    """The cite key and, if it was inserted, the section's new version and text."""

    key: str
    version: int | None
    latex: str | None


@router.post("/sections/{uuid:section_id}/support", response={202: SupportOut}, summary="Find support for a sentence")
def begin(request: PersonRequest, section_id: UUID, payload: SupportIn) -> Any:
    """Starts a small research run, which counts toward the limit of ten drafts per hour; 429 at the limit.

    The text does not change until an offered work is cited.
    """
    section: Section = get_in_project(request.user, Section.objects.all(), "write", pk=section_id)
    return Status(202, look_for_support(section, request.user, **payload.dict()))


@router.get("/support/{uuid:support_id}", response=SupportOut, summary="The works found for a sentence")
def read(request: PersonRequest, support_id: UUID) -> Any:
    """Works are offered once the search has ended."""
    return _find(request, support_id)


@router.post("/support/{uuid:support_id}/cite", response=CitedOut, summary="Cite an offered work")
def cite_it(request: PersonRequest, support_id: UUID, payload: CiteIn) -> Any:
    """Adds the work to the references and its key to the end of the sentence. 409 if the sentence is gone."""
    cited = cite_offer(_find(request, support_id, "write"), request.user, payload.source_id, place=payload.place)
    saved = cited.section
    return {"key": cited.key, "version": saved.version if saved else None, "latex": saved.latex if saved else None}


@router.post("/support/{uuid:support_id}/dismiss", response=SupportOut, summary="Dismiss a search for support")
def leave(request: PersonRequest, support_id: UUID) -> Any:
    """Hides it from the panel and stops the search. Works that were cited stay cited."""
    found = _find(request, support_id, "write")
    dismiss(found)
    return found


def _find(request: PersonRequest, support_id: UUID, act: Literal["read", "write"] = "read") -> Support:
    return get_support(request.user, Support.objects.select_related("run__job", "created_by"), support_id, act)
