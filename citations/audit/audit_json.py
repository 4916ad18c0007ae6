"""The JSON of an audit, for the API and the command line (DESIGN, "JSON shapes")."""

from typing import Any
from uuid import UUID

from ninja import Schema
from pydantic import Field

from citations.audit.audit import WORST_FIRST, Audit, CitedEntry, UnreadableCommand, summary
from citations.audit.key_uses import Use
from citations.models import CitationStatus


class MissingOut(Schema):
    """A cited key without an entry."""

    cite_key: str = Field(alias="key")
    used_in: list[Use]


class OrphanOut(Schema):
    """An entry that the text does not cite; `tier` is null until it has one."""

    citation_id: UUID = Field(alias="id")
    cite_key: str = Field(alias="key")
    tier: str | None = Field(alias="known_tier")


class InUseOut(Schema):
    """A cited entry and the sections that cite it."""

    citation_id: UUID = Field(alias="entry.id")
    cite_key: str = Field(alias="entry.key")
    status: CitationStatus = Field(alias="entry.status")
    tier: str | None = Field(alias="entry.known_tier")
    used_in: list[Use]


class RetractedOut(InUseOut):
    """A cited retracted work. While `reason` is null, the final export is blocked."""

    reason: str | None

    @staticmethod
    def resolve_reason(one: CitedEntry) -> str | None:
        """Return the reason for citing the work."""
        return one.entry.reason.text if one.entry.reason else None


class UnfollowedOut(Schema):
    """A command that may cite, but whose keys cannot be determined: why, and where it is used first."""

    command: str
    why: str
    line: int
    used_in: list[Use]

    @staticmethod
    def resolve_command(one: UnreadableCommand) -> str:
        """Return the command with its backslash."""
        return f"\\{one.name}"

    @staticmethod
    def resolve_used_in(one: UnreadableCommand) -> list[Use]:
        """Return the place of the command as a list."""
        return [one.used_in]


class AuditOut(Schema):
    """The audit of a thesis.

    `integrity_score` is the share of cite commands whose every key is of tier A, B or C, 0 to 100; 100 without any. It
    counts the tiers of `demo_catalogue_in_use`.
    Commands that cite uploaded files are in `files_in_use` and left out of the score. `tier_d_blocking` are not found
    or in conflict; `unproven_in_use` are to be confirmed or not looked up yet. `demo_catalogue_in_use` have a tier from
    the demo catalogue alone: no registry was asked, and they block the final export. `summary`: the audit in sentences.

    `cite_commands` counts the commands of each class; a command with several keys counts once, as the worst of them.
    `refuted`: not found, or an identifier of another work. `not_checkable`: an entry with neither title nor identifier.
    `unfollowed`: a command defined in the thesis whose keys cannot be determined. `failed`: a registry did not answer.
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
    demo_catalogue_in_use: list[InUseOut] = Field(alias="demo")
    cite_commands: dict[str, int]
    summary: str

    @staticmethod
    def resolve_cite_commands(found: Audit) -> dict[str, int]:
        """Return the number of commands of each class, best first."""
        return {name: found.commands[name] for name in reversed(WORST_FIRST)}

    @staticmethod
    def resolve_summary(found: Audit) -> str:
        """Return the audit in sentences."""
        return summary(found)


def audit_json(found: Audit) -> dict[str, Any]:
    """Return an audit as the API answers it, for the command line."""
    return AuditOut.from_orm(found).model_dump(mode="json")
