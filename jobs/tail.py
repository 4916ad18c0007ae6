"""One task per web process looks for new event rows while a socket is open (DESIGN decision 2).

It asks one short question every TICK for all watched jobs together: their last number. Sockets that are
behind are told to read on. No socket, no task.
"""

import asyncio
import logging
from typing import Protocol
from uuid import UUID

from channels.db import database_sync_to_async
from django.db import Error as DatabaseError

from jobs.models import Job

TICK = 0.1  # seconds
log = logging.getLogger("scholium.stream")


class Watcher(Protocol):
    job_id: UUID
    sent: int

    async def drain(self) -> None: ...


class Tail:
    def __init__(self) -> None:
        self.watchers: set[Watcher] = set()
        self.task: asyncio.Task[None] | None = None

    def watch(self, watcher: Watcher) -> None:
        self.watchers.add(watcher)
        loop = asyncio.get_running_loop()
        if self.task is None or self.task.done() or self.task.get_loop() is not loop:
            self.task = loop.create_task(self.follow())

    def forget(self, watcher: Watcher) -> None:
        self.watchers.discard(watcher)

    async def follow(self) -> None:
        """Until nobody watches. A database that does not answer is asked again at the next tick.

        Each socket that is behind reads on in a task of its own, so a slow one holds nobody else up. One
        whose job is gone finds that out in the same way, and closes.
        """
        reading: dict[Watcher, asyncio.Task[None]] = {}
        while self.watchers:
            try:
                newest = await self.newest({watcher.job_id for watcher in self.watchers})
            except DatabaseError:
                log.warning("The event table did not answer; looking again.")
            else:
                reading = {watcher: task for watcher, task in reading.items() if not task.done()}
                for watcher in self.watchers - reading.keys():
                    if newest.get(watcher.job_id, watcher.sent + 1) > watcher.sent:
                        reading[watcher] = asyncio.create_task(self.read_on(watcher))
            await asyncio.sleep(TICK)

    async def read_on(self, watcher: Watcher) -> None:
        try:
            await watcher.drain()
        except DatabaseError:
            log.warning("The event rows did not come; looking again.")
        except Exception as error:  # its socket is going away; disconnect() will follow
            log.info("A stream ended while being written to: %s", type(error).__name__)
            self.watchers.discard(watcher)

    @database_sync_to_async
    def newest(self, jobs: set[UUID]) -> dict[UUID, int]:
        return dict(Job.objects.filter(pk__in=jobs).values_list("pk", "last_seq"))


tail = Tail()
