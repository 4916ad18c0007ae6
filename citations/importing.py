"""Bring BibTeX, RIS or CSL-JSON into a project (SPEC C6, C10).

Entries match on (project, key). What a catalogue proved or a person vouched for is never overwritten, and a work
that is there under another key (same DOI, same title) is reported instead of added twice. Nothing is looked up: what comes in is
"not checked yet".
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from django.db import transaction
from django.utils import timezone

from citations.bibtex import read_bibtex
from citations.csl import is_marked, make_key, read_csl, short_authors, year_of
from citations.entries import Entry, Problem
from citations.matching import have_one_title
from citations.models import Citation
from citations.ris_reading import read_ris
from projects.errors import Refused
from projects.models import Project

Format = Literal["bibtex", "ris", "csl"]

MAX_BYTES = 5_000_000
MAX_ENTRIES = 5_000
MAX_PROBLEMS = 500
_LIMITS = {"cite_key": 200, "doi": 500, "pmid": 50, "title": 2_000, "authors": 1_000, "url": 2_000, "note": 20_000}
_CALLED = {"cite_key": "key", "doi": "DOI", "pmid": "PMID", "authors": "list of authors", "url": "address"}
_FIRST = re.compile(r"^\s*(?:(TY)  -|@\w+\s*[{(])", re.MULTILINE)  # of RIS or of BibTeX
_CONTENT = ("bibtex", "csl", "title", "authors", "year", "doi", "pmid", "url", "note", "retracted")


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


def decode(data: bytes) -> str:
    """The text of a file: UTF-8 or UTF-16 by its mark, else UTF-8, else Western European as older programs write it."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def import_entries(project: Project, text: str, *, format: Format | None = None) -> Imported:
    """Add or update the entries of `text`; `format` None finds out by itself.

    Good entries come in whatever is wrong with their neighbours. Raises Refused when there is nothing to read or
    more than 5 MB.
    """
    text = cleaned(text)
    if not text.strip():
        raise Refused("There is nothing to import yet. Choose a file or paste entries.", field="text", code="empty")
    if len(text.encode()) > MAX_BYTES:
        raise Refused("This is more than 5 MB. Import it in parts.", field="text", code="too_big", status=413)
    format = format or _format_of(text)
    reading = read_csl(text) if format == "csl" else read_ris(text) if format == "ris" else read_bibtex(text)
    result = Imported(problems=reading.problems, counted="work" if format == "csl" else "line")
    if not reading.entries and not reading.problems:
        result.problems.append(
            Problem(1, "", "No entries were found. Expected are BibTeX (@article{...}), RIS (TY  - JOUR) or CSL-JSON.")
        )
    if len(reading.entries) > MAX_ENTRIES:
        line = reading.entries[MAX_ENTRIES].line
        result.problems.append(
            Problem(line, "", f"Only the first {MAX_ENTRIES:,} entries were read. Import the rest apart.")
        )
    with transaction.atomic():
        Desk(project, result).take(reading.entries[:MAX_ENTRIES])
    result.problems.sort(key=lambda problem: problem.line)
    return result


