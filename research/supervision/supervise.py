"""Supervision: working the questions in rounds until they are covered or another round would not help (SPEC R7).

The first round works the plan. After each round the coverage is measured, and open points become the questions of the
next round: the most urgent gaps and, in academic mode, contradictions (docs/decisions/supervision.md). The decision
after a round is one step of the journal, made when all branches have ended; everything else follows from its response.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from pydantic import BaseModel

from core.concurrency import gather_all
from jobs.work import Stopped
from research.context.routing import route_round
from research.journal.journal import Response
from research.models import Node, Run
from research.next_question import NextQuestion
from research.plurals import counted
from research.run_context.run_context import RunContext
from research.setup.budget import BUDGET, NEARLY, ResearchOver
from research.setup.limits import LEAST_GAIN
from research.supervision.coverage import ENOUGH, coverage_of
from research.supervision.next_questions import merge_contradictions, next_questions
from research.supervision.question_tree import end_research, finish_parent, log_split, work_node, work_tree
from research.supervision.record_findings import close_gaps

RETRIES = 1  # of a round in which every query failed
LOOK_EVERY = 0.5  # seconds between two checks for a pause request while waiting for a retry

ON, AGAIN, STOP = "on", "again", "stop"


class RoundDecision(BaseModel):
    """The decision after a round. `act` is ON, AGAIN or STOP."""

    round: int
    act: str
    decision: str
    scores: dict[str, float]
    sources: int
    findings: int
    resolved: dict[str, str] = {}  # gap id -> what answered it
    points: list[NextQuestion] = []  # questions of the next round
    over: ResearchOver | None = None
    retries: int = 0  # retries of this round so far


async def supervise(inquiry: RunContext) -> None:
    """Work the run's questions, round by round. Raise Stopped when a limit ended it before anything was found."""
    await work_tree(inquiry)
    number, iteration, retries = 1, 0, 0
    while True:
        iteration += 1
        await inquiry.once(f"supervision/{iteration}/merge", lambda: merge_contradictions(inquiry))
        decided = await _decide(inquiry, number, iteration, retries)
        if decided.act == STOP:
            break
        if decided.act == AGAIN:
            retries += 1
            await _pause(inquiry, iteration)
            inquiry.unanswered.forget()
            await _work_again(inquiry, number, f"again{retries}/")
        else:
            number, retries = number + 1, 0
            await _work_round(inquiry, number, decided.points)
    end_research(inquiry)
    if decided.over and not decided.findings:
        more = "a larger budget" if decided.over.decision == BUDGET else "more time"
        raise Stopped(f"{decided.over.why} Nothing was found until then; ask the question again with {more}.")


# Working


async def _work_round(inquiry: RunContext, number: int, points: Sequence[NextQuestion]) -> None:
    """Work the questions of a later round, all at the same time. They are not split: open gaps go to the next round."""
    nodes = [
        node async for node in inquiry.run.nodes.filter(round=number, depth=1).select_related("parent").order_by("id")
    ]
    await route_round(inquiry, nodes, points)
    await gather_all(
        work_node(inquiry, node, first=point.queries, answers=point.answers, splits=False)
        for node, point in zip(nodes, points, strict=True)
    )


async def _work_again(inquiry: RunContext, number: int, prefix: str) -> None:
    """Work the questions of round `number` whose searches all failed once more.

    Which they are depends on rows of the failed attempt, so the list is stored in the journal.
    """

    async def call() -> Response:
        failed = inquiry.run.nodes.filter(round=number, state=Node.State.FAILED).order_by("id")
        return {"nodes": [one async for one in failed.values_list("number", flat=True)]}

    wanted = (await inquiry.journal.step(f"{prefix}{number}/nodes", "note", {}, call))["nodes"]
    nodes = [node async for node in inquiry.run.nodes.filter(number__in=wanted).order_by("id")]
    await gather_all(work_node(inquiry, node, prefix, splits=number == 1) for node in nodes)
    async for parent in inquiry.run.nodes.filter(children__in=nodes, depth__gt=0).distinct().order_by("id"):
        parent.prefix = prefix
        await inquiry.once(parent.key("joined"), partial(finish_parent, inquiry, parent))


