"""Model calls with retries, budget and usage accounting.

Each call is streamed, and its errors are translated into our own. A busy service is retried after the delay it asks
for, within a time limit.
"""

import asyncio
import json
import random
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from llm.budget import CallBudget, Reservation, most
from llm.claude.request import Parameters, sent
from llm.claude.response import StreamedResponse
from llm.errors import Failed, Rejected, Unreachable
from llm.redaction import Redaction
from llm.redaction_gate import redact_request
from llm.result import CallUsage, OnText

if TYPE_CHECKING:
    from anthropic import APIStatusError, AsyncAnthropic

T = TypeVar("T")

PASSING_STATUS = {408, 409, 429}  # and all from 500: overloaded is 529
PASSING_TYPES = {"overloaded_error", "api_error", "rate_limit_error", "timeout_error"}

ADVICE = {
    401: "The key was refused; check ANTHROPIC_API_KEY.",
    402: "The account has no credit left.",
    403: "The key does not allow this.",
    404: "The address or the model does not exist; check ANTHROPIC_BASE_URL and LLM_MODEL_<ROLE>.",
}
TOO_LONG = re.compile(r"too long|too large|context (?:window|length)|maximum context|too many (?:input )?tokens", re.I)


class TemporaryFailure(Exception):
    """A temporary error. `wait` is the delay that the service asks for, in seconds."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait


@dataclass(frozen=True)
class RetryPolicy:
    """The retry policy: exponential backoff with jitter, limited in attempts and total time."""

    tries: int = 5
    seconds: float = 900.0  # for all attempts and the delays between them
    first_wait: float = 0.5  # doubled each time, with jitter so that many callers do not retry together
    longest_wait: float = 20.0

    async def through(self, call: Callable[[], Awaitable[T]]) -> T:
        """Return the result of `call`, retrying while it raises TemporaryFailure. Raises Unreachable at the limits."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.seconds
        for done in range(1, self.tries + 1):
            limit = asyncio.timeout_at(deadline)
            try:
                async with limit:
                    return await call()
            except TimeoutError:
                if not limit.expired():
                    raise  # a timeout of the caller (its callback or budget), not ours
                raise Unreachable(f"The model did not answer within {self.seconds:g} seconds.") from None
            except TemporaryFailure as trouble:
                wait = self._wait(trouble, done)
                if done == self.tries or loop.time() + wait > deadline:
                    raise Unreachable(self._gave_up(trouble, done)) from None
            await asyncio.sleep(wait)
        raise AssertionError("an attempt ends in a result or an error")

    def _wait(self, trouble: TemporaryFailure, done: int) -> float:
        if trouble.wait is not None:
            return trouble.wait
        backoff: float = min(self.longest_wait, self.first_wait * 2 ** (done - 1))
        return backoff * random.uniform(0.75, 1.25)

    @staticmethod
    def _gave_up(trouble: TemporaryFailure, done: int) -> str:
        times = "once" if done == 1 else f"{done} times"
        asked = f", and asks to wait {trouble.wait:g} seconds" if trouble.wait else ""
        return f"The model could not be reached (tried {times}): {trouble}{asked}."


class BadRequest(Rejected):
    """Status 400 or 422: the service does not accept requests of this form."""


class TooLong(Failed):
    """The request exceeds the model's context window."""


async def listen(
    client: "AsyncAnthropic", parameters: dict[str, Any], heard: StreamedResponse
) -> AsyncGenerator[str, None]:
    """Send a request, fill `heard` as the response arrives, and yield each piece of text or tool call JSON.

    Raises TemporaryFailure for an error that a retry may fix (or a stream cut off), else TooLong or Rejected.
    """
    import anthropic
    import httpx2

    try:
        async with await client.messages.create(**parameters, stream=True) as stream:
            heard.request_id = stream.response.headers.get("request-id", "")
            if "event-stream" not in stream.response.headers.get("content-type", ""):
                await stream.response.aread()
                heard.set_message(stream.response.json())  # a gateway that cannot stream
            else:
                # Raw events: parsing them into SDK objects takes twice as long, and an answer has thousands.
                async for event in stream.raw_events(stream.response):
                    if event.event == "error":
                        raise anthropic.APIStatusError("", response=stream.response, body=_error_in(event.data))
                    if event.event not in (None, "ping") and event.data and (piece := heard.take(event.json())):
                        yield piece
    except anthropic.APIStatusError as error:
        raise _translated(error, client.api_key or "") from None
    except (anthropic.APIConnectionError, httpx2.HTTPError):
        raise TemporaryFailure("the connection failed") from None
    except (ValueError, KeyError, AttributeError, TypeError):
        raise TemporaryFailure("the response was not in the format of the Messages API") from None
    if not heard.stop_reason:
        raise TemporaryFailure("the answer was cut off during transfer")


