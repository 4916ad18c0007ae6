"""Building a thesis, for programs (SPEC T6). The same functions as the pages call."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.http import FileResponse, Http404
from ninja import Router, Schema, Status

from projects.access import get_in_project, get_project
from projects.requests import PersonRequest
from sections.models import Section
from thesis.building.start import start_build
from thesis.building.work import last_good
from thesis.models import Build

router = Router(tags=["Builds"])

MOST = 40  # builds of a thesis that are listed, the newest first
_ROWS = Build.objects.select_related("job").exclude(kind=Build.Kind.PREVIEW)
_STATES = {"paused": "queued", "waiting": "queued"}
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


class BuildIn(Schema):
    """What to build: a PDF or a Word file of the whole thesis, or the PDF of one `section`."""

    kind: Literal["pdf", "word"] = "pdf"
    section: UUID | None = None


class ProblemOut(Schema):
    """Something that stopped a build, or is to be looked at, with the section and the line of it where that is known.

    `title` and `hint` are for people, `said` is what the program said; `excerpt` has the lines around, each with its number. `line` 0: not known.
    """

    level: Literal["error", "warning", "note"]
    title: str
    said: str
    hint: str
    section: UUID | None
    number: int | None
    heading: str
    slug: str
    line: int
    excerpt: list[tuple[int, str]]


class BuildBrief(Schema):
    """A build. `state`: queued, running, done, failed or cancelled; `reason` says why it stopped.

    `engine` is latex, pandoc (Word) or typst, which is a labelled preview. `has_file` says whether its file is still kept.
    """

    id: UUID
    project_id: UUID
    section: UUID | None
    is_chapter: bool
    kind: str
    engine: str
    state: str
    reason: str
    job: UUID | None
    has_file: bool
    size: int
    pages: int
    words: int
    seconds: float
    created_at: datetime
    ended_at: datetime | None


class BuildOut(BuildBrief):
    """A build with what it ran into. `page_counts` are the pages of each section, by its id."""

    page_counts: dict[str, int]
    problems: list[ProblemOut]
    notes: list[ProblemOut]
    log: str


class BuildsOut(Schema):
    """`last_good` is the newest PDF of the whole thesis that was made, whatever came after it."""

    last_good: UUID | None
    builds: list[BuildBrief]


@router.get("/projects/{uuid:project_id}/builds", response=BuildsOut, summary="The builds of a thesis, newest first")
def list_builds(request: PersonRequest, project_id: UUID) -> Any:
    project = get_project(request.user, project_id)
    good = last_good(project)
    rows = _ROWS.filter(project=project).defer("log", "problems", "notes", "page_counts")
    return {"last_good": good.pk if good else None, "builds": [brief_of(build) for build in rows[:MOST]]}


@router.post("/projects/{uuid:project_id}/builds", response={202: BuildOut}, summary="Build a thesis or a chapter")
def begin(request: PersonRequest, project_id: UUID, payload: BuildIn) -> Any:
    """Follow the job's events. 409 while the same is being built, 429 when no more builds can wait."""
    project = get_project(request.user, project_id, "write")
    section = None
    if payload.section is not None:
        section = get_in_project(request.user, Section.objects.filter(project=project), pk=payload.section)
    return Status(202, build_out(start_build(project, request.user, section=section, kind=payload.kind)))


@router.get("/builds/{uuid:build_id}", response=BuildOut, summary="One build")
def read(request: PersonRequest, build_id: UUID) -> Any:
    return build_out(_find(request, build_id))


@router.get("/builds/{uuid:build_id}/pdf", summary="The file that a build made")
def file(request: PersonRequest, build_id: UUID) -> FileResponse:
    """A PDF, or the Word file of a build of that kind. 404 once a newer one took its place."""
    build = _find(request, build_id)
    if not build.output:
        raise Http404("This build has no file.")
    is_word = build.kind == Build.Kind.WORD
    answer = FileResponse(
        build.output.open("rb"),
        as_attachment=True,
        filename=f"{file_stem(build)}.{'docx' if is_word else 'pdf'}",
        content_type=_WORD if is_word else "application/pdf",
    )
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


@router.post("/builds/{uuid:build_id}/stop", response=BuildOut, summary="Stop a build")
def stop(request: PersonRequest, build_id: UUID) -> Any:
    """The last good PDF stays."""
    build = _find(request, build_id, "write")
    if build.job is not None:
        build.job.ask("cancel")
        build.refresh_from_db()
    return build_out(build)


def file_stem(build: Build) -> str:
    """What the file of `build` is called, without its ending."""
    from django.utils.text import slugify

    name = slugify(build.project.title)[:60].strip("-_") or "thesis"
    return f"{name}-{build.section.slug}" if build.section is not None else name


def state_of(build: Build) -> str:
    """queued, running, done, failed or cancelled."""
    if build.job is None:
        return "done" if build.output else "failed"
    return _STATES.get(build.job.state, build.job.state)


def brief_of(build: Build) -> dict[str, Any]:
    """`build` without what it ran into, as BuildBrief has it."""
    return {
        "id": build.pk,
        "project_id": build.project_id,
        "section": build.section_id,
        "is_chapter": build.is_chapter,
        "kind": build.kind,
        "engine": build.engine,
        "state": state_of(build),
        "reason": build.job.reason if build.job else "",
        "job": build.job_id,
        "has_file": bool(build.output),
        "size": build.size,
        "pages": build.pages,
        "words": build.words,
        "seconds": build.seconds,
        "created_at": build.created_at,
        "ended_at": build.ended_at,
    }


def build_out(build: Build) -> dict[str, Any]:
    """`build` whole, as BuildOut has it."""
    whole = {name: getattr(build, name) for name in ("page_counts", "problems", "notes", "log")}
    return {**brief_of(build), **whole}


def _find(request: PersonRequest, build_id: UUID, act: Literal["read", "write"] = "read") -> Build:
    build: Build = get_in_project(request.user, _ROWS.select_related("section"), act, pk=build_id)
    return build