async def _pause(inquiry: RunContext, iteration: int) -> None:
    """Wait before a failed round is retried, long enough for a resting catalogue to be asked again."""

    async def call() -> Response:
        left = settings.RESEARCH_RETRY_PAUSE
        while left > 0:
            await inquiry.journal.still_wanted()
            await asyncio.sleep(min(left, LOOK_EVERY))
            left -= LOOK_EVERY
        return {}

    await inquiry.journal.step(f"supervision/{iteration}/pause", "note", {}, call, takes_places=True)


# Deciding


async def _decide(inquiry: RunContext, number: int, iteration: int, retries: int) -> RoundDecision:
    def record(response: Response) -> None:
        _record(inquiry, RoundDecision.model_validate(response), iteration)

    request = {"round": number, "retries": retries}
    decide = partial(sync_to_async(_decided), inquiry, number, retries)
    return RoundDecision.model_validate(
        await inquiry.journal.step(f"supervision/{iteration}", "note", request, decide, record)
    )


def _decided(inquiry: RunContext, number: int, retries: int) -> Response:
    """Return the decision after round `number`, from the stored rows and the limits of the run."""
    run = inquiry.run
    counters = inquiry.counters()
    resolved = _resolved(run, number) if number > 1 else {}
    scores = coverage_of(run)
    points = next_questions(inquiry, resolved)
    over = _over(inquiry)
    act, decision = _verdict(inquiry, number, retries, scores, points, over)
    return RoundDecision(
        round=number,
        act=act,
        decision=decision,
        scores=scores,
        sources=counters["sources"],
        findings=counters["findings"],
        resolved=resolved,
        points=points if act == ON else [],
        over=over,
        retries=retries,
    ).model_dump(mode="json")


def _verdict(
    inquiry: RunContext,
    number: int,
    retries: int,
    scores: dict[str, float],
    points: Sequence[NextQuestion],
    over: ResearchOver | None,
) -> tuple[str, str]:
    """Return what to do next and the reason in a few words."""
    run = inquiry.run
    if over:
        return STOP, over.decision
    if _all_failed(run, number):
        # A failed search is never taken for an empty result (R7): it is retried, then reported as failed.
        if retries < RETRIES:
            return AGAIN, "no search was answered; trying again"
        return STOP, f"no search was answered, tried {retries + 1} times"
    if not run.findings.filter(is_superseded=False).exists() and not points:
        return STOP, "no evidence, so nothing to write from"
    if number > 1 and scores["overall"] >= ENOUGH:
        return STOP, "enough"
    if number > 1 and (vain := _in_vain(run, number, scores, points)):
        return STOP, vain
    if not points:
        return STOP, _without_points(run, scores)
    if number >= inquiry.profile.most_rounds:
        return STOP, f"{counted(number, 'round')} at most; open gaps are listed"
    nearly = "the budget is nearly used up" if inquiry.purse.nearly_spent(NEARLY) else inquiry.limits.nearly()
    if nearly:
        return STOP, f"{nearly}; open gaps are listed"
    return ON, f"go on with {counted(len(points), 'open point')}"


def _without_points(run: Run, scores: dict[str, float]) -> str:
    """Return why there are no questions left: all is answered, or the open gaps were asked about or cannot be."""
    if not run.gaps.open().exists():
        return "enough" if scores["overall"] >= ENOUGH else "no gap is open"
    return "write from what was found and list the gaps"


def _over(inquiry: RunContext) -> ResearchOver | None:
    """Return why research is over, as it was logged or as the limits say now; None while it is not."""
    told = inquiry.run.provenance.filter(event_type="limit_reached").values_list("details", flat=True).first()
    return ResearchOver(**told) if told else inquiry.limits.over()


def _in_vain(run: Run, number: int, scores: dict[str, float], points: Sequence[NextQuestion]) -> str:
    """Return why another round would not help, judging by the last one, or "".

    New gaps can be named without end, so progress is measured by findings and coverage.
    """
    if not _is_new(run, number):
        return "the round found nothing new"
    before: dict[str, float] = next((row.get("scores", {}) for row in run.rounds if row["round"] == number - 1), {})
    gain = scores["overall"] - before.get("overall", 0.0)
    if points and gain < LEAST_GAIN:
        return f"the round added {max(0.0, gain):.2f} to the coverage, too little for another; open gaps are listed"
    return ""


