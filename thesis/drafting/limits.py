"""How much may be drafted: output tokens of a section and a thesis, drafts of a person within an hour (SPEC T4).

What a draft under way may use at most is set aside while the thesis's row is locked, and counts as used until what it
really used takes its place. The offline engine uses no tokens, so only the hour counts for it.
"""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet, Sum
from django.utils import timezone

from core.errors import Refused
from projects.models import User
from sections.models import Section
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
    """The meters of `section` and of `user`; four queries."""
    times = asked_within_the_hour(user)
    return Meters(
        section_used=sum(_used(Draft.objects.filter(section=section))),
        section_limit=PER_SECTION,
        thesis_used=sum(_used(Draft.objects.filter(project=section.project_id))),
        thesis_limit=PER_THESIS,
        hour_used=min(len(times), PER_HOUR),
        hour_limit=PER_HOUR,
        next_at=times[len(times) - PER_HOUR] + HOUR if len(times) >= PER_HOUR else None,
    )


def asked_within_the_hour(user: User) -> list[datetime]:
    """When `user` asked for the drafts and the support that count, the oldest first."""
    since = timezone.now() - HOUR
    unwritten = [Draft.Kind.FINDINGS, Draft.Kind.RESULT]  # no engine was asked
    drafts = Draft.objects.filter(created_by=user, created_at__gt=since).exclude(kind__in=unwritten)
    supports = Support.objects.filter(created_by=user, created_at__gt=since)
    return sorted(time for rows in (drafts, supports) for time in rows.order_by().values_list("created_at", flat=True))


def check_hour(user: User) -> None:
    """Raise Refused (429, hourly_limit) when `user` has asked for as much as an hour allows."""
    times = asked_within_the_hour(user)
    if len(times) < PER_HOUR:
        return
    wait = times[len(times) - PER_HOUR] + HOUR - timezone.now()
    minutes = max(1, math.ceil(wait.total_seconds() / 60))
    raise Refused(
        f"You have asked for {PER_HOUR} drafts within an hour. You can ask for the next one in "
        f"{minutes} minute{'' if minutes == 1 else 's'}. {BY_HAND}",
        code="hourly_limit",
        status=429,
    )


def left_for(section: Section, *, but: Draft | None = None) -> int:
    """The output tokens that both limits leave for a draft of `section`; `but` does not count what it has set aside itself.

    Ask in the transaction that holds the thesis's row.
    """
    own = but.reserved_tokens if but else 0
    used_here = sum(_used(Draft.objects.filter(section=section)))
    used = sum(_used(Draft.objects.filter(project=section.project_id)))
    return max(0, own + min(PER_SECTION - used_here, PER_THESIS - used))


def check_tokens(section: Section) -> int:
    """The output tokens that are left for `section`.

    Raises Refused (429, section_limit or thesis_limit) when these are fewer than LEAST. Ask as `left_for`.
    """
    left = left_for(section)
    if left >= LEAST:
        return left
    (here, aside_here) = _used(Draft.objects.filter(section=section))
    if here + aside_here > PER_SECTION - LEAST:
        what, limit, used, aside, code = "section", PER_SECTION, here, aside_here, "section_limit"
    else:
        what, limit, code = "thesis", PER_THESIS, "thesis_limit"
        used, aside = _used(Draft.objects.filter(project=section.project_id))
    if used > limit - LEAST:
        said = f"This {what} has used its {limit:,} tokens of drafting. {BY_HAND}"
    else:
        said = (
            f"This {what} has used {used:,} of its {limit:,} tokens of drafting, and {aside:,} are set aside for drafts "
            f"that are being written. Wait until they are done. {BY_HAND}"
        )
    raise Refused(said, code=code, status=429)


def _used(drafts: "QuerySet[Draft]") -> tuple[int, int]:
    sums = drafts.aggregate(used=Sum("output_tokens"), aside=Sum("reserved_tokens"))
    return sums["used"] or 0, sums["aside"] or 0
