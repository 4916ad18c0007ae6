"""Lost and forgotten work moves again, in this process and with real ones that are killed (SPEC R16; DESIGN 3)."""

import os
import signal
import socket
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import psutil
import pytest
from django.conf import settings
from django.utils import timezone
from django_q.models import OrmQ
from django_q.tasks import async_task

from jobs import watchdog as module
from jobs.models import Job, State, WorkerBeat
from jobs.watchdog import MARK, PATIENCE, Watchdog, expire_dead, wake_lost
from jobs.work import claim
from tests.jobs.conftest import StartJob
from tests.servers.processes import environment, kill_group, manage, own_database, until

pytestmark = pytest.mark.django_db(transaction=True)

HERE = socket.gethostname()[:40]
LONG = 60.0  # seconds; on a machine that is busy with other tests
NUMBERS = 30  # a job of 1.5 s, if nothing interrupts it


@pytest.fixture
def dead_pid() -> int:
    """The number of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def running(start: StartJob, lease: str) -> Job:
    job = claim(str(start().pk), lease)
    assert job is not None
    return job


def queued_long_ago(start: StartJob) -> Job:
    return start(queued_at=timezone.now() - PATIENCE - timedelta(seconds=1))


@pytest.mark.postgres
def test_a_job_of_a_dead_process_is_enqueued_at_once(start: StartJob, dead_pid: int) -> None:
    job = running(start, f"{HERE}:{dead_pid}:abcd")
    expire_dead()
    wake_lost()
    assert OrmQ.objects.count() == 1
    assert claim(str(job.pk), f"{HERE}:{os.getpid()}:efgh") is not None


@pytest.mark.parametrize("lease", [f"{HERE}:{os.getpid()}:abcd", "another-machine:1:abcd"], ids=["living", "distant"])
def test_a_job_of_a_living_or_distant_process_is_left_alone(start: StartJob, lease: str) -> None:
    job = running(start, lease)
    expire_dead()
    wake_lost()
    assert OrmQ.objects.count() == 0
    assert claim(str(job.pk), "me") is None


@pytest.mark.postgres
def test_a_lost_job_is_woken_once_in_a_while(start: StartJob, dead_pid: int) -> None:
    job = running(start, f"{HERE}:{dead_pid}:abcd")
    expire_dead()
    for _ in range(3):
        wake_lost()
        OrmQ.objects.all().delete()  # a task that gets lost on its way
    job.refresh_from_db()
    assert job.woken_at is not None
    wake_lost()
    assert OrmQ.objects.count() == 0
    Job.objects.filter(pk=job.pk).update(woken_at=timezone.now() - PATIENCE - timedelta(seconds=1))
    wake_lost()
    assert OrmQ.objects.count() == 1


@pytest.mark.postgres
def test_a_forgotten_job_is_woken_once_in_a_while(start: StartJob) -> None:
    queued_long_ago(start)
    start()  # one that was queued just now has time
    wake_lost()
    assert OrmQ.objects.count() == 1
    OrmQ.objects.all().delete()
    wake_lost()
    assert OrmQ.objects.count() == 0


@pytest.mark.postgres
def test_a_job_whose_task_still_waits_is_not_woken_twice(start: StartJob) -> None:
    job = queued_long_ago(start)
    job.enqueue()
    wake_lost()
    assert OrmQ.objects.count() == 1


@pytest.fixture
def dog(monkeypatch: pytest.MonkeyPatch) -> Watchdog:
    """One that loses patience soon, with a cluster that has been up for a while."""
    monkeypatch.setattr(module, "STUCK", 0.05)
    monkeypatch.setattr(module, "STARTING", 0.0)
    return Watchdog()


def test_a_free_cluster_that_takes_nothing_is_stuck(dog: Watchdog) -> None:
    assert not dog.is_stuck()  # nothing to take
    async_task("jobs.work.perform", "1")
    assert not dog.is_stuck()
    time.sleep(0.1)
    assert dog.is_stuck()


def test_a_cluster_that_is_still_starting_is_not_stuck(dog: Watchdog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STARTING", 30.0)
    dog.started = time.monotonic()
    async_task("jobs.work.perform", "1")
    dog.is_stuck()
    time.sleep(0.1)
    assert not dog.is_stuck()


def test_a_cluster_that_takes_one_task_after_the_other_is_not_stuck(dog: Watchdog) -> None:
    """There is always something due, but never the same for long."""
    for number in range(4):
        async_task("jobs.work.perform", str(number))
        async_task("jobs.work.perform", str(number))
        assert not dog.is_stuck()
        time.sleep(0.1)
        oldest = OrmQ.objects.order_by("pk").first()
        assert oldest is not None
        oldest.delete()


def test_a_cluster_whose_workers_are_all_busy_is_not_stuck(
    start: StartJob, dog: Watchdog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(settings.Q_CLUSTER, "workers", 1)
    running(start, f"{HERE}:{os.getpid()}:abcd")
    async_task("jobs.work.perform", "1")
    dog.is_stuck()
    time.sleep(0.1)
    assert not dog.is_stuck()


# With real processes


def worker_environment(folder: Path) -> dict[str, str]:
    return environment(own_database(), folder, WORKERS="2")


def pid_of(job: Job) -> int:
    """The process that does `job`, once it has begun to tell."""

    def busy() -> int:
        job.refresh_from_db()
        told = job.events.filter(kind="number").count()
        return int(job.lease_by.split(":")[1]) if job.lease_by and told else 0

    return until(busy, LONG, "the job to begin")


def assert_finishes(job: Job, numbers: int = NUMBERS) -> None:
    def ended() -> bool:
        job.refresh_from_db()
        return job.has_ended

    until(ended, LONG, "the job to end")
    assert (job.state, job.reason) == (State.DONE, "")
    assert [event.text for event in job.events.filter(kind="number")] == [str(n) for n in range(1, numbers + 1)]
    assert list(job.events.values_list("seq", flat=True)) == list(range(1, job.last_seq + 1))


@pytest.mark.long
@pytest.mark.postgres
def test_a_killed_worker_process_loses_nothing(start: StartJob, tmp_path: Path) -> None:
    job = start(progress_total=NUMBERS)
    job.enqueue()
    with manage("worker", env=worker_environment(tmp_path), log=tmp_path / "log"):
        os.kill(pid_of(job), signal.SIGKILL)
        assert_finishes(job)
        assert job.attempts == 2
        assert WorkerBeat.objects.exists()
    assert not WorkerBeat.objects.exists()  # a worker that is told to stop takes leave


@pytest.mark.long
def test_a_power_cut_and_then_a_killed_watchdog_lose_nothing(start: StartJob, tmp_path: Path) -> None:
    """kill -9 of everything at once: the next worker goes on. When only its watchdog is killed, its cluster ends the
    work at hand, and itself.
    """
    job = start(progress_total=NUMBERS)
    job.enqueue()
    with manage("worker", env=worker_environment(tmp_path), log=tmp_path / "log") as worker:
        pid_of(job)
        kill_group(worker)
    with manage("worker", env=worker_environment(tmp_path), log=tmp_path / "log") as worker:
        assert_finishes(job)
        assert job.attempts == 2
        if sys.platform != "linux":  # a child that follows its parent is a thing of Linux
            kill_group(worker)
            return
        job = start(progress_total=NUMBERS)
        job.enqueue()
        mark = psutil.Process(pid_of(job)).environ()[MARK]
        os.kill(worker.pid, signal.SIGKILL)
        until(lambda: not processes_marked(mark), LONG, "the cluster to end", every=0.25)
    assert_finishes(job)
    assert job.attempts == 1


def processes_marked(mark: str) -> list[int]:
    marked = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                marked.append(process.pid)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return marked
