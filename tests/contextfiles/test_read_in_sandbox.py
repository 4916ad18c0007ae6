"""Reading in a process of its own: the same text, limits, no secrets (SPEC R18)."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from contextfiles.passages import MAX_CHARACTERS
from contextfiles.read_text import Document, Unreadable, read, read_bytes_safely, read_safely
from tests.contextfiles.make_files import NOTES, pdf, slides, word, workbook
from tests.time_limits import HANGS
from untrusted import sandbox

SLOW = b"<div>" * 400_000  # takes seconds


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("format", "data"),
    [
        ("pdf", pdf(["Alder."])),
        ("docx", word()),
        ("pptx", slides()),
        ("xlsx", workbook()),
        ("html", b"<p>Alder"),
        ("csv", b"a;b\n1;2"),
        ("md", NOTES),
        ("txt", b"Alder"),
        ("bib", b"@misc{a, title = {Alder}}"),
        ("ris", b"TY  - JOUR\nTI  - Alder\nER  - \n"),
    ],
)
def test_a_process_of_its_own_reads_the_same(tmp_path: Path, format: str, data: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    assert read_safely(format, path) == read(format, data)


def test_a_process_of_its_own_says_why(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(pdf([""]))
    with pytest.raises(Unreadable, match="blank"):
        read_safely("pdf", path)


@pytest.mark.parametrize(
    ("format", "data", "title"),
    [
        ("pdf", pdf(["Alder."]), ""),
        ("docx", word(), ""),
        ("html", b"<title>On alder</title><p>Alder", "On alder"),
        ("txt", b"Alder", ""),
    ],
)
def test_bytes_are_read_like_files(format: str, data: bytes, title: str) -> None:
    assert read_bytes_safely(format, data) == Document(title, read(format, data))


@pytest.mark.parametrize(
    ("data", "charset", "text"),
    [
        ("Łódź".encode("iso-8859-2"), "iso8859-2", "Łódź"),
        ("赤楊".encode("iso2022_jp"), "iso2022_jp", "赤楊"),  # UTF-8 would take these bytes, and read nonsense
        ("“Größe”".encode("cp1252"), "iso8859-1", "“Größe”"),  # as browsers read this label
        ("Größe".encode("utf-16"), "utf-16", "Größe"),
        ("Größe".encode("utf-16-le"), "utf-16-le", "Größe"),
        ("Größe".encode("latin-1"), "utf-8", "Größe"),  # not what it says it is
        ("Größe".encode(), "nothing Python knows", "Größe"),
        (
            "Größe, Güte, Höhe, Öl ".encode() + b"\xff",
            "utf-8",
            "Größe, Güte, Höhe, Öl \ufffd",
        ),  # damaged, not mislabelled
    ],
)
def test_the_charset_that_was_sent_along_counts(data: bytes, charset: str, text: str) -> None:
    assert read_bytes_safely("txt", data, charset).reading.text == text


def test_the_charset_that_was_sent_along_counts_more_than_that_in_the_page() -> None:
    page = '<meta charset="iso-8859-1"><title>Łódź</title><p>Łódź'.encode("iso-8859-2")
    document = read_bytes_safely("html", page, "iso8859-2")
    assert (document.title, document.reading.text) == ("Łódź", "Łódź")


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_safely("pdf", tmp_path / "gone")


@pytest.mark.timeout(HANGS)
def test_too_much_text_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(200 * 1024 * 1024)  # sparse: takes no room
    for format in ("txt", "md", "csv", "bib", "ris"):
        with pytest.raises(Unreadable, match=f"more than {MAX_CHARACTERS // 1_000_000} million characters"):
            read_safely(format, path)


@pytest.mark.long
def test_reading_takes_no_longer_than_it_may() -> None:
    with pytest.raises(Unreadable, match=r"took longer than 1 second\."):
        read_bytes_safely("html", SLOW, seconds=1)


def _reading(seconds: int = 30) -> "tuple[threading.Thread, list[str], psutil.Process]":
    """A reading that goes on in a thread: what is said of it in the end, and its process."""
    sandbox._waiting.close()
    read_bytes_safely("txt", b"Alder")  # so that a process waits
    assert sandbox._waiting.process
    waiting = psutil.Process(sandbox._waiting.process.pid)
    _until(lambda: not waiting.children())
    said: list[str] = []

    def run() -> None:
        try:
            read_bytes_safely("html", SLOW, seconds=seconds)
        except Unreadable as unreadable:
            said.append(str(unreadable))

    thread = threading.Thread(target=run)
    thread.start()
    _until(lambda: bool(waiting.children()))
    return thread, said, waiting.children()[0]


def _until(happened: Callable[[], bool]) -> None:
    late = time.monotonic() + 10
    while not happened() and time.monotonic() < late:
        time.sleep(0.01)


def test_a_process_that_crashes_is_a_file_that_cannot_be_read() -> None:
    thread, said, process = _reading()
    process.send_signal(signal.SIGSEGV)
    thread.join(10)
    assert len(said) == 1
    assert said[0].startswith("This file could not be read")


def test_a_process_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "GRACE", 0)
    thread, said, process = _reading(seconds=2)
    process.suspend()  # its own alarm cannot end it now
    thread.join(10)
    assert said == ["Reading this file took longer than 2 seconds. Split it and upload the parts you need."]
    assert psutil.wait_procs([process], timeout=5)[1] == []


def test_an_answer_without_end_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "MAX_ANSWER", 10)
    with pytest.raises(Unreadable, match="could not be read"):
        read_bytes_safely("txt", b"Alder " * 100)


def test_the_waiting_process_is_started_again_when_it_ended() -> None:
    read_bytes_safely("txt", b"Alder")
    assert sandbox._waiting.process
    first = sandbox._waiting.process.pid
    os.kill(first, signal.SIGKILL)
    assert read_bytes_safely("txt", b"Birch").reading.text == "Birch"
    assert sandbox._waiting.process.pid != first


def test_a_server_that_cannot_start_a_process_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox._waiting.close()
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(Unreadable, match="could not start reading"):
        read_bytes_safely("txt", b"Alder")


def test_many_files_are_read_at_a_time(tmp_path: Path) -> None:
    paths = []
    for number in range(24):
        path = tmp_path / str(number)
        path.write_bytes(pdf([f"Alder {number}."]))
        paths.append(path)
    with ThreadPoolExecutor(8) as pool:
        texts = [reading.text for reading in pool.map(lambda path: read_safely("pdf", path), paths)]
    assert texts == [f"Alder {number}." for number in range(24)]


def test_the_reading_process_gets_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY_FILE", "/secret")
    sandbox._waiting.close()
    read_bytes_safely("txt", b"Alder")
    assert sandbox._waiting.process
    names = set(psutil.Process(sandbox._waiting.process.pid).environ())
    assert "PATH" in names
    assert names <= {"PATH", "HOME", "TZ", "LANG", "PYTHONPATH", "PYTHONUTF8", "LC_CTYPE"}


def test_a_process_split_off_reads_in_its_own_way() -> None:
    """And the process that waits ends with the one it waits for."""
    code = """
import os
from untrusted import sandbox
from contextfiles.read_text import read_bytes_safely
assert read_bytes_safely("txt", b"Alder").reading.text == "Alder"
ours = sandbox._waiting.process.pid
child = os.fork()
if not child:
    assert sandbox._waiting.process is None
    assert read_bytes_safely("txt", b"Birch").reading.text == "Birch"
    sandbox._waiting.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert read_bytes_safely("txt", b"Ash").reading.text == "Ash"
assert sandbox._waiting.process.pid == ours
print(ours)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not psutil.pid_exists(int(done.stdout))


def test_reading_starts_without_django() -> None:
    code = "import contextfiles.read_text, sys; print(any(name.split('.')[0] == 'django' for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
