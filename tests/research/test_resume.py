"""R16: a run is stopped at any step and goes on; what was stored is never asked again."""

from collections import Counter
from typing import Any

import pytest

from jobs.models import Job, JobEvent, State
from jobs.work import perform
from llm.offline import OfflineEngine
from projects.models import Project, User
from research.journal.provenance import verify_run
from research.models import Run, Step
from tests.research.finished_run import finished, forest, owner
from tests.research.finished_run import run as whole
from tests.research.forest_thesis import QUESTION
from tests.start_run import start_run

__all__ = ["finished", "forest", "owner", "whole"]

pytestmark = pytest.mark.django_db


class PowerCut(BaseException):
    """Nothing in the product catches this: the process is gone."""


def unstarted_run(project: Project, owner: User) -> Run:
    files = [file.pk for file in project.context_files.all()]
    return start_run(project, owner, QUESTION, profile="local-only", file_ids=files, enqueue=False)


def expire(job_id: Any) -> None:
    from datetime import timedelta

    from django.utils import timezone

    Job.objects.filter(pk=job_id).update(lease_until=timezone.now() - timedelta(seconds=1))


@pytest.mark.sample(1)
@pytest.mark.parametrize("nth", [1, 2, 4, pytest.param(7, marks=pytest.mark.postgres), 11])
def test_a_power_cut_loses_only_the_call_under_way(
    whole: Run, forest: Project, owner: User, nth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: Counter[str] = Counter()
    real = OfflineEngine.ask

    async def cut(self: OfflineEngine, question: Any) -> Any:
        asked[question.role] += 1
        if sum(asked.values()) == nth:
            raise PowerCut
        return await real(self, question)

    run = unstarted_run(forest, owner)
    monkeypatch.setattr(OfflineEngine, "ask", cut)
    with pytest.raises(PowerCut):
        perform(str(run.job_id))
    stored = dict(Step.objects.filter(run=run).values_list("key", "finished_at"))
    expire(run.job_id)
    perform(str(run.job_id))
    run.refresh_from_db()
    job = Job.objects.get(pk=run.job_id)
    assert (job.state, job.attempts) == (State.DONE, 2), job.reason
    assert run.report == whole.report
    for step in Step.objects.filter(run=run, key__in=stored):
        assert step.finished_at == stored[step.key], step.key
    assert verify_run(run).ok
    seqs = list(JobEvent.objects.filter(job=job).values_list("seq", flat=True))
    assert seqs == list(range(1, len(seqs) + 1))
    brief = run.provenance.filter(event_type="brief_generated")
    assert brief.count() == 1


def test_pause_and_resume_give_the_same_report(
    whole: Run, forest: Project, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = unstarted_run(forest, owner)
    real = OfflineEngine.ask
    once: list[int] = []

    async def pause(self: OfflineEngine, question: Any) -> Any:
        if question.role == "sufficiency" and not once:
            once.append(1)
            from asgiref.sync import sync_to_async

            await sync_to_async(run.job.ask)("pause")
        return await real(self, question)

    monkeypatch.setattr(OfflineEngine, "ask", pause)
    perform(str(run.job_id))
    run.job.refresh_from_db()
    assert run.job.state == State.PAUSED
    assert run.job.resume()
    perform(str(run.job_id))
    run.refresh_from_db()
    assert run.report == whole.report


def test_cancel_keeps_the_findings(forest: Project, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    run = unstarted_run(forest, owner)
    real = OfflineEngine.ask

    async def cancel(self: OfflineEngine, question: Any) -> Any:
        if question.role == "sufficiency":
            from asgiref.sync import sync_to_async

            await sync_to_async(run.job.ask)("cancel")
        return await real(self, question)

    monkeypatch.setattr(OfflineEngine, "ask", cancel)
    perform(str(run.job_id))
    run.job.refresh_from_db()
    assert run.job.state == State.CANCELLED
    assert run.findings.exists()
    assert verify_run(run).ok
