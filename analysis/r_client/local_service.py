"""Running the R service with the R of this machine, for `manage.py up`, `run_analysis` and the tests."""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from django.conf import settings

from jobs.watchdog import die_with_parent
from untrusted.process_environment import child_environment

PLUMBER = settings.BASE_DIR / "docker" / "r-plumber" / "plumber.R"
START = 60.0  # seconds until a new process must answer; 2 are usual
GRACE = 2.0  # seconds a process has to stop
# A shell that kills a process group when the pipe to it closes, however our process died. R's children get no signal
# when their parent dies, so they would otherwise go on computing.
GUARD = 'read -r _; kill -KILL -"$1" 2>/dev/null'


class NotStarted(Exception):
    """R is installed but the service did not start; the message has the end of R's log."""


def r_is_there() -> bool:
    """Return whether R is installed on this machine."""
    return shutil.which("Rscript") is not None


@dataclass
class One:
    """A process of the service, with its children in the same process group."""

    port: int
    process: "subprocess.Popen[bytes]"
    guard: "subprocess.Popen[bytes]"

    @property
    def pid(self) -> int:
        """Return the process id, which is also the id of the process group."""
        return self.process.pid

    def end(self) -> None:
        """Stop the process and all its children."""
        if self.process.poll() is None:
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(GRACE)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()
        if self.guard.stdin:
            self.guard.stdin.close()
        self.guard.wait()


@dataclass
class Local:
    """The processes of a local R service on loopback ports, with their own token.

    `environment` is added to their environment (R_CHILDREN, R_DEBUG ...). Their output goes to the file `log`, or to
    the output of this process. They end with `stop()`, and when this process or the thread that started them dies.
    """

    count: int = 1
    environment: Mapping[str, str] = field(default_factory=dict)
    log: Path | None = None
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    ports: list[int] = field(default_factory=list)
    processes: list[One] = field(default_factory=list)
    folder: str = ""

    @property
    def urls(self) -> list[str]:
        """Return the URLs of all processes."""
        return [f"http://127.0.0.1:{port}" for port in self.ports]

    @property
    def url(self) -> str:
        """Return the URL of the first process."""
        return self.urls[0]

    @property
    def token_file(self) -> Path:
        """Return the path of the token file. A token in the environment would be inherited and could be printed."""
        return Path(self.folder) / "token"

    def reserve(self) -> None:
        """Choose free ports, so that `urls` are known before `start()`."""
        self.ports = free_ports(self.count)

    def start(self) -> None:
        """Start a process for each reserved port and return at once; `wait()` waits until they answer."""
        if self.ports:
            self.folder = tempfile.mkdtemp(prefix="scholium-r-")
            self.token_file.touch(0o600)
            self.token_file.write_text(self.token, encoding="ascii")
        for port in self.ports:
            self.processes.append(self.spawn(port))

    def spawn(self, port: int) -> One:
        """Start a process of the service on `port`, and its guard."""
        log = self.log.open("ab") if self.log else None
        try:
            process = subprocess.Popen(
                ["Rscript", "--vanilla", str(PLUMBER)],
                cwd=self.folder,
                env=child_environment(
                    **self.environment,
                    R_PLUMBER_HOST="127.0.0.1",
                    R_PLUMBER_PORT=str(port),
                    R_PLUMBER_TOKEN_FILE=str(self.token_file),
                    TMPDIR=self.folder,
                ),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
        finally:
            if log:
                log.close()
        guard = subprocess.Popen(
            ["sh", "-c", GUARD, "sh", str(process.pid)],
            env=child_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        threading.Thread(target=end_children_of, args=(process,), daemon=True).start()
        return One(port, process, guard)

    def wait(self, seconds: float = START) -> None:
        """Wait until all processes answer. Raises NotStarted when one ends or does not answer in time."""
        until = time.monotonic() + seconds
        for one in self.processes:
            while not answers(one.port, self.token):
                if one.process.poll() is not None or time.monotonic() > until:
                    raise NotStarted(f"The R service did not start. {self.said()}".rstrip())
                time.sleep(0.05)

    def look(self) -> list[int]:
        """Restart the processes that have died, on their old ports, and return those ports."""
        died = [(number, one) for number, one in enumerate(self.processes) if one.process.poll() is not None]
        for number, one in died:
            one.end()
            self.processes[number] = self.spawn(one.port)
        return [one.port for _, one in died]

    def stop(self) -> None:
        """Stop all processes and delete their temporary files."""
        for one in self.processes:
            if one.process.poll() is None:
                one.process.terminate()  # all at once, then each in turn
        for one in self.processes:
            one.end()
        self.processes.clear()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def said(self) -> str:
        """Return the end of R's log; "" if there is no log file."""
        return self.log.read_text(errors="replace")[-2000:] if self.log is not None and self.log.exists() else ""


def end_children_of(process: "subprocess.Popen[bytes]") -> None:
    """Wait until a process of the service ends, and kill its children at once: they hold its port and connections."""
    process.wait()
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def start(count: int = 1, *, environment: Mapping[str, str] | None = None, log: Path | None = None) -> Iterator[Local]:
    """Run `count` processes of the service until the end of the block.

    Raises NotStarted with the end of R's log when they do not start.
    """
    local = Local(count, environment or {}, log)
    local.reserve()
    local.start()
    try:
        local.wait()
        yield local
    finally:
        local.stop()


def answers(port: int, token: str) -> bool:
    """Return whether a process of the service answers on a loopback port."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=2)) as service:
        try:
            service.request("GET", "/health", headers={"X-Token": token})
            return service.getresponse().status == 200
        except (OSError, HTTPException):
            return False


def free_ports(count: int) -> list[int]:
    """Return `count` different free ports of the loopback address."""
    with ExitStack() as held:
        probes = [held.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]
