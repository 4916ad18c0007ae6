"""The import of BibTeX, RIS or CSL-JSON into a project: at once where that is quick, else as a job (SPEC C6, C10, P1).

Proven and attested entries are never overwritten, a work that exists under another key is reported instead of added
twice, and a new work whose key is taken gets another key (`upsert.py`). Imported entries are then looked up (SPEC C2).
A job imports a few hundred entries at a time, each time together with their report in one transaction: after a crash it
resumes there, and when it is stopped the entries imported so far stay.
"""

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, get_args

from django.db import transaction

from citations.formats.bibtex import read_bibtex
from citations.formats.csl import read_csl
from citations.formats.reading import Entry, Outcome, Problem, ProgressCallback, Reading, clean_text, no_progress
from citations.formats.ris_reader import read_ris
from citations.importing.stored_file_entries import AT_ONCE, MOST_AT_ONCE, PATIENCE, ReadingTimeout, time_limit
from citations.importing.upsert import Upsert, UpsertResult
from citations.matching import is_citable
from citations.models import Citation, Import
from citations.resolution.check_job import start_check
from core.errors import Refused
from jobs.models import Job, JobEvent, State
from jobs.work import Stopped, raise_if_stopped, set_progress
from projects.models import Project, User

Format = Literal["bibtex", "ris", "csl"]

MAX_BYTES = 25_000_000
MAX_ENTRIES = 20_000
MAX_PROBLEMS = 500  # problems listed on a page
MAX_SAVED_PROBLEMS = 5_000  # problems saved for one import
BATCH_SIZE = 500  # entries imported in one transaction; other writers wait no longer for it than for a page
_FIRST = re.compile(r"^\s*(?:(TY)  -|@\w+\s*[{(])", re.MULTILINE)  # the start of RIS or of BibTeX


@dataclass
class Imported:
    """The report of an import: cite keys by outcome, in the order of the file, and problems for a person to look at.

    `counted` is what the `line` of a problem counts: lines of a file, or works of a JSON list.
    """

    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    counted: Literal["line", "work"] = "line"

    def add(self, part: "Imported") -> None:
        """Add the report of further entries; problems stay in the order of the file, at most MOST_TOLD."""
        self.added += part.added
        self.updated += part.updated
        self.unchanged += part.unchanged
        self.problems = sorted([*self.problems, *part.problems], key=lambda problem: problem.line)[:MAX_SAVED_PROBLEMS]

    @property
    def by_outcome(self) -> dict[Outcome, list[Problem]]:
        """The problems by outcome: refused, repaired, or kept unchanged."""
        return {outcome: [one for one in self.problems if one.outcome == outcome] for outcome in get_args(Outcome)}


def import_entries(project: Project, text: str, *, format: Format | None = None, check: bool = False) -> Imported:
    """Add or update the entries of `text`; with `format` None the format is detected. With `check` they are looked up.

    Valid entries are imported whatever is wrong with others; when the database fails, none is. Raises as `checked`.
    """
    reading, result = read_text(clean_import_text(text), format)
    with transaction.atomic():
        import_in_batches(project, reading.entries, result, check=check)
    return result


def clean_import_text(text: str) -> str:
    """Return `text` cleaned for import. Raises Refused when it is empty or has more than MAX_BYTES."""
    text = clean_text(text)
    if not text.strip():
        raise Refused("There is nothing to import yet. Choose a file or paste entries.", field="text", code="empty")
    if len(text) > MAX_BYTES or len(text.encode()) > MAX_BYTES:
        raise Refused(
            f"This text is larger than {MAX_BYTES // 1_000_000} MB. Import it in parts.",
            field="text",
            code="too_big",
            status=413,
        )
    return text


