"""From the entries of a stored file to references: which are new, and importing those a person chose (SPEC C10, X1).

An import adds and never changes: a work that is here already stays as it is, and an entry whose key another work has
comes in under a key of its own. What comes in is "not checked yet", as with every import.
"""

from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from django.db import transaction

from citations.arriving.desk import UNCITABLE, Desk, Imported
from citations.columns import columns_of, too_long
from citations.formats.csl import make_key, unused
from citations.formats.entries import Entry, Problem
from citations.matching import Match, Work, Works
from citations.models import Citation, OtherKey
from projects.models import Project


@dataclass
class Found:
    """An entry of a file against the references of a thesis.

    `number` counts from 1 in the file. `name` is what it is called here (`names_of`), `into` the key it comes in
    under. `here` is the same work among the references, `twin` the same work earlier in the file, `wrong` why it
    cannot come in. `is_other_key`: its key is one more of that work now.
    """

    number: int
    entry: Entry
    columns: dict[str, Any]
    name: str
    into: str
    here: Match | None = None
    twin: Match | None = None
    wrong: str = ""
    is_other_key: bool = False

    @cached_property
    def row(self) -> Citation:
        """The entry as the reference it would be. It is not stored."""
        return Citation(**self.columns)

    @property
    def work(self) -> Work:
        return Work(self.name, *(self.columns[name] for name in ("title", "authors", "year", "doi", "pmid")))

    @property
    def is_new(self) -> bool:
        return not (self.here or self.twin or self.wrong)

    @property
    def is_renamed(self) -> bool:
        """Whether it had a key and comes in under another."""
        return bool(self.entry.key) and self.entry.key != self.into


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


def names_of(entries: Iterable[Entry]) -> list[str]:
    """What each entry of a file is called: its key; where it has none, one that no other has, always the same."""
    entries = list(entries)
    taken = {entry.key.casefold() for entry in entries}
    names: list[str] = []
    for entry in entries:
        names.append(entry.key or make_key(entry.csl, taken))
        taken.add(names[-1].casefold())
    return names


def compare(project: Project, entries: Iterable[Entry]) -> list[Found]:
    """Each entry of a file against the references of `project`, in the file's order. Changes nothing."""
    columns = ("cite_key", "title", "authors", "year", "doi", "pmid")
    rows = Citation.objects.filter(project=project).values_list(*columns)
    return _sorted(entries, _works((Work(*row) for row in rows), OtherKey.objects.by_key(project)))


def _works(works: Iterable[Work], other_keys: Mapping[str, str]) -> Works:
    here = Works(works)
    for other, key in other_keys.items():
        here.know_as(other, key)
    return here


def bring_in(
    project: Project, entries: Iterable[Entry], names: Collection[str] | None = None, *, check: bool = False
) -> Brought:
    """Import the entries that `names` calls by their `Found.name`; None: all that are new.

    All of them or, when something fails, none. With `check` they wait to be looked up.
    """
    imported = Imported()
    names = None if names is None else set(names)
    with transaction.atomic():
        desk = Desk(project, imported, check=check)
        found = _sorted(entries, _works(desk.known.values(), desk.other_keys))
        chosen = [one for one in found if names is None or one.name in names]
        coming = _coming(chosen)
        into = {one.name: one.into for one in coming}
        for one in chosen:
            match = one.here or one.twin
            if match and (match.by != "title and year" or one.work.is_telling):
                one.is_other_key = desk.know_as(one.entry, into.get(match.key, match.key))
        desk.take(replace(one.entry, key=one.into) for one in coming)
    return _told(chosen, coming, imported, names)


def _sorted(entries: Iterable[Entry], here: Works) -> list[Found]:
    """`here` is told the keys that entries come in under."""
    entries = list(entries)
    inside = Works()
    names = names_of(entries)
    taken = _Taken(here, names)
    found: list[Found] = []
    for number, (entry, name) in enumerate(zip(entries, names, strict=True), 1):
        columns = columns_of(entry) | {"cite_key": name}
        work = Work(name, *(columns[column] for column in ("title", "authors", "year", "doi", "pmid")))
        wrong = too_long(columns)
        same = None if wrong else here.find(work)
        twin = None if wrong or same else inside.find(work)
        into = "" if wrong or same else _key_for(entry, name, here, taken)
        if into:
            here.reserve(into)
            inside.add(work)
        found.append(
            Found(number, entry, columns, name, into, same, twin, f"{wrong} It cannot come in." if wrong else "")
        )
    return found


def _coming(chosen: list[Found]) -> list[Found]:
    """What of the chosen can come in: of two entries of one work, one."""
    coming: dict[str, Found] = {}
    for one in chosen:
        if not one.here and not one.wrong and not (one.twin and one.twin.key in coming):
            coming[one.name] = one
    return list(coming.values())


def _told(chosen: list[Found], coming: list[Found], imported: Imported, names: Collection[str] | None) -> Brought:
    added = set(imported.added)
    came = {one.name for one in coming if one.into in added}
    why = {problem.key: problem.message for problem in imported.problems}
    brought = Brought(imported=imported.added)
    for one in chosen:
        if one.name not in came:
            brought.skipped.append(Skipped(one.name, _why(one, why)))
        elif one.is_renamed:
            brought.renamed.append(Renamed(one.name, one.into))
    brought.notes = [problem for problem in imported.problems if problem.key in added]
    unknown = sorted(set(names or ()) - {one.name for one in chosen})
    brought.skipped += [Skipped(name, "This file has no such entry.") for name in unknown]
    return brought


def _why(one: Found, why: dict[str, str]) -> str:
    if one.wrong:
        return one.wrong
    if one.here:
        also = f" The text may cite it as {one.entry.key} too." if one.is_other_key else ""
        return f"Already in your references as {one.here.key}: same {one.here.by}.{also}"
    if one.twin:
        also = f" The text may cite it as {one.entry.key} too." if one.is_other_key else ""
        return f"The same work is in this file as {one.twin.key}: same {one.twin.by}.{also}"
    return why.get(one.into, "It was left out.")


def _key_for(entry: Entry, name: str, here: Works, taken: Container[str]) -> str:
    """Its own key; where a text cannot cite that or another work has it, one like it that is free."""
    citable = UNCITABLE.sub("", name)
    if citable == name and name not in here:
        return name
    return unused(citable, taken) if citable else make_key(entry.csl, taken)


class _Taken:
    """The keys of the references, with those about to come in, and of all entries of the file."""

    def __init__(self, here: Works, names: Iterable[str]) -> None:
        self.here, self.names = here, {name.casefold() for name in names}

    def __contains__(self, key: object) -> bool:
        return key in self.here or (isinstance(key, str) and key.casefold() in self.names)
