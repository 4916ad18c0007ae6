"""Adding the sources of research runs to the references, each work once (SPEC T7, C5, C6;
decisions/inserting-results.md).

A work that is among the references already is found and not changed. A new one is queued to be looked up. An uploaded
file becomes a reference to that file, the person's own file (SPEC C2), which is never looked up.
"""

import json
import re
from collections.abc import Iterable
from pathlib import PurePath
from typing import NamedTuple
from uuid import UUID

from citations.formats.csl import columns_of, length_error, read_csl, usable_key
from citations.formats.reading import Csl, Entry
from citations.importing.stored_file_entries import (
    PATIENCE,
    READERS,
    ReadingTimeout,
    read_entries,
    saved_reading,
    time_limit,
)
from citations.importing.upsert import Upsert
from citations.matching import titles_match
from citations.models import Citation
from citations.resolution.check_job import start_check
from core.errors import Refused
from core.grouping import first_values
from latex.bibtex_unicode import to_latex
from projects.models import Project, User
from projects.stored_files import stored_file
from research.deduplication.works import copies_of
from research.export.bibliography import csl_of_work
from research.models import Run, Source

FROM_RUN = "(run "


def run_origin(run: Run, source: Source, findings: Iterable[str] = ()) -> str:
    """Return the comment on the origin of a text: `% From research “...” (run ID), finding F1-1, https://doi.org/...`"""
    named = list(dict.fromkeys(findings))
    what = f", finding{'' if len(named) == 1 else 's'} {', '.join(named)}" if named else ""
    return f"% From research “{as_one_line(run.question, 120)}” {FROM_RUN}{run.pk}){what}, {source_address(source)}"


def source_address(source: Source) -> str:
    """Return the address of a work, or the passage of an uploaded file."""
    if source.kind == Source.Kind.FILE:
        page = f", page {source.page}" if source.page else ""
        return as_one_line(f"uploaded file {source.source_id}{page}")
    if doi := str(source.csl.get("DOI") or ""):
        return as_one_line(f"https://doi.org/{doi}")
    return as_one_line(source.url or source.title or source.document)


def as_one_line(text: str, longest: int = 300) -> str:
    """Return `text` for use in a LaTeX comment: one line without control characters, shortened to `longest`."""
    words = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", text).split())
    return words if len(words) <= longest else f"{words[: longest - 1].rstrip()}…"


_LONGEST_NOTE = 20_000  # characters (SPEC C5)
_LONGEST_TITLE = 2_000
_COLUMNS = ("pk", "cite_key", "title", "authors", "year", "doi", "pmid", "url")


def keys_for(project: Project, user: User, sources: Iterable[Source]) -> dict[int, str]:
    """Return the cite key of each of `sources`, from runs of `project`, by the primary key of the source.

    Passages and copies of one work share a key. Works that the thesis does not have are added in the order of
    `sources`, and a job looks them up on behalf of `user`. Existing references are never changed.
    """
    with Project.objects.held(project.pk):
        desk = _ReferenceIndex(project)
        keys = _keys(desk, list(sources))
        desk.upsert.write()
    if any(citation.check_due_at for citation in desk.upsert.new.values()):
        start_check(project, user)
    return keys


class ExpectedReference(NamedTuple):
    """The reference that a source has or would get. `is_new` if the thesis does not have it yet."""

    citation: Citation
    is_new: bool


def expected_references(project: Project, sources: Iterable[Source]) -> dict[int, ExpectedReference]:
    """Return the references that `keys_for` would give `sources`, by the primary key of the source. Changes nothing."""
    desk = _ReferenceIndex(project)
    keys = _keys(desk, list(sources))
    new = {citation.cite_key: citation for citation in desk.upsert.new.values()}
    here = Citation.objects.filter(project=project, cite_key__in=set(keys.values()) - new.keys())
    by_key = {citation.cite_key: citation for citation in here} | new
    return {pk: ExpectedReference(by_key[key], key in new) for pk, key in keys.items()}


def _keys(desk: "_ReferenceIndex", asked: list[Source]) -> dict[int, str]:
    listed = _listed(desk.project, asked)
    standing = {row.pk: row for row in asked} | _standing([row for row in asked if row.pk not in listed])
    copies = {run: copies_of(row.run) for run, row in {row.run_id: row for row in asked}.items()}
    wanted = {row.pk: row for row in (standing[source.pk] for source in asked)}
    keys = {
        pk: desk.key_of(row, listed.get(pk) or _entry(row, copies[row.run_id].get(pk, ())), is_listed=pk in listed)
        for pk, row in wanted.items()
    }
    return {source.pk: keys[standing[source.pk].pk] for source in asked}


def _standing(asked: list[Source]) -> dict[int, Source]:
    """Return the source that represents the work of each source, by primary key; for a file, the first in `asked`."""
    rows = Source.objects.filter(run__in={row.run_id for row in asked}, document__in={row.document for row in asked})
    works = rows.distinct_works().exclude(kind=Source.Kind.FILE).select_related("citation").order_by("-id")
    files = (row for row in reversed(asked) if row.kind == Source.Kind.FILE)
    standing = {(row.kind == Source.Kind.FILE, row.run_id, row.document): row for row in (*works, *files)}
    return {row.pk: standing.get((row.kind == Source.Kind.FILE, row.run_id, row.document), row) for row in asked}


