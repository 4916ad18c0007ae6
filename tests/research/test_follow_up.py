"""R17: ask a finished run, look into a gap, research a question again; on the offline engine."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from citations.importing.file_import import import_entries
from core.errors import Refused
from jobs.models import State
from jobs.work import Cancelled, Stopped, perform
from llm.offline import OfflineEngine
from projects.models import Project, User
from research.export.structured import result
from research.follow_ups.follow_up_job import follow_up
from research.follow_ups.start import ask, extend, rerun
from research.journal.provenance import END_EVENTS, REOPENED, log_of, verify, verify_run
from research.models import FollowUp, Gap, Run, Step
from research.replay import replay
from research.setup.start import LONGEST_QUESTION
from tests.research.finished_run import finished, forest, owner, project, run
from tests.research.follow_up_run import worked
from tests.research.forest_thesis import QUESTION, researched
from tests.research.test_resume import PowerCut, expire
from tests.start_run import start_run

__all__ = ["finished", "forest", "owner", "project", "run"]

pytestmark = pytest.mark.django_db

TALL = "How tall was Douglas-fir next to red alder?"
OAK = """
@article{ek2011, author = {Ek, Nora}, title = {Growth of Douglas-fir planted with red alder}, journal = {Wood},
 year = {2011}, abstract = {Growth of Douglas-fir rose by 31% where red alder was planted. Soil nitrogen rose by 9%.}}
