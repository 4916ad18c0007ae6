"""What a run may use of money, tokens, calls and time, and what it has used (SPEC R16, T4).

Before a call, the most that it can cost is reserved; afterwards the real usage replaces the reservation. Only the
attempt that holds the run's lease makes calls, so reservations live in its memory. Usage is written with the answer it
was paid for, in one transaction; usage without a stored answer is written when the attempt ends.

Only the working time of attempts is counted, not pauses or the time until a killed worker was noticed. Limits are
checked only before something new is asked, and the outcome is stored with the step, so a run that is resumed or
replayed ends its research at the same place.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import Enum
from time import monotonic
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import transaction

from core.errors import Refused
from core.fast_sql import change
from llm.budget import BudgetSpent, Reservation, tokens_in
from llm.models import Usage
from llm.prices import price_of
from llm.result import CallUsage
from llm.routing import ROUTES, model_for
from research.models import Run

CENT = Decimal("0.01")
HIGHEST_USD = Decimal(100_000)


class UnchosenBudget(Enum):
    """Stands for a budget that nobody chose, so that the default applies. None means that a person chose no limit."""

    DEFAULT = "default"


@dataclass(frozen=True)
class Budget:
    """Limits on calls to a model: USD, tokens, number of calls, and minutes a run may work; None is no limit."""

    usd: Decimal | UnchosenBudget | None = UnchosenBudget.DEFAULT
    tokens: int | None = None
    calls: int | None = None
    minutes: int | None = None


def columns_for(
    usd: Decimal | None = None, tokens: int | None = None, calls: int | None = None, minutes: int | None = None
) -> dict[str, Any]:
    """Return the limits as columns of a Run; None is no limit. Raise Refused for values out of range."""
    if usd is not None:
        if not usd.is_finite() or not CENT <= usd <= HIGHEST_USD:
            raise Refused(f"A budget must be between {CENT} and {HIGHEST_USD:,} USD.", field="budget")
        usd = usd.quantize(PLACES)
    for what, limit, fewest, most in (
        ("tokens", tokens, 1_000, 1_000_000_000),
        ("calls", calls, 1, 100_000),
        ("minutes", minutes, 1, 10_000),
    ):
        if limit is not None and not fewest <= limit <= most:
            raise Refused(f"A limit of {what} must be between {fewest:,} and {most:,}.", field=f"budget.{what}")
    return {
        "budget_usd": usd,
        "budget_tokens": tokens,
        "budget_calls": calls,
        "budget_seconds": None if minutes is None else minutes * 60,
    }


def default_usd() -> Decimal:
    """Return the setting RESEARCH_DEFAULT_BUDGET_USD.

    Raises Refused when it is not a valid budget (see research/settings_checks.py).
    """
    try:
        usd = Decimal(str(settings.RESEARCH_DEFAULT_BUDGET_USD).strip())
        columns_for(usd)
    except (InvalidOperation, Refused):
        raise Refused(
            f"RESEARCH_DEFAULT_BUDGET_USD must be an amount between {CENT} and {HIGHEST_USD:,} USD, such as 5.00.",
            field="budget",
            status=503,
        ) from None
    return usd


def money(usd: Decimal) -> str:
    """Return an amount of USD with two decimals, or more where it has them: 2.50, 0.0312."""
    return f"{usd:.2f}" if usd == usd.quantize(CENT) else f"{usd.normalize():f}"


def spent(usd: Decimal) -> str:
    """Return spent USD with four decimals, as in the counter `spent_usd`."""
    return f"{usd:.4f}"


def spending_summary(run: Run) -> str:
    """Return what `run` has spent of its limits: "0.0312 of 2.00 USD, 12,345 tokens, 14 of 100 calls"."""
    of_usd = f" of {money(run.budget_usd)}" if run.budget_usd is not None else ""
    of_tokens, of_calls = ("" if limit is None else f" of {limit:,}" for limit in (run.budget_tokens, run.budget_calls))
    return (
        f"{spent(run.spent_usd)}{of_usd} USD, {run.spent_tokens:,}{of_tokens} tokens, "
        f"{run.spent_calls:,}{of_calls} calls"
    )


LIMITED = {"usd": "USD", "tokens": "tokens", "calls": "calls"}  # suffix of the columns: the unit shown to people
PLACES = Decimal("0.00000001")  # precision of stored amounts, here and in usage rows


class RunBudget:
    """The budget of one attempt at a run. A limit that is null is no limit."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.used: dict[str, Any] = {name: getattr(run, f"spent_{name}") for name in LIMITED}  # spent or reserved
        self.kept: dict[str, Any] = dict.fromkeys(LIMITED, 0)  # kept back for the report during the research
        self.settled: dict[UUID, CallUsage] = {}
        self.changed: dict[str, Any] = {}  # unwritten increments of the run's columns

    def _limits(self) -> list[tuple[str, Any]]:
        """Return the names and values of the limits that are set."""
        limits = ((name, getattr(self.run, f"budget_{name}")) for name in LIMITED)
        return [(name, limit) for name, limit in limits if limit is not None]

    async def reserve(self, *, usd: Decimal, tokens: int, calls: int) -> Reservation:
        """Reserve the most that one call can use. Raise BudgetSpent when that is more than is left."""
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

    def reserve_for_report(self, usd: Decimal, tokens: int, calls: int, *, most: float) -> None:
        """Keep these amounts back from calls, so that the research does not spend what the report will cost.

        An amount is kept back only if it is at most the share `most` of what is left of its limit: where the budget
        cannot pay for both, research may use all of it.
        """
        wanted: dict[str, Any] = {"usd": usd.quantize(PLACES), "tokens": tokens, "calls": calls}
        self.kept = dict.fromkeys(LIMITED, 0) | {
            name: wanted[name]
            for name, limit in self._limits()
            if float(wanted[name]) <= most * float(limit - self.used[name])
        }

    def nearly_spent(self, share: float) -> bool:
        """Return whether `share` of a limit, less what is kept back, is spent or reserved."""
        return any(float(self.used[name]) >= share * float(limit - self.kept[name]) for name, limit in self._limits())

    async def settle(self, reservation: Reservation, usage: CallUsage) -> None:
        """Replace a reservation by the real usage."""
        await self.release(reservation)
        self._use(usage.cost_usd.quantize(PLACES), usage.tokens, reservation.calls)
        self.settled[usage.id] = usage

    async def release(self, reservation: Reservation) -> None:
        """Return the reservation of a call that cost nothing."""
        self._use(-reservation.usd, -reservation.tokens, -reservation.calls)

    def write(self, usages: Iterable[CallUsage]) -> None:
        """Store those of `usages` that this attempt paid for.

        Called in the transaction that stores their answer; the run's row is updated with `columns` at its end.
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
        """Return the increments of the run's columns since the last call; empty when nothing was written.

        The database adds them: an attempt that lost its lease may write what it paid for at the same time as its
        successor.
        """
        changed, self.changed = self.changed, {}
        return changed

    def write_rest(self) -> None:
        """Store the usage of calls that were paid for but whose answers were not stored."""
        with transaction.atomic():
            there = set(Usage.objects.filter(pk__in=list(self.settled)).values_list("pk", flat=True))
            self.write([one for one in self.settled.values() if one.id not in there])
            if used := self.columns():
                change(Run, self.run.pk, {}, added=used)


def _plain(amount: Decimal | int) -> Decimal | int:
    """Return an amount without trailing zeros."""
    return Decimal(f"{amount.normalize():f}") if isinstance(amount, Decimal) else amount


def spending(usd: Decimal, tokens: int, calls: int) -> dict[str, Any]:
    """Return the counters of a run's usage: USD as shown to people, tokens of every kind, calls to a model."""
    return {"spent_usd": f"{usd:.4f}", "tokens": tokens, "model_calls": calls}


