"""The panels Comments and History beside the text, and the page of one version (SPEC T2).

Each panel has its own address. The workspace loads it with htmx; without scripts the same link opens a page with the
panel. The panels Sources and Draft are in other apps, which use `beside`.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta, tzinfo
from hashlib import sha256
from itertools import groupby
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models.functions import Length
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateformat import format as dated
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from core.errors import Refused
from latex.line_endings import normalised
from latex.word_count import count_words
from projects.access import may
from projects.models import Project
from projects.signed_in_request import PersonRequest
from sections import comments as comment_actions
from sections.comment_anchors import Anchor, anchor_of_shown_words
from sections.comment_mail import mail_comment
from sections.diffs import diff_lines, diff_words
from sections.models import Comment, Section, SectionVersion, Stale
from sections.outline_pages import project_and_section

_FAR = 2_000_000_000  # an offset beyond any text that still fits the database column
AT_ONCE = 30  # versions on one page of the panel
THREADS_AT_ONCE = 100  # comments of one kind that the panel shows at first
_COUNTED = 1_500_000  # characters whose words are counted for one page; beyond that, characters are shown
_MOST_REMEMBERED = 20_000  # cached word counts

_words: dict[tuple[UUID, int, object], int] = {}  # cached word counts of versions


def render_panel(
    request: PersonRequest,
    project: Project,
    section: Section,
    panel: str,
    context: dict[str, Any],
    status: int = 200,
    template: str = "",
) -> HttpResponse:
    """Render a panel ("comments", "history", "draft") of `section`: alone for htmx, else on a page of its own.

    Other apps give the `template` of their panel.
    """
    own = template or f"sections/_{panel}.html"
    return render(
        request,
        own if request.htmx else "sections/panel_page.html",
        {
            "project": project,
            "tab": "write",
            "section": section,
            "panel": own,
            "panel_name": panel.capitalize(),
            "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
            "may_comment": may(project.role, "comment"),  # type: ignore[attr-defined]
            "person": request.user,
            **context,
        },
        status=status,
    )


@vary_on_headers("HX-Request")
@require_http_methods(["GET", "HEAD", "POST"])
def comments(request: PersonRequest, project_id: UUID, slug: str) -> HttpResponse:
    """Show the comments; on POST add one about `quote` (LaTeX, with `before`, `after` and `start`), or the section.

    The manuscript sends the words that it shows as `quote`, with `end` and the `version` of the text that it shows.
    """
    project, section = project_and_section(request, project_id, slug, "comment" if request.method == "POST" else "read")
    if request.method != "POST":
        return _panel(request, project, section)
    sent = {name: request.POST.get(name, "").replace("\r\n", "\n") for name in ("body", "quote", "before", "after")}
    at, end, version = (_number(request.POST.get(name, "")) for name in ("start", "end", "version"))
    anchor = Anchor(sent["quote"], sent["before"], sent["after"], at)
    if end > at and anchor.quote:
        anchor = anchor_of_shown_words(section, anchor, end, version)
    try:
        made = comment_actions.add(section, sent["body"], anchor, by=request.user)
    except Refused as refused:
        draft = sent | {"start": at, "end": end or "", "version": version or ""}
        return _panel(request, project, section, wrong=refused.message, draft=draft)
    mail_comment(request, made)
    return _answer(request, project, section, focus=made)


def _number(sent: str) -> int:
    return min(int(sent), _FAR) if sent.isdecimal() and len(sent) < 12 else 0


def _reply(request: PersonRequest, comment: Comment) -> Comment:
    made = comment_actions.reply(comment, request.POST.get("body", ""), by=request.user)
    mail_comment(request, made)
    return made


def _edit(request: PersonRequest, comment: Comment) -> Comment:
    return comment_actions.edit(comment, request.POST.get("body", ""), by=request.user)


def _delete(request: PersonRequest, comment: Comment) -> None:
    comment_actions.delete(comment, by=request.user)


def _resolve(request: PersonRequest, comment: Comment) -> Comment:
    """Resolve the thread, or with `again` reopen it."""
    return comment_actions.resolve(comment, by=request.user, resolved=not request.POST.get("again"))


ACTS: dict[str, Callable[[PersonRequest, Comment], Comment | None]] = {
    "reply": _reply,
    "edit": _edit,
    "delete": _delete,
    "resolve": _resolve,
}


@require_POST
def change_comment(request: PersonRequest, project_id: UUID, slug: str, comment_id: UUID, what: str) -> HttpResponse:
    """Do one of ACTS to a comment and show the panel. If it is refused, the text stays in its box."""
    project, section = project_and_section(request, project_id, slug, "comment")
    comment = get_object_or_404(
        Comment.objects.select_related("replies_to", "section", "author"), section=section, pk=comment_id
    )
    try:
        done = ACTS[what](request, comment)
    except Refused as refused:
        return _panel(
            request, project, section, wrong=refused.message, at=comment, draft={"body": request.POST.get("body", "")}
        )
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
    """Show the panel. If a comment was refused, show why (`wrong`) at the comment `at` (None: a new one)."""
    threads = comment_actions.threads_of(section)
    standing = [thread for thread in threads if not thread.comment.resolved_at]
    seen = _seen(threads)
    if request.method == "GET" and request.htmx and request.GET.get("seen") == seen:
        return HttpResponse(status=204)  # the page shows this state already, so do not replace what somebody reads
    wants_all = "all" in request.GET
    named = {pk for one in (focus, at) if one for pk in (one.pk, one.replies_to_id)}
    groups = {
        "open": [thread for thread in standing if not thread.lost],
        "lost": [thread for thread in standing if thread.lost],
        "resolved": [thread for thread in threads if thread.comment.resolved_at],
    }
    shown = {
        name: [one for place, one in enumerate(all_) if wants_all or place < THREADS_AT_ONCE or one.comment.pk in named]
        for name, all_ in groups.items()
    }
    comment_actions.with_people(one for all_ in shown.values() for one in all_)
    context = {
        **shown,
        "seen": seen,
        "wants_all": wants_all,
        "more": sum(map(len, groups.values())) - sum(map(len, shown.values())),
        "number_resolved": len(groups["resolved"]),
        "count": len(standing),
        "wrong": wrong,
        "wrong_at": at.pk if at else None,
        "draft": draft or {},
        "draft_words": comment_actions.words_of_comment(draft["quote"]) if draft and draft.get("quote") else "",
        "focus": focus.pk if focus else "",
    }
    return render_panel(request, project, section, "comments", context, 422 if wrong else 200)


def _seen(threads: list[comment_actions.Thread]) -> str:
    """Return a short hash of what the panel shows."""
    rows = [
        (one.pk, one.body, one.resolved_at, thread.place, thread.words)
        for thread in threads
        for one in (thread.comment, *thread.replies)
    ]
    return sha256(repr(rows).encode()).hexdigest()[:16]


@vary_on_headers("HX-Request")
@require_safe
def history(request: PersonRequest, project_id: UUID, slug: str) -> HttpResponse:
    """Show the history of a section by day. ?zone= is the reader's time zone."""
    project, section = project_and_section(request, project_id, slug, "read", Section.objects.defer("latex"))
    versions = section.versions.select_related("saved_by").prefetch_related("snapshots").defer("latex")
    page = Paginator(versions.annotate(size=Length("latex")), AT_ONCE).get_page(request.GET.get("page"))
    days = _by_day(_rows(section, list(page.object_list)), _zone(request.GET.get("zone", "")))
    return render_panel(request, project, section, "history", {"page": page, "days": list(days)})


