"""One pace per host, shared by every process through a row (SPEC C1).

A request takes a turn: a short transaction moves `next_free_at` on by one interval, and the waiting happens
outside. Of each client only one request at a time holds a turn it still waits for, so that what is cancelled
costs the others one interval at most, and usually none.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar
from uuid import uuid4

from asgiref.sync import sync_to_async
from django.db import transaction

from sources.hosts import Host
from sources.models import HostPace
from sources.work import Failed, Kind, Trouble

PATIENCE = 60.0  # seconds; whoever would have to wait longer is told so at once
LEASE = 30.0  # seconds after its turn until a request under way no longer counts: its process died
NOTHING = 0.001  # seconds between requests that are not worth writing down
_TRUSTED = 1.0  # seconds for which a host without a limit is taken to have no trouble, once it was seen to have none
_free_at: dict[str, float] = {}  # when that was seen, by the name of a row (epoch seconds)

T = TypeVar("T")
Check = Callable[[], Awaitable[None]]
Place = Callable[[], AbstractAsyncContextManager[None]]


@dataclass(frozen=True)
class Turn:
    """The right to ask `host` once, at `at` (epoch seconds). The rest is how the row stood."""

    host: Host
    lane: str
    at: float
    interval: float
    token: str
    failures: int
    told: tuple[float | None, int | None]


@dataclass
class News:
    """What a request's answer says about its host. None: nothing is known, the request was given up."""

    worked: bool | None = None
    told_interval: float | None = None
    told_at_once: int | None = None
    hold: float = 0.0  # seconds nobody may ask


@asynccontextmanager
async def turn(
    host: Host, lane: str, queue: asyncio.Lock, place: Place = nullcontext, still_wanted: Check | None = None
) -> AsyncIterator[News]:
    """Wait for a turn of `lane` in `queue`, which is this client's; what the block writes into News is told afterwards.

    `place()` is held from before the turn comes until the block ends, so that whoever counts requests under way
    counts one that waits for its moment, but none that queues up behind it. `still_wanted()` is awaited every second of
    a long wait, and raises when it is in vain. Raises Trouble when the host rests, wants to be left alone for over a
    minute, or all its places stay taken.
    """
    async with AsyncExitStack() as held:
        async with queue:
            await held.enter_async_context(place())
            taken = await _take(host, lane)
            try:
                while (left := taken.at - time.time()) > 0:
                    await asyncio.sleep(min(left, 1.0))
                    if still_wanted and left > 1.0:
                        await still_wanted()
            except BaseException:
                await _whatever_happens(sync_to_async(give_back)(taken))
                raise
        news = News()
        try:
            yield news
        finally:
            if _matters(taken, news):
                await _whatever_happens(sync_to_async(tell)(taken, news))


async def _take(host: Host, lane: str) -> Turn:
    late = time.monotonic() + PATIENCE
    while True:
        reserving = asyncio.ensure_future(sync_to_async(reserve)(host, lane))
        try:
            taken = await asyncio.shield(reserving)
        except asyncio.CancelledError:
            # The transaction goes on in its thread; what it reserves is given back.
            with suppress(Trouble):
                if reserved := await reserving:
                    await sync_to_async(give_back)(reserved)
            raise
        if taken:
            return taken
        if time.monotonic() > late:
            raise Trouble(
                Failed(
                    f"{host.label} is busy with other requests of Scholium. Please try again in a minute.",
                    PATIENCE,
                    Kind.RATE_LIMITED,
                )
            )
        await asyncio.sleep(0.05)


async def _whatever_happens(awaitable: Awaitable[T]) -> T:
    """Finish `awaitable` even when the waiting task is cancelled meanwhile."""
    task = asyncio.ensure_future(awaitable)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


def reserve(host: Host, lane: str, now: Callable[[], float] = time.time) -> Turn | None:
    """Return the next turn, or None while all places are taken. Raises Trouble while the host rests or must be left alone."""
    limits = host.limits(lane)
    if limits.interval <= NOTHING and (free := _unlimited(host, lane, now())):
        return free
    with transaction.atomic():
        door, row = _rows(host, lane)
        moment = now()
        today = _date(moment)
        if door.rests_until and door.rests_until > today:
            left = door.rests_until.timestamp() - moment
            raise Trouble(
                Failed(
                    f"{host.label} failed several times in a row and is left alone for {in_words(left)}.",
                    left,
                    Kind.RESTING,
                )
            )
        at = max([moment, *(free.timestamp() for free in (row.next_free_at, door.held_until) if free)])
        if at - moment > PATIENCE:
            raise Trouble(asked_to_wait(host, at - moment))
        door.flying = {token: until for token, until in door.flying.items() if until > moment}
        at_once = min(filter(None, (limits.at_once, door.told_at_once)), default=None)
        if at_once and len(door.flying) >= at_once:
            return None
        door.let_one_try(today)
        interval = max(limits.interval, row.told_interval or 0.0)
        token = uuid4().hex if at_once else ""
        if token:
            door.flying[token] = at + LEASE
        row.next_free_at = _date(at + interval)
        _save(door, row)
    return Turn(host, lane, at, interval, token, door.failures, (row.told_interval, door.told_at_once))


