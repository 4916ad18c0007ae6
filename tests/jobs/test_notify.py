"""Redis tells the sockets of a job that rows came; whatever becomes of it, none is missed or repeated (SPEC P2, P6)."""

import asyncio
import math
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from time import monotonic

import pytest
from channels.db import database_sync_to_async
from django.db import transaction
from django.test import Client
from django.utils import timezone

from jobs import consumers, notify
from jobs.consumers import EventTail
from jobs.models import Job, WorkerBeat
from jobs.notify import CHANNEL, Subscriber
from tests.jobs.conftest import PATIENT, Listener, StartJob, emit_events, emit_events_async, nudged_by
from tests.servers.processes import free_port
from tests.servers.redis import PASSWORD, Redis
from tests.time_limits import HANGS

pytestmark = pytest.mark.django_db(transaction=True)

NEVER = 3600.0  # seconds


class Counting(EventTail):
    """Counts how often it asks the database."""

    looks = 0

    async def look(self) -> None:
        self.looks += 1
        await super().look()


class Watching:
    """A socket that only notes that it was told to read on."""

    def __init__(self, job: Job) -> None:
        self.job_id, self.sent, self.told = job.pk, 0, 0
        self.news = asyncio.Event()

    async def drain(self) -> None:
        self.told += 1
        self.news.set()

    async def hear(self) -> None:
        await asyncio.wait_for(self.news.wait(), PATIENT)
        self.news.clear()


@pytest.fixture
def tail(monkeypatch: pytest.MonkeyPatch) -> Counting:
    """The one that sockets use; while nudges come, nothing but nudges moves it."""
    counting = Counting()
    monkeypatch.setattr(consumers, "tail", counting)
    monkeypatch.setattr(consumers, "SAFETY", NEVER)
    monkeypatch.setattr(consumers, "TICK", 0.005)
    return counting


@contextmanager
def watching(tail: EventTail, *jobs: Job) -> Iterator[list[Watching]]:
    watchers = [Watching(job) for job in jobs]
    for watcher in watchers:
        tail.watch(watcher)
    yield watchers
    for watcher in watchers:
        tail.forget(watcher)


async def relying_on_nudges(tail: EventTail) -> None:
    async with asyncio.timeout(PATIENT):
        while not tail.subscriber.reliable:
            await asyncio.sleep(0.005)


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]


async def test_a_nudge_reaches_the_sockets_of_its_job_and_no_other(
    start: StartJob, redis: Redis, tail: Counting
) -> None:
    mine, other = [await database_sync_to_async(start)() for _ in range(2)]
    with watching(tail, mine, mine, other) as (one, two, elsewhere):
        await relying_on_nudges(tail)
        looks = tail.looks
        for _ in range(5):
            await emit_events_async(mine, 1)
            await one.hear()
            await two.hear()
        assert elsewhere.told == 0
        await emit_events_async(other, 1)
        await elsewhere.hear()
        assert (one.told, two.told, elsewhere.told) == (5, 5, 1)
        assert tail.looks == looks, "nobody asks for what is told"


async def test_a_nudge_that_got_lost_is_made_up_for(
    start: StartJob, redis: Redis, tail: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "SAFETY", 0.05)
    job = await database_sync_to_async(start)()
    with watching(tail, job) as (watcher,):
        await relying_on_nudges(tail)
        await database_sync_to_async(Job.objects.filter(pk=job.pk).update)(last_seq=1)
        await watcher.hear()


async def test_a_nudge_while_a_socket_reads_is_not_lost(start: StartJob, redis: Redis, tail: Counting) -> None:
    """The socket may have asked for its last row just before the new one was written."""

    class Slow(Watching):
        may_end = asyncio.Event()

        async def drain(self) -> None:
            await super().drain()
            await self.may_end.wait()

    job = await database_sync_to_async(start)()
    watcher = Slow(job)
    tail.watch(watcher)
    await relying_on_nudges(tail)
    await emit_events_async(job, 1)
    await watcher.hear()
    with watching(tail, job) as (witness,):
        for _ in range(2):
            await emit_events_async(job, 1)
            await witness.hear()
    assert watcher.told == 1
    watcher.may_end.set()
    await watcher.hear()
    await asyncio.wait(tail.reading.values(), timeout=PATIENT)
    assert watcher.told == 2, "once more is enough for both"
    tail.forget(watcher)