def _rows(section: Section, versions: list[SectionVersion]) -> Iterator[dict[str, Any]]:
    """Yield the rows of one page. `more` is the difference to the version before, such as "+120 words"."""
    last = versions[-1].version if versions else 0
    chain = section.versions.exclude(kind=SectionVersion.Kind.KEPT)
    older = chain.filter(version__lt=last).defer("latex").annotate(size=Length("latex")).first()
    now = chain.values_list("version", flat=True).first()
    counted = _counts(section, [*versions, *([older] if older else [])])
    texts = [row for row in [*versions, older] if row and row.kind != SectionVersion.Kind.KEPT]
    before = dict(zip((row.pk for row in texts), texts[1:], strict=False))
    for row in versions:
        kept = row.kind == SectionVersion.Kind.KEPT
        yield {
            "version": row,
            "kept": kept,
            "more": "" if kept else _grown(row, before.get(row.pk), counted),
            "is_now": row.version == now,
            "snapshots": [snapshot.name for snapshot in row.snapshots.all()],
        }


def _counts(section: Section, rows: list[SectionVersion]) -> dict[int, int]:
    """Return the word counts of versions by id, as many as can be counted in one request. Takes at most one query."""
    if len(_words) > _MOST_REMEMBERED:
        _words.clear()
    left, missing = _COUNTED, []
    for row in rows:
        left -= 0 if _key(row) in _words else row.size  # type: ignore[attr-defined]
        if _key(row) not in _words and left >= 0:
            missing.append(row.pk)
    for row in section.versions.filter(pk__in=missing) if missing else []:
        _words[_key(row)] = count_words(row.latex)
    return {row.pk: _words[_key(row)] for row in rows if _key(row) in _words}