def _unlimited(host: Host, lane: str, now: float) -> Turn | None:
    """Return a turn at once where SOURCE_PACE lifts the limit and the host is not known to have trouble.

    That it has none is known for a moment without a look at its rows; who finds trouble looks at once (`tell`).
    """
    name = host.row(lane)
    if not 0 <= now - _free_at.get(name, -_TRUSTED) < _TRUSTED:
        rows = HostPace.objects.filter(name__in={host.name, name})
        if any(any(row) for row in rows.values_list("held_until", "failures", "told_interval", "told_at_once")):
            return None
        _free_at[name] = now
    return Turn(host, lane, now, 0.0, "", 0, (None, None))


def give_back(taken: Turn) -> None:
    """Return a turn that was not used. Its moment comes free unless somebody has reserved the one after it."""
    with transaction.atomic():
        door, row = _rows(taken.host, taken.lane)
        door.flying.pop(taken.token, None)
        if row.next_free_at and abs(row.next_free_at.timestamp() - taken.at - taken.interval) < 1e-4:
            row.next_free_at = _date(taken.at)
        _save(door, row)


def tell(taken: Turn, news: News) -> None:
    """Write down how a request went, and free its place."""
    _free_at.pop(taken.host.row(taken.lane), None)
    with transaction.atomic():
        door, row = _rows(taken.host, taken.lane)
        now = time.time()
        door.flying.pop(taken.token, None)
        if news.worked is False:
            door.failures += 1
            door.let_one_try(_date(now))
        elif news.worked:
            door.failures, door.rests_until = 0, None
        row.told_interval = row.told_interval if news.told_interval is None else news.told_interval
        door.told_at_once = door.told_at_once if news.told_at_once is None else news.told_at_once
        if news.hold:
            held = _date(now + news.hold)
            door.held_until = max(door.held_until or held, held)
        _save(door, row)


def asked_to_wait(host: Host, seconds: float) -> Failed:
    return Failed(
        f"{host.label} asked us to wait {in_words(seconds)} before the next request.", seconds, Kind.RATE_LIMITED
    )


def in_words(seconds: float) -> str:
    if seconds < 120:
        return f"{max(1, round(seconds))} seconds" if round(seconds) > 1 else "a second"
    return f"{round(seconds / 60)} minutes" if seconds < 7200 else f"{round(seconds / 3600)} hours"


def _matters(taken: Turn, news: News) -> bool:
    """Return whether anything has to be written: most answers change nothing, and that saves a transaction each."""
    told = (news.told_interval or taken.told[0], news.told_at_once or taken.told[1])
    return (
        bool(taken.token)
        or told != taken.told
        or bool(news.hold)
        or news.worked is False
        or (bool(news.worked) and taken.failures > 0)
    )


def _rows(host: Host, lane: str) -> tuple[HostPace, HostPace]:
    """Return the host's own row and the one of its lane, which is the same where searches are not counted apart."""
    rows = HostPace.objects.select_for_update()
    door, _ = rows.get_or_create(name=host.name)
    name = host.row(lane)
    return door, door if name == host.name else rows.get_or_create(name=name)[0]


def _save(door: HostPace, row: HostPace) -> None:
    door.save()
    if row is not door:
        row.save()


def _date(moment: float) -> datetime:
    return datetime.fromtimestamp(moment, UTC)


def told(limit: str | None, interval: str | None) -> float | None:
    """Seconds between requests, from headers such as "50" and "1s"; None when they say nothing usable."""
    try:
        requests, seconds = float(limit or ""), float((interval or "").removesuffix("s"))
    except ValueError:
        return None
    if not (0 < requests < 1e6 and 0 < seconds <= 3600):
        return None
    return timedelta(seconds=seconds / requests).total_seconds()
