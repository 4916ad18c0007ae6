"""R12: whoever ends a run, its log says so in its last entry, once, and nothing is written after it."""

from typing import Any

import pytest
from asgiref.sync import sync_to_async

from jobs.models import State
from jobs.work import perform
from llm.offline import OfflineEngine
from projects.models import Project, User
from research.journal.provenance import END_EVENTS, verify_run
from research.models import Run
from tests.research.forest_thesis import QUESTION
from tests.start_run import start_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(forest: Project, owner: User) -> Run:
    files = [file.pk for file in forest.context_files.all()]
    return start_run(forest, owner, QUESTION, profile="local-only", file_ids=files, enqueue=False)


def ends(run: Run) -> list[str]:
    run.refresh_from_db()
    assert verify_run(run).ok, verify_run(run).sentence
    assert run.completed_at is not None
    assert not run.steps.filter(finished_at__gt=run.completed_at).exists()
    last = run.provenance.last()
    assert last is not None
    assert last.details["entries"] == last.seq == run.provenance_length
    return [entry.event_type for entry in run.provenance.filter(event_type__in=END_EVENTS)]


def test_cancelled_before_it_began(run: Run) -> None:
    run.job.ask("cancel")
    assert ends(run) == ["run_cancelled"]


def test_cancelled_while_paused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    real = OfflineEngine.ask

    async def ask(self: OfflineEngine, asked: Any) -> Any:
        if asked.role == "condense":
            await sync_to_async(run.job.ask)("pause")
        return await real(self, asked)

    monkeypatch.setattr(OfflineEngine, "ask", ask)
    perform(str(run.job_id))
    run.job.refresh_from_db()
    assert run.job.state == State.PAUSED
    run.job.ask("cancel")
    assert ends(run) == ["run_cancelled"]


def test_a_fault_on_our_side(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(self: OfflineEngine, asked: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(OfflineEngine, "ask", ask)
    perform(str(run.job_id))
    assert ends(run) == ["run_failed"]


def test_another_engine_since(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that rested over an upgrade ends in a sentence, not in a fault."""
    real = OfflineEngine.ask

    async def ask(self: OfflineEngine, asked: Any) -> Any:
        await sync_to_async(run.job.ask)("pause")
        return await real(self, asked)

    monkeypatch.setattr(OfflineEngine, "ask", ask)
    perform(str(run.job_id))
    run.job.resume()
    monkeypatch.setattr(OfflineEngine, "name", "offline-0")
    perform(str(run.job_id))
    run.job.refresh_from_db()
    assert "started with another engine" in run.job.reason
    assert ends(run) == ["run_failed"]


@pytest.mark.long
def test_files_and_references_deleted_while_it_rests(
    run: Run, forest: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = OfflineEngine.ask
    paused: list[int] = []

    async def ask(self: OfflineEngine, asked: Any) -> Any:
        if asked.role == "sufficiency" and not paused:
            paused.append(1)
            await sync_to_async(run.job.ask)("pause")
        return await real(self, asked)

    monkeypatch.setattr(OfflineEngine, "ask", ask)
    perform(str(run.job_id))
    for file in forest.context_files.all():
        file.delete()
    forest.citations.all().delete()
    run.job.refresh_from_db()
    assert run.job.resume()
    perform(str(run.job_id))
    run.job.refresh_from_db()
    assert run.job.state == State.DONE, run.job.reason
    assert ends(run) == ["run_completed"]