def read_text(text: str, format: Format | None, tick: ProgressCallback = no_progress) -> tuple[Reading, Imported]:
    """Read a text: return its entries, and a report with the problems of reading. Raises what `tick` raises."""
    format = format or _format_of(text)
    reading = {"csl": read_csl, "ris": read_ris, "bibtex": read_bibtex}[format](text, tick)
    refused = [replace(problem, text="", outcome="refused") for problem in reading.unreadable]
    result = Imported(problems=[*refused, *reading.notes], counted="work" if format == "csl" else "line")
    if not reading.entries and not reading.problems:
        said = "No entries were found. Import BibTeX (@article{...}), RIS (TY  - JOUR) or CSL-JSON."
        result.problems.append(Problem(1, "", said, outcome="refused"))
    if len(reading.entries) > MAX_ENTRIES:
        said = f"Only the first {MAX_ENTRIES:,} entries were read. Import the rest separately."
        result.problems.append(Problem(reading.entries[MAX_ENTRIES].line, "", said, outcome="refused"))
    result.add(Imported())
    return Reading(reading.entries[:MAX_ENTRIES], reading.problems), result


def import_in_batches(
    project: Project,
    entries: list[Entry],
    result: Imported,
    *,
    check: bool = False,
    done: int = 0,
    after: Callable[[int, Imported], None] = lambda done, part: None,
) -> None:
    """Import the entries from number `done` on, TOGETHER at a time, each time in its own transaction.

    `after` is called in the same transaction with the number imported so far and the report of the last ones; an
    exception from it rolls that transaction back and ends the import. `result` collects all reports.
    """
    keys, shelf = {entry.key for entry in entries}, None
    while done < len(entries):
        part = Imported(counted=result.counted)
        with Project.objects.held(project.pk):
            # The lock makes concurrent imports wait for each other.
            upsert = Upsert(project, unseen=True, check=check, shelf=shelf)
            shelf = upsert.shelf
            shelf.keys.reserve(keys)
            for one in upsert.take(entries[done : done + BATCH_SIZE]):
                _report(part, upsert, one)
            upsert.write()
            done = min(done + BATCH_SIZE, len(entries))
            after(done, part)
        result.add(part)


def _report(result: Imported, upsert: Upsert, one: UpsertResult) -> None:
    """Add the outcome of an entry to the report, and save its further keys."""
    entry, key = one.entry, one.row.cite_key

    def tell(outcome: Outcome, message: str, called: str = key) -> None:
        result.problems.append(Problem(entry.line, called[:200], message, outcome=outcome))

    if one.outcome == "refused":
        return tell("refused", f"{one.wrong} It was left out.")
    if one.outcome == "added":
        result.added.append(key)
        if renamed := _renamed(upsert, one):
            tell("repaired", f"{renamed} It was imported as {key}.", entry.key)
        for doubt in one.doubts:
            tell("repaired", doubt)
    elif one.outcome == "updated":
        result.updated.append(key)
    elif is_citable(entry.key) and entry.key != key:
        also = " The text may cite it by this key too." if upsert.know_as(one) else ""
        tell("kept", f"The same work already exists as {key}. The entry was left out.{also}", entry.key)
    else:
        result.unchanged.append(key)
        if one.row.is_settled and not one.said:
            held = "your own file" if one.row.status == Citation.Status.FILE else "already proven"
            tell("kept", f"The reference with this key is {held}. It was not changed.")
    return upsert.add_ids_aliases(one)


def _renamed(upsert: Upsert, one: UpsertResult) -> str:
    """Return a sentence why an entry got another key than its own; empty where it did not."""
    if one.entry.key in ("", one.row.cite_key):
        return ""
    if not is_citable(one.entry.key):
        return "A text cannot cite this key."
    holder = upsert.shelf.keys.holder(one.entry.key)
    is_own = holder.casefold() == one.entry.key.casefold()
    return "Another work has this key." if is_own else f"This key already stands for another work, {holder}."


def _format_of(text: str) -> Format:
    if text.lstrip()[0] in "[{":
        return "csl"
    first = _FIRST.search(text)
    return "ris" if first and first[1] else "bibtex"


IMPORT_JOB = "bring"  # the kind of the job; its subject is the Import
IMPORT_STEP = "references_in"  # the kind of its events, one for each group of entries


