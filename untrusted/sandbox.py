"""Reading untrusted bytes in separate processes, with limits and without secrets (SPEC R18).

Libraries that parse PDF or Office files may crash, hang or use too much memory on malicious bytes. So a server process
loads the libraries once and forks a child for each file. The child sets its limits, reads the file, writes the result
and exits. Loading a library takes longer than reading a small file; forking is fast.

    answer = read_apart(file, "contextfiles.read_text", ["pdf", ""], seconds=90)

The server runs `python -m untrusted.sandbox`. It ends with this process or after some idle time, and is started again
when needed. Nothing here imports Django.
"""

import atexit
import contextlib
import gc
import json
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from untrusted.process_environment import child_environment

MEMORY = 1024 * 1024 * 1024  # bytes of address space
CPU_SECONDS = 60
GRACE = 5  # extra seconds for a process that disabled its own alarm
MAX_ANSWER = 64 * 1024 * 1024  # bytes; the longest text with the most passages is smaller
IDLE = 60  # seconds after which the idle server ends

_PID = struct.Struct("i")
_MAX_REQUEST = 4096  # bytes


class NoAnswer(Exception):
    """The reading process gave no answer. `was_late`: it exceeded its time."""

    def __init__(self, was_late: bool) -> None:
        super().__init__()
        self.was_late = was_late


def read_in_sandbox(file: IO[bytes], reader: str, arguments: list[Any], seconds: int = 90) -> dict[str, Any]:
    """Return the result of `answered(file, *arguments)` in the module `reader` for an open file on the disk.

    `load(*arguments)` of that module runs in the server process and imports what it needs, but never Django. Arguments
    and result are JSON. Several threads may read at the same time. Raises Silent, and OSError if no process can be
    started.
    """
    begun = time.monotonic()
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            pid = _waiting.begin([file.fileno(), theirs.fileno()], [reader, seconds, arguments])
        said = _all_of(ours, pid, begun + seconds + GRACE)
    try:
        answer: dict[str, Any] = json.loads(said)
    except ValueError as error:
        raise NoAnswer(was_late=time.monotonic() - begun >= min(seconds, CPU_SECONDS)) from error
    return answer


def _all_of(reply: socket.socket, pid: int, deadline: float) -> bytes:
    """Return the output of the process `pid`, until it ends or is killed at `deadline` or after MAX_ANSWER bytes."""
    said = bytearray()
    with contextlib.suppress(OSError):
        while len(said) < MAX_ANSWER:
            reply.settimeout(max(0.01, deadline - time.monotonic()))
            part = reply.recv(1 << 20)
            if not part:
                return bytes(said)
            said += part
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    return b""


class _Waiting:
    """The client side of the server process that reads files."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.process: subprocess.Popen[bytes] | None = None
        self.control: socket.socket | None = None

    def begin(self, files: list[int], request: list[Any]) -> int:
        """Have the server handle `request` with the open `files`, and return the child's process id. Raises OSError."""
        with self.lock:
            with contextlib.suppress(OSError):  # the server may have ended just now
                if self.control:
                    return self._asked(files, request)
            self.close()
            self._start()
            return self._asked(files, request)

    def close(self) -> None:
        """Stop the server. Its running children continue."""
        if self.control:
            self.control.close()
        if self.process:
            self.process.kill()
            self.process.wait()
        self.control = self.process = None

    def _start(self) -> None:
        self.control, theirs = socket.socketpair()
        self.control.settimeout(IDLE)
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "untrusted.sandbox"],
                cwd=Path(__file__).resolve().parent.parent,
                env=child_environment(),
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

    def _asked(self, files: list[int], request: list[Any]) -> int:
        assert self.control
        socket.send_fds(self.control, [json.dumps(request).encode()], files)
        said = self.control.recv(_PID.size)
        if len(said) < _PID.size:
            raise ConnectionResetError("The process that reads files ended.")
        return int(_PID.unpack(said)[0])


_waiting = _Waiting()
atexit.register(_waiting.close)
# A forked process must not share the connection to the server process.
os.register_at_fork(after_in_child=_waiting.__init__)  # type: ignore[misc]


def main() -> None:
    """Wait for requests on the socket at standard input, and fork a process for each (the server process)."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # children are not waited for
    control = socket.socket(fileno=os.dup(0))
    control.settimeout(IDLE)
    while True:
        try:
            request, files, _, _ = socket.recv_fds(control, _MAX_REQUEST, 2)
        except OSError:
            return
        if not request:
            return
        reader, seconds, arguments = json.loads(request)
        load(reader, arguments)
        pid = os.fork()
        if not pid:
            control.close()
            _serve(files, reader, seconds, arguments)
        for file in files:
            os.close(file)
        control.send(_PID.pack(pid))


def load(reader: str, arguments: list[Any]) -> None:
    """Import what is needed to read such a file, so that forked children have it."""
    import_module(reader).load(*arguments)
    gc.freeze()


def _serve(files: list[int], reader: str, seconds: int, arguments: list[Any]) -> None:
    """Read the first of `files`, write the result to the second, and exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        _limit(seconds)
        with open(files[0], "rb") as file, socket.socket(fileno=files[1]) as reply:  # noqa: PTH123
            reply.sendall(json.dumps(import_module(reader).answered(file, *arguments), ensure_ascii=False).encode())
    finally:
        os._exit(0)


def _limit(seconds: int) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    cpu = min(seconds, CPU_SECONDS)
    for limit, most in (
        (resource.RLIMIT_AS, (MEMORY, MEMORY)),
        (resource.RLIMIT_CPU, (cpu, cpu + 5)),
        (resource.RLIMIT_FSIZE, (0, 0)),
        (resource.RLIMIT_CORE, (0, 0)),
    ):
        resource.setrlimit(limit, most)
    signal.alarm(seconds)  # ends this process even if its parent is gone


if __name__ == "__main__":
    main()
