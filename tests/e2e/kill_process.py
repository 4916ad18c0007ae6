"""Blows to a worker, as a machine that loses power deals them, and what must hold of a run afterwards (SPEC R16).

No browser here: `manage.py up` keeps the worker up, runs are started as the API starts them, and rows are compared.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from django.db import connection
from django.db.models import Count

from jobs.models import Job, State
from research.journal.provenance import verify_run
from research.models import Run
from tests.servers.processes import environment, free_port, manage, until

LONG = 90.0  # seconds a run has to finish after the last blow


@contextmanager
def up(folder: Path, **settings: str) -> Iterator[psutil.Process]:
    """`manage.py up` on the database of this test, with its files and log in `folder`."""
    env = environment(connection.settings_dict["NAME"], folder, **settings)
    with manage("up", "--port", str(free_port()), env=env, log=folder / "log") as process:
        yield psutil.Process(process.pid)


def worker_of(scholium: psutil.Process) -> psutil.Process | None:
    """The worker that `up` started, which leads a process group of its own."""
    for child in scholium.children():
        try:
            if "worker" in child.cmdline():
                return child
        except (psutil.NoSuchProcess, psutil.ZombieProcess):
            continue
    return None


def strike(scholium: psutil.Process) -> None:
    """The worker, its cluster and every process of it are gone at once."""
    worker = until(lambda: worker_of(scholium), LONG, "a worker to strike")
    assert worker is not None
    os.killpg(worker.pid, signal.SIGKILL)


def job_of(run: Run) -> Job:
    found: Job = Job.objects.get(pk=run.job_id)
    return found


def assert_whole(run: Run) -> None:
    """The run is done; its events have no gap, its log holds, and nothing in it is there twice."""
    job = job_of(run)
    assert (job.state, job.reason) == (State.DONE, ""), job.reason
    assert list(job.events.values_list("seq", flat=True)) == list(range(1, job.last_seq + 1))
    run.refresh_from_db()
    verdict = verify_run(run)
    assert verdict.ok, verdict.sentence
    twice = run.provenance.values("event_type", "summary", "details").annotate(times=Count("pk")).filter(times__gt=1)
    assert list(twice) == [], list(twice)
    assert run.provenance.filter(event_type="run_completed").count() == 1
