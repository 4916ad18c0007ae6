"""Real processes for tests: start them, wait for what they do, and end them."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import TypeVar

from django.db import connection

ROOT = Path(__file__).resolve().parents[2]
# Variables that tests set themselves, and those for the test process only
_OURS = ("DATABASE_URL", "LLM_ENGINE", "DEBUG", "UI_DEBUG", "REDIS_URL", "REDIS_URL_FILE", "DJANGO_ALLOW_ASYNC_UNSAFE")
GRACE = 20.0  # seconds a process has to end when it is told to

T = TypeVar("T")
Process = subprocess.Popen[bytes]


def environment(database: Path | str, folder: Path, **more: str) -> dict[str, str]:
    """Return the environment of a process on `database` (a URL or a SQLite file) with its files below `folder`."""
    kept = {name: value for name, value in os.environ.items() if name not in _OURS}
    return {
        **kept,
        "DJANGO_SETTINGS_MODULE": "tests.servers.settings",
        "SECRET_KEY": "only for tests, never anywhere else, 0123456789",
        "DATABASE_URL": str(database) if "://" in str(database) else f"sqlite:///{database}",
        "MEDIA_ROOT": str(folder / "media"),
        "PYTHONUNBUFFERED": "1",
        "RESEARCH_RETRY_PAUSE": "0",
        # No service is there. Otherwise `up` would start two R processes, which takes seconds; "" makes it start them.
        "R_PLUMBER_URLS": "http://127.0.0.1:9",
        **more,
    }


def own_database() -> str:
    """Return the URL of the database that the tests of this process use."""
    at = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{at['NAME']}"
    return f"postgres://{at['USER']}@/{at['HOST']}/{at['NAME']}"


@contextmanager
def manage(*arguments: str, env: dict[str, str], log: Path) -> Iterator[Process]:
    """Run `manage.py ARGUMENTS` in its own process group until the block ends, with its output appended to `log`."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=env,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        end(process)


def end(process: Process) -> None:
    """Ask `process` to stop, and kill its process group after GRACE seconds."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        kill_group(process)


def kill_group(process: Process) -> None:
    """Kill `process` and its whole process group with SIGKILL, as a power cut would."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(GRACE)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def answers(port: int, path: str) -> bool:
    """Return whether a server on `port` of this machine answers `path` with status 200.

    It is called again and again while processes start. httpx would be slower, since each client loads certificates.
    """
    with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as web:
        try:
            web.request("GET", path)
            return web.getresponse().status == 200
        except (OSError, HTTPException):
            return False


def until(condition: Callable[[], T], seconds: float, what: str, every: float = 0.05) -> T:
    """Poll `condition` and return its first true value; raise AssertionError naming `what` after `seconds`."""
    late = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < late, f"Waited {seconds:.0f} s in vain for {what}."
        time.sleep(every)
    return value