def _key(row: SectionVersion) -> tuple[UUID, int, object]:
    return row.section_id, row.version, row.saved_at


def _grown(row: SectionVersion, before: SectionVersion | None, counted: dict[int, int]) -> str:
    was = before.pk if before else None
    if row.pk in counted and (was is None or was in counted):
        return _signed(counted[row.pk] - (counted[was] if was else 0), "word")
    return _signed(row.size - (before.size if before else 0), "character")  # type: ignore[attr-defined]


def _signed(number: int, what: str) -> str:
    if not number:
        return f"same number of {what}s"
    return f"{'+' if number > 0 else '−'}{abs(number):,} {what}{'' if abs(number) == 1 else 's'}"


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # KeyError: unknown zone
        return timezone.get_default_timezone()


def _by_day(rows: Iterable[dict[str, Any]], zone: tzinfo) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    today = timezone.now().astimezone(zone).date()
    for day, those in groupby(rows, lambda row: row["version"].saved_at.astimezone(zone).date()):
        yield _day(day, today), list(those)


def _day(day: date, today: date) -> str:
    if day == today:
        return "Today"
    return "Yesterday" if day == today - timedelta(days=1) else dated(day, "j F Y")


@require_http_methods(["GET", "HEAD", "POST"])
def version(request: PersonRequest, project_id: UUID, slug: str, version: int) -> HttpResponse:
    """Show a version and what changed; on POST restore it as a new version and go to the text.

    ?against=now shows what changed since, ?against=before what changed in it; ?view is words, source or text; ?lines is
    side or one. The number of a save within five minutes of typing leads to the version with all of that typing.
    """
    project, section = project_and_section(request, project_id, slug, "write" if request.method == "POST" else "read")
    earlier = section.version_row(version)
    if earlier is None:
        raise Http404("No such version.")
    if request.method == "POST":
        return _restored(request, project, section, earlier)
    if earlier.version != version:
        return redirect("sections:version", project.pk, section.slug, earlier.version)
    return render(request, "sections/version.html", _compared(request, project, section, earlier))


def _restored(request: PersonRequest, project: Project, section: Section, earlier: SectionVersion) -> HttpResponse:
    try:
        saved = section.restore(earlier, by=request.user)
    except Stale:
        messages.error(
            request, "Somebody else saved at the same moment, so nothing was changed. Check the text and try again."
        )
    else:
        if saved.version == section.version:
            messages.info(request, "The text is already the same. Nothing was changed.")
        else:
            messages.success(request, f"Version {earlier.version} was restored. The text before it is in the history.")
    return redirect("sections:section", project.pk, section.slug)


def _compared(request: PersonRequest, project: Project, section: Section, earlier: SectionVersion) -> dict[str, Any]:
    chain = section.versions.exclude(kind=SectionVersion.Kind.KEPT)
    now = chain.values_list("version", flat=True).first()
    is_now = earlier.version == now and earlier.latex == section.latex
    before = chain.select_related("saved_by").filter(version__lt=earlier.version).first()
    against = request.GET.get("against", "")
    if against not in ("now", "before"):
        against = "before" if is_now else "now"
    view = request.GET.get("view", "")
    view = view if view in ("words", "source", "text") else "words"
    if against == "now":
        old, new = earlier.latex, section.latex
    else:
        old, new = before.latex if before else "", earlier.latex
    blocks = diff_words(old, new) if view == "words" else None
    lines = diff_lines(old, new) if view == "source" else None
    return {
        "project": project,
        "tab": "write",
        "section": section,
        "earlier": earlier,
        "before": before,
        "is_now": is_now,
        "kept": earlier.kind == SectionVersion.Kind.KEPT,
        "against": against,
        "view": view,
        "layout": "one" if request.GET.get("lines") == "one" else "side",
        "blocks": blocks,
        "lines": lines,
        "too_much": view != "text" and blocks is None and lines is None,
        "other": section.latex if against == "now" else old,
        "same": old == new,
        "only_endings": old != new and normalised(old) == normalised(new),
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
        "here": reverse("sections:version", args=[project.pk, section.slug, earlier.version]),
    }
