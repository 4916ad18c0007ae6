"""Many analyses at once, some killed: three run, five wait, none is lost, nothing stays running (SPEC N7, R16).

Real processes: R's service twice, a worker, and kill -9.
"""

import json
import os
import signal
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models import Sum

from analysis.models import Analysis
from analysis.r_client import local_service
from analysis.running.start import AnalysisRequest, start_analysis
from core.errors import Refused
from jobs.compute_slots import CAPACITY, QUEUE
from jobs.models import ComputeSlot, Job, State
from jobs.work import perform
from projects.models import Project, User
from tests.servers.processes import environment, manage, own_database, until

pytestmark = [pytest.mark.r, pytest.mark.django_db(transaction=True)]

LONG = 60.0  # seconds; on a machine that is busy with other tests
MANY = 20


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[local_service.LocalService]:
    """Two processes of the service, as in earnest; an analysis of theirs only waits."""
    if not local_service.is_r_installed():
        pytest.skip("R is not installed: docker/setup test adds it")
    log = tmp_path_factory.mktemp("r") / "service.log"
    with local_service.start(
        2, environment={"R_DEBUG_ANALYSES": "1", "R_IDLE": "3600", "R_HANG": "60"}, log=log
    ) as started:
        yield started


@pytest.fixture(autouse=True)
def engine(two: local_service.LocalService, settings: Any, tmp_path: Path) -> local_service.LocalService:
    two.look()  # what a test before has killed
    two.wait()
    settings.R_PLUMBER_URLS, settings.R_PLUMBER_TOKEN = two.urls, two.token
    settings.MEDIA_ROOT = tmp_path / "media"
    return two


@pytest.fixture(scope="module")
def worker(
    two: local_service.LocalService, django_db_setup: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """A worker for all tests here that want one: to start it takes longer than they do."""
    folder = tmp_path_factory.mktemp("worker")
    env = environment(own_database(), folder, R_PLUMBER_URLS=",".join(two.urls), R_PLUMBER_TOKEN=two.token)
    with manage("worker", env=env, log=folder / "worker.log"):
        yield


def ask(project: Project, user: User, seconds: float = 0.2, *, enqueue: bool = True) -> Analysis:
    """An analysis that does nothing for `seconds` (less than the 3 of R_HANG)."""
    options = {"options": {"seconds": seconds}}
    return start_analysis(project, user, AnalysisRequest(name="debug_sleep", params=options), enqueue=enqueue)


def job_of(row: Analysis) -> Job:
    """The job of an analysis, as it stands now."""
    found: Job = Job.objects.get(subject=row.pk)
    return found


def busy(one: local_service.ServiceProcess, token: str) -> int:
    """How many analyses a process of the service computes."""
    request = urllib.request.Request(f"http://127.0.0.1:{one.port}/health", headers={"X-Token": token})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return int(json.load(answer)["running"])


class Watch:
    """Looks again and again how many run and how many wait."""

    def __init__(self) -> None:
        self.most_places = self.most_waiting = self.looks = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)

    def __enter__(self) -> "Watch":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()

    def look(self) -> None:
        while not self.over.wait(0.02):
            places = ComputeSlot.objects.aggregate(places=Sum("places"))["places"] or 0
            self.most_places = max(self.most_places, places)
            self.most_waiting = max(self.most_waiting, ComputeSlot.objects.filter(places=0).count())
            self.looks += 1
        connection.close()


