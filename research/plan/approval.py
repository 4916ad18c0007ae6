"""Approval of brief and plan by the user before anything is searched (SPEC R3).

A run that was started with `wants_approval` waits when both are made. The approved plan is stored with the run
(`Run.approved`) and copied into the journal once; from then on the run, and each replay of it, uses the journal alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from django.db import transaction
from django.utils import timezone
from pydantic import BaseModel, Field, ValidationError

from core.errors import Refused
from core.storable_text import check_storable
from jobs.models import IDLE
from jobs.work import WaitsForUser
from llm.roles import Brief, Decomposition, Directive
from research.context.consent import CONSENT_NEEDED as CONSENT_FIRST
from research.context.consent import awaits_consent
from research.journal.journal import Response
from research.models import Run
from research.plurals import counted
from research.run_context.run_context import RunContext
from research.setup.limits import MAX_CHILDREN
from research.supervision.question_tree import PLAN, plan_asked, settled_plan
from research.supervision.record_findings import LEAST_URGENT

T = TypeVar("T", bound=BaseModel)

PROPOSED, APPROVED = "plan/proposed", "plan/approved"  # keys of journal steps
WAITS = "Read the plan and approve it. Nothing has been searched yet."
APPROVAL_NEEDED = "Read and approve the plan first. The run then continues by itself."
LONGEST_BRIEF = 20_000  # characters
LONGEST_LINE = 1_000
MOST_LINES = 100  # lines of scope, preferences or key terms


class Part(BaseModel, extra="forbid"):
    """One question of a plan. `number` is its number in the proposal, from 1; 0 for a question the user has added."""

    number: int = Field(0, ge=0)
    topic: str = Field("", max_length=200)
    question: str = Field(min_length=1, max_length=LONGEST_LINE)
    perspective: str = Field("", max_length=60)
    priority: int = Field(2, ge=1, le=LEAST_URGENT)
    evidence_needed: str = Field("", max_length=LONGEST_LINE)


class Plan(BaseModel):
    """A brief and the questions into which it is split, in order; none if it is not split."""

    brief: Brief
    directives: list[Part] = []


class Proposal(Plan):
    """The plan that the engine proposes."""

    rationale: str = ""


async def plan_approval(inquiry: RunContext) -> None:
    """Propose a plan and continue with the approved one. Raises WaitsForUser while nobody has approved it."""
    proposed = await _propose(inquiry)

    async def call() -> Response:
        approved = await Run.objects.values_list("approved", flat=True).aget(pk=inquiry.run.pk)
        if not approved:
            raise WaitsForUser(WAITS)
        return dict(approved)

    def record(response: Response) -> None:
        _follow(inquiry, proposed, Plan.model_validate(response))

    approved = Plan.model_validate(
        await inquiry.journal.step(APPROVED, "note", proposed.model_dump(mode="json"), call, record)
    )
    inquiry.run.brief = approved.brief.model_dump()
    if approved.directives or inquiry.uses_model:
        directives = [Directive(**part.model_dump(exclude={"number"})) for part in approved.directives]
        rationale = "A person has approved this plan." if directives else "The plan has no parts: it is one question."
        inquiry.approved = Decomposition(directives=directives, rationale=rationale)


async def _propose(inquiry: RunContext) -> Proposal:
    """Return the proposal: the brief and, if the run uses a model, the plan. The offline engine plans later."""
    rationale = "The offline engine splits the question after the first search, by what that has found."
    made = Decomposition(directives=[], rationale=rationale)
    if inquiry.uses_model:
        made = settled_plan(inquiry, await inquiry.ask(PLAN, await sync_to_async(plan_asked)(inquiry)))
    parts = [
        Part(
            number=number,
            topic=directive.topic[:200],
            question=directive.question.strip()[:LONGEST_LINE],
            perspective=directive.perspective[:60],
            priority=min(max(directive.priority, 1), LEAST_URGENT),
            evidence_needed=directive.evidence_needed[:LONGEST_LINE],
        )
        for number, directive in enumerate(made.directives, start=1)
    ]
    proposal = Proposal(brief=Brief.model_validate(inquiry.run.brief), directives=parts, rationale=made.rationale)

    def record(response: Response) -> None:
        lines = [f"{number}. {part['question']}" for number, part in enumerate(response["directives"], start=1)]
        said = f"The plan has {counted(len(lines), 'question')}. " if lines else "There is a brief to read. "
        inquiry.tell("plan_proposed", f"{said}{WAITS}", summary="Questions", lines=lines)

    return Proposal.model_validate(await inquiry.fix(PROPOSED, proposal.model_dump(mode="json"), record))


def _follow(inquiry: RunContext, proposed: Plan, approved: Plan) -> None:
    """Store the approved brief with the run, and write the event and the log entry."""
    Run.objects.filter(pk=inquiry.run.pk).update(brief=approved.brief.model_dump())
    changes = changes_of(proposed, approved)
    inquiry.say(
        "brief",
        "plan_approved",
        f"The plan was approved with changes: {changes_text(changes)}." if changes else "The plan was approved.",
        {"as_proposed": not changes, "changes": changes, **approved.model_dump()},
        summary="Questions",
        lines=[f"{number}. {part.question}" for number, part in enumerate(approved.directives, start=1)],
    )


def changes_of(proposed: Plan, approved: Plan) -> dict[str, Any]:
    """Return the user's changes to the proposal: {brief, added, removed, changed, moved}, without empty ones."""
    before = {part.number: part for part in proposed.directives}
    kept = [part.number for part in approved.directives if part.number]
    was, now = proposed.brief.model_dump(), approved.brief.model_dump()
    changes = {
        "brief": [key for key in now if now[key] != was[key]],
        "added": [part.question for part in approved.directives if not part.number],
        "removed": [part.question for number, part in before.items() if number not in kept],
        "changed": [
            {"before": before[part.number].model_dump(), "after": part.model_dump()}
            for part in approved.directives
            if part.number and part != before[part.number]
        ],
        "moved": kept != sorted(kept),
    }
    return {what: value for what, value in changes.items() if value}


