"""The live event stream of a job over a WebSocket: JobEvent rows in order, after the last one sent (SPEC P2).

Each socket remembers the number of the last event it sent. When notified, it reads and sends the rows after that
number, so a notification may come late, twice or not at all without a gap or a repeat.

While a socket is open, one task per web process detects new event rows (docs/decisions/redis-notifications.md). Without
Redis it queries the last event number of all watched jobs every TICK and wakes the sockets that are behind. With Redis
each notification names the job whose sockets to wake, and the query runs only every SAFETY seconds. Without open
sockets there is no task.

A socket is accepted before the database is asked: the server gives up on one that is not accepted within five seconds,
which 200 sockets at once, each with several queries, would not be.

Sockets accept only pages of the same origin, port included (SPEC P3). Cookies are shared between ports, so another
program on the same machine could otherwise serve a page that reads a user's stream with that user's session.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

from channels.auth import get_user
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
from jobs.registry import get_job_for_events

BATCH = 200
NOT_YOURS = 4404  # close code for jobs that do not exist or are not visible to the user
TOO_MANY = 4429  # close code for a person who has MOST_SOCKETS open; the browser tries again later
MOST_SOCKETS = 100  # sockets of one person in one web process
TICK = 0.1  # seconds
SAFETY = 2.0  # seconds
BREATH = 0.02  # minimum seconds between two reads of one socket
MOST_SHOWN = 5_000  # events whose HTML is kept
_shown: dict[tuple[UUID, int], SafeString] = {}
log = logging.getLogger("scholium.stream")
Application = Callable[[dict[str, Any], Any, Any], Awaitable[Any]]
_PORTS = {"http": "80", "https": "443", "ws": "80", "wss": "443"}


class JobStream(AsyncJsonWebsocketConsumer):
    """The WebSocket that streams the events of one job."""

    job_id: UUID
    person: Any
    sent: int
    drained: asyncio.Lock

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Handle a message; accept a new socket first, since Channels itself waits for the database's thread."""
        if message["type"] == "websocket.connect":
            await self.accept()
        await super().dispatch(message)

    async def connect(self) -> None:
        """Send the events after number ?after= (default 0: all) to a project member.

        For anybody else the connection is closed with NOT_YOURS, without data. A browser sees the close code only of an
        accepted socket, and would reconnect forever without it.
        """
        self.job_id = self.scope["url_route"]["kwargs"]["job_id"]
        asked = parse_qs(self.scope["query_string"].decode("latin-1")).get("after", ["0"])[0]
        self.scope["user"] = await get_user(self.scope)
        self.person = self.scope["user"].pk
        theirs = (one for one in tail.watchers if isinstance(one, JobStream) and one.person == self.person)
        if self.person and sum(1 for _ in theirs) >= MOST_SOCKETS:
            await self.close(code=TOO_MANY)
            return
        self.sent = int(asked) if asked.isdecimal() and len(asked) < 10 else 0
        self.drained = asyncio.Lock()
        tail.watch(self)
        with suppress(DatabaseError):  # the tail retries at its next tick
            await self.drain()

    async def disconnect(self, code: int) -> None:
        """Stop watching the job."""
        tail.forget(self)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None, **kwargs: Any) -> None:
        """Ignore messages from the browser."""

    def may_see(self) -> bool:
        """Return whether the user is still signed in, active, a member, and allowed to see this job's events."""
        session, user = self.scope.get("session"), self.scope["user"]
        if (session is not None and not session.exists(session.session_key)) or not user.is_authenticated:
            return False
        try:
            get_job_for_events(user, self.job_id)
        except (Http404, PermissionDenied):
            return False
        person = get_user_model().objects.filter(pk=user.pk, is_active=True).first()
        if person is None or session is None:
            return person is not None
        # The session hash depends on the password, so a new password ends the stream.
        return constant_time_compare(session.get(HASH_SESSION_KEY, ""), person.get_session_auth_hash())

    async def drain(self) -> None:
        """Send every event after the last one sent. The lock keeps two notifications from interleaving.

        Stops at the first batch that is not full: later rows cause another notification. If the user has lost access
        meanwhile, closes the socket without sending more.
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
        """Return the next events as JSON messages. Raises PermissionDenied if the user has lost access."""
        if not self.may_see():
            raise PermissionDenied
        return [
            {
                "seq": row.seq,
                "kind": row.kind,
                "text": row.text,
                "node": row.node,
                # Streamed text pieces come many times a second and are not shown in the event list.
                "html": "" if row.kind.endswith("_text") else render_event(row),
                "counters": row.counters,
                "try": row.details.get("try", 0),
            }
            for row in JobEvent.objects.filter(job=self.job_id, seq__gt=seq).order_by("seq")[:BATCH]
        ]


def render_event(event: JobEvent) -> SafeString:
    """Return the HTML of an event, as an <li> of the event list.

    Events never change and look the same to all who may see them, so up to MOST_SHOWN are kept: a whole class that
    opens one run at once costs one rendering.
    """
    key = (event.job_id, event.seq)
    html = _shown.get(key)
    if html is None:
        if len(_shown) >= MOST_SHOWN:
            _shown.clear()
        html = _shown[key] = render_to_string("jobs/_event.html", {"event": event})
    return html


class SameOrigin:
    """ASGI middleware that rejects WebSocket connections from pages of another origin."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        ours = is_ours(headers.get("origin", ""), headers.get("host", ""))
        return await (self.application if ours else WebsocketDenier())(scope, receive, send)


