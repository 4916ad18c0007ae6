"""The Comments panel beside the text, and what its forms do (SPEC T2)."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST
from django.views.decorators.vary import vary_on_headers

from core.errors import Refused
from projects.access import get_project
from projects.models import Project
from projects.requests import PersonRequest
from sections import commenting
from sections.anchors import Anchor
from sections.beside import beside
from sections.models import Comment, Section

_FAR = 2_000_000_000  # beyond any text: the most a column of numbers holds


@vary_on_headers("HX-Request")
@require_http_methods(["GET", "HEAD", "POST"])
def comments(request: PersonRequest, project_id: UUID, slug: str) -> HttpResponse:
    """The panel. POST adds a thread about `quote` (LaTeX, with `before`, `after` and `start`), or about the section."""
    project = get_project(request.user, project_id, "comment" if request.method == "POST" else "read")
    section = get_object_or_404(Section, project=project, slug=slug)
    if request.method != "POST":
        return _panel(request, project, section)
    sent = {name: request.POST.get(name, "").replace("\r\n", "\n") for name in ("body", "quote", "before", "after")}
    start = request.POST.get("start", "")
    at = min(int(start), _FAR) if start.isdecimal() and len(start) < 12 else 0
    anchor = Anchor(sent["quote"], sent["before"], sent["after"], at)
    try:
        made = commenting.add(section, sent["body"], anchor, by=request.user)
    except Refused as refused:
        return _panel(request, project, section, wrong=refused.message, draft=sent | {"start": at})
    return _answer(request, project, section, focus=made)


def _reply(request: PersonRequest, comment: Comment) -> Comment:
    return commenting.reply(comment, request.POST.get("body", ""), by=request.user)


def _edit(request: PersonRequest, comment: Comment) -> Comment:
    return commenting.edit(comment, request.POST.get("body", ""), by=request.user)


def _delete(request: PersonRequest, comment: Comment) -> None:
    commenting.delete(comment, by=request.user)


def _resolve(request: PersonRequest, comment: Comment) -> Comment:
    """Close the thread, or with `again` open it."""
    return commenting.resolve(comment, by=request.user, resolved=not request.POST.get("again"))


ACTS: dict[str, Callable[[PersonRequest, Comment], Comment | None]] = {
    "reply": _reply,
    "edit": _edit,
    "delete": _delete,
    "resolve": _resolve,
}


@require_POST
def act(request: PersonRequest, project_id: UUID, slug: str, comment_id: UUID, what: str) -> HttpResponse:
    """Do one of ACTS to a comment and answer with the panel; what is refused stays in its box."""
    project = get_project(request.user, project_id, "comment")
    section = get_object_or_404(Section, project=project, slug=slug)
    rows = Comment.objects.select_related("replies_to", "section", "author")
    comment = get_object_or_404(rows, section=section, pk=comment_id)
    try:
        done = ACTS[what](request, comment)
    except Refused as refused:
        draft = {"body": request.POST.get("body", "")}
        return _panel(request, project, section, wrong=refused.message, at=comment, draft=draft)
    return _answer(request, project, section, focus=done)


def _answer(request: PersonRequest, project: Project, section: Section, focus: Comment | None) -> HttpResponse:
    if request.htmx:
        return _panel(request, project, section, focus=focus)
    return redirect("sections:comments", project.pk, section.slug)


def _panel(
    request: PersonRequest,
    project: Project,
    section: Section,
    *,
    wrong: str = "",
    at: Comment | None = None,
    draft: dict[str, Any] | None = None,
    focus: Comment | None = None,
) -> HttpResponse:
    """The panel, and why what was sent about `at` (None: a new comment) was refused, and what it held."""
    threads = commenting.threads_of(section)
    standing = [thread for thread in threads if not thread.comment.resolved_at]
    seen = _seen(threads)
    if request.method == "GET" and request.htmx and request.GET.get("seen") == seen:
        return HttpResponse(status=204)  # the page shows it already: nothing moves under whoever reads it
    context = {
        "seen": seen,
        "open": [thread for thread in standing if not thread.lost],
        "lost": [thread for thread in standing if thread.lost],
        "resolved": [thread for thread in threads if thread.comment.resolved_at],
        "count": len(standing),
        "wrong": wrong,
        "wrong_at": at.pk if at else None,
        "draft": draft or {},
        "focus": focus.pk if focus else "",
    }
    return beside(request, project, section, "comments", context, 422 if wrong else 200)


def _seen(threads: list[commenting.Thread]) -> str:
    """What the panel shows, in few letters."""
    rows = [
        (one.pk, one.body, one.resolved_at, thread.place, thread.words)
        for thread in threads
        for one in (thread.comment, *thread.replies)
    ]
    return sha256(repr(rows).encode()).hexdigest()[:16]