def _all_failed(run: Run, number: int) -> bool:
    leaves = run.nodes.filter(round=number).exclude(children__round=number)
    return set(leaves.values_list("state", flat=True)) == {Node.State.FAILED}


def _is_new(run: Run, number: int) -> bool:
    """Return whether round `number` added a finding on words that no earlier round had found."""
    spans = run.findings.order_by().values_list("source", "start", "end")
    return spans.filter(node__round=number).difference(spans.filter(node__round__lt=number)).exists()


def _resolved(run: Run, number: int) -> dict[str, str]:
    """Return the gaps that questions of round `number` were asked to fill and did, with the note that says so."""
    asked: dict[str, list[str]] = next((row["asked"] for row in run.rounds if row["round"] == number), {})
    answered = run.nodes.filter(round=number, state=Node.State.ENOUGH).order_by("id").values_list("number", flat=True)
    return {
        gap: f"Answered by {of} in round {number}." for of in answered for gap in asked.get(of, []) if gap[0] == "G"
    }


# Rows and events stored with a decision


def _record(inquiry: RunContext, decided: RoundDecision, iteration: int) -> None:
    run = inquiry.run
    for gap_id, notes in decided.resolved.items():
        close_gaps(inquiry, run.gaps.filter(gap_id=gap_id), notes)
    root = run.nodes.get(number="1")
    if (decided.round > 1 or decided.retries) and root.children.exists():
        finish_parent(inquiry, root)
    _tell_scores(inquiry, decided)
    brought = f"{counted(decided.findings, 'finding')} from {counted(decided.sources, 'source')}"
    inquiry.say(
        "supervision",
        "iteration_complete",
        f"Round {decided.round} ended with {brought}.",
        {
            "iteration": iteration,
            "round": decided.round,
            "total_sources": decided.sources,
            "total_findings": decided.findings,
        },
    )
    entry: dict[str, Any] = {
        "round": decided.round,
        "scores": decided.scores,
        "decision": decided.decision,
        "sources": decided.sources,
        "findings": decided.findings,
        "asked": next((row["asked"] for row in run.rounds if row["round"] == decided.round), {}),
    }
    run.rounds = [*(row for row in run.rounds if row["round"] < decided.round), entry]
    if decided.over:
        entry["over"] = decided.over._asdict()
    if decided.act == ON:
        run.rounds.append({"round": decided.round + 1, "asked": _begin_round(inquiry, root, decided)})
    Run.objects.filter(pk=run.pk).update(rounds=run.rounds)


def _tell_scores(inquiry: RunContext, decided: RoundDecision) -> None:
    scores = decided.scores
    sentence = (
        f"Coverage after round {decided.round}: {scores['overall']:.2f}, the weakest question "
        f"{scores['weakest_node']:.2f}; enough is {ENOUGH:.2f}. Decision: {decided.decision}."
    )
    trouble = {"trouble": True} if decided.act == AGAIN or decided.over else {}
    details = {"scores": scores, "decision": decided.decision}
    inquiry.say("supervision", "coverage_assessment", sentence, details, scores=scores, **trouble)


def _begin_round(inquiry: RunContext, root: Node, decided: RoundDecision) -> dict[str, list[str]]:
    """Create the questions of the next round as further parts of the root; return the ids that each should answer."""
    number = decided.round + 1
    places = enumerate(decided.points, start=root.children.count() + 1)
    nodes = [root.add_part(position, point, round=number) for position, point in places]
    asked = {node.number: point.answers for node, point in zip(nodes, decided.points, strict=True)}
    lines = [f"{node.number} {node.question}" for node in nodes]
    root.state, root.said = Node.State.SPLIT, f"Working on round {number}"
    root.save(update_fields=["state", "said"])
    become = "One open point becomes a question." if len(lines) == 1 else f"{len(lines)} open points become questions."
    sentence = f"Round {number}. {become}"
    inquiry.tell("round_started", sentence, summary="Questions", lines=lines)
    log_split(
        inquiry,
        sentence,
        decided.points,
        f"Round {number} answers {', '.join(id for ids in asked.values() for id in ids)}.",
    )
    return asked
