"""All checks and tests of `make test` and `make test-long`: `python -m tests.run_all [long]`.

All parts run even if an early one fails, so that one call shows everything that has to be fixed. The exit code is 0
only if every part passed. SKIP_E2E=1 leaves out the browser tests on a machine without Chromium.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from tests.servers.postgres import NoServer, postgres

ROOT = Path(__file__).resolve().parent.parent
WORKERS = min(4, os.cpu_count() or 1)
TOGETHER = ("-n", str(WORKERS), "--dist", "loadfile")
LONG, SHORT = "long", "not long"  # values of pytest's -m
PATIENCE = 1800  # seconds that one property test may take with all its examples
TIMED = "tests/e2e/test_demo_run.py::test_a_question_becomes_a_report_while_one_watches"
NO_CHROMIUM = "Chromium is missing: the browser tests did not run. SKIP_E2E=1 make test leaves them out on purpose."


@dataclass
class Part:
    """One part of the tests: its name, whether it passed, and the outcomes that pytest counted."""

    name: str
    passed: bool
    seconds: float
    counts: Counter[str] = field(default_factory=Counter)
    remark: str = ""

    def line(self) -> str:
        counted = ", ".join(f"{number} {outcome}" for outcome, number in self.counts.items() if number)
        verdict = "passed" if self.passed else "FAILED"
        return f"{self.name:<22} {verdict:<7} {self.seconds:6.1f} s  {self.remark or counted}".rstrip()


def run(name: str, *command: str, environment: Mapping[str, str] | None = None) -> Part:
    print(f"\n=== {name}: {' '.join(command)}", flush=True)  # noqa: T201
    start = time.monotonic()
    status = subprocess.run(command, cwd=ROOT, env={**os.environ, **(environment or {})}, check=False).returncode
    return Part(name, status == 0, time.monotonic() - start)


def run_together(*parts: tuple[str, ...]) -> list[Part]:
    """Run parts, each (name, command ...), at the same time, and print the output of each when all are done."""

    def quietly(name: str, *command: str) -> tuple[Part, str]:
        start = time.monotonic()
        ended = subprocess.run(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
        return Part(name, ended.returncode == 0, time.monotonic() - start), ended.stdout

    with ThreadPoolExecutor(len(parts)) as pool:
        done = list(pool.map(lambda part: quietly(*part), parts))
    for (name, *command), (_, said) in zip(parts, done, strict=True):
        print(f"\n=== {name}: {' '.join(command)}\n{said}", flush=True)  # noqa: T201
    return [part for part, _ in done]


def run_pytest(name: str, *arguments: str, environment: Mapping[str, str] | None = None) -> Part:
    """Run pytest with its own database and media, and return the part with its counts. The slowest tests are listed."""
    with tempfile.TemporaryDirectory(prefix="scholium-tests-", ignore_cleanup_errors=True) as folder:
        report = Path(folder) / "report.xml"
        part = run(
            name,
            *(sys.executable, "-m", "pytest", "-q", "--durations=40", f"--junitxml={report}", *arguments),
            environment={"SCHOLIUM_TEST_DIR": folder, **(environment or {})},
        )
        if report.exists():
            part.counts = counts(report)
    return part


def counts(report: Path) -> Counter[str]:
    """Return the number of tests by outcome in a JUnit report of pytest."""
    total: Counter[str] = Counter()
    for suite in ElementTree.parse(report).getroot().iter("testsuite"):
        tests, skipped = int(suite.get("tests", "0")), int(suite.get("skipped", "0"))
        failed = int(suite.get("failures", "0")) + int(suite.get("errors", "0"))
        total.update(failed=failed, passed=tests - failed - skipped, skipped=skipped)
    return total


def browser_tests(which: str = SHORT) -> list[Part]:
    """Run the browser tests that are `which`: the timed one alone, the others in parallel, one for each processor.

    More at a time would not be quicker, and pages that wait for a processor would fail tests that measure time.
    """
    name = "browser"
    if os.environ.get("SKIP_E2E") == "1":
        return [Part(name, True, 0, remark="left out: SKIP_E2E=1")]
    found = subprocess.run([ROOT / "docker" / "setup", "chromium"], capture_output=True, text=True, check=False)
    if found.returncode:
        return [Part(name, False, 0, remark=NO_CHROMIUM)]
    # Playwright's own Node needs a library that a bare Debian lacks; the one on PATH runs.
    browser = {"CHROMIUM": found.stdout.strip(), "PLAYWRIGHT_NODEJS_PATH": shutil.which("node") or ""}
    others = ("tests/e2e", f"--deselect={TIMED}", *TOGETHER)
    with tempfile.TemporaryDirectory(prefix="scholium-browser-", ignore_cleanup_errors=True) as begun:
        browser["SCHOLIUM_E2E_BEGUN"] = begun  # the first part prepares the demo thesis there for the second
        alone = [] if which == LONG else [run_pytest("browser, timed", TIMED, "-m", which, environment=browser)]
        return [*alone, run_pytest(name, *others, "-m", f"e2e and {which}", environment=browser)]


def postgres_tests(which: str = SHORT) -> Part:
    """Run the tests that are `which` and marked `postgres`, on a PostgreSQL server of their own."""
    name = "PostgreSQL"
    how = ("-m", f"postgres and {which}", "-n", str(WORKERS), "--dist", "worksteal")
    try:
        with postgres() as url:
            return run_pytest(name, *how, environment={"TEST_DATABASE_URL": url})
    except NoServer as error:
        return Part(name, False, 0, remark=f"The server of the wheel did not start: {error}")


def short() -> list[Part]:
    return [
        *run_together(
            ("lint, types, layers", "make", "--no-print-directory", "check"), ("front end", "npm", "test", "--silent")
        ),
        run_pytest("unit and integration", "--ignore=tests/e2e", *TOGETHER),
        postgres_tests(),
        *browser_tests(),
    ]


def long() -> list[Part]:
    """Run the tests marked `long`, and each property test with ten times as many examples."""
    many = ("--hypothesis-profile=long", f"--timeout={PATIENCE}")
    return [
        run_pytest("long", "--ignore=tests/e2e", "-m", f"{LONG} or hypothesis", *many, *TOGETHER),
        postgres_tests(LONG),
        *browser_tests(LONG),
    ]


def main(arguments: list[str]) -> int:
    start = time.monotonic()
    parts = long() if arguments == [LONG] else short()
    total = sum((part.counts for part in parts), Counter[str]())
    outcomes = [f"{total[outcome]} {outcome}" for outcome in ("failed", "passed", "skipped") if total[outcome]]
    print(f"\n=== make {'-'.join(['test', *arguments])}", *(part.line() for part in parts), sep="\n")  # noqa: T201
    # The last line has the format of pytest, summed over its runs, for tools that read such lines.
    print(f"=== {', '.join(outcomes) or 'no tests ran'} in {time.monotonic() - start:.2f}s ===", flush=True)  # noqa: T201
    return 0 if all(part.passed for part in parts) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
