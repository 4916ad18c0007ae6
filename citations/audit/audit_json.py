"""An audit as JSON: the same for the API and the command line (DESIGN, "JSON shapes")."""

from typing import Any
from uuid import UUID

from ninja import Schema
from pydantic import Field

from citations.audit.audit import WORST_FIRST, Audit, Cited, Unfollowed, summary
from citations.audit.key_uses import Use
from citations.models import CitationStatus


class MissingOut(Schema):
    """A key that the text cites and no entry has."""

    cite_key: str = Field(alias="key")
    used_in: list[Use]


class OrphanOut(Schema):
    """An entry that the text does not cite; `tier` null until it has one."""

    citation_id: UUID = Field(alias="id")
    cite_key: str = Field(alias="key")
    tier: str | None = Field(alias="known_tier")


class InUseOut(Schema):
    """An entry that is in use, and where."""

    citation_id: UUID = Field(alias="entry.id")
    cite_key: str = Field(alias="entry.key")
    status: CitationStatus = Field(alias="entry.status")
    tier: str | None = Field(alias="entry.known_tier")
    used_in: list[Use]


class RetractedOut(InUseOut):
    """A retracted work in use. While `reason` is null, the final export waits: nobody said why it is cited."""

    reason: str | None

    @staticmethod
    def resolve_reason(one: Cited) -> str | None:
        return one.entry.reason.text if one.entry.reason else None


class UnfollowedOut(Schema):
    """A command that may cite in a way that cannot be followed: why, and where it is used first."""

    command: str
    why: str
    line: int
    used_in: list[Use]

    @staticmethod
    def resolve_command(one: Unfollowed) -> str:
        return f"\\{one.name}"

    @staticmethod
    def resolve_used_in(one: Unfollowed) -> list[Use]:
        return [one.used_in]


class AuditOut(Schema):
    """`integrity_score`: the share of cite commands whose every key is of tier A, B or C, 0 to 100; 100 without any.

    Commands that cite uploaded files are in `files_in_use` and left out of the score. `tier_d_blocking` are not found or
    in conflict; `unproven_in_use` are to be confirmed or not looked up yet. `summary` says all this in sentences.

    `cite_commands` says how many count as what; one with several keys counts once, as what is worst among them. `refuted`:
    not found, or an identifier that is another work's. `not_checkable`: an entry with neither title nor identifier.
    `unfollowed`: a command of the thesis's own whose keys cannot be told. `failed`: a registry did not answer.
    """

    missing_citations: list[MissingOut] = Field(alias="missing")
    orphaned_citations: list[OrphanOut] = Field(alias="orphaned")
    tier_d_blocking: list[InUseOut] = Field(alias="blocking")
    total_citations: int
    total_cite_commands: int
    integrity_score: float
    unproven_in_use: list[InUseOut] = Field(alias="unproven")
    unfollowed_commands: list[UnfollowedOut] = Field(alias="unfollowed")
    retracted_in_use: list[RetractedOut] = Field(alias="retracted")
    files_in_use: list[InUseOut] = Field(alias="files")
    cite_commands: dict[str, int]
    summary: str

    @staticmethod
    def resolve_cite_commands(found: Audit) -> dict[str, int]:
        return {name: found.commands[name] for name in reversed(WORST_FIRST)}

    @staticmethod
    def resolve_summary(found: Audit) -> str:
        return summary(found)


def audit_json(found: Audit) -> dict[str, Any]:
    """`found` as the API answers it, for the command line."""
    return AuditOut.from_orm(found).model_dump(mode="json")
