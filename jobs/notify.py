"""Notifications of new job events through Redis: the job's id is published to all web processes after commit.

Notifications are optional. The event rows are authoritative, and web processes also poll for them. If Redis is slow,
unreachable or misconfigured, events arrive later and the log has a line; no event is lost
(docs/decisions/redis-notifications.md).
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
TIMEOUT = 0.25  # seconds a worker waits for Redis at most; after a timeout it does not try again for RETRY
RETRY = 5.0  # seconds between attempts after a failure, for publishers and subscribers
SILENCE = 3.0  # seconds without a message after which a subscriber pings Redis
log = logging.getLogger("scholium.stream")


class Publisher:
    """The Redis connection of this process, opened when first needed and shared by its threads."""

    def __init__(self) -> None:
        self.turn = threading.Lock()
        self.redis: Redis | None = None
        self.not_before = 0.0  # monotonic time of the next attempt
        self.lost = False

    def send(self, *command: str) -> bool:
        """Send `command` and return whether Redis accepted it. Never raises.

        Returns False without trying if Redis failed less than RETRY seconds ago.
        """
        with self.turn:
            if monotonic() < self.not_before:
                return False
            try:
                self.redis = self.redis or connected()
                self.redis.execute_command(*command)  # type: ignore[no-untyped-call]
            except Exception as error:  # the message is not logged: it may contain parts of a mistyped REDIS_URL
                self.not_before = monotonic() + RETRY
                if not self.lost:
                    log.warning("Redis is unavailable (%s). Readers poll the database.", type(error).__name__)
                self.lost = True
                return False
            if self.lost:
                log.info("Redis is available again.")
            self.lost = False
            return True


def connected() -> "Redis":
    """Return a Redis client without retries."""
    # Imported here: the import takes a third of a second, which processes without Redis should not spend.
    from redis import Redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    # Protocol 2: with 3 a server may announce maintenance, and redis-py would then wait longer than TIMEOUT.
    return Redis.from_url(
        settings.REDIS_URL,
        protocol=2,
        socket_timeout=TIMEOUT,
        socket_connect_timeout=TIMEOUT,
        retry=Retry(NoBackoff(), 0),
    )


publisher = Publisher()


def in_child() -> None:
    """Replace the publisher in a forked process: the connection and a held lock belong to the parent."""
    global publisher
    publisher = Publisher()


os.register_at_fork(after_in_child=in_child)


def notify_readers(job_id: UUID) -> None:
    """Notify the readers of a job of new events. Call it after commit; never raises."""
    if settings.REDIS_URL:
        publisher.send("PUBLISH", CHANNEL, str(job_id))


def redis_answers() -> bool:
    """Return whether Redis answers a ping."""
    return publisher.send("PING")


class Subscriber:
    """Calls `heard` with the job id of each notification, on the running loop, while `listen` runs."""

    def __init__(self, heard: Callable[[UUID], None]) -> None:
        self.heard = heard
        self.relied_on_from = math.inf  # monotonic time
        self.lost = False

    @property
    def reliable(self) -> bool:
        """Whether notifications can be relied on: only RETRY seconds after subscribing, when publishers retried too."""
        return monotonic() >= self.relied_on_from

    async def listen(self) -> None:
        """Receive notifications until cancelled. Reconnects every RETRY seconds if Redis is unavailable."""
        while settings.REDIS_URL:
            try:
                await self.subscribed()
            except Exception as error:  # the message is not logged, as above
                if not self.lost:
                    log.warning("No notifications from Redis (%s). Polling the database.", type(error).__name__)
                self.lost = True
            finally:
                self.relied_on_from = math.inf
            await asyncio.sleep(RETRY)

    async def subscribed(self) -> None:
        """Receive notifications over one connection until it fails. Raises its error, or TimeoutError on silence."""
        from redis.asyncio import Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        # No socket_timeout: it uses asyncio.wait_for, which may swallow a cancellation (Python 3.11).
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
        """Handle a message: the confirmation of the subscription, or a notification."""
        if message["type"] == "subscribe":
            self.relied_on_from = monotonic() + RETRY
            if self.lost:
                log.info("Notifications from Redis work again.")
            self.lost = False
        elif message["type"] == "message":
            try:
                job_id = UUID(message["data"].decode())
            except ValueError:
                return  # not a message of ours
            self.heard(job_id)
