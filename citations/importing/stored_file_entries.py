"""The entries of a stored file, read when a person asks for it and never before, and imported: at once, or as a job (SPEC X1, C10).

What was read is kept beside the files, so that the list can be looked at and imported without reading again, and goes
when the file goes. It is no part of the references until somebody imports it. An import adds and never changes: a work
that is here already stays as it is, and an entry whose key another work has comes in under a key of its own.
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
from citations.formats.reading import Entry, Problem, Reading, Tick, cleaned, decode, no_tick
from citations.formats.ris_reader import read_ris
from citations.importing.upsert import Taken, Upsert
from citations.matching import Match
from citations.models import Citation
from citations.resolution.check_job import start_check
from core.errors import Refused
from jobs.models import Job, JobEvent, JobQuerySet
from projects.models import Project, User
from projects.stored_files import StoredFile

READERS = {"bib": read_bibtex, "ris": read_ris}
MAX_BYTES = 25_000_000  # of a file whose entries are read
MAX_ENTRIES = 20_000
AT_ONCE = 1_000_000  # bytes of a file that a request tries to read; cutting them up takes no time worth telling
PATIENCE = 1.0  # seconds a request reads, then a job does it
MAX_TEXT = 2_000  # characters shown of an entry that cannot be read
MAX_PROBLEMS = 5_000
_VERSION = 2  # raise it when the same bytes read differently, or what is kept looks differently
_EXPECTED = {"bib": "BibTeX (@article{...})", "ris": "RIS (TY  - JOUR)"}


@dataclass
class Found:
    """An entry of a file against the references of a thesis.

    `number` counts from 1 in the file. `name` is what it is called here (`names_of`), `into` the key it comes in
    under. `here` is the same work among the references, `twin` the same work earlier in the file, `wrong` why it
    cannot come in.
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
        """The entry as the reference it would be. It is not stored."""
        return Citation(**columns_of(self.entry))

    @property
    def is_new(self) -> bool:
        return not (self.here or self.twin or self.wrong)


@dataclass(frozen=True)
class Skipped:
    """An entry that did not come in, and why."""

    key: str
    why: str


@dataclass(frozen=True)
class Renamed:
    """An entry that came in under another key than its own."""

    key: str
    new_key: str


@dataclass
class Brought:
    """What an import of a file's entries did: cite keys that came in, and what did not; `notes` are things to look at."""

    imported: list[str] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    renamed: list[Renamed] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)


def names_of(entries: Sequence[Entry]) -> list[str]:
    """Return what each entry of a file is called: its key; where it has none, one that no other has, always the same."""
    taken = {entry.key.casefold() for entry in entries}
    names: list[str] = []
    for entry in entries:
        names.append(entry.key or make_key(entry.csl, taken))
        taken.add(names[-1].casefold())
    return names


def compare(project: Project, entries: Sequence[Entry]) -> list[Found]:
    """Return each entry of a file against the references of `project`, in the file's order. Changes nothing."""
    return [one for one, _ in _sorted(Upsert(project), entries, names_of(entries))]


def bring_in(
    project: Project, entries: Sequence[Entry], names: Collection[str] | None = None, *, check: bool = False
) -> Brought:
    """Import the entries that `names` calls by their `Found.name`; None: all that are new.

    All of them or, when something fails, none. With `check` they wait to be looked up.
    """
    called = names_of(entries)
    chosen = set(called if names is None else names)
    coming = [(entry, name) for entry, name in zip(entries, called, strict=True) if name in chosen]
    brought = Brought()
    with Project.objects.held(project.pk):
        upsert = Upsert(project, check=check)
        upsert.shelf.keys.reserve(called)
        for one, taken in _sorted(upsert, *zip(*coming, strict=True)) if coming else ():
            _bring(brought, upsert, one, taken)
        upsert.write()
    brought.skipped += [Skipped(name, "This file has no such entry.") for name in sorted(chosen.difference(called))]
    return brought


