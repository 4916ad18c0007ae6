"""What the watchdog does regularly for rooms: their duties, in this process and in a real worker (SPEC C3)."""

import logging
from pathlib import Path

import pytest
from django.db import OperationalError
from django.utils import timezone

from citations.models import Citation
from jobs import registry
from jobs.models import Job
from jobs.registry import periodic_task
from jobs.watchdog import Watchdog
from projects.models import Project, User
from tests.citations.real_works import WORKS
from tests.servers.processes import environment, manage, own_database, until
from tests.servers.registry_works import Holdings


@pytest.fixture
def no_duties(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_DUTIES", [])


def test_each_waits_its_time(no_duties: None) -> None:
    done: list[str] = []
    periodic_task(seconds=3600)(lambda: done.append("seldom"))
    periodic_task(seconds=0)(lambda: done.append("often"))
    watchdog = Watchdog()
    for _ in range(3):
        watchdog.do_duties()
    assert done == ["seldom", "often", "often", "often"]


def test_one_that_fails_costs_itself_alone(no_duties: None, caplog: pytest.LogCaptureFixture) -> None:
    done: list[str] = []

    @periodic_task(seconds=0)
    def broken() -> None:
        raise ValueError("alder")

    periodic_task(seconds=0)(lambda: done.append("next"))
    with caplog.at_level(logging.ERROR):
        Watchdog().do_duties()
    assert done == ["next"]
    assert "broken" in caplog.text


def test_a_busy_database_ends_the_round(no_duties: None) -> None:
    @periodic_task(seconds=0)
    def busy() -> None:
        raise OperationalError("database is locked")

    with pytest.raises(OperationalError):
        Watchdog().do_duties()


@pytest.mark.long
@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_worker_checks_what_has_become_due(project: Project, owner: User, tmp_path: Path) -> None:
    """Nobody starts a job: the watchdog of a real worker finds what is due, and a worker checks it."""
    row = Citation.objects.create(
        project=project, cite_key="codex", csl=WORKS["codex"].csl(), check_due_at=timezone.now(), failures=3, serial=1
    )
    with Holdings([WORKS["codex"]]) as holdings:
        env = environment(own_database(), tmp_path, WORKERS="1", **holdings.environment())
        with manage("worker", env=env, log=tmp_path / "log"):

            def is_proven() -> bool:
                row.refresh_from_db()
                return row.status == Citation.Status.VERIFIED

            until(is_proven, 60, "the reference to be checked")
    assert (row.tier, row.failures, row.check_due_at) == ("A", 0, None)
    job = Job.objects.get()
    assert (job.kind, job.created_by) == ("check", owner)
    log = (tmp_path / "log").read_text()
    assert WORKS["codex"].title not in log
    assert str(WORKS["codex"].doi) not in log
