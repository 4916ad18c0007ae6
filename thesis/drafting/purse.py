"""What a draft may use of the thesis's tokens: set aside before each call, settled after it (SPEC T4).

A call is settled with what it used however it ended: answered, failed, stopped by a person. Of a call whose worker was killed
nobody knows; what was heard of it is counted, once.
"""

import uuid
from decimal import Decimal

from asgiref.sync import sync_to_async
from django.db import transaction
from django.db.models import F

from jobs.models import Job
from llm.answered import CallUsage
from llm.budget import BudgetSpent, Reservation, tokens_in
from llm.models import Usage
from llm.prices import price_of
from projects.models import Project
from thesis.drafting.limits import PER_SECTION, left_for
from thesis.drafting.streaming import heard_before
from thesis.models import Draft

PER_ATTEMPT = 100  # tries of an attempt at the job are numbered from there
PLACES = Decimal("0.00000001")


class DraftPurse:
    """The purse of one attempt at a draft. `number` is that of the try under way; it rises from attempt to attempt."""

    def __init__(self, draft: Draft, job: Job) -> None:
        self.draft = draft
        self.number = (job.attempts - 1) * PER_ATTEMPT
        self.wanted = 0  # output tokens that a call may use

    def most(self, tokens: int) -> int:
        """How many of `tokens` one call may use; they are set aside with the call."""
        with transaction.atomic():
            self.wanted = min(tokens, self._left())
        return self.wanted

    async def reserve(self, *, usd: Decimal, tokens: int, calls: int) -> Reservation:
        """Set aside the output tokens of a call. Raises BudgetSpent when they are not left any more."""
        await sync_to_async(self._set_aside)()
        self.number += 1
        return Reservation(usd, tokens, calls)

    async def settle(self, reservation: Reservation, usage: CallUsage) -> None:
        """Put what was used in the place of what was set aside."""
        await sync_to_async(settle)(self.draft, usage, self.number)

    async def release(self, reservation: Reservation) -> None:
        """Give back what was set aside for a call that was not paid for."""
        await sync_to_async(self._release)()

    def _set_aside(self) -> None:
        with transaction.atomic():
            left = self._left()
            if left < self.wanted:
                raise BudgetSpent("output tokens", PER_SECTION, PER_SECTION - left)
            Draft.objects.filter(pk=self.draft.pk).update(reserved_tokens=self.wanted)
            self.draft.reserved_tokens = self.wanted

    def _release(self) -> None:
        Draft.objects.filter(pk=self.draft.pk).update(reserved_tokens=0)
        self.draft.reserved_tokens = 0

    def _left(self) -> int:
        """What is left for this draft; its thesis's row is locked until the transaction ends."""
        Project.objects.select_for_update(no_key=True).get(pk=self.draft.project_id)
        self.draft.refresh_from_db(fields=["reserved_tokens", "output_tokens"])
        return left_for(self.draft.section, but=self.draft)


def settle(draft: Draft, usage: CallUsage, number: int) -> None:
    """Keep what try `number` of `draft` has used; nothing is set aside for it any more. Done again, it counts once."""
    kept = usage.model_copy(update={"id": _id(draft, number), "cost_usd": usage.cost_usd.quantize(PLACES)})
    with Project.objects.held(draft.project_id):
        # Ordered by the thesis's row, as all that changes the meters
        used = 0 if Usage.objects.filter(pk=kept.id).exists() else kept.output_tokens
        Usage.objects.keep(draft.project, draft.pk, [kept])
        Draft.objects.filter(pk=draft.pk).update(output_tokens=F("output_tokens") + used, reserved_tokens=0)
    draft.refresh_from_db(fields=["output_tokens", "reserved_tokens"])


def count_lost(draft: Draft, job: Job, role: str, prompt: str = "") -> None:
    """Count the call that a killed worker was listening to, by what events tell of it. `prompt` is what it was asked."""
    if not draft.model:  # no model was asked yet
        return
    text, number = heard_before(job)
    if not text or Usage.objects.filter(pk=_id(draft, number)).exists():
        return
    model = draft.model
    given, came = (tokens_in(prompt) if prompt else 0), tokens_in(text)
    price, _ = price_of(model)
    usage = CallUsage(
        role=role,
        model=model,
        input_tokens=given,
        output_tokens=came,
        cost_usd=price.of(given, came),
        is_estimate=True,
        stop_reason="lost",
    )
    settle(draft, usage, number)


def _id(draft: Draft, number: int) -> uuid.UUID:
    return uuid.uuid5(draft.pk, f"try {number}")
