"""The use of AI in a thesis and the statement on it, for programs (SPEC T9). As the page and the command do it."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from ninja import Router, Schema

from projects.access import get_project
from projects.models import Project
from projects.signed_in_request import PersonRequest
from thesis.authorship.records import OtherUse, SectionUse
from thesis.authorship.statement import Authorship, Change, authorship_of, save_statement

router = Router(tags=["Use of AI"])


class StatementOut(Schema):
    """`words` are printed, `suggested` is what the records say. `state`: none (nothing to state), unsaved (nobody has
    confirmed it, and it has the words of the records), older (than the records: `changes`), saved."""

    words: str
    suggested: str
    state: Literal["none", "unsaved", "older", "saved"]
    changes: list[Change]
    changed_by: str
    changed_at: datetime | None
    seen: str


class AiUseOut(Schema):
    """Text that was pasted from elsewhere is not guessed at. `drafting_off` says why nothing is drafted, "" where it is."""

    sections: list[SectionUse]
    other: OtherUse
    statement: StatementOut
    drafting_off: str


class StatementIn(Schema):
    """Plain text, each line a paragraph, at most 20,000 characters; "" leaves the wording to the records. `seen` as it was
    read: 409 when the records have changed since."""

    words: str
    seen: str = ""


@router.get(
    "/projects/{uuid:project_id}/ai-use",
    response=AiUseOut,
    summary="The use of AI in a thesis, by section",
)
def read(request: PersonRequest, project_id: UUID) -> Any:
    project = get_project(request.user, project_id)
    return ai_use_out(project, authorship_of(project))


@router.put(
    "/projects/{uuid:project_id}/ai-use/statement",
    response=AiUseOut,
    summary="Put the statement in other words",
)
def write(request: PersonRequest, project_id: UUID, payload: StatementIn) -> Any:
    project = get_project(request.user, project_id, "write")
    return ai_use_out(project, save_statement(project, request.user, payload.words, seen=payload.seen))


def ai_use_out(project: Project, authorship: Authorship) -> dict[str, Any]:
    """Return the use of AI in `project`, as AiUseOut has it."""
    return {
        "sections": authorship.sections,
        "other": authorship.other,
        "statement": authorship,
        "drafting_off": project.why_not_drafting,
    }
