"""R17: ask a finished run, look into a gap, research a question again; on the offline engine."""

from typing import Any

import pytest
from asgiref.sync import sync_to_async

from citations.importing.file_import import import_entries
from core.errors import Refused
from jobs.models import State
from jobs.work import Stopped
from projects.models import Project, User
from research.export.structured import result
from research.follow_ups.follow_up_job import follow_up
from research.follow_ups.start import ask, extend, rerun
from research.journal.provenance import REOPENED
from research.models import FollowUp, Gap, Run
from research.setup.limits import LONGEST_QUESTION
from tests.research.finished_run import finished, forest, owner, project, run
from tests.research.follow_up_gaps import OAK, TALL, gap, holds, meets
from tests.research.follow_up_run import worked
from tests.research.forest_thesis import QUESTION, researched
from tests.start_run import start_run

__all__ = ["finished", "forest", "gap", "owner", "project", "run"]

pytestmark = pytest.mark.django_db


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


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.long
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
