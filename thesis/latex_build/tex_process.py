"""A process of its own that runs TeX's programs over a folder, one after another, and is held in with them.

What to do comes as a line of JSON on stdin, which stays open: when whoever asked is gone, everything here ends. What begins
and how it ended are told as lines of JSON on stdout. It starts programs by their names and arguments, never through a
shell: latexmk puts file names out of the log into one, and a thesis can write what it likes into its log.
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

MOST_PASSES = 5
_KEPT = 200_000  # bytes of what a program said that are kept, from its end
_NO_MATTER = (".log", ".pdf", ".run.xml")  # written, and read back by nothing that is printed
_LOOKS = 0.1  # seconds between looks at what it wrote
_GRACE = 2.0  # seconds to say where it is, for TeX that is told to stop
_PAGE = re.compile(rb"\[\d+")
_ERROR = re.compile(rb"^(?:[^\n:]+:\d+: |!)", re.MULTILINE)
# pdfTeX reads any file there is for \pdfobj stream file{...}, whatever openin_any says. Where nothing else holds it, it has
# neither that command nor what would bring it back.
_WITHOUT = "".join(
    rf"\expandafter\let\csname {name}\endcsname\undefined"
    for name in ("pdfobj", "pdfprimitive", "tex_pdfobj:D", "tex_primitive:D", "tex_pdfprimitive:D")
)
_CITES = re.compile(r"^\\(?:citation|bibdata|bibstyle|@input)\b.*$", re.MULTILINE)
_TOOK_TOO_MUCH = {-signal.SIGXCPU: "cpu", -signal.SIGXFSZ: "disk", -signal.SIGKILL: "cpu"}


class Ended(Exception):
    """It ends here, and why in one word: clock, cpu, disk, pages, errors, references, crash, biber (there is none), alone."""


def main() -> None:
    task = json.loads(sys.stdin.buffer.readline())
    limits = task["limits"]
    # Whatever a shell starts in the background ignores it, and so does what that starts: TeX is to be told by it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for which, most in (
        (resource.RLIMIT_CPU, limits["cpu"]),
        (resource.RLIMIT_AS, limits["memory"]),
        (resource.RLIMIT_FSIZE, 5 * limits["file_size"]),  # killed by this, TeX could not say where it is
        (resource.RLIMIT_NPROC, 512),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # some systems know no such limit
            resource.setrlimit(which, (most, most))
    heard, held = _Heard(), False
    if task["hold"]:
        landlock.leave_network()
        held = landlock.restrict([Path(path) for path in task["read"]], [Path(task["folder"])])
    work = _Work(task, heard, held)
    try:
        work.set_all()
        why = ""
    except Ended as ended:
        why = str(ended)
    tell(end=why, terminal=heard.said.decode("utf-8", "replace"))


def tell(**what: Any) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


class _Heard:
    """What the programs say: to a terminal, since what TeX says into a pipe comes when its buffer is full."""

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
        """Another program speaks from now on."""
        self.said, self.pages, self.failed = b"", 0, 0.0

    def listen(self, seconds: float) -> None:
        """Wait so long for a word, or for the end of the program. Ends all where nobody is left who asked for it."""
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
                if len(data) == 65536:  # it talks faster than anybody listens: see first what the time is
                    return


class _Work:
    """The files in `folder`, the one LaTeX is started on, and how far it is."""

    def __init__(self, task: dict[str, Any], heard: _Heard, held: bool) -> None:
        self.tools, self.limits, self.env = task["tools"], task["limits"], task["env"]
        self.root = Path(task["root"])
        main = self.root / task["main"]
        self.cwd, self.main, self.stem = main.parent, main.name, main.stem
        self.heard, self.held = heard, held
        self.given = set(task["given"])
        self.until = time.monotonic() + self.limits["seconds"]
        self.weight = self._weight()
        self.passes = 0

    def set_all(self) -> None:
        """Pass after pass until nothing that TeX reads back changes. Raises Ended."""
        done: dict[str, str] = {}
        while self.passes < MOST_PASSES:
            self.passes += 1
            tell(said=f"Setting, pass {self.passes}")
            before = self._side_files()
            options = ["-interaction=nonstopmode", "-file-line-error", "-no-shell-escape", "-no-parse-first-line"]
            main = [self.main] if self.held else [f"-jobname={self.stem}", rf"{_WITHOUT}\input {self.main} "]
            if self._run("pdflatex", [*options, "-recorder", *main], is_tex=True):
                raise Ended("errors")
            after, read = self._side_files(), self._read_back()
            settled = all(before.get(name) == after.get(name) for name in read)
            self._sort_references(done)
            self._sort_index(done)
            if settled and self.passes > 1:
                return

    def _sort_references(self, done: dict[str, str]) -> None:
        control = self.cwd / f"{self.stem}.bcf"
        if control.exists():
            if _is_new(done, "biber", control.read_bytes()):
                tell(said="Sorting the references")
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
            if "\\bibdata" in cites and _is_new(done, name, cites.encode()):
                tell(said="Sorting the references")
                if self._run("bibtex", [name]) > 1:  # 1: there are warnings
                    raise Ended("references")

    def _sort_index(self, done: dict[str, str]) -> None:
        index = self.cwd / f"{self.stem}.idx"
        if "makeindex" in self.tools and index.exists() and _is_new(done, "index", index.read_bytes()):
            tell(said="Sorting the index")
            self._run("makeindex", [index.name])

    def _side_files(self) -> dict[str, str]:
        """Return what the programs wrote to be read again, by path."""
        named = ((str(path.relative_to(self.root)), path) for path in self.root.rglob("*"))
        return {
            name: hashlib.sha1(path.read_bytes(), usedforsecurity=False).hexdigest()
            for name, path in named
            if name not in self.given and not name.endswith(_NO_MATTER) and path.is_file()
        }

    def _read_back(self) -> set[str]:
        """Return which files in the folder TeX read in the pass that ended, by path from the root."""
        listed = (self.cwd / f"{self.stem}.fls").read_text("utf-8", "replace").splitlines()
        paths = {line[6:] for line in listed if line.startswith("INPUT ") and not line.startswith("INPUT /")}
        return {os.path.relpath(self.cwd / path, self.root) for path in paths}

    def _run(self, tool: str, arguments: list[str], *, is_tex: bool = False) -> int:
        """Run `tool` and return its exit code. Raises Ended when it takes too much."""
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
                why = "errors"  # some are followed by one for ever, and there will be no PDF anyway
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
        """Interrupted as from a keyboard, TeX writes where it is into its log."""
        if is_tex:
            process.send_signal(signal.SIGINT)
            until = time.monotonic() + _GRACE
            while process.poll() is None and time.monotonic() < until:
                self.heard.listen(0.1)
        process.kill()
        process.wait()

    def _weight(self) -> int:
        """Bytes that lie in the folder."""
        with suppress(OSError):
            return sum(path.lstat().st_size for path in self.root.rglob("*"))
        return 0


def _is_new(done: dict[str, str], what: str, data: bytes) -> bool:
    """Return whether `what` was not done from `data` before."""
    digest = hashlib.sha1(data, usedforsecurity=False).hexdigest()
    is_new = done.get(what) != digest
    done[what] = digest
    return is_new


def end_all() -> NoReturn:
    """Nobody is there any more to take what is made here."""
    os.killpg(0, signal.SIGKILL)
    sys.exit(1)


if __name__ == "__main__":
    main()