def _error_in(data: str) -> object:
    try:
        return json.loads(data)
    except ValueError:
        return data


def _translated(error: "APIStatusError", key: str) -> Exception:
    # An error within a stream has the status 200 of that stream; its type tells what it is.
    status, kind = error.status_code, error.type or ""
    headers = error.response.headers
    passing = status in PASSING_STATUS or status >= 500 or kind in PASSING_TYPES
    if passing and headers.get("x-should-retry") != "false":
        return TemporaryFailure(f"the service answered {_named(status, kind)}", _seconds(headers.get("retry-after")))
    said = _quoted(error.api_message, key)
    if status == 413 or (status == 400 and TOO_LONG.search(said)):
        return TooLong("The request is longer than the model can read.")
    if status in (400, 422):
        return BadRequest(f"The service does not accept this request ({_named(status, kind)}): {said}")
    advice = ADVICE.get(status) or (f"It said: {said}" if said else "")
    return Rejected(f"The service refused the request ({_named(status, kind)}). {advice}".strip())


def _named(status: int, kind: str) -> str:
    return f"{status} {kind}".strip() if status >= 400 else kind or str(status)


def _quoted(message: object, key: str) -> str:
    """Return the service's message in one line, at most 200 characters, without the API key."""
    said = " ".join(str(message or "").split())
    return (said.replace(key, "(key)") if key else said)[:200]


def _seconds(retry_after: str | None) -> float | None:
    try:
        return max(0.0, float(retry_after)) if retry_after else None
    except ValueError:
        return None  # a date: use our own delay


@dataclass
class ModelSession:
    """The calls for one question to one model in one role, with retries, budget, usage and redaction."""

    client: "AsyncAnthropic"
    redaction: Redaction
    role: str
    model: str
    max_tokens: int
    patience: RetryPolicy
    purse: CallBudget | None = None
    on_text: OnText | None = None
    usages: list[CallUsage] = field(default_factory=list)
    tries: int = 0

    async def call(
        self, parameters: Parameters, readable: Callable[[], Callable[[str], str]] | None = None
    ) -> StreamedResponse:
        """Send a request and return the response, with placeholders not yet restored.

        `readable()` makes a new filter for the text that goes to `on_text`, one for each attempt. Raises BudgetSpent
        before anything is sent, Unreachable, Rejected or TooLong.
        """
        whole = {"model": self.model, "max_tokens": self.max_tokens, **await redact_request(self.redaction, parameters)}
        return await self.patience.through(lambda: self._try(whole, readable() if readable else None))

    async def _try(self, parameters: Parameters, readable: Callable[[str], str] | None) -> StreamedResponse:
        self.tries += 1
        number, heard, restoring = self.tries, StreamedResponse(), self.redaction.streaming()
        reservation = await self._reserve(parameters)
        try:
            async with aclosing(listen(self.client, parameters, heard)) as pieces:
                async for piece in pieces:
                    if self.on_text and (text := restoring.feed(readable(piece) if readable else piece)):
                        await self.on_text(text, number)
            if self.on_text and (rest := restoring.end()):
                await self.on_text(rest, number)
        finally:
            # Also if the task is cancelled, since a started answer is charged.
            await asyncio.shield(self._account(reservation, heard))
        return heard

    async def _reserve(self, parameters: dict[str, Any]) -> Reservation | None:
        if self.purse is None:
            return None
        usd, tokens = most(self.model, sent(parameters), self.max_tokens)
        return await self.purse.reserve(usd=usd, tokens=tokens, calls=1)

    async def _account(self, reservation: Reservation | None, heard: StreamedResponse) -> None:
        usage = heard.usage(self.role, self.model) if heard.began else None
        if usage:
            self.usages.append(usage)
        if self.purse is None or reservation is None:
            return
        if usage:
            await self.purse.settle(reservation, usage)
        else:
            await self.purse.release(reservation)
