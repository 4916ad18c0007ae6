"""Drafts of a section, for programs (SPEC T3, T4). The same functions as the pages call."""

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
from thesis.access import get_draft, open_drafts
from thesis.drafting.accept import discard, record, stop, take
from thesis.drafting.blocks import Block, Verdict, verdicts
from thesis.drafting.budget import Meters, meters
from thesis.drafting.proposal import Redacted, redacted_of
from thesis.drafting.start import DraftRequest, Ref, fitting, start_draft
from thesis.models import Draft

router = Router(tags=["Drafts"])

MOST = 100  # drafts of a section that are listed, the newest first
INSIST = Annotated[list[str] | None, Query(max_length=500)]
_ROWS = Draft.objects.select_related("job", "created_by")


class FindingRef(Schema):
    """A finding of a run of the same thesis: the run's id and the finding's, such as "F1.2-3"."""

    run: UUID
    finding_id: str = Field(max_length=12)


class DraftIn(Schema):
    """What to draft. `place`: at the end, in the place of the whole text, or of its characters `start` to `end` (code
    points). `findings` null: those of the thesis's latest finished runs that fit the section. `based_on` is the version
    that `start` and `end` count in; `follows` an earlier draft of the section to go on from.
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
    """base[start:end], which is `was`, gives way to `latex`. `safe` is `latex` without the keys that are bad."""

    number: int
    start: int
    end: int
    was: str
    latex: str
    safe: str


class UsageOut(Schema):
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
    """A draft with its proposal: `blocks` over `base`, the text it was made over.

    `citations` are what is known of each work that it cites. `bad`: its key is left out of what is taken unless insisted on.
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
    """`numbers` of the blocks to take, null for all; `insist` names bad keys to be cited all the same."""

    numbers: list[int] | None = None
    insist: list[str] = []


class NumbersIn(Schema):
    numbers: list[int]


class TakenOut(Schema):
    """The draft as it stands now, and the section's new version and text."""

    draft: DraftOut
    version: int
    latex: str


@router.get(
    "/sections/{uuid:section_id}/drafts", response=list[DraftBrief], summary="The drafts of a section, newest first"
)
def list_drafts(request: PersonRequest, section_id: UUID) -> Any:
    section: Section = get_in_project(request.user, Section.objects.defer("latex"), pk=section_id)
    rows = _ROWS.filter(section=section).defer("base_latex", "answer", "latex", "bibtex", "blocks")
    return open_drafts(rows[:MOST], section.project)


@router.post(
    "/sections/{uuid:section_id}/drafts", response={202: DraftOut}, summary="Have a section, or a part of it, drafted"
)
def begin(request: PersonRequest, section_id: UUID, payload: DraftIn) -> Any:
    """Follow the job's events: draft_text brings the text as it is written, and draft_done says that it is ready.

    429 when a limit is reached, with the numbers; 409 when `based_on` is not the present version.
    """
    section: Section = get_in_project(request.user, Section.objects.all(), "write", pk=section_id)
    follows = Draft.objects.filter(section=section, pk=payload.follows).first() if payload.follows else None
    if payload.follows and follows is None:
        raise Refused("There is no such draft of this section to go on from.", field="follows")
    chosen = fitting(section, payload.instructions) if payload.findings is None else refs_of(payload.findings)
    asked = DraftRequest(**payload.dict(exclude={"findings", "follows"}), findings=chosen, follows=follows)
    return Status(202, draft_out(start_draft(section, request.user, asked)))


@router.get("/sections/{uuid:section_id}/drafting", response=Meters, summary="How much may still be drafted")
def read_meters(request: PersonRequest, section_id: UUID) -> Any:
    return meters(get_in_project(request.user, Section.objects.defer("latex"), pk=section_id), request.user)


@router.get("/drafts/{uuid:draft_id}", response=DraftOut, summary="One draft")
def read(request: PersonRequest, draft_id: UUID, insist: INSIST = None) -> Any:
    """`insist` names bad keys that `safe` of the blocks is to keep."""
    return draft_out(_find(request, draft_id), insist or ())


@router.post(
    "/drafts/{uuid:draft_id}/take", response=TakenOut, summary="Put a proposal, or blocks of it, into the text"
)
def take_blocks(request: PersonRequest, draft_id: UUID, payload: TakeIn) -> Any:
    """409 when the text that a block changes is not there any more; nothing is written then."""
    draft = _find(request, draft_id, "write")
    section = take(draft, request.user, payload.numbers, insist=payload.insist)
    return {"draft": draft_out(draft), "version": section.version, "latex": section.latex}


@router.post("/drafts/{uuid:draft_id}/record", response=DraftOut, summary="Say which blocks a page put in itself")
def record_taken(request: PersonRequest, draft_id: UUID, payload: NumbersIn) -> Any:
    return draft_out(record(_find(request, draft_id, "write"), request.user, payload.numbers))


@router.post(
    "/drafts/{uuid:draft_id}/discard", response=DraftOut, summary="Take nothing, or nothing more, of a proposal"
)
def leave(request: PersonRequest, draft_id: UUID) -> Any:
    """It stays in the list."""
    return draft_out(discard(_find(request, draft_id, "write")))


@router.post("/drafts/{uuid:draft_id}/stop", response=DraftOut, summary="Stop a draft that is being written")
def stop_writing(request: PersonRequest, draft_id: UUID) -> Any:
    """What came of it until then stays, as an incomplete proposal."""
    return draft_out(stop(_find(request, draft_id, "write")))


def refs_of(findings: Sequence[FindingRef]) -> list[Ref]:
    """`findings` as a draft keeps them."""
    return [{"run": str(one.run), "finding_id": one.finding_id} for one in findings]


def draft_out(draft: Draft, insist: Sequence[str] = ()) -> dict[str, Any]:
    """`draft` whole, as DraftOut has it. Bad keys in `insist` stay in the `safe` of its blocks."""
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
        "redacted": redacted_of(draft),
        "usage": {
            "output_tokens": draft.output_tokens,
            "input_tokens": sum(sums[name] or 0 for name in ("read", "cached", "kept")),
            "cost_usd": f"{sums['usd'] or 0:.6f}",
        },
    }


def _find(request: PersonRequest, draft_id: UUID, act: Literal["read", "write"] = "read") -> Draft:
    return get_draft(request.user, _ROWS, draft_id, act)
