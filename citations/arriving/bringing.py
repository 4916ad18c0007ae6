"""From the entries of a stored file to references: which are new, and importing those a person chose (SPEC C10, X1).

An import adds and never changes: a work that is here already stays as it is, and an entry whose key another work has
comes in under a key of its own. What comes in is "not checked yet", as with every import.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from citations.arriving.upsert import Taken, Upsert
from citations.columns import columns_of
from citations.formats.csl import make_key
from citations.formats.entries import Entry, Problem
from citations.models import Citation
from projects.models import Project


class Known(NamedTuple):
    """The same work as an entry: its key, and what it was known by."""

    key: str
    by: str


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
    here: Known | None = None
    twin: Known | None = None
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
    entries = list(entries)
    return [one for one, _ in _sorted(Upsert(project), entries, names_of(entries))]


def bring_in(
    project: Project, entries: Iterable[Entry], names: Collection[str] | None = None, *, check: bool = False
) -> Brought:
    """Import the entries that `names` calls by their `Found.name`; None: all that are new.

    All of them or, when something fails, none. With `check` they wait to be looked up.
    """
    entries = list(entries)
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
    """Each entry with what becomes of it; those without a key come in under their names."""
    called: dict[str, str] = {}  # entries of the file by the key they come in under
    taken = upsert.sort([replace(entry, key=name) for entry, name in zip(entries, names, strict=True)])
    for number, (entry, name, one) in enumerate(zip(entries, names, taken, strict=True), 1):
        found = Found(number, entry, name, "", wrong=f"{one.wrong} It cannot come in." if one.wrong else "")
        if one.outcome == "added":
            found.into = one.row.cite_key
            called[found.into] = name
        elif one.match and one.match.work.key in called:
            found.twin = Known(called[one.match.work.key], one.match.by)
            found.into = upsert.shelf.key_for(entry.csl, name)  # a person may choose this one of the two
        elif one.match:
            found.here = Known(one.match.work.key, one.match.by)
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
    same, key = one.here or one.twin, one.entry.key
    is_further = same and key not in ("", taken.reference[1]) and upsert.know_as(taken)
    also = f" The text may cite it as {key} too." if is_further else ""
    why = one.wrong
    if one.here:
        why = f"Already in your references as {one.here.key}: same {one.here.by}.{also}"
    elif one.twin:
        why = f"The same work is in this file as {one.twin.key}: same {one.twin.by}.{also}"
    brought.skipped.append(Skipped(one.name, why))
