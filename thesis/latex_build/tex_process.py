"""A separate process that runs TeX's programs on a folder, one after another, in the same sandbox as they are.

The task is a line of JSON on stdin, which stays open: when the parent process ends, everything here ends. Each step and
the result are lines of JSON on stdout. Programs are started by name and arguments, never through a shell. That is why
latexmk is not used: it passes file names from the log to a shell, and a thesis can write anything into its log.
"""

import hashlib
import json
import os
import re
import resource
import select
import signal
import subprocess
import sys
import time
import tty
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from thesis.latex_build import landlock
from thesis.latex_build.build_limits import MOST_PASSES

_KEPT = 200_000  # bytes of a program's output that are kept, from its end
_NO_MATTER = (".log", ".pdf", ".run.xml", ".blg", ".ilg", ".fls", ".bcf", ".idx")  # output that TeX does not read back
_BY_OTHERS = (".bbl", ".ind")  # what the sorting programs write for TeX
_LOOKS = 0.1  # seconds between checks of how much it wrote
_GRACE = 2.0  # seconds that TeX has, when interrupted, to write its position into the log
_PAGE = re.compile(rb"\[\d+")
_ERROR = re.compile(rb"^(?:[^\n:]+:\d+: |!)", re.MULTILINE)
# \pdfobj stream file{...} makes pdfTeX read any file, whatever openin_any says. Without Landlock that command, and the
# commands that could bring it back, are removed.
_WITHOUT = "".join(
    rf"\expandafter\let\csname {name}\endcsname\undefined"
    for name in ("pdfobj", "pdfprimitive", "tex_pdfobj:D", "tex_primitive:D", "tex_pdfprimitive:D")
)
_CITES = re.compile(r"^\\(?:citation|bibdata|bibstyle|@input)\b.*$", re.MULTILINE)
_TOOK_TOO_MUCH = {-signal.SIGXCPU: "cpu", -signal.SIGXFSZ: "disk", -signal.SIGKILL: "cpu"}


class Ended(Exception):
    """An early end, with the reason as one word: `why` of run_latex.LatexResult."""


def main() -> None:
    """Run the task on standard input and write its steps and its result to standard output."""
    task = json.loads(sys.stdin.buffer.readline())
    limits = task["limits"]
    # Processes started in the background of a shell ignore SIGINT, and so do their children; TeX is interrupted by it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for which, most in (
        (resource.RLIMIT_CPU, limits["cpu"]),
        (resource.RLIMIT_AS, limits["memory"]),
        (resource.RLIMIT_FSIZE, 5 * limits["file_size"]),  # well above: killed by this, TeX could not write its log
        (resource.RLIMIT_NPROC, 512),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # some systems do not have every limit
            resource.setrlimit(which, (most, most))
    heard, held = _ProgramOutput(), False
    if task["hold"]:
        landlock.leave_network()
        held = landlock.restrict([Path(path) for path in task["read"]], [Path(task["folder"])])
    work = _Work(task, heard, held)
    try:
        side = work.set_all()
        why = ""
    except Ended as ended:
        side, why = [], str(ended)
    send_message(end=why, terminal=heard.said.decode("utf-8", "replace"), side=side, sorted_from=work.sorted_from)


