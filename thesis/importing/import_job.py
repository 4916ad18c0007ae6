"""A text on its way into a thesis, as a job: read, stored, its references handed on (SPEC T2, P1).

What a job wrote it writes in one transaction, so that one that is killed begins again with nothing to undo but bytes
that no row names; and its references come in afterwards, as often as it takes.
"""

import logging
import posixpath
from collections.abc import Callable
from functools import partial
from itertools import chain, count
from pathlib import PurePosixPath
from typing import IO, Any

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils.text import slugify

from citations.formats.reading import decode
from citations.importing.file_import import Imported, checked, read_text, take_in
from citations.resolution.check_job import start_check
from core.errors import Refused
from jobs.models import Job, State
from jobs.work import Stopped, asked_of, set_progress
from latex.encoding import NotText
from latex.encoding import decode as decode_tex
from latex.headings import titled_by
from latex.includes import FIGURES, documents
from projects.models import Project, User
from sections.models import MOST_SECTIONS, Section, TextImport, ThesisFile
from sections.thesis_files import bytes_of, check_size, short_name
from thesis.importing.read_upload import (
    Brought,
    format_of,
    lay_down,
    read_archive,
    read_document,
    read_tex,
    state_of,
    store_files,
)
from untrusted.archive import Archive

KIND = "bring_text"
STEP = "text_in"  # the kind of the events that tell how far it is
THESIS, SECTIONS = "thesis", "sections"  # what a file is to become
WAITING, TEXT, DONE = "waiting", "text", "done"  # how far an import is
MOST_TOLD = 30  # problems of a file of references that are kept
MOST_NAMED = 20  # files that a sentence lists

log = logging.getLogger("scholium.thesis")


def bring_thesis(
    user: User, upload: "File[bytes]", name: str, title: str = "", main: str = "", *, enqueue: bool = True
) -> TextImport:
    """Return a new thesis of `user` into which the file `upload` comes as a job. `title` empty: the file's own.

    `main` is the file of a LaTeX project that LaTeX is started on. Raises Refused, and makes nothing, for what can be
    seen to be no such file, and with the code "which_main" where several files can be the main one and none is named.
    """
    format = _looked_at(upload, name)
    main = _main_of(upload, short_name(name), main) if format == "zip" else ""
    with transaction.atomic():
        project = Project.objects.create_for(user, title=title[:300] or titled_by(short_name(name)))
        Section.everything.filter(project=project).delete()  # the file brings its own
        return _started(
            project,
            user,
            upload,
            name,
            {"into": THESIS, "titled": bool(title), "format": format, "main": main},
            enqueue,
        )


def bring_sections(
    project: Project, user: User, upload: "File[bytes]", name: str, *, enqueue: bool = True
) -> TextImport:
    """Return the sections of a .tex, .docx or .md file, added to those of `project` by a job. Raises Refused as `bring_thesis`."""
    format = _looked_at(upload, name)
    if format == "zip":
        raise Refused(
            f"{short_name(name)} is a whole project. Bring it as a new thesis, or take the file you need out of it.",
            field="file",
            code="whole_project",
        )
    with Project.objects.held(project.pk):  # two clicks at once: one import
        if Job.objects.filter(project=project, kind=KIND, state__in=[State.QUEUED, State.RUNNING]).exists():
            raise Refused(
                "A file is being brought in. Wait until it is done, or stop it.", field="file", code="busy", status=409
            )
        return _started(project, user, upload, name, {"into": SECTIONS, "format": format}, enqueue)


def _looked_at(upload: "File[bytes]", name: str) -> str:
    """Return the format of an upload, after a look that takes no time. Raises Refused for what will not do."""
    format = format_of(name)
    check_size(upload.size or 0, short_name(name))
    upload.seek(0)
    if format in ("zip", "docx"):
        Archive(upload, short_name(name))
    else:
        try:
            decode_tex(upload.read(1_000_000))
        except NotText as error:
            raise Refused(f"{short_name(name)} {error}", field="file", code="not_text") from error
    upload.seek(0)
    return format


