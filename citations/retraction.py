"""Why a retracted work is cited: until a person says it, the final export waits (SPEC C11; docs/decisions/audit.md).

A reason covers the notices that were known when it was given. Once a registry tells of another retraction it covers the
work no longer; the old words stay to be read.
"""

from typing import NamedTuple
from uuid import UUID

from django.utils import timezone

from citations.models import Citation, RetractionNotice, changing
from core.errors import Refused
from core.storable import check_storable
from projects.models import Project, User

LONGEST_REASON = 2_000  # characters


class Reason(NamedTuple):
    """Why a retracted work is cited; `by` is empty once the account is gone."""

    text: str
    by: str


def explain_retraction(citation: Citation, user: User, reason: str) -> Citation:
    """Keep why `citation`, a retracted work, is cited, with who said it and when.

    Raises Refused without a reason, for one longer than 2,000 characters, and for a work that is not retracted. Whether
    `user` may is the caller's to ask.
    """
    reason = checked_reason(reason, "Say why this retracted work is cited.")
    with changing(citation) as row:
        if not row.retracted:
            raise Refused(f"{row.cite_key} is not retracted.", code="not_retracted")
        row.retraction_reason, row.retraction_reason_by, row.retraction_reason_at = reason, user, timezone.now()
        row.retraction_reason_notices = sorted({mark for notice in row.notices.all() for mark in _marks(notice)})
    return row


def withdraw_retraction_reason(citation: Citation) -> Citation:
    """Take the reason back. Raises Refused where none was given."""
    with changing(citation) as row:
        if not row.retraction_reason:
            raise Refused(f"Nobody said why {row.cite_key} is cited.", code="no_reason")
        row.retraction_reason, row.retraction_reason_by = "", None
        row.retraction_reason_at, row.retraction_reason_notices = None, []
    return row


def checked_reason(reason: str, why: str) -> str:
    """A person's reason as it is kept. Raises Refused where there is none, which asks `why`, or a longer one."""
    reason = reason.strip()
    check_storable(reason, "reason")
    if not reason:
        raise Refused(why, field="reason", code="empty")
    if len(reason) > LONGEST_REASON:
        raise Refused(f"A reason has at most {LONGEST_REASON:,} characters.", field="reason", code="too_long")
    return reason


def is_explained(citation: Citation) -> bool:
    """Whether a reason was given that covers every retraction notice of `citation`. One query, or what was prefetched."""
    if not citation.retracted or not citation.retraction_reason:
        return False
    held = set(citation.retraction_reason_notices)
    return all(held.intersection(_marks(one)) for one in citation.notices.all() if one.retracts)


def valid_reasons(project: Project) -> dict[UUID, Reason]:
    """The reasons for retracted works of `project` that cover all their notices, by citation."""
    rows = Citation.objects.filter(project=project, retracted=True).exclude(retraction_reason="")
    shown = rows.select_related("retraction_reason_by").prefetch_related("notices")
    return {
        row.pk: Reason(row.retraction_reason, str(row.retraction_reason_by or ""))
        for row in shown.only("retraction_reason", "retraction_reason_by", "retraction_reason_notices", "retracted")
        if is_explained(row)
    }


def _marks(notice: RetractionNotice) -> list[str]:
    """What a notice is known by: its DOI and PMID, each enough, since services tell of it by either; else type and year."""
    ids = [notice.doi and f"doi:{notice.doi.casefold()}", notice.pmid and f"pmid:{notice.pmid}"]
    return [one for one in ids if one] or [f"{notice.type} {notice.year or ''}".strip()]