@pytest.mark.long
def test_of_twenty_at_once_three_run_five_wait_and_the_rest_is_told_busy(
    project: Project, owner: User, worker: None
) -> None:
    asked: list[Analysis] = []
    refused: list[Refused] = []

    def ask_five() -> None:
        for _ in range(MANY // 4):
            try:
                asked.append(ask(project, owner, 0.4))
            except Refused as one:
                refused.append(one)
        connection.close()

    with Watch() as watch:
        clicks = [threading.Thread(target=ask_five) for _ in range(4)]
        for one in clicks:
            one.start()
        for one in clicks:
            one.join()
        assert len(asked) == CAPACITY + QUEUE
        assert [(one.code, one.status) for one in refused] == [("busy", 429)] * (MANY - CAPACITY - QUEUE)
        assert all("Try again" in one.message for one in refused)
        assert Analysis.objects.count() == Job.objects.count() == CAPACITY + QUEUE, "nothing half made is left"

        def all_asked() -> bool:
            try:
                while len(asked) < MANY:
                    asked.append(ask(project, owner, 0.05))
            except Refused:
                return False
            return True

        until(all_asked, LONG, "the rest to be taken when asked again")
        until(lambda: Job.objects.filter(state=State.DONE).count() == MANY, LONG, "all to finish")
    assert watch.looks > 20
    assert watch.most_places == CAPACITY, "as many as may run did, and never more"
    assert watch.most_waiting <= QUEUE
    rows = Analysis.objects.select_related("job")
    assert {(row.state, row.error is None, row.result is not None) for row in rows} == {("done", True, True)}
    assert sorted(row.number for row in rows) == list(range(1, MANY + 1))
    assert not ComputeSlot.objects.exists()


@pytest.mark.long
def test_a_worker_that_is_killed_in_the_middle_is_followed_by_another(
    project: Project, owner: User, worker: None
) -> None:
    row = ask(project, owner, 0.9)
    lease = until(lambda: job_of(row).lease_by, LONG, "the worker to begin")
    os.kill(int(lease.split(":")[1]), signal.SIGKILL)
    until(lambda: job_of(row).has_ended, LONG, "another to end it")
    row = Analysis.objects.select_related("job").get(pk=row.pk)
    assert (row.state, job_of(row).attempts) == ("done", 2)
    assert not ComputeSlot.objects.exists()


class Doing(threading.Thread):
    """A worker of this process that does one analysis."""

    def __init__(self, row: Analysis) -> None:
        super().__init__(daemon=True)
        self.row = row
        self.start()

    def run(self) -> None:
        perform(str(self.row.job_id))
        connection.close()

    def done(self) -> Analysis:
        self.join(LONG)
        assert not self.is_alive()
        found: Analysis = Analysis.objects.select_related("job").get(pk=self.row.pk)
        return found


def computing(engine: local_service.LocalService) -> local_service.ServiceProcess:
    """The process of the service that computes."""
    return until(
        lambda: next((one for one in engine.processes if busy(one, engine.token)), None), LONG, "R to begin", every=0.01
    )  # type: ignore[return-value]


@pytest.mark.long
def test_r_is_killed_in_the_middle_and_the_other_process_does_it(
    project: Project, owner: User, engine: local_service.LocalService
) -> None:
    engine.wait()
    doing = Doing(ask(project, owner, 0.9, enqueue=False))
    killed = computing(engine)
    os.kill(killed.pid, signal.SIGKILL)
    killed.process.wait()
    assert engine.look() == [killed.port], "as `manage.py up` looks: what it left behind ends, and it is started again"
    row = doing.done()
    assert (row.state, job_of(row).state, job_of(row).attempts) == ("done", State.DONE, 1)


@pytest.mark.long
def test_both_are_killed_and_it_says_so(project: Project, owner: User, engine: local_service.LocalService) -> None:
    engine.wait()  # one that was started again may be starting still, and asking it would take longer than the analysis
    doing = Doing(ask(project, owner, 0.9, enqueue=False))
    computing(engine)
    for one in engine.processes:
        os.killpg(one.pid, signal.SIGKILL)  # with what they started, as a container that is killed
    row = doing.done()
    assert (row.state, job_of(row).state) == ("failed", State.FAILED)
    assert row.error is not None
    assert row.error["code"] in ("absent", "internal")
    assert row.error["message"]
    assert row.ended_at is not None
    assert not ComputeSlot.objects.exists()
    assert not Job.objects.alive().exists()
