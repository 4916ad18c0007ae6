"""What programs read of a reference (SPEC C4, C5)."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from ninja import Schema
from pydantic import Field

from citations.models import Citation
from citations.retraction import is_explained

CitationStatus = Literal["verified", "attested", "review", "conflict", "not_found", "unresolved", "file"]


class EvidenceOut(Schema):
    """What a verified or attested entry rests on: `type` doi, pmid, isbn, url or manual."""

    type: str
    value: str


class ComparedOut(Schema):
    """A field as it was claimed and as the registry has it. `agrees` is null where one side says nothing."""

    field: str
    claimed: str
    found: str
    agrees: bool | None


class AttestationOut(Schema):
    """Who vouches for an entry, when and why. `by` is null once the account is gone."""

    by: str | None
    at: datetime | None
    reason: str


class RetractionReasonOut(AttestationOut):
    """Why a retracted work is cited. `covers` is false once a retraction was told of that is newer than the reason."""

    covers: bool


class NoticeOut(Schema):
    """A notice about the work: retraction, expression_of_concern, correction ... and who tells of it."""

    type: str
    doi: str
    pmid: str
    source: str
    year: int | None
    note: str


class RepairOut(Schema):
    """The work that is meant, where an identifier leads elsewhere. POST to .../repair takes it."""

    doi: str
    title: str


class CitationOut(Schema):
    """One entry. `status` unresolved: nothing was found out yet; file: an uploaded file, cited as such, which is never
    looked up. `tier` is empty where there is none.

    `reason` says in a sentence why the status is what it is, `diff` compares what was claimed with the registry's
    record. `published_doi` is that of a preprint's published version. `check_due_at` is when it is checked next.
    `other_keys` are further keys under which the text may cite it.
    """

    id: UUID
    serial: int
    cite_key: str
    title: str
    authors: str
    year: int | None
    container: str
    doi: str
    pmid: str
    url: str
    note: str
    status: CitationStatus
    tier: str
    reason: str
    file_name: str
    file_id: UUID | None
    evidence: EvidenceOut | None = None
    source_doi: str
    source_pmid: str
    verified_at: datetime | None
    checked_at: datetime | None
    check_due_at: datetime | None
    attestation: AttestationOut | None = None
    diff: list[ComparedOut]
    repair: RepairOut | None = None
    published_doi: str
    open_access_url: str
    retracted: bool
    retraction_reason: RetractionReasonOut | None = None
    notices: list[NoticeOut]
    created_at: datetime
    updated_at: datetime
    other_keys: list[str]

    @staticmethod
    def resolve_evidence(row: Citation) -> dict[str, str] | None:
        return {"type": row.evidence_type, "value": row.evidence_value} if row.evidence_type else None

    @staticmethod
    def resolve_attestation(row: Citation) -> dict[str, Any] | None:
        if row.attested_at is None:
            return None
        by = str(row.attested_by) if row.attested_by else None
        return {"by": by, "at": row.attested_at, "reason": row.attestation}

    @staticmethod
    def resolve_retraction_reason(row: Citation) -> dict[str, Any] | None:
        if row.retraction_reason_at is None:
            return None
        by = str(row.retraction_reason_by) if row.retraction_reason_by else None
        return {
            "by": by,
            "at": row.retraction_reason_at,
            "reason": row.retraction_reason,
            "covers": is_explained(row),
        }

    @staticmethod
    def resolve_repair(row: Citation) -> dict[str, str] | None:
        return row.repair or None

    @staticmethod
    def resolve_other_keys(row: Citation) -> list[str]:
        return [one.key for one in row.other_keys.all()]

    @staticmethod
    def resolve_notices(row: Citation) -> list[Any]:
        return list(row.notices.all())


class CitationDetail(CitationOut):
    """The same with the entry as CSL-JSON, the BibTeX as it was brought in, and the BibTeX to edit."""

    csl: dict[str, Any]
    claimed: dict[str, Any]
    record: dict[str, Any]
    bibtex: str


class AddedOut(CitationOut):
    """An entry that was added, or was here already."""

    existing: bool
    added_as: str = Field("", description="A sentence where something is to be told: under which key it is here.")


def whole(rows: Any) -> Any:
    """The rows of a query with what CitationOut shows of them, in three queries however many there are."""
    found = rows.select_related("attested_by", "retraction_reason_by")
    return found.prefetch_related("notices", "other_keys")
