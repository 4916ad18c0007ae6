"""The HTTP client for all catalogues (SPEC C1): rate limits, retries, caching, and no leaking of API keys.

async with Client() as client:
    answer = await client.ask(CatalogueRequest(CROSSREF, "/works/10.1111/cei.12138", read_work))
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
from django.conf import settings

from sources import cache
from sources.address_guard import (
    Resolve,
    Unresolved,
    Unsafe,
    authorities,
    parse,
    pinned_get,
    safe_address,
    system_resolve,
)
from sources.contact_address import address_in_use, use_contact_address
from sources.host_limits import Host, bytes_without_keys, host_of, user_agent, without_keys
from sources.host_names import HostNames
from sources.rate_limit import PATIENCE, Check, Place, RequestOutcome, asked_to_wait, interval_from_headers, turn
from sources.responses import ACCEPTED, MOVED, RawResponse, TooLarge, UnsupportedEncoding, received
from sources.work import Failed, FailureKind, NothingFound, RequestFailed, Unreadable

LIMIT = 10 * 1024 * 1024  # bytes of one response, decompressed
HOPS = 5
_PASSING = {429, 500, 502, 503, 504}
_ODD = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class CatalogueRequest(Generic[T_co]):
    """A request to `host`, and the function `read` that parses the response.

    `path` is quoted and below the host's base address. `form` or `data` (JSON) makes it a POST. All requests only read
    data, so all responses are cached for a day. `lane` is host_limits.SEARCH for a search. With `missing`, 404 from the
    host itself means NothingFound; otherwise, and after a redirect to another host, 404 is a failure. `also` are
    error statuses whose response is parsed too. `read` raises Unreadable for an unexpected response, also with status
    200.
    """

    host: Host
    path: str
    read: Callable[[RawResponse], T_co]
    params: Mapping[str, Any] | None = None
    form: Mapping[str, Any] | None = None
    data: Any = None
    accept: str = "application/json"
    lane: str = ""
    missing: bool = False
    also: Container[int] = ()

    def request(self) -> "_Request":
        """Return the HTTP request, without the API key."""
        headers = {"User-Agent": user_agent(), "Accept": self.accept, "Accept-Encoding": ACCEPTED}
        address = httpx.URL(self.host.base + self.path)
        url = address.copy_merge_params(self.params) if self.params else address
        if not self.form and self.data is None:
            return _Request(self.host, "GET", url, headers, None, self.lane)
        draft = httpx.Request("POST", url, data=self.form, json=self.data)
        headers["Content-Type"] = draft.headers["content-type"]
        return _Request(self.host, "POST", url, headers, draft.content or None, self.lane)

    def answered(self, reply: RawResponse, host: Host, url: httpx.URL) -> T_co | NothingFound:
        """Parse the response of `host` at `url` (after redirects). Raises RequestFailed."""
        try:
            return _read(reply, self, may_be_missing=self.missing and self.host.holds(url))
        except Unreadable as error:
            raise RequestFailed(
                Failed(f"{host.label} {without_keys(error.why)}.", None, error.kind), again=error.again
            ) from None


@dataclass(frozen=True)
class _Request:
    """An HTTP request without the API key."""

    host: Host
    method: str
    url: httpx.URL
    headers: Mapping[str, str]
    content: bytes | None
    lane: str

    def with_key(self, timeout: float) -> httpx.Request:
        """Return the request with the API key, to be sent to the host's own address.

        The key is added only when the request is sent, so that it appears in no log, error or row.
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
    """Sends requests to catalogues. Use one client per task (a run, a search on a page): its requests queue up.

    `backoff` is the first delay in seconds before a retry, if the host does not give one. `resolve` resolves host
    names; `names` remembers those that do not resolve, so that each is asked for once. The context manager `place()` is
    entered while a request is in flight, and `still_wanted()` is called while it waits (sources/rate_limit.py). `pause`
    is the delay in seconds between two pages of one site. With `holds_back`, responses are written to the cache only by
    `write`, in a transaction of the caller. With `remembers` False, the cache is not read. Proxy settings of the
    environment are ignored.
    """

    timeout: float = 10.0  # seconds for one request, from first to last byte
    retries: int = 3
    backoff: float = field(default_factory=lambda: settings.SOURCE_BACKOFF)
    pause: float = 1.0
    resolve: Resolve = system_resolve
    place: Place = nullcontext
    still_wanted: Check | None = None
    holds_back: bool = False
    remembers: bool = True
    names: HostNames = field(init=False)
    _visited: dict[str, float] = field(default_factory=dict, init=False)
    _unwritten: dict[str, tuple[str, RawResponse]] = field(default_factory=dict, init=False)
    _queues: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock), init=False)
    # Connections to the base addresses, kept open between requests. Each host has its own pool, since httpx searches
    # the whole pool at every request.
    _pools: dict[str, httpx.AsyncHTTPTransport] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.names = HostNames(self.resolve)

    async def __aenter__(self) -> Self:
        use_contact_address(await sync_to_async(address_in_use)())
        return self

    async def __aexit__(self, *_: object) -> None:
        for pool in self._pools.values():
            await pool.aclose()
        await sync_to_async(cache.let_go)()

    async def ask(self, question: CatalogueRequest[T]) -> T | NothingFound | Failed:
        """Send a request, or use its cached response, and return the parsed result."""
        request = question.request()
        key = cache.request_hash(
            question.host.name,
            request.method,
            str(request.url),
            {"accept": question.accept, "form": question.form, "data": question.data},
        )
        stored = await sync_to_async(cache.get_cached)(key) if self.remembers else None
        if stored is not None:
            with suppress(Unreadable):  # cached by a version with another parser: send the request again
                return _read(stored, question, may_be_missing=question.missing)
        try:
            reply, answer = await self._persist(question, request)
        except RequestFailed as trouble:
            return trouble.failed
        self._unwritten[key] = question.host.name, reply
        if not self.holds_back:
            await sync_to_async(self.write)()
        return answer

    @asynccontextmanager
    async def visit(self, site: str) -> AsyncIterator[None]:
        """Fetch a page of `site` (not a catalogue) in this block: one at a time per site, with a pause in between."""
        async with self._queues[f"site {site}"]:
            await asyncio.sleep(self._visited.get(site, -self.pause) + self.pause - time.monotonic())
            async with self.place():
                try:
                    yield
                finally:
                    self._visited[site] = time.monotonic()

    def write(self) -> None:
        """Write the responses to the cache that are not in it yet."""
        taken = {key: self._unwritten.pop(key, None) for key in list(self._unwritten)}
        if answers := {key: one for key, one in taken.items() if one}:
            cache.store_responses(answers)

    async def _persist(self, question: CatalogueRequest[T], request: _Request) -> tuple[RawResponse, T | NothingFound]:
        """Send a request, with retries where they may help. Raises RequestFailed."""
        before: RequestFailed | None = None
        for attempt in range(self.retries + 1):
            try:
                return await self._follow(question, request)
            except RequestFailed as trouble:
                if before and trouble.failed.kind == FailureKind.RESTING:
                    raise _after_all(before, attempt) from None  # the failure that opened the breaker says more
                if not trouble.again or attempt == self.retries:
                    raise _after_all(trouble, attempt + 1) from None
                before = trouble
                if trouble.after is None:
                    # Jitter, so that processes that failed together do not retry together.
                    await asyncio.sleep(self.backoff * 2**attempt * random.uniform(0.5, 1.5))
        raise AssertionError("The last attempt returns or raises.")

    async def _follow(self, question: CatalogueRequest[T], request: _Request) -> tuple[RawResponse, T | NothingFound]:
        """Follow redirects and return the final response with its parsed result. Raises RequestFailed.

        Each redirect counts against the rate limit of the host it leads to.
        """
        for _ in range(HOPS + 1):
            reply, answer = await self._paced(question, request)
            if answer is not None:
                return reply, answer
            request = _moved(request, reply)
        raise RequestFailed(Failed(f"{request.host.label} redirected too many times.", None, FailureKind.UNREADABLE))

    async def _paced(
        self, question: CatalogueRequest[T], request: _Request
    ) -> tuple[RawResponse, T | NothingFound | None]:
        """Send one request within the rate limit; return the response and its parsed result, None for a redirect."""
        host = request.host
        await self._find(request)
        if host.name not in self._pools:  # slow (some 10 ms), so created before a turn is taken
            self._pools[host.name] = httpx.AsyncHTTPTransport(verify=authorities(), trust_env=False)
        queue = self._queues[host.row(request.lane)]
        async with turn(host, request.lane, queue, self.place, self.still_wanted) as news:
            try:
                reply = await self._send(request)
            except RequestFailed as trouble:
                news.worked = False if trouble.again else None
                raise
            self._learn(host, reply, news)
            if reply.status in MOVED:
                return reply, None
            try:
                return reply, question.answered(reply, host, request.url)
            except RequestFailed as trouble:
                # Unreadable responses count as failures of the host, but not those of another site that it
                # redirected to, such as the landing page behind doi.org.
                if trouble.failed.kind in (FailureKind.UNREADABLE, FailureKind.BROKEN) and host.holds(request.url):
                    news.worked = False
                raise

    async def _find(self, request: _Request) -> None:
        """Look up the name of a catalogue before its first request, without a turn. Raises RequestFailed.

        httpx would look it up within the time of the request, so that we could not tell why it takes long.
        """
        host, url = request.host, request.url
        if host.name in self._pools or not host.holds(url):
            return
        try:
            await safe_address(url, self.names, excepted=True)
        except Unsafe:
            return  # an address that only the system's resolver understands
        except Unresolved as error:
            raise RequestFailed(
                Failed(
                    f"{host.label} could not be reached, since no address was found for the name {error.host}.",
                    None,
                    FailureKind.UNREACHABLE,
                )
            ) from None

    def _learn(self, host: Host, reply: RawResponse, news: RequestOutcome) -> None:
        """Read the rate limit headers into `news`. Raises RequestFailed for a status that means to try again later."""
        news.told_interval = interval_from_headers(
            reply.headers.get("x-rate-limit-limit"), reply.headers.get("x-rate-limit-interval")
        )
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
        # All processes wait, not only this one.
        news.hold = min(after or 0.0, 3600.0)  # if a host asks for more than an hour, try again in an hour
        if after is not None and after > PATIENCE:
            raise RequestFailed(asked_to_wait(host, after))
        why = "received too many requests" if is_too_many else f"has a server error ({reply.status})"
        raise RequestFailed(
            Failed(f"{host.label} {why}.", after, FailureKind.RATE_LIMITED if is_too_many else FailureKind.BROKEN),
            again=True,
            after=after,
        )

    async def _send(self, request: _Request) -> RawResponse:
        """Send one request and return the complete response. Raises RequestFailed if it fails or times out."""
        try:
            async with asyncio.timeout(self.timeout), AsyncExitStack() as stack:
                reply = await received(await self._open(request, stack), LIMIT)
                # Remove an echoed API key from the response.
                return replace(reply, body=bytes_without_keys(reply.body))
        # httpx messages may contain addresses, so we use our own.
        except (TimeoutError, httpx.TimeoutException):
            why, kind, again = f"did not answer within {self.timeout:g} seconds.", FailureKind.TIMEOUT, True
        except TooLarge:
            why, kind, again = (
                f"sent more than {LIMIT // 1024 // 1024} MB, which was not read.",
                FailureKind.TOO_LARGE,
                False,
            )
        except (httpx.HTTPError, UnsupportedEncoding, OSError):
            why, kind, again = "could not be reached, or the connection broke off.", FailureKind.UNREACHABLE, True
        except Unsafe as error:
            why, kind, again = f"redirected to an unsafe address. {error}", FailureKind.REFUSED, False
        except Unresolved:
            why, kind, again = "redirected to a site that does not exist.", FailureKind.UNREACHABLE, False
        raise RequestFailed(Failed(f"{request.host.label} {why}", None, kind), again=again)

    async def _open(self, request: _Request, stack: AsyncExitStack) -> httpx.Response:
        """Open the response: from the host's own pool, or after a redirect from a checked and pinned public address."""
        if request.host.holds(request.url):
            response = await self._pools[request.host.name].handle_async_request(request.with_key(self.timeout))
            stack.push_async_callback(response.aclose)
            return response
        return await stack.enter_async_context(
            pinned_get(request.url, await safe_address(request.url, self.names), request.headers, self.timeout)
        )


