"""Bring BibTeX, RIS or CSL-JSON into a project (SPEC C6, C10).

What a catalogue proved or a person vouched for is never overwritten, a work that is there under another key is reported
instead of added twice, and another work under a key that is taken comes in under one of its own (`upsert.py`). Nothing is
looked up here: who imports for a person has what comes in checked afterwards (`check`).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from django.db import transaction

from citations.arriving.upsert import Taken, Upsert
from citations.formats.bibtex import read_bibtex
from citations.formats.csl import read_csl
from citations.formats.entries import Entry, Outcome, Problem, Reading, Tick, cleaned, no_tick
from citations.formats.ris_reading import read_ris
from citations.models import Citation
from citations.shelf import is_citable
from core.errors import Refused
from projects.models import Project

Format = Literal["bibtex", "ris", "csl"]

MAX_BYTES = 25_000_000
MAX_ENTRIES = 20_000
MAX_PROBLEMS = 500  # that a page lists
MOST_TOLD = 5_000  # problems that are kept of one import
TOGETHER = 500  # entries that come in in one transaction: writers wait no longer for it than for a page
_FIRST = re.compile(r"^\s*(?:(TY)  -|@\w+\s*[{(])", re.MULTILINE)  # of RIS or of BibTeX


@dataclass
class Imported:
    """Cite keys by what became of them, in the order of the file, and what a person should look at.

    `counted` says what the `line` of a problem counts: lines of a file, or works of a JSON list.
    """

    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    counted: Literal["line", "work"] = "line"

    def add(self, part: "Imported") -> None:
        """Put what became of further entries to it; problems stay in the order of the file, and are not endless."""
        self.added += part.added
        self.updated += part.updated
        self.unchanged += part.unchanged
        self.problems = sorted([*self.problems, *part.problems], key=lambda problem: problem.line)[:MOST_TOLD]

    def those(self, outcome: Outcome) -> list[Problem]:
        """The problems of what was refused, repaired or kept as it was."""
        return [problem for problem in self.problems if problem.outcome == outcome]

    @property
    def refused(self) -> list[Problem]:
        return self.those("refused")

    @property
    def repaired(self) -> list[Problem]:
        return self.those("repaired")

    @property
    def kept(self) -> list[Problem]:
        return self.those("kept")


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
    keys, shelf = {entry.key for entry in entries}, None
    while done < len(entries):
        part = Imported(counted=result.counted)
        with Project.objects.held(project.pk):
            # Two imports at once: one after the other.
            upsert = Upsert(project, unseen=True, check=check, shelf=shelf)
            shelf = upsert.shelf
            shelf.keys.reserve(keys)
            for one in upsert.take(entries[done : done + TOGETHER]):
                _report(part, upsert, one)
            upsert.write()
            done = min(done + TOGETHER, len(entries))
            after(done, part)
        result.add(part)


def _report(result: Imported, upsert: Upsert, one: Taken) -> None:
    """Write down what became of an entry, and keep its further keys."""
    entry, key = one.entry, one.row.cite_key

    def tell(outcome: Outcome, message: str, called: str = key) -> None:
        result.problems.append(Problem(entry.line, called[:200], message, outcome=outcome))

    if one.outcome == "refused":
        return tell("refused", f"{one.wrong} It was left out.")
    if one.outcome == "added":
        result.added.append(key)
        if renamed := _renamed(upsert, one):
            tell("repaired", f"{renamed} It came in as {key}.", entry.key)
        for doubt in one.doubts:
            tell("repaired", doubt)
    elif one.outcome == "updated":
        result.updated.append(key)
    elif is_citable(entry.key) and entry.key != key:
        also = " The text may cite it by this key too." if upsert.know_as(one) else ""
        tell("kept", f"The same work is already here as {key}. It was left out.{also}", entry.key)
    else:
        result.unchanged.append(key)
        if one.row.is_settled and not one.said:
            held = "your own file" if one.row.status == Citation.Status.FILE else "already proven"
            tell("kept", f"This entry is {held} here. It was kept as it is.")
    return upsert.know_ids(one)


def _renamed(upsert: Upsert, one: Taken) -> str:
    """Why an entry that has a key came in under another."""
    if one.entry.key in ("", one.row.cite_key):
        return ""
    if not is_citable(one.entry.key):
        return "A text cannot cite this key."
    holder = upsert.shelf.keys.holder(one.entry.key)
    is_own = holder.casefold() == one.entry.key.casefold()
    return "Another work has this key." if is_own else f"This key is one of {holder}, which is another work."


def _format_of(text: str) -> Format:
    if text.lstrip()[0] in "[{":
        return "csl"
    first = _FIRST.search(text)
    return "ris" if first and first[1] else "bibtex"