def _sorted(upsert: Upsert, entries: Sequence[Entry], names: Sequence[str]) -> Iterator[tuple[Found, Taken]]:
    """Yield each entry with what becomes of it; those without a key come in under their names."""
    called: dict[str, str] = {}  # entries of the file by the key they come in under
    taken = upsert.sort([replace(entry, key=name) for entry, name in zip(entries, names, strict=True)])
    for number, (entry, name, one) in enumerate(zip(entries, names, taken, strict=True), 1):
        found = Found(number, entry, name, "", wrong=f"{one.wrong} It cannot come in." if one.wrong else "")
        if one.outcome == "added":
            found.into = one.row.cite_key
            called[found.into] = name
        elif one.match and one.match.work.key in called:
            found.twin = one.match._replace(work=one.match.work._replace(key=called[one.match.work.key]))
            found.into = upsert.shelf.key_for(entry.csl, name)  # a person may choose this one of the two
        elif one.match:
            found.here = one.match
        yield found, one


def _bring(brought: Brought, upsert: Upsert, one: Found, taken: Taken) -> None:
    """Write down what became of a chosen entry, and keep its further keys."""
    if one.is_new:
        upsert.know_ids(taken)
        brought.imported.append(one.into)
        brought.notes += [Problem(one.entry.line, one.into, doubt) for doubt in taken.doubts]
        if one.entry.key not in ("", one.into):
            brought.renamed.append(Renamed(one.name, one.into))
        return
    same, key, why = one.here or one.twin, one.entry.key, one.wrong
    if same:
        is_further = key not in ("", taken.reference[1]) and upsert.know_as(taken)
        where = "Already in your references" if one.here else "The same work is in this file"
        also = f" The text may cite it as {key} too." if is_further else ""
        why = f"{where} as {same.work.key}: same {same.by}.{also}"
    brought.skipped.append(Skipped(one.name, why))


class TookLong(Exception):
    """A request has no more time to read this file; a job does it."""


