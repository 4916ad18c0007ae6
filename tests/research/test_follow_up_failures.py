"""R17, R16: a follow-up that fails, is cancelled or loses its power leaves the report whole."""

from typing import Any

import pytest

from jobs.models import State
from jobs.work import Cancelled, Stopped, perform
from projects.models import User
from research.follow_ups.start import ask, rerun
from research.models import FollowUp, Run, Step
from tests.research.finished_run import finished, forest, owner, project, run
from tests.research.follow_up_gaps import TALL, holds, meets
from tests.research.follow_up_run import worked
from tests.research.test_resume import PowerCut, expire

__all__ = ["finished", "forest", "owner", "project", "run"]

pytestmark = [pytest.mark.django_db, pytest.mark.long]


# Whatever happens


@pytest.mark.parametrize(
    ("kind", "troubles"),
    [
        ("ask", {"assist": ZeroDivisionError(), "verify": Cancelled()}),
        ("rerun", {"condense": ZeroDivisionError(), "synthesize": Cancelled(), "verify": Stopped("No.")}),
    ],
)
def test_a_failure_leaves_the_report_as_it_was(
    run: Run, owner: User, kind: str, troubles: dict[str, Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """R17: at any of its questions, by whatever cause; and it may be asked again."""

    def again() -> FollowUp:
        return worked(ask(run, owner, TALL) if kind == "ask" else rerun(run, owner, "1.1"))

    def written() -> tuple[object, ...]:
        claims = run.claims.order_by("id").values_list("claim_id", "text", "verdict", "source_id", "start", "end")
        numbers = run.sources.order_by("id").values_list("source_id", "number")
        return Run.objects.get(pk=run.pk).report, list(claims), list(numbers)

    before = written()
    for role, trouble in troubles.items():
        with monkeypatch.context() as patch:

            def meet(asked: Any, role: str = role, trouble: Exception = trouble) -> None:
                if asked.role == role:
                    raise trouble

            meets(patch, meet)
            asked = again()
        assert asked.state == "left", (role, trouble)
        assert asked.answer
        assert (asked.run.job.state, asked.run.job.reason, asked.run.phase) == (State.DONE, "", "done")
        assert written() == before
    assert run.provenance.filter(event_type="follow_up_failed").count() == len(troubles)
    assert again().state == "answered"
    assert holds(run)[-1] == "run_completed"


def test_one_that_fails_does_not_keep_the_next_from_its_answer(
    run: Run, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = rerun(run, owner, "1.1"), ask(run, owner, TALL)

    def meet(asked: Any) -> None:
        if asked.role == "condense":
            raise Stopped("No.")

    meets(monkeypatch, meet)
    assert worked(first).state == "left"
    assert worked(second).state == "answered"
    assert holds(run)


def test_cancelled_while_it_waits_or_rests(run: Run, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ask(run, owner, TALL)
    asked.run.job.refresh_from_db()
    assert asked.run.job.ask("cancel")
    asked.refresh_from_db()
    assert asked.state == "left"
    run.job.refresh_from_db()
    assert run.job.state == State.DONE
    assert holds(run) == ["run_completed", "run_reopened", "run_completed"]

    again = rerun(run, owner, "1.1")

    def meet(asked: Any) -> None:
        if asked.role == "synthesize":
            run.job.ask("pause")

    with monkeypatch.context() as patch:
        meets(patch, meet)
        perform(str(run.job_id))
    run.job.refresh_from_db()
    assert run.job.state == State.PAUSED
    more = ask(run, owner, TALL)
    assert more.state == "waiting"
    run.job.resume()
    assert worked(again).state == "answered"
    assert worked(more).state == "answered"
    assert holds(run)


def test_a_power_cut_loses_only_the_call_under_way(run: Run, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """R16 for follow-ups: one at each question when it is first asked;
    the rest is there afterwards, nothing asked twice."""
    calls: list[str] = []
    cut: set[str] = set()

    def meet(asked: Any) -> None:
        calls.append(asked.role)
        question = asked.model_dump_json()
        if question not in cut:
            cut.add(question)
            raise PowerCut

    def stored() -> dict[str, Any]:
        return dict(Step.objects.filter(run=run).values_list("key", "finished_at"))

    def answered() -> int:
        return Step.objects.filter(run=run, key__startswith="more/", kind="model").count()

    asked = rerun(run, owner, "1.1")
    meets(monkeypatch, meet)
    cuts = 0
    while True:
        before, known = stored(), answered()
        calls.clear()
        try:
            asked = worked(asked)
        except PowerCut:
            cuts += 1
            assert len(calls) - (answered() - known) in (1, 2)  # two batches of claims are under way at the same time
            expire(run.job_id)
        after = stored()
        assert {key: after[key] for key in before} == before
        if asked.state != "waiting":
            break
    assert cuts >= 4
    assert asked.state == "answered"
    assert len(calls) == answered() - known
    assert holds(run)
