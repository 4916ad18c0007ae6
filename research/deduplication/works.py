"""The works that a run has found: records become sources, and records of the same work are grouped (SPEC R8, R10).

A record with new metadata of a known work enriches the row that represents the work; its own row and text stay as they
were found, since findings rest on them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db import connection
from django.utils import timezone

from citations.formats.csl import year_of
from core.fast_sql import change, create
from core.grouping import grouped
from research.deduplication.merge_records import merged
from research.deduplication.same_work import DuplicateOf, KnownRecords
from research.deduplication.work_keys import document_id
from research.journal.provenance import digest
from research.models import Run, Source
from sources.work import Person, Work

_TEXTS = {"abstract", "text", "score"}
_NO_TEXTS = dict.fromkeys(_TEXTS)


class RecordRow(NamedTuple):
    """The row of a record. `is_new` unless the run had it; `same` says which row it duplicates and why."""

    source: Source
    is_new: bool
    same: DuplicateOf | None


def text_of(work: Work) -> str:
    """Return the text of a record: the page that a search engine sent along, or the abstract; "" when there is neither.

    The title is not part of it: it names the work, and no finding may rest on it.
    """
    return (work.text or work.abstract or "").strip()


def described(work: Work) -> str:
    """Return the title and text of a record, by which texts are compared; "" when it has no text."""
    text = text_of(work)
    return f"{work.title}\n\n{text}" if text else ""


def source_id_of(work: Work) -> str:
    """Return the id of a record's text: the id of the work, the provider, and a hash of the text.

    It depends on the record alone, so two questions that are worked at the same time give it the same id.
    """
    return f"{document_id(work)}::{work.provider}-{digest(described(work))[:6]}"


def work_of_csl(csl: dict[str, Any], *, provider: str, provider_id: str, is_proven: bool) -> Work:
    """Return a reference of the thesis as a record, to tell whether a catalogue's record is the same work.

    Its identifiers count only when they are verified (tier A or B): with a wrong DOI it would be taken for another
    work.
    """
    return Work(
        provider=provider,
        provider_id=provider_id,
        title=csl.get("title", ""),
        authors=tuple(Person.model_validate(name) for name in csl.get("author", [])),
        year=year_of(csl),
        venue=csl.get("container-title"),
        doi=csl.get("DOI") if is_proven else None,
        pmid=csl.get("PMID") if is_proven else None,
        url=csl.get("URL"),
        type=csl.get("type", "document"),
    )


@dataclass
class Works:
    """The works of one run. Only the attempt that holds the run's lease uses it, in one transaction at a time."""

    run: Run
    known: KnownRecords = field(default_factory=KnownRecords)
    rows: dict[str, Source] = field(default_factory=dict)  # by source_id
    records: dict[str, Work] = field(default_factory=dict)  # by source_id, as they were found, without texts
    groups: dict[str, list[Source]] = field(default_factory=dict)  # by document; the representing row is first

    @classmethod
    def of(cls, run: Run) -> "Works":
        """Return the works of `run` from its rows, in the order they were found, for an attempt that takes over."""
        works = cls(run)
        for row in run.sources.exclude(work={}).filter(is_passage=False).order_by("id"):
            works._take_in(row, Work(**row.work))
            group = works.groups.setdefault(row.document, [])
            group.insert(len(group) if row.duplicate_of_id else 0, row)
        return works

    def keep(self, found: Iterable[Work], provider: str) -> list[RecordRow]:
        """Return the rows of a catalogue's records; a row is created where the run has none yet."""
        named = ((source_id_of(work), work) for work in found)
        return self.note((self.rows.get(id) or _row(self.run, work, provider, id), work) for id, work in named)

    def note(self, described: Iterable[tuple[Source, Work]]) -> list[RecordRow]:
        """Save those rows that are new to the run, each described by a record, and group records of the same work."""
        kept: list[RecordRow] = []
        changed: dict[str, Source] = {}
        moved: list[tuple[str, str]] = []
        for row, work in described:
            if row.source_id in self.rows:
                kept.append(RecordRow(self.rows[row.source_id], False, None))
                continue
            row.work = work.model_dump(mode="json", exclude_defaults=True, exclude=_TEXTS)
            same = self._take_in(row, work.model_copy(update=_NO_TEXTS))
            if same is None:
                self.groups.setdefault(row.document, []).append(row)
            else:
                same = self._join(row, same, moved)
                changed |= {one.source_id: one for one in self.groups[row.document]}
            kept.append(RecordRow(row, True, same))
        self._save([one.source for one in kept if one.is_new], changed)
        if moved:  # passages of merged works get the id of the remaining document
            run = Run._meta.pk.get_db_prep_value(self.run.pk, connection)
            with connection.cursor() as cursor:
                cursor.executemany(
                    "UPDATE research_source SET document = %s WHERE run_id = %s AND document = %s AND is_passage",
                    [(document, run, gone) for gone, document in moved],
                )
        return kept

    def _take_in(self, row: Source, record: Work) -> DuplicateOf | None:
        self.rows[row.source_id] = row
        self.records[row.source_id] = record
        return self.known.add(row.source_id, record, _described(row))

    def _join(self, row: Source, same: DuplicateOf, moved: list[tuple[str, str]]) -> DuplicateOf:
        """Group `row` with the works it duplicates. A reference of the thesis represents the work, else the first row.

        Returns what is a duplicate of what; pairs of a dropped document and its successor are added to `moved`.
        """
        documents = dict.fromkeys(self.rows[one].document for one in (same.of, *same.joined))
        stood = [self.groups[document][0] for document in documents]
        group = [one for document in documents for one in self.groups.pop(document)] + [row]
        first = next((one for one in [*stood, row] if one.kind == Source.Kind.REFERENCE), stood[0])
        moved += [(document, first.document) for document in documents if document != first.document]
        for one in group:
            one.document = first.document
        self.groups[first.document] = [first, *(one for one in group if one is not first)]
        return same._replace(of=first.source_id, joined=tuple(one.source_id for one in stood if one is not first))

    def _save(self, made: list[Source], changed: dict[str, Source]) -> None:
        """Save the new rows in order, and what has changed in rows of works that were merged."""
        firsts = {row.document: self.groups[row.document][0] for row in [*made, *changed.values()]}
        richer = [
            first
            for first in firsts.values()
            if first.source_id in changed
            and _enrich(first, [self.records[one.source_id] for one in self.groups[first.document]])
        ]
        for row in made:
            if (first := firsts[row.document]).pk:  # else it is created below, and gets its primary key there
                row.duplicate_of = first
        create(made)  # in the order they were found, which `of` relies on
        for first in richer:
            if first not in made:
                change(Source, first.pk, {name: getattr(first, name) for name in _ENRICHED})
        for row in [*made, *changed.values()]:
            first = firsts[row.document]
            if row is not first and row.duplicate_of_id != first.pk:
                row.duplicate_of = first
                change(Source, row.pk, {"document": row.document, "duplicate_of_id": first.pk})


