"""With Redis, a committed event is heard of at once: its job's id, published to every web process that listens.

Nobody depends on a nudge. Event rows are the truth, and the tail asks for them by itself; a Redis that is slow,
lost or misspelt costs time and a line in the log, never an event (docs/decisions/redis-notifications.md).
"""

import asyncio
import logging
import math
import os
import threading
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.conf import settings

if TYPE_CHECKING:
    from redis import Redis

CHANNEL = "scholium:events"
TIMEOUT = 0.25  # seconds a worker waits for Redis, at most, and then not again for RETRY
RETRY = 5.0  # seconds after a failure, for publishers and subscribers alike
SILENCE = 3.0  # seconds without a word after which a subscriber asks whether Redis is still there
log = logging.getLogger("scholium.stream")


class Publisher:
    """This process's one connection to Redis, opened at the first need. Threads take turns at it."""

    def __init__(self) -> None:
        self.turn = threading.Lock()
        self.redis: Redis | None = None
        self.not_before = 0.0  # by the monotonic clock
        self.lost = False

    def send(self, *command: str) -> bool:
        """Return whether Redis took `command`. False without asking when it failed less than RETRY ago. Never raises."""
        with self.turn:
            if monotonic() < self.not_before:
                return False
            try:
                self.redis = self.redis or connected()
                self.redis.execute_command(*command)  # type: ignore[no-untyped-call]
            except Exception as error:  # the text is left out: it may hold parts of a misspelt address
                self.not_before = monotonic() + RETRY
                if not self.lost:
                    log.warning("Redis takes no nudges (%s). Readers look into the database.", type(error).__name__)
                self.lost = True
                return False
            if self.lost:
                log.info("Redis takes nudges again.")
            self.lost = False
            return True


def connected() -> "Redis":
    """Return a client that tries once. Imported here: without Redis, no process spends a third of a second on it."""
    from redis import Redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    # Protocol 2: by 3 a server may announce maintenance, and redis-py would then wait longer than TIMEOUT.
    return Redis.from_url(
        settings.REDIS_URL,
        protocol=2,
        socket_timeout=TIMEOUT,
        socket_connect_timeout=TIMEOUT,
        retry=Retry(NoBackoff(), 0),
    )


publisher = Publisher()


def in_child() -> None:
    """A forked process begins anew: the connection is its parent's, and whoever had the turn is not here to end it."""
    global publisher
    publisher = Publisher()


os.register_at_fork(after_in_child=in_child)


def nudge(job_id: UUID) -> None:
    """Tell whoever reads the job's events that there are new ones. For after a commit; never raises."""
    if settings.REDIS_URL:
        publisher.send("PUBLISH", CHANNEL, str(job_id))


def redis_answers() -> bool:
    return publisher.send("PING")


class Subscriber:
    """Calls `heard` with the job's id of each nudge, on the running loop, while `listen` runs."""

    def __init__(self, heard: Callable[[UUID], None]) -> None:
        self.heard = heard
        self.relied_on_from = math.inf  # by the monotonic clock
        self.lost = False

    @property
    def reliable(self) -> bool:
        """Whether nudges come: not before publishers that met the same trouble have tried again too."""
        return monotonic() >= self.relied_on_from

    async def listen(self) -> None:
        """Until cancelled. A Redis that is lost is looked for every RETRY seconds."""
        while settings.REDIS_URL:
            try:
                await self.subscribed()
            except Exception as error:  # the text is left out, as above
                if not self.lost:
                    log.warning("Redis sends no nudges (%s). Looking into the database.", type(error).__name__)
                self.lost = True
            finally:
                self.relied_on_from = math.inf
            await asyncio.sleep(RETRY)

    async def subscribed(self) -> None:
        """One connection, for as long as it lasts. Raises what ends it, TimeoutError when it goes silent."""
        from redis.asyncio import Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        # No timeout of its own: it is made of asyncio.wait_for, which may swallow a cancellation (Python 3.11).
        redis = Redis.from_url(settings.REDIS_URL, protocol=2, socket_timeout=None, retry=Retry(NoBackoff(), 0))
        async with redis, redis.pubsub() as channel:
            async with asyncio.timeout(SILENCE):
                await channel.subscribe(CHANNEL)
            asked = False
            while True:
                message = await channel.get_message(timeout=SILENCE)
                if message is None and asked:
                    raise TimeoutError
                asked = message is None
                if message is None:
                    await channel.ping()
                else:
                    self.receive(message)

    def receive(self, message: dict[str, Any]) -> None:
        if message["type"] == "subscribe":
            self.relied_on_from = monotonic() + RETRY
            if self.lost:
                log.info("Redis sends nudges again.")
            self.lost = False
        elif message["type"] == "message":
            try:
                job_id = UUID(message["data"].decode())
            except ValueError:
                return  # somebody else's word
            self.heard(job_id)