def _moved(request: _Request, reply: RawResponse) -> _Request:
    """Return the request for the target of a redirect. Raises RequestFailed."""
    host = request.host
    if request.method != "GET":
        raise RequestFailed(
            Failed(f"{host.label} redirected a search, which is not followed.", None, FailureKind.REFUSED)
        )
    try:
        url = parse(str(request.url.join(reply.headers.get("location", ""))))
    except (Unsafe, httpx.InvalidURL, ValueError) as error:
        why = str(error) if isinstance(error, Unsafe) else "This is not a web address."
        raise RequestFailed(
            Failed(f"{host.label} redirected to an unsafe address. {why}", None, FailureKind.REFUSED)
        ) from None
    if host.key_param:
        url = url.copy_remove_param(host.key_param)  # echoed by the host; added again only for its own address
    to = host if host.holds(url) else host_of(url) or host
    return _Request(to, "GET", url, request.headers, None, request.lane)


def _read(reply: RawResponse, question: CatalogueRequest[T], *, may_be_missing: bool) -> T | NothingFound:
    """Return the parsed response or NothingFound. Raises Unreadable, also for an error status."""
    if 200 <= reply.status < 300 or reply.status in question.also:
        try:
            return question.read(reply)
        except _ODD as error:  # any such error in a parser means that the response has an unexpected structure
            raise Unreadable("sent data in an unexpected format") from error
    if reply.status in {404, 410} and may_be_missing:
        return NothingFound()
    said = reply.message()
    quoted = f": “{said}”" if said else ""
    match reply.status:
        case 401 | 403:
            why, kind = "refused the request or the API key", FailureKind.REFUSED
        case 404 | 410:
            why, kind = "has nothing at this address", FailureKind.MISSING
        case status:
            is_theirs = status >= 500
            why = "had a server error" if is_theirs else "did not accept the request"
            kind = FailureKind.BROKEN if is_theirs else FailureKind.REFUSED
    raise Unreadable(f"{why} ({reply.status}){quoted}", kind=kind)


def _after_all(trouble: RequestFailed, attempts: int) -> RequestFailed:
    """Return the last failure, with the number of attempts in its message."""
    if attempts == 1:
        return trouble
    return RequestFailed(replace(trouble.failed, why=f"{trouble.failed.why} Tried {attempts} times."))
