"""The API of drafts (SPEC T3, T4). It calls the same functions as the pages."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal
from uuid import UUID

from django.db.models import Sum
from ninja import ModelSchema, Query, Router, Schema, Status
from pydantic import ConfigDict, Field

from core.errors import Refused
from llm.models import Usage
from projects.access import get_in_project
from projects.signed_in_request import PersonRequest
from sections.models import Section
from thesis.access import get_draft, visible_drafts
from thesis.drafting.accept import accept_blocks, discard_draft, record_accepted, stop_draft
from thesis.drafting.blocks import Block, Verdict, verdicts
from thesis.drafting.limits import DraftingUsage, drafting_usage
from thesis.drafting.proposal import Redacted, redacted_details
from thesis.drafting.start import DraftRequest, Ref, fitting_findings, start_draft
from thesis.models import Draft

router = Router(tags=["Drafts"])

MOST = 100  # drafts of a section that are listed, newest first
INSIST = Annotated[list[str] | None, Query(max_length=500)]
_ROWS = Draft.objects.select_related("job", "created_by")


class FindingRef(Schema):
    """A finding of a run of the same thesis: the id of the run, and of the finding, such as "F1.2-3"."""

    run: UUID
    finding_id: str = Field(max_length=12)


class DraftIn(Schema):
    """What to draft.

    `place` is end, whole (replaces the whole text) or range (replaces the characters `start` to `end`, in code
    points, of version `based_on`). With `findings` null, findings of the latest finished runs that fit the section
    are used. `follows` is an earlier draft of the section to continue.
    """

    kind: Literal["draft", "rewrite", "continue", "shorten"] = "draft"
    instructions: str = ""
    findings: list[FindingRef] | None = []
    cite_keys: list[str] = []
    place: Literal["end", "whole", "range"] = "end"
    start: int = Field(0, ge=0)
    end: int = Field(0, ge=0)
    based_on: int | None = Field(None, ge=0)
    follows: UUID | None = None


class BlockOut(Schema):
    """One change: base[start:end], which is `was`, is replaced by `latex`. `safe` is `latex` without its bad keys."""

    number: int
    start: int
    end: int
    was: str
    latex: str
    safe: str


class UsageOut(Schema):
    """The tokens that a draft used, and their cost in US dollars."""

    output_tokens: int
    input_tokens: int
    cost_usd: str


class DraftBrief(ModelSchema):
    """A draft without its text. `state`: queued, running, done, failed or cancelled; `reason` says why it stopped."""

    model_config = ConfigDict(populate_by_name=True)

    section_id: UUID
    state: str
    reason: str
    job: UUID | None = Field(alias="job_id")
    follows: UUID | None = Field(alias="follows_id")
    is_offline: bool
    outcome: Literal["", "taken", "partly", "discarded"]
    taken: list[int]
    created_by: str = Field(alias="asked_by")

    class Meta:
        model = Draft
        fields = (
            *("id", "kind", "place", "start", "end", "instructions"),
            *("conversation", "engine", "base_version", "created_at"),
        )


class DraftOut(DraftBrief):
    """A draft with its proposal: `blocks` that change `base`, the text of the section from before the draft.

    `citations` has the verdict on each cited work. The key of a `bad` one is left out of the accepted text unless
    `insist` names it.
    """

    latex: str
    bibtex: str
    base: str
    blocks: list[BlockOut]
    citations: list[Verdict]
    notes: list[str]
    redacted: list[Redacted]
    usage: UsageOut


class TakeIn(Schema):
    """The `numbers` of the blocks to accept, null for all. `insist` names bad keys to cite anyway."""

    numbers: list[int] | None = None
    insist: list[str] = []


class NumbersIn(Schema):
    """The numbers of blocks."""

    numbers: list[int]


class TakenOut(Schema):
    """The draft after the change, and the section's new version and text."""

    draft: DraftOut
    version: int
    latex: str


@router.get(
    "/sections/{uuid:section_id}/drafts", response=list[DraftBrief], summary="The drafts of a section, newest first"
)
def list_drafts(request: PersonRequest, section_id: UUID) -> Any:
    """At most 100 drafts, without their text."""
    section: Section = get_in_project(request.user, Section.objects.defer("latex"), pk=section_id)
    rows = _ROWS.filter(section=section).defer("base_latex", "answer", "latex", "bibtex", "blocks")
    return visible_drafts(rows[:MOST], section.project)


