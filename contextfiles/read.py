"""The text of a file or a page, format by format, without trusting it (SPEC X2, X11, R18).

PDF, DOCX and HTML are parsed by libraries that untrusted bytes may crash, stall or bloat, so `read_safely` and
`read_bytes_safely` do it in a process of its own, with limits and without secrets: it runs
`python -m contextfiles.read FORMAT SECONDS CHARSET` with the bytes on its standard input.
Nothing here imports Django, so that process starts in a moment.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple

from contextfiles.passages import Reading, Segment, Unreadable
from contextfiles.readers.text import read_csv, read_markdown, read_text

__all__ = ["READER_VERSION", "Document", "Reading", "Segment", "Unreadable", "read", "read_bytes_safely", "read_safely"]

READER_VERSION = 1  # raise it when the same bytes read differently: texts and digests are kept by it

MEMORY = 1536 * 1024 * 1024  # bytes of address space
CPU_SECONDS = 60
WALL_SECONDS = 90
GRACE = 5  # seconds more for a process that turned its own alarm off
MAX_ANSWER = 64 * 1024 * 1024  # bytes: the longest text with the most passages stays below

_IN_PROCESS: dict[str, Callable[[bytes], Reading]] = {"txt": read_text, "md": read_markdown, "csv": read_csv}
_APART = {"pdf": "read_pdf", "docx": "read_docx", "html": "read_html"}  # imported late: in their own process
_TITLED = {"pdf", "html"}

_TOO_SLOW = "Reading this file took longer than {} seconds. Split it and upload the parts you need."
_TOO_BIG = "This file needs more memory to read than it may have. Split it and upload the parts you need."
_BROKE = "This file could not be read: it is damaged, or made in an unusual way. Save it again and upload that."

# A label of the left means the right on the web (WHATWG, Encoding Standard, "Names and labels").
_MEANT = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
_RIGHT = 4  # a label is believed when so many letters beyond ASCII come out right for each that does not


class Document(NamedTuple):
    """A reading, and the title the document gives itself: "" where it gives none."""

    title: str
    reading: Reading


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
    """As `read`, of the file at `path`; formats with complex parsers in a process with limits.

    Raises OSError when there is no such file.
    """
    if format in _IN_PROCESS:
        return read(format, path.read_bytes())
    with path.open("rb") as file:
        return _read_apart(format, file).reading


def read_bytes_safely(format: str, data: bytes, charset: str | None = None, seconds: int = WALL_SECONDS) -> Document:
    """As `read`, of bytes that came from somewhere else; every format in a process with limits.

    `charset` is what whoever sent them says they are in, and is believed unless they plainly are not; `seconds`
    the time this may take.
    """
    with TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        return _read_apart(format, file, charset or "", seconds)


def _read_apart(format: str, file: IO[bytes], charset: str = "", seconds: int = WALL_SECONDS) -> Document:
    process = subprocess.Popen(
        [sys.executable, "-m", "contextfiles.read", format, str(seconds), charset],
        cwd=Path(__file__).resolve().parent.parent,
        env={name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ} | {"PYTHONUTF8": "1"},
        stdin=file,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    late = threading.Timer(seconds + GRACE, process.kill)
    late.start()
    try:
        with process:
            said = process.stdout.read(MAX_ANSWER) if process.stdout else b""
    finally:
        late.cancel()
    if process.returncode in (-signal.SIGXCPU, -signal.SIGALRM):
        raise Unreadable(_TOO_SLOW.format(seconds))
    try:
        answer = json.loads(said)
        if "unreadable" in answer:
            raise Unreadable(answer["unreadable"])
        return Document(answer["title"], Reading(answer["text"], [Segment(*row) for row in answer["segments"]]))
    except (ValueError, TypeError, KeyError) as error:
        raise Unreadable(_BROKE) from error


def main(format: str, seconds: str, charset: str) -> None:
    """Reads standard input and writes {"title", "text", "segments"} or {"unreadable"} to stdout as JSON."""
    _limit(int(seconds))
    try:
        data = _in_utf8(sys.stdin.buffer.read(), charset)
        reading = read(format, data)
        rows = [(one.id, one.heading, one.page, one.start, one.end) for one in reading.segments]
        answer = {"title": _title(format, data), "text": reading.text, "segments": rows}
    except Unreadable as error:
        answer = {"unreadable": str(error)}
    except MemoryError:
        answer = {"unreadable": _TOO_BIG}
    sys.stdout.write(json.dumps(answer, ensure_ascii=False))


def _limit(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    cpu = min(seconds, CPU_SECONDS)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(seconds)  # ends this process even when its parent is gone


def _title(format: str, data: bytes) -> str:
    if format not in _TITLED:
        return ""
    title: str = import_module(f"contextfiles.readers.{format}").title_of(data)
    return title


def _in_utf8(data: bytes, charset: str) -> bytes:
    """`data` told to be in `charset`, in UTF-8; as it came when it plainly is something else."""
    if not charset:
        return data
    try:
        text = data.decode(_MEANT.get(charset, charset), "replace")
        told = text.encode()
    except (LookupError, UnicodeError):
        return data
    wrong = text.count("\N{REPLACEMENT CHARACTER}")
    right = len(text) - wrong - len(text.encode("ascii", "ignore"))
    return told if wrong * _RIGHT <= right else data


if __name__ == "__main__":
    main(*sys.argv[1:])
