"""The client of the R service: it uses the processes in turn, waits when all are busy, and retries when one died."""

import asyncio
import itertools
import random
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.conf import settings

from analysis.r_client.errors import EngineError, absent, error_in
from analysis.r_client.request_body import encoded

if TYPE_CHECKING:
    import httpx

__all__ = ["EngineError", "ask", "catalogue", "health"]

CONNECT = 2.0  # seconds
# Seconds to wait for an answer. The service itself ends an analysis that hangs earlier; slow analyses get longer.
ANSWER = 310.0
MARGIN = 10.0  # seconds added to the longest time that the service allows an analysis
PATIENCE = 60.0  # seconds to wait in all while the service is busy
LONGEST_WAIT = 10.0  # seconds between two attempts, whatever Retry-After says
TRIES = 2  # attempts after a process died or R failed
KEPT = 300.0  # seconds the catalogue is cached
TIMEOUT = "The analysis engine did not answer in time."

_turn = itertools.count(random.randrange(1000))  # so that our processes do not all start with the same R process
_catalogues: dict[tuple[str, ...], tuple[float, dict[str, Any]]] = {}


class _Again(Exception):
    """An error that another R process, or a later attempt, may avoid.

    `why` is raised when all attempts fail; `after` are the seconds to wait, if the service said so.
    """

    def __init__(self, why: EngineError, after: float | None = None) -> None:
        super().__init__(why.code)
        self.why, self.after = why, after


async def ask(kind: str, name: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of analysis `name`. `kind` is "run", "sample-size", "figure" or "validate".

    A process that does not answer is skipped. After one that dies or fails inside R, another is tried once. If all are
    busy, it waits up to a minute. Raises EngineError with an error code of the service, or "absent" when no process
    answers, "busy", "timeout" or "internal".
    """
    content = encoded(body)
    seconds = await seconds_for(kind, name)
    until, failed = time.monotonic() + PATIENCE, 0
    async with connection() as http:
        while True:
            reached: list[_Again] = []
            for url in in_turn():
                try:
                    return await post(http, f"{url}/v1/{kind}/{name}", content, seconds)
                except _Again as again:
                    if again.why.code == "absent":
                        continue
                    reached.append(again)
                    failed += again.why.code != "busy"
                    if failed >= TRIES:
                        raise again.why from None
            busy = [again for again in reached if again.why.code == "busy"]
            if not busy:
                raise (reached[-1].why if reached else absent())
            pause = min(again.after or 1.0 for again in busy) * random.uniform(1.0, 1.5)
            if time.monotonic() + pause > until:
                raise busy[-1].why
            await asyncio.sleep(pause)


def in_turn() -> list[str]:
    """Return the URLs of all R processes, beginning with the next one in turn."""
    urls: list[str] = settings.R_PLUMBER_URLS
    start = next(_turn) % len(urls) if urls else 0
    return urls[start:] + urls[:start]


def connection() -> "httpx.AsyncClient":
    """Return an HTTP client that sends the token of the service."""
    import httpx  # takes a tenth of a second, so it is not imported by pages that do not need it

    return httpx.AsyncClient(
        verify=any(
            url.startswith("https:") for url in settings.R_PLUMBER_URLS
        ),  # loading the certificates takes time too
        trust_env=False,
        headers={"X-Token": settings.R_PLUMBER_TOKEN, "Content-Type": "application/json"},
    )


async def post(http: "httpx.AsyncClient", url: str, content: bytes, seconds: float) -> dict[str, Any]:
    """Send a request to one process and return its answer.

    Raises _Again for errors that another process may avoid, EngineError for all others.
    """
    import httpx

    try:
        async with asyncio.timeout(seconds + CONNECT):
            response = await http.post(url, content=content, timeout=httpx.Timeout(seconds, connect=CONNECT))
    except (httpx.ConnectError, httpx.ConnectTimeout):
        raise _Again(absent()) from None
    except (TimeoutError, httpx.TimeoutException):
        raise EngineError("timeout", TIMEOUT, hint="Run the analysis again.", status=504) from None
    except httpx.HTTPError:
        raise _Again(
            EngineError(
                "internal", "The analysis engine stopped while it computed.", hint="Run the analysis again.", status=502
            )
        ) from None
    return answer_of(response)


def answer_of(response: "httpx.Response") -> dict[str, Any]:
    """Return the JSON of a response. Raises _Again when the service is busy or R failed, else EngineError."""
    try:
        answer = response.json()
    except ValueError:
        answer = None
    if response.status_code == 200 and isinstance(answer, dict):
        return answer
    error = error_in(response.status_code, answer)
    if error.code in ("busy", "internal"):
        raise _Again(error, retry_after(response) if error.code == "busy" else None)
    if error.code == "bad_token":
        error.message = "The analysis engine rejected the token of this server (R_PLUMBER_TOKEN)."
    raise error


def retry_after(response: "httpx.Response") -> float:
    """Return the seconds to wait that a response asks for, at most LONGEST_WAIT."""
    said = response.headers.get("Retry-After", "")
    return min(float(said), LONGEST_WAIT) if said.isascii() and said.isdigit() else 1.0


async def seconds_for(kind: str, name: str) -> float:
    """Return how many seconds to wait for an answer: longer than the service lets the analysis take.

    The service limits processor time (`seconds`) and ends an analysis after `longest` seconds of wall-clock time.
    """
    try:
        known = await catalogue()
    except EngineError:
        return ANSWER
    part = {"sample-size": "designs", "figure": "figures"}.get(kind, "analyses")
    own = next((entry.get("longest") for entry in known.get(part, []) if entry.get("name") == name), None)
    return max(ANSWER, own + MARGIN) if isinstance(own, int | float) else ANSWER


async def catalogue() -> dict[str, Any]:
    """Return the catalogue of the service: {analyses, designs, figures}, each entry with the JSON Schema of its params.

    It is cached for five minutes, and longer while no process answers. Raises EngineError "absent" when no process
    answers and nothing is cached.
    """
    key = tuple(settings.R_PLUMBER_URLS)
    kept = _catalogues.get(key)
    if kept and time.monotonic() - kept[0] < KEPT:
        return kept[1]
    async with connection() as http:
        for url in in_turn():
            found = await get(http, f"{url}/analyses")
            if found is not None:
                _catalogues[key] = (time.monotonic(), found)
                return found
    if kept:
        return kept[1]
    raise absent()


async def health() -> list[dict[str, Any]]:
    """Return the state of each process: {url, ok}, and if it answers also {r, packages, running ...}."""
    async with connection() as http:
        found = await asyncio.gather(*(get(http, f"{url}/health") for url in settings.R_PLUMBER_URLS))
    return [
        {"url": url, "ok": one is not None, **(one or {})}
        for url, one in zip(settings.R_PLUMBER_URLS, found, strict=True)
    ]


async def get(http: "httpx.AsyncClient", url: str) -> dict[str, Any] | None:
    """Return the JSON at a URL of the service; None when it does not answer."""
    import httpx

    try:
        response = await http.get(url, timeout=CONNECT)
        return dict(response.json()) if response.status_code == 200 else None
    except (httpx.HTTPError, ValueError):
        return None