def cleaned(text: str) -> str:
    """`text` without what no database keeps."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode().removeprefix("\ufeff")


def _format_of(text: str) -> Format:
    if text.lstrip()[0] in "[{":
        return "csl"
    first = _FIRST.search(text)
    return "ris" if first and first[1] else "bibtex"


class Desk:
    """Sorts entries into new, changed and known against one look at the project's rows; writes in bulk.

    To be used inside a transaction. What becomes of the entries is written down in `result`.
    """

    def __init__(self, project: Project, result: Imported) -> None:
        Project.objects.select_for_update().filter(pk=project.pk).first()  # two imports at once: one after the other
        self.project, self.result = project, result
        self.known: dict[str, Citation] = {row.cite_key: row for row in Citation.objects.filter(project=project)}
        self.taken = {key.casefold() for key in self.known}
        self.by_doi: dict[str, str] = {}
        self.by_content: dict[tuple[object, ...], str] = {}
        for row in self.known.values():
            self._index(row)
        self.new: list[Citation] = []
        self.changed: list[Citation] = []

    def take(self, entries: Iterable[Entry]) -> None:
        """Keys that entries bring are theirs; only then are keys made for entries without one."""
        entries = list(entries)
        self.taken |= {entry.key.casefold() for entry in entries}
        for entry in entries:
            self._take(entry)
        Citation.objects.bulk_create(self.new, batch_size=500)
        if self.changed:
            Citation.objects.bulk_update(self.changed, [*_CONTENT, "status", "tier", "updated_at"], batch_size=200)

    def _take(self, entry: Entry) -> None:
        columns = columns_of(entry)
        row = Citation(project=self.project, **columns)
        row.cite_key = entry.key or self._key_for(row)
        if out := too_long(columns | {"cite_key": row.cite_key}) or self._left_out(entry, row):
            return self._tell(entry, row, f"{out} It was left out.")
        old = self.known.get(row.cite_key)
        if old is not None:
            _keep_what_is_missing(row, old)
        if old is None:
            self._add(row)
        elif all(getattr(old, name) == getattr(row, name) for name in _CONTENT if name != "bibtex"):
            self.result.unchanged.append(row.cite_key)
        elif old.is_settled:
            self.result.unchanged.append(row.cite_key)
            self._tell(entry, row, "This entry is already proven here. It was kept as it is.")
        else:
            self._change(old, row)
        return None

    def _left_out(self, entry: Entry, row: Citation) -> str:
        """Why an entry does not come in; empty when it does."""
        key = self.by_doi.get(row.doi.casefold(), row.cite_key)
        if key == row.cite_key:
            return ""
        if have_one_title(self.known[key].title, row.title):
            return f"The same work is already here as {key}."
        self._tell(entry, row, f"Its DOI is that of {key}, a work with another title. One of the two is wrong.")
        return ""

    def _tell(self, entry: Entry, row: Citation, message: str) -> None:
        self.result.problems.append(Problem(entry.line, row.cite_key[:200], message))

    def _key_for(self, row: Citation) -> str:
        """The key of the same work here already, so that a second import of a file adds nothing; else a new one."""
        return self.by_content.get(_content_of(row)) or make_key(row.csl, self.taken)

    def _index(self, row: Citation) -> None:
        self.by_content.setdefault(_content_of(row), row.cite_key)
        if row.doi:
            self.by_doi.setdefault(row.doi.casefold(), row.cite_key)

    def _add(self, row: Citation) -> None:
        self.known[row.cite_key] = row
        self.taken.add(row.cite_key.casefold())
        self._index(row)
        self.new.append(row)
        self.result.added.append(row.cite_key)

    def _change(self, old: Citation, row: Citation) -> None:
        """New words make an old verdict worthless."""
        for name in _CONTENT:
            setattr(old, name, getattr(row, name))
        old.status, old.tier, old.updated_at = Citation.Status.UNRESOLVED, "", timezone.now()
        self._index(old)
        self.changed.append(old)
        self.result.updated.append(old.cite_key)


def columns_of(entry: Entry) -> dict[str, Any]:
    """What the columns of a row hold for this entry."""
    csl = entry.csl
    texts = {
        name: str(csl.get(variable) or "")
        for name, variable in (("title", "title"), ("doi", "DOI"), ("pmid", "PMID"), ("url", "URL"))
    }
    return {
        "cite_key": entry.key,
        "bibtex": entry.bibtex,
        "csl": csl,
        "authors": short_authors(csl),
        "year": year_of(csl),
        "note": entry.note,
        "retracted": is_marked(csl, "retracted"),
        **texts,
    }


def _keep_what_is_missing(row: Citation, old: Citation) -> None:
    """An import adds to an entry: the note and the BibTeX that came earlier are lost only to newer ones (SPEC C3)."""
    row.note, row.bibtex = row.note or old.note, row.bibtex or old.bibtex
    row.retracted = row.retracted or old.retracted


def too_long(columns: dict[str, Any]) -> str:
    """Which column of an entry is longer than it may be, in a sentence; empty when none is."""
    for name, limit in _LIMITS.items():
        if len(columns[name]) > limit:
            return f"The {_CALLED.get(name, name)} is longer than {limit:,} characters."
    return ""


def _content_of(row: Citation) -> tuple[object, ...]:
    return " ".join(row.title.casefold().split()), row.authors, row.year, row.doi.casefold()
