"""One task per web process finds out about new event rows while a socket is open (docs/decisions/nudges.md).

Without Redis it asks one short question every TICK for all watched jobs together: their last number. Sockets
that are behind are told to read on. With Redis a nudge names the job whose sockets are to read on, and the
question is asked every SAFETY seconds only. No socket, no task.
"""

import asyncio
import logging
from time import monotonic
from typing import Protocol
from uuid import UUID

from channels.db import database_sync_to_async
from django.db import Error as DatabaseError

from jobs.models import Job
from jobs.nudge import Subscriber

TICK = 0.1  # seconds
SAFETY = 2.0  # seconds
BREATH = 0.02  # seconds between two readings of one socket, however many nudges come
log = logging.getLogger("scholium.stream")


class Watcher(Protocol):
    job_id: UUID
    sent: int

    async def drain(self) -> None: ...


class Tail:
    def __init__(self) -> None:
        self.watchers: set[Watcher] = set()
        self.task: asyncio.Task[None] | None = None
        self.reading: dict[Watcher, asyncio.Task[None]] = {}
        self.once_more: set[Watcher] = set()  # nudged while they were reading
        self.subscriber = Subscriber(self.nudged)
        self.due = 0.0  # when to ask although nudges come, by the monotonic clock

    def watch(self, watcher: Watcher) -> None:
        self.watchers.add(watcher)
        loop = asyncio.get_running_loop()
        if self.task is None or self.task.done() or self.task.get_loop() is not loop:
            self.task = loop.create_task(self.follow())

    def forget(self, watcher: Watcher) -> None:
        self.watchers.discard(watcher)

    async def follow(self) -> None:
        """Until nobody watches."""
        while self.watchers:  # somebody may come while the subscriber takes its leave
            listening = asyncio.create_task(self.subscriber.listen())
            try:
                await self.ask()
            finally:
                listening.cancel()
                await asyncio.wait([listening])

    async def ask(self) -> None:
        while self.watchers:
            if not self.subscriber.reliable or monotonic() >= self.due:
                self.due = monotonic() + SAFETY
                await self.look()
            await asyncio.sleep(TICK)

    async def look(self) -> None:
        """Tell the sockets that are behind. A database that does not answer is asked again at the next tick."""
        try:
            newest = await self.newest({watcher.job_id for watcher in self.watchers})
        except DatabaseError:
            log.warning("The event table did not answer; looking again.")
            self.due = 0.0
            return
        for watcher in self.watchers:
            if newest.get(watcher.job_id, watcher.sent + 1) > watcher.sent:
                self.tell(watcher)

    def nudged(self, job_id: UUID) -> None:
        for watcher in self.watchers:
            if watcher.job_id == job_id:
                self.tell(watcher)

    def tell(self, watcher: Watcher) -> None:
        """Have `watcher` read on; if it is reading, once more after that: it may have asked before the new row came.

        Each reads in a task of its own, so a slow socket holds nobody else up. One whose job is gone finds that
        out in the same way, and closes.
        """
        if watcher in self.reading:
            self.once_more.add(watcher)
        else:
            self.reading[watcher] = asyncio.create_task(self.read_on(watcher))

    async def read_on(self, watcher: Watcher) -> None:
        try:
            again = True
            while again:
                self.once_more.discard(watcher)
                await watcher.drain()
                await asyncio.sleep(BREATH)
                again = watcher in self.once_more
        except DatabaseError:
            log.warning("The event rows did not come; looking again.")
            self.due = 0.0
        except Exception as error:  # its socket is going away; disconnect() will follow
            log.info("A stream ended while being written to: %s", type(error).__name__)
            self.watchers.discard(watcher)
        finally:
            self.once_more.discard(watcher)
            del self.reading[watcher]

    @database_sync_to_async
    def newest(self, jobs: set[UUID]) -> dict[UUID, int]:
        return dict(Job.objects.filter(pk__in=jobs).values_list("pk", "last_seq"))


tail = Tail()