"""
Ask = Callable[[OfflineEngine, Any], Any]


@pytest.fixture
def gap(run: Run) -> Gap:
    """An open gap of the run with a query that nothing in the thesis answers yet."""
    node = run.nodes.get(number="1.1")
    return Gap.objects.create(
        run=run,
        node=node,
        gap_id="G1.1-7",
        description="Nothing found on: growth on dry sites",
        suggested_queries=["growth of Douglas-fir on dry sites", ""],
    )


def holds(run: Run) -> list[str]:
    """That the log holds, in the database and as a file, and a replay gives the same; its ends and openings."""
    run = Run.objects.get(pk=run.pk)
    assert verify_run(run).ok, verify_run(run).sentence
    file = json.loads(json.dumps(log_of(run)))
    assert verify(file).ok
    again = replay(file)
    assert again.same, again.sentence
    assert again.report == run.report
    return [entry.event_type for entry in run.provenance.filter(event_type__in=[*END_EVENTS, REOPENED])]


def meets(monkeypatch: pytest.MonkeyPatch, meet: Callable[[Any], None]) -> None:
    """Have `meet(asked)` called before each question to the engine; what it raises ends the attempt."""
    real = OfflineEngine.ask

    async def asks(self: OfflineEngine, asked: Any) -> Any:
        await sync_to_async(meet)(asked)
        return await real(self, asked)

    monkeypatch.setattr(OfflineEngine, "ask", asks)


# Ask


def test_an_answer_quotes_findings_with_the_numbers_of_the_report(run: Run, owner: User) -> None:
    report, claims = run.report, list(run.claims.values_list("claim_id", "verdict"))
    asked = worked(ask(run, owner, f"  {TALL}\n"))
    assert (asked.number, asked.text, asked.state) == (1, TALL, "answered")
    assert asked.run.job.state == State.DONE
    first, *_ = asked.answer.split("\n\n")
    assert first.startswith("Mean height of Douglas-fir was 11.4 m next to red alder and 9.8 m without red alder. [")
    for source in run.sources.filter(number__isnull=False):
        if f" [{source.number}]" in first:
            assert f"\n\n[{source.number}] " in asked.answer
    assert asked.run.report == report
    assert list(run.claims.values_list("claim_id", "verdict")) == claims
    entry = run.provenance.get(event_type="follow_up_answered")
    assert {one["verdict"] for one in entry.details["sentences"]} == {"SUPPORTED"}
    assert holds(run) == ["run_completed", "run_reopened", "run_completed"]
    assert asked.run.completed_at == asked.run.job.ended_at
    assert [one["answer"] for one in result(asked.run)["follow_ups"]] == [asked.answer]


def test_a_source_the_report_does_not_cite_gets_the_next_number(run: Run, owner: User) -> None:
    run.sources.update(number=None)
    kept = run.sources.get(source_id="nitrate.md::S1")
    kept.number = 4
    kept.save()
    asked = worked(ask(run, owner, TALL))
    assert " [5]" in asked.answer
    assert "\n\n[5] " in asked.answer
    assert "[1]" not in asked.answer


def test_what_was_not_found_is_not_made_up(run: Run, owner: User) -> None:
    asked = worked(ask(run, owner, "What does copper cost in Chile?"))
    assert asked.state == "answered"
    assert asked.answer == "Nothing that this run has found answers the question."
    assert holds(run)


def test_several_are_worked_in_the_order_they_were_asked(run: Run, owner: User) -> None:
    first = ask(run, owner, TALL)
    second = ask(run, owner, "Does nitrate leach under red alder?")
    third = rerun(run, owner, "1.2")
    assert [asked.state for asked in run.follow_ups.all()] == ["waiting"] * 3
    worked(first)
    told = list(run.provenance.filter(event_type="follow_up_asked").values_list("details__number", flat=True))
    assert told == [first.number, second.number, third.number]
    assert {asked.state for asked in run.follow_ups.all()} == {"answered"}
    assert holds(run) == ["run_completed", "run_reopened", "run_completed"]


def test_what_is_asked_in_the_last_moment_opens_the_run_again(
    run: Run, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = follow_up

    async def late(*args: Any) -> None:
        await real(*args)
        if not await run.follow_ups.filter(text="Too late?").aexists():
            await sync_to_async(ask)(run, owner, "Too late?")

    asked = ask(run, owner, TALL)
    monkeypatch.setattr("research.run.follow_up", late)
    worked(asked)
    run.job.refresh_from_db()
    assert run.job.state == State.QUEUED
    worked(asked)
    assert run.follow_ups.get(text="Too late?").state == "answered"
    assert holds(run) == ["run_completed", *[REOPENED, "run_completed"] * 2]


# Run again


def test_a_question_that_is_run_again_gets_new_findings_and_a_new_report(run: Run, owner: User) -> None:
    old = {finding.finding_id for finding in run.findings.filter(node__number="1.1")}
    before, seq = run.report, run.job.last_seq
    asked = worked(rerun(run, owner, "1.1"))
    assert "The report was written anew." in asked.answer
    assert asked.report_before == before
    superseded = set(run.findings.filter(is_superseded=True).values_list("finding_id", flat=True))
    assert superseded == old
    new = run.findings.filter(node__number="1.1", is_superseded=False)
    assert new.exists()
    assert asked.run.claims.exists()
    numbers = set(asked.run.sources.exclude(number=None).values_list("number", flat=True))
    assert numbers == set(range(1, len(numbers) + 1))
    kinds = list(run.job.events.filter(seq__gt=seq).values_list("kind", flat=True))
    assert kinds[0] == "job_reopened"
    assert kinds[-1] == "job_done"
    assert {"phase_research", "phase_synthesis", "phase_done"} <= set(kinds)
    assert holds(run) == ["run_completed", "run_reopened", "run_completed"]
    again = worked(rerun(run, owner, "1.1"))
    assert again.report_before == asked.run.report
    assert holds(run)


def test_when_nothing_is_found_this_time_the_earlier_findings_stand(run: Run, owner: User, forest: Project) -> None:
    forest.context_files.all().delete()
    forest.citations.all().delete()
    node, before = run.nodes.get(number="1.2"), run.report
    gaps = list(run.gaps.open().values_list("gap_id", flat=True))
    asked = worked(rerun(run, owner, "1.2"))
    assert "stands" in asked.answer
    assert (asked.run.report, asked.report_before) == (before, "")
    assert not run.findings.filter(is_superseded=True).exists()
    after = run.nodes.get(number="1.2")
    assert (after.state, after.said, after.reasoning) == (node.state, node.said, node.reasoning)
    assert list(run.gaps.open().values_list("gap_id", flat=True)) == gaps
    assert asked.run.phase == "done"
    assert holds(run)


# Extend a gap


def test_a_gap_is_closed_by_what_came_to_the_thesis_since(run: Run, owner: User, forest: Project, gap: Gap) -> None:
    import_entries(forest, OAK)
    asked = worked(extend(run, owner, gap.gap_id))
    node = run.nodes.get(parent=gap.node)
    assert node.number == "1.1.1"
    found = node.findings.select_related("source")
    assert "ek2011" in {finding.source.document for finding in found}
    gap.refresh_from_db()
    assert gap.resolution_notes.startswith("Question 1.1.1 answered it")
    assert "31%" in asked.run.report
    assert "31%" not in asked.report_before
    asked_for = run.provenance.filter(event_type="provider_query", summary__startswith="1.1.1:")
    assert asked_for.order_by("seq").first().details["query"] == "growth of Douglas-fir on dry sites"  # type: ignore[union-attr]
    with pytest.raises(Refused, match="already closed"):
        extend(run, owner, gap.gap_id)


def test_a_gap_about_which_nothing_new_is_found_stays_open(run: Run, owner: User, gap: Gap) -> None:
    before = run.report
    opened = set(run.gaps.open().values_list("gap_id", flat=True))
    asked = worked(extend(run, owner, gap.gap_id))
    assert "stays open" in asked.answer
    assert (asked.run.report, asked.report_before) == (before, "")
    assert set(run.gaps.open().values_list("gap_id", flat=True)) == opened
    assert run.nodes.get(number="1.1.1").said == "Nothing new"
    worked(extend(run, owner, gap.gap_id))
    assert run.nodes.filter(number="1.1.2").exists()


def test_a_gap_that_the_run_itself_has_named(run: Run, owner: User, forest: Project) -> None:
    named = run.gaps.open().first()
    assert named is not None
    import_entries(forest, OAK)
    asked = worked(extend(run, owner, named.gap_id))
    assert asked.state == "answered"
    assert holds(run) == ["run_completed", REOPENED, "run_completed"]


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
    """R16 for follow-ups: one at each question when it is first asked; the rest is there afterwards, nothing asked twice."""
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


# What cannot be asked


def test_what_cannot_be_asked_is_said(run: Run, owner: User, gap: Gap) -> None:
    for text in ("", "   ", "?!", "x" * (LONGEST_QUESTION + 1), "a\x00b"):
        with pytest.raises(Refused) as refused:
            ask(run, owner, text)
        assert refused.value.field == "question"
    with pytest.raises(Refused, match="no such gap"):
        extend(run, owner, "G9-9")
    with pytest.raises(Refused, match="no such question"):
        rerun(run, owner, "7.7")
    extend(run, owner, gap.gap_id)
    with pytest.raises(Refused, match="already asked") as refused:
        extend(run, owner, gap.gap_id)
    assert refused.value.status == 409
    assert run.follow_ups.count() == 1


def test_runs_without_a_report_take_no_questions(forest: Project, owner: User) -> None:
    files = [file.pk for file in forest.context_files.all()]
    young = start_run(forest, owner, QUESTION, profile="local-only", file_ids=files, enqueue=False)
    with pytest.raises(Refused, match="not finished"):
        ask(young, owner, TALL)
    young.job.ask("cancel")
    with pytest.raises(Refused, match="no report"):
        ask(young, owner, TALL)
    assert not FollowUp.objects.exists()


def test_a_run_that_stopped_after_its_report_goes_on_and_is_asked_then(
    forest: Project, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meet(asked: Any) -> None:
        if asked.role == "verify":
            raise Stopped("No.")

    with monkeypatch.context() as patch:
        meets(patch, meet)
        run = researched(forest, owner)
        if run.job.state != State.FAILED:
            pytest.skip("The claim check does not end a run.")
        assert run.has_report
        asked = worked(ask(run, owner, TALL))
        assert asked.state == "left"
        assert asked.run.job.state == State.FAILED
    asked = worked(ask(run, owner, TALL))
    assert asked.state == "answered"
    assert asked.run.claims.exists()
    assert holds(run) == ["run_failed", REOPENED, "run_failed", REOPENED, "run_completed"]
