"""The API of comments, /api/sections/ID/comments and /api/comments/ID (SPEC T2, P4)."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import Http404
from ninja import Router, Schema, Status
from pydantic import AliasPath, Field

from core.errors import Refused
from projects.access import Act, get_in_project, get_project
from projects.signed_in_request import PersonRequest
from sections import comments
from sections.comment_anchors import Anchor, anchor_at
from sections.comment_mail import mail_comment
from sections.models import Comment, Section

router = Router(tags=["Comments"])


class ReplyOut(Schema):
    """A comment or a reply. `body` is empty if it was deleted after others had replied."""

    id: UUID
    author: str | None = Field(None, validation_alias=AliasPath("author", "email"))
    body: str
    made_at: datetime
    edited_at: datetime | None


class ThreadOut(ReplyOut):
    """A comment with its replies. `quote` is the LaTeX that it is about.

    `start` and `end` are the place of the quote in the present saved text, in characters (code points). They are null
    if the quote is no longer there, or if the comment is about the whole section (`quote` is empty).
    `changed`: the words there are others than those that the comment was about.
    """

    author: str | None
    quote: str
    start: int | None
    end: int | None
    changed: bool
    resolved_at: datetime | None
    resolved_by: str | None
    replies: list[ReplyOut]


class CommentIn(Schema):
    """A comment: at most 10,000 characters, about the characters from `start` to `end` of the saved text.

    A client whose text is not saved yet names the place by its words instead: `quote` with up to a hundred characters
    `before` and `after` it. Without a place, the comment is about the whole section.
    """

    body: str
    start: int = Field(0, ge=0, le=2_000_000_000)
    end: int | None = Field(None, ge=0)
    quote: str | None = None
    before: str = ""
    after: str = ""


class BodyIn(Schema):
    """The text of a comment: at most 10,000 characters."""

    body: str


@router.get("/sections/{uuid:section_id}/comments", response=list[ThreadOut], summary="The comments, by their place")
def list_comments(request: PersonRequest, section_id: UUID) -> list[dict[str, Any]]:
    """Comments without a place in the text come last."""
    section: Section = get_in_project(request.user, Section.objects.all(), pk=section_id)
    threads = comments.threads_of(section)
    comments.with_people(threads)
    return [_thread(thread) for thread in threads]


@router.post("/sections/{uuid:section_id}/comments", response={201: ThreadOut}, summary="Comment on a place")
def add(request: PersonRequest, section_id: UUID, payload: CommentIn) -> Status[Any]:
    """Starts a thread about a place in the text, or about the whole section."""
    section: Section = get_in_project(request.user, Section.objects.all(), "comment", pk=section_id)
    if payload.quote is not None:
        anchor = Anchor(payload.quote, payload.before, payload.after, payload.start)
    elif payload.end is not None:
        anchor = anchor_at(section.latex, payload.start, payload.end)
        if not anchor.quote:
            raise Refused("There is no text between `start` and `end`.", field="end")
    else:
        anchor = comments.WHOLE_SECTION
    made = comments.add(section, payload.body, anchor, by=request.user)
    mail_comment(request, made)
    return Status(201, _found(section, made))


@router.post("/comments/{uuid:comment_id}/replies", response={201: ReplyOut}, summary="Reply to a comment")
def reply(request: PersonRequest, comment_id: UUID, payload: BodyIn) -> Status[Any]:
    """A resolved thread stays resolved."""
    made = comments.reply(_comment(request, comment_id), payload.body, by=request.user)
    mail_comment(request, made)
    return Status(201, made)


@router.patch("/comments/{uuid:comment_id}", response=ReplyOut, summary="Edit your comment")
def edit(request: PersonRequest, comment_id: UUID, payload: BodyIn) -> Comment:
    """403 for a comment of somebody else."""
    return comments.edit(_comment(request, comment_id), payload.body, by=request.user)


@router.delete("/comments/{uuid:comment_id}", response={204: None}, summary="Delete your comment")
def delete(request: PersonRequest, comment_id: UUID) -> Status[None]:
    """A comment with replies stays in its place without its text."""
    comments.delete(_comment(request, comment_id), by=request.user)
    return Status(204, None)


@router.post("/comments/{uuid:comment_id}/resolve", response=ThreadOut, summary="Resolve a thread")
def resolve(request: PersonRequest, comment_id: UUID) -> dict[str, Any]:
    """Anybody who may comment can resolve a thread."""
    comment = _comment(request, comment_id)
    return _found(comment.section, comments.resolve(comment, by=request.user))


@router.post("/comments/{uuid:comment_id}/reopen", response=ThreadOut, summary="Reopen a resolved thread")
def reopen(request: PersonRequest, comment_id: UUID) -> dict[str, Any]:
    """Anybody who may comment can reopen a thread."""
    comment = _comment(request, comment_id)
    return _found(comment.section, comments.resolve(comment, by=request.user, resolved=False))


def _comment(request: PersonRequest, comment_id: UUID, act: Act = "comment") -> Comment:
    """Return the comment if its section is not in the bin and `act` is allowed. Raises as `get_project` does."""
    found: Comment | None = (
        Comment.objects.select_related("section", "author", "replies_to", "resolved_by")
        .filter(pk=comment_id, section__removed_at=None)
        .first()
    )
    if found is None:
        raise Http404("No such comment.")
    get_project(request.user, found.section.project_id, act)
    return found


def _found(section: Section, comment: Comment) -> dict[str, Any]:
    found = next((one for one in comments.threads_of(section) if one.comment.pk == comment.pk), None)
    if found is None:  # it was deleted at the same moment
        raise Http404("No such comment.")
    return _thread(found)


def _thread(thread: comments.Thread) -> dict[str, Any]:
    comment = thread.comment
    start, end = thread.place or (None, None)
    return {
        **ReplyOut.from_orm(comment).dict(),
        "quote": comment.quote,
        "start": start,
        "end": end,
        "changed": thread.changed,
        "resolved_at": comment.resolved_at,
        "resolved_by": comment.resolved_by.email if comment.resolved_by else None,
        "replies": thread.replies,
    }
