"""Reading and importing the entries of a stored file, at a person's request, at once or as a job (SPEC X1, C10).

The entries read are saved beside the files, so that they can be listed and imported without reading the file again;
they are deleted with the file. They are no references until somebody imports them. An import only adds: a work that
already exists stays unchanged, and an entry whose key another work has gets a new key.
"""

import json
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any
from uuid import UUID

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from pydantic import TypeAdapter

from citations.formats.bibtex import read_bibtex
from citations.formats.csl import columns_of, make_key
from citations.formats.reading import Entry, Problem, ProgressCallback, Reading, clean_text, decode, no_progress
from citations.formats.ris_reader import read_ris
from citations.importing.upsert import Upsert, UpsertResult
from citations.matching import Match
from citations.models import Citation
from citations.resolution.check_job import start_check
from core.errors import Refused
from jobs.models import Job, JobEvent, JobQuerySet
from projects.models import Project, User
from projects.stored_files import StoredFile

READERS = {"bib": read_bibtex, "ris": read_ris}
MAX_BYTES = 25_000_000  # size of a file whose entries can be read
MAX_ENTRIES = 20_000
AT_ONCE = 1_000_000  # size of a file that a request tries to read itself
PATIENCE = 1.0  # seconds that a request reads before a job takes over
MAX_TEXT = 2_000  # characters shown of an entry that cannot be read
MAX_PROBLEMS = 5_000
_VERSION = 2  # increase it when a reader returns other entries for the same bytes, or the saved format changes
_EXPECTED = {"bib": "BibTeX (@article{...})", "ris": "RIS (TY  - JOUR)"}


@dataclass
class ComparedEntry:
    """An entry of a file compared with the references of a thesis.

    `number` counts from 1 in the file. `name` identifies it (`entry_names`), `into` is the key it would be imported
    under. `here` is the same work among the references, `twin` the same work earlier in the file, `wrong` why it cannot
    be imported.
    """

    number: int
    entry: Entry
    name: str
    into: str
    here: Match | None = None
    twin: Match | None = None
    wrong: str = ""

    @cached_property
    def row(self) -> Citation:
        """The entry as a reference that is not saved."""
        return Citation(**columns_of(self.entry))

    @property
    def is_new(self) -> bool:
        """Whether the entry can be imported and its work does not exist yet."""
        return not (self.here or self.twin or self.wrong)


@dataclass(frozen=True)
class Skipped:
    """An entry that was not imported, and why."""

    key: str
    why: str


@dataclass(frozen=True)
class Renamed:
    """An entry that was imported under another key than its own."""

    key: str
    new_key: str


@dataclass
class EntriesImport:
    """The result of importing a file's entries: imported cite keys, skipped and renamed entries, remarks (`notes`)."""

    imported: list[str] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    renamed: list[Renamed] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)


def entry_names(entries: Sequence[Entry]) -> list[str]:
    """Return a name for each entry of a file: its key, or a made key that is unique and always the same."""
    taken = {entry.key.casefold() for entry in entries}
    names: list[str] = []
    for entry in entries:
        names.append(entry.key or make_key(entry.csl, taken))
        taken.add(names[-1].casefold())
    return names


def compare_entries(project: Project, entries: Sequence[Entry]) -> list[ComparedEntry]:
    """Compare each entry of a file with the references of `project`, in the order of the file. Changes nothing."""
    return [one for one, _ in _sorted(Upsert(project), entries, entry_names(entries))]


def import_chosen(
    project: Project, entries: Sequence[Entry], names: Collection[str] | None = None, *, check: bool = False
) -> EntriesImport:
    """Import the entries with these `names` (see `Found.name`), or all new ones for None.

    All are imported or, when something fails, none. With `check` they are queued to be looked up.
    """
    called = entry_names(entries)
    chosen = set(called if names is None else names)
    coming = [(entry, name) for entry, name in zip(entries, called, strict=True) if name in chosen]
    brought = EntriesImport()
    with Project.objects.held(project.pk):
        upsert = Upsert(project, check=check)
        upsert.shelf.keys.reserve(called)
        for one, taken in _sorted(upsert, *zip(*coming, strict=True)) if coming else ():
            _report_entry(brought, upsert, one, taken)
        upsert.write()
    brought.skipped += [
        Skipped(name, "This file has no entry with this key.") for name in sorted(chosen.difference(called))
    ]
    return brought


