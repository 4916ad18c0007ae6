"""The API schemas of references (SPEC C4, C5)."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.db.models import Prefetch
from ninja import ModelSchema, Schema
from pydantic import Field

from citations.cite_dialog.cite_dialog import Notice, notice_of
from citations.editing.edit import LONGEST_AUTHORS, LONGEST_EVIDENCE, LONGEST_TITLE
from citations.identity.gate import ComparedField
from citations.importing.add_references import LONGEST
from citations.matching import LONGEST_KEY
from citations.models import LONGEST_REASON, Citation, CitationStatus, Tagging, is_explained
from projects.models import User


class NoteOut(Schema):
    """A remark about an entry that was read or imported. `line` counts the lines of the text."""

    line: int
    key: str
    message: str


class JobOut(Schema):
    """The job that does the work: see /api/jobs/{job}. Null where nothing had to be done."""

    job: UUID | None


class EvidenceOut(Schema):
    """The evidence of a verified or attested entry: `type` is doi, pmid, isbn, url, manual or demo."""

    type: str
    value: str


class AttestationOut(Schema):
    """Who attested an entry, when and why. `by` is null once the account is deleted."""

    by: str | None
    at: datetime | None
    reason: str


class RetractionReasonOut(AttestationOut):
    """Why a retracted work is cited. `covers` is false once a newer retraction notice appeared."""

    covers: bool


class RepairOut(Schema):
    """The suggested work, where an identifier leads elsewhere. POST to .../repair accepts it."""

    doi: str
    title: str


class CitationOut(Schema):
    """One entry. `tier` is empty where there is none.

    `status` "unresolved": not looked up yet, or a registry did not answer; "file": an uploaded file, never looked up.
    `reason` explains the status in a sentence, `diff` compares the claimed fields with the registry's record.
    `published_doi` is the DOI of a preprint's published version. `check_due_at` is the time of the next check.
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
    diff: list[ComparedField]
    repair: RepairOut | None = None
    published_doi: str
    open_access_url: str
    retracted: bool
    retraction_reason: RetractionReasonOut | None = None
    notices: list[Notice]
    created_at: datetime
    updated_at: datetime
    other_keys: list[str]
    tags: list[str]

    @staticmethod
    def resolve_evidence(row: Citation) -> dict[str, str] | None:
        """Return the evidence; None for none."""
        return {"type": row.evidence_type, "value": row.evidence_value} if row.evidence_type else None

    @staticmethod
    def resolve_attestation(row: Citation) -> dict[str, Any] | None:
        """Return the attestation; None for none."""
        return _reason_out(row.attested_by, row.attested_at, row.attestation)

    @staticmethod
    def resolve_retraction_reason(row: Citation) -> dict[str, Any] | None:
        """Return the reason for citing a retracted work; None for none."""
        said = _reason_out(row.retraction_reason_by, row.retraction_reason_at, row.retraction_reason)
        return said and {**said, "covers": is_explained(row)}

    @staticmethod
    def resolve_repair(row: Citation) -> dict[str, str] | None:
        """Return the suggested work; None for none."""
        return row.repair or None

    @staticmethod
    def resolve_other_keys(row: Citation) -> list[str]:
        """Return the key aliases."""
        return [one.key for one in row.other_keys.all()]

    @staticmethod
    def resolve_tags(row: Citation) -> list[str]:
        """Return the names of the tags."""
        return [one.tag.name for one in row.taggings.all()]

    @staticmethod
    def resolve_notices(row: Citation) -> list[Notice]:
        """Return the notices about the work."""
        return [notice_of(one) for one in row.notices.all()]


def _reason_out(by: User | None, at: datetime | None, reason: str) -> dict[str, Any] | None:
    """Return a person's reason with who gave it and when; None where there is none."""
    return {"by": str(by) if by else None, "at": at, "reason": reason} if at else None


class CitationDetail(CitationOut):
    """One entry with its CSL-JSON, the claimed CSL, the registry's record, and the imported BibTeX."""

    csl: dict[str, Any]
    claimed: dict[str, Any]
    record: dict[str, Any]
    bibtex: str


class AddedOut(CitationOut):
    """An entry that was added, or already existed."""

    existing: bool
    added_as: str = Field("", description="A sentence about the key, where it differs from the one given.")


class AddIn(Schema):
    """Give exactly one of the four. `text` is any pasted text: identifiers, BibTeX, RIS, web addresses, titles."""

    doi: Annotated[str, Field(max_length=LONGEST["doi"])] = ""
    pmid: Annotated[str, Field(max_length=LONGEST["pmid"])] = ""
    bibtex_entry: Annotated[str, Field(max_length=LONGEST["bibtex_entry"])] = ""
    text: Annotated[str, Field(max_length=LONGEST["text"])] = ""


class AdditionsOut(Schema):
    """The entries in the order of the text, added or already existing."""

    citations: list[AddedOut]
    problems: list[NoteOut]


class ChangeIn(Schema):
    """Give exactly one of the two."""

    bibtex_entry: Annotated[str, Field(max_length=LONGEST["bibtex_entry"])] = ""
    cite_key: Annotated[str, Field(max_length=LONGEST_KEY)] = ""


class AttestIn(Schema):
    """Why a person attests the entry. It gets tier C, or B where an ISBN or a web address is the evidence."""

    reason: Annotated[str, Field(max_length=LONGEST_REASON)]
    evidence_type: Literal["manual", "isbn", "url"] = "manual"
    evidence_value: Annotated[str, Field(max_length=LONGEST_EVIDENCE)] = ""


class CheckIn(Schema):
    """The entries to look up again; null for all that no registry proved and nobody attested."""

    citations: Annotated[list[UUID], Field(max_length=20_000)] | None = None


class DuplicateOut(ModelSchema):
    """One of two references that may be one work."""

    container: str

    class Meta:
        model = Citation
        fields = ("id", "cite_key", "title", "authors", "year", "doi", "pmid", "status", "tier")


class PairOut(Schema):
    """Two references that may be one work, and why. A merge keeps `kept`; the key of `merged` becomes a further key."""

    kept: DuplicateOut
    merged: DuplicateOut
    evidence: list[str]


class MergeIn(Schema):
    """The two references that are one work."""

    citations: Annotated[list[UUID], Field(min_length=2, max_length=2)]


class RetractionIn(Schema):
    """Why this retracted work is cited."""

    reason: Annotated[str, Field(max_length=LONGEST_REASON)]


class DescriptionIn(Schema):
    """The printed values of a file. `authors` are separated by semicolons; without a title its name is printed."""

    authors: Annotated[str, Field(max_length=LONGEST_AUTHORS)] = ""
    title: Annotated[str, Field(max_length=LONGEST_TITLE)] = ""
    year: Annotated[str, Field(max_length=4)] = ""


class IdentifierIn(Schema):
    """A DOI, PMID, PMCID, ISBN, arXiv id or web address."""

    identifier: Annotated[str, Field(max_length=1_000)]


def with_relations(rows: Any) -> Any:
    """Return a query with all relations that CitationOut reads: four queries for any number of rows."""
    return rows.select_related("attested_by", "retraction_reason_by").prefetch_related(
        "notices", "other_keys", Prefetch("taggings", Tagging.objects.select_related("tag"))
    )
