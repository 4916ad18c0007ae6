"""Bring BibTeX, RIS or CSL-JSON into a project (SPEC C6, C10).

Entries match on (project, key). What a catalogue proved or a person vouched for is never overwritten, and a work
that is there under another key (same DOI or PMID, same title) is reported instead of added twice. Nothing is looked up
here: who imports for a person has what comes in checked afterwards (`check`).
"""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from django.db import transaction

from citations.arriving.desk import Desk, Imported
from citations.formats.bibtex import read_bibtex
from citations.formats.csl import read_csl
from citations.formats.decoding import cleaned
from citations.formats.entries import Entry, Problem, Reading, Tick, no_tick
from citations.formats.ris_reading import read_ris
from core.errors import Refused
from projects.models import Project

Format = Literal["bibtex", "ris", "csl"]

MAX_BYTES = 25_000_000
MAX_ENTRIES = 20_000
MAX_PROBLEMS = 500  # that a page lists
TOGETHER = 500  # entries that come in in one transaction: writers wait no longer for it than for a page
_FIRST = re.compile(r"^\s*(?:(TY)  -|@\w+\s*[{(])", re.MULTILINE)  # of RIS or of BibTeX


def import_entries(project: Project, text: str, *, format: Format | None = None, check: bool = False) -> Imported:
    """Add or update the entries of `text`; `format` None finds out by itself. With `check` they wait to be looked up.

    Good entries come in whatever is wrong with their neighbours; when the database fails, none does. Raises as
    `checked`.
    """
    reading, result = read_text(checked(text), format)
    with transaction.atomic():
        take_in(project, reading.entries, result, check=check)
    return result


def checked(text: str) -> str:
    """`text` as it can be imported. Raises Refused when there is nothing to read or more than MAX_BYTES."""
    text = cleaned(text)
    if not text.strip():
        raise Refused("There is nothing to import yet. Choose a file or paste entries.", field="text", code="empty")
    if len(text) > MAX_BYTES or len(text.encode()) > MAX_BYTES:
        said = f"This is more than {MAX_BYTES // 1_000_000} MB. Import it in parts."
        raise Refused(said, field="text", code="too_big", status=413)
    return text


def read_text(text: str, format: Format | None, tick: Tick = no_tick) -> tuple[Reading, Imported]:
    """The entries of a text, and the report of an import that has taken none of them in yet. Raises what `tick` raises."""
    format = format or _format_of(text)
    reader: Callable[[str, Tick], Reading] = {"csl": read_csl, "ris": read_ris, "bibtex": read_bibtex}[format]
    reading = reader(text, tick)
    refused = [replace(problem, text="", outcome="refused") for problem in reading.unreadable]
    result = Imported(problems=[*refused, *reading.notes], counted="work" if format == "csl" else "line")
    if not reading.entries and not reading.problems:
        said = "No entries were found. Expected are BibTeX (@article{...}), RIS (TY  - JOUR) or CSL-JSON."
        result.problems.append(Problem(1, "", said, outcome="refused"))
    if len(reading.entries) > MAX_ENTRIES:
        said = f"Only the first {MAX_ENTRIES:,} entries were read. Import the rest apart."
        result.problems.append(Problem(reading.entries[MAX_ENTRIES].line, "", said, outcome="refused"))
    result.add(Imported())
    return Reading(reading.entries[:MAX_ENTRIES], reading.problems), result


def take_in(
    project: Project,
    entries: list[Entry],
    result: Imported,
    *,
    check: bool = False,
    done: int = 0,
    after: Callable[[int, Imported], None] = lambda done, part: None,
) -> None:
    """Take the entries from number `done` on in, TOGETHER at a time, each time in a transaction of its own.

    `after` is told in the same transaction how many are in, and what became of the last ones; what it raises undoes
    that transaction and ends the import. `result` gets it all.
    """
    keys = {entry.key for entry in entries}
    while done < len(entries):
        part = Imported(counted=result.counted)
        with transaction.atomic():
            Desk(project, part, check=check, reserved=keys).take(entries[done : done + TOGETHER])
            done = min(done + TOGETHER, len(entries))
            after(done, part)
        result.add(part)


def _format_of(text: str) -> Format:
    if text.lstrip()[0] in "[{":
        return "csl"
    first = _FIRST.search(text)
    return "ris" if first and first[1] else "bibtex"
