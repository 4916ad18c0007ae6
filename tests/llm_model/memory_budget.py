"""A purse for tests of the engine; that of a run keeps its account in rows (research/setup/budget.py)."""

import uuid
from dataclasses import dataclass, field
from decimal import Decimal

from llm.budget import BudgetSpent, Reservation
from llm.result import CallUsage


@dataclass
class MemoryPurse:
    """A purse for as long as this process lives. A limit of None is no limit."""

    usd: Decimal | None = None
    tokens: int | None = None
    calls: int | None = None
    spent_usd: Decimal = Decimal(0)
    spent_tokens: int = 0
    spent_calls: int = 0
    open: dict[uuid.UUID, Reservation] = field(default_factory=dict)

    async def reserve(self, *, usd: Decimal, tokens: int, calls: int) -> Reservation:
        held = self.open.values()
        _check("USD", self.usd, self.spent_usd + sum((one.usd for one in held), Decimal(0)), usd)
        _check("tokens", self.tokens, self.spent_tokens + sum(one.tokens for one in held), tokens)
        _check("calls", self.calls, self.spent_calls + sum(one.calls for one in held), calls)
        reservation = Reservation(usd, tokens, calls)
        self.open[reservation.id] = reservation
        return reservation

    async def settle(self, reservation: Reservation, usage: CallUsage) -> None:
        del self.open[reservation.id]
        self.spent_usd += usage.cost_usd
        self.spent_tokens += usage.tokens
        self.spent_calls += reservation.calls

    async def release(self, reservation: Reservation) -> None:
        del self.open[reservation.id]


def _check(what: str, limit: Decimal | int | None, spent: Decimal | int, wanted: Decimal | int) -> None:
    if limit is not None and spent + wanted > limit:
        raise BudgetSpent(what, limit, spent)
