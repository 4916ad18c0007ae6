"""Limits on drafting: output tokens per section and per thesis, and drafts per person and hour (SPEC T4).

Tokens are reserved before each call and replaced by the tokens really used after it, however the call ended: answered,
failed or stopped. Reserved tokens count as used. The usage of a call whose worker was killed is unknown, so the text
received until then is counted, once. The offline engine uses no tokens; only the hourly limit applies to it.
"""

import math
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from asgiref.sync import sync_to_async
from django.db import transaction
from django.db.models import F, QuerySet, Sum
from django.utils import timezone

from core.errors import Refused
from jobs.models import Job, State
from llm.budget import BudgetSpent, Reservation, tokens_in
from llm.models import Usage
from llm.prices import price_of
from llm.result import CallUsage
from projects.models import Project, User
from sections.models import Section
from thesis.drafting.streaming import streamed_text
from thesis.models import Draft, Support

PER_SECTION = 100_000  # output tokens
PER_THESIS = 1_200_000
PER_HOUR = 10  # drafts and searches for support per person
HOUR = timedelta(hours=1)
LEAST = 1_000  # output tokens that must be left to begin a draft
BY_HAND = "You can always write by hand."


@dataclass(frozen=True)
class DraftingUsage:
    """How much of each limit is used. Reserved tokens count as used.

    `next_at` is when a person who has reached the hourly limit may ask again, and None if they have not reached it.
    """

    section_used: int
    section_limit: int
    thesis_used: int
    thesis_limit: int
    hour_used: int
    hour_limit: int
    next_at: datetime | None


def drafting_usage(section: Section, user: User) -> DraftingUsage:
    """Return how much of each limit `section` and `user` have used. Takes four queries."""
    hour_used, next_at = drafts_this_hour(user)
    return DraftingUsage(
        section_used=sum(_used(Draft.objects.filter(section=section))),
        section_limit=PER_SECTION,
        thesis_used=sum(_used(Draft.objects.filter(project=section.project_id))),
        thesis_limit=PER_THESIS,
        hour_used=hour_used,
        hour_limit=PER_HOUR,
        next_at=next_at,
    )


def drafts_this_hour(user: User) -> tuple[int, datetime | None]:
    """Return how many drafts and searches for support `user` requested in the past hour, without those that failed.

    Second, at the limit, the time when they may ask again, else None.
    """
    kinds = (
        Draft.objects.filter(kind__in=Draft.ASKED).exclude(job__state=State.FAILED),
        Support.objects.exclude(run__job__state=State.FAILED),
    )
    rows = (rows.filter(created_by=user, created_at__gt=timezone.now() - HOUR).order_by() for rows in kinds)
    times = sorted(time for asked in rows for time in asked.values_list("created_at", flat=True))
    return (PER_HOUR, times[-PER_HOUR] + HOUR) if len(times) >= PER_HOUR else (len(times), None)


def check_hourly_limit(user: User) -> None:
    """Raise Refused (429, hourly_limit) if `user` has reached the hourly limit."""
    _, next_at = drafts_this_hour(user)
    if next_at is not None:
        minutes = max(1, math.ceil((next_at - timezone.now()).total_seconds() / 60))
        raise Refused(
            f"You have reached the limit of {PER_HOUR} drafts per hour. You can ask for the next one in "
            f"{minutes} minute{'' if minutes == 1 else 's'}. {BY_HAND}",
            code="hourly_limit",
            status=429,
        )


def tokens_left_for(section: Section, *, but: Draft | None = None) -> int:
    """Return the output tokens that both limits leave for a draft of `section`.

    The reservation of the draft `but` is not counted. To be called in a transaction that locks the project row.
    """
    left_here = PER_SECTION - sum(_used(Draft.objects.filter(section=section)))
    left = PER_THESIS - sum(_used(Draft.objects.filter(project=section.project_id)))
    return max(0, (but.reserved_tokens if but else 0) + min(left_here, left))


def check_tokens(section: Section) -> int:
    """Return the output tokens that are left for `section`.

    Raises Refused (429, section_limit or thesis_limit) if fewer than LEAST are left. Needs the same lock as
    `tokens_left_for`.
    """
    left = tokens_left_for(section)
    if left >= LEAST:
        return left
    what, limit = "section", PER_SECTION
    used, aside = _used(Draft.objects.filter(section=section))
    if used + aside <= limit - LEAST:
        what, limit = "thesis", PER_THESIS
        used, aside = _used(Draft.objects.filter(project=section.project_id))
    if used > limit - LEAST:
        said = f"This {what} has used its {limit:,} tokens for drafting. {BY_HAND}"
    else:
        said = (
            f"This {what} has used {used:,} of its {limit:,} tokens for drafting, and {aside:,} are reserved for "
            f"drafts that are being written. Wait until they are done. {BY_HAND}"
        )
    raise Refused(said, code=f"{what}_limit", status=429)


