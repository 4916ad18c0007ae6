"""How much may be drafted: output tokens of a section and a thesis, set aside before each call and settled after it, and
drafts of a person within an hour (SPEC T4).

A call is settled with what it used however it ended: answered, failed, stopped by a person. Of a call whose worker was killed
nobody knows; what was heard of it is counted, once. What is set aside while the thesis's row is locked counts as used until
what was really used takes its place. The offline engine uses no tokens, so only the hour counts for it.
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
from jobs.models import Job
from llm.budget import BudgetSpent, Reservation, tokens_in
from llm.models import Usage
from llm.prices import price_of
from llm.result import CallUsage
from projects.models import Project, User
from sections.models import Section
from thesis.drafting.streaming import heard_before
from thesis.models import Draft, Support

PER_SECTION = 100_000  # output tokens
PER_THESIS = 1_200_000
PER_HOUR = 10  # drafts and searches for support that one person asks for
HOUR = timedelta(hours=1)
LEAST = 1_000  # output tokens with which a draft is worth beginning
BY_HAND = "Writing by hand never stops."


@dataclass(frozen=True)
class Meters:
    """What is used of each limit. What is set aside counts as used; `next_at` is when a person at the limit of the hour may
    ask again, and None while they are not."""

    section_used: int
    section_limit: int
    thesis_used: int
    thesis_limit: int
    hour_used: int
    hour_limit: int
    next_at: datetime | None


def meters(section: Section, user: User) -> Meters:
    """Return the meters of `section` and of `user`; four queries."""
    hour_used, next_at = this_hour(user)
    return Meters(
        section_used=sum(_used(Draft.objects.filter(section=section))),
        section_limit=PER_SECTION,
        thesis_used=sum(_used(Draft.objects.filter(project=section.project_id))),
        thesis_limit=PER_THESIS,
        hour_used=hour_used,
        hour_limit=PER_HOUR,
        next_at=next_at,
    )


def this_hour(user: User) -> tuple[int, datetime | None]:
    """Return how many of the drafts and the support of an hour `user` has asked for; at the limit, when they may ask again."""
    kinds = (Draft.objects.filter(kind__in=Draft.ASKED), Support.objects.all())
    rows = (rows.filter(created_by=user, created_at__gt=timezone.now() - HOUR).order_by() for rows in kinds)
    times = sorted(time for asked in rows for time in asked.values_list("created_at", flat=True))
    return (PER_HOUR, times[-PER_HOUR] + HOUR) if len(times) >= PER_HOUR else (len(times), None)


def check_hour(user: User) -> None:
    """Raise Refused (429, hourly_limit) when `user` has asked for as much as an hour allows."""
    _, next_at = this_hour(user)
    if next_at is not None:
        minutes = max(1, math.ceil((next_at - timezone.now()).total_seconds() / 60))
        raise Refused(
            f"You have asked for {PER_HOUR} drafts within an hour. You can ask for the next one in "
            f"{minutes} minute{'' if minutes == 1 else 's'}. {BY_HAND}",
            code="hourly_limit",
            status=429,
        )


def left_for(section: Section, *, but: Draft | None = None) -> int:
    """Return the output tokens that both limits leave for a draft of `section`; `but` does not count what it has set aside itself.

    Ask in the transaction that holds the thesis's row.
    """
    left_here = PER_SECTION - sum(_used(Draft.objects.filter(section=section)))
    left = PER_THESIS - sum(_used(Draft.objects.filter(project=section.project_id)))
    return max(0, (but.reserved_tokens if but else 0) + min(left_here, left))


def check_tokens(section: Section) -> int:
    """Return the output tokens that are left for `section`.

    Raises Refused (429, section_limit or thesis_limit) when these are fewer than LEAST. Ask as `left_for`.
    """
    left = left_for(section)
    if left >= LEAST:
        return left
    what, limit = "section", PER_SECTION
    used, aside = _used(Draft.objects.filter(section=section))
    if used + aside <= limit - LEAST:
        what, limit = "thesis", PER_THESIS
        used, aside = _used(Draft.objects.filter(project=section.project_id))
    if used > limit - LEAST:
        said = f"This {what} has used its {limit:,} tokens of drafting. {BY_HAND}"
    else:
        said = (
            f"This {what} has used {used:,} of its {limit:,} tokens of drafting, and {aside:,} are set aside for drafts "
            f"that are being written. Wait until they are done. {BY_HAND}"
        )
    raise Refused(said, code=f"{what}_limit", status=429)


def _used(drafts: "QuerySet[Draft]") -> tuple[int, int]:
    sums = drafts.aggregate(used=Sum("output_tokens"), aside=Sum("reserved_tokens"))
    return sums["used"] or 0, sums["aside"] or 0


class DraftPurse:
    """The purse of one attempt at a draft. `number` is that of the try under way; it rises from attempt to attempt."""

    def __init__(self, draft: Draft, job: Job) -> None:
        self.draft = draft
        self.number = (job.attempts - 1) * 100  # so many tries has an attempt at most
        self.wanted = 0  # output tokens that a call may use

    def most(self, tokens: int) -> int:
        """Return how many of `tokens` one call may use; they are set aside with the call."""
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
        """Return what is left for this draft; its thesis's row is locked until the transaction ends."""
        Project.objects.select_for_update(no_key=True).get(pk=self.draft.project_id)
        self.draft.refresh_from_db(fields=["reserved_tokens", "output_tokens"])
        return left_for(self.draft.section, but=self.draft)


def settle(draft: Draft, usage: CallUsage, number: int) -> None:
    """Keep what try `number` of `draft` has used; nothing is set aside for it any more. Done again, it counts once."""
    kept = usage.model_copy(
        update={"id": _id(draft, number), "cost_usd": usage.cost_usd.quantize(Decimal("0.00000001"))}
    )
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
