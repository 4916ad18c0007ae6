"""The body of a request that starts a run, and /api/projects/{id}/runs/estimate, which estimates its cost."""

from decimal import Decimal
from typing import Any, cast
from uuid import UUID

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import BaseModel, ConfigDict, Field, model_validator

from projects.access import get_project
from projects.models import User
from research.setup.budget import Budget
from research.setup.start import RunRequest, costs_of_run, services_of_run

router = Router(tags=["Research"])


class BudgetIn(BaseModel):
    """Limits on the cost of calls to a model in USD, on their tokens and number, and on the minutes of work.

    Limits that are left out or null do not apply, except that without `usd` the site's default applies to a model that
    is not on this machine.
    """

    model_config = ConfigDict(extra="forbid")

    usd: Decimal | None = None
    tokens: int | None = None
    calls: int | None = None
    minutes: int | None = None

    @model_validator(mode="before")
    @classmethod
    def read(cls, given: Any) -> Any:
        """Return a plain number as {usd: number}."""
        return given if isinstance(given, dict | BudgetIn) else {"usd": given}

    @property
    def named(self) -> Budget:
        """Return the budget with exactly the limits that were given, null included."""
        return Budget(**self.model_dump(include=self.model_fields_set))


def or_a_number(schema: dict[str, Any]) -> None:
    """Allow a plain number in the JSON schema of a field, too."""
    schema["anyOf"].insert(0, {"type": "number"})


class StartIn(Schema):
    """A question, and how to research it. `mode` is the legacy name of a profile; `overrides` are profile keys.

    `budget` limits what calls to a model may use: a number of USD, or {usd, tokens, calls, minutes}. Before each call
    the most it can use is reserved. A budget that is too small for a report is refused, with one that is large enough.
    With `wants_approval` the run waits after brief and plan are made, until runs/{id}/approve is called.
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
        """Return the body as a RunRequest."""
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
    """A range: `low` for a question that is answered soon, `high` for one that needs everything the profile allows."""

    low: float
    high: float


class UseOut(Schema):
    """Use of a model."""

    usd: float
    tokens: int
    calls: int


class LeastOut(UseOut):
    """The smallest limits with which a run can write its report."""


class ServicesOut(Schema):
    """What would leave this machine, in a `sentence`.

    `asked` are the catalogues that get words of the question, or search words from a model; `skipped` are those without
    their key. `model` is the service that gets passages, "" if none leave this machine.
    """

    sentence: str
    asked: list[str]
    skipped: list[str]
    model: str


class EstimateOut(Schema):
    """The estimated cost of a run, and the services that it uses.

    The numbers are null if nothing has to be paid; `sentence` says why. `budget` is the limit in USD that the run would
    have, null for none. `too_small` says why a run with this budget would be refused, and what would be enough.
    `unknown_prices` are models counted at the highest known price.
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
    services: ServicesOut


@router.post("/projects/{uuid:project_id}/runs/estimate", response=EstimateOut, summary="Estimate the cost of a run")
def estimate(request: HttpRequest, project_id: UUID, asked: StartIn) -> dict[str, Any]:
    """Takes the same body as starting a run, but starts nothing."""
    user = cast(User, request.user)
    project = get_project(user, project_id)
    costs = costs_of_run(project, user, asked.request)
    services = services_of_run(project, user, asked.request)
    found = costs.estimate
    return {
        **costs._asdict(),
        "services": {**services._asdict(), "sentence": services.sentence},
        "usd": found and {"low": round(found.usd[0], 2), "high": round(found.usd[1], 2)},
        "tokens": found and found.tokens,
        "calls": found and found.calls,
        "least": found and found.least,
        "unknown_prices": found.unknown if found else [],
    }
