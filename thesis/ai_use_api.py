"""The JSON API for the use of AI in a thesis and the statement on it (SPEC T9)."""

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
    """`words` is the printed text, `suggested` the text generated from the records.

    `state`: none (nothing to state), unsaved (nobody has saved a statement, so `words` is generated), older (the
    records have changed since it was saved: see `changes`), saved.
    """

    words: str
    suggested: str
    state: Literal["none", "unsaved", "older", "saved"]
    changes: list[Change]
    changed_by: str
    changed_at: datetime | None
    seen: str


class AiUseOut(Schema):
    """The recorded use of AI; pasted text is not detected. `drafting_off` says why drafting is off ("" if it is on)."""

    sections: list[SectionUse]
    other: OtherUse
    statement: StatementOut
    drafting_off: str


class StatementIn(Schema):
    """Plain text, one paragraph per line, at most 20,000 characters; "" deletes the saved statement.

    `seen` is the value that was read with the statement: 409 when the records have changed since.
    """

    words: str
    seen: str = ""


@router.get(
    "/projects/{uuid:project_id}/ai-use",
    response=AiUseOut,
    summary="The use of AI in a thesis, by section",
)
def read(request: PersonRequest, project_id: UUID) -> Any:
    """Text accepted from drafts by section, other uses of models, and the statement."""
    project = get_project(request.user, project_id)
    return ai_use_out(project, authorship_of(project))


@router.put(
    "/projects/{uuid:project_id}/ai-use/statement",
    response=AiUseOut,
    summary="Save the statement on the use of AI",
)
def write(request: PersonRequest, project_id: UUID, payload: StatementIn) -> Any:
    """Saves the statement, or deletes it when `words` is empty. 422 when it is too long."""
    project = get_project(request.user, project_id, "write")
    return ai_use_out(project, save_statement(project, request.user, payload.words, seen=payload.seen))


def ai_use_out(project: Project, authorship: Authorship) -> dict[str, Any]:
    """Return the use of AI in `project`, as the data of AiUseOut."""
    return {
        "sections": authorship.sections,
        "other": authorship.other,
        "statement": authorship,
        "drafting_off": project.why_not_drafting,
    }
