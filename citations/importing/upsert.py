"""Adding or updating references from entries, each work only once, with the same rules everywhere (SPEC C5, C6, C10).

A work that already exists is found again. An entry with the same key updates it, unless it is proven, attested or an
own file; an entry with another key leaves it unchanged. A new work whose key is taken gets another key
(docs/decisions/key-aliases.md).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

from django.utils import timezone

from citations.formats.csl import columns_of, length_error
from citations.formats.reading import Csl, Entry, text_of, under_all_keys, without_original_form
from citations.identity.verdict_types import Verdict
from citations.matching import (
    LONGEST_KEY,
    ClaimedWork,
    Match,
    ReferenceIndex,
    claimed_work,
    continues_title,
    contradict,
    is_citable,
    titles_match,
)
from citations.models import REASON_COLUMNS, Citation, OtherKey, RetractionNotice
from citations.resolution.apply_verdict import VERDICT_COLUMNS, apply_verdict, reset_claim, write_notices
from core.fast_sql import insert
from projects.models import Project

Outcome = Literal["added", "updated", "kept", "refused"]
_EXACT_PLACE = ("page", "number", "ISBN", "URL")
_PLACE = (*_EXACT_PLACE, "volume", "issue", "container-title")
_COLUMNS = [str(one.column) for one in Citation._meta.concrete_fields]


@dataclass
class UpsertResult:
    """An entry, its reference and the outcome. `match`: the existing work and what matched; `wrong`: why it is refused.

    `doubts` are sentences about identifiers that another work has too. `said`: the entry adds nothing to the reference.
    """

    entry: Entry
    row: Citation
    outcome: Outcome = "added"
    match: Match | None = None
    wrong: str = ""
    doubts: list[str] = field(default_factory=list)
    said: bool = False

    @property
    def reference(self) -> tuple[UUID, str]:
        """The id and the key of the reference."""
        return (
            (self.match.work.pk or self.row.pk, self.match.work.key) if self.match else (self.row.pk, self.row.cite_key)
        )


class Upsert:
    """Sorts entries into new, changed and existing ones; `write` saves the result.

    Use it in a transaction that locks the row of the thesis, or without `write` for a preview. `lasting`: keys are
    final, so that they can be cited at once (ReferenceIndex.key_for). `unseen`: no person reviews the entries, so an
    uncertain match is imported as a new work. Without `check` new entries are not queued to be looked up. `shelf` is
    the index of an earlier instance, which is used again unless somebody else has changed references meanwhile.
    """

    def __init__(
        self,
        project: Project,
        *,
        lasting: bool = True,
        unseen: bool = False,
        check: bool = True,
        shelf: ReferenceIndex | None = None,
    ) -> None:
        self.project, self.lasting, self.unseen = project, lasting, unseen
        self.now = timezone.now()
        self.due = self.now if check else None
        self.shelf = shelf if shelf and shelf.stamp() == shelf.seen else ReferenceIndex(project)
        self.serial = Citation.objects.next_serial(project)
        self.new: dict[UUID, Citation] = {}
        self._changed: list[Citation] = []
        self._verdicts: dict[UUID, Verdict] = {}
        self._other_keys: list[OtherKey] = []

    def take(self, entries: Sequence[Entry], verdicts: Mapping[int, Verdict] | None = None) -> list[UpsertResult]:
        """Add or update the references of `entries` and return the outcomes; `verdicts` are known ones, by position."""
        taken = self.sort(entries, verdicts)
        found = {one.match.work.pk for one in taken if one.match and one.match.work.pk not in self.new}
        rows = {row.pk: row for row in self._here(pk__in=found)} if found else {}
        for one in taken:
            if one.match and one.match.work.pk is not None:
                pk = one.match.work.pk
                self._update_existing(one, self.new.get(pk) or rows[pk])
        return taken

    def sort(self, entries: Sequence[Entry], verdicts: Mapping[int, Verdict] | None = None) -> list[UpsertResult]:
        """Sort `entries` as `take` does, but without loading or changing existing references."""
        self.shelf.keys.reserve(entry.key for entry in entries)
        keys = {entry.key for entry in entries} & self.shelf.keys.as_written
        own = {row.cite_key: row for row in self._here(cite_key__in=keys)} if keys else {}
        known = verdicts or {}
        return [self._sort(entry, own.get(entry.key), known.get(place)) for place, entry in enumerate(entries)]

    def _here(self, **which: Any) -> Iterable[Citation]:
        return Citation.objects.filter(project=self.project, **which)

    def _sort(self, entry: Entry, own: Citation | None, verdict: Verdict | None) -> UpsertResult:
        columns = columns_of(entry)
        row = Citation(project=self.project, **columns, check_due_at=self.due)
        if wrong := length_error(columns):
            return UpsertResult(entry, row, "refused", wrong=wrong)
        if verdict and apply_verdict(row, verdict, self.now):
            self._verdicts[row.pk] = verdict
        works = [claimed_work(csl) for csl in ((entry.csl,) if row.csl is entry.csl else (entry.csl, row.csl))]
        if match := self._match(entry, own, works):
            return UpsertResult(entry, row, "kept", match)
        doubts = self._doubts(row)  # before the work is added to the index itself
        return UpsertResult(entry, self.add(row, entry.key, works[-1]), doubts=doubts)

    def _match(self, entry: Entry, own: Citation | None, works: list[ClaimedWork]) -> Match | None:
        """Return the existing work of an entry. `own` has its key; `works` are its claim and the registry's record."""
        key = entry.key if is_citable(entry.key) else ""
        if own and _is_same_entry(entry, works[0], own):
            return Match(works[0]._replace(key=own.cite_key, pk=own.pk), "key")
        for work in works:
            match = self.shelf.works.find(work._replace(key=key))
            # "Editorial" of one year is in many journals, under one key that programs make of title and year.
            is_other = own and not work.is_distinctive and _are_elsewhere(entry.csl, own.claim)
            if match and not (match.by == "key" and is_other) and (match.is_sure or not (self.unseen and key)):
                return match
        return None

    def _doubts(self, row: Citation) -> list[str]:
        others = ((name, self.shelf.works.under(value)) for name, value in (("DOI", row.doi), ("PMID", row.pmid)))
        said = "Its {} is also that of {}, which has a different title. One of the two is wrong."
        return [said.format(name, other.key) for name, other in others if other]

    def add(self, row: Citation, wanted: str, work: ClaimedWork | None = None) -> Citation:
        """Give a new row a serial number and a key, `wanted` if free. `work` is the work its CSL claims, if known."""
        row.serial = self.serial
        row.cite_key = self.shelf.key_for(row.csl, wanted, serial=self.serial, lasting=self.lasting)
        self.serial += 1
        self.shelf.add(row, work)
        self.new[row.pk] = row
        return row

    def add_entry(self, entry: Entry, **columns: Any) -> Citation:
        """Return a new reference for an entry whose work is known to be new; `columns` are additional values."""
        row = Citation(project=self.project, bibtex=entry.bibtex, note=entry.note, **columns)
        reset_claim(row, entry.csl, self.now)
        return self.add(row, entry.key)

    def _update_existing(self, one: UpsertResult, row: Citation) -> None:
        """Update the existing reference of an entry where the rules allow it; note and retraction are never lost."""
        entry, one.row = one.entry, row
        note, retracted = entry.note or row.note, row.retracted or columns_of(entry)["retracted"]
        says_so = without_original_form(entry.csl) in (
            without_original_form(row.csl),
            without_original_form(row.claimed),
        )
        one.said = says_so and (note, retracted) == (row.note, row.retracted)
        is_own = entry.key == row.cite_key or (self.unseen and not is_citable(entry.key))
        if one.said or not is_own or row.is_settled or row.pk in self.new:
            return
        reset_claim(row, entry.csl, self.now)
        row.note, row.retracted, row.bibtex, row.check_due_at = note, retracted, entry.bibtex or row.bibtex, self.due
        self._changed.append(row)
        one.outcome = "updated"

    def know_as(self, one: UpsertResult) -> bool:
        """Make the key of an entry an alias of its reference; return False for an uncertain match or a taken key."""
        return (one.match is None or one.match.is_sure) and self._store_alias(one.entry, *one.reference)

    def add_ids_aliases(self, one: UpsertResult) -> None:
        """Make the keys in biblatex's field `ids` of an entry aliases of its reference."""
        for other in under_all_keys(one.entry)[1:]:
            if other.key.casefold() not in self.shelf.keys.reserved:
                self._store_alias(other, *one.reference)

    def _store_alias(self, entry: Entry, pk: UUID, main: str) -> bool:
        keys = self.shelf.keys
        if not is_citable(entry.key) or len(entry.key) > LONGEST_KEY or keys.holder(entry.key) not in ("", main):
            return False
        if entry.key not in keys.as_written:
            keys.add(entry.key, main)
            self._other_keys.append(OtherKey(project=self.project, citation_id=pk, key=entry.key, bibtex=entry.bibtex))
        return True

    def write(self) -> None:
        """Save new and changed references, key aliases, and the notices of verdicts."""
        for row in self.new.values():
            row.created_at = row.updated_at = self.now
            row._state.adding = False
        insert(Citation, _COLUMNS, ([getattr(row, name) for name in _COLUMNS] for row in self.new.values()))
        if self._changed:
            Citation.objects.bulk_update(
                self._changed, [*VERDICT_COLUMNS, "bibtex", "note", *REASON_COLUMNS], batch_size=200
            )
            RetractionNotice.objects.filter(citation__in=[row.pk for row in self._changed]).delete()
        OtherKey.objects.bulk_create(self._other_keys)
        self.shelf.seen = self.shelf.stamp()
        write_notices((self.new[pk], verdict) for pk, verdict in self._verdicts.items() if pk in self.new)


