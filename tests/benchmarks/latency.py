"""From an event written by a worker to its arrival at a socket in another process, on SQLite alone (SPEC P2)."""

import asyncio
import json
import time
from datetime import datetime
from statistics import quantiles
from typing import Any
from uuid import uuid4

from autobahn.asyncio.websocket import WebSocketClientFactory, WebSocketClientProtocol

from config.demo.install import EMAIL
from jobs.models import Job, JobEvent
from projects.models import Project, User
from tests.benchmarks.browser import session, socket_address
from tests.benchmarks.figure import Figure

TARGET = 150.0  # milliseconds, p50
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
    project, user = Project.objects.get(is_demo=True), User.objects.get(email=EMAIL)
    job = Job.objects.start(project=project, kind="counting", subject=uuid4(), user=user, enqueue=False)
    Job.objects.filter(pk=job.pk).update(progress_total=EVENTS)
    job.enqueue()
    arrived = asyncio.run(listen(address, job, session()))
    told: dict[int, datetime] = dict(JobEvent.objects.filter(job=job, kind="number").values_list("seq", "at"))
    delays = sorted((arrived[seq] - at.timestamp()) * 1000 for seq, at in told.items())
    cuts = quantiles(delays, n=100)
    return [
        Figure("worker to browser, p50", cuts[49], "ms", TARGET, f"{len(delays)} events, one every 50 ms"),
        Figure("worker to browser, p95", cuts[94], "ms"),
    ]
