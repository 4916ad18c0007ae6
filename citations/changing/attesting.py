"""A person vouches for an entry that no registry proves, and says why (SPEC C2, C4, C5)."""

import re

from django.utils import timezone

from citations.check.checking import start_check
from citations.check.settling import forget
from citations.models import Citation, changing
from citations.retraction import checked_reason
from core.errors import Refused
from core.storable import check_storable
from projects.models import User
from sources.reading import clean_isbn

LONGEST_EVIDENCE = 1_000  # characters
_ADDRESS = re.compile(r"https?://[^\s/?#]+\.[^\s]+", re.IGNORECASE)
_GIVEN = {Citation.Evidence.MANUAL: "C", Citation.Evidence.ISBN: "B", Citation.Evidence.URL: "B"}


def attest(
    citation: Citation, user: User, reason: str, evidence_type: str = "manual", evidence_value: str = ""
) -> Citation:
    """Vouch for `citation`: tier C, or B where an ISBN or an address is the evidence. Lifts whatever verdict it had.

    `reason` has at most 2,000 characters and is kept with who and when. Raises Refused without one, for evidence that
    is no ISBN or address, and for an entry that is proven already. Whether `user` may is the caller's to ask.
    """
    value = _checked(evidence_type, evidence_value)
    reason = checked_reason(reason, "Say why this reference is right, for whoever reads it later.")
    with changing(citation) as row:
        if row.status == Citation.Status.VERIFIED:
            raise Refused(f"{row.cite_key} is proven already. There is nothing to vouch for.", code="verified")
        row.status, row.tier = Citation.Status.ATTESTED, _GIVEN[Citation.Evidence(evidence_type)]
        row.evidence_type, row.evidence_value = evidence_type, value
        row.attested_by, row.attested_at, row.attestation = user, timezone.now(), reason
        row.check_due_at, row.failures = None, 0
    return row


def withdraw_attestation(citation: Citation, user: User) -> Citation:
    """Take an attestation back and have the entry checked. Raises Refused where nobody vouches for it."""
    with changing(citation) as row:
        if row.status != Citation.Status.ATTESTED:
            raise Refused(f"Nobody vouches for {row.cite_key}.", code="not_attested")
        unattest(row)
        forget(row, row.claim)
    start_check(row.project, user)
    return row


def unattest(citation: Citation) -> None:
    """Forget who vouched for the entry and why. Not saved."""
    citation.attested_by, citation.attested_at, citation.attestation = None, None, ""


def _checked(kind: str, value: str) -> str:
    """The evidence in its one spelling. Raises Refused."""
    value = value.strip()
    check_storable(value, "evidence_value")
    if len(value) > LONGEST_EVIDENCE:
        said = f"Evidence has at most {LONGEST_EVIDENCE:,} characters. Write the rest into the reason."
        raise Refused(said, field="evidence_value", code="too_long")
    if kind == Citation.Evidence.ISBN:
        if isbn := clean_isbn(value):
            return isbn
        raise Refused("This is not an ISBN: its last digit does not fit the others.", field="evidence_value")
    if kind == Citation.Evidence.URL:
        if _ADDRESS.fullmatch(value):
            return value
        raise Refused("An address starts with https:// or http:// and has no spaces.", field="evidence_value")
    if kind != Citation.Evidence.MANUAL:
        said = "The evidence is an ISBN, an address, or your word. A DOI or PMID is proven by checking it."
        raise Refused(said, field="evidence_type")
    return value
