"""200 sockets opened at once by 20 people who watch one job: until all are open, and until all have its first event."""

import asyncio
import time
from typing import Any
from uuid import uuid4

from autobahn.asyncio.websocket import WebSocketClientFactory, WebSocketClientProtocol

from config.demo.install import EMAIL
from jobs.models import Job
from projects.models import Membership, Project, User
from tests.benchmarks.browser import session, socket_address
from tests.benchmarks.figure import Figure

PEOPLE, EACH, EVENTS = 20, 10, 50
TARGET, LONG = 3.0, 60.0  # seconds


class Socket(WebSocketClientProtocol):
    """Notes when it is open and when the first event arrives."""

    factory: Any

    def onOpen(self) -> None:
        self.factory.opened.set_result(time.perf_counter())

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        if not self.factory.heard.done():
            self.factory.heard.set_result(time.perf_counter())


async def watch(address: str, job: Job, cookie: str) -> tuple[float, float]:
    """Open a socket; return when it was open and when its first event came, infinity for never."""
    host, port = socket_address(address)
    loop = asyncio.get_running_loop()
    factory: Any = WebSocketClientFactory(  # type: ignore[no-untyped-call]
        f"ws://{host}:{port}/ws/jobs/{job.pk}/", origin=address, headers={"Cookie": cookie}, loop=loop
    )
    factory.protocol, factory.opened, factory.heard = Socket, loop.create_future(), loop.create_future()
    transport = None
    try:
        async with asyncio.timeout(LONG):
            transport, _ = await loop.create_connection(factory, host, port)
            return await factory.opened, await factory.heard
    except (TimeoutError, OSError):
        opened = factory.opened.result() if factory.opened.done() else float("inf")
        return opened, float("inf")
    finally:
        if transport:
            transport.close()


def measure(address: str) -> list[Figure]:
    project = Project.objects.get(is_demo=True, memberships__user__email=EMAIL)
    job = Job.objects.start(project=project, kind="counting", subject=uuid4(), user=project.owner, enqueue=False)
    for number in range(EVENTS):
        job.emit("number", f"event {number}")
    people = [User.objects.create_user(f"reader{number}@example.org") for number in range(PEOPLE)]
    Membership.objects.bulk_create(Membership(project=project, user=user, role="reader") for user in people)
    cookies = ["; ".join(f"{name}={value}" for name, value in session(user.email).items()) for user in people]

    async def all_at_once() -> tuple[float, list[tuple[float, float]]]:
        start = time.perf_counter()
        return start, await asyncio.gather(*(watch(address, job, cookie) for cookie in cookies * EACH))

    start, times = asyncio.run(all_at_once())
    User.objects.filter(pk__in=[user.pk for user in people]).delete()
    job.delete()
    what = f"{PEOPLE * EACH} sockets at once by {PEOPLE} people, until all"
    opened, heard = (max(column) - start for column in zip(*times, strict=True))
    return [Figure(f"{what} are open", opened, "s", TARGET), Figure(f"{what} have the first event", heard, "s")]
