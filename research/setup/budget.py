"""The budget of a run, the most that calls to a model may use, and what it has spent of it (SPEC R16, T4).

Before a call, the most that it can cost is set aside; after it, what was really used takes its place. Only the
attempt that holds the run's lease makes calls, so what is set aside lives in its memory. What was used is written
with the answer it was paid for, in one transaction; what brought no answer is written when the attempt ends.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import Enum
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from core.errors import Refused
from core.fast_sql import change
from llm.answered import CallUsage
from llm.budget import BudgetSpent, Reservation
from llm.models import Usage
from research.models import Run

CENT = Decimal("0.01")
HIGHEST_USD = Decimal(100_000)
TOKENS = (1_000, 1_000_000_000)  # fewest and most
CALLS = (1, 100_000)
MINUTES = (1, 10_000)


class Unnamed(Enum):
    """Stands for a budget that nobody has named: the default one. None is a person's word that there is no limit."""

    DEFAULT = "default"


@dataclass(frozen=True)
class Budget:
    """The most that calls to a model may cost, in USD, and use, and the minutes a run may work; None is no limit."""

    usd: Decimal | Unnamed | None = Unnamed.DEFAULT
    tokens: int | None = None
    calls: int | None = None
    minutes: int | None = None

    def columns(self, default: Decimal | None) -> dict[str, Any]:
        """As columns_for, with `default` for an amount of money that nobody has named."""
        usd = default if isinstance(self.usd, Unnamed) else self.usd
        return columns_for(usd, self.tokens, self.calls, self.minutes)


def columns_for(
    usd: Decimal | None = None, tokens: int | None = None, calls: int | None = None, minutes: int | None = None
) -> dict[str, Any]:
    """The limits as columns of a Run; None is no limit. Raises Refused for those that no run could keep to."""
    if usd is not None:
        if not usd.is_finite() or not CENT <= usd <= HIGHEST_USD:
            raise Refused(f"A budget is between {CENT} and {HIGHEST_USD:,} USD.", field="budget")
        usd = usd.quantize(PLACES)
    for what, limit, (fewest, most) in (
        ("tokens", tokens, TOKENS),
        ("calls", calls, CALLS),
        ("minutes", minutes, MINUTES),
    ):
        if limit is not None and not fewest <= limit <= most:
            raise Refused(f"A budget of {what} is between {fewest:,} and {most:,}.", field=f"budget.{what}")
    seconds = None if minutes is None else minutes * 60
    return {"budget_usd": usd, "budget_tokens": tokens, "budget_calls": calls, "budget_seconds": seconds}


def default_usd() -> Decimal:
    """The setting RESEARCH_DEFAULT_BUDGET_USD. Raises Refused for what no run could keep to (research/checks.py)."""
    try:
        usd = Decimal(str(settings.RESEARCH_DEFAULT_BUDGET_USD).strip())
        columns_for(usd)
    except (InvalidOperation, Refused):
        said = f"RESEARCH_DEFAULT_BUDGET_USD is an amount between {CENT} and {HIGHEST_USD:,} USD, such as 5.00."
        raise Refused(said, field="budget", status=503) from None
    return usd


def money(usd: Decimal) -> str:
    """An amount of USD with two places, and more where it has them: 2.50, 0.0312."""
    return f"{usd:.2f}" if usd == usd.quantize(CENT) else f"{usd.normalize():f}"


def spent(usd: Decimal) -> str:
    """What was spent, in USD with the four places of the counter `spent_usd`."""
    return f"{usd:.4f}"


def told(run: Run) -> str:
    """What `run` has spent, of what it may: "0.0312 of 2.00 USD, 12,345 tokens, 14 of 100 calls"."""
    of_usd = f" of {money(run.budget_usd)}" if run.budget_usd is not None else ""
    limits = (run.budget_tokens, run.budget_calls)
    of_tokens, of_calls = ("" if limit is None else f" of {limit:,}" for limit in limits)
    return f"{spent(run.spent_usd)}{of_usd} USD, {run.spent_tokens:,}{of_tokens} tokens, {run.spent_calls:,}{of_calls} calls"


LIMITED = {"usd": "USD", "tokens": "tokens", "calls": "calls"}  # as columns name it and as people do
PLACES = Decimal("0.00000001")  # to which money is kept, here and in usage rows


