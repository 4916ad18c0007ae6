"""The use of AI in a thesis and the statement on it, for programs (SPEC T9). The same functions as the page and the command."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from ninja import Router, Schema

from projects.access import get_project
from projects.models import Project
from projects.requests import PersonRequest
from thesis.authorship.records import Entry, SectionUse
from thesis.authorship.statement import Authorship, authorship_of, save_statement

router = Router(tags=["Use of AI"])


class PlaceOut(Schema):
    """Another section, and how many of the words now stand there."""

    title: str
    words: int


class EntryOut(Schema):
    """What was taken of one draft. `by`: model, or quoted (the offline engine, in the words of cited works).

    `words` came with it, `stands` of them stand as drafted in the thesis. `who` took it; with `took_it` false that was not
    recorded, and they asked for it. `is_recorded` false: nobody is recorded to have taken it, and it stands word for word.
    """

    draft: UUID
    kind: str
    by: Literal["model", "quoted"]
    models: list[str]
    at: datetime
    who: str
    took_it: bool
    words: int
    stands: int
    elsewhere: list[PlaceOut]
    is_recorded: bool


class SectionOut(Schema):
    """A section that drafts were taken into; `is_removed` when it is in the bin."""

    id: UUID
    slug: str
    number: int
    title: str
    is_removed: bool
    words: int
    stands: int
    entries: list[EntryOut]


class OtherOut(Schema):
    """What models did besides text that was taken: counts of runs, searches in them, claims checked, questions answered,
    sentences for which support was looked for, parts of files read, drafts of which nothing was taken, changes that added no
    words (taken)."""

    runs: int
    searches: int
    claims: int
    answers: int
    support: int
    files: int
    drafts: int
    changes: int
    models: list[str]


class ChangeOut(Schema):
    """A line that the records give since the statement was saved (new), or give no more (gone)."""

    what: Literal["new", "gone"]
    line: str


class StatementOut(Schema):
    """`words` are printed, `suggested` is what the records say. `state`: none (nothing to state), unsaved (nobody has
    confirmed it, and it has the words of the records), older (than the records: `changes`), saved."""

    words: str
    suggested: str
    state: Literal["none", "unsaved", "older", "saved"]
    changes: list[ChangeOut]
    changed_by: str
    changed_at: datetime | None
    seen: str


class AiUseOut(Schema):
    """Text that was pasted from elsewhere is not guessed at. `drafting_off` says why nothing is drafted, "" where it is."""

    sections: list[SectionOut]
    other: OtherOut
    statement: StatementOut
    drafting_off: str


class StatementIn(Schema):
    """Plain text, each line a paragraph, at most 20,000 characters; "" leaves the wording to the records. `seen` as it was
    read: 409 when the records have changed since."""

    words: str
    seen: str = ""


@router.get("/projects/{uuid:project_id}/ai-use", response=AiUseOut, summary="The use of AI in a thesis, by section")
def read(request: PersonRequest, project_id: UUID) -> Any:
    project = get_project(request.user, project_id)
    return ai_use_out(project, authorship_of(project))


@router.put(
    "/projects/{uuid:project_id}/ai-use/statement", response=AiUseOut, summary="Put the statement in other words"
)
def write(request: PersonRequest, project_id: UUID, payload: StatementIn) -> Any:
    project = get_project(request.user, project_id, "write")
    return ai_use_out(project, save_statement(project, request.user, payload.words, seen=payload.seen))


def ai_use_out(project: Project, authorship: Authorship) -> dict[str, Any]:
    """The use of AI in `project`, as AiUseOut has it."""
    saved = authorship.saved
    return {
        "sections": [_section(use) for use in authorship.sections],
        "other": authorship.other.as_dict(),
        "statement": {
            "words": authorship.words,
            "suggested": authorship.suggested,
            "state": authorship.state,
            "changes": [{"what": what, "line": line} for what, line in authorship.changes],
            "changed_by": str(saved.changed_by) if saved and saved.changed_by else "",
            "changed_at": saved.changed_at if saved else None,
            "seen": authorship.seen,
        },
        "drafting_off": project.why_not_drafting,
    }


def _section(use: SectionUse) -> dict[str, Any]:
    totals = {"words": use.words, "stands": use.stands}
    return {**vars(use), **totals, "entries": [_entry(entry) for entry in use.entries]}


def _entry(entry: Entry) -> dict[str, Any]:
    return {**vars(entry), "elsewhere": [{"title": title, "words": words} for title, words in entry.elsewhere]}
