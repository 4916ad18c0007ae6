"""A draft as it streams: from the model's first words to the socket,
and how far behind it is at 100 tokens a second (T3).

A Scholium of its own on the same database, set up for a Messages API of ours that speaks at that pace; the one
before it must have ended, its worker too.
"""

import asyncio
from pathlib import Path
from statistics import median, quantiles

from config.demo.install import EMAIL
from jobs.models import JobEvent
from projects.models import Project, User
from sections.models import Section
from tests.benchmarks.browser import session
from tests.benchmarks.figure import Figure
from tests.benchmarks.latency import listen
from tests.benchmarks.start_up import answers
from tests.servers.messages import PIECE, Service, serving
from tests.servers.processes import environment, free_port, manage, until
from thesis.drafting.start import DraftRequest, start_draft
from thesis.drafting.streaming import TEXT

TARGET = 300.0  # milliseconds from the model's first token to the browser
TOKENS = 100  # a second, of four letters
LETTERS = 4_000
TIMES = 3
LONG = 120.0


def measure(folder: Path) -> list[Figure]:
    with serving() as service:
        address = f"http://127.0.0.1:{(port := free_port())}"
        more = {"SCHOLIUM_TEST_STATIC": str(folder / "static"), "ANTHROPIC_API_KEY": "any"}
        env = environment(folder / "scholium.sqlite3", folder, ANTHROPIC_BASE_URL=service.url, **more)
        with manage("up", "--port", str(port), env=env, log=folder / "log"):
            until(lambda: answers(f"{address}/readyz"), LONG, "the worker")
            return figures(address, service)


def figures(address: str, service: Service) -> list[Figure]:
    first, behind, rate = [], [], []
    for _ in range(TIMES):
        lags, seconds, rows = drafted(address, service)
        first.append(lags[0])
        behind += lags
        rate.append(rows / seconds)
    return [
        Figure("draft: model's first token to the socket", median(first), "ms", TARGET, f"median of {TIMES}"),
        Figure(f"draft at {TOKENS} tokens a second: behind the model, p95", quantiles(behind, n=20)[18], "ms", TARGET),
        Figure("draft: event rows in a second", max(rate), "rows", 20.0, "one in 50 ms at most"),
    ]


def drafted(address: str, service: Service) -> tuple[list[float], float, int]:
    """How long each event came after the last words in it were said, in milliseconds; the seconds it took; the rows."""
    user = User.objects.get(email=EMAIL)
    section = Section.objects.get(project=Project.objects.get(is_demo=True), slug="introduction")
    text = ("A sentence with some words in it. " * (LETTERS // 34 + 1))[:LETTERS]
    service.told_at.clear()
    service.says(text, seconds=PIECE / (4 * TOKENS))
    # Asked here, done by the worker of that Scholium; nothing that this process is set up for is asked
    draft = start_draft(section, user, DraftRequest())
    assert draft.job
    arrived = asyncio.run(listen(address, draft.job, session()))
    rows = list(JobEvent.objects.filter(job=draft.job, kind=TEXT).order_by("seq"))
    said = service.told_at[3:]  # behind the start of the message, a ping and the start of its block
    lags, letters = [], 0
    for row in rows:
        letters += len(row.text)
        piece = min(len(said), -(-letters // PIECE)) - 1
        lags.append((arrived[row.seq] - said[piece]) * 1000)
    return lags, rows[-1].at.timestamp() - rows[0].at.timestamp() + 0.05, len(rows)
