"""kill -9 of the worker, again and again, in the middle of runs: each finishes, and nothing is done twice (SPEC R16).

No browser here: `manage.py up` keeps the worker up, runs are started as the API starts them, and the rows are
compared before and after each blow.
"""

import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from django.db import connection
from django.db.models import Count

from config.demo.install import EMAIL, QUESTION, install
from jobs.models import Job, State
from projects.models import Project, User
from research.models import Run, Step
from research.provenance import verify_run
from research.start import start_run
from tests.servers.processes import environment, free_port, manage, until

SEED = 20260101
BLOWS = 10
LONG = 90.0  # seconds a run has to finish after the last blow


@pytest.fixture
def demo(transactional_db: None, settings: Any, tmp_path: Path) -> Project:
    settings.MEDIA_ROOT = tmp_path / "media"
    return install()


@pytest.fixture
def up(demo: Project, tmp_path: Path) -> Iterator[psutil.Process]:
    """`manage.py up` on the database of this test."""
    env = environment(connection.settings_dict["NAME"], tmp_path, WORKERS="2", RESEARCH_CONCURRENCY="2")
    with manage("up", "--port", str(free_port()), env=env, log=tmp_path / "log") as process:
        yield psutil.Process(process.pid)


def start(demo: Project) -> Run:
    user = User.objects.get(email=EMAIL)
    files = list(demo.context_files.values_list("pk", flat=True))
    return start_run(demo, user, QUESTION, file_ids=files)


def worker_of(up: psutil.Process) -> psutil.Process | None:
    """The worker that `up` started, which leads a process group of its own."""
    for child in up.children():
        try:
            if "worker" in child.cmdline():
                return child
        except (psutil.NoSuchProcess, psutil.ZombieProcess):
            continue
    return None


def job_of(run: Run) -> Job:
    found: Job = Job.objects.get(pk=run.job_id)
    return found


def stored(run: Run) -> dict[str, tuple[Any, int, Any]]:
    """The finished steps: when, after how many calls, and with which response."""
    rows = Step.objects.filter(run=run, finished_at__isnull=False)
    return {row.key: (row.finished_at, row.calls, row.response) for row in rows}


def length_of_a_run(demo: Project) -> float:
    """Seconds a run takes here and now when nobody disturbs it."""
    run = start(demo)
    until(lambda: job_of(run).has_ended, LONG, "an undisturbed run")
    job = job_of(run)
    assert (job.state, job.reason) == (State.DONE, "")
    assert job.started_at is not None
    assert job.ended_at is not None
    return (job.ended_at - job.started_at).total_seconds()


def strike(up: psutil.Process) -> None:
    """The worker, its cluster and every process of it are gone at once."""
    worker = until(lambda: worker_of(up), LONG, "a worker to strike")
    assert worker is not None
    os.killpg(worker.pid, signal.SIGKILL)


def assert_whole(run: Run) -> None:
    """The run is done; its events have no gap, its log holds, and nothing in it is there twice."""
    job = job_of(run)
    assert (job.state, job.reason) == (State.DONE, "")
    assert list(job.events.values_list("seq", flat=True)) == list(range(1, job.last_seq + 1))
    run.refresh_from_db()
    verdict = verify_run(run)
    assert verdict.ok, verdict.sentence
    twice = run.provenance.values("event_type", "summary", "details").annotate(times=Count("pk")).filter(times__gt=1)
    assert list(twice) == []
    assert run.provenance.filter(event_type="run_completed").count() == 1
    assert not run.steps.filter(finished_at=None).exists()


def strike_in_the_middle(run: Run, up: psutil.Process, after: float) -> bool:
    """A blow `after` seconds from when a worker has begun or gone on with `run`; whether it hit the run.

    What was stored before is compared with what is stored once another worker goes on.
    """
    until(lambda: job_of(run).state != State.QUEUED, LONG, "the run to begin")
    held = job_of(run).lease_by
    time.sleep(after)
    before = stored(run)
    strike(up)
    hit = not job_of(run).has_ended
    until(lambda: job_of(run).lease_by != held, LONG, "another worker to take over")
    now = stored(run)
    assert {key: now[key] for key in before} == before
    return hit


def test_ten_blows_and_every_run_finishes(demo: Project, up: psutil.Process) -> None:
    chance = random.Random(SEED)
    seconds = length_of_a_run(demo)
    report = Run.objects.latest("created_at").report
    run, hits = start(demo), 0
    for _ in range(BLOWS):
        hits += strike_in_the_middle(run, up, chance.uniform(0, seconds / 3))
        if job_of(run).has_ended:
            run = start(demo)
    for one in Run.objects.order_by("created_at"):
        until(lambda job=one.job_id: Job.objects.get(pk=job).has_ended, LONG, "the run to finish")  # type: ignore[misc]
        assert_whole(one)
        assert one.report == report  # word for word what an undisturbed run wrote
    assert hits >= BLOWS / 2
