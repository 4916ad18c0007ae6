"""Builds as their rows stand once they are done, for pages that show them."""

from typing import Any

from django.core.files.base import ContentFile

from jobs.models import Job, State
from projects.models import Project, User
from sections.models import Section
from thesis.latex_build.start import KIND
from thesis.models import Build

PDF = b"%PDF-1.5\n%made by a test\n%%EOF\n"


def built(
    project: Project, user: User, *, state: str = State.DONE, output: bytes = b"", reason: str = "", **columns: Any
) -> Build:
    """A build of `project` whose job is in `state`; `output` are the bytes that it made."""
    build = Build(project=project, created_by=user, **{"kind": Build.Kind.PDF, "engine": Build.Engine.LATEX, **columns})
    build.job = Job.objects.create(
        project=project, kind=KIND, subject=build.pk, created_by=user, state=state, reason=reason
    )
    if output:
        build.output.save("x", ContentFile(output), save=False)
        build.size = len(output)
    build.save(force_insert=True)
    return build


def fault(section: Section | None, line: int = 0, title: str = "A bracket is missing", **more: Any) -> dict[str, Any]:
    """A problem as a build keeps it."""
    return {
        "level": "error",
        "title": title,
        "said": "Missing } inserted.\nl.118 and what stood there",
        "hint": "",
        "section": str(section.pk) if section else None,
        "number": section.number if section else None,
        "heading": section.title if section else "",
        "slug": section.slug if section else "",
        "line": line,
        "excerpt": [[line - 1, "before"], [line, "($I^{2 = 15.6\\%$, $p = 0.31$)."], [line + 1, "<b>after</b>"]]
        if line
        else [],
        **more,
    }


def job_of(build: Build) -> Job:
    """The job of a build, as it stands now."""
    return Job.objects.get(build=build)