def _sorted(
    upsert: Upsert, entries: Sequence[Entry], names: Sequence[str]
) -> Iterator[tuple[ComparedEntry, UpsertResult]]:
    """Yield each entry with its outcome; entries without a key are imported under their names."""
    called: dict[str, str] = {}  # names of entries by the key they would be imported under
    taken = upsert.sort([replace(entry, key=name) for entry, name in zip(entries, names, strict=True)])
    for number, (entry, name, one) in enumerate(zip(entries, names, taken, strict=True), 1):
        found = ComparedEntry(number, entry, name, "", wrong=f"{one.wrong} It cannot be imported." if one.wrong else "")
        if one.outcome == "added":
            found.into = one.row.cite_key
            called[found.into] = name
        elif one.match and one.match.work.key in called:
            found.twin = one.match._replace(work=one.match.work._replace(key=called[one.match.work.key]))
            found.into = upsert.shelf.key_for(entry.csl, name)  # a person may choose this entry instead of its twin
        elif one.match:
            found.here = one.match
        yield found, one


def _report_entry(brought: EntriesImport, upsert: Upsert, one: ComparedEntry, taken: UpsertResult) -> None:
    """Add the outcome of a chosen entry to the result, and save its further keys."""
    if one.is_new:
        upsert.add_ids_aliases(taken)
        brought.imported.append(one.into)
        brought.notes += [Problem(one.entry.line, one.into, doubt) for doubt in taken.doubts]
        if one.entry.key not in ("", one.into):
            brought.renamed.append(Renamed(one.name, one.into))
        return
    same, key, why = one.here or one.twin, one.entry.key, one.wrong
    if same:
        is_further = key not in ("", taken.reference[1]) and upsert.know_as(taken)
        where = "Already in your references" if one.here else "Already in this file"
        also = f" The text may cite it as {key} too." if is_further else ""
        why = f"{where} as {same.work.key}: same {same.by}.{also}"
    brought.skipped.append(Skipped(one.name, why))


class ReadingTimeout(Exception):
    """A request has taken too long to read a file; a job does it instead."""


def check_readable(file: StoredFile) -> None:
    """Raise Refused for a file of another format or one that is too large."""
    if file.format not in READERS:
        raise Refused(
            f"{file.name} is not a file of references. Entries can be read from BibTeX (.bib) and RIS (.ris) files.",
            field="file",
            code="format",
            status=400,
        )
    if file.size > MAX_BYTES:
        raise Refused(
            f"{file.name} is larger than {MAX_BYTES // 1_000_000} MB. Split it and upload the parts.",
            field="file",
            code="too_big",
            status=413,
        )


def read_entries(file: StoredFile, tick: ProgressCallback = no_progress) -> Reading:
    """Read a file: return its entries in order, and the parts that could not be read with their text.

    Raises Refused as `check` does and when the file is missing on the disk, and what `tick` raises.
    """
    check_readable(file)
    try:
        text = clean_text(decode(file.read()))
    except OSError as error:
        raise Refused(f"{file.name} cannot be read from the disk.", field="file", code="gone", status=404) from error
    if text.count("@" if file.format == "bib" else "TY  -") > 5 * MAX_ENTRIES:
        raise Refused(f"{file.name} has too many entries. Split it and upload the parts.", field="file", status=413)
    reading = READERS[file.format](text, tick)
    if not reading.entries and not reading.problems:
        said = f"No entries were found. The file should contain {_EXPECTED[file.format]}."
        reading.problems.append(Problem(1, "", said, text))
    if len(reading.entries) > MAX_ENTRIES:
        said = f"Only the first {MAX_ENTRIES:,} entries were read. Split the file and upload the parts."
        reading.problems.append(Problem(reading.entries[MAX_ENTRIES].line, "", said))
    problems = sorted(reading.problems, key=lambda problem: problem.line)
    if len(problems) > MAX_PROBLEMS:
        said = f"There are {len(problems) - MAX_PROBLEMS:,} more problems from here on. They are not listed."
        problems[MAX_PROBLEMS:] = [Problem(problems[MAX_PROBLEMS].line, "", said)]
    return Reading(reading.entries[:MAX_ENTRIES], [_shortened(problem) for problem in problems])


def time_limit(seconds: float) -> ProgressCallback:
    """Return a progress callback that raises ReadingTimeout after `seconds`."""
    end = time.monotonic() + seconds

    def tick(done: int, total: int) -> None:
        if time.monotonic() > end:
            raise ReadingTimeout

    return tick


def saved_reading(project: Project, file: StoredFile) -> Reading | None:
    """Return the saved entries of a file; None when it was never read, or by an older version."""
    try:
        with default_storage.open(_storage_path(project.pk, file.id), "rb") as stored:
            found = json.load(stored)
    except (OSError, ValueError):
        return None
    if found["version"] != _VERSION or found["sha256"] != file.sha256:
        return None
    return Reading([Entry(**entry) for entry in found["entries"]], [Problem(**one) for one in found["problems"]])


