"""Entries become references of a thesis, each work once: the same rules for what is typed, drafted or found (SPEC C5, C6).

A work that is here is found again. Under its own key it takes the newer words, unless it is proven or a person answers for
it; under another key it stays as it is. Files of entries come in by `desk.py`, where the key alone decides.
"""

from typing import Any, Literal
from uuid import UUID

from django.utils import timezone

from citations.check.settling import apply, forget, write_notices
from citations.columns import columns_of, too_long
from citations.formats.csl import usable_key
from citations.formats.entries import Entry, Problem
from citations.matching import Work
from citations.models import Citation, OtherKey
from citations.proof.reference import claimed
from citations.proof.verdict import Verdict
from citations.shelf import LONGEST_KEY, Shelf
from projects.models import Project

Outcome = Literal["added", "updated", "kept"]


class Upsert:
    """Takes entries in, one after the other; `write` stores what is new.

    To be used in a transaction that holds the row of the thesis, or for a look at what would become of entries. `lasting`:
    keys are given for good, for whoever cites them at once (Shelf.key_for).
    """

    def __init__(self, project: Project, *, lasting: bool = True) -> None:
        self.project, self.lasting = project, lasting
        self.shelf = Shelf(project)
        self.serial = Citation.objects.next_serial(project)
        self.now = timezone.now()
        self.new: dict[UUID, Citation] = {}
        self._verdicts: dict[UUID, Verdict] = {}
        self._other_keys: list[OtherKey] = []

    def take(self, entry: Entry, verdict: Verdict | None = None) -> tuple[Citation, Outcome] | Problem:
        """The reference that `entry` is now and what became of it, or why it cannot come in."""
        if wrong := too_long(columns_of(entry)):
            return Problem(entry.line, entry.key[:200], f"{wrong} It was left out.")
        row = self._row(entry, verdict)
        for csl in (entry.csl, row.csl):  # the second is a registry's, where one has answered
            if here := self.shelf.find(csl, entry.key):
                return self._found(self.new.get(here) or Citation.objects.get(pk=here), entry)
        return self.add(row, entry.key), "added"

    def _row(self, entry: Entry, verdict: Verdict | None = None, **columns: Any) -> Citation:
        row = Citation(project=self.project, bibtex=entry.bibtex, note=entry.note, **columns)
        forget(row, entry.csl, self.now)
        if verdict and apply(row, verdict, self.now):
            self._verdicts[row.pk] = verdict
        return row

    def add(self, row: Citation, wanted: str) -> Citation:
        """Give a new row its place and a key, `wanted` if it is free."""
        row.serial = self.serial
        row.cite_key = self.shelf.key_for(row.csl, wanted, serial=self.serial, lasting=self.lasting)
        self.serial += 1
        self.shelf.add(row)
        self.new[row.pk] = row
        return row

    def add_entry(self, entry: Entry, **columns: Any) -> Citation:
        """A new reference for an entry whose work is known not to be here; `columns` are what the entry does not say."""
        return self.add(self._row(entry, **columns), entry.key)

    def _found(self, row: Citation, entry: Entry) -> tuple[Citation, Outcome]:
        is_free = bool(entry.key) and entry.key == row.cite_key and not row.is_settled and row.pk not in self.new
        if not is_free or claimed(entry.csl) == claimed(row.claim):
            return row, "kept"
        row.bibtex, row.note = entry.bibtex, entry.note or row.note
        forget(row, entry.csl, self.now)
        row.save()
        return row, "updated"

    def know_as(self, row: Citation, entry: Entry) -> bool:
        """Make the key of `entry` a further one of `row`; False where it is taken or no text can cite it."""
        key = usable_key(entry.key)
        work = Work(key, row.title, row.authors, row.year, row.doi, row.pmid)
        is_sure = work.is_telling or (entry.csl.get("DOI") or entry.csl.get("PMID")) in (row.doi, row.pmid)
        if not key or not is_sure or len(key) > LONGEST_KEY or key in self.shelf.keys:
            return False
        self.shelf.keys.add(key)
        self._other_keys.append(OtherKey(project=self.project, citation=row, key=key, bibtex=entry.bibtex))
        return True

    def write(self) -> None:
        """Store the new references, their other keys and the notices that came with their verdicts."""
        Citation.objects.bulk_create(self.new.values(), batch_size=100)
        OtherKey.objects.bulk_create(self._other_keys)
        write_notices((self.new[pk], verdict) for pk, verdict in self._verdicts.items() if pk in self.new)
