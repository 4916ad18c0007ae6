"""/api/projects/{id}/runs and /api/runs/{id}: start, watch, control and read runs."""

from datetime import datetime
from typing import Annotated, Any, ClassVar
from uuid import UUID

from django.http import HttpResponse
from ninja import Router, Schema, Status
from pydantic import ConfigDict, Field

from core.errors import Refused
from projects.access import get_project
from projects.signed_in_request import PersonRequest
from research.access import get_run, is_closed
from research.api.consent import ConsentOut, consent_as_data
from research.api.costs import StartIn, UseOut
from research.api.files import ContextOut, ContextProcessingOut, SliceOut
from research.context.run_files import context_as_data, processing_of, slices_of
from research.export.bibliography import Choice
from research.export.export import download
from research.export.structured import result, structured
from research.journal.provenance import log_of
from research.models import Node, Run
from research.plan.approval import Part, approve, proposal_of
from research.plan.approval import resume as resume_run
from research.setup.start import start_run

router = Router(tags=["Research"])
router.add_router("", "research.api.profiles.router")
router.add_router("", "research.api.follow_up.router")
router.add_router("", "research.api.consent.router")
router.add_router("", "research.api.costs.router")


class NodeOut(Schema):
    """One question of the tree. `state` is waiting, working, split, enough, gap or failed.

    `context_slice` has the notes from the files that it was given; null while there are none.
    """

    number: str
    parent: str | None
    topic: str
    question: str
    perspective: str
    state: str
    said: str
    reasoning: str
    context_slice: SliceOut | None

    @staticmethod
    def resolve_parent(node: Node) -> str | None:
        """Return the number of the question above this one."""
        return node.number.rpartition(".")[0] or None


class BudgetOut(Schema):
    """The limits of a run; null means no limit."""

    usd: float | None
    tokens: int | None
    calls: int | None
    minutes: int | None


class SpentOut(UseOut):
    """What calls to a model have used."""


class RunOut(Schema):
    """The current state of a run. Its events are at jobs/{job_id}/events and on the WebSocket."""

    id: UUID
    job_id: UUID
    project_id: UUID
    question: str
    profile: str
    profile_config: dict[str, Any]
    warnings: list[str]
    engine: str
    state: str = Field(validation_alias="job.state")
    reason: str = Field(validation_alias="job.reason")
    phase: str
    counters: dict[str, Any] = Field(validation_alias="job.counters")
    budget: BudgetOut
    spent: SpentOut
    context_processing: ContextProcessingOut
    query_type: str
    wants_approval: bool
    approved_at: datetime | None
    created_at: datetime
    completed_at: datetime | None
    has_report: bool

    resolve_context_processing: ClassVar = staticmethod(processing_of)

    @staticmethod
    def resolve_budget(run: Run) -> dict[str, Any]:
        """Return the limits of the run."""
        return {
            "usd": run.budget_usd,
            "tokens": run.budget_tokens,
            "calls": run.budget_calls,
            "minutes": None if run.budget_seconds is None else run.budget_seconds // 60,
        }

    @staticmethod
    def resolve_spent(run: Run) -> dict[str, Any]:
        """Return what the run has used."""
        return {"usd": run.spent_usd, "tokens": run.spent_tokens, "calls": run.spent_calls}


class SnapshotOut(RunOut):
    """A run with its tree of questions, its files, and the notes from the files that each question was given."""

    brief: dict[str, Any]
    context: ContextOut | None
    consent: ConsentOut | None
    nodes: list[NodeOut]

    resolve_context: ClassVar = staticmethod(context_as_data)
    resolve_consent: ClassVar = staticmethod(consent_as_data)

    @staticmethod
    def resolve_nodes(run: Run) -> list[Node]:
        """Return the questions of the run, each with its `context_slice`."""
        given = slices_of(run)
        nodes = list(run.nodes.all())
        for node in nodes:
            node.context_slice = given.get(node.number)  # type: ignore[attr-defined]
        return nodes


@router.get(
    "/projects/{uuid:project_id}/runs", response=list[RunOut], summary="List the runs of a thesis, newest first"
)
def list_runs(
    request: PersonRequest,
    project_id: UUID,
    limit: Annotated[int, Field(ge=1, le=200)] = 50,
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0,
) -> list[Run]:
    """List the runs of a thesis, newest first."""
    project = get_project(request.user, project_id)
    runs = list(Run.objects.filter(project=project).select_related("job")[offset : offset + limit])
    for run in runs:
        if is_closed(run, project):
            run.job.reason = ""
    return runs


@router.post("/projects/{uuid:project_id}/runs", response={201: RunOut}, summary="Start a run")
def start(request: PersonRequest, project_id: UUID, asked: StartIn) -> Status[Run]:
    """Start a run."""
    return Status(201, start_run(get_project(request.user, project_id, "write"), request.user, asked.request))


