"""What a run is started with, and /api/projects/{id}/runs/estimate: what it would cost, before it is."""

from decimal import Decimal
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import BaseModel, ConfigDict, Field, model_validator

from projects.access import get_project
from research.setup.budget import Budget
from research.setup.start import RunRequest, costs_of_run

router = Router(tags=["Research"])


class BudgetIn(BaseModel):
    """The most that calls to a model may cost, in USD, and use, and the minutes the run may work; what is not named has
    no limit. Without `usd` that is the site's default where the model is not on this machine; null is no limit.
    """

    model_config = ConfigDict(extra="forbid")

    usd: Decimal | None = None
    tokens: int | None = None
    calls: int | None = None
    minutes: int | None = None

    @model_validator(mode="before")
    @classmethod
    def read(cls, given: Any) -> Any:
        """Return a bare number is money."""
        return given if isinstance(given, dict | BudgetIn) else {"usd": given}

    @property
    def named(self) -> Budget:
        """As it was said, null included."""
        return Budget(**self.model_dump(include=self.model_fields_set))


def or_a_number(schema: dict[str, Any]) -> None:
    schema["anyOf"].insert(0, {"type": "number"})


class StartIn(Schema):
    """A question and how to work on it. `mode` is the legacy name of a profile; `overrides` are profile keys.

    `budget` is the most that calls to a model may use: a number of USD, or {usd, tokens, calls, minutes}. Before each
    call the most it can use is reserved; one too small for a report is refused with one that would do. With `wants_approval` the run waits, once
    brief and plan are made, until runs/{id}/approve is called.
    """

    question: str
    profile: str = ""
    mode: str = ""
    overrides: dict[str, Any] = {}
    context_file_ids: list[UUID] = []
    budget: BudgetIn | None = Field(default=None, json_schema_extra=or_a_number)
    wants_approval: bool = False

    @property
    def request(self) -> RunRequest:
        """As whoever asks for a run asks."""
        return RunRequest(
            self.question,
            self.profile,
            self.mode,
            self.overrides,
            self.context_file_ids,
            budget=self.budget.named if self.budget else Budget(),
            wants_approval=self.wants_approval,
        )


class BetweenOut(Schema):
    """From a question that is soon answered to one that is looked into as far as it may be."""

    low: float
    high: float


class UseOut(Schema):
    """Of a model."""

    usd: float
    tokens: int
    calls: int


class LeastOut(UseOut):
    """The smallest limits with which a run writes its report."""


class EstimateOut(Schema):
    """What a run would cost. The numbers are null where nothing is to be paid; `sentence` says why.

    `budget` is the limit in USD that the run would have, null for none; `too_small` says why it would not be started so,
    and what would do. `unknown_prices` are models that are counted as the dearest known one.
    """

    profile: str
    sentence: str
    budget: float | None
    usd: BetweenOut | None
    tokens: BetweenOut | None
    calls: BetweenOut | None
    least: LeastOut | None
    unknown_prices: list[str]
    too_small: str


@router.post("/projects/{uuid:project_id}/runs/estimate", response=EstimateOut, summary="What a run would cost")
def estimate(request: HttpRequest, project_id: UUID, asked: StartIn) -> dict[str, Any]:
    """For the same body as a start; nothing is started."""
    costs = costs_of_run(get_project(request.user, project_id), request.user, asked.request)  # type: ignore[arg-type]
    found = costs.estimate
    return {
        **costs._asdict(),
        "usd": found and {"low": round(found.usd[0], 2), "high": round(found.usd[1], 2)},
        "tokens": found and found.tokens,
        "calls": found and found.calls,
        "least": found and found.least,
        "unknown_prices": found.unknown if found else [],
    }