def check(file: StoredFile) -> None:
    """Raise Refused, with a sentence, for a file whose entries are not read."""
    if file.format not in READERS:
        raise Refused(
            f"{file.name} holds no references. Entries are read from BibTeX (.bib) and RIS (.ris) files.",
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


def read_entries(file: StoredFile, tick: Tick = no_tick) -> Reading:
    """Return all entries of a file, in its order, and what could not be read, with its text.

    Raises Refused as `check` does and when the bytes are not there, and what `tick` raises.
    """
    check(file)
    try:
        text = cleaned(decode(file.read()))
    except OSError as error:
        raise Refused(f"{file.name} cannot be read from the disk.", field="file", code="gone", status=404) from error
    if text.count("@" if file.format == "bib" else "TY  -") > 5 * MAX_ENTRIES:
        raise Refused(f"{file.name} holds too many entries. Split it and upload the parts.", field="file", status=413)
    reading = READERS[file.format](text, tick)
    if not reading.entries and not reading.problems:
        said = f"No entries were found. Expected is {_EXPECTED[file.format]}."
        reading.problems.append(Problem(1, "", said, text))
    if len(reading.entries) > MAX_ENTRIES:
        said = f"Only the first {MAX_ENTRIES:,} entries were read. Split the file and upload the parts."
        reading.problems.append(Problem(reading.entries[MAX_ENTRIES].line, "", said))
    problems = sorted(reading.problems, key=lambda problem: problem.line)
    if len(problems) > MAX_PROBLEMS:
        said = f"{len(problems) - MAX_PROBLEMS:,} more things are wrong from here on. They are not listed."
        problems[MAX_PROBLEMS:] = [Problem(problems[MAX_PROBLEMS].line, "", said)]
    return Reading(reading.entries[:MAX_ENTRIES], [_shortened(problem) for problem in problems])


def within(seconds: float) -> Tick:
    """Return a tick that raises TookLong once `seconds` are over."""
    end = time.monotonic() + seconds

    def tick(done: int, total: int) -> None:
        if time.monotonic() > end:
            raise TookLong

    return tick


def kept(project: Project, file: StoredFile) -> Reading | None:
    """Return what was read of a file; None when it was never read, or by an older reader."""
    try:
        with default_storage.open(_place(project.pk, file.id), "rb") as stored:
            found = json.load(stored)
    except (OSError, ValueError):
        return None
    if found["version"] != _VERSION or found["sha256"] != file.sha256:
        return None
    return Reading([Entry(**entry) for entry in found["entries"]], [Problem(**one) for one in found["problems"]])


def keep(project: Project, file: StoredFile, reading: Reading) -> None:
    """Keep what was read. Raises Refused when it cannot be stored."""
    made: dict[str, Any] = {"version": _VERSION, "sha256": file.sha256, **asdict(reading)}
    place = _place(project.pk, file.id)
    try:
        default_storage.delete(place)
        saved = default_storage.save(place, ContentFile(json.dumps(made, ensure_ascii=False).encode()))
        if saved != place:  # somebody else was reading it too, and was first: what they kept is the same
            default_storage.delete(saved)
    except OSError as error:
        raise Refused(
            f"The server could not store what it read ({error.strerror}). Tell whoever runs it.",
            field="file",
            code="not_stored",
            status=507,
        ) from error


def forget(project_id: UUID, file_id: UUID, **_: Any) -> None:
    """Receiver of file_deleted: what was read of a file goes with it."""
    transaction.on_commit(lambda: discard(project_id, file_id))


def discard(project_id: UUID, file_id: UUID) -> None:
    """Delete what was read of a file, if anything was."""
    default_storage.delete(_place(project_id, file_id))


def _place(project_id: UUID, file_id: UUID) -> str:
    return f"entries/{project_id}/{file_id}.json"


def _shortened(problem: Problem) -> Problem:
    left_out = len(problem.text) - MAX_TEXT
    return replace(
        problem, text=f"{problem.text[:MAX_TEXT]}… and {left_out:,} more characters" if left_out > 0 else problem.text
    )


READ, IMPORT = "read_entries", "import_entries"  # kinds of jobs; their subject is the file
IMPORTED = "entries_imported"  # the kind of the event that tells what an import did
MOST_AT_ONCE = 1_000  # entries that a request imports


def read_file(project: Project, file: StoredFile, user: User) -> Reading | Job:
    """Return the entries of a file, which somebody asked to read; or the job that reads them, when they take long.

    Raises Refused for a file that holds none, is too large, or cannot be opened.
    """
    check(file)
    if reading := kept(project, file):
        return reading
    running = working(project, file)
    if running is None and file.size <= AT_ONCE:
        with suppress(TookLong):
            reading = read_entries(file, within(PATIENCE))
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
    """Return the job that reads or imports the entries of a file just now."""
    return _jobs(project, file).alive().first()


def last_job(project: Project, file: StoredFile) -> Job | None:
    """Return the job that did so last, however it ended."""
    return _jobs(project, file).first()


def _jobs(project: Project, file: StoredFile) -> JobQuerySet:
    return Job.objects.filter(project=project, subject=file.id, kind__in=[READ, IMPORT])


def tell(job: Job, brought: Brought) -> None:
    """Write down with an import job what it did: its number of references, and what was renamed or left out."""
    count = len(brought.imported)
    job.emit(
        IMPORTED,
        f"{count:,} reference{'' if count == 1 else 's'} imported, {len(brought.skipped):,} left out.",
        counters={"imported": count},
        details=asdict(brought),
        sure_of_lease=job.lease_by,
    )


def what_it_brought(job: Job) -> Brought | None:
    """Return what an import job did; None when it did nothing."""
    event = JobEvent.objects.filter(job=job, kind=IMPORTED).first()
    return TypeAdapter(Brought).validate_python(event.details) if event else None


def _begin(kind: str, project: Project, file: StoredFile, user: User) -> Job:
    with Project.objects.held(project.pk):  # two clicks at once: one job
        return working(project, file) or Job.objects.start(project=project, kind=kind, subject=file.id, user=user)
