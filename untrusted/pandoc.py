"""Running pandoc in a sandboxed process with limits on time and memory (SPEC R18, T2, T6)."""

import os
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from typing import NamedTuple, TypeVar

from untrusted.process_environment import child_environment

_LARGEST = 300 * 1024 * 1024  # bytes of an output file
_LOOK = 0.1  # seconds between two calls of `tick`

Given = TypeVar("Given")
Got = TypeVar("Got")


@lru_cache(maxsize=1)
def pandoc_path() -> str:
    """Return the pandoc that comes with pypandoc, else the one installed on this machine.

    pypandoc's own function runs every pandoc it finds to get its version, with our whole environment.
    """
    spec = find_spec("pypandoc")
    ours = Path(spec.origin).parent / "files" / "pandoc" if spec and spec.origin else None
    return str(ours) if ours and ours.is_file() else shutil.which("pandoc") or "pandoc"


class PandocFailed(Exception):
    """pandoc failed, or exceeded its time or memory; the message is pandoc's."""


class PandocTimeout(PandocFailed):
    """pandoc exceeded its time limit."""


class PandocOutput(NamedTuple):
    """The output of pandoc, its log as JSON, and the files in its folder "media" by path."""

    out: bytes
    log: bytes
    media: dict[str, bytes]


Tick = Callable[[], None]


def no_tick() -> None:
    """Do nothing (a `tick` for work that cannot be stopped)."""


def pandoc(
    options: Sequence[str],
    given: bytes,
    *,
    files: Mapping[str, bytes] | None = None,
    seconds: int,
    heap: str = "1g",
    logs: bool = False,
    tick: Tick = no_tick,
) -> PandocOutput:
    """Run pandoc on `given`. Only `files`, by plain names in its folder, are readable for it.

    Options name the files it reads (`--csl=style.csl`); it writes its output to the file "out". `heap` is its memory
    limit; `logs` requests its log. `tick` is called during the run, and may raise to stop it. Raises PandocFailed.
    The limits apply from the start: if one cannot be set, pandoc does not run.
    """
    with tempfile.TemporaryDirectory(prefix="scholium-pandoc-") as made:
        folder = Path(made)
        for name, data in {**(files or {}), "in": given}.items():
            (folder / name).write_bytes(data)
        command = [
            *_limited(seconds),
            *(pandoc_path(), "+RTS", f"-M{heap}", "-A64m", "-RTS", "--sandbox"),
            *(["--verbose", "--log=log"] if logs else ["--quiet"]),
        ]
        with (folder / "said").open("wb") as said:
            process = subprocess.Popen(
                [*command, *options, "--output=out", "in"],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                env=child_environment(made),
            )
        try:
            until = time.monotonic() + seconds
            while not _has_ended(process):
                tick()
                if time.monotonic() > until:
                    raise PandocTimeout(f"it took longer than {seconds} seconds")
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if process.returncode != 0 or not (folder / "out").is_file():
            raise PandocFailed(
                (folder / "said").read_bytes()[-2_000:].decode("utf-8", "replace").strip()
                or f"pandoc ended with {process.returncode}"
            )
        log, media = folder / "log", folder / "media"
        found = {str(path.relative_to(media)): path.read_bytes() for path in sorted(media.rglob("*")) if path.is_file()}
        return PandocOutput((folder / "out").read_bytes(), log.read_bytes() if log.is_file() else b"[]", found)


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(timeout=_LOOK)
    except subprocess.TimeoutExpired:
        return False
    return True


def _limited(seconds: int) -> list[str]:
    """Return a command prefix that runs a program within limits.

    A shell sets them, since a thread must not run Python between fork and exec. Lower existing limits are kept.
    """
    of_files = _least(resource.RLIMIT_FSIZE, _LARGEST) // 512  # POSIX counts file size in blocks of 512 bytes
    limits = f"ulimit -t {_least(resource.RLIMIT_CPU, seconds)} && ulimit -f {of_files} && ulimit -c 0"
    return ["/bin/sh", "-c", f'{limits} && exec "$@"', "pandoc"]


def _least(limit: int, most: int) -> int:
    _, hard = resource.getrlimit(limit)
    return most if hard == resource.RLIM_INFINITY else min(most, hard)


def side_by_side(work: Callable[[Given, Tick], Got], given: Sequence[Given], tick: Tick = no_tick) -> list[Got]:
    """Return the result of `work` for each item, running as many at a time as there are processors.

    `tick` is called meanwhile; if it raises, every running `work` is stopped through the tick it was given.
    """
    stopped = Event()

    def go_on() -> None:
        if stopped.is_set():
            raise PandocFailed("somebody stopped it")

    with ThreadPoolExecutor(min(os.cpu_count() or 1, 4)) as pool:
        waiting = [pool.submit(work, one, go_on) for one in given]
        try:
            while wait(waiting, timeout=_LOOK).not_done:
                tick()
        except BaseException:
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        return [one.result() for one in waiting]
