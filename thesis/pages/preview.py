"""The preview beside the editor, and the pages of what was printed as pictures (SPEC T6)."""

from typing import Any
from uuid import UUID

from django.core.files.storage import default_storage
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_POST, require_safe

from jobs.models import Job, State
from projects.access import get_in_project, get_project
from projects.requests import PersonRequest
from sections.models import Section
from thesis.models import Build
from thesis.preview.start import drawn_of, page_name, previews_of, start_preview
from untrusted.pdf_page import draw_page

_ENDED = {State.FAILED, State.CANCELLED, State.PAUSED}
_GONE = "A newer preview took the place of this one."


@require_POST
def start(request: PersonRequest, project_id: UUID, slug: str) -> JsonResponse:
    """Have the section shown as it stands, the page `page` (from 1) first. Answers as `state`."""
    section = get_object_or_404(Section, project=get_project(request.user, project_id, "write"), slug=slug)
    asked = request.POST.get("page", "1")
    page = int(asked) if asked.isdecimal() and len(asked) < 5 else 1
    build = start_preview(section, request.user, page=page)
    return JsonResponse(told(build), status=200 if build.output else 202)


@require_safe
def state(request: PersonRequest, build_id: UUID) -> JsonResponse:
    """How far a preview is: `state` (waiting, done, failed or replaced), its `pages`, what to know of it (`notes`, `said`)."""
    build: Build = get_in_project(request.user, Build.objects.select_related("job", "section"), pk=build_id)
    if build.kind != Build.Kind.PREVIEW:
        raise Http404("This is no preview.")
    return JsonResponse(told(build))


@require_safe
def page(request: PersonRequest, build_id: UUID, number: int) -> HttpResponse:
    """Page `number` of what a build made, as a PNG. 404 for one it does not have."""
    build: Build = get_in_project(request.user, Build.objects.all(), pk=build_id)
    if not build.output or build.kind == Build.Kind.WORD or not 1 <= number <= build.pages:
        raise Http404("There is no such page.")
    png = _kept(build, number) or _drawn(build, number)
    if png is None:
        raise Http404("This page cannot be drawn.")
    response = HttpResponse(png, content_type="image/png")
    # What a build made never changes under its id.
    response["Cache-Control"] = "private, max-age=31536000, immutable"
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response


def told(build: Build) -> dict[str, Any]:
    """A preview as the page takes it."""
    made: dict[str, Any] = {
        "id": str(build.pk),
        "at": f"/builds/{build.pk}/",
        "pages": build.pages,
        "notes": [],
        "said": "",
    }
    if build.output:
        return made | {"state": "done", "notes": [one.get("said", "") for one in build.notes]}
    job: Job | None = build.job
    newer = previews_of(build.section).filter(created_at__gt=build.created_at).first() if build.section else None
    if newer is not None and (job is None or job.state not in (State.QUEUED, State.RUNNING)):
        return told(newer) | {"state": "replaced", "said": _GONE}
    if job is None or job.state in _ENDED or job.state == State.DONE:
        return made | {
            "state": "failed",
            "said": (job.reason if job else "") or "The preview could not be made. Try again.",
        }
    return made | {"state": "waiting"}


def _kept(build: Build, number: int) -> bytes | None:
    if number not in drawn_of(build):
        return None
    try:
        with default_storage.open(page_name(build, number)) as kept:
            data: bytes = kept.read()
            return data
    except OSError:
        return None


def _drawn(build: Build, number: int) -> bytes | None:
    try:
        with build.output.open("rb") as blob:
            return draw_page(blob.read(), number, scale=2.0, longest=2_400)
    except OSError:
        return None