def save_reading(project: Project, file: StoredFile, reading: Reading) -> None:
    """Save the entries of a file. Raises Refused when the disk refuses."""
    made: dict[str, Any] = {"version": _VERSION, "sha256": file.sha256, **asdict(reading)}
    place = _storage_path(project.pk, file.id)
    try:
        default_storage.delete(place)
        saved = default_storage.save(place, ContentFile(json.dumps(made, ensure_ascii=False).encode()))
        if saved != place:  # another process saved the same entries first
            default_storage.delete(saved)
    except OSError as error:
        raise Refused(
            f"The server could not save the entries ({error.strerror}). Contact your administrator.",
            field="file",
            code="not_stored",
            status=507,
        ) from error


def delete_entries_of_file(project_id: UUID, file_id: UUID, **_: Any) -> None:
    """Delete the saved entries of a file when the file is deleted (receiver of file_deleted)."""
    transaction.on_commit(lambda: delete_saved_entries(project_id, file_id))


def delete_saved_entries(project_id: UUID, file_id: UUID) -> None:
    """Delete the saved entries of a file, if there are any."""
    default_storage.delete(_storage_path(project_id, file_id))


def _storage_path(project_id: UUID, file_id: UUID) -> str:
    return f"entries/{project_id}/{file_id}.json"


def _shortened(problem: Problem) -> Problem:
    left_out = len(problem.text) - MAX_TEXT
    return replace(
        problem, text=f"{problem.text[:MAX_TEXT]}… and {left_out:,} more characters" if left_out > 0 else problem.text
    )


READ, IMPORT = "read_entries", "import_entries"  # kinds of jobs; their subject is the file
IMPORTED = "entries_imported"  # the kind of the event with the result of an import
MOST_AT_ONCE = 1_000  # entries that a request imports itself


def read_file(project: Project, file: StoredFile, user: User) -> Reading | Job:
    """Read the entries of a file at a person's request: return them, or the job that reads them when it takes long.

    Raises Refused for a file that is of another format, is too large, or cannot be opened.
    """
    check_readable(file)
    if reading := saved_reading(project, file):
        return reading
    running = running_job(project, file)
    if running is None and file.size <= AT_ONCE:
        with suppress(ReadingTimeout):
            reading = read_entries(file, time_limit(PATIENCE))
            save_reading(project, file, reading)
            return reading
    return running or _begin(READ, project, file, user)


def import_file(project: Project, file: StoredFile, user: User, names: Collection[str] | None) -> EntriesImport | Job:
    """Import the entries with these `names`, or all new ones for None: return the result, or the job that does it.

    Imported entries are then looked up (SPEC C2). Raises Refused when the file was not read yet, so that nobody imports
    entries unseen.
    """
    check_readable(file)
    if running := running_job(project, file):
        return running
    reading = saved_reading(project, file)
    if reading is None:
        raise Refused("Read the entries of this file first.", field="file", code="not_read", status=409)
    if names is None and len(reading.entries) > MOST_AT_ONCE:
        return _begin(IMPORT, project, file, user)
    if names is not None and len(names) > MOST_AT_ONCE:
        raise Refused(f"Choose at most {MOST_AT_ONCE:,} entries at once, or all.", field="keys", code="too_many")
    brought = import_chosen(project, reading.entries, names, check=True)
    start_check(project, user)
    return brought


def running_job(project: Project, file: StoredFile) -> Job | None:
    """Return the running job that reads or imports the entries of a file, if there is one."""
    return _jobs(project, file).alive().first()


def last_job(project: Project, file: StoredFile) -> Job | None:
    """Return the last job that read or imported the entries of a file, in whatever state."""
    return _jobs(project, file).first()


def _jobs(project: Project, file: StoredFile) -> JobQuerySet:
    return Job.objects.filter(project=project, subject=file.id, kind__in=[READ, IMPORT])


def save_import_result(job: Job, brought: EntriesImport) -> None:
    """Save the result of an import job as an event: imported, renamed and skipped entries."""
    count = len(brought.imported)
    job.emit(
        IMPORTED,
        f"{count:,} reference{'' if count == 1 else 's'} imported, {len(brought.skipped):,} left out.",
        counters={"imported": count},
        details=asdict(brought),
        sure_of_lease=job.lease_by,
    )


def import_result(job: Job) -> EntriesImport | None:
    """Return the result of an import job; None when it has none."""
    event = JobEvent.objects.filter(job=job, kind=IMPORTED).first()
    return TypeAdapter(EntriesImport).validate_python(event.details) if event else None


def _begin(kind: str, project: Project, file: StoredFile, user: User) -> Job:
    with Project.objects.held(project.pk):  # the lock prevents two jobs by a double click
        return running_job(project, file) or Job.objects.start(project=project, kind=kind, subject=file.id, user=user)
