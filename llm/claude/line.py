"""All the calls of one question: tried patiently, within the budget, each of them accounted for."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from llm.answered import CallUsage, OnText
from llm.budget import Purse, Reservation, most
from llm.claude.call import Patience, listen
from llm.claude.heard import Heard
from llm.claude.request import Parameters, sent
from llm.gate import Passing

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic


@dataclass
class Line:
    """A line to one model in one role. All that is said on it goes through `gate`."""

    client: "AsyncAnthropic"
    gate: Passing
    role: str
    model: str
    max_tokens: int
    patience: Patience
    purse: Purse | None = None
    on_text: OnText | None = None
    usages: list[CallUsage] = field(default_factory=list)
    tries: int = 0

    async def call(self, parameters: Parameters, readable: Callable[[], Callable[[str], str]] | None = None) -> Heard:
        """What the model says to a request, its details not yet restored. `readable()` makes a filter for what goes to `on_text`, one for each try.

        Raises BudgetSpent before anything is sent, Unreachable, Rejected or TooLong.
        """
        whole = {"model": self.model, "max_tokens": self.max_tokens, **await self.gate.told(parameters)}
        return await self.patience.through(lambda: self._try(whole, readable() if readable else None))

    async def _try(self, parameters: Parameters, readable: Callable[[str], str] | None) -> Heard:
        self.tries += 1
        number, heard, restoring = self.tries, Heard(), self.gate.redaction.streaming()
        reservation = await self._reserve(parameters)
        try:
            async with aclosing(listen(self.client, parameters, heard)) as pieces:
                async for piece in pieces:
                    if self.on_text and (text := restoring.feed(readable(piece) if readable else piece)):
                        await self.on_text(text, number)
            if self.on_text and (rest := restoring.end()):
                await self.on_text(rest, number)
        finally:
            # Also when the work is cancelled: what the service has begun is paid for.
            await asyncio.shield(self._account(reservation, heard))
        return heard

    async def _reserve(self, parameters: dict[str, Any]) -> Reservation | None:
        if self.purse is None:
            return None
        usd, tokens = most(self.model, sent(parameters), self.max_tokens)
        return await self.purse.reserve(usd=usd, tokens=tokens, calls=1)

    async def _account(self, reservation: Reservation | None, heard: Heard) -> None:
        usage = heard.usage(self.role, self.model) if heard.began else None
        if usage:
            self.usages.append(usage)
        if self.purse is None or reservation is None:
            return
        if usage:
            await self.purse.settle(reservation, usage)
        else:
            await self.purse.release(reservation)
