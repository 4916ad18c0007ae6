"""Building a thesis, for programs (SPEC T6). The same functions as the pages call."""

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

MOST = 40  # builds of a thesis that are listed, the newest first
_ROWS = Build.objects.select_related("job").exclude(kind=Build.Kind.PREVIEW)


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


class BuildBrief(ModelSchema):
    """A build. `state`: queued, running, done, failed or cancelled; `reason` says why it stopped.

    `engine` is latex, pandoc (Word) or typst, which is a labelled preview. `has_file` says whether its file is still kept.
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
        return bool(build.output)


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
    return {"last_good": good.pk if good else None, "builds": rows[:MOST]}


@router.post("/projects/{uuid:project_id}/builds", response={202: BuildOut}, summary="Build a thesis or a chapter")
def begin(request: PersonRequest, project_id: UUID, payload: BuildIn) -> Any:
    """Follow the job's events. 409 while the same is being built, 429 when no more builds can wait."""
    project = get_project(request.user, project_id, "write")
    rows = Section.objects.filter(project=project)
    section = get_in_project(request.user, rows, pk=payload.section) if payload.section else None
    return Status(202, start_build(project, request.user, section=section, kind=payload.kind))


@router.get("/builds/{uuid:build_id}", response=BuildOut, summary="One build")
def read(request: PersonRequest, build_id: UUID) -> Any:
    return _find(request, build_id)


@router.get("/builds/{uuid:build_id}/pdf", summary="The file that a build made")
def file(request: PersonRequest, build_id: UUID) -> FileResponse:
    """A PDF, or the Word file of a build of that kind. 404 once a newer one took its place."""
    return file_of(_find(request, build_id), as_attachment=True)


@router.post("/builds/{uuid:build_id}/stop", response=BuildOut, summary="Stop a build")
def stop(request: PersonRequest, build_id: UUID) -> Any:
    """The last good PDF stays."""
    build = _find(request, build_id, "write")
    stop_build(build)
    build.refresh_from_db()
    return build


def _find(request: PersonRequest, build_id: UUID, act: Literal["read", "write"] = "read") -> Build:
    return get_in_project(request.user, _ROWS.select_related("section"), act, pk=build_id)
