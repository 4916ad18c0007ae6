"""No program that is started from here is given a secret of ours."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.environment import SECRETS
from untrusted.pandoc import pandoc_path
from untrusted.process_environment import child_environment

ROOT = Path(__file__).resolve().parents[2]
ROOMS = (
    "analysis",
    "citations",
    "config",
    "contextfiles",
    "jobs",
    "llm",
    "projects",
    "research",
    "sections",
    "sources",
)
# Processes of Scholium itself, which read its settings; and TeX's, given what thesis/latex_build/run_latex.py lists.
OWN = {
    "jobs/watchdog.py",
    "config/management/commands/up.py",
    "thesis/latex_build/tex_process.py",
    "thesis/latex_build/run_latex.py",
}
MARKER = "a-secret-that-nobody-may-see"


@pytest.fixture(autouse=True)
def _secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every secret there is, and one nobody has thought of."""
    for name in [*SECRETS, *(f"{name}_FILE" for name in SECRETS), "AWS_SESSION_TOKEN", "http_proxy"]:
        monkeypatch.setenv(name, MARKER)


def started() -> Iterator[tuple[str, ast.Call]]:
    """Each call that starts a program, and the file it stands in."""
    for room in (*ROOMS, "thesis"):
        for path in sorted((ROOT / room).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if not re.search(r"subprocess|os\.(system|popen)", text):
                continue  # it takes seconds to parse all files
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                    *(f"subprocess.{name}" for name in ("Popen", "run", "call", "check_call", "check_output")),
                    *("asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell", "os.system", "os.popen"),
                ):
                    yield str(path.relative_to(ROOT)), node


def test_every_program_is_given_an_environment_by_the_one_function() -> None:
    calls = list(started())
    assert len(calls) > 15
    for path, call in calls:
        given = [ast.unparse(keyword.value) for keyword in call.keywords if keyword.arg == "env"]
        if path not in OWN:
            assert [value.partition("(")[0] for value in given] in (["child_environment"], ["environment"], ["env"]), (
                path,
                call.lineno,
            )
        assert given, (path, call.lineno)


def test_a_program_sees_none() -> None:
    command = [sys.executable, "-c", "print(open('/proc/self/environ').read())"]
    said = subprocess.run(command, env=child_environment("/tmp"), capture_output=True, text=True, check=True).stdout
    assert "PATH=" in said
    assert MARKER not in said


@pytest.mark.long
@pytest.mark.r
def test_r_sees_none(tmp_path: Path) -> None:
    from analysis.r_client import local_service

    with local_service.start(log=tmp_path / "log") as service:
        one = service.processes[0]
        seen = [Path(f"/proc/{pid}/environ").read_bytes().decode() for pid in [one.pid, *children(one.pid)]]
        assert "R_PLUMBER_PORT=" in seen[0]
        assert all(MARKER not in environment for environment in seen)
        assert all(service.token not in environment for environment in seen)
        assert (service.token_file.stat().st_mode & 0o777) == 0o600
        assert MARKER not in Path(f"/proc/{one.guard.pid}/environ").read_text()


def test_what_the_documentation_says_of_r_reaches_it(monkeypatch: pytest.MonkeyPatch) -> None:
    table = (
        (ROOT / "docs/operations.md").read_text(encoding="utf-8").partition("| its variable |")[2].partition("\n\n")[0]
    )
    names = {name for name in re.findall(r"`(R_[A-Z_]+)`", table) if not name.startswith("R_PLUMBER")}
    assert len(names) > 3
    for name in names:
        monkeypatch.setenv(name, "1")
    assert names <= set(child_environment())


@pytest.mark.long
def test_no_library_starts_pandoc_by_itself() -> None:
    """pypandoc runs what it finds to ask for its version, and gives it all of our environment."""
    for room in (*ROOMS, "thesis"):
        for path in (ROOT / room).rglob("*.py"):
            imported = [
                alias.name
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                if isinstance(node, ast.Import)
                for alias in node.names
            ]
            assert "pypandoc" not in imported, path


def children(pid: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "-g", str(pid)], capture_output=True, text=True, check=False).stdout
    return [int(line) for line in listed.split() if line.isdigit() and Path(f"/proc/{line}").exists()]


def test_the_process_that_reads_files_sees_none() -> None:
    from untrusted.sandbox import _Waiting

    waiting = _Waiting()
    try:
        waiting._start()
        assert waiting.process
        os.sched_yield()
        assert MARKER not in Path(f"/proc/{waiting.process.pid}/environ").read_text()
    finally:
        waiting.close()


def test_pandoc_sees_none(tmp_path: Path) -> None:
    """By a filter that prints all it can see of its environment."""
    names = tmp_path / "names.lua"
    names.write_text(
        "function Pandoc(doc) print(pandoc.system.environment and 1); for k, v in pairs(pandoc.system.environment()) "
        "do print(k, v) end; return doc end"
    )
    command = [pandoc_path(), "--from=markdown", "--to=plain", f"--lua-filter={names}"]
    said = subprocess.run(command, input=b"x", env=child_environment(tmp_path), capture_output=True, check=True).stdout
    assert b"PATH" in said
    assert MARKER.encode() not in said
