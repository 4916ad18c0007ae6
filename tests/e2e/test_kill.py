"""kill -9 of the worker, again and again, in the middle of runs: each finishes, and nothing is done twice (SPEC R16).

What is stored is compared before and after each blow.
"""

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from config.demo.install import EMAIL, QUESTION, install
from jobs.models import Job, State
from projects.models import Project, User
from research.models import Run, Step
from tests.e2e.kill_process import LONG, assert_whole, job_of, strike, up
from tests.servers.processes import until
from tests.start_run import start_run

pytestmark = pytest.mark.long

SEED = 20260101
BLOWS = int(os.environ.get("BLOWS", "10"))  # BLOWS=20 for a longer look


@pytest.fixture
def demo(transactional_db: None, settings: Any, tmp_path: Path) -> Project:
    settings.MEDIA_ROOT = tmp_path / "media"
    return install()


@pytest.fixture
def scholium(demo: Project, tmp_path: Path) -> Iterator[psutil.Process]:
    with up(tmp_path, WORKERS="2", RESEARCH_CONCURRENCY="2") as process:
        yield process


def start(demo: Project) -> Run:
    user = User.objects.get(email=EMAIL)
    files = list(demo.context_files.values_list("pk", flat=True))
    return start_run(demo, user, QUESTION, profile="local-only", file_ids=files)


def stored(run: Run) -> dict[str, tuple[Any, Any]]:
    """The stored steps: when, and with which response."""
    rows = Step.objects.filter(run=run)
    return {row.key: (row.finished_at, row.response) for row in rows}


def length_of_a_run(demo: Project) -> float:
    """Seconds a run takes here and now when nobody disturbs it."""
    run = start(demo)
    until(lambda: job_of(run).has_ended, LONG, "an undisturbed run")
    job = job_of(run)
    assert (job.state, job.reason) == (State.DONE, "")
    assert job.started_at is not None
    assert job.ended_at is not None
    return (job.ended_at - job.started_at).total_seconds()


def strike_in_the_middle(run: Run, scholium: psutil.Process, after: float) -> bool:
    """A blow `after` seconds from when a worker has begun or gone on with `run`; whether it hit the run.

    What was stored before is compared with what is stored once another worker goes on.
    """
    until(lambda: job_of(run).state != State.QUEUED, LONG, "the run to begin")
    held = job_of(run).lease_by
    time.sleep(after)
    before = stored(run)
    strike(scholium)
    hit = not job_of(run).has_ended
    until(lambda: job_of(run).lease_by != held, LONG, "another worker to take over")
    now = stored(run)
    assert {key: now[key] for key in before} == before
    return hit


def test_blow_after_blow_and_every_run_finishes(demo: Project, scholium: psutil.Process) -> None:
    chance = random.Random(SEED)
    seconds = length_of_a_run(demo)
    report = Run.objects.latest("created_at").report
    run, hits = start(demo), 0
    for _ in range(BLOWS):
        hits += strike_in_the_middle(run, scholium, chance.uniform(0, seconds / 3))
        if job_of(run).has_ended:
            run = start(demo)
    for one in Run.objects.order_by("created_at"):
        until(lambda job=one.job_id: Job.objects.get(pk=job).has_ended, LONG, "the run to finish")  # type: ignore[misc]
        assert_whole(one)
        assert one.report == report  # word for word what an undisturbed run wrote
    assert hits >= BLOWS / 2
