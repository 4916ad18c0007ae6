"""Twenty papers of fifty pages become the context of a run, by the offline engine in the worker (SPEC X2)."""

import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import httpx
import psutil

from config.demo.install import EMAIL
from contextfiles.models import ContextFile
from contextfiles.upload import store_path
from jobs.models import Job, JobEvent, State
from projects.models import Project, User
from research.models import Run
from tests.benchmarks.browser import over_http
from tests.benchmarks.figure import Figure
from tests.benchmarks.long_files import write
from tests.servers.processes import until
from tests.start_run import start_run

FILES, PAGES = 20, 50
SECONDS, MEGABYTES, MILLISECONDS = 20.0, 600.0, 500.0
QUESTION = "What do the trials say about mortality under corticosteroids in critically ill adults?"
LONG = 300.0
EVERY = 0.1  # seconds between two looks at the processes


@dataclass
class Watched:
    """What the worker with all its processes was seen to take, and how long a page took meanwhile."""

    megabytes: float = 0.0  # at the most, what several processes share counted once
    spent: dict[int, tuple[float, float]] = field(default_factory=dict)  # by process, first and last: seconds
    pages: list[float] = field(default_factory=list)  # seconds

    @property
    def processor(self) -> float:
        """Seconds; of a process that came and went what it had spent when it was last seen, so a little is missing."""
        return sum(last - first for first, last in self.spent.values())


def measure(address: str) -> list[Figure]:
    user = User.objects.get(email=EMAIL)
    project = Project.objects.create_for(user, title="A year of reading")
    with tempfile.TemporaryDirectory(prefix="scholium-papers-") as folder:
        files = [store_path(project, user, path) for path in write(Path(folder), FILES, PAGES)]
    first, watched = bound(project, user, files, address)
    again, _ = bound(project, user, files, address)
    what = f"{FILES} PDFs of {PAGES} pages"
    passages = sum(one["segments"] for one in first.context.files) if first.context else 0
    return [
        Figure(f"{what}, from Start to the brief", until_brief(first), "s", SECONDS, f"{passages:,} passages"),
        Figure(f"{what}, processor time of the worker", watched.processor, "s"),
        Figure(f"{what}, memory of the worker and its processes", watched.megabytes, "MB", MEGABYTES),
        Figure(
            "a page meanwhile", median(watched.pages) * 1000, "ms", MILLISECONDS, f"at most {max(watched.pages):.2f} s"
        ),
        Figure("the same files in a second run", until_brief(again), "s"),
    ]


def bound(project: Project, user: User, files: list[ContextFile], address: str) -> tuple[Run, Watched]:
    """A run of these files that has its brief; what comes after that is not waited for."""
    run = start_run(project, user, QUESTION, profile="local-only", file_ids=[file.pk for file in files])
    with over_http(address) as reader, watching(reader, f"/runs/{run.pk}/") as watched:
        until(lambda: is_there(run), LONG, "the brief")
    run.job.ask("cancel")
    until(lambda: Job.objects.get(pk=run.job_id).has_ended, LONG, "the end of the run")
    return Run.objects.select_related("job", "context").get(pk=run.pk), watched


def is_there(run: Run) -> bool:
    job = Job.objects.get(pk=run.job_id)
    if job.state == State.FAILED:
        raise RuntimeError(f"The run ended as {job.state}: {job.reason}")
    return bool(JobEvent.objects.filter(job=job, kind="brief_generated").exists())


def until_brief(run: Run) -> float:
    """Seconds from Start until the files were bound and the brief was begun."""
    begun = JobEvent.objects.get(job=run.job_id, kind="phase_brief").at
    return float((begun - run.job.created_at).total_seconds())


@contextmanager
def watching(reader: httpx.Client, page: str) -> Iterator[Watched]:
    """Looks at the worker's processes, and has `reader` open `page` again and again, until the block ends."""
    watched, over = Watched(), threading.Event()
    worker = next(one for one in psutil.Process().children(recursive=True) if "worker" in one.cmdline()[1:3])
    known = {one.pid for one in tree(worker)}
    looks = [
        threading.Thread(target=look, args=(worker, watched, over, known)),
        threading.Thread(target=read, args=(reader, page, watched, over)),
    ]
    for one in looks:
        one.start()
    try:
        yield watched
    finally:
        over.set()
        for one in looks:
            one.join()


def look(worker: psutil.Process, watched: Watched, over: threading.Event, known: set[int]) -> None:
    while not over.wait(EVERY):
        there = tree(worker)
        watched.megabytes = max(watched.megabytes, sum(map(share, there)) / 2**20)
        for process in there:
            now = spent(process)
            first, last = watched.spent.get(process.pid, (now if process.pid in known else 0.0, now))
            watched.spent[process.pid] = first, max(last, now)


def read(reader: httpx.Client, page: str, watched: Watched, over: threading.Event) -> None:
    while not over.wait(EVERY):
        start = time.perf_counter()
        reader.get(page).raise_for_status()
        watched.pages.append(time.perf_counter() - start)


def tree(worker: psutil.Process) -> list[psutil.Process]:
    return [worker, *worker.children(recursive=True)]


def share(process: psutil.Process) -> float:
    """Bytes of memory that it has for itself, and its share of what it has with others."""
    with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
        return float(process.memory_full_info().pss)
    return 0.0


def spent(process: psutil.Process) -> float:
    """Processor seconds of a process so far; 0 for one that has ended."""
    with suppress(psutil.NoSuchProcess):
        times = process.cpu_times()
        return float(times.user + times.system)
    return 0.0