def start_import(
    project: Project, user: User, text: str, *, name: str = "", format: Format | None = None
) -> Imported | Import:
    """Import `text` and start a check: return the report, or the import if it runs as a job.

    `name` is the name of the file. Raises Refused as `checked`, and while another import is running.
    """
    text = clean_import_text(text)
    if len(text) <= AT_ONCE:
        try:
            reading, result = read_text(text, format, time_limit(PATIENCE))
        except ReadingTimeout:
            pass  # a job does it instead
        else:
            if len(reading.entries) <= MOST_AT_ONCE:
                with transaction.atomic():
                    import_in_batches(project, reading.entries, result, check=True)
                start_check(project, user)
                return result
    with Project.objects.held(project.pk):  # the lock prevents two imports by a double click
        if running_import(project):
            raise Refused(
                "Another import is running. Wait until it is done, or stop it.", field="text", code="busy", status=409
            )
        made: Import = Import.objects.create(project=project, name=name[:200], format=format or "", text=text)
        Job.objects.start(project=project, kind=IMPORT_JOB, subject=made.pk, user=user)
    return made


def running_import(project: Project) -> Job | None:
    """Return the job of the import that is running in a thesis, if there is one."""
    return Job.objects.alive().filter(project=project, kind=IMPORT_JOB).first()


def job_of(brought: Import) -> Job | None:
    """Return the job of an import, running or ended."""
    return Job.objects.filter(project=brought.project_id, kind=IMPORT_JOB, subject=brought.pk).first()


def import_report(brought: Import, job: Job | None) -> Imported | None:
    """Return the report of an import so far; None before its file is read."""
    parts = [brought.result] if brought.result is not None else [event.details for event in _steps(job)]
    if not parts:
        return None
    whole = Imported(counted=parts[0]["counted"])
    for part in parts:
        whole.add(
            Imported(
                part["added"], part["updated"], part["unchanged"], [Problem(**problem) for problem in part["problems"]]
            )
        )
    return whole


def run_import_job(job: Job, tick: ProgressCallback) -> None:
    """Run the import of `job`, from where an earlier attempt stopped. `tick` is called with the progress of reading.

    The report of each group of entries is saved as an event, and all are combined at the end: if they were saved in the
    row with the text, SQLite would write the whole text again each time.
    """
    brought: Import | None = Import.objects.select_related("project").filter(pk=job.subject).first()
    if brought is None:
        raise Stopped("This import no longer exists. Nothing was imported.")
    project = brought.project
    if brought.result is None:
        reading, result = read_text(brought.text, brought.format or None, tick)  # type: ignore[arg-type]
        total = len(reading.entries)

        def tell(done: int, part: Imported) -> None:
            raise_if_stopped(job)
            job.emit(
                IMPORT_STEP,
                f"{done:,} of {total:,} entries imported.",
                counters={"done": done, "total": total},
                details=asdict(part),
                sure_of_lease=job.lease_by,
            )
            set_progress(job, done, total)

        before = _steps(job)
        if not before:
            tell(0, result)
        import_in_batches(
            project,
            reading.entries,
            result,
            check=True,
            done=before[-1].counters["done"] if before else 0,
            after=tell,
        )
    start_check(project, job.created_by or project.owner)


def finish_import(job: Job) -> None:
    """Save the report of an import when its job has ended, in whatever state, and delete its text."""
    brought: Import | None = Import.objects.filter(pk=job.subject).defer("text").first()
    if brought is None or brought.result is not None:
        return
    whole = import_report(brought, job)
    Import.objects.filter(pk=brought.pk).update(text="", result={**asdict(whole), **_counted(job)} if whole else None)


def _steps(job: Job | None) -> list[JobEvent]:
    """Return the events of an import: the first for reading the file, then one for each imported group."""
    return list(JobEvent.objects.filter(job=job, kind=IMPORT_STEP)) if job else []


def _counted(job: Job | None) -> dict[str, int]:
    """Return how many entries of an import are done, and the total."""
    counters = job.counters if job else {}
    return {name: int(counters.get(name, 0)) for name in ("done", "total")}


def import_progress(brought: Import, job: Job | None) -> dict[str, Any]:
    """Return the progress of an import for a page or the API: `state` of its job, `done`, `total`, `reason`."""
    result = brought.result
    return {
        "state": str(job.state if job else State.DONE),
        "is_alive": bool(job and not job.has_ended),
        "is_read": result is not None or bool(job and "total" in job.counters),
        "read": job.progress if job else 0,  # parts of the file read, of `to_read`
        "to_read": job.progress_total if job else 0,
        **({"done": result["done"], "total": result["total"]} if result else _counted(job)),
        "reason": job.reason if job else "",
    }
