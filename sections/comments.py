"""Comments: adding, replying, editing, deleting, resolving and reopening (SPEC T2).

The owner, editors and supervisors may comment. People edit and delete their own comments; anybody who may comment can
resolve and reopen a thread. A deleted comment with replies stays in its place without its text.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import prefetch_related_objects
from django.utils import timezone

from core.errors import Refused
from core.grouping import grouped
from core.storable_text import check_storable
from latex.words_of_quote import words_of_quote
from projects.models import User
from sections.comment_anchors import AROUND, MOST_QUOTED, Anchor, find_place
from sections.models import Comment, Section

MOST_LETTERS = 10_000  # characters per comment
MOST_OF_SECTION = 2_000  # comments and replies per section

WHOLE_SECTION = Anchor("")  # the anchor of a comment about the whole section


@dataclass(frozen=True, slots=True)
class Thread:
    """A comment with its replies, and the present `place` of its quote: start and end in the saved text, or None."""

    comment: Comment
    replies: list[Comment]
    place: tuple[int, int] | None
    words: str  # the text at that place

    @property
    def shown_words(self) -> str:
        """Its words as they are read, without commands; as LaTeX when nothing would be left."""
        return words_of_comment(self.words or self.comment.quote)

    @property
    def commented_words(self) -> str:
        """The words that the comment was about, as they are read."""
        return words_of_comment(self.comment.quote)

    @property
    def changed(self) -> bool:
        """Whether the words at its place are others than those that the comment was about."""
        return self.place is not None and _lines(self.words) != _lines(self.comment.quote)

    @property
    def lost(self) -> bool:
        """Whether its quote is no longer in the text."""
        return bool(self.comment.quote) and self.place is None


@lru_cache(4_096)
def words_of_comment(quote: str) -> str:
    """Return the LaTeX that a comment quotes as it is read; the page and the mail show its beginning."""
    return words_of_quote(quote)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")


def threads_of(section: Section) -> list[Thread]:
    """Return the threads of `section` in the order of their places in the text, then those without a place by age.

    `with_people` reads the authors of those that are shown.
    """
    rows = Comment.objects.filter(section=section)
    replies = grouped((row.replies_to_id, row) for row in rows)
    threads = []
    for row in replies.get(None, []):
        place = find_place(section.latex, Anchor(row.quote, row.before, row.after, row.start))
        threads.append(Thread(row, replies.get(row.pk, []), place, section.latex[slice(*place)] if place else ""))
    return sorted(threads, key=lambda thread: (thread.place is None, thread.place or (0, 0), thread.comment.made_at))


def with_people(threads: Iterable[Thread]) -> None:
    """Read who wrote and resolved the comments of `threads`, in two queries."""
    rows = [one for thread in threads for one in (thread.comment, *thread.replies)]
    prefetch_related_objects(rows, "author", "resolved_by")


def add(section: Section, body: str, anchor: Anchor, *, by: User) -> Comment:
    """Add a comment about the place of `anchor` in `section` and return it. A quote is cut to 2,000 characters.

    Raises Refused for an empty, too long or unstorable comment, and beyond 2,000 comments in one section.
    """
    body = _checked(body)
    for part in anchor[:3]:
        check_storable(part, "quote")
    after = anchor.after if len(anchor.quote) <= MOST_QUOTED else anchor.quote[MOST_QUOTED:]
    return _create_comment(
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
    """Add a reply to the thread of `to` and return it. A resolved thread stays resolved. Raises Refused as `add`."""
    return _create_comment(
        to.section, by, body=_checked(body), replies_to=to.replies_to or to, version=to.section.version
    )


def edit(comment: Comment, body: str, *, by: User) -> Comment:
    """Change the text of one's own comment and return the comment.

    Raises Refused as `add` does, and PermissionDenied for a comment of somebody else.
    """
    _check_own(comment, by)
    body = _checked(body)
    if body != comment.body:
        comment.body, comment.edited_at = body, timezone.now()
        comment.save(update_fields=["body", "edited_at"])
    return comment


def delete(comment: Comment, *, by: User) -> None:
    """Delete one's own comment. With replies it stays without its text, and is deleted together with the last reply."""
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
    """Resolve the thread of `comment`, or reopen it. Return the first comment of the thread."""
    thread: Comment = comment.replies_to or comment
    if bool(thread.resolved_at) != resolved:
        thread.resolved_at, thread.resolved_by = (timezone.now(), by) if resolved else (None, None)
        thread.save(update_fields=["resolved_at", "resolved_by"])
    return thread


def open_threads(section: Section) -> int:
    """Return the number of unresolved threads of `section`."""
    return int(Comment.objects.filter(section=section, replies_to=None, resolved_at=None).count())


def _create_comment(section: Section, by: User, **fields: Any) -> Comment:
    if section.comments.count() >= MOST_OF_SECTION:
        raise Refused(f"A section can have at most {MOST_OF_SECTION:,} comments. Delete some old ones.", field="body")
    made: Comment = section.comments.create(author=by, **fields)
    section.touch_project()
    return made


def _checked(body: str) -> str:
    body = body.replace("\r\n", "\n").strip()
    check_storable(body, "body")
    if not body:
        raise Refused("Write a comment first.", field="body")
    if len(body) > MOST_LETTERS:
        raise Refused(
            f"A comment can have at most {MOST_LETTERS:,} characters; this one has {len(body):,}. Split it in two.",
            field="body",
        )
    return body


def _check_own(comment: Comment, by: User) -> None:
    if comment.author_id != by.pk:
        raise PermissionDenied("Only the person who wrote a comment can edit or delete it.")
    if not comment.body:
        raise Refused("This comment was deleted.", field="body", code="deleted")
