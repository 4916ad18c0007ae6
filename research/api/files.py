"""What the API shows of a run's files and of what each question was given (SPEC X3, X10)."""

from typing import Literal
from uuid import UUID

from ninja import Schema


class ContextProcessingOut(Schema):
    """How reading the chosen files goes. `partial` is when some could not be read, `unusable` when none could."""

    status: Literal["none", "pending", "parsing", "ready", "partial", "unusable"]
    files_total: int
    files_ready: int
    files_error: int


class SummaryOut(Schema):
    """Something a file says, with the passages that say it: "alder.md::S1"."""

    kind: str
    text: str
    sources: list[str]


class ContextFileOut(Schema):
    """A file as it stands in this run. `error` says why it could not be read or was left out, for people.

    `segments` is how many passages it has, `items` how many points were noted of it, the first of which are its
    `summary`; `personal` is how often what looks like data of persons stands in it, by kind.
    """

    id: UUID
    name: str
    sha256: str
    format: str
    status: Literal["waiting", "reading", "ready", "error", "left_out"]
    error: str
    segments: int | None
    items: int | None
    personal: dict[str, int]
    summary: list[SummaryOut]


class ContextOut(Schema):
    """The chosen files. They are bound, and frozen as a revision, once `session_context_id` is there."""

    session_context_id: UUID | None
    revision: str
    files: list[ContextFileOut]


class ItemOut(SummaryOut):
    """A point of the files that a question was given."""

    kind: Literal["fact", "uncertainty", "analysis", "constraint", "case", "definition", "lead", "conflict"]
    why_relevant: str = ""


class SliceOut(Schema):
    """What a question was given of the files: all (root), chosen for it (routed), what the question above it has
    (inherited), or chosen by words in common when choosing failed (fallback).
    """

    mode: Literal["root", "routed", "inherited", "fallback"]
    selection_reason: str
    selected_items: list[ItemOut]
    coverage_note: str
    dropped_items_count: int
