"""The budget of a run as people name and read it: the most that calls to a model may use (SPEC R16)."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import Enum
from typing import Any

from django.conf import settings

from core.errors import Refused
from research.models import Run
from research.setup.purse import PLACES

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
    _check("tokens", tokens, TOKENS)
    _check("calls", calls, CALLS)
    _check("minutes", minutes, MINUTES)
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


def _check(what: str, limit: int | None, bounds: tuple[int, int]) -> None:
    fewest, most = bounds
    if limit is not None and not fewest <= limit <= most:
        raise Refused(f"A budget of {what} is between {fewest:,} and {most:,}.", field=f"budget.{what}")


def money(usd: Decimal) -> str:
    """An amount of USD with two places, and more where it has them: 2.50, 0.0312."""
    return f"{usd:.2f}" if usd == usd.quantize(CENT) else f"{usd.normalize():f}"


def spent(usd: Decimal) -> str:
    """What was spent, in USD with the four places of the counter `spent_usd`."""
    return f"{usd:.4f}"


def told(run: Run) -> str:
    """What `run` has spent, of what it may: "0.0312 of 2.00 USD, 12,345 tokens, 14 of 100 calls"."""
    of_usd = f" of {money(run.budget_usd)}" if run.budget_usd is not None else ""
    of_tokens = f" of {run.budget_tokens:,}" if run.budget_tokens is not None else ""
    of_calls = f" of {run.budget_calls:,}" if run.budget_calls is not None else ""
    return f"{spent(run.spent_usd)}{of_usd} USD, {run.spent_tokens:,}{of_tokens} tokens, {run.spent_calls:,}{of_calls} calls"
