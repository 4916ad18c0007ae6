"""What a run may spend and has spent, kept in its row (SPEC R16, T4).

Money is reserved before a call and settled after it, each under the lock of the run's row. What was used becomes a
usage row in the same transaction, so that the rows always add up to what is spent, whatever becomes of the answer.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import TypeVar

from asgiref.sync import sync_to_async
from django.db import transaction

from jobs.models import Job, LeaseLost
from llm.answered import CallUsage
from llm.budget import BudgetSpent, Reservation
from llm.models import Usage
from research.models import Run

T = TypeVar("T", int, Decimal)

PLACES = Decimal("0.00000001")  # to which money is kept, here and in usage rows
_FIELDS = [f"{state}_{what}" for state in ("spent", "reserved") for what in ("usd", "tokens", "calls")]


class RunPurse:
    """The purse of one attempt at a run. A limit that is null is no limit."""

    def __init__(self, run: Run, job: Job) -> None:
        """Takes over from an earlier attempt: what that one had reserved is free again."""
        self.run_id, self.job_id, self.lease = run.pk, job.pk, job.lease_by
        Run.objects.filter(pk=run.pk).update(reserved_usd=Decimal(0), reserved_tokens=0, reserved_calls=0)

    async def reserve(self, *, usd: Decimal, tokens: int, calls: int) -> Reservation:
        """Set aside what one call may use at most. Raises BudgetSpent when that is more than is left."""
        reservation = Reservation(usd.quantize(PLACES), tokens, calls)
        await sync_to_async(self._reserve)(reservation)
        return reservation

    async def settle(self, reservation: Reservation, usage: CallUsage) -> None:
        """Replace the reservation by what was really used, and keep the usage."""
        await sync_to_async(self._end)(reservation, usage)

    async def release(self, reservation: Reservation) -> None:
        """Give back the reservation of a call that was not paid for."""
        await sync_to_async(self._end)(reservation, None)

    def _reserve(self, wanted: Reservation) -> None:
        with self._locked() as run:
            if not self._holds():
                raise LeaseLost
            _check("USD", run.budget_usd, run.spent_usd + run.reserved_usd, wanted.usd, _plain)
            _check("tokens", run.budget_tokens, run.spent_tokens + run.reserved_tokens, wanted.tokens, int)
            _check("calls", run.budget_calls, run.spent_calls + run.reserved_calls, wanted.calls, int)
            run.reserved_usd += wanted.usd
            run.reserved_tokens += wanted.tokens
            run.reserved_calls += wanted.calls

    def _end(self, held: Reservation, usage: CallUsage | None) -> None:
        with self._locked() as run:
            if self._holds():  # else the attempt that took over has dropped the reservation
                run.reserved_usd -= held.usd
                run.reserved_tokens -= held.tokens
                run.reserved_calls -= held.calls
            if usage is not None:
                kept = usage.model_copy(update={"cost_usd": usage.cost_usd.quantize(PLACES)})
                run.spent_usd += kept.cost_usd
                run.spent_tokens += kept.tokens
                run.spent_calls += held.calls
                Usage.objects.keep(run.project, run.pk, [kept])

    @contextmanager
    def _locked(self) -> Iterator[Run]:
        """The run's row, held while the block lasts and then written."""
        with transaction.atomic():
            run = Run.objects.select_for_update().filter(pk=self.run_id).first()
            if run is None:  # deleted with its project
                raise LeaseLost
            yield run
            run.save(update_fields=_FIELDS)

    def _holds(self) -> bool:
        return Job.objects.filter(pk=self.job_id, lease_by=self.lease).exists()


def _check(what: str, limit: T | None, spent: T, wanted: T, shown: Callable[[T], T]) -> None:
    if limit is not None and spent + wanted > limit:
        raise BudgetSpent(what, shown(limit), shown(spent))


def _plain(usd: Decimal) -> Decimal:
    """Without the zeros at the end."""
    return Decimal(f"{usd.normalize():f}")
