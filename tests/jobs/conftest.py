from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.db import connection

import tests.servers.counting.tasks  # noqa: F401  registers the kind "counting"
from config.asgi import application
from jobs import notify
from jobs.consumers import TICK
from jobs.models import Job
from projects.models import Project, User
from tests.people import signed_in
from tests.servers.redis import Redis

StartJob = Callable[..., Job]
PATIENT = 10  # seconds


@pytest.fixture
def start(project: Project, owner: User) -> StartJob:
    """Starts a job of Asha's thesis: `start(kind, **fields)`. Not enqueued unless it says so."""

    def start_job(kind: str = "counting", *, enqueue: bool = False, **fields: object) -> Job:
        job: Job = Job.objects.start(project=project, kind=kind, subject=uuid4(), user=owner, enqueue=enqueue)
        if fields:
            Job.objects.filter(pk=job.pk).update(**fields)
            job.refresh_from_db()
        return job

    return start_job


# The stream


def cookie_of(user: User | None) -> list[tuple[bytes, bytes]]:
    if user is None:
        return []
    session = signed_in(user).cookies[settings.SESSION_COOKIE_NAME].value
    return [(b"cookie", f"{settings.SESSION_COOKIE_NAME}={session}".encode())]


class Listener:
    """A browser's socket to the stream of a job, held by `user` (None: nobody signed in)."""

    def __init__(self, user: User | None) -> None:
        self.headers = [*cookie_of(user), (b"host", b"testserver"), (b"origin", b"http://testserver")]
        self.line: Any = None

    async def connect(self, job_id: UUID, query: str = "") -> tuple[bool, int | None]:
        self.line = WebsocketCommunicator(application, f"/ws/jobs/{job_id}/{query}", headers=self.headers)
        return cast(tuple[bool, int | None], await self.line.connect(timeout=PATIENT))

    async def next(self) -> dict[str, Any]:
        return cast(dict[str, Any], await self.line.receive_json_from(timeout=PATIENT))

    async def numbers(self, count: int) -> list[int]:
        return [(await self.next())["seq"] for _ in range(count)]

    async def leave(self) -> None:
        await self.line.disconnect(timeout=PATIENT)


@pytest.fixture
def listener(owner: User) -> Listener:
    return Listener(owner)


def emit_events(job: Job, count: int) -> None:
    try:
        for number in range(count):
            job.emit("number", f"event {number}", counters={"told": number})
    finally:
        connection.close()


async def emit_events_async(job: Job, count: int) -> None:
    await database_sync_to_async(emit_events)(job, count)


# Redis


@contextmanager
def nudged_by(url: str) -> Iterator[None]:
    """With REDIS_URL, and patience measured in ticks rather than seconds."""
    with pytest.MonkeyPatch.context() as patch:
        publisher = notify.Publisher()
        patch.setattr(settings, "REDIS_URL", url)
        patch.setattr(notify, "publisher", publisher)
        patch.setattr(notify, "RETRY", 2 * TICK)
        patch.setattr(notify, "SILENCE", 2 * TICK)
        yield
        if publisher.redis is not None:
            publisher.redis.close()


@pytest.fixture(scope="session")
def lasting_redis() -> Iterator[Redis]:
    """For tests that do it no harm."""
    with Redis() as server:
        yield server


@pytest.fixture(params=["rows alone", "nudges"])
def with_and_without_redis(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param == "rows alone":
        yield
    else:
        with nudged_by(request.getfixturevalue("lasting_redis").url):
            yield


@pytest.fixture
def redis() -> Iterator[Redis]:
    """In use, and the test's own."""
    with Redis() as server, nudged_by(server.url):
        yield server