def is_ours(origin: str, host: str) -> bool:
    """Return whether `origin` (the Origin header) and `host` (the Host header) name the same host and port.

    `host` must be in ALLOWED_HOSTS.
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
    """A reader of a job's events that the tail wakes up: a JobStream."""

    job_id: UUID
    sent: int

    async def drain(self) -> None:
        """Read and send all new events."""
        ...


class EventTail:
    """The task of a web process that detects new events and wakes the sockets that watch them."""

    def __init__(self) -> None:
        self.watchers: set[Watcher] = set()
        self.task: asyncio.Task[None] | None = None
        self.reading: dict[Watcher, asyncio.Task[None]] = {}
        self.once_more: set[Watcher] = set()  # notified while they were reading
        self.subscriber = Subscriber(self.nudged)
        self.due = 0.0  # monotonic time of the next query when notifications work

    def watch(self, watcher: Watcher) -> None:
        """Add a watcher, and start the task if it is not running."""
        self.watchers.add(watcher)
        loop = asyncio.get_running_loop()
        if self.task is None or self.task.done() or self.task.get_loop() is not loop:
            self.task = loop.create_task(self.follow())

    def forget(self, watcher: Watcher) -> None:
        """Remove a watcher."""
        self.watchers.discard(watcher)

    async def follow(self) -> None:
        """Listen for notifications and poll the database until there are no watchers."""
        while self.watchers:  # a watcher may be added while the subscriber disconnects
            listening = asyncio.create_task(self.subscriber.listen())
            try:
                await self.ask()
            finally:
                listening.cancel()
                await asyncio.wait([listening])

    async def ask(self) -> None:
        """Poll the database until there are no watchers; rarely while notifications work."""
        while self.watchers:
            if not self.subscriber.reliable or monotonic() >= self.due:
                self.due = monotonic() + SAFETY
                await self.look()
            await asyncio.sleep(TICK)

    async def look(self) -> None:
        """Query the last event numbers and wake the watchers that are behind. Retries at the next tick on errors."""
        try:
            newest = await self.newest({watcher.job_id for watcher in self.watchers})
        except Error:
            log.warning("The events could not be queried; retrying.")
            self.due = 0.0
            return
        for watcher in self.watchers:
            if newest.get(watcher.job_id, watcher.sent + 1) > watcher.sent:
                self.tell(watcher)

    def nudged(self, job_id: UUID) -> None:
        """Wake the watchers of a job (callback for notifications from Redis)."""
        for watcher in self.watchers:
            if watcher.job_id == job_id:
                self.tell(watcher)

    def tell(self, watcher: Watcher) -> None:
        """Have `watcher` read its new events; if it is reading already, have it read once more afterwards.

        Each watcher reads in its own task, so a slow socket does not delay others. A watcher whose job was deleted
        finds out while reading, and closes.
        """
        if watcher in self.reading:
            self.once_more.add(watcher)
        else:
            self.reading[watcher] = asyncio.create_task(self.read_on(watcher))

    async def read_on(self, watcher: Watcher) -> None:
        """Let a watcher read until it has not been notified again meanwhile."""
        try:
            again = True
            while again:
                self.once_more.discard(watcher)
                await watcher.drain()
                await asyncio.sleep(BREATH)
                again = watcher in self.once_more
        except Error:
            log.warning("The events could not be read; retrying.")
            self.due = 0.0
        except Exception as error:  # the socket is closing; disconnect() will follow
            log.info("A stream closed while it was written to: %s", type(error).__name__)
            self.watchers.discard(watcher)
        finally:
            self.once_more.discard(watcher)
            del self.reading[watcher]

    @database_sync_to_async
    def newest(self, jobs: set[UUID]) -> dict[UUID, int]:
        """Return the last event number of each job."""
        return dict(Job.objects.filter(pk__in=jobs).values_list("pk", "last_seq"))


tail = EventTail()
