"""One task per web process looks for new event rows while a socket is open (DESIGN decision 2).

It asks one short question every TICK for all watched jobs together: their last number. Sockets that are
behind are told to read on. No socket, no task.
"""

import asyncio
import logging
from typing import Protocol
from uuid import UUID

from channels.db import database_sync_to_async
from django.db import DatabaseError

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
        """Until nobody watches. A database that does not answer is asked again at the next tick."""
        while self.watchers:
            try:
                newest = await self.newest({watcher.job_id for watcher in self.watchers})
            except DatabaseError:
                log.warning("The event table did not answer; looking again.")
            else:
                behind = [watcher for watcher in self.watchers if newest.get(watcher.job_id, 0) > watcher.sent]
                results = await asyncio.gather(*(watcher.drain() for watcher in behind), return_exceptions=True)
                for watcher, result in zip(behind, results, strict=True):
                    if isinstance(result, DatabaseError):
                        log.warning("The event rows did not come; looking again.")
                    elif isinstance(result, Exception):  # its socket is going away; disconnect() will follow
                        log.info("A stream ended while being written to: %s", type(result).__name__)
                        self.watchers.discard(watcher)
            await asyncio.sleep(TICK)

    @database_sync_to_async
    def newest(self, jobs: set[UUID]) -> dict[UUID, int]:
        return dict(Job.objects.filter(pk__in=jobs).values_list("pk", "last_seq"))


tail = Tail()
