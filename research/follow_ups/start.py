"""Starting a follow-up on a finished run, for pages and the API (SPEC R17)."""

from dataclasses import asdict, dataclass
from decimal import ROUND_DOWN, ROUND_UP, Decimal
from typing import Any

from django.db import transaction
from django.db.models import Max

from core.errors import Refused
from core.storable_text import check_storable
from jobs.models import Job
from projects.models import User
from research.follow_ups.follow_up_job import is_finished, reopen_run
from research.journal.provenance import Entry, append
from research.models import FollowUp, Run
from research.setup.budget import CENT, LIMITED, columns_for, money
from research.setup.cost_estimate import least_of_more
from research.setup.start import question_of
from research.supervision.question_tree import FINDINGS

_ID = 12  # characters of the id of a finding
_MOST_NODE = 8  # characters of a node's number: enough for 99 parts of a part


@dataclass(frozen=True)
class More:
    """What is added to the limits of the run: USD, tokens, calls, minutes."""

    usd: Decimal | None = None
    tokens: int | None = None
    calls: int | None = None
    minutes: int | None = None


NO_MORE = More()


def ask(run: Run, user: User, question: str, more: More = NO_MORE) -> FollowUp:
    """Ask `question` about the findings of `run`. Raises Refused as `_follow_up` does, and for an empty question."""
    return _follow_up(run, user, FollowUp.Kind.ASK, text=question_of(question), more=more)


def extend(run: Run, user: User, gap_id: str, more: More = NO_MORE) -> FollowUp:
    """Ask to look into the gap with that id. Raises Refused as `_follow_up` does, and if there is no such open gap."""
    check_storable(gap_id, "gap_id")
    gap = run.gaps.select_related("node").filter(gap_id=gap_id).first()
    if gap is None:
        raise Refused("There is no such gap in this run.", field="gap_id", code="not_found", status=404)
    if gap.resolution_notes:
        raise Refused(f"The gap {gap_id} is already closed: {gap.resolution_notes}", field="gap_id", status=409)
    if len(gap.node.number) + len(".99") > _MOST_NODE:
        raise Refused(
            f"The gap {gap_id} is too deep in this run. Ask about it in a new run.", field="gap_id", status=409
        )
    return _follow_up(run, user, FollowUp.Kind.EXTEND, about=gap_id, more=more)


def rerun(run: Run, user: User, number: str, more: More = NO_MORE) -> FollowUp:
    """Ask to research a question again. Raises Refused as `_follow_up` does, and if there is no such question."""
    check_storable(number, "node")
    node = run.nodes.filter(number=number).first()
    if node is None:
        raise Refused("There is no such question in this run.", field="node", code="not_found", status=404)
    if len(f"F{number}-{node.findings.count() + 2 * FINDINGS}") > _ID:
        raise Refused(
            f"Question {number} cannot be researched again in this run. Ask it in a new run.", field="node", status=409
        )
    return _follow_up(run, user, FollowUp.Kind.RERUN, about=number, more=more)


def _follow_up(run: Run, user: User, kind: FollowUp.Kind, *, text: str = "", about: str = "", more: More) -> FollowUp:
    """Create a follow-up of `run`, after those that wait, and reopen the run if it has ended.

    Raises Refused, with nothing changed, if the run has no finished report, if the same follow-up already waits, and
    if the budget is spent and `more` does not raise it.
    """
    with transaction.atomic():
        job = Job.objects.select_for_update().get(pk=run.job_id)
        run = Run.objects.select_for_update().get(pk=run.pk)
        _check_state(run, job)
        if run.follow_ups.waiting().filter(kind=kind, text=text, about=about).exists():
            raise Refused("This was already asked and is being worked on.", code="asked_already", status=409)
        raised = _raise_limits(run, more)
        _check_budget(run, kind)
        last = run.follow_ups.aggregate(last=Max("number"))["last"] or 0
        asked = FollowUp.objects.create(run=run, number=last + 1, kind=kind, text=text, about=about, created_by=user)
        if job.has_ended:
            reopen_run(run, "The run was reopened for a follow-up.")
            # Not otherwise: while the run is being worked on, only its worker may add to its log.
            if raised:
                append(run, Entry("supervision", "budget_raised", "The budget of the run was raised.", raised))
    return asked


def _check_state(run: Run, job: Job) -> None:
    if run.deleted_files:
        names = ", ".join(file["name"] for file in run.deleted_files)
        raise Refused(
            f"The text that this run read in {names} was deleted, so it cannot be followed up. Ask its question again.",
            code="text_deleted",
            status=409,
        )
    if job.has_ended and not run.has_report:
        raise Refused(
            f"This run has no report to follow up: it is {job.get_state_display().lower()}. Ask its question again.",
            code="no_report",
            status=409,
        )
    if not job.has_ended and not is_finished(run):
        raise Refused("This run is not finished. Ask when its report is ready.", code="not_finished", status=409)


def _raise_limits(run: Run, more: More) -> dict[str, Any]:
    """Add `more` to the limits of `run` and return the new ones. Raises Refused for a limit the run does not have."""
    added = {name: value for name, value in asdict(more).items() if value is not None}
    if not added:
        return {}
    limits: dict[str, Any] = {
        "usd": run.budget_usd,
        "tokens": run.budget_tokens,
        "calls": run.budget_calls,
        "minutes": run.budget_seconds // 60 if run.budget_seconds else None,
    }
    for name, value in added.items():
        if limits[name] is None:
            raise Refused("This run does not have this limit, so it cannot be raised.", field=f"budget.{name}")
        if not value > 0:
            raise Refused("Enter a number greater than zero.", field=f"budget.{name}")
        limits[name] += value
    columns = columns_for(**limits)
    if "minutes" not in added:
        columns["budget_seconds"] = run.budget_seconds
    for name, value in columns.items():
        setattr(run, name, value)
    run.save(update_fields=list(columns))
    return {name: str(limits[name]) for name in added}


def spent_limits(run: Run) -> dict[str, str]:
    """Return the limits of `run` that are used up, by name (usd, tokens, calls, minutes), each as text: "2.00 USD"."""
    used = {
        name: f"{money(limit) if name == 'usd' else f'{limit:,}'} {unit}"
        for name, unit in ({} if run.only_quotes else LIMITED).items()
        if (limit := getattr(run, f"budget_{name}")) is not None and getattr(run, f"spent_{name}") >= limit
    }
    if run.budget_seconds and run.spent_seconds >= run.budget_seconds:
        used["minutes"] = f"{run.budget_seconds // 60:,} minutes"
    return used


def _check_budget(run: Run, kind: FollowUp.Kind) -> None:
    """Raise Refused if a limit is reached, or if the rest of the money is too little for a follow-up of that kind."""
    if used := spent_limits(run):
        limits = " and ".join(used.values())
        raise Refused(
            f"The budget of this run is spent: {limits}. Add to it to ask for more.",
            field=f"budget.{next(iter(used))}",
            code="budget_spent",
            status=409,
        )
    if run.only_quotes or run.budget_usd is None:
        return
    left, least = run.budget_usd - run.spent_usd, least_of_more(writes=kind != FollowUp.Kind.ASK)
    if left < least:
        raise Refused(
            f"The rest of the budget, {money(left.quantize(CENT, ROUND_DOWN))} USD, is too small: before each call the "
            f"most it can cost is reserved, here up to {money(least)} USD. Add "
            f"{money((least - left).quantize(CENT, ROUND_UP))} USD or more.",
            field="budget.usd",
            code="budget_too_small",
            status=409,
        )
