"""Reading the entries of a stored file and importing them: at once where that is quick, else as a job (SPEC X1, C10)."""

from collections.abc import Collection
from dataclasses import asdict
from typing import Any

from django.db import transaction

from citations.arriving.bringing import Brought, Renamed, Skipped, bring_in
from citations.arriving.readings import AT_ONCE, PATIENCE, TookLong, check, keep, kept, read_entries, within
from citations.check.checking import start_check
from citations.formats.entries import Problem, Reading
from core.errors import Refused
from jobs.models import Job, JobEvent, JobQuerySet
from projects.files import StoredFile
from projects.models import Project, User

READ, IMPORT = "read_entries", "import_entries"  # kinds of jobs; their subject is the file
IMPORTED = "entries_imported"  # the kind of the event that tells what an import did
MOST_AT_ONCE = 1_000  # entries that a request imports


def read_file(project: Project, file: StoredFile, user: User) -> Reading | Job:
    """The entries of a file, which somebody asked to read; or the job that reads them, when they take long.

    Raises Refused for a file that holds none, is too large, or cannot be opened.
    """
    check(file)
    reading = kept(project, file)
    if reading is not None:
        return reading
    running = working(project, file)
    if running is None and file.size <= AT_ONCE:
        try:
            reading = read_entries(file, within(PATIENCE))
        except TookLong:
            pass
        else:
            keep(project, file, reading)
            return reading
    return running or _begin(READ, project, file, user)


def import_file(project: Project, file: StoredFile, user: User, names: Collection[str] | None) -> Brought | Job:
    """Import the entries called `names` of a file that was read, None: all new ones; or the job that does it.

    What comes in is then looked up (SPEC C2).

    Raises Refused when the file was not read yet: nothing is imported that nobody has seen.
    """
    check(file)
    if running := working(project, file):
        return running
    reading = kept(project, file)
    if reading is None:
        raise Refused("Read the entries of this file first.", field="file", code="not_read", status=409)
    if names is None and len(reading.entries) > MOST_AT_ONCE:
        return _begin(IMPORT, project, file, user)
    if names is not None and len(names) > MOST_AT_ONCE:
        raise Refused(f"Choose at most {MOST_AT_ONCE:,} entries at once, or all.", field="keys", code="too_many")
    brought = bring_in(project, reading.entries, names, check=True)
    start_check(project, user)
    return brought


def working(project: Project, file: StoredFile) -> Job | None:
    """The job that reads or imports the entries of a file just now."""
    return _jobs(project, file).alive().first()


def last_job(project: Project, file: StoredFile) -> Job | None:
    """The job that did so last, however it ended."""
    return _jobs(project, file).first()


def _jobs(project: Project, file: StoredFile) -> JobQuerySet:
    found: JobQuerySet = Job.objects.filter(project=project, subject=file.id, kind__in=[READ, IMPORT])
    return found


def tell(job: Job, brought: Brought) -> None:
    """Write down with an import job what it did: its number of references, and what was renamed or left out."""
    count = len(brought.imported)
    said = f"{count:,} reference{'' if count == 1 else 's'} imported, {len(brought.skipped):,} left out."
    details: dict[str, Any] = asdict(brought)
    job.emit(IMPORTED, said, counters={"imported": count}, details=details, sure_of_lease=job.lease_by)


def what_it_brought(job: Job) -> Brought | None:
    """What an import job did; None when it did nothing."""
    event = JobEvent.objects.filter(job=job, kind=IMPORTED).first()
    if event is None:
        return None
    told = event.details
    return Brought(
        told["imported"],
        [Skipped(**one) for one in told["skipped"]],
        [Renamed(**one) for one in told["renamed"]],
        [Problem(**one) for one in told["notes"]],
    )


def _begin(kind: str, project: Project, file: StoredFile, user: User) -> Job:
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # two clicks at once: one job
        running = working(project, file)
        return running or Job.objects.start(project=project, kind=kind, subject=file.id, user=user)
