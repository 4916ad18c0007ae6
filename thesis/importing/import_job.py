"""The job that imports a text into a thesis: it reads the file, stores the text, then adds the references (SPEC T2,
P1).

All rows of the text are written in one transaction. A job that is killed can therefore start again; the only thing to
clean up are stored bytes without a row. References are added afterwards, and adding them again is harmless.
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
from citations.importing.file_import import Imported, clean_import_text, import_in_batches, read_text
from citations.resolution.check_job import start_check
from core.errors import Refused
from jobs.models import Job, State
from jobs.work import Stopped, raise_if_stopped, set_progress
from latex.encoding import NotText
from latex.encoding import decode as decode_tex
from latex.headings import title_from_file_name
from latex.includes import FIGURES, documents
from projects.models import Project, User
from sections.models import MOST_SECTIONS, Section, TextImport, ThesisFile
from sections.thesis_files import bytes_of, check_size, short_name
from thesis.importing.read_upload import (
    UploadContent,
    format_of,
    import_state,
    read_archive,
    read_document,
    read_tex,
    save_rows,
    store_files,
)
from untrusted.archive import Archive

KIND = "bring_text"
STEP = "text_in"  # kind of the progress events
THESIS, SECTIONS = "thesis", "sections"  # what the file becomes
WAITING, TEXT, DONE = "waiting", "text", "done"  # stages of an import
MOST_TOLD = 30  # problems of a .bib file that the report keeps
MOST_NAMED = 20  # files listed in one sentence

log = logging.getLogger("scholium.thesis")


def start_thesis_import(
    user: User, upload: "File[bytes]", name: str, title: str = "", main: str = "", *, enqueue: bool = True
) -> TextImport:
    """Create a thesis of `user`, start the job that imports the file `upload` into it, and return the import.

    An empty `title` means the title in the file. `main` is the main file of a LaTeX project. Raises Refused, and
    creates nothing, for a file that obviously cannot be imported, and with the code "which_main" if several files can
    be the main file and none is named.
    """
    format = _checked_format(upload, name)
    main = _main_of(upload, short_name(name), main) if format == "zip" else ""
    with transaction.atomic():
        project = Project.objects.create_for(user, title=title[:300] or title_from_file_name(short_name(name)))
        Section.everything.filter(project=project).delete()  # the file has its own sections
        return _started(
            project,
            user,
            upload,
            name,
            {"into": THESIS, "titled": bool(title), "format": format, "main": main},
            enqueue,
        )


def start_sections_import(
    project: Project, user: User, upload: "File[bytes]", name: str, *, enqueue: bool = True
) -> TextImport:
    """Start the job that adds the sections of a .tex, .docx or .md file to `project`, and return the import.

    Raises Refused as `start_thesis_import` does, and (409, busy) while another import is running.
    """
    format = _checked_format(upload, name)
    if format == "zip":
        raise Refused(
            f"{short_name(name)} is a LaTeX project. Import it as a new thesis, or upload only the file that you need.",
            field="file",
            code="whole_project",
        )
    with Project.objects.held(project.pk):  # two clicks at once start one import
        if Job.objects.filter(project=project, kind=KIND, state__in=[State.QUEUED, State.RUNNING]).exists():
            raise Refused(
                "Another file is being imported. Wait until it is done, or stop it.",
                field="file",
                code="busy",
                status=409,
            )
        return _started(project, user, upload, name, {"into": SECTIONS, "format": format}, enqueue)


def _checked_format(upload: "File[bytes]", name: str) -> str:
    """Return the format of an upload after a quick check. Raises Refused for a file that cannot be imported."""
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
    """Return the main file chosen for a LaTeX project; "" if at most one file can be it. Raises Refused if unclear."""
    archive = Archive(upload, name)
    paths = [one.path for one in documents(archive.sizes, archive.read)]
    upload.seek(0)
    if chosen in paths or len(paths) < 2 and not chosen:
        return chosen
    if not paths:
        return ""  # the import itself reports this, with the reason
    listed = ", ".join(paths[:MOST_NAMED]) + (f" and {len(paths) - MOST_NAMED:,} more" if paths[MOST_NAMED:] else "")
    asks = (
        f"{name} has no main file called {chosen[:100]}." if chosen else f"{name} contains several documents."
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
            f"The server could not store {brought.name} ({error.strerror}). Contact the administrator of this server.",
            field="file",
            code="not_stored",
            status=507,
        ) from error
    except BaseException:
        default_storage.delete(str(brought.blob.name))
        raise
    return brought


def run_import(job: Job) -> None:
    """Import the file of `job`, continuing after the last finished stage. Raises Stopped with a sentence for people."""
    brought: TextImport | None = TextImport.objects.select_related("project").filter(pk=job.subject).first()
    if brought is None:
        raise Stopped("This import was deleted. Nothing was imported.")
    user = job.created_by or brought.project.owner
    try:
        if import_state(brought)["stage"] == WAITING:
            _bring_text(job, brought, user)
        if import_state(brought)["stage"] == TEXT:
            _bring_references(job, brought, user)
    except Refused as refused:
        raise Stopped(refused.message) from refused


def _bring_text(job: Job, brought: TextImport, user: User) -> None:
    delete_orphan_files(brought.project)  # files that a killed attempt left on the disk
    job.emit(STEP, f"Reading {brought.name}.")
    with brought.blob.open("rb") as blob:
        found = _read(brought, blob, partial(raise_if_stopped, job))
        left = MOST_SECTIONS - Section.objects.filter(project=brought.project).count()
        if len(found.sections) > left:
            raise Refused(
                f"{brought.name} has {len(found.sections):,} sections, but this thesis can only have {left} more (at "
                f"most {MOST_SECTIONS}). Move some of its headings one level down. Nothing was imported."
            )
        if not found.sections and not found.files and import_state(brought)["into"] == SECTIONS:
            raise Refused(f"No text was found in {brought.name}. Nothing was imported.")
        try:
            files = store_files(brought, found, user, lambda done, total: _report_progress(job, done, total))
            with transaction.atomic():
                job.hold(sure_of_lease=job.lease_by)  # a worker that took the job over writes the rows instead
                save_rows(brought, found, files, user)
        except BaseException:
            delete_orphan_files(brought.project)
            raise
    job.emit(STEP, f"{len(found.sections):,} sections imported.", counters={"sections": len(found.sections)})


def _read(brought: TextImport, blob: IO[bytes], tick: Callable[[], None]) -> UploadContent:
    format = import_state(brought)["format"]
    if format == "zip":
        return read_archive(blob, brought.name, import_state(brought).get("main", ""))  # older imports have no "main"
    data = blob.read()
    if format == "tex":
        return read_tex(data, brought.name, alone=import_state(brought)["into"] == THESIS)
    return read_document(data, format, brought.name, _free_stem(brought), tick)


def _free_stem(brought: TextImport) -> str:
    """Return a prefix for the paths of a document's pictures that no file of the thesis has."""
    stem = posixpath.join(FIGURES, slugify(PurePosixPath(brought.name).stem)[:40].strip("-_") or "picture")
    paths = [path.casefold() for path in brought.project.thesis_files.values_list("path", flat=True)]
    stems = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return next(free for free in stems if not any(path.startswith(f"{free}-") for path in paths))


