"""The job of a build: wait for compute slots, assemble, check images, run LaTeX, store the output (SPEC T6, N7)."""

import hashlib
import logging
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import DatabaseError, transaction
from django.utils import timezone

from core.errors import Refused
from jobs.compute_slots import QueueFull, hold_slots
from jobs.models import Job
from jobs.work import Stopped, raise_if_stopped
from projects.models import Project
from sections.models import Section
from thesis.latex_build import run_latex
from thesis.latex_build.build_limits import Limits
from thesis.latex_build.image_check import oversized
from thesis.latex_build.problems import Placed, problem, where
from thesis.latex_build.retention import prune
from thesis.latex_build.side_files import SideFiles, setup_key
from thesis.latex_build.start import KIND, PLACES
from thesis.latex_build.tex_messages import PlainMessage
from thesis.models import Build, BuildSideFiles, built_at
from thesis.page_places.page_map import SectionText
from thesis.page_places.printed_words import drop_words, store_words
from untrusted.pdf_words import words_of_pages

if TYPE_CHECKING:
    from thesis.manuscript import Manuscript

logger = logging.getLogger(__name__)

STEP = "build_step"  # the kind of the events that report progress
MOST_LOG = 400_000  # characters of a log that are stored, half from each end
_WRITTEN = re.compile(r"^Output written on .+ \((\d+) pages?, \d+ bytes\)", re.MULTILINE)
_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
_KEPT = "The last good PDF is still there."


def build(job: Job) -> None:
    """Run the build of `job`; after a crash, run it again from the beginning.

    Raises Stopped, with the first error and its place, when there is no output; the row has all errors then.
    """
    row: Build | None = Build.objects.select_related("project", "section").filter(job=job).first()
    if row is None:
        raise Stopped("This build was deleted.")
    if row.is_chapter and row.section is None:
        raise Stopped("The section to build was deleted.")
    if not row.ended_at:
        try:
            with hold_slots(job, PLACES, tell=partial(_tell_ahead, job)), _own_folder(row.pk) as folder:
                data, texts = _make(row, job, folder)
                _keep(row, job, data, texts)
        except QueueFull as busy:
            raise Stopped(str(busy)) from None
    if not row.output:
        raise Stopped(_failure_text(row))


def last_good(project: Project, section: Section | None = None) -> Build | None:
    """Return the newest successful PDF build of the thesis, or of its one `section`; None when there is none yet."""
    rows = Build.objects.filter(project=project, kind=Build.Kind.PDF).exclude(output="")
    rows = rows.filter(section=section) if section is not None else rows.filter(is_chapter=False)
    return rows.first()


def close(job: Job) -> None:
    """Set the end time of a build and delete its working folder, also when its worker was killed."""
    Build.objects.filter(job=job, ended_at=None).update(ended_at=timezone.now())
    transaction.on_commit(partial(shutil.rmtree, _folder_of(job.subject), ignore_errors=True))


def _folder_of(build_id: Any) -> Path:
    return Path(tempfile.gettempdir()) / f"scholium-build-{build_id}"


@contextmanager
def _own_folder(build_id: Any) -> Iterator[Path]:
    """Create an empty folder that only this user can read, and delete it afterwards."""
    folder = _folder_of(build_id)
    shutil.rmtree(folder, ignore_errors=True)  # left by an attempt that was killed
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _tell_ahead(job: Job, kinds: list[str]) -> None:
    _emit_step(job, f"{in_line(kinds)} It starts by itself.", counters={"ahead": len(kinds)})


def in_line(kinds: list[str]) -> str:
    """Return a sentence that says how many jobs are ahead in the queue."""
    many = len(kinds)
    what = "build" if set(kinds) == {KIND} else "job"
    return (
        f"{in_words(many, capital=True)} {what}{'' if many == 1 else 's'} "
        f"{'is' if many == 1 else 'are'} ahead of yours."
    )


def in_words(number: int, *, capital: bool = False) -> str:
    """Return a number as text: 2 as "two", 12 as "12"."""
    words = _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"
    return words if capital else words.lower()


def _emit_step(job: Job, said: str, counters: dict[str, Any] | None = None) -> None:
    job.emit(STEP, said, counters=counters or {"ahead": 0}, sure_of_lease=job.lease_by)


def _make(row: Build, job: Job, folder: Path) -> tuple[bytes | None, list[SectionText]]:
    """Build what `row` asks for, record the result on it, and return the output's bytes (None: the build failed).

    The second is the text that it was made from.
    """
    from thesis.manuscript_data import manuscript_of

    _emit_step(job, "Assembling the thesis")
    manuscript = manuscript_of(row.project)
    only = str(row.section_id) if row.section_id else None
    row.words = sum(chapter.words for chapter in manuscript.chapters if only in (None, chapter.id))
    texts = [SectionText(chapter.id, chapter.latex) for chapter in manuscript.chapters if only in (None, chapter.id)]
    if row.kind != Build.Kind.WORD and run_latex.latex_is_installed():
        return _by_latex(row, manuscript, only, job, folder), texts
    return _without_latex(row, manuscript, only, job), texts