def send_message(**what: Any) -> None:
    """Write a message to the parent process as a line of JSON."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


class _ProgramOutput:
    """The output of the programs, read from a terminal: into a pipe TeX writes only when its buffer is full."""

    def __init__(self) -> None:
        try:
            self.fd, self.to = os.openpty()
            tty.setraw(self.to)
        except OSError:
            self.fd, self.to = os.pipe()
        os.set_blocking(self.fd, False)
        self.child_ended, ended = os.pipe()
        os.set_blocking(self.child_ended, False)
        os.set_blocking(ended, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(ended)
        self.begin()

    def begin(self) -> None:
        """Reset the counts before another program starts."""
        self.said, self.pages, self.failed = b"", 0, 0.0

    def listen(self, seconds: float) -> None:
        """Wait up to `seconds` for output or for the end of the program; end everything when the parent is gone."""
        heard, _, _ = select.select([self.fd, self.child_ended, 0], [], [], seconds)
        if 0 in heard and not os.read(0, 1000):
            end_all()
        with suppress(BlockingIOError):
            os.read(self.child_ended, 1000)
        with suppress(BlockingIOError):
            while data := os.read(self.fd, 65536):
                self.said = (self.said + data)[-_KEPT:]
                self.pages += len(_PAGE.findall(data))
                if not self.failed and _ERROR.search(data):
                    self.failed = time.monotonic()
                if len(data) == 65536:  # output comes faster than it is read: check the time limit first
                    return


class _Work:
    """A build in progress: the folder, the main file, the limits, and the passes done."""

    def __init__(self, task: dict[str, Any], heard: _ProgramOutput, held: bool) -> None:
        self.tools, self.limits, self.env = task["tools"], task["limits"], task["env"]
        self.root = Path(task["root"])
        main = self.root / task["main"]
        self.cwd, self.main, self.stem = main.parent, main.name, main.stem
        self.heard, self.held = heard, held
        self.given = set(task["given"])
        self.side = set(task["side"])
        self.sorted_from: dict[str, str] = task["sorted_from"]
        self.bibliography = self._bibliography()
        self.until = time.monotonic() + self.limits["seconds"]
        self.weight = self._weight()
        self.passes = 0

    def set_all(self) -> list[str]:
        """Run LaTeX, pass after pass, until no file that TeX reads back changes, and return the side files by name.

        With the side files of an earlier build the first pass can be the last. The list is empty when even the last
        pass changed one: then they are nothing to begin with. Raises Ended.
        """
        while self.passes < MOST_PASSES:
            self.passes += 1
            send_message(said=f"Running LaTeX, pass {self.passes}")
            before = self._side_files()
            options = ["-interaction=nonstopmode", "-file-line-error", "-no-shell-escape", "-no-parse-first-line"]
            main = [self.main] if self.held else [f"-jobname={self.stem}", rf"{_WITHOUT}\input {self.main} "]
            if self._run("pdflatex", [*options, "-recorder", *main], is_tex=True):
                raise Ended("errors")
            read, written = self._recorded("INPUT"), self._recorded("OUTPUT")
            for name in (read & self.side) - written:
                if not name.endswith(_BY_OTHERS):  # an earlier build wrote it, and this one does not any more
                    (self.root / name).unlink()
            self._sort_references()
            self._sort_index()
            after = self._side_files()
            # A file that is new was missing when TeX began, even if TeX did not list it among those it read.
            is_settled = before.keys() >= after.keys() and all(before.get(name) == after.get(name) for name in read)
            if is_settled and (self.passes > 1 or self.side):
                return sorted(after)
        return []

    def _sort_references(self) -> None:
        control = self.cwd / f"{self.stem}.bcf"
        if control.exists():
            if self._is_new("biber", control.read_bytes() + self.bibliography):
                send_message(said="Sorting the references")
                if "biber" not in self.tools:
                    raise Ended("biber")
                if not self.held:
                    raise Ended("alone")
                if self._run("biber", ["--noconf", "--nodieonerror", self.stem]):
                    raise Ended("references")
            return
        for path in sorted(self.cwd.rglob("*.aux")):
            cites = "\n".join(_CITES.findall(path.read_text("utf-8", "replace")))
            name = str(path.relative_to(self.cwd).with_suffix(""))
            if "\\bibdata" in cites and self._is_new(name, cites.encode() + self.bibliography):
                send_message(said="Sorting the references")
                if self._run("bibtex", [name]) > 1:  # exit code 1 means warnings only
                    raise Ended("references")

    def _sort_index(self) -> None:
        index = self.cwd / f"{self.stem}.idx"
        if "makeindex" in self.tools and index.exists() and self._is_new("index", index.read_bytes()):
            send_message(said="Sorting the index")
            index.with_suffix(".ind").unlink(missing_ok=True)  # for an empty index nothing is written
            self._run("makeindex", [index.name])

    def _is_new(self, what: str, data: bytes) -> bool:
        """Return whether the step `what` has not run on `data` yet, and remember that it has now."""
        digest = hashlib.sha1(data, usedforsecurity=False).hexdigest()
        is_new = self.sorted_from.get(what) != digest
        self.sorted_from[what] = digest
        return is_new

    def _bibliography(self) -> bytes:
        """Return a digest of the files that references are sorted from, besides what is cited."""
        digest = hashlib.sha1(usedforsecurity=False)
        for name in sorted(self.given):
            if name.endswith((".bib", ".bst", ".bbx", ".cbx", ".dbx")):
                digest.update(name.encode() + b"\0" + (self.root / name).read_bytes())
        return digest.digest()

    def _side_files(self) -> dict[str, str]:
        """Return the digests of the files that the programs wrote for later passes, by path."""
        named = ((str(path.relative_to(self.root)), path) for path in self.root.rglob("*"))
        return {
            name: hashlib.sha1(path.read_bytes(), usedforsecurity=False).hexdigest()
            for name, path in named
            if name not in self.given and not name.endswith(_NO_MATTER) and path.is_file()
        }

    def _recorded(self, what: str) -> set[str]:
        """Return the paths, from the root, of the files in the folder that TeX's last pass read (INPUT) or wrote."""
        listed = (self.cwd / f"{self.stem}.fls").read_text("utf-8", "replace").splitlines()
        paths = {line.partition(" ")[2] for line in listed if line.startswith(f"{what} ")}
        return {os.path.relpath(self.cwd / path, self.root) for path in paths if not path.startswith("/")}

    def _run(self, tool: str, arguments: list[str], *, is_tex: bool = False) -> int:
        """Run `tool` and return its exit code. Raises Ended when it crashes or exceeds a limit."""
        process = subprocess.Popen(
            [self.tools[tool], *arguments],
            stdin=subprocess.DEVNULL,
            stdout=self.heard.to,
            stderr=subprocess.STDOUT,
            cwd=self.cwd,
            env=self.env,
        )
        self.heard.begin()
        looked = time.monotonic()
        while process.poll() is None:
            self.heard.listen(_LOOKS)
            now = time.monotonic()
            why = ""
            if now > self.until:
                why = "clock"
            elif is_tex and self.heard.pages > self.limits["pages"]:
                why = "pages"
            elif is_tex and self.heard.failed and now - self.heard.failed > self.limits["after_error"]:
                why = "errors"  # some errors repeat for ever, and there will be no PDF anyway
            elif now - looked > _LOOKS:
                looked = now
                why = "disk" if self._weight() - self.weight > self.limits["file_size"] else ""
            if why:
                self._end(process, is_tex)
                raise Ended(why)
        self.heard.listen(0)
        if process.returncode < 0:
            raise Ended(_TOOK_TOO_MUCH.get(process.returncode, "crash"))
        return process.returncode

    def _end(self, process: "subprocess.Popen[bytes]", is_tex: bool) -> None:
        """Stop a program; TeX is interrupted first, as by Ctrl+C, so that it writes its position into the log."""
        if is_tex:
            process.send_signal(signal.SIGINT)
            until = time.monotonic() + _GRACE
            while process.poll() is None and time.monotonic() < until:
                self.heard.listen(0.1)
        process.kill()
        process.wait()

    def _weight(self) -> int:
        """Return the bytes of all files in the folder."""
        with suppress(OSError):
            return sum(path.lstat().st_size for path in self.root.rglob("*"))
        return 0


def end_all() -> NoReturn:
    """Kill this process and all it started."""
    os.killpg(0, signal.SIGKILL)
    sys.exit(1)


if __name__ == "__main__":
    main()
