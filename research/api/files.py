"""API schemas for the files of a run and the notes that each question was given (SPEC X3, X10)."""

from typing import Literal
from uuid import UUID

from ninja import Schema


class ContextProcessingOut(Schema):
    """How far reading the chosen files has come. `partial`: some could not be read; `unusable`: none could."""

    status: Literal["none", "pending", "parsing", "ready", "partial", "unusable"]
    files_total: int
    files_ready: int
    files_error: int


class SummaryOut(Schema):
    """A note on a file, with the passages it is based on: "alder.md::S1"."""

    kind: str
    text: str
    sources: list[str]


class ContextFileOut(Schema):
    """The state of a file in this run. `error` is a message: why it could not be read or was left out.

    `segments` is its number of passages, `items` its number of notes; `summary` has the first notes. `personal` counts
    what looks like personal data, by kind.
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
    """The chosen files. Once `session_context_id` is set, they are all read and fixed as a revision."""

    session_context_id: UUID | None
    revision: str
    files: list[ContextFileOut]


class ItemOut(SummaryOut):
    """A note that a question was given."""

    kind: Literal["fact", "uncertainty", "analysis", "constraint", "case", "definition", "lead", "conflict"]
    why_relevant: str = ""


class SliceOut(Schema):
    """The notes a question was given: all (root), those chosen for it (routed), those of the question above it
    (inherited), or those that share words with it, if choosing failed (fallback).
    """

    mode: Literal["root", "routed", "inherited", "fallback"]
    selection_reason: str
    selected_items: list[ItemOut]
    coverage_note: str
    dropped_items_count: int