def _by_latex(row: Build, manuscript: "Manuscript", only: str | None, job: Job, folder: Path) -> bytes | None:
    from thesis.assembly.assemble import assemble

    assembled = assemble(manuscript, only=only)
    raise_if_stopped(job)
    placed = Placed(manuscript, assembled)
    row.engine, row.fingerprint = Build.Engine.LATEX, fingerprint(assembled.files)
    row.problems = placed.of_pictures(oversized(assembled.files))
    if row.problems:
        return None
    limits = Limits(seconds=settings.BUILD_SECONDS)
    key = setup_key(assembled.files, assembled.main, run_latex.tools())
    done = run_latex.compile_latex(
        assembled.files,
        assembled.main,
        folder=folder,
        limits=limits,
        on_pass=lambda said: _emit_step(job, said),
        stop=_StopCheck(job),
        side=None if row.from_scratch else _left_by_last(row, key),
        moment=int(row.created_at.timestamp()),
    )
    if done.pdf is not None:
        _leave(row, key, done.side)
    row.problems, row.notes, read = placed.of_latex(done, limits)
    row.seconds, row.log = round(done.seconds, 3), _shortened(done)
    if done.pdf is not None:
        found = _WRITTEN.findall(done.log)
        row.pages, row.page_counts = int(found[-1]) if found else 0, placed.page_counts(read)
    return done.pdf


def _left_by_last(row: Build, key: str) -> SideFiles | None:
    """Return the side files of the last good build of the same text, if it was set up alike."""
    scope = BuildSideFiles.objects.filter(project=row.project, section=row.section, setup_key=key)
    packed = scope.values_list("packed", flat=True).first()
    return SideFiles.unpack(bytes(packed)) if packed else None


def _leave(row: Build, key: str, side: SideFiles | None) -> None:
    """Store `side` for the next build. They only save time: a database that cannot take them stops no build."""
    scope: dict[str, Any] = {"project": row.project, "section": row.section}
    try:
        with transaction.atomic():
            if side is None:
                BuildSideFiles.objects.filter(**scope).delete()
            else:
                new = {"setup_key": key, "packed": side.pack()}
                BuildSideFiles.objects.update_or_create(**scope, defaults=new)
    except DatabaseError:
        logger.warning("The side files of build %s could not be stored.", row.pk, exc_info=True)


def _without_latex(row: Build, manuscript: "Manuscript", only: str | None, job: Job) -> bytes:
    """Make a Word file or, on a server without LaTeX, a PDF by Typst."""
    is_word = row.kind == Build.Kind.WORD
    _emit_step(job, "Writing the Word file" if is_word else "Rendering a preview, because this server has no LaTeX")
    started = monotonic()
    try:
        if is_word:
            from thesis.word.docx import docx_of_thesis

            data, notes = docx_of_thesis(manuscript, _StopCheck(job))
        else:
            from thesis.preview.typeset import render_preview

            data, row.pages, notes, _ = render_preview(manuscript, only=only)
    except Refused as refused:
        raise Stopped(refused.message if is_word else f"{refused.message} {_KEPT}") from None
    row.engine = Build.Engine.PANDOC if is_word else Build.Engine.TYPST
    row.notes = [problem("note", PlainMessage(one)) for one in notes]
    row.seconds, row.fingerprint = round(monotonic() - started, 3), hashlib.sha256(data).hexdigest()
    return data


class _StopCheck:
    """A callable that checks at most twice a second whether somebody cancelled or paused the job."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.looked = monotonic()

    def __call__(self) -> None:
        if monotonic() - self.looked > 0.5:
            self.looked = monotonic()
            raise_if_stopped(self.job)


def _shortened(done: run_latex.LatexResult) -> str:
    log = f"{done.log}\n{done.references}".replace("\0", "")
    return log if len(log) <= MOST_LOG else f"{log[: MOST_LOG // 2]}\n...\n{log[-MOST_LOG // 2 :]}"


def _keep(row: Build, job: Job, data: bytes | None, texts: list[SectionText]) -> None:
    """Store the output and the row in one transaction. Raises LeaseLost when another worker has taken over the job."""
    raise_if_stopped(job)
    name = built_at(row, "")
    pages = None
    if data is not None and row.kind == Build.Kind.PDF:
        _emit_step(job, "Reading the words of the pages")
        pages = words_of_pages(data)
    row.ended_at = timezone.now()
    try:
        with transaction.atomic():
            job.hold(sure_of_lease=job.lease_by)
            try:
                default_storage.delete(name)  # left by an attempt that was killed before its row was written
                if data is not None:
                    row.size = len(data)
                    row.output.save(name, ContentFile(data), save=False)
                if pages:
                    store_words(row, pages, texts)
                row.save()
                prune(row.project)
            except BaseException:
                default_storage.delete(name)
                drop_words(row)
                raise
    except OSError as error:
        raise Stopped(
            f"The server could not store the file ({error.strerror}). Tell the administrator of this server."
        ) from error


def _failure_text(row: Build) -> str:
    """Return why the build failed, in a sentence or two."""
    errors = [one for one in row.problems if one["level"] == "error"]
    if not errors:
        return f"The build failed. {_KEPT}"
    at = where(errors[0])
    more = f" And {len(errors) - 1} more." if len(errors) > 1 else ""
    kept = f" {_KEPT}" if last_good(row.project, row.section) is not None else ""
    return f"{at + ': ' if at else ''}{errors[0]['title']}.{more}{kept}"


def fingerprint(files: Mapping[str, bytes]) -> str:
    """Return a digest of all files that a PDF is made from."""
    digest = hashlib.sha256()
    for path, data in sorted(files.items()):
        digest.update(f"{path}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()
