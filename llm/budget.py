"""Budgets: what a call may cost is reserved before it is made and settled after it (SPEC R16)."""

import uuid
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from llm.errors import Failed
from llm.prices import price_of
from llm.result import CallUsage

# Current models count about a third more tokens than four letters each would make, and other scripts
# take two or three bytes a letter: three UTF-8 bytes a token bound both from above.
BYTES_PER_TOKEN = 3


class BudgetSpent(Failed):
    """A call would exceed a budget; it was not made."""

    def __init__(self, what: str, limit: Decimal | int, spent: Decimal | int) -> None:
        """`what` is USD, tokens or calls; `spent` counts what is reserved for calls under way."""
        super().__init__(f"The budget of {limit} {what} does not allow another call: {spent} are spent or reserved.")
        self.what, self.limit, self.spent = what, limit, spent


@dataclass(frozen=True)
class Reservation:
    usd: Decimal
    tokens: int
    calls: int = 1
    id: uuid.UUID = field(default_factory=uuid.uuid4)


class Purse(Protocol):
    """What an engine may spend. Every reservation is either settled or released, also when a call is cancelled."""

    async def reserve(self, *, usd: Decimal, tokens: int, calls: int) -> Reservation:
        """Set aside what one call may use at most. Raises BudgetSpent when that is more than is left."""

    async def settle(self, reservation: Reservation, usage: CallUsage) -> None:
        """Replace the reservation by what was really used, be it less or more."""

    async def release(self, reservation: Reservation) -> None:
        """Give back the reservation of a call that was not paid for."""


def tokens_in(text: str) -> int:
    """At most as many tokens as `text` has for a model."""
    return len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN + 1


def most(model: str, text: str, max_tokens: int) -> tuple[Decimal, int]:
    """Return the most that one call can cost: USD, and tokens in and out, with nothing read from the prompt cache.

    `text` is everything sent, `max_tokens` the limit on the answer.
    """
    price, _ = price_of(model)
    sent = tokens_in(text)
    return price.of(0, max_tokens, cache_write=sent), sent + max_tokens
