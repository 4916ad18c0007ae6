"""The audit for programs (SPEC C5, C7). The same function as the page and the command line call."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest
from ninja import Router, Schema

from citations.api.schemas import CitationStatus
from citations.audit.as_json import audit_json
from citations.audit.integrity import audit_project
from projects.access import get_project

router = Router(tags=["citations"])


class UsedInOut(Schema):
    """A section that cites a key, and how often. `number` counts from 0, the front matter.

    For a file between the sections, as a preamble, the id is null, the slug empty and the path its title.
    """

    section_id: UUID | None
    number: int
    slug: str
    title: str
    count: int


class MissingOut(Schema):
    """A key that the text cites and no entry has."""

    cite_key: str
    used_in: list[UsedInOut]


class OrphanOut(Schema):
    """An entry that the text does not cite; `tier` null until it has one."""

    citation_id: UUID
    cite_key: str
    tier: str | None


class CitedOut(OrphanOut):
    """An entry that is in use, and where."""

    status: CitationStatus
    used_in: list[UsedInOut]


class RetractedOut(CitedOut):
    """A retracted work in use. While `reason` is null, the final export waits: nobody said why it is cited."""

    reason: str | None


class UnfollowedOut(Schema):
    """A command that may cite in a way that cannot be followed: why, and where it is used first."""

    command: str
    why: str
    line: int
    used_in: list[UsedInOut]


class CommandsOut(Schema):
    """How many cite commands count as what; one with several keys counts once, as what is worst among them.

    `refuted`: not found, or an identifier that is another work's. `not_checkable`: an entry with neither title nor
    identifier. `unfollowed`: a command of the thesis's own whose keys cannot be told. `failed`: a registry did not answer.
    """

    proven: int
    file: int
    not_looked_up: int
    being_looked_up: int
    failed: int
    to_confirm: int
    not_checkable: int
    unfollowed: int
    no_entry: int
    refuted: int


class AuditOut(Schema):
    """`integrity_score`: the share of cite commands whose every key is of tier A, B or C, 0 to 100; 100 without any.

    Commands that cite uploaded files are in `files_in_use` and left out of the score. `tier_d_blocking` are not found or
    in conflict; `unproven_in_use` are to be confirmed or not looked up yet. `summary` says all this in sentences.
    """

    missing_citations: list[MissingOut]
    orphaned_citations: list[OrphanOut]
    tier_d_blocking: list[CitedOut]
    total_citations: int
    total_cite_commands: int
    integrity_score: float
    unproven_in_use: list[CitedOut]
    unfollowed_commands: list[UnfollowedOut]
    retracted_in_use: list[RetractedOut]
    files_in_use: list[CitedOut]
    cite_commands: CommandsOut
    summary: str


@router.get("/projects/{uuid:project_id}/citations/audit", response=AuditOut)
def read_audit(request: HttpRequest, project_id: UUID) -> Any:
    """The keys of the text against the entries, both ways, as they stand now."""
    return audit_json(audit_project(get_project(request.user, project_id)))