def _used(drafts: "QuerySet[Draft]") -> tuple[int, int]:
    sums = drafts.aggregate(used=Sum("output_tokens"), aside=Sum("reserved_tokens"))
    return sums["used"] or 0, sums["aside"] or 0


class DraftBudget:
    """The token budget of one attempt of the job that writes a draft.

    `number` identifies the present call; it rises with every call and every attempt.
    """

    def __init__(self, draft: Draft, job: Job) -> None:
        self.draft = draft
        self.number = (job.attempts - 1) * 100  # an attempt makes fewer than 100 calls
        self.wanted = 0  # output tokens that the next call may use

    def most(self, tokens: int) -> int:
        """Return how many of `tokens` the next call may use. `reserve` then reserves them."""
        with transaction.atomic():
            self.wanted = min(tokens, self._left())
        return self.wanted

    async def reserve(self, *, usd: Decimal, tokens: int, calls: int) -> Reservation:
        """Reserve the output tokens of a call. Raises BudgetSpent if they are no longer available."""
        await sync_to_async(self._set_aside)()
        self.number += 1
        return Reservation(usd, tokens, calls)

    async def settle(self, reservation: Reservation, usage: CallUsage) -> None:
        """Replace the reserved tokens by those really used."""
        await sync_to_async(settle)(self.draft, usage, self.number)

    async def release(self, reservation: Reservation) -> None:
        """Give back the tokens reserved for a call that was not charged."""
        await Draft.objects.filter(pk=self.draft.pk).aupdate(reserved_tokens=0)
        self.draft.reserved_tokens = 0

    def _set_aside(self) -> None:
        with transaction.atomic():
            left = self._left()
            if left < self.wanted:
                raise BudgetSpent("output tokens", PER_SECTION, PER_SECTION - left)
            Draft.objects.filter(pk=self.draft.pk).update(reserved_tokens=self.wanted)
            self.draft.reserved_tokens = self.wanted

    def _left(self) -> int:
        """Return the tokens left for this draft, and lock the project row until the transaction ends."""
        Project.objects.select_for_update(no_key=True).get(pk=self.draft.project_id)
        self.draft.refresh_from_db(fields=["reserved_tokens", "output_tokens"])
        return tokens_left_for(self.draft.section, but=self.draft)


def settle(draft: Draft, usage: CallUsage, number: int) -> None:
    """Store what call `number` of `draft` has used and clear its reservation. Calling it twice counts once."""
    kept = usage.model_copy(
        update={"id": _id(draft, number), "cost_usd": usage.cost_usd.quantize(Decimal("0.00000001"))}
    )
    with Project.objects.held(draft.project_id):
        # Everything that changes the usage takes the project lock first, so that no two changes are counted at once
        used = 0 if Usage.objects.filter(pk=kept.id).exists() else kept.output_tokens
        Usage.objects.keep(draft.project, draft.pk, [kept])
        Draft.objects.filter(pk=draft.pk).update(output_tokens=F("output_tokens") + used, reserved_tokens=0)
    draft.refresh_from_db(fields=["output_tokens", "reserved_tokens"])


def count_lost_call(draft: Draft, job: Job, role: str, prompt: str = "") -> None:
    """Count an unsettled call of a worker that was killed, estimated from `prompt` and the text in the job's events."""
    if not draft.model:  # no model was asked yet
        return
    text, number = streamed_text(job)
    if not text or Usage.objects.filter(pk=_id(draft, number)).exists():
        return
    given, came = (tokens_in(prompt) if prompt else 0), tokens_in(text)
    settle(
        draft,
        CallUsage(
            role=role,
            model=draft.model,
            input_tokens=given,
            output_tokens=came,
            cost_usd=price_of(draft.model)[0].of(given, came),
            is_estimate=True,
            stop_reason="lost",
        ),
        number,
    )


def _id(draft: Draft, number: int) -> uuid.UUID:
    return uuid.uuid5(draft.pk, f"try {number}")