def _main_of(upload: "File[bytes]", name: str, chosen: str) -> str:
    """Return the main file of a project in an archive; "" where only one file can be it, or none. Raises Refused."""
    archive = Archive(upload, name)
    paths = [one.path for one in documents(archive.sizes, archive.read)]
    upload.seek(0)
    if chosen in paths or len(paths) < 2 and not chosen:
        return chosen
    if not paths:
        return ""  # told by the import itself, in the words of what it looked for
    listed = ", ".join(paths[:MOST_NAMED]) + (f" and {len(paths) - MOST_NAMED:,} more" if paths[MOST_NAMED:] else "")
    asks = (
        f"{name} has no main file called {chosen[:100]}." if chosen else f"{name} holds several documents."
    ) + f" Choose the file that LaTeX is run on for the whole thesis: {listed}. The others are kept as files."
    raise Refused(asks, field="main", code="which_main", choices=paths)


def _started(
    project: Project, user: User, upload: "File[bytes]", name: str, result: dict[str, Any], enqueue: bool
) -> TextImport:
    brought = TextImport(project=project, name=short_name(name), made_by=user, result={**result, "stage": WAITING})
    try:
        brought.blob.save(brought.name, upload, save=False)
        brought.save(force_insert=True)
        Job.objects.start(project=project, kind=KIND, subject=brought.pk, user=user, enqueue=enqueue)
    except OSError as error:
        raise Refused(
            f"The server could not store {brought.name} ({error.strerror}). Tell whoever runs this server.",
            field="file",
            code="not_stored",
            status=507,
        ) from error
    except BaseException:
        default_storage.delete(str(brought.blob.name))
        raise
    return brought


def carry_on(job: Job) -> None:
    """Bring the file of `job` in, from where an earlier attempt left off. Raises Stopped with a sentence for people."""
    brought: TextImport | None = TextImport.objects.select_related("project").filter(pk=job.subject).first()
    if brought is None:
        raise Stopped("This import is gone. Nothing was brought in.")
    user = job.created_by or brought.project.owner
    try:
        if state_of(brought)["stage"] == WAITING:
            _bring_text(job, brought, user)
        if state_of(brought)["stage"] == TEXT:
            _bring_references(job, brought, user)
    except Refused as refused:
        raise Stopped(refused.message) from refused


def _bring_text(job: Job, brought: TextImport, user: User) -> None:
    discard_strays(brought.project)  # what an attempt that was killed left on the disk
    job.emit(STEP, f"Reading {brought.name}.")
    with brought.blob.open("rb") as blob:
        found = _read(brought, blob, partial(asked_of, job))
        left = MOST_SECTIONS - Section.objects.filter(project=brought.project).count()
        if len(found.sections) > left:
            raise Refused(
                f"{brought.name} has {len(found.sections):,} sections, and a thesis holds {MOST_SECTIONS}. Put some of its "
                "headings one level lower. Nothing was brought in."
            )
        if not found.sections and not found.files and state_of(brought)["into"] == SECTIONS:
            raise Refused(f"No text was found in {brought.name}. Nothing was brought in.")
        try:
            files = store_files(brought, found, user, lambda done, total: _told(job, done, total))
            with transaction.atomic():
                job.hold(sure_of_lease=job.lease_by)  # whoever took the job over has written, or will
                lay_down(brought, found, files, user)
        except BaseException:
            discard_strays(brought.project)
            raise
    job.emit(STEP, f"{len(found.sections):,} sections are in.", counters={"sections": len(found.sections)})


def _read(brought: TextImport, blob: IO[bytes], tick: Callable[[], None]) -> Brought:
    format = state_of(brought)["format"]
    if format == "zip":
        return read_archive(blob, brought.name, state_of(brought).get("main", ""))  # not asked for in older imports
    data = blob.read()
    if format == "tex":
        return read_tex(data, brought.name, alone=state_of(brought)["into"] == THESIS)
    return read_document(data, format, brought.name, _free_stem(brought), tick)


def _free_stem(brought: TextImport) -> str:
    """Return what the paths of a document's pictures begin with, so that none of them is taken."""
    stem = posixpath.join(FIGURES, slugify(PurePosixPath(brought.name).stem)[:40].strip("-_") or "picture")
    paths = [path.casefold() for path in brought.project.thesis_files.values_list("path", flat=True)]
    stems = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return next(free for free in stems if not any(path.startswith(f"{free}-") for path in paths))