def changes_text(changes: Mapping[str, Any]) -> str:
    """Return the changes as text: "the brief, 1 question added, the order"."""
    parts = {
        what: f"{counted(len(changes[what]), 'question')} {what}"
        for what in ("added", "removed", "changed")
        if what in changes
    }
    words = {"brief": "the brief", **parts, "moved": "the order"}
    return ", ".join(said for what, said in words.items() if what in changes)


# Pages and API


def proposal_of(run: Run) -> Proposal | None:
    """Return the proposal of `run`; None if it has none, or none yet."""
    if not run.wants_approval:
        return None
    response = run.steps.filter(key=PROPOSED).values_list("response", flat=True).first()
    return Proposal.model_validate(response) if response is not None else None


def awaits_approval(run: Run) -> bool:
    """Return whether `run` waits for the approval of its plan."""
    waits = run.wants_approval and run.approved_at is None and run.job.state in IDLE
    return waits and run.steps.filter(key=PROPOSED).exists()


def resume(run: Run) -> bool:
    """Resume an idle run and return whether it was idle.

    Raises Refused if a decision is needed first: about files with personal data, or about its plan.
    """
    if awaits_consent(run):
        raise Refused(CONSENT_FIRST, code="not_consented", status=409)
    if awaits_approval(run):
        raise Refused(APPROVAL_NEEDED, code="not_approved", status=409)
    return run.job.resume()


def approve(run: Run, brief: Mapping[str, Any] | None = None, directives: Sequence[Any] | None = None) -> None:
    """Approve the plan of `run` and resume it. Arguments that are None, and keys missing in `brief`, stay as proposed.

    `directives` are the questions in order, each with the keys of `Part`. Raises Refused, with nothing changed, for a
    run that does not wait for approval, and for an invalid plan.
    """
    with transaction.atomic():
        locked = Run.objects.select_for_update(of=("self",)).select_related("job").get(pk=run.pk)
        if locked.approved_at is not None:
            raise Refused("The plan was already approved.", code="not_possible", status=409)
        proposed = proposal_of(locked)
        if proposed is None or not awaits_approval(locked):
            raise Refused(
                f"This run is not waiting for approval: it is {locked.job.get_state_display().lower()}.",
                code="not_possible",
                status=409,
            )
        locked.approved = _checked(proposed, brief, directives).model_dump(mode="json")
        locked.approved_at = timezone.now()
        locked.save(update_fields=["approved", "approved_at"])
        if not locked.job.resume():
            raise Refused("The run is no longer waiting.", code="not_possible", status=409)


def _checked(proposed: Proposal, brief: Mapping[str, Any] | None, directives: Sequence[Any] | None) -> Plan:
    parts = proposed.directives if directives is None else [_checked_part(part, proposed) for part in directives]
    if len(parts) > MAX_CHILDREN:
        raise Refused(f"A plan can have at most {MAX_CHILDREN} questions; this has {len(parts)}.", field="directives")
    if proposed.directives and not parts:
        raise Refused("Keep at least one question in the plan, or stop the run.", field="directives")
    numbers = [part.number for part in parts if part.number]
    if len(set(numbers)) != len(numbers):
        raise Refused("The plan has the same question twice.", field="directives")
    return Plan(brief=_checked_brief(brief or {}, proposed.brief), directives=parts)


def _read(model: type[T], given: Any, field: str) -> T:
    try:
        return model.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        raise Refused(f"{'.'.join(map(str, first['loc']))}: {first['msg']}.", field=field) from None


def _checked_part(given: Any, proposed: Proposal) -> Part:
    part = _read(Part, given, "directives")
    for text in (part.topic, part.question, part.perspective, part.evidence_needed):
        check_storable(text, "directives")
    part.question = " ".join(part.question.split())
    if not any(letter.isalnum() for letter in part.question):
        raise Refused("A question of the plan is empty. Write a question or remove it.", field="directives")
    if part.number > len(proposed.directives):
        raise Refused(f"The proposed plan has no question {part.number}.", field="directives")
    return part


def _checked_brief(given: Mapping[str, Any], proposed: Brief) -> Brief:
    brief = _read(Brief, {**proposed.model_dump(), **given}, "brief")
    if unknown := set(given) - set(Brief.model_fields):
        raise Refused(
            f"Unknown part of the brief: {sorted(unknown)[0]}. Available: {', '.join(Brief.model_fields)}.",
            field="brief",
        )
    if not any(letter.isalnum() for letter in brief.text):
        raise Refused("The brief is empty. Describe what the run should look for.", field="text")
    changed = {name: value for name, value in brief.model_dump().items() if value != getattr(proposed, name)}
    for name, value in changed.items():
        lines, longest = ([value], LONGEST_BRIEF) if isinstance(value, str) else (value, LONGEST_LINE)
        for line in lines:
            check_storable(line, name)
        if len(lines) > MOST_LINES or any(len(line) > longest for line in lines):
            raise Refused(f"{name}: at most {MOST_LINES} lines of {longest:,} characters.", field=name)
    return brief