class RunPurse:
    """The purse of one attempt at a run. A limit that is null is no limit."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.used: dict[str, Any] = {name: getattr(run, f"spent_{name}") for name in LIMITED}  # spent or set aside
        self.kept: dict[str, Any] = dict.fromkeys(LIMITED, 0)  # back for the report while the research goes on
        self.settled: dict[UUID, CallUsage] = {}
        self.changed: dict[str, Any] = {}  # of the run's columns, by how much, and not written yet

    def _limits(self) -> list[tuple[str, Any]]:
        """What is limited, and to how much."""
        limits = ((name, getattr(self.run, f"budget_{name}")) for name in LIMITED)
        return [(name, limit) for name, limit in limits if limit is not None]

    async def reserve(self, *, usd: Decimal, tokens: int, calls: int) -> Reservation:
        """Set aside what one call may use at most. Raises BudgetSpent when that is more than is left."""
        wanted = Reservation(usd.quantize(PLACES), tokens, calls)
        for name, limit in self._limits():
            gone = self.used[name] + self.kept[name]
            if gone + getattr(wanted, name) > limit:
                raise BudgetSpent(LIMITED[name], _plain(limit), _plain(gone))
        self._use(wanted.usd, tokens, calls)
        return wanted

    def _use(self, usd: Decimal, tokens: int, calls: int) -> None:
        for name, more in zip(LIMITED, (usd, tokens, calls), strict=True):
            self.used[name] += more

    def keep_back(self, usd: Decimal, tokens: int, calls: int, *, most: float) -> None:
        """Let calls have that much less, as far as it is no greater share than `most` of what is left of a limit.

        So the research does not spend what the report will cost; what could not pay for both is not kept from either.
        """
        wanted: dict[str, Any] = {"usd": usd.quantize(PLACES), "tokens": tokens, "calls": calls}
        self.kept = dict.fromkeys(LIMITED, 0) | {
            name: wanted[name]
            for name, limit in self._limits()
            if float(wanted[name]) <= most * float(limit - self.used[name])
        }

    def nearly_spent(self, share: float) -> bool:
        """Whether `share` of a limit, less what is kept back, is spent or set aside."""
        return any(float(self.used[name]) >= share * float(limit - self.kept[name]) for name, limit in self._limits())

    async def settle(self, reservation: Reservation, usage: CallUsage) -> None:
        """Replace the reservation by what was really used."""
        await self.release(reservation)
        self._use(usage.cost_usd.quantize(PLACES), usage.tokens, reservation.calls)
        self.settled[usage.id] = usage

    async def release(self, reservation: Reservation) -> None:
        """Give back the reservation of a call that was not paid for."""
        self._use(-reservation.usd, -reservation.tokens, -reservation.calls)

    def write(self, usages: Iterable[CallUsage]) -> None:
        """Keep those of `usages` that this attempt has paid for. Called in the transaction that stores their answer;
        the run's row is updated with `columns` at its end.
        """
        kept = [
            paid.model_copy(update={"cost_usd": paid.cost_usd.quantize(PLACES)})
            for paid in (self.settled[one.id] for one in usages if one.id in self.settled)
        ]
        if not kept:
            return
        Usage.objects.keep(self.run.project, self.run.pk, kept)
        sums: dict[str, Any] = {
            "spent_usd": sum((one.cost_usd for one in kept), Decimal(0)),
            "spent_tokens": sum(one.tokens for one in kept),
            "spent_calls": len(kept),
        }
        for name, used in sums.items():
            self.changed[name] = self.changed.get(name, 0) + used
            setattr(self.run, name, getattr(self.run, name) + used)

    def columns(self) -> dict[str, Any]:
        """What must be added to columns of the run's row after `write`; nothing when nothing was written.

        Added in the database: an attempt that lost its lease writes what it paid for beside the one that has it.
        """
        changed, self.changed = self.changed, {}
        return changed

    def write_rest(self) -> None:
        """Keep what was paid for and brought no answer that was stored."""
        with transaction.atomic():
            there = set(Usage.objects.filter(pk__in=list(self.settled)).values_list("pk", flat=True))
            self.write([one for one in self.settled.values() if one.id not in there])
            if used := self.columns():
                change(Run, self.run.pk, {}, added=used)


def _plain(amount: Decimal | int) -> Decimal | int:
    """Without the zeros at the end of money."""
    return Decimal(f"{amount.normalize():f}") if isinstance(amount, Decimal) else amount


def spending(usd: Decimal, tokens: int, calls: int) -> dict[str, Any]:
    """The counters of what a run has used: USD as people read it, tokens of every kind, calls to a model."""
    return {"spent_usd": f"{usd:.4f}", "tokens": tokens, "model_calls": calls}