def _bring_references(job: Job, brought: TextImport, user: User) -> None:
    """Add the entries of the .bib files to the references of the thesis. A second call adds nothing twice."""
    result = import_state(brought)
    rows = {row["path"]: row for row in result["rows"]}
    for path in result["references"]:
        file: ThesisFile | None = brought.project.thesis_files.filter(path=path).first()
        if file is not None:
            became, warnings = _import_bib_file(job, brought.project, bytes_of(file))
            rows[path] |= {"became": became, "warnings": warnings}
    result["stage"] = DONE
    TextImport.objects.filter(pk=brought.pk).update(result=result)
    if result["references"] or result.get("word") or result.get("typed"):
        start_check(brought.project, user)


def _import_bib_file(job: Job, project: Project, data: bytes) -> tuple[str, list[str]]:
    """Import a .bib file. Return what became of it, and warnings."""
    if not data.strip():
        return "references: 0", []
    try:
        reading, whole = read_text(clean_import_text(decode(data)), "bibtex", lambda done, total: raise_if_stopped(job))
    except Refused as refused:
        return "kept unchanged", [refused.message]

    def after(done: int, part: Imported) -> None:
        _report_progress(job, done, len(reading.entries))

    import_in_batches(project, reading.entries, whole, check=True, after=after)
    came = len(whole.added) + len(whole.updated) + len(whole.unchanged)
    refused_ones = len(whole.by_outcome["refused"])
    told = f"references: {came:,}" + (f", {refused_ones:,} left out" if refused_ones else "")
    warnings = [f"Line {one.line}{f', {one.key}' if one.key else ''}: {one.message}" for one in whole.problems]
    more = len(warnings) - MOST_TOLD
    return told, warnings[:MOST_TOLD] + ([f"And {more:,} more."] if more > 0 else [])


def _report_progress(job: Job, done: int, total: int) -> None:
    raise_if_stopped(job)
    set_progress(job, done, total)


def delete_orphan_files(project: Project) -> None:
    """Delete stored files of `project` without a row, which an import that did not finish has left behind."""
    folder = f"thesis/{project.pk}"
    with Project.objects.held(project.pk):
        # Locked, because a picture that is being added has its bytes stored before its row.
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


def finish_import(job: Job) -> None:
    """Clean up after an import, however it ended: delete the uploaded file and keep the report."""
    brought: TextImport | None = TextImport.objects.select_related("project").filter(pk=job.subject).first()
    if brought is None or not brought.blob:
        return
    name = str(brought.blob.name)
    TextImport.objects.filter(pk=brought.pk).update(blob="")
    transaction.on_commit(lambda: default_storage.delete(name))
    if import_state(brought)["stage"] == WAITING:
        transaction.on_commit(lambda: delete_orphan_files(brought.project))


def job_of(brought: TextImport) -> Job | None:
    """Return the job of an import, or None."""
    return Job.objects.filter(project=brought.project_id, kind=KIND, subject=brought.pk).first()


def progress_of_import(brought: TextImport, job: Job | None) -> dict[str, Any]:
    """Return the progress of an import, for its page and the API.

    `stage` is waiting (nothing imported yet), text (the text is imported, its references are not all) or done. `state`
    is that of the job; `done` and `total` count within its present step.
    """
    if job and job.has_ended and import_state(brought)["stage"] != DONE:
        brought.refresh_from_db(fields=["result"])  # the job may have ended after the import was read
    result = import_state(brought)
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
        "typed": len(result.get("typed", [])),
        **(result.get("word") or {"came": [], "unplaced": []}),  # older imports have none
    }
