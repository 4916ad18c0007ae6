"""LaTeX in a sandbox: limited time, memory and disk, and only its own folder (docs/decisions/latex-build.md)."""

import json
import os
import posixpath
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from itertools import chain, count
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from django.conf import settings

from thesis.latex_build.build_limits import Limits
from thesis.latex_build.side_files import SideFiles
from untrusted.process_environment import child_environment

_MOST_LOG = 1_000_000  # bytes of a log that are read, from its beginning and from its end
_SAFE_STEM = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}")
# Settings of the programs, and their output from another run: never copied from an upload.
_SETTINGS = {
    "latexmkrc",
    ".latexmkrc",
    "texmf.cnf",
    "fmtutil.cnf",
    "mktex.cnf",
    "mktex.opt",
    "updmap.cfg",
    "pdftex.map",
    "psfonts.map",
    "biber.conf",
    ".biber.conf",
}
_FROM_SIDE_FILES = ("errors", "references", "crash")  # ends that files of an earlier build can be the cause of
_LEFT_OVERS = (".aux", ".bcf", ".fls", ".fdb_latexmk", ".fmt", ".tcx", ".pool", ".run.xml", ".log", ".blg")
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/etc/texmf", "/var/lib/texmf", "/etc/fonts")
_SYSTEM_FILES = (
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/localtime",
    "/etc/perl",
    "/etc/papersize",
    "/etc/alternatives",
)


class LatexResult(NamedTuple):
    """The result of a run of LaTeX. `pdf` is None when there was an error.

    `why` is the reason of an early end in one word: clock, cpu, disk, pages, crash, errors (see `log`), references
    (see `references`), biber (not installed), alone (biber is not started without a sandbox); "" when all went well.
    `log` is TeX's log as far as it was written, `references` that of bibtex or biber. `main` is the path LaTeX was
    started on; it differs from the one given when that name is not safe on a command line. `side` are the files that
    the next build can begin with; None when it cannot.
    """

    pdf: bytes | None
    log: str
    seconds: float
    why: str
    references: str = ""
    main: str = ""
    side: SideFiles | None = None


@cache
def tools() -> dict[str, str]:
    """Return the paths of TeX's programs on this machine, by name."""
    names = ("pdflatex", "bibtex", "biber", "makeindex", "kpsewhich")
    return {name: path for name in names if (path := shutil.which(name))}


def latex_is_installed() -> bool:
    """Return whether the programs that build a thesis are installed on this machine."""
    return {"pdflatex", "bibtex"} <= tools().keys()


def is_unsafe_file(path: str) -> bool:
    """Return whether a file is not copied: its path leads out of the folder, or it could change what programs do."""
    parts = PurePosixPath(path).parts
    name = posixpath.basename(path).lower()
    leads_out = path.startswith("/") or ".." in parts or not parts or "\0" in path or "\\" in path
    return leads_out or name in _SETTINGS or name.endswith(_LEFT_OVERS) or any(part.startswith("-") for part in parts)


def compile_latex(
    files: dict[str, bytes],
    main: str,
    *,
    folder: Path,
    limits: Limits | None = None,
    on_pass: Callable[[str], None] = lambda said: None,
    stop: Callable[[], None] = lambda: None,
    hold: bool = True,
    side: SideFiles | None = None,
    moment: int | None = None,
) -> LatexResult:
    """Run LaTeX on `main` of `files` (bytes by path) in `folder`, an empty one that the caller creates and deletes.

    `on_pass` is called with a message at each step; `stop` is called a few times a second and raises to end the run.
    `hold` False runs without Landlock, as on a machine that has none. `side` are files of an earlier build: they save
    passes, and the PDF has the same bytes as without them. `moment` is the time in the PDF, in seconds since 1970.
    """
    limits = limits or Limits()
    moment = int(time.time()) if moment is None else moment
    folder, started = folder.resolve(), time.monotonic()
    compiled = partial(_compiled, files, main, folder, limits, on_pass, stop, hold, moment)
    made = compiled(side)
    if side and (made.why in _FROM_SIDE_FILES or (made.pdf and made.side is None)):
        # What an earlier build left may be what is wrong.
        for path in folder.iterdir():
            shutil.rmtree(path, ignore_errors=True)
        made = compiled(None)
    return made._replace(seconds=time.monotonic() - started)


def _compiled(
    files: dict[str, bytes],
    main: str,
    folder: Path,
    limits: Limits,
    on_pass: Callable[[str], None],
    stop: Callable[[], None],
    hold: bool,
    moment: int,
    side: SideFiles | None,
) -> LatexResult:
    root, home = folder / "text", folder / "home"
    for made in (root, home):
        made.mkdir(mode=0o700)
    named = _main_name(main, files)
    _write(root, {named if path == main else path: data for path, data in files.items()})
    given = sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())
    if side:
        side.write(root, given)
    task = {
        "folder": str(folder),
        "root": str(root),
        "main": named,
        "given": given,
        "side": sorted(side.files) if side else [],
        "sorted_from": side.sorted_from if side else {},
        "limits": limits._asdict(),
        "tools": {name: path for name, path in tools().items() if name != "kpsewhich"},
        "env": _environment(home) | {"SOURCE_DATE_EPOCH": str(moment)},
        "hold": hold,
        "read": _readable(),
    }
    told = _guarded(task, limits, on_pass, stop)
    stem = (root / named).with_suffix("")
    log = _text(stem.with_suffix(".log"))
    references = "\n".join(_text(path) for path in sorted(stem.parent.rglob("*.blg")))
    why = told["end"]
    if why == "crash" or len(log) < 200 or why not in ("", "errors", "references", "biber", "alone"):
        log += "\n" + told.get("terminal", "")  # messages that TeX had not written to its log yet
    pdf = stem.with_suffix(".pdf")
    data = pdf.read_bytes() if not why and pdf.is_file() else None
    kept = SideFiles.read(root, told["side"], told["sorted_from"], files) if data else None
    return LatexResult(data, log, 0.0, why, references, named, kept)