@router.get("/runs/{uuid:run_id}", response=SnapshotOut, summary="Get a run with its tree of questions")
def snapshot(request: PersonRequest, run_id: UUID) -> Run:
    """Get a run with its tree of questions."""
    return get_run(request.user, run_id)


@router.get("/runs/{uuid:run_id}/report", summary="Get the report with structured output and provenance")
def report(
    request: PersonRequest, run_id: UUID, include_provenance: Annotated[int, Field(ge=0, le=1)] = 1
) -> dict[str, Any]:
    """Get the report with structured output and provenance."""
    run = get_run(request.user, run_id)
    if not run.has_report:
        raise Refused(
            f"This run has no report: it is {run.job.get_state_display().lower()}.", code="no_report", status=409
        )
    about = {**result(run), "structured": structured(run)}
    return {**about, "provenance": log_of(run)} if include_provenance else about


@router.get("/runs/{uuid:run_id}/provenance", summary="Get the provenance log")
def provenance(request: PersonRequest, run_id: UUID) -> dict[str, Any]:
    """Get the provenance log."""
    return log_of(get_run(request.user, run_id))


@router.get("/runs/{uuid:run_id}/structured", summary="Get sources, findings, gaps and contradictions")
def structured_output(request: PersonRequest, run_id: UUID) -> dict[str, Any]:
    """Get sources, findings, gaps and contradictions.

    Each passage of an uploaded file is a source with an id of its own; `flow` and the counters count the file once.
    """
    return structured(get_run(request.user, run_id))


@router.get("/runs/{uuid:run_id}/export", summary="Export a run as a file")
def export_run(
    request: PersonRequest, run_id: UUID, format: str = "", all: bool = False, academic: bool = False
) -> HttpResponse:
    """`format` is md, docx, pdf, bibtex, ris, csl, structured, provenance or json; if empty, the site's default.

    For bibtex, ris and csl, which contain the cited works: `all` adds works that were found but not cited, and
    `academic` leaves out web pages, news and blogs.
    """
    return download(get_run(request.user, run_id), format, Choice(everything=all, academic=academic))


def _control(request: PersonRequest, run_id: UUID, act: str) -> Run:
    run = get_run(request.user, run_id, "write")
    if not (resume_run(run) if act == "resume" else run.job.ask(act)):
        state = run.job.get_state_display().lower()
        raise Refused(f"You cannot {act} this run: it is {state}.", code="not_possible", status=409)
    return get_run(request.user, run_id)


@router.post("/runs/{uuid:run_id}/pause", response=RunOut, summary="Pause a run at the next step")
def pause(request: PersonRequest, run_id: UUID) -> Run:
    """Pause a run at the next step."""
    return _control(request, run_id, "pause")


@router.post("/runs/{uuid:run_id}/resume", response=RunOut, summary="Resume a paused run")
def resume(request: PersonRequest, run_id: UUID) -> Run:
    """Resume a paused run."""
    return _control(request, run_id, "resume")


class BriefIn(Schema):
    """The parts of the brief to change; parts that are left out stay as proposed."""

    model_config = ConfigDict(extra="forbid")

    text: str | None = None
    scope_boundaries: list[str] | None = None
    source_preferences: list[str] | None = None
    key_terms: list[str] | None = None


class ApproveIn(Schema):
    """The approved plan. Parts that are left out stay as proposed; an empty object approves the plan unchanged.

    `directives` are all questions of the plan in order, at most 7. `number` is the number of the question in the
    proposal, 0 for a new one.
    """

    model_config = ConfigDict(extra="forbid")

    brief: BriefIn = BriefIn()
    directives: list[Part] | None = None


class ProposalOut(Schema):
    """The proposed brief and plan. Without directives the question is split after the first search."""

    brief: dict[str, Any]
    directives: list[Part]
    rationale: str
    approved_at: datetime | None


@router.get("/runs/{uuid:run_id}/approve", response=ProposalOut, summary="Get the proposed brief and plan")
def proposed(request: PersonRequest, run_id: UUID) -> dict[str, Any]:
    """Get the proposed brief and plan."""
    run = get_run(request.user, run_id)
    proposal = proposal_of(run)
    if proposal is None:
        raise Refused("This run has not proposed a plan.", code="not_possible", status=409)
    return {**proposal.model_dump(), "approved_at": run.approved_at}


@router.post("/runs/{uuid:run_id}/approve", response=RunOut, summary="Approve the plan, edited or unchanged")
def approve_plan(request: PersonRequest, run_id: UUID, plan: ApproveIn) -> Run:
    """Approve the plan, edited or unchanged."""
    approve(get_run(request.user, run_id, "write"), plan.brief.dict(exclude_none=True), plan.directives)
    return get_run(request.user, run_id)


@router.post("/runs/{uuid:run_id}/cancel", response=RunOut, summary="Stop a run and keep its findings")
def cancel(request: PersonRequest, run_id: UUID) -> Run:
    """Stop a run and keep its findings."""
    return _control(request, run_id, "cancel")
