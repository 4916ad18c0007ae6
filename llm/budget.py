"""Budgets: the maximum cost of a model call is reserved before it and settled after it (SPEC R16)."""

import uuid
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from llm.errors import Failed
from llm.prices import price_of
from llm.result import CallUsage

# An upper bound for tokens: current models use about a third more tokens than one per four letters, and other scripts
# use two or three bytes per letter. Three UTF-8 bytes per token covers both.
BYTES_PER_TOKEN = 3


class BudgetSpent(Failed):
    """A call would exceed a budget; it was not made."""

    def __init__(self, what: str, limit: Decimal | int, spent: Decimal | int) -> None:
        """Set the unit `what` (USD, tokens or calls), the limit, and the amount spent including reservations."""
        super().__init__(f"The budget of {limit} {what} does not allow another call: {spent} are spent or reserved.")
        self.what, self.limit, self.spent = what, limit, spent


@dataclass(frozen=True)
class Reservation:
    """The maximum cost of one call, reserved in a budget."""

    usd: Decimal
    tokens: int
    calls: int = 1
    id: uuid.UUID = field(default_factory=uuid.uuid4)


class CallBudget(Protocol):
    """A budget for model calls. Every reservation is either settled or released, also if a call is cancelled."""

    async def reserve(self, *, usd: Decimal, tokens: int, calls: int) -> Reservation:
        """Reserve the maximum cost of a call. Raises BudgetSpent if that exceeds what is left."""

    async def settle(self, reservation: Reservation, usage: CallUsage) -> None:
        """Replace a reservation with the actual usage, which may be less or more."""

    async def release(self, reservation: Reservation) -> None:
        """Release the reservation of a call that was not charged."""


def tokens_in(text: str) -> int:
    """Return an upper bound for the number of tokens in `text`."""
    return len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN + 1


def most(model: str, text: str, max_tokens: int) -> tuple[Decimal, int]:
    """Return the maximum cost of a call: USD, and input and output tokens, assuming no prompt cache hits.

    `text` is the whole input, `max_tokens` the limit of the output.
    """
    price, _ = price_of(model)
    sent = tokens_in(text)
    return price.of(0, max_tokens, cache_write=sent), sent + max_tokens
