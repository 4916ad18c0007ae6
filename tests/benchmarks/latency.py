"""From an event written by a worker to its arrival at a socket in another process (SPEC P2).

First on SQLite alone, then with Redis beside it.
"""

import asyncio
import json
import time
from datetime import datetime
from pathlib import Path
from statistics import quantiles
from typing import Any
from uuid import uuid4

from autobahn.asyncio.websocket import WebSocketClientFactory, WebSocketClientProtocol

from config.demo.install import EMAIL
from jobs.models import Job, JobEvent
from projects.models import Project, User
from tests.benchmarks.browser import session, socket_address
from tests.benchmarks.figure import Figure
from tests.benchmarks.start_up import answers
from tests.servers.processes import environment, free_port, manage, until
from tests.servers.redis import Redis

TARGET = 150.0  # milliseconds, p50
TARGET_WITH_REDIS = 30.0
EVENTS = 200
LONG = 120.0


class Socket(WebSocketClientProtocol):
    """Notes when each row of the stream arrives, in the lists of its factory."""

    factory: Any

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        arrived = time.time()
        row = json.loads(payload)
        self.factory.arrived[row["seq"]] = arrived
        if row["kind"] == "job_done" or row["seq"] == self.factory.last:
            self.factory.done.set_result(None)


async def listen(address: str, job: Job, cookies: dict[str, str], last: int = 0) -> dict[int, float]:
    """When each event of `job` arrived, by its number, until the job is done or number `last` came."""
    host, port = socket_address(address)
    loop = asyncio.get_running_loop()
    factory: Any = WebSocketClientFactory(  # type: ignore[no-untyped-call]
        f"ws://{host}:{port}/ws/jobs/{job.pk}/",
        origin=address,
        headers={"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())},
        loop=loop,
    )
    factory.protocol = Socket
    factory.arrived, factory.done, factory.last = {}, loop.create_future(), last
    transport, _ = await loop.create_connection(factory, host, port)
    try:
        await asyncio.wait_for(factory.done, LONG)
    finally:
        transport.close()
    arrived: dict[int, float] = factory.arrived
    return arrived


def measure(address: str) -> list[Figure]:
    return figures("worker to browser", address, TARGET)


def measure_with_redis(folder: Path) -> list[Figure]:
    """On the same database, by a Scholium of its own: the one without Redis must have ended, its worker too."""
    address = f"http://127.0.0.1:{(port := free_port())}"
    with Redis() as redis:
        more = {"SCHOLIUM_TEST_STATIC": str(folder / "static"), "REDIS_URL": redis.url}
        env = environment(folder / "scholium.sqlite3", folder, **more)
        with manage("up", "--port", str(port), env=env, log=folder / "log"):
            until(lambda: answers(f"{address}/readyz"), LONG, "the worker")
            return figures("worker to browser with Redis", address, TARGET_WITH_REDIS)


def figures(what: str, address: str, target: float) -> list[Figure]:
    project, user = Project.objects.get(is_demo=True), User.objects.get(email=EMAIL)
    job = Job.objects.start(project=project, kind="counting", subject=uuid4(), user=user, enqueue=False)
    Job.objects.filter(pk=job.pk).update(progress_total=EVENTS)
    job.enqueue()
    arrived = asyncio.run(listen(address, job, session()))
    told: dict[int, datetime] = dict(JobEvent.objects.filter(job=job, kind="number").values_list("seq", "at"))
    delays = sorted((arrived[seq] - at.timestamp()) * 1000 for seq, at in told.items())
    cuts = quantiles(delays, n=100)
    return [
        Figure(f"{what}, p50", cuts[49], "ms", target, f"{len(delays)} events, one every 50 ms"),
        Figure(f"{what}, p95", cuts[94], "ms"),
    ]
