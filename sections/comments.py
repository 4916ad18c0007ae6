"""What people do with comments: write, answer, edit, delete, resolve and reopen them (SPEC T2).

The owner, editors and supervisors comment. Each edits and deletes what is theirs; a thread is resolved and reopened by
anybody who may comment. A comment with replies that is deleted keeps its place, without its words.
"""

from dataclasses import dataclass
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone

from core.errors import Refused
from core.storable_text import check_storable
from projects.models import User
from sections.comment_anchors import AROUND, MOST_QUOTED, Anchor, find_place
from sections.models import Comment, Section

MOST_LETTERS = 10_000  # of one comment
MOST_OF_SECTION = 2_000  # comments and replies

NOWHERE = Anchor("")  # a remark about the section as a whole


@dataclass(frozen=True, slots=True)
class Thread:
    """A comment with its replies, and where its words stand now: characters from `start` to `end` of the saved text."""

    comment: Comment
    replies: list[Comment]
    place: tuple[int, int] | None
    words: str  # what stands there

    @property
    def lost(self) -> bool:
        """Whether it was about words that are not there any more."""
        return bool(self.comment.quote) and self.place is None


def threads_of(section: Section) -> list[Thread]:
    """Return the threads of `section`: in the order of their places in the text, those without one at the end, by age."""
    rows = list(Comment.objects.filter(section=section).select_related("author", "resolved_by"))
    replies: dict[Any, list[Comment]] = {}
    for row in rows:
        replies.setdefault(row.replies_to_id, []).append(row)
    threads = []
    for row in replies.get(None, []):
        place = find_place(section.latex, Anchor(row.quote, row.before, row.after, row.start))
        threads.append(Thread(row, replies.get(row.pk, []), place, section.latex[slice(*place)] if place else ""))
    return sorted(threads, key=lambda thread: (thread.place is None, thread.place or (0, 0), thread.comment.made_at))


def add(section: Section, body: str, anchor: Anchor, *, by: User) -> Comment:
    """Return a new thread about the place of `anchor` in `section`. A quote beyond 2,000 characters keeps its beginning.

    Raises Refused for words that are missing, too many or not storable, and beyond 2,000 comments in one section.
    """
    body = _checked(body)
    for part in anchor[:3]:
        check_storable(part, "quote")
    after = anchor.after if len(anchor.quote) <= MOST_QUOTED else anchor.quote[MOST_QUOTED:]
    return _made(
        section,
        by,
        body=body,
        quote=anchor.quote[:MOST_QUOTED],
        before=anchor.before[-AROUND:],
        after=after[:AROUND],
        start=anchor.start,
        version=section.version,
    )


def reply(to: Comment, body: str, *, by: User) -> Comment:
    """Return an answer in the thread of `to`. Raises Refused as `add`. A resolved thread stays resolved."""
    return _made(to.section, by, body=_checked(body), replies_to=to.replies_to or to, version=to.section.version)


def edit(comment: Comment, body: str, *, by: User) -> Comment:
    """Put other words in a comment of one's own. The comment. Raises Refused as `add`, PermissionDenied for somebody else's."""
    _check_own(comment, by)
    body = _checked(body)
    if body != comment.body:
        comment.body, comment.edited_at = body, timezone.now()
        comment.save(update_fields=["body", "edited_at"])
    return comment


def delete(comment: Comment, *, by: User) -> None:
    """Delete a comment of one's own. With replies it keeps its place, without words; the last of them takes it along."""
    _check_own(comment, by)
    with transaction.atomic():
        thread = comment.replies_to
        if thread is None and comment.replies.exists():
            comment.body, comment.edited_at = "", timezone.now()
            comment.save(update_fields=["body", "edited_at"])
            return
        comment.delete()
        if thread is not None and not thread.body and not thread.replies.exists():
            thread.delete()


def resolve(comment: Comment, *, by: User, resolved: bool = True) -> Comment:
    """Close the thread of `comment`, or open it again. The thread."""
    thread: Comment = comment.replies_to or comment
    if bool(thread.resolved_at) != resolved:
        thread.resolved_at, thread.resolved_by = (timezone.now(), by) if resolved else (None, None)
        thread.save(update_fields=["resolved_at", "resolved_by"])
    return thread


def open_threads(section: Section) -> int:
    return int(Comment.objects.filter(section=section, replies_to=None, resolved_at=None).count())


def _made(section: Section, by: User, **fields: Any) -> Comment:
    if section.comments.count() >= MOST_OF_SECTION:
        raise Refused(
            f"A section holds at most {MOST_OF_SECTION:,} comments. Delete some that are done with.", field="body"
        )
    made: Comment = section.comments.create(author=by, **fields)
    section.touch_project()
    return made


def _checked(body: str) -> str:
    body = body.replace("\r\n", "\n").strip()
    check_storable(body, "body")
    if not body:
        raise Refused("Write what you want to say first.", field="body")
    if len(body) > MOST_LETTERS:
        raise Refused(
            f"A comment has at most {MOST_LETTERS:,} characters; this one has {len(body):,}. Split it in two.",
            field="body",
        )
    return body


def _check_own(comment: Comment, by: User) -> None:
    if comment.author_id != by.pk:
        raise PermissionDenied("Only who wrote a comment can change or delete it.")
    if not comment.body:
        raise Refused("This comment was deleted.", field="body", code="deleted")
