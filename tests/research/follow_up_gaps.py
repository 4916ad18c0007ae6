"""Follow-ups for tests: a gap of the finished run, a check of its log, and an engine that is interrupted."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from llm.offline import OfflineEngine
from research.journal.provenance import END_EVENTS, REOPENED, log_of, verify, verify_run
from research.models import Gap, Run
from research.replay import replay

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
