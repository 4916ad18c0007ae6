"""Rate limits per host, shared by all processes through a database row (SPEC C1).

A request reserves a turn: a short transaction moves `next_free_at` by one interval, and the request waits outside the
transaction. Each client reserves only one future turn at a time, so that cancelled requests cost others one interval
at most, and usually none.
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

from sources.host_limits import Host
from sources.models import HostPace
from sources.work import Failed, FailureKind, RequestFailed

PATIENCE = 60.0  # seconds; a request that would wait longer fails at once
LEASE = 30.0  # seconds after its turn until a request in flight no longer counts, since its process must have died
NOTHING = 0.001  # seconds; shorter intervals count as no limit
_TRUSTED = 1.0  # seconds for which an unlimited host is assumed to work once its rows were checked
_free_at: dict[str, float] = {}  # {row name: epoch seconds of that check}

T = TypeVar("T")
Check = Callable[[], Awaitable[None]]
Place = Callable[[], AbstractAsyncContextManager[None]]


@dataclass(frozen=True)
class Turn:
    """The right to send one request to `host` at the time `at` (epoch seconds), and the state of its row then."""

    host: Host
    lane: str
    at: float
    interval: float
    token: str
    failures: int
    told: tuple[float | None, int | None]


@dataclass
class RequestOutcome:
    """What a response says about its host. `worked` is None if unknown, since the request was cancelled."""

    worked: bool | None = None
    told_interval: float | None = None
    told_at_once: int | None = None
    hold: float = 0.0  # seconds in which nobody may send requests


@asynccontextmanager
async def turn(
    host: Host, lane: str, queue: asyncio.Lock, place: Place = nullcontext, still_wanted: Check | None = None
) -> AsyncIterator[RequestOutcome]:
    """Wait for a turn of `lane`, run the block, and save the News it fills in. `queue` is the client's lock.

    `place()` is entered before the turn comes and until the block ends, so a request that waits for its turn counts as
    in flight, but requests queued behind it do not. `still_wanted()` is awaited every second of a long wait, and raises
    if the request is no longer needed. Raises RequestFailed if the host's circuit breaker is open, if the host demands
    a wait of over a minute, or if all its concurrent requests stay in use.
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
        news = RequestOutcome()
        try:
            yield news
        finally:
            if _matters(taken, news):
                await _whatever_happens(sync_to_async(record_outcome)(taken, news))


async def _take(host: Host, lane: str) -> Turn:
    late = time.monotonic() + PATIENCE
    while True:
        reserving = asyncio.ensure_future(sync_to_async(reserve)(host, lane))
        try:
            taken = await asyncio.shield(reserving)
        except asyncio.CancelledError:
            # The transaction continues in its thread, so return the turn it reserves.
            with suppress(RequestFailed):
                if reserved := await reserving:
                    await sync_to_async(give_back)(reserved)
            raise
        if taken:
            return taken
        if time.monotonic() > late:
            raise RequestFailed(
                Failed(
                    f"{host.label} is busy with other requests from Scholium. Try again in a minute.",
                    PATIENCE,
                    FailureKind.RATE_LIMITED,
                )
            )
        await asyncio.sleep(0.05)


async def _whatever_happens(awaitable: Awaitable[T]) -> T:
    """Finish `awaitable` even if the waiting task is cancelled."""
    task = asyncio.ensure_future(awaitable)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise


def reserve(host: Host, lane: str, now: Callable[[], float] = time.time) -> Turn | None:
    """Reserve the next turn and return it, or None while too many requests are in flight.

    Raises RequestFailed while the circuit breaker is open, or if the wait would exceed PATIENCE.
    """
    limits = host.limits(lane)
    if limits.interval <= NOTHING and (free := _unlimited(host, lane, now())):
        return free
    with transaction.atomic():
        door, row = _rows(host, lane)
        moment = now()
        today = _date(moment)
        if door.rests_until and door.rests_until > today:
            left = door.rests_until.timestamp() - moment
            raise RequestFailed(
                Failed(
                    f"{host.label} failed several times in a row and is not queried for {in_words(left)}.",
                    left,
                    FailureKind.RESTING,
                )
            )
        at = max([moment, *(free.timestamp() for free in (row.next_free_at, door.held_until) if free)])
        if at - moment > PATIENCE:
            raise RequestFailed(asked_to_wait(host, at - moment))
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
    """Return a turn for now if SOURCE_PACE lifts the limit and the host's rows show no trouble, else None.

    The rows are checked only every _TRUSTED seconds; a failure in this process forces a check (`tell`).
    """
    name = host.row(lane)
    if not 0 <= now - _free_at.get(name, -_TRUSTED) < _TRUSTED:
        rows = HostPace.objects.filter(name__in={host.name, name})
        if any(any(row) for row in rows.values_list("held_until", "failures", "told_interval", "told_at_once")):
            return None
        _free_at[name] = now
    return Turn(host, lane, now, 0.0, "", 0, (None, None))


def give_back(taken: Turn) -> None:
    """Release an unused turn. Its time becomes free again unless a later turn has been reserved."""
    with transaction.atomic():
        door, row = _rows(taken.host, taken.lane)
        door.flying.pop(taken.token, None)
        if row.next_free_at and abs(row.next_free_at.timestamp() - taken.at - taken.interval) < 1e-4:
            row.next_free_at = _date(taken.at)
        _save(door, row)


def record_outcome(taken: Turn, news: RequestOutcome) -> None:
    """Save the outcome of a request to the host's row, and stop counting the request as in flight."""
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
    """Return the failure for a host that demands a wait."""
    return Failed(
        f"{host.label} asked us to wait {in_words(seconds)} before the next request.", seconds, FailureKind.RATE_LIMITED
    )


def in_words(seconds: float) -> str:
    """Return a waiting time in words: "40 seconds", "3 minutes", "2 hours"."""
    if seconds < 120:
        return f"{max(1, round(seconds))} seconds" if round(seconds) > 1 else "a second"
    return f"{round(seconds / 60)} minutes" if seconds < 7200 else f"{round(seconds / 3600)} hours"


def _matters(taken: Turn, news: RequestOutcome) -> bool:
    """Return whether an outcome must be saved. Most change nothing, which saves a transaction each."""
    told = (news.told_interval or taken.told[0], news.told_at_once or taken.told[1])
    return (
        bool(taken.token)
        or told != taken.told
        or bool(news.hold)
        or news.worked is False
        or (bool(news.worked) and taken.failures > 0)
    )


def _rows(host: Host, lane: str) -> tuple[HostPace, HostPace]:
    """Return the host's row and the row of its lane: the same row unless searches are limited separately."""
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


def interval_from_headers(limit: str | None, interval: str | None) -> float | None:
    """Return the seconds between requests from rate limit headers such as "50" and "1s", or None if unusable."""
    try:
        requests, seconds = float(limit or ""), float((interval or "").removesuffix("s"))
    except ValueError:
        return None
    if not (0 < requests < 1e6 and 0 < seconds <= 3600):
        return None
    return timedelta(seconds=seconds / requests).total_seconds()
