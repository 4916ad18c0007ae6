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
from projects.access import get_project, may
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
        return _panel(request, project, section, wrong=refused.message, draft=sent | {"start": at}, status=422)
    return _answer(request, project, section, focus=made)


@require_POST
def reply(request: PersonRequest, project_id: UUID, slug: str, comment_id: UUID) -> HttpResponse:
    def answer(comment: Comment) -> Comment:
        return commenting.reply(comment, request.POST.get("body", ""), by=request.user)

    return _do(request, project_id, slug, comment_id, answer)


@require_POST
def edit(request: PersonRequest, project_id: UUID, slug: str, comment_id: UUID) -> HttpResponse:
    def change(comment: Comment) -> Comment:
        commenting.edit(comment, request.POST.get("body", ""), by=request.user)
        return comment

    return _do(request, project_id, slug, comment_id, change)


@require_POST
def delete(request: PersonRequest, project_id: UUID, slug: str, comment_id: UUID) -> HttpResponse:
    def remove(comment: Comment) -> None:
        commenting.delete(comment, by=request.user)

    return _do(request, project_id, slug, comment_id, remove)


@require_POST
def resolve(request: PersonRequest, project_id: UUID, slug: str, comment_id: UUID) -> HttpResponse:
    """Close the thread, or with `again` open it."""

    def close(comment: Comment) -> Comment:
        return commenting.resolve(comment, by=request.user, resolved=not request.POST.get("again"))

    return _do(request, project_id, slug, comment_id, close)


def _do(
    request: PersonRequest, project_id: UUID, slug: str, comment_id: UUID, act: Callable[[Comment], Comment | None]
) -> HttpResponse:
    """Do `act` to a comment and answer with the panel; what is refused stays in its box."""
    project = get_project(request.user, project_id, "comment")
    section = get_object_or_404(Section, project=project, slug=slug)
    rows = Comment.objects.select_related("replies_to", "section", "author")
    comment = get_object_or_404(rows, section=section, pk=comment_id)
    try:
        done = act(comment)
    except Refused as refused:
        draft = {"body": request.POST.get("body", "")}
        return _panel(request, project, section, wrong=refused.message, at=comment, draft=draft, status=422)
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
    status: int = 200,
    wrong: str = "",
    at: Comment | None = None,
    draft: dict[str, Any] | None = None,
    focus: Comment | None = None,
) -> HttpResponse:
    """The panel; `wrong` says why what was sent about `at` (None: a new comment) was refused, `draft` is what it held."""
    threads = commenting.threads_of(section)
    standing = [thread for thread in threads if not thread.comment.resolved_at]
    seen = _seen(threads)
    if status == 200 and request.method == "GET" and request.htmx and request.GET.get("seen") == seen:
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
        "may_comment": may(project.role, "comment"),  # type: ignore[attr-defined]
    }
    return beside(request, project, section, "comments", context, status)


def _seen(threads: list[commenting.Thread]) -> str:
    """What the panel shows, in few letters."""
    rows = [
        (one.pk, one.body, one.resolved_at, thread.place, thread.words)
        for thread in threads
        for one in (thread.comment, *thread.replies)
    ]
    return sha256(repr(rows).encode()).hexdigest()[:16]