def _described(row: Source) -> str:
    """Return `described` for a stored row; older rows have the title in their text already."""
    has_title = row.kind == Source.Kind.REFERENCE or not row.text or row.text.startswith(f"{row.title}\n\n")
    return row.text if has_title else f"{row.title}\n\n{row.text}"


_ENRICHED = ("csl", "title", "url", "retracted", "citation_count", "kind", "source_type")


def _row(run: Run, work: Work, provider: str, source_id: str) -> Source:
    text = text_of(work)
    return Source(
        run=run,
        source_id=source_id,
        kind=Source.Kind.PAGE if work.type == "webpage" else Source.Kind.WORK,
        provider=provider,
        source_type=work.type,
        document=document_id(work),
        title=work.title or work.provider_id,
        url=work.link or "",
        csl=work.csl(),
        text=text,
        retracted=work.is_retracted,
        text_hash=digest(text),
        citation_count=_count(work),
        retrieved_at=timezone.now(),
    )


def _count(work: Work) -> int | None:
    """Return how often the work is cited; None for values that do not fit the column: catalogues send anything."""
    count = work.citation_count
    return count if count is not None and 0 <= count < 2**31 else None


def _enrich(first: Source, records: list[Work]) -> bool:
    """Update the row `first`, which represents a work, from all `records` of it; return whether anything changed."""
    richer = merged(*records)
    before = [getattr(first, name) for name in _ENRICHED]
    first.retracted = first.retracted or richer.is_retracted
    if first.kind != Source.Kind.REFERENCE:  # a reference of the thesis is not changed
        first.csl, first.title, first.url = richer.csl(), richer.title or first.title, richer.link or first.url
        first.citation_count = _count(richer)
        first.kind = Source.Kind.PAGE if richer.type == "webpage" else Source.Kind.WORK
        first.source_type = richer.type
    return before != [getattr(first, name) for name in _ENRICHED]


# All records of a work


def copies_of(run: Run) -> dict[int | None, list[Source]]:
    """Return the other records of each work, by the key of the row that represents it."""
    rows = run.sources.filter(is_passage=False, duplicate_of__isnull=False).defer("text", "csl", "assessment")
    return grouped((row.duplicate_of_id, row) for row in rows.order_by("id"))


def known_of(source: Source, copies: Iterable[Source], name: str) -> Any:
    """Return the field `name` of the first record of the work that has it; "" when none does."""
    return next((row.work[name] for row in (source, *copies) if row.work.get(name)), "")
