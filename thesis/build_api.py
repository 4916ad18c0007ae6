"""The JSON API for builds of a thesis (SPEC T6)."""

from typing import Any, Literal
from uuid import UUID

from django.http import FileResponse
from ninja import ModelSchema, Router, Schema, Status
from pydantic import Field

from projects.access import get_in_project, get_project
from projects.signed_in_request import PersonRequest
from sections.models import Section
from thesis.latex_build.build_job import last_good
from thesis.latex_build.retention import file_of
from thesis.latex_build.start import start_build, stop_build
from thesis.models import Build

router = Router(tags=["Builds"])

MOST = 40  # builds in a list, the newest first
_ROWS = Build.objects.select_related("job").exclude(kind=Build.Kind.PREVIEW)


class BuildIn(Schema):
    """What to build: a PDF or a Word file of the whole thesis, or the PDF of one `section`.

    `from_scratch` makes a PDF without the side files that the last build left; it has the same pages and takes longer.
    """

    kind: Literal["pdf", "word"] = "pdf"
    section: UUID | None = None
    from_scratch: bool = False


class ProblemOut(Schema):
    """An error, warning or note of a build, with its section and line if known (`line` 0: not known).

    `title` and `hint` are for people, `said` is the message of the program; `excerpt` has the lines around, each with
    its number.
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


class BuildBrief(ModelSchema):
    """A build. `state`: queued, running, done, failed or cancelled; `reason` says why it failed.

    `engine` is latex, pandoc (Word) or typst, which makes a labelled preview. `has_file`: its file still exists.
    """

    project_id: UUID
    section: UUID | None = Field(alias="section_id")
    state: str
    reason: str
    job: UUID | None = Field(alias="job_id")
    has_file: bool

    class Meta:
        model = Build
        fields = (
            *("id", "is_chapter", "kind", "engine", "size", "pages", "words", "seconds"),
            *("created_at", "ended_at"),
        )

    @staticmethod
    def resolve_has_file(build: Build) -> bool:
        """Return whether the build has a file."""
        return bool(build.output)


class BuildOut(BuildBrief):
    """A build with its problems and log. `page_counts` are the numbers of pages of the sections, by id."""

    page_counts: dict[str, int]
    problems: list[ProblemOut]
    notes: list[ProblemOut]
    log: str


class BuildsOut(Schema):
    """`last_good` is the newest successful PDF build of the whole thesis."""

    last_good: UUID | None
    builds: list[BuildBrief]


@router.get("/projects/{uuid:project_id}/builds", response=BuildsOut, summary="The builds of a thesis, newest first")
def list_builds(request: PersonRequest, project_id: UUID) -> Any:
    """At most 40 builds, without logs and problems, and the last successful one."""
    project = get_project(request.user, project_id)
    good = last_good(project)
    rows = _ROWS.filter(project=project).defer("log", "problems", "notes", "page_counts")
    return {"last_good": good.pk if good else None, "builds": rows[:MOST]}


@router.post("/projects/{uuid:project_id}/builds", response={202: BuildOut}, summary="Build a thesis or a chapter")
def begin(request: PersonRequest, project_id: UUID, payload: BuildIn) -> Any:
    """Follow the job's events for progress. 409 while the same build is running, 429 when the queue is full."""
    project = get_project(request.user, project_id, "write")
    rows = Section.objects.filter(project=project)
    section = get_in_project(request.user, rows, pk=payload.section) if payload.section else None
    scratch = payload.from_scratch
    return Status(202, start_build(project, request.user, section=section, kind=payload.kind, from_scratch=scratch))


@router.get("/builds/{uuid:build_id}", response=BuildOut, summary="One build")
def read(request: PersonRequest, build_id: UUID) -> Any:
    """A build with its problems, notes and log."""
    return _find(request, build_id)


@router.get("/builds/{uuid:build_id}/pdf", summary="The output of a build")
def file(request: PersonRequest, build_id: UUID) -> FileResponse:
    """A PDF, or a Word file for a build of that kind. 404 when it failed or a newer build has replaced it."""
    return file_of(_find(request, build_id), as_attachment=True)


@router.post("/builds/{uuid:build_id}/stop", response=BuildOut, summary="Stop a build")
def stop(request: PersonRequest, build_id: UUID) -> Any:
    """Cancels the build. The last good PDF stays."""
    build = _find(request, build_id, "write")
    stop_build(build)
    build.refresh_from_db()
    return build


def _find(request: PersonRequest, build_id: UUID, act: Literal["read", "write"] = "read") -> Build:
    return get_in_project(request.user, _ROWS.select_related("section"), act, pk=build_id)