def _listed(project: Project, asked: list[Source]) -> dict[int, Entry]:
    """Return the entries for passages of uploaded lists of references, by source id. Each is a work of its own."""
    found: dict[int, Entry] = {}
    readings: dict[UUID, list[Entry]] = {}
    for row in asked:
        if row.kind != Source.Kind.FILE or row.file is None or row.file.format not in READERS:
            continue
        if row.file.pk not in readings:
            readings[row.file.pk] = _entries_of(project, row.file.pk)
        words = row.text.casefold().lstrip()
        titled = ((entry, str(entry.csl.get("title") or "").casefold()) for entry in readings[row.file.pk])
        named = (entry for entry, title in titled if entry.key == row.heading or title and words.startswith(title))
        if entry := next(named, None):
            found[row.pk] = entry
    return found


def _entries_of(project: Project, file_id: UUID) -> list[Entry]:
    file = stored_file(project, file_id)
    try:
        return (saved_reading(project, file) or read_entries(file, time_limit(PATIENCE))).entries
    except (Refused, ReadingTimeout):
        return []  # then it is treated as any other file


def _entry(row: Source, copies: Iterable[Source]) -> Entry:
    """Return the metadata of a source as an unverified entry."""
    if row.kind == Source.Kind.FILE:
        return _entry_of_file(row)
    csl = {name: value for name, value in csl_of_work(row, list(copies)).items() if name not in ("id", "citation-key")}
    if csl.get("type") == "webpage" and csl.get("URL") and not csl.get("accessed"):
        csl["accessed"] = {"date-parts": [[row.retrieved_at.year, row.retrieved_at.month, row.retrieved_at.day]]}
    read = read_csl(json.dumps([csl])).entries
    entry = read[0] if read else Entry("", "", {"type": "document", "title": _line(row.title or row.document)})
    wanted = row.document if row.kind == Source.Kind.REFERENCE else ""
    note = row.text.removeprefix(row.title).strip() if row.kind == Source.Kind.WORK else ""
    made = Entry(usable_key(wanted), "", entry.csl, note[:_LONGEST_NOTE])
    if not length_error(columns_of(made)):
        return made
    # If the metadata is too long for an entry, keep only what identifies the work.
    kept: Csl = {name: entry.csl[name] for name in ("type", "DOI", "PMID", "issued") if name in entry.csl}
    kept["title"] = _line(row.title)
    return Entry(made.key, "", kept)


def _entry_of_file(row: Source) -> Entry:
    kept = {"file": to_latex(row.document), **({"fileid": str(row.file_id)} if row.file_id else {})}
    csl: Csl = {"type": "document", "title": _line(row.document), "custom": {"bibtex": kept}}
    stem = re.sub(r"[^A-Za-z0-9._+-]+", "-", PurePath(row.document).stem)
    return Entry(usable_key(stem.strip("-._")[:80]), "", csl)


def _line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_TITLE]


class _ReferenceIndex:
    """Finds works among the references of a thesis, or creates references for them, which it does not save."""

    def __init__(self, project: Project) -> None:
        self.project, self.upsert = project, Upsert(project)
        self.same: dict[tuple[object, ...], str] = {}  # keys by all that lists show of an entry
        self.addresses: dict[str, tuple[str, str]] = {}  # keys and titles by address, of works without a DOI
        self.keys: dict[UUID, str] = {}
        rows = Citation.objects.filter(project=project).order_by("serial", "created_at")
        for pk, key, title, authors, year, doi, pmid, url in rows.values_list(*_COLUMNS):
            self._know(pk, key, title, authors, year, doi, pmid, url)
        pages = rows.filter(csl__type="webpage", doi="").exclude(url="").values_list("cite_key", "url")
        # Keys of web pages by address only, because their titles change
        self.pages = first_values((_address(url), key) for key, url in pages)
        files = rows.exclude(file_name="").values_list("cite_key", "file_id", "file_name")
        # Keys by id and name of an uploaded file. The id is None once the file is deleted
        self.files = first_values(((file_id, name), key) for key, file_id, name in files)

    def key_of(self, row: Source, entry: Entry, *, is_listed: bool) -> str:
        """Return the key of a work, after creating a reference if the thesis has none.

        `is_listed` says that `entry` comes from an uploaded list of references and is a work of its own.
        """
        if row.citation_id in self.keys:
            return self.keys[row.citation_id]
        file = (row.file_id, row.document) if row.kind == Source.Kind.FILE and not is_listed else None
        if here := self.files.get(file) if file else self._here(entry):
            return here
        columns = {"file_id": row.file_id, "file_name": row.document} if file else {}
        citation = self.upsert.add_entry(entry, **columns)
        self._know(*(getattr(citation, name) for name in _COLUMNS))
        if file:
            self.files[file] = citation.cite_key
        return citation.cite_key

    def _here(self, entry: Entry) -> str | None:
        columns = columns_of(entry)
        if found := self.upsert.shelf.find(entry.csl, entry.key):
            return found.work.key
        if same := self.same.get(_shown(*(columns[name] for name in _COLUMNS[2:]))):
            return same
        address = _address(columns["url"])
        if not address or columns["doi"] or columns["pmid"]:
            return None
        if entry.csl.get("type") == "webpage" and address in self.pages:
            return self.pages[address]
        key, title = self.addresses.get(address, ("", ""))
        return key if key and titles_match(columns["title"], title) else None

    def _know(
        self, pk: UUID, key: str, title: str, authors: str, year: int | None, doi: str, pmid: str, url: str
    ) -> None:
        self.keys[pk] = key
        if title:
            self.same.setdefault(_shown(title, authors, year, doi, pmid, url), key)
        if url and not doi:
            self.addresses.setdefault(_address(url), (key, title))


def _shown(title: str, authors: str, year: int | None, doi: str, pmid: str, url: str) -> tuple[object, ...]:
    return title.casefold(), authors, year, doi.casefold(), pmid, _address(url)


def _address(url: str) -> str:
    return url.strip().removesuffix("/").casefold()
