"""Which outputs of builds are kept, how they are deleted and how they are downloaded (SPEC T6)."""

from functools import partial
from typing import Any

from django.core.files.storage import default_storage
from django.db import transaction
from django.http import FileResponse, Http404
from django.utils.text import slugify

from jobs.models import Job
from projects.models import Project
from thesis.models import Build
from thesis.page_places.printed_words import words_name

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
MOST_ROWS = 40  # builds of a thesis that stay as history, the newest


def prune(project: Project) -> None:
    """Delete the outputs of `project` that newer builds replace: the last of each kind, chapter and engine stays.

    Call it in a transaction; files are deleted once it is committed.
    """
    seen: set[tuple[Any, ...]] = set()
    alive = set(Job.objects.alive().filter(project=project).values_list("pk", flat=True))
    rows = Build.objects.filter(project=project).exclude(kind=Build.Kind.PREVIEW).defer("log", "problems", "notes")
    for kept, build in enumerate(rows, start=1):
        what = (build.kind, build.engine, build.is_chapter, build.section_id)
        gone = build.is_chapter and build.section_id is None  # its section was deleted
        if build.output and (what in seen or gone):
            transaction.on_commit(partial(default_storage.delete, str(build.output.name)))
            transaction.on_commit(partial(default_storage.delete, words_name(build)))
            Build.objects.filter(pk=build.pk).update(output="", log="")
            build.output = ""
        elif build.output:
            seen.add(what)
        if kept > MOST_ROWS and not build.output and build.job_id not in alive:
            Build.objects.filter(pk=build.pk).delete()


def remove_bytes(sender: Any, instance: Build, **_: Any) -> None:
    """Delete the files of a deleted build once the deletion is committed (receiver of post_delete)."""
    if instance.output:
        transaction.on_commit(partial(default_storage.delete, str(instance.output.name)))
        transaction.on_commit(partial(default_storage.delete, words_name(instance)))  # named now: its id is reset


def file_of(build: Build, *, as_attachment: bool) -> FileResponse:
    """Return the output of `build` as a response. Raises Http404 when it has none or the file cannot be read."""
    if not build.output:
        raise Http404("This build has no file.")
    try:
        data = build.output.open("rb")
    except OSError as error:
        raise Http404("The file cannot be read from the disk. Build the thesis again.") from error
    return FileResponse(
        data,
        as_attachment=as_attachment,
        filename=_file_name(build),
        content_type=_WORD if build.kind == Build.Kind.WORD else "application/pdf",
        headers={
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "sandbox; default-src 'none'",
            "Cache-Control": "private, max-age=3600",  # a build never changes
        },
    )


def _file_name(build: Build) -> str:
    """Return the name of the download: "alder-and-soil.pdf", or "alder-and-soil-results.pdf" for a chapter."""
    stem = slugify(build.project.title)[:60].strip("-") or "thesis"
    if build.is_chapter:
        stem += f"-{build.section.slug if build.section else 'chapter'}"
    if build.engine == Build.Engine.TYPST:
        stem += "-preview"
    return f"{stem}.{'docx' if build.kind == Build.Kind.WORD else 'pdf'}"
