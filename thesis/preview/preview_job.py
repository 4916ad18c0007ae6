"""The job that makes a preview (SPEC T6)."""

from time import monotonic

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from core.errors import Refused
from jobs.models import Job
from jobs.work import Stopped, raise_if_stopped
from thesis.manuscript_data import manuscript_of
from thesis.models import Build
from thesis.page_places.page_map import SectionText
from thesis.page_places.printed_words import READ_AT_ONCE, drop_words, store_words
from thesis.preview.start import AROUND, drop_pages, fingerprint_of, page_name, previews_of
from thesis.preview.typeset import render_preview
from untrusted.pdf_words import words_of_pages

SCALE = 2.0  # pixels per point: an A4 page is 1,190 pixels wide


def make_preview(job: Job) -> None:
    """Make the preview of `job` from the current text; after a crash, make it again from the beginning.

    Does nothing when there is a newer preview of the section. Raises Stopped with the reason when it cannot be made.
    """
    build: Build | None = Build.objects.select_related("section", "project").filter(job=job).first()
    if build is None or build.section is None:
        raise Stopped("The section to preview was deleted.")
    if build.output or previews_of(build.section).filter(created_at__gt=build.created_at).exists():
        return
    looked_at = int((build.page_counts or {}).get("looked_at", 1))
    section_id = str(build.section_id)
    begun = monotonic()
    manuscript = manuscript_of(build.project, whole=False)
    around = range(max(looked_at - AROUND, 1), looked_at + AROUND + 1)
    try:
        drawn = render_preview(manuscript, only=section_id, draw=around, scale=SCALE)
    except Refused as refused:
        raise Stopped(refused.message) from None
    raise_if_stopped(job)
    for number, png in drawn.pictures.items():
        name = page_name(build, number)
        default_storage.delete(name)  # left by an attempt that was killed
        default_storage.save(name, ContentFile(png))
    build.page_counts = {"drawn": list(drawn.pictures)}
    build.output.save(str(build.pk), ContentFile(drawn.pdf), save=False)
    build.size, build.pages = len(drawn.pdf), drawn.pages
    build.notes = [{"level": "note", "said": one} for one in drawn.notes]
    build.words = next((one.words for one in manuscript.chapters if one.id == section_id), 0)
    build.fingerprint, build.seconds = fingerprint_of(manuscript, section_id), monotonic() - begun
    build.ended_at = timezone.now()
    fields = ["output", "size", "pages", "notes", "words", "page_counts", "fingerprint", "seconds", "ended_at"]
    with transaction.atomic():
        kept = Build.objects.filter(pk=build.pk, job__lease_by=job.lease_by).exists()
        if kept:
            build.save(update_fields=fields)
            for older in previews_of(build.section).filter(created_at__lt=build.created_at):
                older.delete()  # its files are deleted with it
    if not kept:  # the section was deleted, or another worker has taken over
        drop_pages(page_name(build, number) for number in drawn.pictures)
        build.output.delete(save=False)
        return
    if drawn.pages > READ_AT_ONCE:
        texts = [SectionText(one.id, one.latex) for one in manuscript.chapters if one.id == section_id]
        _store_words(build, drawn.pdf, texts)


def _store_words(build: Build, pdf: bytes, texts: list[SectionText]) -> None:
    """Store the words of a preview, whose pages are shown already, for those who click on them."""
    if pages := words_of_pages(pdf):
        store_words(build, pages, texts)
    if not Build.objects.filter(pk=build.pk).exists():  # replaced meanwhile
        drop_words(build)


def close(job: Job) -> None:
    """Set the end time of a preview. A failed one stays as long as it is the newest."""
    Build.objects.filter(job=job, ended_at=None).update(ended_at=timezone.now())
