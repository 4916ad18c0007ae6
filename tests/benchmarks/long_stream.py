"""The page of a run that has told 5,000 events: by the server, in Chromium, and all of them down a socket."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from django.utils import timezone
from playwright.sync_api import Page

from jobs.models import Job, JobEvent
from research.models import Run
from tests.benchmarks.browser import in_chromium, over_http, session
from tests.benchmarks.figure import Figure, seconds, typical
from tests.benchmarks.latency import listen

EVENTS = 5000
TARGET = 1.0
TIMES = 7


@contextmanager
def talkative_run() -> Iterator[Run]:
    """The newest run, with events added until there are EVENTS."""
    run = Run.objects.select_related("job").latest("created_at")
    first = run.job.last_seq + 1
    said = "Reading who-react.md: four sentences name the outcome, two of them with a number of patients."
    rows = [
        JobEvent(job=run.job, seq=seq, at=timezone.now(), kind="thought", text=said, node="1.2", phase="research")
        for seq in range(first, EVENTS + 1)
    ]
    JobEvent.objects.bulk_create(rows)
    Job.objects.filter(pk=run.job_id).update(last_seq=EVENTS)
    yield run
    JobEvent.objects.filter(job=run.job, seq__gte=first).delete()
    Job.objects.filter(pk=run.job_id).update(last_seq=first - 1)


def measure(address: str) -> list[Figure]:
    with talkative_run() as run:
        page = f"/runs/{run.pk}/"
        with over_http(address) as client:
            client.get(page)
            by_server = typical(lambda: client.get(page).raise_for_status(), TIMES)
        socket = seconds(lambda: asyncio.run(listen(address, run.job, session(), last=EVENTS)))
        with in_chromium(address) as window:
            open_in(window, page)
            in_browser = typical(lambda: open_in(window, page), TIMES)
    return [
        Figure(f"run of {EVENTS:,} events, by the server", by_server, "s", TARGET, f"median of {TIMES}"),
        Figure(f"run of {EVENTS:,} events, in Chromium", in_browser, "s", TARGET, f"median of {TIMES}, until shown"),
        Figure(f"all {EVENTS:,} events down a socket", socket, "s"),
    ]


def open_in(window: Page, page: str) -> None:
    """Until the last event stands in the page."""
    window.goto(page)
    window.locator("ol.stream li[data-seq]").last.wait_for()
