"""Reading untrusted bytes in a process of their own, with limits and without secrets (SPEC R18).

Libraries that parse PDF or Office files may crash, stall or bloat over hostile bytes. So one process waits with the
libraries loaded, and splits off another for each file: that one takes its limits, reads the file, says what it
found and ends. Loading a library takes longer than reading a small file does; splitting off takes a moment.

    answer = read_apart(file, "contextfiles.read_text", ["pdf", ""], seconds=90)

The waiting process runs `python -m untrusted.sandbox`. It ends with this process, or when nothing was asked of it
for a while, and is started again when there is something to read. Nothing here imports Django.
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
GRACE = 5  # seconds more for a process that turned its own alarm off
MAX_ANSWER = 64 * 1024 * 1024  # bytes: the longest text with the most passages stays below
IDLE = 60  # seconds after which the waiting process ends

_PID = struct.Struct("i")
_MAX_REQUEST = 4096  # bytes


class Silent(Exception):
    """The reading process gave no answer. `was_late`: because its time was up."""

    def __init__(self, was_late: bool) -> None:
        super().__init__()
        self.was_late = was_late


def read_apart(file: IO[bytes], reader: str, arguments: list[Any], seconds: int = 90) -> dict[str, Any]:
    """Return what `answered(file, *arguments)` of the module `reader` gives for the bytes of `file`, an open file on the disk.

    `load(*arguments)` of that module imports what it needs, in the waiting process; nothing it imports may import Django.
    `arguments` and the answer are JSON. Many may be read at a time, from several threads. Raises Silent, and OSError when
    no process can be started.
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
        raise Silent(was_late=time.monotonic() - begun >= min(seconds, CPU_SECONDS)) from error
    return answer


def _all_of(reply: socket.socket, pid: int, deadline: float) -> bytes:
    """Return what the process `pid` says until it ends, or is ended at `deadline` or after MAX_ANSWER bytes."""
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
    """The process that waits for files to read, as seen from here."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.process: subprocess.Popen[bytes] | None = None
        self.control: socket.socket | None = None

    def begin(self, files: list[int], request: list[Any]) -> int:
        """Have `request` served over the open `files`; the id of the process that does. Raises OSError."""
        with self.lock:
            with contextlib.suppress(OSError):  # it may have ended a moment ago
                if self.control:
                    return self._asked(files, request)
            self.close()
            self._start()
            return self._asked(files, request)

    def close(self) -> None:
        """End the waiting process. What it split off reads on."""
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
# A process that was split off this one must not share the way to the waiting process with it.
os.register_at_fork(after_in_child=_waiting.__init__)  # type: ignore[misc]


def main() -> None:
    """Wait for files on the socket that is standard input, and split off a process for each."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how they ended
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
    """Import what reads such a file, so that a process split off has it."""
    import_module(reader).load(*arguments)
    gc.freeze()


def _serve(files: list[int], reader: str, seconds: int, arguments: list[Any]) -> None:
    """Read the first of `files`, write what was found to the second, and end."""
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
    signal.alarm(seconds)  # ends this process even when its parent is gone


if __name__ == "__main__":
    main()
