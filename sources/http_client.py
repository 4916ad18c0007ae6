"""One polite way to ask any catalogue (SPEC C1): paced, retried, cached, and silent about keys.

async with Client() as client:
    answer = await client.ask(Question(CROSSREF, "/works/10.1111/cei.12138", read_work))
"""

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Container, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Self, TypeVar

import httpx
from asgiref.sync import sync_to_async

from sources import cache
from sources.address_guard import Resolve, Unresolved, Unsafe, authorities, checked, parse, pinned, system_resolve
from sources.hosts import Host, bytes_without_keys, host_of, user_agent, without_keys
from sources.rate_limit import PATIENCE, Check, News, Place, asked_to_wait, told, turn
from sources.responses import ACCEPTED, MOVED, Reply, TooLarge, Unpackable, received
from sources.work import Failed, Kind, NothingFound, Trouble, Unreadable

LIMIT = 10 * 1024 * 1024  # bytes of one answer, unpacked
HOPS = 5
_PASSING = {429, 500, 502, 503, 504}
_ODD = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Question(Generic[T_co]):
    """What is asked of `host` at `path` (quoted already, below the host's address), and what `read` makes of the answer.

    `form` or `data` (JSON) makes it a POST; every request here only reads, so all are cached for a day. `lane` is
    sources.hosts.SEARCH for a search. With `missing`, 404 from the host itself means that there is no such thing; without
    it, and from where the host sends us, 404 is a failure like any other. `also` are statuses of failure whose answer is
    read too. `read` raises Unreadable for an answer that is not what was promised, also one of status 200.
    """

    host: Host
    path: str
    read: Callable[[Reply], T_co]
    params: Mapping[str, Any] | None = None
    form: Mapping[str, Any] | None = None
    data: Any = None
    accept: str = "application/json"
    lane: str = ""
    missing: bool = False
    also: Container[int] = ()

    def request(self) -> "_Request":
        headers = {"User-Agent": user_agent(), "Accept": self.accept, "Accept-Encoding": ACCEPTED}
        address = httpx.URL(self.host.base + self.path)
        url = address.copy_merge_params(self.params) if self.params else address
        if not self.form and self.data is None:
            return _Request(self.host, "GET", url, headers, None, self.lane)
        draft = httpx.Request("POST", url, data=self.form, json=self.data)
        headers["Content-Type"] = draft.headers["content-type"]
        return _Request(self.host, "POST", url, headers, draft.content or None, self.lane)

    def answered(self, reply: Reply, host: Host, url: httpx.URL) -> T_co | NothingFound:
        """Return what `read` makes of the answer of `host` at `url`, to which the question has led. Raises Trouble."""
        try:
            return _read(reply, self, may_be_missing=self.missing and self.host.holds(url))
        except Unreadable as error:
            raise Trouble(
                Failed(f"{host.label} {without_keys(error.why)}.", None, error.kind), again=error.again
            ) from None


@dataclass(frozen=True)
class _Request:
    host: Host
    method: str
    url: httpx.URL
    headers: Mapping[str, str]
    content: bytes | None
    lane: str

    def with_key(self, timeout: float) -> httpx.Request:
        """Return what is sent to its host's own address. The key is put on when a request leaves, so that nothing before or
        after (logs, errors, rows) has seen it.
        """
        host, url, headers = self.host, self.url, dict(self.headers)
        if host.key and host.key_header:
            headers[host.key_header] = host.key_prefix + host.key
        elif host.key:
            url = url.copy_merge_params({host.key_param: host.key})
        return httpx.Request(
            self.method,
            url,
            headers=headers,
            content=self.content,
            extensions={"timeout": dict.fromkeys(("connect", "read", "write", "pool"), timeout)},
        )


