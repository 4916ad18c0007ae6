"""A command does a job itself: what it tells comes in order, and Ctrl+C stops it at its next step (SPEC P4)."""

import os
import signal

import pytest

from jobs.models import State
from jobs.work import run_in_foreground
from tests.jobs.conftest import StartJob


@pytest.mark.django_db(transaction=True)
def test_what_it_tells_comes_in_order(start: StartJob) -> None:
    job = start(progress_total=5)
    told: list[int] = []
    run_in_foreground(job, lambda event: told.append(event.seq))
    job.refresh_from_db()
    assert job.state == State.DONE
    assert told == list(range(1, job.last_seq + 1))
    assert len(told) > 1


@pytest.mark.django_db(transaction=True)
def test_ctrl_c_stops_it_at_its_next_step(start: StartJob) -> None:
    job, before = start(progress_total=200), signal.getsignal(signal.SIGINT)
    run_in_foreground(job, lambda event: os.kill(os.getpid(), signal.SIGINT) if event.seq == 2 else None)
    job.refresh_from_db()
    assert job.state == State.CANCELLED
    assert signal.getsignal(signal.SIGINT) is before
