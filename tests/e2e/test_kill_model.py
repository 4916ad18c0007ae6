"""kill -9 of the worker in the middle of runs that a model conducts over the catalogues (SPEC R16).

What reached the model and the catalogues is counted by its content and compared with the journal: a blow costs the
calls that were under way, and what was answered and stored is never asked again.
"""

import os
import random
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import count
from pathlib import Path

import psutil
import pytest
from django.utils import timezone

from jobs.models import JobEvent
from projects.models import Project, User
from research.models import Run, Step
from tests.e2e.kill_process import LONG, assert_whole, job_of, strike, up
from tests.servers.processes import until
from tests.servers.thinking_model import Call, Thinking, thinking
from tests.start_run import start_run

SEED = 20260101
BLOWS = int(os.environ.get("BLOWS", "4"))  # BLOWS=20 for a longer look
MODEL, SEARCH = 0.04, 0.02  # seconds before an answer
Start = Callable[[int], Run]
QUESTION = "How does alder change soil nitrogen? ({})"  # the number keeps what runs ask apart
SOON = 0.005  # seconds between two looks at what was asked, so that blows fall at any moment of a call

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


@pytest.fixture
def start(project: Project, owner: User) -> Start:
    """Starts a run by its number."""
    return lambda number: start_run(project, owner, QUESTION.format(number), profile="academic")


def strike_after(calls: int, thought: Thinking, runs: Sequence[Run], scholium: psutil.Process) -> datetime:
    """A blow once so many more calls were made, or `runs` have ended; the moment at which another worker goes on."""
    enough, looks = len(thought.asked) + calls, count()

    def due() -> bool:
        # The database is asked now and then only: each time it takes of what the worker needs.
        return len(thought.asked) >= enough or next(looks) % 50 == 0 and all(job_of(run).has_ended for run in runs)

    until(due, LONG, "the middle of a run", every=SOON)
    struck = timezone.now()
    strike(scholium)
    recovered = JobEvent.objects.filter(kind="job_recovered", at__gt=struck).order_by("at").values_list("at", flat=True)
    until(lambda: recovered.exists() or all(job_of(run).has_ended for run in runs), LONG, "another worker to go on")
    return recovered.first() or timezone.now()


def stored() -> list[datetime]:
    """When the answer to each call of all runs was stored. The library is no call: it is here."""
    calls = Step.objects.filter(kind__in=["model", "search"]).exclude(key__endswith="/library")
    return list(calls.values_list("finished_at", flat=True))


def contents(calls: Sequence[Call]) -> set[str]:
    return {call.content for call in calls}


def assert_never_again(asked: Sequence[Call], moments: Sequence[datetime]) -> None:
    """All that was asked is in the journal once; what was asked again after one of `moments` was not stored then."""
    kept = stored()
    assert len(contents(asked)) == len(kept)
    for moment in moments:
        before = contents([call for call in asked if call.at < moment])
        again = before & contents([call for call in asked if call.at >= moment])
        assert len(again) <= len(before) - sum(at < moment for at in kept)


def lost(asked: Sequence[Call], moments: Sequence[datetime]) -> list[int]:
    """How many calls of each attempt, the first of which ends with the first of `moments`, were made again later."""
    times = []
    for begun, ended in zip([asked[0].at, *moments], moments, strict=False):
        here = [call for call in asked if begun <= call.at < ended]
        assert len(contents(here)) == len(here)  # within an attempt, nothing is asked twice
        times.append(len(contents(here) & contents([call for call in asked if call.at >= ended])))
    return times


def assert_finished(runs: Sequence[Run]) -> None:
    """Each of `runs` is whole; and most blows did hit one."""
    for run in runs:
        until(lambda run=run: job_of(run).has_ended, LONG, "the run to finish")  # type: ignore[misc]
        assert_whole(run)
    assert sum(job_of(run).attempts - 1 for run in runs) > 1


def test_a_blow_costs_the_one_call_that_was_under_way(start: Start, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    settings = {"WORKERS": "2", "RESEARCH_CONCURRENCY": "1"}
    with thinking(MODEL, SEARCH) as thought, up(tmp_path, **settings, **thought.settings) as scholium:
        runs, moments = [start(1)], []
        for _ in range(BLOWS):
            if job_of(runs[-1]).has_ended:
                runs.append(start(len(runs) + 1))
            moments.append(strike_after(chance.randint(5, 25), thought, runs[-1:], scholium))
        assert_finished(runs)
    assert_never_again(thought.asked, moments)
    assert max(lost(thought.asked, moments)) <= 1


def test_several_runs_lose_only_what_was_under_way(start: Start, tmp_path: Path) -> None:
    chance = random.Random(SEED)
    with thinking(MODEL, SEARCH) as thought, up(tmp_path, WORKERS="3", **thought.settings) as scholium:
        runs = [start(number) for number in range(1, 4)]
        moments = [strike_after(chance.randint(30, 60), thought, runs, scholium) for _ in range(2)]
        assert_finished(runs)
    assert_never_again(thought.asked, moments)
    assert len(thought.asked) == len(stored()) + sum(lost(thought.asked, moments))
