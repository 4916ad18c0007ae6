"""Working on follow-ups of a finished run (SPEC R17): questions about its findings, gaps, and questions to rerun.

A follow-up is a row, and it reopens the run's job. The run is then conducted as usual: the journal answers everything
it did before, and waiting follow-ups are worked on in order, under keys of their own ("more/2/..."). The journal also
stores what was asked and the report before it, so a replay needs nothing else, and the report can be restored if a
follow-up fails.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from asgiref.sync import sync_to_async
from django.utils import timezone

from jobs.work import Stopped
from research.context.routing import load_slices
from research.follow_ups.answer import answer
from research.follow_ups.revise_report import restore_report, revise, state_before
from research.journal.journal import GIVEN_UP_KEY, Response, StepNotRecorded
from research.journal.provenance import REOPENED, Entry, append, digest
from research.models import FollowUp, Phase, Run, Step
from research.run_context.run_context import RunContext

WriteUp = Callable[[RunContext], Awaitable[None]]

_ASKED = "asked"
_TOLD = ("number", "kind", "text", "about")  # fields of a follow-up that the journal stores
_BEGUN = re.compile(rf"more/\d+/{_ASKED}")
_NOT_DONE = {
    FollowUp.Kind.ASK: "The question was not answered.",
    FollowUp.Kind.EXTEND: "The gap was not looked into.",
    FollowUp.Kind.RERUN: "The question was not researched again.",
}


def is_finished(run: Run) -> bool:
    """Return whether the run was completed once, whatever was asked of it since."""
    return run.steps.filter(key=f"phase/{Phase.DONE}").exists()


def reopen_run(run: Run, why: str) -> None:
    """Reopen a run that has ended, for follow-ups, and continue its log. Does nothing if it has not ended."""
    if not run.job.reopen():
        return
    run.completed_at = None
    run.save(update_fields=["completed_at"])
    waiting = list(run.follow_ups.waiting().values_list("number", flat=True))
    append(run, Entry("supervision", REOPENED, why, {"follow_ups": waiting}))


def reopen_if_asked(run: Run) -> None:
    """Reopen a run that has just ended if a follow-up was asked meanwhile."""
    if run.follow_ups.waiting().exists():
        run.refresh_from_db()
        reopen_run(run, "The run was reopened for a follow-up that was asked just before it ended.")


async def follow_up(inquiry: RunContext, write_up: WriteUp) -> None:
    """Work on each waiting follow-up. `write_up` writes and checks a report of what the run has found.

    Raises what a run raises, but Stopped ends only one follow-up: it is stored with it, and the next one begins.
    """
    await load_slices(inquiry)
    while (asked := await sync_to_async(_next)(inquiry.run)) is not None:
        with inquiry.journal.under(f"more/{asked.number}/"):
            await _work(inquiry, asked, write_up)
        inquiry.run.phase = Phase.DONE


def _next(run: Run) -> FollowUp | None:
    # The budget may have been raised along with the follow-up.
    run.refresh_from_db(fields=[field.name for field in Run._meta.fields if field.name.startswith("budget_")])
    return run.follow_ups.waiting().first()


async def _work(inquiry: RunContext, asked: FollowUp, write_up: WriteUp) -> None:
    begun = await inquiry.journal.step(
        _ASKED, "note", {}, lambda: _begin(inquiry.run, asked), lambda begun: _announce(inquiry, begun)
    )
    try:
        if asked.kind == FollowUp.Kind.ASK:
            await answer(inquiry, asked)
        else:
            await revise(inquiry, asked, begun, write_up)
    except (Stopped, StepNotRecorded) as trouble:
        await inquiry.fix(
            GIVEN_UP_KEY,
            {"why": str(trouble)},
            lambda left: inquiry.say(*_set_aside(inquiry.run, asked, begun, left["why"])),
        )


@sync_to_async
def _begin(run: Run, asked: FollowUp) -> Response:
    """Return what is asked and, for a follow-up that may change the report, the state to restore if it fails."""
    told = {key: getattr(asked, key) for key in _TOLD}
    return told if asked.kind == FollowUp.Kind.ASK else {**told, "before": state_before(run, asked)}


def _announce(inquiry: RunContext, begun: Response) -> None:
    about = begun["text"] or begun["about"]
    said = {
        "ask": f"Question about the findings: {about}",
        "extend": f"Looking into the gap {about}.",
        "rerun": f"Researching question {about} again.",
    }[begun["kind"]]
    inquiry.say("supervision", "follow_up_asked", said, {key: begun[key] for key in _TOLD})


def _set_aside(run: Run, asked: FollowUp, begun: Response, why: str) -> Entry:
    """Store why `asked` was not done, restore the report as it was before, and return the log entry."""
    before = begun.get("before")
    if before:
        restore_report(run, before)
    if begun:
        Run.objects.filter(pk=run.pk).update(phase=Phase.DONE)
    FollowUp.objects.filter(pk=asked.pk).update(answer=why)
    details = {"number": asked.number, "why": why, **({"report_hash": digest(before["report"])} if before else {})}
    return Entry("supervision", "follow_up_failed", f"{_NOT_DONE[FollowUp.Kind(asked.kind)]} {why}", details)


def recreate_follow_ups(run: Run, journal: Iterable[Mapping[str, Any]]) -> None:
    """Create the follow-ups of a run from its `journal`, for a replay, which has nothing else."""
    for step in journal:
        if _BEGUN.fullmatch(step["key"]):
            FollowUp.objects.create(run=run, **{key: step["response"][key] for key in _TOLD})


def give_up_waiting(run: Run, why: str, *, only_begun: bool = False) -> None:
    """Give up every waiting follow-up, with the reason `why`, when the run is stopped from outside.

    With `only_begun`, follow-ups that nobody has worked on keep waiting. One that was under way gets the step that it
    would have ended with itself, so that a replay ends it there, too.
    """
    for asked in run.follow_ups.waiting():
        prefix = f"more/{asked.number}/"
        begun = run.steps.filter(key=f"{prefix}{_ASKED}").values_list("response", flat=True).first()
        if only_begun and begun is None:
            continue
        if begun is not None:
            now = timezone.now()
            Step.objects.create(
                run=run,
                key=f"{prefix}{GIVEN_UP_KEY}",
                kind="note",
                request_hash=digest({}),
                response={"why": why},
                started_at=now,
                finished_at=now,
            )
        append(run, _set_aside(run, asked, begun or {}, why))