def _guarded(
    task: dict[str, Any], limits: Limits, on_pass: Callable[[str], None], stop: Callable[[], None]
) -> dict[str, Any]:
    """Run tex_process with `task` and return its last message. None of its processes survives this call."""
    process = subprocess.Popen(
        [sys.executable, "-E", "-s", "-S", "-B", "-m", "thesis.latex_build.tex_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=settings.BASE_DIR,
        env={"PATH": os.defpath},
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    until = time.monotonic() + limits.seconds + 10
    heard = b""
    try:
        process.stdin.write(json.dumps(task).encode() + b"\n")
        process.stdin.flush()
        while time.monotonic() < until:
            stop()
            if not select.select([process.stdout], [], [], 0.2)[0]:
                continue
            data = os.read(process.stdout.fileno(), 65536)
            if not data:
                raise RuntimeError(f"The process that runs LaTeX ended: {process.stderr.read()[-2000:]!r}")
            *lines, heard = (heard + data).split(b"\n")
            for line in lines:
                told: dict[str, Any] = json.loads(line)
                if "end" in told:
                    return told
                on_pass(told["said"])
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            with suppress(OSError):
                pipe.close()
    return {"end": "clock"}


def _main_name(main: str, files: dict[str, bytes]) -> str:
    """Return the path to start LaTeX on: `main`, or another name beside it when `main` is unsafe on a command line."""
    path = PurePosixPath(main)
    if path.suffix == ".tex" and _SAFE_STEM.fullmatch(path.stem):
        return main
    stems = chain(["thesis-main"], (f"thesis-main-{number}" for number in count(2)))
    return next(name for stem in stems if (name := str(path.with_name(f"{stem}.tex"))) not in files)


def _write(root: Path, files: dict[str, bytes]) -> None:
    """Write the allowed files below `root`. Raises ValueError when none is left to write."""
    for path, data in files.items():
        if is_unsafe_file(path):
            continue
        with suppress(OSError):  # a name this disk does not allow, or a folder of that name; TeX reports it as missing
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    if not any(root.iterdir()):
        raise ValueError("There is no file to build.")


def _environment(home: Path) -> dict[str, str]:
    """Return the environment of TeX's programs, with none of this process's own variables."""
    folders = [posixpath.dirname(path) for path in tools().values()]
    return {
        "PATH": os.pathsep.join(dict.fromkeys([*folders, "/usr/bin", "/bin"])),
        "HOME": str(home),
        "TMPDIR": str(home),
        "TEXMFHOME": str(home / "texmf"),
        "TEXMFVAR": str(home / "texmf-var"),
        "TEXMFCONFIG": str(home / "texmf-config"),
        "VARTEXFONTS": str(home / "fonts"),
        "LC_ALL": "C.UTF-8",
        "openin_any": "p",
        "openout_any": "p",
        "shell_escape": "f",
        # Unbroken lines in the log: lines that TeX breaks after 79 characters cannot be joined again reliably.
        "max_print_line": "100000",
        "error_line": "254",
        "half_error_line": "238",
    }


@cache
def _readable() -> list[str]:
    """Return the paths on this machine that TeX's programs have to read."""
    named: list[str] = []
    if "kpsewhich" in tools():
        with suppress(OSError, subprocess.SubprocessError):
            said = subprocess.run(
                [
                    tools()["kpsewhich"],
                    "--expand-var=$TEXMFROOT:$TEXMFDIST:$TEXMFMAIN:$TEXMFLOCAL:$TEXMFSYSVAR:$TEXMFSYSCONFIG",
                ],
                capture_output=True,
                check=True,
                timeout=10,
                text=True,
                env=child_environment(),
            ).stdout
            named = [path for path in said.strip().split(":") if path.startswith("/") and path != "/"]
    folders = [posixpath.dirname(str(Path(path).resolve())) for path in tools().values()]
    return list(dict.fromkeys([*_SYSTEM, *_SYSTEM_FILES, *named, *folders]))


def _text(path: Path) -> str:
    """Return the text of a log, or its beginning and end when it is very long; "" when there is none."""
    with suppress(OSError), path.open("rb") as log:
        data = log.read(_MOST_LOG)
        size = path.stat().st_size
        if size > 2 * _MOST_LOG:
            log.seek(size - _MOST_LOG)
            data += b"\n...\n"
        return (data + log.read(_MOST_LOG)).decode("utf-8", "replace")
    return ""