NEARLY = 0.9  # share of a limit from which no further round is begun
KEPT_CHARACTERS = 60_000  # assumed characters of findings, gaps and notes that a report is written from
KEPT_CALLS = 2  # the report, and a second try if it cannot be used
WORTH_KEEPING = 0.8  # largest share of what is left that is kept back: more would leave too little for research


BUDGET, TIME = "the budget was used up", "the time was used up"


class ResearchOver(NamedTuple):
    """Research is over: `decision` is BUDGET or TIME, `why` is a sentence."""

    decision: str
    why: str


class Limits:
    """The time limit of one attempt, and whether research is over. Without a run there is no limit."""

    def __init__(self, run: Run | None = None) -> None:
        self.run = run
        self.begun = monotonic()
        self.before = run.spent_seconds if run else 0  # seconds worked by earlier attempts
        self.written = self.begun  # when the seconds were last stored
        self.seconds = (run.budget_seconds or 3600) if run else 0  # seconds the run may work
        self.research_from: float | None = None  # seconds worked when research began; None outside that phase
        self.spent: ResearchOver | None = None

    @property
    def worked(self) -> float:
        """Seconds worked by all attempts."""
        return self.before + monotonic() - self.begun

    @property
    def left(self) -> float:
        """Seconds that the run may still work; may be negative."""
        return self.seconds - self.worked if self.run else float("inf")

    def over(self, *, even_late: bool = False) -> ResearchOver | None:
        """Return why research is over; None while it is not. With `even_late` the time limit is ignored."""
        if self.spent or even_late or self.run is None or self.research_from is None:
            return self.spent
        used, limit = self._research()
        if used < limit and self.left > 0:
            return None
        time = f"{limit // 60} minutes" if limit >= 120 else f"{limit} seconds"
        return ResearchOver(TIME, f"The time for research was used up: {time}.")

    def spend(self, spent: BudgetSpent) -> ResearchOver:
        """Record that the budget refused a call, which ends the research, and return the reason."""
        self.spent = ResearchOver(BUDGET, f"{str(spent).rstrip('. ')}.")
        return self.spent

    def nearly(self) -> str:
        """Return that the time is nearly used up, as a decision; "" while there is enough for another round."""
        if self.run is None or self.research_from is None:
            return ""
        used, limit = self._research()
        return "the time is nearly used up" if used >= NEARLY * limit else ""

    def _research(self) -> tuple[float, int]:
        """Return the seconds that research has worked and may work.

        It may work half of the whole time, so that time is left for the report.
        """
        return self.worked - (self.research_from or 0.0), max(1, self.seconds // 2)

    def columns(self) -> dict[str, Any]:
        """Return the changed columns of the run's row, every ten seconds, in case the attempt is killed."""
        if self.run is None or monotonic() - self.written < 10.0:
            return {}
        self.written = monotonic()
        return {"spent_seconds": round(self.worked)}

    def put_down(self) -> None:
        """Store the working time at the end of an attempt, however it ended."""
        if self.run is not None:
            Run.objects.filter(pk=self.run.pk).update(spent_seconds=round(self.worked))


def why_cut_short(run: Run) -> tuple[str, ...]:
    """Return sentences on why the research of `run` ended early and what was left out; () when it did not."""
    over = next((row["over"] for row in run.rounds[::-1] if row.get("over")), None)
    if over is None:
        return ()
    nodes = run.nodes.filter(searches=0, repeats=0, children=None).order_by("id")
    left = "; ".join(f"{node.number} {node.topic or node.question}".strip() for node in nodes)
    rest = f"Not looked into: {left}." if left else "Each question was looked into, not all of them to the end."
    return (f"The research ended early. {over['why']}", rest)


def of_a_report(more: str = "") -> tuple[Decimal, int]:
    """Return the most that a report can cost, in USD and tokens; `more` is text sent besides the assumed material."""
    return of_a_call("synthesize", tokens_in("x" * KEPT_CHARACTERS + more))


def of_a_call(role: str, sent: int) -> tuple[Decimal, int]:
    """Return the most that a call in `role` with `sent` tokens can cost, in USD and tokens."""
    price, _ = price_of(model_for(role))
    answered = ROUTES[role].max_tokens
    return price.of(0, answered, cache_write=sent), sent + answered