def _bring_references(job: Job, brought: TextImport, user: User) -> None:
    """Hand the .bib files on to the references of the thesis; a second time adds nothing twice."""
    result = state_of(brought)
    rows = {row["path"]: row for row in result["rows"]}
    for path in result["references"]:
        file: ThesisFile | None = brought.project.thesis_files.filter(path=path).first()
        if file is not None:
            became, warnings = _taken_in(job, brought.project, bytes_of(file))
            rows[path] |= {"became": became, "warnings": warnings}
    result["stage"] = DONE
    TextImport.objects.filter(pk=brought.pk).update(result=result)
    if result["references"]:
        start_check(brought.project, user)


def _taken_in(job: Job, project: Project, data: bytes) -> tuple[str, list[str]]:
    """Return what became of a file of references, and what to look at in it."""
    if not data.strip():
        return "references: 0", []
    try:
        reading, whole = read_text(checked(decode(data)), "bibtex", lambda done, total: asked_of(job))
    except Refused as refused:
        return "kept as it is", [refused.message]

    def after(done: int, part: Imported) -> None:
        _told(job, done, len(reading.entries))

    take_in(project, reading.entries, whole, check=True, after=after)
    came = len(whole.added) + len(whole.updated) + len(whole.unchanged)
    refused_ones = len(whole.by_outcome["refused"])
    told = f"references: {came:,}" + (f", {refused_ones:,} left out" if refused_ones else "")
    warnings = [f"Line {one.line}{f', {one.key}' if one.key else ''}: {one.message}" for one in whole.problems]
    more = len(warnings) - MOST_TOLD
    return told, warnings[:MOST_TOLD] + ([f"And {more:,} more."] if more > 0 else [])


def _told(job: Job, done: int, total: int) -> None:
    asked_of(job)
    set_progress(job, done, total)


def discard_strays(project: Project) -> None:
    """Delete the bytes of `project` that no row names: what an import left that did not come to its end."""
    folder = f"thesis/{project.pk}"
    with Project.objects.held(project.pk):
        # A picture that is put in meanwhile has bytes before its row.
        known = {
            str(pk)
            for model in (ThesisFile, TextImport)
            for pk in model.objects.filter(project=project).values_list("pk", flat=True)
        }
        try:
            names = default_storage.listdir(folder)[1]
        except FileNotFoundError:
            return
        for name in names:
            if name[:36] not in known:
                default_storage.delete(posixpath.join(folder, name))


def close(job: Job) -> None:
    """What an import leaves at its end, however it came to it: its report. The file itself is dropped."""
    brought: TextImport | None = TextImport.objects.select_related("project").filter(pk=job.subject).first()
    if brought is None or not brought.blob:
        return
    name = str(brought.blob.name)
    TextImport.objects.filter(pk=brought.pk).update(blob="")
    transaction.on_commit(lambda: default_storage.delete(name))
    if state_of(brought)["stage"] == WAITING:
        transaction.on_commit(lambda: discard_strays(brought.project))


def job_of(brought: TextImport) -> Job | None:
    """Return the job that brings a file in, or did."""
    return Job.objects.filter(project=brought.project_id, kind=KIND, subject=brought.pk).first()


def told(brought: TextImport, job: Job | None) -> dict[str, Any]:
    """Return where an import stands, for a page or a program.

    `stage` is waiting (nothing is in yet), text (the text is in, its references are not all) or done; `state` that of the
    job, `done` of `total` parts of its present step.
    """
    if job and job.has_ended and state_of(brought)["stage"] != DONE:
        brought.refresh_from_db(fields=["result"])  # it was read before the job, which may have ended in between
    result = state_of(brought)
    return {
        "into": result["into"],
        "stage": result["stage"],
        "state": str(job.state if job else State.DONE),
        "is_alive": bool(job and not job.has_ended),
        "done": job.progress if job else 0,
        "total": job.progress_total if job else 0,
        "reason": job.reason if job else "",
        "rows": result.get("rows", []),
        "notes": result.get("notes", []),
        "sections": result.get("sections", []),
    }
