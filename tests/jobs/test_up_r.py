"""`manage.py up` and the R service: two processes, known to web and worker, replaced when one dies,
gone with the rest (SPEC P5, P6)."""

import json
import os
import signal
import urllib.request
from pathlib import Path
from typing import Any

import psutil
import pytest

from analysis.r_client import local_service
from projects.models import User
from tests.servers.processes import environment, free_port, manage, own_database, until

pytestmark = pytest.mark.long

LONG = 90.0


def engines(scholium: psutil.Process) -> list[psutil.Process]:
    """The processes of R that `up` started itself."""
    found = []
    for child in scholium.children():
        try:
            if any(part.endswith("plumber.R") for part in child.cmdline()):
                found.append(child)
        except (psutil.NoSuchProcess, psutil.ZombieProcess):
            continue
    return found


def ready(port: int) -> Any:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=10) as answer:
            return json.load(answer)
    except OSError:
        return {}


@pytest.mark.r
@pytest.mark.django_db(transaction=True)
def test_up_starts_r_keeps_it_and_ends_it(tmp_path: Path, owner: User) -> None:
    """Somebody has signed up already, so that no demo is installed, whose analyses take longer than all the rest."""
    if not local_service.is_r_installed():
        pytest.skip("R is not installed: docker/setup test adds it")
    port = free_port()
    env = environment(own_database(), tmp_path, WORKERS="1", R_PLUMBER_URLS="")
    with manage("up", "--port", str(port), env=env, log=tmp_path / "log") as process:
        scholium = psutil.Process(process.pid)
        until(lambda: ready(port).get("analysis"), LONG, "the R service to be known to the pages")
        first, second = engines(scholium)
        assert {"R_PLUMBER_TOKEN_FILE", "R_PLUMBER_TOKEN"} & set(first.environ()) == {"R_PLUMBER_TOKEN_FILE"}
        os.kill(first.pid, signal.SIGKILL)
        until(lambda: len(engines(scholium)) == 2 and first not in engines(scholium), LONG, "another process of R")
        assert second in engines(scholium)
        told = tmp_path / "log"
        until(lambda: "stopped; restarting it" in told.read_text(), LONG, "a word about it")
        last = engines(scholium)
    assert not [one for one in last if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
