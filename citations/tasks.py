"""Job handlers of this app: checking references, reading and importing the entries of long files."""

import time

from asgiref.sync import async_to_sync
from django.db import transaction
from django.http import Http404

from citations.importing import file_import
from citations.importing.stored_file_entries import (
    IMPORT,
    READ,
    delete_saved_entries,
    import_chosen,
    import_result,
    read_entries,
    save_import_result,
    save_reading,
    saved_reading,
)
from citations.resolution import check_job
from citations.resolution.check_job import check_all_due
from core.errors import Refused
from jobs.models import Job
from jobs.registry import always, job_handler, periodic_task
from jobs.work import Stopped, raise_if_stopped, set_progress
from projects.stored_files import StoredFile, has_file, stored_file

LONGEST = 600.0  # seconds that reading one file may take
PAUSE = 0.5  # seconds between two checks for a request to stop
_FILE_DELETED = "The file was deleted. Nothing was imported."


@job_handler(check_job.CHECK, page="citations:list", ended=check_job.finish_check)
def run_check(job: Job) -> None:
    """Check the due references of the job's thesis. Safe to run again after a crash: checked ones are no longer due."""
    async_to_sync(check_all_due)(job)
    check_job.start_free_copies(job.project, job.created_by or job.project.owner)


@job_handler(check_job.FREE_COPIES, page="citations:list")
def run_free_copies(job: Job) -> None:
    """Look for free copies of the works of the job's thesis. Safe to run again: works with a link are skipped."""
    async_to_sync(check_job.find_free_copies)(job)


@periodic_task(seconds=check_job.WATCHDOG_INTERVAL)
def start_due_checks() -> None:
    """Start a check for every thesis with due references."""
    check_job.start_due_checks()


@job_handler(file_import.IMPORT_JOB, page="citations:imported", ended=file_import.finish_import)
def run_import(job: Job) -> None:
    """Import an uploaded file of references. After a crash it resumes where it stopped."""
    file_import.run_import_job(job, _ProgressCallback(job))


@job_handler(READ, page="citations:entries_of", holds_data=always)
def run_read_entries(job: Job) -> None:
    """Read the entries of the job's file and save them. After a crash it starts again; nothing was saved."""
    file = _file_of(job)
    if saved_reading(job.project, file) is not None:
        return
    try:
        save_reading(job.project, file, read_entries(file, _ProgressCallback(job)))
    except Refused as refused:
        raise Stopped(refused.message) from refused
    if not has_file(job.project, file.id):  # deleted meanwhile: its entries must not stay
        delete_saved_entries(job.project_id, file.id)
        raise Stopped(_FILE_DELETED)


@job_handler(IMPORT, page="citations:entries_of", holds_data=always)
def run_import_entries(job: Job) -> None:
    """Import all new entries of the job's file, all or none, and save the result in the same transaction."""
    file = _file_of(job)
    if import_result(job):
        return
    reading = saved_reading(job.project, file)
    if reading is None:
        raise Stopped("The entries of this file must be read again first. Nothing was imported.")
    raise_if_stopped(job)
    with transaction.atomic():
        save_import_result(job, import_chosen(job.project, reading.entries, check=True))
    check_job.start_check(job.project, job.created_by or job.project.owner)


def _file_of(job: Job) -> StoredFile:
    try:
        return stored_file(job.project, job.subject)
    except Http404 as gone:
        raise Stopped(_FILE_DELETED) from gone


class _ProgressCallback:
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
        raise_if_stopped(self.job)
        set_progress(self.job, done, total)
