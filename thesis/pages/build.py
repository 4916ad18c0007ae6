"""The Build page of a thesis, the preview panel of the editor, and pages of builds as pictures (SPEC T6)."""

from contextlib import suppress
from typing import Any, cast
from uuid import UUID

from django.core.files.storage import default_storage
from django.db.models import BooleanField, ExpressionWrapper
from django.http import FileResponse, Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from citations.audit.audit import audit_project, percent, summary
from core.errors import Refused
from core.grouping import grouped
from jobs.compute_slots import ahead_of
from jobs.models import State
from projects.access import Act, get_in_project, get_project, may
from projects.models import Project
from projects.signed_in_request import PersonRequest
from sections.models import Section
from thesis.latex_build.build_job import in_line
from thesis.latex_build.retention import file_of
from thesis.latex_build.start import HAS_TEXT, BuildRunning, start_build, stop_build
from thesis.models import Build
from thesis.pages.build_list import Fault, build_list_of, coded, is_alive, with_news
from thesis.preflight import Finding, check_project
from thesis.preview.start import drawn_of, page_name, previews_of, start_preview
from untrusted.pdf_to_png import draw_page

MOST_OF_A_KIND = 5  # findings of one kind that are shown; the rest is collapsed


@require_http_methods(["GET", "HEAD", "POST"])
def build(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the page; a POST starts a build of `kind` (pdf or word) of the whole thesis or of one `section` (a slug).

    With `from_scratch` it uses nothing of earlier builds.
    """
    project = get_project(request.user, project_id, "write" if request.method == "POST" else "read")
    refused = None
    if request.method == "POST":
        slug = request.POST.get("section", "")
        section = get_object_or_404(Section, project=project, slug=slug) if slug else None
        try:
            with suppress(BuildRunning):  # the page shows the progress of the running build
                kind, scratch = request.POST.get("kind", "pdf"), "from_scratch" in request.POST
                start_build(project, request.user, section=section, kind=kind, from_scratch=scratch)
            return redirect("thesis:build", project.pk)
        except Refused as problem:
            refused = problem
    context = {**_context(project), "refused": refused.message if refused else ""}
    return render(request, "thesis/build.html", context, status=refused.status if refused else 200)


@require_safe
def built(request: PersonRequest, build_id: UUID) -> HttpResponse:
    """Redirect from a build to the page that shows it."""
    found: Build = get_in_project(request.user, Build.objects.select_related("section"), pk=build_id)
    if found.kind == Build.Kind.PREVIEW and found.section is not None:  # shown in the editor of its section
        return redirect("sections:section", found.project_id, found.section.slug)
    return redirect("thesis:build", found.project_id)


@require_safe
def progress(request: PersonRequest, build_id: UUID) -> HttpResponse:
    """Show the progress of a build to a page that polls it: 204 without news, the whole body of the page at its end."""
    found = _find(request, build_id)
    if not is_alive(found):
        response = render(request, "thesis/_built.html", _context(found.project))
        response["HX-Retarget"], response["HX-Reswap"] = "#built", "outerHTML"
        return response
    told = _progress_context(found, _ahead(found))
    if request.GET.get("seen") == told["seen"]:
        return HttpResponse(status=204)
    writes = may(found.project.role, "write")  # type: ignore[attr-defined]
    return render(request, "thesis/_build_progress.html", {"told": told, "may_write": writes})


@require_POST
def stop(request: PersonRequest, build_id: UUID) -> HttpResponse:
    """Stop a build and go back to the page; earlier files stay."""
    found = _find(request, build_id, "write")
    stop_build(found)
    return redirect("thesis:build", found.project_id)


@require_safe
def file(request: PersonRequest, build_id: UUID) -> FileResponse:
    """Return the output of a build: a PDF to view in the browser, a Word file to download."""
    found = _find(request, build_id)
    return file_of(found, as_attachment=found.kind == Build.Kind.WORD)


@require_safe
def log(request: PersonRequest, build_id: UUID) -> HttpResponse:
    """Show the full log of a build, as a part of the page for htmx, else as plain text."""
    found = _find(request, build_id)
    if request.htmx:
        return render(request, "thesis/_build_log.html", {"log": found.log})
    return HttpResponse(found.log or "The log is empty.", content_type="text/plain; charset=utf-8")


@require_safe
@vary_on_headers("HX-Request")
def preflight(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the checks before submission, as a part of the page for htmx, else as a page of its own."""
    project = get_project(request.user, project_id)
    audited = audit_project(project)
    found = check_project(project, audited)
    context = {
        "project": project,
        "tab": "build",
        "summary": summary(audited),
        "is_proven": percent(audited) == 100 and not audited.demo,
        "levels": _levels(found),
        "blocks": sum(one.level == "blocks" for one in found),
    }
    return render(request, "thesis/_preflight.html" if request.htmx else "thesis/preflight.html", context)


def _find(request: PersonRequest, build_id: UUID, act: Act = "read") -> Build:
    rows = with_news(Build.objects.exclude(kind=Build.Kind.PREVIEW)).select_related("section")
    return get_in_project(request.user, rows, act, pk=build_id)


def _context(project: Project) -> dict[str, Any]:
    """Return the context of the page, in a constant number of queries."""
    rows = Section.objects.filter(project=project).only("slug", "title", "words").order_by("number", "pk")
    sections = list(rows.annotate(has_text=ExpressionWrapper(HAS_TEXT, BooleanField())))
    with_text = [section for section in sections if section.has_text]
    shelf = build_list_of(project, sections)
    # Words written since the last good PDF; negative when the text has become shorter
    since = sum(section.words for section in sections) - shelf.whole.words if shelf.whole else 0
    first = next((build for build in shelf.running if _is_in_line(build)), None)
    ahead = _ahead(first) if first else []
    return {
        "project": project,
        "tab": "build",
        "sections": with_text,
        "is_empty": not with_text,
        "shelf": shelf,
        "told": [_progress_context(build, ahead if build == first else []) for build in shelf.running],
        "since": since,
        "fewer": -since,
        "chosen": next((one.build.section_id for one in shelf.tries if one.build.is_chapter), None),
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }


def _progress_context(build: Build, ahead: list[str]) -> dict[str, Any]:
    """Return the progress of a build: the text of its newest event (`last_said`), or the jobs `ahead` of it."""
    job = build.job
    assert job is not None
    waits = f"{in_line(ahead)} It starts by itself." if ahead else "Waiting to start"
    return {
        "build": build,
        "job": job,
        "seen": f"{job.last_seq}-{job.state}-{job.wanted}-{len(ahead)}",
        "said": "Stopping" if job.wanted == "cancel" else build.last_said or waits,  # type: ignore[attr-defined]
    }


def _is_in_line(build: Build) -> bool:
    """Return whether a build still waits for a worker, so that no event says yet how many jobs are ahead of it."""
    return build.job is not None and build.job.state == State.QUEUED


def _ahead(build: Build) -> list[str]:
    """Return the kinds of the jobs ahead of a build that still waits for a worker."""
    return ahead_of(build.job) if build.job is not None and _is_in_line(build) else []


_HEADINGS = {
    "blocks": ("Blocks the final export", "d", "alert"),
    "warns": ("Warnings", "c", "info"),
    "notes": ("Notes", "", "info"),
}


def _levels(found: list[Finding]) -> list[dict[str, Any]]:
    """Return the findings by level and kind, of each kind the first few and, collapsed, the rest."""
    levels = []
    for level, (heading, tier, icon) in _HEADINGS.items():
        of_level = [one for one in found if one.level == level]
        kinds = grouped(
            (one.kind, Fault(coded(one.title), coded(one.said), level == "blocks", href=one.href, act=one.act))
            for one in of_level
        )
        if of_level:
            shown = [(all_[:MOST_OF_A_KIND], all_[MOST_OF_A_KIND:]) for all_ in kinds.values()]
            levels.append({"heading": heading, "tier": tier, "icon": icon, "number": len(of_level), "kinds": shown})
    return levels


@require_POST
def show(request: PersonRequest, project_id: UUID, slug: str) -> JsonResponse:
    """Start a preview of the section's current text, with the page `page` (from 1) first. Answers like `state`."""
    section = get_object_or_404(Section, project=get_project(request.user, project_id, "write"), slug=slug)
    asked = request.POST.get("page", "1")
    page = int(asked) if asked.isdecimal() and len(asked) < 5 else 1
    build = start_preview(section, request.user, page=page)
    return JsonResponse(preview_told(build), status=200 if build.output else 202)


@require_safe
def state(request: PersonRequest, build_id: UUID) -> JsonResponse:
    """Return a preview's `state` (waiting, done, failed or replaced), number of `pages`, `notes` and message `said`."""
    build: Build = get_in_project(request.user, Build.objects.select_related("job", "section"), pk=build_id)
    if build.kind != Build.Kind.PREVIEW:
        raise Http404("This is not a preview.")
    return JsonResponse(preview_told(build))


@require_safe
def page(request: PersonRequest, build_id: UUID, number: int) -> HttpResponse:
    """Return page `number` of the output of a build as PNG; 404 when there is no such page."""
    build: Build = get_in_project(request.user, Build.objects.all(), pk=build_id)
    if not build.output or build.kind == Build.Kind.WORD or not 1 <= number <= build.pages:
        raise Http404("There is no such page.")
    png = _page_image(build, number) or _drawn(build, number)
    if png is None:
        raise Http404("This page cannot be rendered.")
    return HttpResponse(
        png,
        content_type="image/png",
        headers={
            "Cache-Control": "private, max-age=31536000, immutable",  # the output of a build never changes
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "sandbox; default-src 'none'",
        },
    )


def preview_told(build: Build) -> dict[str, Any]:
    """Return a preview as the JSON that the page expects."""
    made: dict[str, Any] = {
        "id": str(build.pk),
        "at": f"/builds/{build.pk}/",
        "pages": build.pages,
        "notes": [],
        "said": "",
    }
    if build.output:
        return made | {"state": "done", "notes": [one.get("said", "") for one in build.notes]}
    job = build.job
    newer = previews_of(build.section).filter(created_at__gt=build.created_at).first() if build.section else None
    if newer is not None and (job is None or job.state not in (State.QUEUED, State.RUNNING)):
        return preview_told(newer) | {"state": "replaced", "said": "A newer preview has replaced this one."}
    if job is None or job.state in (State.FAILED, State.CANCELLED, State.PAUSED, State.DONE):
        return made | {
            "state": "failed",
            "said": build.reason or "The preview could not be made. Try again.",
        }
    return made | {"state": "waiting"}


def _page_image(build: Build, number: int) -> bytes | None:
    if number in drawn_of(build):
        with suppress(OSError), default_storage.open(page_name(build, number)) as kept:
            return cast(bytes, kept.read())
    return None


def _drawn(build: Build, number: int) -> bytes | None:
    with suppress(OSError), build.output.open("rb") as blob:
        return draw_page(blob.read(), number, scale=2.0, longest=2_400)
    return None
