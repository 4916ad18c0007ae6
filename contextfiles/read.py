"""The text of a file, format by format, without trusting it (SPEC X2, X11, R18).

PDF, DOCX and HTML are parsed by libraries that untrusted bytes may crash, stall or bloat, so `read_safely`
does it in a process of its own, with limits and without secrets: `python -m contextfiles.read FORMAT PATH`.
Nothing here imports Django, so that process starts in a moment.
"""

import dataclasses
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from contextfiles.passages import Reading, Segment, Unreadable
from contextfiles.readers.text import read_csv, read_markdown, read_text

__all__ = ["READER_VERSION", "Reading", "Segment", "Unreadable", "read", "read_safely"]

READER_VERSION = 1  # raise it when the same bytes read differently: texts and digests are kept by it

MEMORY = 1536 * 1024 * 1024  # bytes of address space
CPU_SECONDS = 60
WALL_SECONDS = 90

_IN_PROCESS: dict[str, Callable[[bytes], Reading]] = {"txt": read_text, "md": read_markdown, "csv": read_csv}
_APART = {"pdf": "read_pdf", "docx": "read_docx", "html": "read_html"}  # imported late: in their own process

_TOO_SLOW = f"Reading this file took longer than {WALL_SECONDS} seconds. Split it and upload the parts you need."
_TOO_BIG = "This file needs more memory to read than it may have. Split it and upload the parts you need."
_BROKE = "This file could not be read: it is damaged, or made in an unusual way. Save it again and upload that."


def read(format: str, data: bytes) -> Reading:
    """The reading of `data` as `format`, a key of contextfiles.formats.FORMATS.

    Raises Unreadable with a sentence for people, also when there is no text in it.
    """
    reader = _IN_PROCESS.get(format)
    if reader is None:
        reader = getattr(import_module(f"contextfiles.readers.{format}"), _APART[format])
    reading = reader(data)
    if not reading.segments:
        raise Unreadable("No text was found in this file.")
    return reading


def read_safely(format: str, path: Path) -> Reading:
    """As `read`, of the file at `path`; formats with complex parsers in a process with limits."""
    if format in _IN_PROCESS:
        return read(format, path.read_bytes())
    try:
        done = subprocess.run(
            [sys.executable, "-m", "contextfiles.read", format, str(path.resolve())],
            cwd=Path(__file__).resolve().parent.parent,
            env={name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ} | {"PYTHONUTF8": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=WALL_SECONDS + 5,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Unreadable(_TOO_SLOW) from error
    if done.returncode in (-signal.SIGXCPU, -signal.SIGALRM):
        raise Unreadable(_TOO_SLOW)
    try:
        answer = json.loads(done.stdout)
    except ValueError as error:
        raise Unreadable(_BROKE) from error
    if "unreadable" in answer:
        raise Unreadable(answer["unreadable"])
    return Reading(answer["text"], [Segment(**segment) for segment in answer["segments"]])


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(WALL_SECONDS)  # ends this process even when its parent is gone


def main(format: str, path: str) -> None:
    """Reads one file and writes {"text", "segments"} or {"unreadable"} to stdout as JSON."""
    _limit()
    try:
        answer: dict[str, object] = dataclasses.asdict(read(format, Path(path).read_bytes()))
    except Unreadable as error:
        answer = {"unreadable": str(error)}
    except MemoryError:
        answer = {"unreadable": _TOO_BIG}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
