"""Starting real processes for a test, waiting for what they do, and ending every one of them again."""

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
# Settings that tests decide, and what is for their own process only
_OURS = ("DATABASE_URL", "LLM_ENGINE", "DEBUG", "UI_DEBUG", "REDIS_URL", "REDIS_URL_FILE", "DJANGO_ALLOW_ASYNC_UNSAFE")
GRACE = 20.0  # seconds a process has to end when it is told to

T = TypeVar("T")
Process = subprocess.Popen[bytes]


def environment(database: Path | str, folder: Path, **more: str) -> dict[str, str]:
    """The environment of a process that works on `database`, a URL or a SQLite file, with its files below `folder`."""
    kept = {name: value for name, value in os.environ.items() if name not in _OURS}
    return {
        **kept,
        "DJANGO_SETTINGS_MODULE": "tests.servers.settings",
        "SECRET_KEY": "only for tests, never anywhere else, 0123456789",
        "DATABASE_URL": str(database) if "://" in str(database) else f"sqlite:///{database}",
        "MEDIA_ROOT": str(folder / "media"),
        "PYTHONUNBUFFERED": "1",
        "RESEARCH_RETRY_PAUSE": "0",
        # Nobody is there: `up` would start two processes of R, which takes seconds. A test that wants them gives "".
        "R_PLUMBER_URLS": "http://127.0.0.1:9",
        **more,
    }


def own_database() -> str:
    """The URL of the database that the tests of this process work on."""
    at = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{at['NAME']}"
    return f"postgres://{at['USER']}@/{at['HOST']}/{at['NAME']}"


@contextmanager
def manage(*arguments: str, env: dict[str, str], log: Path) -> Iterator[Process]:
    """`manage.py ARGUMENTS` in a process group of its own, its output appended to `log`; ended with the block."""
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
    """Ask `process` to stop; after GRACE seconds, end its whole group."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        kill_group(process)


def kill_group(process: Process) -> None:
    """kill -9 of `process` and everything in its group, as a machine that loses power would."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(GRACE)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def answers(port: int, path: str) -> bool:
    """Whether something on `port` of this machine answers that all is well at `path`.

    Asked over and over while processes start, so plainly: a client of httpx reads all certificates each time.
    """
    with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as web:
        try:
            web.request("GET", path)
            return web.getresponse().status == 200
        except (OSError, HTTPException):
            return False


def until(condition: Callable[[], T], seconds: float, what: str, every: float = 0.05) -> T:
    """The first true value of `condition`, asked again and again. Raises AssertionError naming `what` when late."""
    late = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < late, f"Waited {seconds:.0f} s in vain for {what}."
        time.sleep(every)
    return value
