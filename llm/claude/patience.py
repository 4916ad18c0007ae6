"""How long to go on asking a service that is busy: as it says itself, and never beyond a time limit."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from llm.errors import Unreachable

T = TypeVar("T")


class Passing(Exception):
    """A trouble that may be over soon. `wait` is what the service asks for, in seconds."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait


@dataclass(frozen=True)
class Patience:
    tries: int = 5
    seconds: float = 900.0  # for all tries and the waits between them
    first_wait: float = 0.5  # doubled each time, with some chance in it so that many callers do not come at once
    longest_wait: float = 20.0

    async def through(self, call: Callable[[], Awaitable[T]]) -> T:
        """The result of `call`, made again while it raises Passing. Raises Unreachable when that does not end."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.seconds
        for done in range(1, self.tries + 1):
            limit = asyncio.timeout_at(deadline)
            try:
                async with limit:
                    return await call()
            except TimeoutError:
                if not limit.expired():
                    raise  # of the caller's own: what it does with the text, or with its budget
                raise Unreachable(f"The model did not answer within {self.seconds:g} seconds.") from None
            except Passing as trouble:
                wait = self._wait(trouble, done)
                if done == self.tries or loop.time() + wait > deadline:
                    raise Unreachable(self._gave_up(trouble, done)) from None
            await asyncio.sleep(wait)
        raise AssertionError("a try ends in a result or an error")

    def _wait(self, trouble: Passing, done: int) -> float:
        if trouble.wait is not None:
            return trouble.wait
        backoff: float = min(self.longest_wait, self.first_wait * 2 ** (done - 1))
        return backoff * random.uniform(0.75, 1.25)

    @staticmethod
    def _gave_up(trouble: Passing, done: int) -> str:
        times = "once" if done == 1 else f"{done} times"
        asked = f", and asks to wait {trouble.wait:g} seconds" if trouble.wait else ""
        return f"The model could not be reached, asked {times}: {trouble}{asked}."