@dataclass(eq=False)
class Client:
    """Asks catalogues. One per piece of work (a run, a page's search): its requests queue up behind each other.

    `backoff` is the first wait in seconds before asking again where the host names none. `resolve` looks names up
    when a host sends us elsewhere. `place()` is held while a request is under way, `still_wanted()` is asked while it
    waits (sources/rate_limit.py). Between two pages of one site `pause` seconds pass. With
    `holds_back`, answers are not written to the cache at once but by `write`, in a transaction of the caller's. Unless
    it `remembers`, what is in the cache is asked for again. No proxy of the environment is used.
    """

    timeout: float = 10.0  # seconds for one request, from first to last byte
    retries: int = 3
    backoff: float = 0.5
    pause: float = 1.0
    resolve: Resolve = system_resolve
    place: Place = nullcontext
    still_wanted: Check | None = None
    holds_back: bool = False
    remembers: bool = True
    _visited: dict[str, float] = field(default_factory=dict, init=False)
    _unwritten: dict[str, tuple[str, Reply]] = field(default_factory=dict, init=False)
    _queues: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock), init=False)
    # The connections to the configured addresses, kept open from request to request. Each host has its own pool, since
    # with every request the library looks through all that a pool holds.
    _pools: dict[str, httpx.AsyncHTTPTransport] = field(default_factory=dict, init=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for pool in self._pools.values():
            await pool.aclose()
        await sync_to_async(cache.let_go)()

    async def ask(self, question: Question[T]) -> T | NothingFound | Failed:
        """Return the answer: kept of the last day, or asked for now and read as the question says."""
        request = question.request()
        key = cache.request_hash(
            question.host.name,
            request.method,
            str(request.url),
            {"accept": question.accept, "form": question.form, "data": question.data},
        )
        stored = await sync_to_async(cache.look)(key) if self.remembers else None
        if stored is not None:
            with suppress(Unreadable):  # kept by a version that read it otherwise: ask again
                return _read(stored, question, may_be_missing=question.missing)
        try:
            reply, answer = await self._persist(question, request)
        except Trouble as trouble:
            return trouble.failed
        self._unwritten[key] = question.host.name, reply
        if not self.holds_back:
            await sync_to_async(self.write)()
        return answer

    @asynccontextmanager
    async def visit(self, site: str) -> AsyncIterator[None]:
        """Hold while a page of `site`, which is no catalogue, is fetched: one page at a time, a pause between them."""
        async with self._queues[f"site {site}"]:
            await asyncio.sleep(self._visited.get(site, -self.pause) + self.pause - time.monotonic())
            async with self.place():
                try:
                    yield
                finally:
                    self._visited[site] = time.monotonic()

    def write(self) -> None:
        """Put the answers that are not in the cache yet into it."""
        taken = {key: self._unwritten.pop(key, None) for key in list(self._unwritten)}
        if answers := {key: one for key, one in taken.items() if one}:
            cache.keep(answers)

    async def _persist(self, question: Question[T], request: _Request) -> tuple[Reply, T | NothingFound]:
        """Try, and try again where that may help. Raises Trouble."""
        before: Trouble | None = None
        for attempt in range(self.retries + 1):
            try:
                return await self._follow(question, request)
            except Trouble as trouble:
                if before and trouble.failed.kind == Kind.RESTING:
                    raise _after_all(before, attempt) from None  # why it rests tells people more
                if not trouble.again or attempt == self.retries:
                    raise _after_all(trouble, attempt + 1) from None
                before = trouble
                if trouble.after is None:
                    # Jitter, so that processes that failed together do not come back together.
                    await asyncio.sleep(self.backoff * 2**attempt * random.uniform(0.5, 1.5))
        raise AssertionError("The last attempt returns or raises.")

    async def _follow(self, question: Question[T], request: _Request) -> tuple[Reply, T | NothingFound]:
        """Return the answer after redirects, each of which takes a turn of the host it leads to, as it came and as it is read.

        Raises Trouble.
        """
        for _ in range(HOPS + 1):
            reply, answer = await self._paced(question, request)
            if answer is not None:
                return reply, answer
            request = _moved(request, reply)
        raise Trouble(Failed(f"{request.host.label} sent us in a circle.", None, Kind.UNREADABLE))

    async def _paced(self, question: Question[T], request: _Request) -> tuple[Reply, T | NothingFound | None]:
        """Return one request in its turn, and what is read in the answer; None where that sends us elsewhere."""
        host = request.host
        if host.name not in self._pools:  # it takes some hundredths of a second, so before a turn is taken
            self._pools[host.name] = httpx.AsyncHTTPTransport(verify=authorities(), trust_env=False)
        queue = self._queues[host.row(request.lane)]
        async with turn(host, request.lane, queue, self.place, self.still_wanted) as news:
            try:
                reply = await self._send(request)
            except Trouble as trouble:
                news.worked = False if trouble.again else None
                raise
            self._learn(host, reply, news)
            if reply.status in MOVED:
                return reply, None
            try:
                return reply, question.answered(reply, host, request.url)
            except Trouble as trouble:
                # A host whose answers cannot be read is no better than one that gives none. What a page says that
                # doi.org sends us on to says nothing about doi.org.
                if trouble.failed.kind in (Kind.UNREADABLE, Kind.BROKEN) and host.holds(request.url):
                    news.worked = False
                raise

    def _learn(self, host: Host, reply: Reply, news: News) -> None:
        """Take over what the headers say about pace. Raises Trouble for a status that means: not now."""
        news.told_interval = told(reply.headers.get("x-rate-limit-limit"), reply.headers.get("x-rate-limit-interval"))
        at_once = reply.headers.get("x-concurrency-limit", "")
        news.told_at_once = (
            int(at_once) if at_once.isascii() and at_once.isdigit() and 0 < int(at_once) < 1000 else None
        )
        if reply.status not in _PASSING:
            news.worked = True
            return
        is_too_many = reply.status == 429
        news.worked = None if is_too_many else False
        after = reply.retry_after()
        # Every process waits, not only this one: the host said it to all of us.
        news.hold = min(after or 0.0, 3600.0)  # a host that asks for days is asked again in an hour
        if after is not None and after > PATIENCE:
            raise Trouble(asked_to_wait(host, after))
        why = "received too many requests" if is_too_many else f"has trouble of its own ({reply.status})"
        raise Trouble(
            Failed(f"{host.label} {why}.", after, Kind.RATE_LIMITED if is_too_many else Kind.BROKEN),
            again=True,
            after=after,
        )

    async def _send(self, request: _Request) -> Reply:
        """Return one request. Raises Trouble when no complete answer comes in time."""
        try:
            async with asyncio.timeout(self.timeout), AsyncExitStack() as stack:
                reply = await received(await self._open(request, stack), LIMIT)
                # A key that comes back, in whatever place, goes no further than here.
                return replace(reply, body=bytes_without_keys(reply.body))
        # The library's own words may name addresses; ours do not.
        except (TimeoutError, httpx.TimeoutException):
            why, kind, again = f"did not answer within {self.timeout:g} seconds.", Kind.TIMEOUT, True
        except TooLarge:
            why, kind, again = f"sent more than {LIMIT // 1024 // 1024} MB, which was not read.", Kind.TOO_LARGE, False
        except (httpx.HTTPError, Unpackable, OSError):
            why, kind, again = "could not be reached, or broke off in the middle of its answer.", Kind.UNREACHABLE, True
        except Unsafe as error:
            why, kind, again = f"sent us elsewhere. {error}", Kind.REFUSED, False
        except Unresolved:
            why, kind, again = "sent us to a site that does not exist.", Kind.UNREACHABLE, False
        raise Trouble(Failed(f"{request.host.label} {why}", None, kind), again=again)

    async def _open(self, request: _Request, stack: AsyncExitStack) -> httpx.Response:
        """Return the configured address as it is; any other only if it is public, and pinned."""
        if request.host.holds(request.url):
            response = await self._pools[request.host.name].handle_async_request(request.with_key(self.timeout))
            stack.push_async_callback(response.aclose)
            return response
        return await stack.enter_async_context(
            pinned(request.url, await checked(request.url, self.resolve), request.headers, self.timeout)
        )


def _moved(request: _Request, reply: Reply) -> _Request:
    """Return the request at the address the host sends us to. Raises Trouble."""
    host = request.host
    if request.method != "GET":
        raise Trouble(Failed(f"{host.label} sent a search elsewhere, which is not followed.", None, Kind.REFUSED))
    try:
        url = parse(str(request.url.join(reply.headers.get("location", ""))))
    except (Unsafe, httpx.InvalidURL, ValueError) as error:
        why = str(error) if isinstance(error, Unsafe) else "The address makes no sense."
        raise Trouble(Failed(f"{host.label} sent us elsewhere. {why}", None, Kind.REFUSED)) from None
    if host.key_param:
        url = url.copy_remove_param(host.key_param)  # echoed back; it is put on again where it belongs
    to = host if host.holds(url) else host_of(url) or host
    return _Request(to, "GET", url, request.headers, None, request.lane)


def _read(reply: Reply, question: Question[T], *, may_be_missing: bool) -> T | NothingFound:
    """Return the answer, or NothingFound. Raises Unreadable, also for what a host refuses."""
    if 200 <= reply.status < 300 or reply.status in question.also:
        try:
            return question.read(reply)
        except _ODD as error:  # whatever a reader stumbles over, it is the answer that is not as promised
            raise Unreadable("sent data in another shape than it promises") from error
    if reply.status in {404, 410} and may_be_missing:
        return NothingFound()
    said = reply.message()
    quoted = f": “{said}”" if said else ""
    match reply.status:
        case 401 | 403:
            why, kind = "refused the request or its key", Kind.REFUSED
        case 404 | 410:
            why, kind = "does not know the address it was asked at", Kind.MISSING
        case status:
            is_theirs = status >= 500
            why = "had an error of its own" if is_theirs else "did not accept the request"
            kind = Kind.BROKEN if is_theirs else Kind.REFUSED
    raise Unreadable(f"{why} ({reply.status}){quoted}", kind=kind)


def _after_all(trouble: Trouble, attempts: int) -> Trouble:
    """Return the last failure, saying how often it was tried."""
    if attempts == 1:
        return trouble
    return Trouble(replace(trouble.failed, why=f"{trouble.failed.why} It was asked {attempts} times."))
