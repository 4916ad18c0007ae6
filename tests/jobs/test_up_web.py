"""`manage.py up` and its web processes: they share one socket, so nobody is refused while one is away (SPEC P6)."""

import os
import signal
import socket
from pathlib import Path

import httpx
import psutil
import pytest

from config.management.commands.up import WEB_PROCESSES
from projects.models import User
from tests.servers.processes import environment, free_port, manage, own_database, until

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

LONG = 90.0


def web_processes(scholium: psutil.Process) -> list[psutil.Process]:
    return [one for one in scholium.children() if one.is_running() and "--fd" in one.cmdline()]


def test_a_web_process_that_dies_is_replaced_and_nobody_is_refused(tmp_path: Path, owner: User) -> None:
    """Somebody has signed up already, so that no demo is installed."""
    port, log = free_port(), tmp_path / "log"
    env = environment(own_database(), tmp_path, WORKERS="1", R_PLUMBER_URLS="http://127.0.0.1:9")
    with manage("up", "--port", str(port), env=env, log=log) as process:
        scholium = psutil.Process(process.pid)
        until(lambda: len(web_processes(scholium)) == WEB_PROCESSES, LONG, "the web processes")
        until(lambda: "Scholium is ready" in log.read_text(), LONG, "the first answer")
        before = web_processes(scholium)
        for one in before:
            os.kill(one.pid, signal.SIGKILL)
        address = f"http://127.0.0.1:{port}/healthz"
        assert httpx.get(address, timeout=LONG, trust_env=False).text == "ok"
        until(lambda: len(set(web_processes(scholium)) - set(before)) == WEB_PROCESSES, LONG, "others")
        assert "The web process stopped" in log.read_text()
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)), "nothing listens any more"