async def test_who_comes_when_the_last_one_leaves_is_told_too(start: StartJob, redis: Redis, tail: Counting) -> None:
    """At that moment the subscriber is on its way out."""
    job = await database_sync_to_async(start)()
    with watching(tail, job):
        await relying_on_nudges(tail)
    while tail.subscriber.reliable:
        await asyncio.sleep(0)
    with watching(tail, job) as (watcher,):
        await emit_events_async(job, 1)
        await watcher.hear()


async def test_somebody_elses_words_are_ignored(start: StartJob, redis: Redis, tail: Counting) -> None:
    job = await database_sync_to_async(start)()
    with watching(tail, job) as (watcher,), redis.client() as client:
        await relying_on_nudges(tail)
        for word in ("", "news", b"\xff\x00", "0" * 100):
            client.publish(CHANNEL, word)
        await emit_events_async(job, 1)
        await watcher.hear()
        assert tail.subscriber.reliable


async def test_a_subscriber_leaves_whatever_it_is_doing(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above all while it asks whether Redis is still there."""
    monkeypatch.setattr(notify, "SILENCE", 0.1)

    async def leaves(after: float) -> bool:
        subscriber = Subscriber(lambda job_id: None)
        listening = asyncio.create_task(subscriber.listen())
        while subscriber.relied_on_from == math.inf:
            await asyncio.sleep(0.001)
        await asyncio.sleep(after)
        listening.cancel()
        await asyncio.wait([listening], timeout=1)
        return listening.cancelled()

    assert all(await asyncio.gather(*(leaves(0.095 + 0.0003 * number) for number in range(50))))


def test_only_what_is_committed_is_told(start: StartJob, redis: Redis) -> None:
    undone, done = start(), start()
    with redis.client() as client, client.pubsub(ignore_subscribe_messages=True) as channel:
        channel.subscribe(CHANNEL)
        with transaction.atomic():
            undone.emit("number", "never")
            transaction.set_rollback(True)
        done.emit("number", "1")
        told = [message["data"] for _ in range(2) if (message := channel.get_message(timeout=PATIENT))]
    assert told == [str(done.pk).encode()]


@pytest.mark.long
async def test_a_redis_killed_in_the_middle_costs_nothing(
    start: StartJob, listener: Listener, redis: Redis, tail: Counting, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    job = await database_sync_to_async(start)()
    await listener.connect(job.pk)
    await relying_on_nudges(tail)
    writer = threading.Thread(target=emit_events, args=(job, 200))
    writer.start()
    seen = await listener.numbers(50)
    redis.kill()
    seen += await listener.numbers(150)
    await asyncio.to_thread(writer.join)
    await emit_events_async(job, 10)
    seen += await listener.numbers(10)
    assert sorted(warnings_in(caplog)) == [
        "No notifications from Redis (ConnectionError). Polling the database.",
        "Redis is unavailable (ConnectionError). Readers poll the database.",
    ]

    redis.start()
    await relying_on_nudges(tail)
    looks = tail.looks
    await emit_events_async(job, 20)
    seen += await listener.numbers(20)
    assert tail.looks == looks, "by nudges again"
    assert seen == list(range(1, 231))
    assert await listener.line.receive_nothing(timeout=0.05)
    assert len(warnings_in(caplog)) == 2
    assert {"Notifications from Redis work again.", "Redis is available again."} <= set(caplog.messages)
    assert PASSWORD not in caplog.text
    await listener.leave()


@pytest.mark.long
async def test_a_redis_that_falls_silent_is_noticed(
    start: StartJob, listener: Listener, redis: Redis, tail: Counting
) -> None:
    job = await database_sync_to_async(start)()
    await listener.connect(job.pk)
    await relying_on_nudges(tail)
    redis.freeze()
    await emit_events_async(job, 3)
    assert await listener.numbers(3) == [1, 2, 3]
    redis.thaw()
    await relying_on_nudges(tail)
    await emit_events_async(job, 1)
    assert await listener.numbers(1) == [4]
    await listener.leave()


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "address",
    [
        f"redis://:{PASSWORD}@127.0.0.1:{{closed}}/0",
        f"redis://:{PASSWORD}@127.0.0.1:{{open}}/0?sockets={PASSWORD}",
        f"redis://:x{PASSWORD}@127.0.0.1:{{open}}/0",
        f"redis://:{PASSWORD}/@127.0.0.1:{{open}}/0",
        PASSWORD,
    ],
    ids=["nobody there", "an option there is not", "a wrong password", "a misspelt address", "no address"],
)
async def test_a_redis_that_cannot_be_used_stops_nobody_and_tells_no_secret(
    start: StartJob,
    listener: Listener,
    lasting_redis: Redis,
    tail: Counting,
    caplog: pytest.LogCaptureFixture,
    address: str,
) -> None:
    caplog.set_level("DEBUG")
    with nudged_by(address.format(closed=free_port(), open=lasting_redis.port)):
        job = await database_sync_to_async(start)()
        await listener.connect(job.pk)
        await emit_events_async(job, 5)
        assert await listener.numbers(5) == [1, 2, 3, 4, 5]
        await listener.leave()
    assert len(warnings_in(caplog)) == 2
    assert PASSWORD not in caplog.text


# The publisher


def test_threads_share_one_connection(redis: Redis) -> None:
    with ThreadPoolExecutor(8) as threads:
        taken = list(threads.map(lambda number: notify.publisher.send("PUBLISH", CHANNEL, str(number)), range(200)))
    assert all(taken)
    with redis.client() as client:
        connected = client.client_list()
    assert [row["cmd"] for row in connected] == ["publish", "client"]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # Python 3.12 warns; django-q2 does the same
def test_a_forked_process_has_a_connection_of_its_own(redis: Redis) -> None:
    """Even one forked while a thread of its parent was publishing."""
    assert notify.publisher.send("PING")
    with notify.publisher.turn:
        child = os.fork()
        if child == 0:
            took = threading.Thread(target=lambda: os._exit(0 if notify.publisher.send("PING") else 1), daemon=True)
            took.start()
            took.join(PATIENT)
            os._exit(2)
    with redis.client() as client:
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert client.info("stats")["total_connections_received"] >= 3
    assert notify.publisher.send("PING"), "the parent's is as it was"


def test_a_redis_that_was_started_again_is_used_at_once(redis: Redis) -> None:
    assert notify.publisher.send("PING")
    redis.kill()
    redis.start()
    assert notify.publisher.send("PING")


@pytest.mark.timeout(HANGS)
def test_a_redis_that_hangs_is_waited_for_shortly_and_then_left_alone(
    redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notify, "RETRY", NEVER)
    assert notify.publisher.send("PING")
    redis.freeze()
    assert not notify.publisher.send("PING")
    redis.thaw()
    assert not notify.publisher.send("PING"), "not even asked"
    notify.publisher.not_before = monotonic()
    assert notify.publisher.send("PING")


def readiness(client: Client) -> tuple[int, object]:
    response = client.get("/readyz")
    return response.status_code, response.json()


def test_readiness_says_how_redis_is_and_does_not_depend_on_it(client: Client, redis: Redis) -> None:
    WorkerBeat.objects.create(name="a worker", at=timezone.now())
    well = {"database": True, "worker": True}
    assert readiness(client) == (200, {**well, "redis": True})
    redis.kill()
    assert readiness(client) == (200, {**well, "redis": False})


def test_readiness_knows_no_redis_where_there_is_none(client: Client) -> None:
    WorkerBeat.objects.create(name="a worker", at=timezone.now())
    assert readiness(client) == (200, {"database": True, "worker": True})
