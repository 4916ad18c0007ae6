"""Job handlers of this app: checking references, reading and importing the entries of long files."""

import time

from asgiref.sync import async_to_sync
from django.db import transaction
from django.http import Http404

from citations.importing import file_import
from citations.importing.stored_file_entries import (
    IMPORT,
    READ,
    bring_in,
    discard,
    keep,
    kept,
    read_entries,
    tell,
    what_it_brought,
)
from citations.resolution import check_job
from citations.resolution.check_job import conduct
from core.errors import Refused
from jobs.models import Job
from jobs.registry import always, does, regularly
from jobs.work import Stopped, asked_of, set_progress
from projects.stored_files import StoredFile, has_file, stored_file

LONGEST = 600.0  # seconds that reading one file may take
PAUSE = 0.5  # seconds between two checks for a request to stop
_GONE = "The file was deleted. Nothing was imported."


@does(check_job.CHECK, page="citations:list", ended=check_job.close)
def check(job: Job) -> None:
    """Check the due references of the job's thesis. Safe to run again after a crash: checked ones are no longer due."""
    async_to_sync(conduct)(job)
    check_job.start_looking(job.project, job.created_by or job.project.owner)


@does(check_job.COPIES, page="citations:list")
def look_for_free_copies(job: Job) -> None:
    """Look for free copies of the works of the job's thesis. Safe to run again: works with a link are skipped."""
    async_to_sync(check_job.look)(job)


@regularly(seconds=check_job.LOOK)
def start_due_checks() -> None:
    """Start a check for every thesis with due references."""
    check_job.start_due_checks()


@does(file_import.BRING, page="citations:imported", ended=file_import.close)
def bring(job: Job) -> None:
    """Import an uploaded file of references. After a crash it resumes where it stopped."""
    file_import.carry_on(job, _Watch(job))


@does(READ, page="citations:entries_of", holds_data=always)
def read(job: Job) -> None:
    """Read the entries of the job's file and save them. After a crash it starts again; nothing was saved."""
    file = _file_of(job)
    if kept(job.project, file) is not None:
        return
    try:
        keep(job.project, file, read_entries(file, _Watch(job)))
    except Refused as refused:
        raise Stopped(refused.message) from refused
    if not has_file(job.project, file.id):  # deleted meanwhile: its entries must not stay
        discard(job.project_id, file.id)
        raise Stopped(_GONE)


@does(IMPORT, page="citations:entries_of", holds_data=always)
def import_all(job: Job) -> None:
    """Import all new entries of the job's file, all or none, and save the result in the same transaction."""
    file = _file_of(job)
    if what_it_brought(job):
        return
    reading = kept(job.project, file)
    if reading is None:
        raise Stopped("The entries of this file must be read again first. Nothing was imported.")
    asked_of(job)
    with transaction.atomic():
        tell(job, bring_in(job.project, reading.entries, check=True))
    check_job.start_check(job.project, job.created_by or job.project.owner)


def _file_of(job: Job) -> StoredFile:
    try:
        return stored_file(job.project, job.subject)
    except Http404 as gone:
        raise Stopped(_GONE) from gone


class _Watch:
    """A callback that saves the progress of a reading, and stops it on request or when it takes too long."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.end = time.monotonic() + LONGEST
        self.next = 0.0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now < self.next:
            return
        if now > self.end:
            raise Stopped(f"Reading took longer than {LONGEST / 60:g} minutes. Split the file and upload the parts.")
        self.next = now + PAUSE
        asked_of(self.job)
        set_progress(self.job, done, total)
