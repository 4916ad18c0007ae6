"""Asks the R service: its processes in turn, patiently when they are busy, the other one when one died."""

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
ANSWER = (
    310.0  # seconds for an answer: what hangs is ended by the service itself before; one that may take longer has more
)
MARGIN = 10.0  # seconds beyond the longest that the service lets an analysis take
PATIENCE = 60.0  # seconds that "busy" is waited for, in all
LONGEST_WAIT = 10.0  # seconds between two tries, whatever Retry-After says
TRIES = 2  # of what ended without a result: a process that died, an error inside R
KEPT = 300.0  # seconds the catalogue is kept
TIMEOUT = "The analysis engine did not answer in time."

_turn = itertools.count(random.randrange(1000))  # each process of ours begins at another one of R's
_catalogues: dict[tuple[str, ...], tuple[float, dict[str, Any]]] = {}


class _Again(Exception):
    """This process did not do it. `why` is raised when none does, `after` seconds when it said how long to wait."""

    def __init__(self, why: EngineError, after: float | None = None) -> None:
        super().__init__(why.code)
        self.why, self.after = why, after


async def ask(kind: str, name: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of analysis `name`; `kind` is "run", "sample-size", "figure" or "validate", `body` as body() makes it.

    A process that is not there is passed over; one that dies or fails inside R is followed by another, once; "busy" is
    waited for up to a minute. Raises EngineError: the service's own refusals; "absent" when no process answers;
    "busy", "timeout", "internal".
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
    """Return the addresses, beginning with the next one."""
    urls: list[str] = settings.R_PLUMBER_URLS
    start = next(_turn) % len(urls) if urls else 0
    return urls[start:] + urls[:start]


def connection() -> "httpx.AsyncClient":
    import httpx  # takes a tenth of a second, which a page that asks nothing need not wait

    return httpx.AsyncClient(
        verify=any(
            url.startswith("https:") for url in settings.R_PLUMBER_URLS
        ),  # reading all certificates takes time too
        trust_env=False,
        headers={"X-Token": settings.R_PLUMBER_TOKEN, "Content-Type": "application/json"},
    )


async def post(http: "httpx.AsyncClient", url: str, content: bytes, seconds: float) -> dict[str, Any]:
    """Return one try at one process. Raises _Again for what another may do, EngineError for what is refused."""
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
        error.message = "The analysis engine does not take our token."
    raise error


def retry_after(response: "httpx.Response") -> float:
    said = response.headers.get("Retry-After", "")
    return min(float(said), LONGEST_WAIT) if said.isascii() and said.isdigit() else 1.0


async def seconds_for(kind: str, name: str) -> float:
    """Return how long to wait for an answer: longer than the service lets the analysis take. What it limits is processor time
    (`seconds`); on the wall it ends what hangs after `longest`."""
    try:
        known = await catalogue()
    except EngineError:
        return ANSWER
    part = {"sample-size": "designs", "figure": "figures"}.get(kind, "analyses")
    own = next((entry.get("longest") for entry in known.get(part, []) if entry.get("name") == name), None)
    return max(ANSWER, own + MARGIN) if isinstance(own, int | float) else ANSWER


async def catalogue() -> dict[str, Any]:
    """Return what the service can do: {analyses, designs, figures}, each with the JSON Schema of its params.

    Kept for five minutes, and longer while no process answers. Raises EngineError "absent" when none ever did.
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
    """Return each process: {url, ok}, and what it says of itself ({r, packages, running ...}) where it answers."""
    async with connection() as http:
        found = await asyncio.gather(*(get(http, f"{url}/health") for url in settings.R_PLUMBER_URLS))
    return [
        {"url": url, "ok": one is not None, **(one or {})}
        for url, one in zip(settings.R_PLUMBER_URLS, found, strict=True)
    ]


async def get(http: "httpx.AsyncClient", url: str) -> dict[str, Any] | None:
    import httpx

    try:
        response = await http.get(url, timeout=CONNECT)
        return dict(response.json()) if response.status_code == 200 else None
    except (httpx.HTTPError, ValueError):
        return None