@router.post(
    "/sections/{uuid:section_id}/drafts", response={202: DraftOut}, summary="Have a section, or a part of it, drafted"
)
def begin(request: PersonRequest, section_id: UUID, payload: DraftIn) -> Any:
    """Follow the events of the job: draft_text events carry the text as it is written, draft_done means it is ready.

    429 if a limit is reached, with the numbers; 409 if `based_on` is not the present version.
    """
    section: Section = get_in_project(request.user, Section.objects.all(), "write", pk=section_id)
    follows = Draft.objects.filter(section=section, pk=payload.follows).first() if payload.follows else None
    if payload.follows and follows is None:
        raise Refused("This section has no such draft to continue.", field="follows")
    chosen = fitting_findings(section, payload.instructions) if payload.findings is None else refs_of(payload.findings)
    asked = DraftRequest(**payload.dict(exclude={"findings", "follows"}), findings=chosen, follows=follows)
    return Status(202, draft_out(start_draft(section, request.user, asked)))


@router.get("/sections/{uuid:section_id}/drafting", response=DraftingUsage, summary="How much may still be drafted")
def read_meters(request: PersonRequest, section_id: UUID) -> Any:
    """The tokens used of the limits for the section and the thesis, and the drafts you requested within an hour."""
    return drafting_usage(get_in_project(request.user, Section.objects.defer("latex"), pk=section_id), request.user)


@router.get("/drafts/{uuid:draft_id}", response=DraftOut, summary="One draft")
def read(request: PersonRequest, draft_id: UUID, insist: INSIST = None) -> Any:
    """`insist` names bad keys to keep in the `safe` text of the blocks."""
    return draft_out(_find(request, draft_id), insist or ())


@router.post("/drafts/{uuid:draft_id}/take", response=TakenOut, summary="Accept a proposal, or blocks of it")
def take_blocks(request: PersonRequest, draft_id: UUID, payload: TakeIn) -> Any:
    """409 if the text that a block changes is no longer there; then nothing is written."""
    draft = _find(request, draft_id, "write")
    section = accept_blocks(draft, request.user, payload.numbers, insist=payload.insist)
    return {"draft": draft_out(draft), "version": section.version, "latex": section.latex}


@router.post("/drafts/{uuid:draft_id}/record", response=DraftOut, summary="Record blocks that a page inserted itself")
def record_taken(request: PersonRequest, draft_id: UUID, payload: NumbersIn) -> Any:
    """For a client that has put the blocks into the text and saved it. The text is not changed."""
    return draft_out(record_accepted(_find(request, draft_id, "write"), request.user, payload.numbers))


@router.post("/drafts/{uuid:draft_id}/discard", response=DraftOut, summary="Discard a proposal, or the rest of it")
def leave(request: PersonRequest, draft_id: UUID) -> Any:
    """The draft stays in the list."""
    return draft_out(discard_draft(_find(request, draft_id, "write")))


@router.post("/drafts/{uuid:draft_id}/stop", response=DraftOut, summary="Stop a draft that is being written")
def stop_writing(request: PersonRequest, draft_id: UUID) -> Any:
    """The text so far stays as an incomplete proposal."""
    return draft_out(stop_draft(_find(request, draft_id, "write")))


def refs_of(findings: Sequence[FindingRef]) -> list[Ref]:
    """Return `findings` as a draft stores them."""
    return [{"run": str(one.run), "finding_id": one.finding_id} for one in findings]


def draft_out(draft: Draft, insist: Sequence[str] = ()) -> dict[str, Any]:
    """Return all of `draft` for DraftOut. Bad keys in `insist` stay in the `safe` text of its blocks."""
    told = verdicts(draft)
    sums = Usage.objects.filter(subject=draft.pk).aggregate(
        read=Sum("input_tokens"), cached=Sum("cache_read_tokens"), kept=Sum("cache_write_tokens"), usd=Sum("cost_usd")
    )
    kept = [verdict for verdict in told if verdict.key not in insist]
    return {
        **DraftBrief.from_orm(draft).dict(),
        "latex": draft.latex,
        "bibtex": draft.bibtex,
        "base": draft.base_latex,
        "blocks": [{**row, "safe": Block(**row).without_bad(kept)} for row in draft.blocks],
        "citations": told,
        "notes": draft.notes,
        "redacted": redacted_details(draft),
        "usage": {
            "output_tokens": draft.output_tokens,
            "input_tokens": sum(sums[name] or 0 for name in ("read", "cached", "kept")),
            "cost_usd": f"{sums['usd'] or 0:.6f}",
        },
    }


def _find(request: PersonRequest, draft_id: UUID, act: Literal["read", "write"] = "read") -> Draft:
    return get_draft(request.user, _ROWS, draft_id, act)
