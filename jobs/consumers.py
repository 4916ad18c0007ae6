"""The thought stream: rows of JobEvent, in order, from the row after the last one seen (SPEC P2).

A socket keeps the number it sent last. Whatever nudges it, it reads the rows after that number and sends
them, so a nudge may come late, twice or not at all without a gap or a repeat.

One task per web process finds out about new event rows while a socket is open (docs/decisions/redis-notifications.md). Without
Redis it asks one short question every TICK for all watched jobs together: their last number. Sockets that are behind
are told to read on. With Redis a nudge names the job whose sockets are to read on, and the question is asked every
SAFETY seconds only. No socket, no task.

Sockets are for our own pages: the page's address must be that of the host it asks, port included (SPEC P3). Cookies do
not know ports, so another program on the same machine could otherwise open a page of its own and read a person's
stream with that person's session.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from channels.security.websocket import WebsocketDenier
from django.contrib.auth import HASH_SESSION_KEY, get_user_model
from django.core.exceptions import DisallowedHost, PermissionDenied
from django.db import DatabaseError, Error
from django.http import Http404, HttpRequest
from django.template.loader import render_to_string
from django.urls import path
from django.utils.crypto import constant_time_compare
from django.utils.safestring import SafeString

from jobs.models import Job, JobEvent
from jobs.notify import Subscriber
from jobs.registry import get_told_job

BATCH = 200
NOT_YOURS = 4404  # also for jobs that do not exist: a stranger cannot tell
TICK = 0.1  # seconds
SAFETY = 2.0  # seconds
BREATH = 0.02  # seconds between two readings of one socket, however many nudges come
log = logging.getLogger("scholium.stream")
Application = Callable[[dict[str, Any], Any, Any], Awaitable[Any]]
_PORTS = {"http": "80", "https": "443", "ws": "80", "wss": "443"}


class JobStream(AsyncJsonWebsocketConsumer):
    job_id: UUID
    sent: int
    drained: asyncio.Lock

    async def connect(self) -> None:
        """Send a member of the job's project what came after ?after= (default 0: everything).

        Anybody else is accepted too, sent nothing, and closed with NOT_YOURS: a browser learns the code only of a
        socket that was open, and without it would try again for ever.
        """
        self.job_id = self.scope["url_route"]["kwargs"]["job_id"]
        asked = parse_qs(self.scope["query_string"].decode("latin-1")).get("after", ["0"])[0]
        may_see = await database_sync_to_async(self.may_see)()
        await self.accept()
        if not may_see:
            await self.close(code=NOT_YOURS)
            return
        self.sent = int(asked) if asked.isdecimal() and len(asked) < 10 else 0
        self.drained = asyncio.Lock()
        tail.watch(self)
        with suppress(DatabaseError):  # the tail asks again at its next tick
            await self.drain()

    async def disconnect(self, code: int) -> None:
        tail.forget(self)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None, **kwargs: Any) -> None:
        """Nothing is asked over this socket; what a browser sends is not even parsed."""

    def may_see(self) -> bool:
        """Return whether the person is still signed in, still allowed in, still a member, and may open what the job tells of."""
        session, user = self.scope.get("session"), self.scope["user"]
        if (session is not None and not session.exists(session.session_key)) or not user.is_authenticated:
            return False
        try:
            get_told_job(user, self.job_id)
        except (Http404, PermissionDenied):
            return False
        person = get_user_model().objects.filter(pk=user.pk, is_active=True).first()
        if person is None or session is None:
            return person is not None
        # A session knows the password it began with: a new one ends it.
        return constant_time_compare(session.get(HASH_SESSION_KEY, ""), person.get_session_auth_hash())

    async def drain(self) -> None:
        """Send every row after the last one sent. One at a time, so that two nudges cannot interleave.

        A row written after the last question is told of again, so nothing is asked once a batch is not full.
        Somebody who has left the project since gets no further row; the socket is closed.
        """
        async with self.drained:
            try:
                more = True
                while more:
                    rows = await self.rows_after(self.sent)
                    for row in rows:
                        await self.send_json(row)
                        self.sent = row["seq"]
                    more = len(rows) == BATCH
            except PermissionDenied:
                tail.forget(self)
                await self.close(code=NOT_YOURS)

    @database_sync_to_async
    def rows_after(self, seq: int) -> list[dict[str, Any]]:
        """Return the next rows as they go down the socket. Raises PermissionDenied for somebody who is no member."""
        if not self.may_see():
            raise PermissionDenied
        return [
            {
                "seq": row.seq,
                "kind": row.kind,
                "text": row.text,
                "node": row.node,
                # Pieces of a text as it is written come many a second, and stand in no list.
                "html": "" if row.kind.endswith("_text") else render_event(row),
                "counters": row.counters,
                "try": row.details.get("try", 0),
            }
            for row in JobEvent.objects.filter(job=self.job_id, seq__gt=seq).order_by("seq")[:BATCH]
        ]


def render_event(event: JobEvent) -> SafeString:
    """Return one line of the thought stream as an <li>."""
    return render_to_string("jobs/_event.html", {"event": event})


class SameOrigin:
    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        ours = is_ours(headers.get("origin", ""), headers.get("host", ""))
        return await (self.application if ours else WebsocketDenier())(scope, receive, send)


def is_ours(origin: str, host: str) -> bool:
    """Return whether a page at `origin` ("http://127.0.0.1:8000") is one of the server asked as `host`.

    `host` must be one the site answers to (ALLOWED_HOSTS).
    """
    page = urlsplit(origin)
    request = HttpRequest()
    request.META["HTTP_HOST"] = host
    try:
        request.get_host()
        asked = urlsplit(f"//{host}")
        port = str(asked.port or _PORTS.get(page.scheme, ""))
        return bool(page.hostname) and page.hostname == asked.hostname and str(page.port or _PORTS[page.scheme]) == port
    except (DisallowedHost, ValueError, KeyError):
        return False


sockets: list[Any] = [
    path("ws/jobs/<uuid:job_id>/", JobStream.as_asgi()),
    path("<path:unknown>", WebsocketDenier.as_asgi()),
]


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
        except Error:
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
        except Error:
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
