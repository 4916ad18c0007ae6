"""/api/projects/{id}/runs and /api/runs/{id}: start, watch, control and read research."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema, Status
from pydantic import BaseModel, ConfigDict, Field, model_validator

from projects.access import get_in_project, get_project
from projects.errors import Refused
from research.export import export
from research.models import Node, Run
from research.provenance import log_of
from research.start import start_run
from research.structured import result, structured

router = Router(tags=["Research"])


class BudgetIn(BaseModel):
    """The most that calls to a model may cost, in USD, and use; what is not named has no limit."""

    model_config = ConfigDict(extra="forbid")

    usd: Decimal | None = None
    tokens: int | None = None
    calls: int | None = None

    @model_validator(mode="before")
    @classmethod
    def named(cls, given: Any) -> Any:
        """A bare number is money."""
        return given if isinstance(given, dict | BudgetIn) else {"usd": given}


def _or_a_number(schema: dict[str, Any]) -> None:
    schema["anyOf"].insert(0, {"type": "number"})


class StartIn(Schema):
    """A question and how to work on it. `mode` is the legacy name of a profile; `overrides` are profile keys.

    `budget` is the most that calls to a model may use: a number of USD, or {usd, tokens, calls}. Before each call the
    most it can use is reserved; without a budget there is no limit.
    """

    question: str
    profile: str = ""
    mode: str = ""
    overrides: dict[str, Any] = {}
    context_file_ids: list[UUID] = []
    budget: BudgetIn | None = Field(default=None, json_schema_extra=_or_a_number)


class NodeOut(Schema):
    """One question of the tree. `state` is waiting, working, split, enough, gap or failed."""

    number: str
    parent: str | None
    topic: str
    question: str
    perspective: str
    state: str
    said: str
    reasoning: str

    @staticmethod
    def resolve_parent(node: Node) -> str | None:
        return node.number.rpartition(".")[0] or None


class BudgetOut(Schema):
    """Limits; null is no limit."""

    usd: float | None
    tokens: int | None
    calls: int | None


class SpentOut(Schema):
    """What calls to a model have used."""

    usd: float
    tokens: int
    calls: int


class RunOut(Schema):
    """A run as it stands. Its events come from jobs/{job_id}/events or the socket."""

    id: UUID
    job_id: UUID
    project_id: UUID
    question: str
    profile: str
    profile_config: dict[str, Any]
    warnings: list[str]
    engine: str
    state: str
    reason: str
    phase: str
    counters: dict[str, Any]
    budget: BudgetOut
    spent: SpentOut
    context_processing: dict[str, Any]
    query_type: str
    created_at: datetime
    completed_at: datetime | None
    has_report: bool

    @staticmethod
    def resolve_state(run: Run) -> str:
        return str(run.job.state)

    @staticmethod
    def resolve_reason(run: Run) -> str:
        return str(run.job.reason)

    @staticmethod
    def resolve_counters(run: Run) -> dict[str, Any]:
        return dict(run.job.counters)

    @staticmethod
    def resolve_budget(run: Run) -> dict[str, Any]:
        return {"usd": run.budget_usd, "tokens": run.budget_tokens, "calls": run.budget_calls}

    @staticmethod
    def resolve_spent(run: Run) -> dict[str, Any]:
        return {"usd": run.spent_usd, "tokens": run.spent_tokens, "calls": run.spent_calls}


class SnapshotOut(RunOut):
    """A run with its tree of questions."""

    brief: dict[str, Any]
    nodes: list[NodeOut]

    @staticmethod
    def resolve_nodes(run: Run) -> list[Node]:
        return list(run.nodes.all())


def _find(request: HttpRequest, run_id: UUID, act: Any = "read") -> Run:
    run: Run = get_in_project(request.user, Run.objects.select_related("job"), act, pk=run_id)
    return run


@router.get("/projects/{uuid:project_id}/runs", response=list[RunOut], summary="The runs of a thesis, newest first")
def list_runs(
    request: HttpRequest,
    project_id: UUID,
    limit: Annotated[int, Field(ge=1, le=200)] = 50,
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0,
) -> list[Run]:
    project = get_project(request.user, project_id)
    return list(Run.objects.filter(project=project).select_related("job")[offset : offset + limit])


@router.post("/projects/{uuid:project_id}/runs", response={201: RunOut}, summary="Start a run")
def start(request: HttpRequest, project_id: UUID, asked: StartIn) -> Status[Run]:
    project = get_project(request.user, project_id, "write")
    budget = asked.budget or BudgetIn()
    run = start_run(
        project,
        request.user,  # type: ignore[arg-type]
        asked.question,
        profile=asked.profile,
        mode=asked.mode,
        overrides=asked.overrides,
        file_ids=asked.context_file_ids,
        budget=budget.usd,
        budget_tokens=budget.tokens,
        budget_calls=budget.calls,
    )
    return Status(201, run)


@router.get("/runs/{uuid:run_id}", response=SnapshotOut, summary="A run with its tree of questions")
def snapshot(request: HttpRequest, run_id: UUID) -> Run:
    return _find(request, run_id)


@router.get("/runs/{uuid:run_id}/report", summary="The report with its structured output and provenance")
def report(
    request: HttpRequest, run_id: UUID, include_provenance: Annotated[int, Field(ge=0, le=1)] = 1
) -> dict[str, Any]:
    run = _find(request, run_id)
    if not run.has_report:
        raise Refused(
            f"This run has no report: it is {run.job.get_state_display().lower()}.", code="no_report", status=409
        )
    answer = {**result(run), "structured": structured(run)}
    if include_provenance:
        answer["provenance"] = log_of(run)
    return answer


@router.get("/runs/{uuid:run_id}/provenance", summary="The provenance log")
def provenance(request: HttpRequest, run_id: UUID) -> dict[str, Any]:
    return log_of(_find(request, run_id))


@router.get("/runs/{uuid:run_id}/structured", summary="Sources, findings, gaps and contradictions")
def structured_output(request: HttpRequest, run_id: UUID) -> dict[str, Any]:
    return structured(_find(request, run_id))


@router.get(
    "/runs/{uuid:run_id}/export", summary="A run in one of the formats md, json, structured, bibtex, provenance"
)
def export_run(request: HttpRequest, run_id: UUID, format: str = "md") -> HttpResponse:
    made = export(_find(request, run_id), format)
    response = HttpResponse(made.text, content_type=made.content_type)
    response["Content-Disposition"] = f'attachment; filename="{made.file_name}"'
    return response


def _control(request: HttpRequest, run_id: UUID, act: str) -> Run:
    run = _find(request, run_id, "write")
    done = run.job.resume() if act == "resume" else run.job.ask(act)
    if not done:
        state = run.job.get_state_display().lower()
        raise Refused(f"There is nothing to {act}: the run is {state}.", code="not_possible", status=409)
    return _find(request, run_id)


@router.post("/runs/{uuid:run_id}/pause", response=RunOut, summary="Pause at the next step")
def pause(request: HttpRequest, run_id: UUID) -> Run:
    return _control(request, run_id, "pause")


@router.post("/runs/{uuid:run_id}/resume", response=RunOut, summary="Go on where it was paused")
def resume(request: HttpRequest, run_id: UUID) -> Run:
    return _control(request, run_id, "resume")


@router.post("/runs/{uuid:run_id}/cancel", response=RunOut, summary="Stop it and keep what was found")
def cancel(request: HttpRequest, run_id: UUID) -> Run:
    return _control(request, run_id, "cancel")
