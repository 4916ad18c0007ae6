"""The files that five use cases of Scholium pass through, in the order in which they are entered.

Run `python -m tests.call_paths [NUMBER]`. Calls that go back into an earlier file are listed below their
use case, since somebody who reads along would have to go back, too. Each use case is a test that runs with a profiler,
the pytest plugin below.
"""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
WALKS = {
    "From a question to its report": ["tests/research/test_whole_run.py::test_nothing_is_written_that_was_not_found"],
    "From a key press to saved": ["tests/sections/test_save.py::test_a_save_is_kept_and_counted"],
    "From a pasted DOI to tier A": [
        "tests/citations/test_add_page.py::test_a_doi_is_in_the_list_with_its_proof",
    ],
    "From a CSV file to a figure in a section": [
        "tests/analysis/r/test_command.py::test_the_published_meta_analysis",
        "tests/thesis/test_insert_result.py::test_proposing_leads_to_the_section",
    ],
    "From a build to its PDF": ["tests/thesis/test_build.py::test_a_pdf_then_a_mistake_then_a_pdf"],
}

_names: dict[CodeType, str] = {}
_entered: dict[str, None] = {}
_again: dict[tuple[str, str], None] = {}


def _name(code: CodeType) -> str:
    """Return the path of the app's file that `code` is in; "" for other files and for code that runs at import."""
    if code not in _names:
        path = Path(code.co_filename)
        inside = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
        is_ours = inside.partition("/")[0] in APPS and "/migrations/" not in inside and code.co_name != "<module>"
        _names[code] = inside if is_ours else ""
    return _names[code]


def _callers(frame: FrameType) -> Iterator[str]:
    before = frame.f_back
    while before is not None:
        if name := _name(before.f_code):
            yield name
        before = before.f_back


def _step(frame: FrameType, event: str, _: Any) -> None:
    if event != "call" or not (name := _name(frame.f_code)):
        return
    _entered.setdefault(name)
    through = ""
    for caller in _callers(frame):
        if caller == name:
            if through and not frame.f_code.co_name.startswith("<"):  # a comprehension calls back into its own file
                _again.setdefault((name, through))
            return
        through = through or caller


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[None]:
    threading.setprofile(_step)
    sys.setprofile(_step)
    try:
        return (yield)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for name in _entered:
        terminalreporter.write_line(f"  {name}")
    for name, through in _again:
        terminalreporter.write_line(f"  again: {name}, from {through}")


def main(arguments: list[str]) -> int:
    """Print the files of each use case, or of those with the numbers in `arguments`, counted from 1."""
    chosen = [int(one) for one in arguments]
    failed = 0
    for number, (name, tests) in enumerate(WALKS.items(), start=1):
        if not chosen or number in chosen:
            print(f"\n{number}. {name}", flush=True)  # noqa: T201
            command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.call_paths", "-m", "long or not long", *tests]
            failed += subprocess.run(command, cwd=ROOT, check=False).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