def _is_same_entry(entry: Entry, work: ClaimedWork, row: Citation) -> bool:
    """Return whether an entry (`work`) is a newer form of the reference with its key: equal, or a correction of it."""
    if without_original_form(entry.csl) in (without_original_form(row.csl), without_original_form(row.claimed)):
        return True
    if row.is_settled:
        return False
    mine = claimed_work(row.claim)
    if any(one and one == other for one, other in ((work.doi, mine.doi), (work.pmid, mine.pmid))):
        return True
    is_corrected = _is_in_one_place(entry.csl, row.claim) and titles_match(work.title, mine.title)
    return continues_title(work, mine) or (is_corrected and not contradict(work, mine))


def _is_in_one_place(one: Csl, other: Csl) -> bool:
    """Return whether two items have the same pages, number, ISBN or address, and contradict each other in no place."""
    return not _are_elsewhere(one, other) and any(
        (said := text_of(one.get(name))) and said == text_of(other.get(name)) for name in _EXACT_PLACE
    )


def _are_elsewhere(one: Csl, other: Csl) -> bool:
    """Return whether two items say different places of publication."""
    said = ((text_of(one.get(name)), text_of(other.get(name))) for name in _PLACE)
    return any(mine.casefold() != theirs.casefold() for mine, theirs in said if mine and theirs)
