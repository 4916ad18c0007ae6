"""Scholium as people get it: `manage.py up` with its real processes, in a real Chromium.

One server with the demo thesis for all tests that need no other settings; a page of its own for each. A page that
logs an error, throws, or runs into the content security policy fails its test, whatever else it shows.
"""

import fcntl
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from config.demo.install import EMAIL, PASSWORD, QUESTION, TITLE
from tests.servers.browser_registries import Shelves
from tests.servers.processes import ROOT, answers, environment, free_port, manage, until
from tests.servers.thinking_model import Thinking, thinking

# For each window newer Chromiums prepare the list below the address bar, as two pages of their own that take more of a
# processor than ours do; and a process to spare. The rest is what Playwright switches off, since the last list counts.
WITHOUT = (
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,SpareRendererForSitePerProcess,"
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,"
    "LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,"
    "TcpPortRandomizationWin,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch"
)
FLAGS = [
    f"--disable-features={WITHOUT}",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
UP = 120.0  # seconds the server has to start on a machine that is busy with other things
PATIENT = 60_000  # milliseconds for what a worker does
STEADY = 10_000  # milliseconds for what a page does

expect.set_options(timeout=STEADY)


# The files that take longest, which begin first, so that none is left to one process at the end.
LONG = (
    "test_kill_model",
    "test_cite_in_editor",
    "test_editor",
    "test_editor_toolbar",
    "test_kill",
    "test_model_run",
    "test_import_thesis",
    "test_saving",
)
# Files of one process and in this order, since they share the server that asks a model. The second brings files to it.
WITH_A_MODEL = ("test_model_run", "test_files_in_a_run")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = [item for item in items if item.path.is_relative_to(Path(__file__).parent)]
    for item in here:
        item.add_marker(pytest.mark.e2e)
    if len(here) == len(items):
        items.sort(key=lambda item: place_of(item.path.stem))


def scope_of(file: str) -> str:
    return WITH_A_MODEL[0] if file in WITH_A_MODEL else file


def place_of(file: str) -> tuple[int, int]:
    scope = scope_of(file)
    return LONG.index(scope) if scope in LONG else len(LONG), WITH_A_MODEL.index(file) if file in WITH_A_MODEL else 0


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """By file, as `--dist loadfile` does, but for the files that stand together."""
    from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

    class ByServer(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return scope_of(Path(nodeid.split("::")[0]).stem)

    return ByServer(config, log) if config.getvalue("dist") == "loadfile" else None


@dataclass
class Server:
    """A running Scholium: where it answers, and where its database and log are."""

    address: str
    database: Path
    log: Path

    @contextmanager
    def rows(self) -> Iterator[sqlite3.Connection]:
        """The database itself, for what no page shows."""
        connection = sqlite3.connect(self.database, isolation_level=None, timeout=20)
        try:
            yield connection
        finally:
            connection.close()

    def forget_services(self) -> None:
        """What services answered is kept for days, and one that failed is left alone for longer than a test waits."""
        with self.rows() as rows:
            rows.execute("DELETE FROM sources_cachedresponse")
            rows.execute("DELETE FROM sources_hostpace")


@contextmanager
def one_at_a_time(place: Path) -> Iterator[None]:
    """Alone among the processes of this test run: what one makes in `place`, the others find there."""
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def static(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The static files as a server gives them out, made once for all processes of this test run.

    Beside them `serving` keeps what the first server has once it is up. SCHOLIUM_E2E_BEGUN names a folder that several
    runs share (tests/run_all.py).
    """
    own = tmp_path_factory.getbasetemp()
    of_run = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    shared = Path(os.environ.get("SCHOLIUM_E2E_BEGUN") or of_run)
    folder = shared / "static"
    with one_at_a_time(shared):
        if not folder.exists():
            env = environment(shared / "none.sqlite3", shared, SCHOLIUM_TEST_STATIC=str(folder))
            collect = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
            subprocess.run(collect, cwd=ROOT, env=env, check=True)
    return folder


@contextmanager
def serving(folder: Path, static: Path, **settings: str) -> Iterator[Server]:
    """A Scholium on a database of its own in `folder`, with the demo thesis, set up by `settings`.

    The first of a test run is installed as on a new machine, the others begin with what that one then had.
    """
    database, log, port = folder / "scholium.sqlite3", folder / "log", free_port()
    installed = static.with_name("installed")
    env = environment(database, folder, SCHOLIUM_TEST_STATIC=str(static), WORKERS="2", **settings)
    with ExitStack() as stack:
        alone = stack.enter_context(ExitStack())  # until it is known what the others can begin with
        alone.enter_context(one_at_a_time(static.parent))
        if installed.exists():
            alone.close()
            shutil.copytree(installed, folder, dirs_exist_ok=True)
        process = stack.enter_context(manage("up", "--port", str(port), env=env, log=log))
        address = f"http://127.0.0.1:{port}"

        def ready() -> bool:
            assert process.poll() is None, f"The server ended: {log.read_text()[-2000:]}"
            return answers(port, "/readyz")

        until(ready, UP, "the server", every=0.2)  # each look takes of the processor that the start needs
        if not installed.exists():
            keep(database, folder / "media", installed)
        alone.close()
        yield Server(address, database, log)


def keep(database: Path, media: Path, installed: Path) -> None:
    """Copy what a Scholium has once it is up, without the sign of life of its worker, to the folder `installed`."""
    installed.mkdir()
    shutil.copytree(media, installed / media.name)
    with closing(sqlite3.connect(database)) as here, closing(sqlite3.connect(installed / database.name)) as there:
        here.backup(there)
        there.execute("DELETE FROM jobs_workerbeat")
        there.commit()


@pytest.fixture(scope="session")
def shelves() -> Iterator[Shelves]:
    with Shelves() as served:
        yield served
        served.mend()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, static: Path, shelves: Shelves) -> Iterator[Server]:
    """One Scholium for all tests of a process that need no other settings. It asks the registries of this machine."""
    with serving(tmp_path_factory.mktemp("server"), static, **shelves.environment()) as running:
        yield running


@pytest.fixture
def registries(server: Server, shelves: Shelves) -> Iterator[Shelves]:
    """The registries that `server` asks, for a test that breaks them:
    nothing of before stands for their answers, and the next test finds them whole."""
    server.forget_services()
    yield shelves
    shelves.mend()
    server.forget_services()


@pytest.fixture(scope="session")
def thought() -> Iterator[Thinking]:
    """The model and the catalogues that `asking` asks, which take a moment for each answer."""
    with thinking(0.02, 0.05) as both:
        yield both


@pytest.fixture(scope="session")
def asking(tmp_path_factory: pytest.TempPathFactory, static: Path, thought: Thinking) -> Iterator[Server]:
    """A Scholium that asks them, with the debug pane."""
    settings = {**thought.settings, "UI_DEBUG": "true", "UPLOAD_MAX_MB": "1"}
    with serving(tmp_path_factory.mktemp("asking"), static, **settings) as running:
        yield running


@pytest.fixture(scope="session")
def signed_in(browser: Browser, asking: Server) -> Any:
    """What the browser of the demo person keeps, on the server that asks a model."""
    return signed_in_at(browser, asking)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    named = os.environ.get("CHROMIUM") or os.environ.get("PLAYWRIGHT_CHROMIUM")
    found = named or shutil.which("chromium-headless-shell") or shutil.which("chromium")  # as docker/setup finds it
    # Playwright's loop goes on in the thread of the tests. Those that come later in this process and use its database,
    # which that loop never does, are let.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield chromium
        chromium.close()


@dataclass
class Trouble:
    """What went wrong in the pages of one test, and what was expected to."""

    seen: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)

    def expect(self, *patterns: str) -> None:
        """Errors that match one of `patterns` are part of the test."""
        self.expected += patterns

    def note(self, said: str) -> None:
        self.seen.append(said)

    def on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error" or "Content Security Policy" in message.text:
            self.note(f"{message.text} ({message.location.get('url')})")

    def left(self) -> list[str]:
        return [said for said in self.seen if not any(re.search(pattern, said) for pattern in self.expected)]


@pytest.fixture
def trouble() -> Iterator[Trouble]:
    noted = Trouble()
    yield noted
    assert noted.left() == []


OpenWindow = Callable[..., Page]


@pytest.fixture
def open_window(browser: Browser, server: Server, trouble: Trouble) -> Iterator[OpenWindow]:
    """Opens a window of a browser of its own: `open_window(signed_in=state, **options of the context)`."""
    contexts: list[BrowserContext] = []

    def window(signed_in: Any = None, **options: Any) -> Page:
        context = browser.new_context(base_url=server.address, storage_state=signed_in, **options)
        contexts.append(context)
        context.on("page", lambda page: page.on("pageerror", lambda error: trouble.note(f"{error}")))
        context.on("console", trouble.on_console)
        return context.new_page()

    yield window
    for context in contexts:
        context.close()


@pytest.fixture
def page(open_window: OpenWindow) -> Page:
    """A window in which nobody has signed in."""
    return open_window()


@pytest.fixture(scope="session")
def standing(browser: Browser, server: Server, demo: Any) -> Iterator[Page]:
    """A window of the demo person that stays open: a page in it takes half of what one in a new browser takes."""
    with browser.new_context(base_url=server.address, storage_state=demo) as context:
        yield context.new_page()


@pytest.fixture
def shared_page(standing: Page, server: Server, trouble: Trouble) -> Iterator[Page]:
    """`standing` for a test that needs no browser of its own.
    What the test left in the browser is gone for the next."""

    def thrown(error: Any) -> None:
        trouble.note(f"{error}")

    standing.on("pageerror", thrown)
    standing.on("console", trouble.on_console)
    yield standing
    standing.remove_listener("pageerror", thrown)
    standing.remove_listener("console", trouble.on_console)
    standing.goto("/healthz")  # a page of the same place without scripts
    standing.evaluate("sessionStorage.clear()")
    kept = {"origin": server.address, "storageTypes": "local_storage,indexeddb"}
    standing.context.new_cdp_session(standing).send("Storage.clearDataForOrigin", kept)


def sign_in(page: Page, email: str = EMAIL, password: str = PASSWORD) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/")


@pytest.fixture(scope="session")
def demo(browser: Browser, server: Server) -> Any:
    """What the browser of the demo person keeps once signed in: for `open_window(signed_in=demo)`."""
    return signed_in_at(browser, server)


def signed_in_at(browser: Browser, server: Server) -> Any:
    with browser.new_context(base_url=server.address) as context:
        sign_in(context.new_page())
        return context.storage_state()


@pytest.fixture(scope="session")
def thesis(browser: Browser, server: Server, demo: Any) -> str:
    """The address of the demo thesis."""
    context = browser.new_context(base_url=server.address, storage_state=demo)
    projects = context.request.get("/api/projects").json()
    context.close()
    rows = projects["items"] if isinstance(projects, dict) else projects
    return next(f"/projects/{row['id']}/" for row in rows if row["title"] == TITLE)


def ask(page: Page, thesis: str, question: str = QUESTION, *, files: bool = True) -> str:
    """Start research on `question` from the page of `thesis`; the path of the run's page, which is then open."""
    page.goto(f"{thesis}research/")
    page.get_by_label("What do you want to know?").fill(question)
    boxes = page.locator("#files input[name=files]")
    if files:
        expect(boxes.first).to_be_visible()
        for number in range(boxes.count()):
            boxes.nth(number).check()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/runs/*/")
    return re.sub(r"^https?://[^/]+", "", page.url)


def wait_for_report(page: Page) -> None:
    expect(page.get_by_role("link", name="Read the report")).to_be_visible(timeout=PATIENT)


def numbers_of(page: Page) -> list[int]:
    """The numbers of the events the stream shows, in the order they stand there."""
    shown: list[int] = page.eval_on_selector_all("ol.stream li[data-seq]", "rows => rows.map(row => +row.dataset.seq)")
    return shown


@pytest.fixture(scope="session")
def finished_run(browser: Browser, server: Server, demo: Any, thesis: str) -> str:
    """The path of a run of the demo question that has its report."""
    context = browser.new_context(base_url=server.address, storage_state=demo)
    page = context.new_page()
    path = ask(page, thesis)
    wait_for_report(page)
    context.close()
    return path
