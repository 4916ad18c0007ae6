"""Making a preview: the job (SPEC T6)."""

from time import monotonic

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from core.errors import Refused
from jobs.models import Job
from jobs.work import Stopped, asked_of
from thesis.manuscript_data import manuscript_of
from thesis.models import Build
from thesis.preview.start import AROUND, drop_pages, fingerprint_of, page_name, previews_of
from thesis.preview.typeset import set_preview

SCALE = 2.0  # pixels a point: 1,190 across an A4 page


def make_preview(job: Job) -> None:
    """Make the preview of `job` from the text as it stands now. Again after a crash: it begins anew.

    Raises Stopped, saying why, where it cannot be set; a newer one of the same section is left to be the one.
    """
    build: Build | None = Build.objects.select_related("section", "project").filter(job=job).first()
    if build is None or build.section is None:
        raise Stopped("The section that this was to show is gone.")
    if build.output or previews_of(build.section).filter(created_at__gt=build.created_at).exists():
        return
    looked_at = int((build.page_counts or {}).get("looked_at", 1))
    section_id = str(build.section_id)
    begun = monotonic()
    manuscript = manuscript_of(build.project, whole=False)
    around = range(max(looked_at - AROUND, 1), looked_at + AROUND + 1)
    try:
        drawn = set_preview(manuscript, only=section_id, draw=around, scale=SCALE)
    except Refused as refused:
        raise Stopped(refused.message) from None
    asked_of(job)
    for number, png in drawn.pictures.items():
        name = page_name(build, number)
        default_storage.delete(name)  # of an attempt that was killed
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
                older.delete()  # its bytes go with it
    if not kept:  # the section is gone, or another worker goes on
        drop_pages(page_name(build, number) for number in drawn.pictures)
        build.output.delete(save=False)


def close(job: Job) -> None:
    """The end of a preview, however it came to it. One that failed stays as long as it is the newest."""
    Build.objects.filter(job=job, ended_at=None).update(ended_at=timezone.now())
