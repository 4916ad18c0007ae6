"""What programs send and read of a reference (SPEC C4, C5)."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import ModelSchema, Schema
from pydantic import Field

from citations.cite_dialog.cite_dialog import Notice, notice_of
from citations.editing.edit import LONGEST_AUTHORS, LONGEST_EVIDENCE, LONGEST_TITLE
from citations.identity.gate import Compared
from citations.importing.add_references import LONGEST
from citations.matching import LONGEST_KEY
from citations.models import LONGEST_REASON, Citation, CitationStatus, is_explained
from projects.models import User


class NoteOut(Schema):
    """Something to look at in what was read all the same, or came in. `line` counts the lines of the text."""

    line: int
    key: str
    message: str


class JobOut(Schema):
    """What takes long is done by a job: see /api/jobs/{job}."""

    job: UUID | None


class EvidenceOut(Schema):
    """What a verified or attested entry rests on: `type` doi, pmid, isbn, url or manual."""

    type: str
    value: str


class AttestationOut(Schema):
    """Who vouches for an entry, when and why. `by` is null once the account is gone."""

    by: str | None
    at: datetime | None
    reason: str


class RetractionReasonOut(AttestationOut):
    """Why a retracted work is cited. `covers` is false once a retraction was told of that is newer than the reason."""

    covers: bool


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
    diff: list[Compared]
    repair: RepairOut | None = None
    published_doi: str
    open_access_url: str
    retracted: bool
    retraction_reason: RetractionReasonOut | None = None
    notices: list[Notice]
    created_at: datetime
    updated_at: datetime
    other_keys: list[str]

    @staticmethod
    def resolve_evidence(row: Citation) -> dict[str, str] | None:
        return {"type": row.evidence_type, "value": row.evidence_value} if row.evidence_type else None

    @staticmethod
    def resolve_attestation(row: Citation) -> dict[str, Any] | None:
        return _vouched(row.attested_by, row.attested_at, row.attestation)

    @staticmethod
    def resolve_retraction_reason(row: Citation) -> dict[str, Any] | None:
        said = _vouched(row.retraction_reason_by, row.retraction_reason_at, row.retraction_reason)
        return said and {**said, "covers": is_explained(row)}

    @staticmethod
    def resolve_repair(row: Citation) -> dict[str, str] | None:
        return row.repair or None

    @staticmethod
    def resolve_other_keys(row: Citation) -> list[str]:
        return [one.key for one in row.other_keys.all()]

    @staticmethod
    def resolve_notices(row: Citation) -> list[Notice]:
        return [notice_of(one) for one in row.notices.all()]


def _vouched(by: User | None, at: datetime | None, reason: str) -> dict[str, Any] | None:
    """Return what somebody said, with who and when; None where nobody did."""
    return {"by": str(by) if by else None, "at": at, "reason": reason} if at else None


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


class AddIn(Schema):
    """Exactly one of the four. `text` is anything pasted: an identifier, BibTeX, RIS, many lines, an address, a title."""

    doi: Annotated[str, Field(max_length=LONGEST["doi"])] = ""
    pmid: Annotated[str, Field(max_length=LONGEST["pmid"])] = ""
    bibtex_entry: Annotated[str, Field(max_length=LONGEST["bibtex_entry"])] = ""
    text: Annotated[str, Field(max_length=LONGEST["text"])] = ""


class AdditionsOut(Schema):
    """The entries in the order of the text, added or found again."""

    citations: list[AddedOut]
    problems: list[NoteOut]


class ChangeIn(Schema):
    """Exactly one of the two."""

    bibtex_entry: Annotated[str, Field(max_length=LONGEST["bibtex_entry"])] = ""
    cite_key: Annotated[str, Field(max_length=LONGEST_KEY)] = ""


class AttestIn(Schema):
    """Why a person vouches for the entry. Tier C; B where an ISBN or an address is the evidence."""

    reason: Annotated[str, Field(max_length=LONGEST_REASON)]
    evidence_type: Literal["manual", "isbn", "url"] = "manual"
    evidence_value: Annotated[str, Field(max_length=LONGEST_EVIDENCE)] = ""


class CheckIn(Schema):
    """Which entries to look up again; null: all that rest on no proof."""

    citations: Annotated[list[UUID], Field(max_length=20_000)] | None = None


class DuplicateOut(ModelSchema):
    """One of two references that may be one work."""

    container: str

    class Meta:
        model = Citation
        fields = ("id", "cite_key", "title", "authors", "year", "doi", "pmid", "status", "tier")


class PairOut(Schema):
    """Two references that may be one work, and why. `kept` would stay, `merged` become a further key of it."""

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
    """How the file is printed. `authors` with semicolons between them; without a title its name stands for one."""

    authors: Annotated[str, Field(max_length=LONGEST_AUTHORS)] = ""
    title: Annotated[str, Field(max_length=LONGEST_TITLE)] = ""
    year: Annotated[str, Field(max_length=4)] = ""


class IdentifierIn(Schema):
    """A DOI, PMID, PMCID, ISBN, arXiv id or address."""

    identifier: Annotated[str, Field(max_length=1_000)]


def whole(rows: Any) -> Any:
    """Return the rows of a query with what CitationOut shows of them, in three queries however many there are."""
    return rows.select_related("attested_by", "retraction_reason_by").prefetch_related("notices", "other_keys")
