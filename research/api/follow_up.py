"""/api/runs/{id}/ask | extend | rerun | follow-ups: follow-ups on a finished run (SPEC R17)."""

from datetime import datetime
from typing import Any
from uuid import UUID

from ninja import Router, Schema, Status
from pydantic import Field, field_validator

from projects.signed_in_request import PersonRequest
from research.access import get_run
from research.api.costs import or_a_number
from research.follow_ups.start import NO_MORE, More, ask, extend, rerun
from research.models import FollowUp

router = Router(tags=["Research"])


class FollowUpIn(Schema):
    """`add_to_budget` is a number of USD, or {usd, tokens, calls, minutes}; only existing limits can be raised."""

    add_to_budget: More | None = Field(default=None, json_schema_extra=or_a_number)

    @field_validator("add_to_budget", mode="before")
    @classmethod
    def named(cls, given: Any) -> Any:
        """Return a plain number as {usd: number}."""
        return given if given is None or isinstance(given, dict | More) else {"usd": given}

    @property
    def more(self) -> More:
        """Return what is added to the limits of the run."""
        return self.add_to_budget or NO_MORE


class AskIn(FollowUpIn):
    """A question about the findings of the run; nothing new is searched for."""

    question: str


class ExtendIn(FollowUpIn):
    """An open gap of the run, "G1.2-1", to look into."""

    gap_id: str


class RerunIn(FollowUpIn):
    """A question of the run's tree, "1.2", to research again."""

    node: str


class FollowUpOut(Schema):
    """A follow-up. `state` is waiting, answered or left (not answered), in which case `reason` says why.

    `answer` is Markdown. `report_before` is the report that was replaced by a new one, "" if there is no new one.
    """

    number: int
    kind: str
    text: str
    about: str
    state: str
    answer: str
    reason: str
    report_before: str
    created_at: datetime
    answered_at: datetime | None

    @staticmethod
    def resolve_answer(asked: FollowUp) -> str:
        """Return the answer; "" while there is none."""
        return asked.answer if asked.state == "answered" else ""

    @staticmethod
    def resolve_reason(asked: FollowUp) -> str:
        """Return why there is no answer; "" if that is not known."""
        return asked.answer if asked.state == "left" else ""


@router.get("/runs/{uuid:run_id}/follow-ups", response=list[FollowUpOut], summary="List the follow-ups on a run")
def follow_ups(request: PersonRequest, run_id: UUID) -> list[FollowUp]:
    """List the follow-ups on a run."""
    return list(get_run(request.user, run_id).follow_ups.all())


@router.post("/runs/{uuid:run_id}/ask", response={201: FollowUpOut}, summary="Ask a question about the findings")
def ask_run(request: PersonRequest, run_id: UUID, asked: AskIn) -> Status[FollowUp]:
    """Ask a question about the findings."""
    return Status(201, ask(get_run(request.user, run_id, "write"), request.user, asked.question, asked.more))


@router.post("/runs/{uuid:run_id}/extend", response={201: FollowUpOut}, summary="Look into an open gap")
def extend_run(request: PersonRequest, run_id: UUID, asked: ExtendIn) -> Status[FollowUp]:
    """Look into an open gap."""
    return Status(201, extend(get_run(request.user, run_id, "write"), request.user, asked.gap_id, asked.more))


@router.post("/runs/{uuid:run_id}/rerun", response={201: FollowUpOut}, summary="Research a question of the tree again")
def rerun_run(request: PersonRequest, run_id: UUID, asked: RerunIn) -> Status[FollowUp]:
    """Research a question of the tree again."""
    return Status(201, rerun(get_run(request.user, run_id, "write"), request.user, asked.node, asked.more))
