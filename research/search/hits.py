"""What a researcher has found: the passages of its searches, each work once (SPEC R5, R8)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.grouping import first_values
from llm.roles import Passage
from research.deduplication.near_duplicates import TextsRead
from research.deduplication.same_work import KnownRecords
from research.deduplication.urls import canonical_url
from research.deduplication.work_keys import document_id
from research.deduplication.works import described, source_id_of, text_of
from sources import semantic_scholar
from sources.work import Person, Work

NAMED = 2  # authors that are shown of a work


@dataclass(frozen=True)
class Hit:
    """One text that a search returned. `work` describes the work it belongs to, where a catalogue or a reference does.

    `is_evidence` is false for a retracted work: it may be listed but not cited. `is_lead` is true for text that only
    names something to look up: an entry of a reference list, a heading, the column names of a table.
    """

    passage: Passage
    work: Work | None = None
    is_evidence: bool = True
    is_lead: bool = False


class Glance(Passage):
    """A passage as shown to the researcher that searched for it. `novelty` names the text that it repeats, if any."""

    novelty: str = ""
    is_lead: bool = False


@dataclass
class Answer:
    """The result of one request. `failed` is the reason of a failure, or "".

    `is_reply` is false for the library: it cannot fail, so it says nothing about whether the catalogues work. `repeats`
    counts queries that the library had answered before, and `is_read` means that everything it holds was returned.
    """

    hits: list[Hit] = field(default_factory=list)
    failed: str = ""
    remarks: list[str] = field(default_factory=list)
    is_reply: bool = True
    repeats: int = 0
    is_read: bool = False


def hit_of(work: Work) -> Hit:
    """Return a catalogue's record as a hit."""
    passage = Passage(
        source_id=source_id_of(work),
        document=document_id(work),
        title=work.title or work.provider_id,
        authors=short_names(work.authors),
        year=work.year,
        venue=work.venue or "",
        cited_by=work.citation_count,
        url=work.open_access_url or work.link or "",
        text=text_of(work),
    )
    return Hit(passage, work, is_evidence=not work.is_retracted)


def short_names(authors: Iterable[Person]) -> str:
    """Return the authors in short: "Sterne", "Sterne and Murthy", "Sterne, Murthy and others"."""
    names = [name for person in authors if (name := person.family or person.literal)]
    return f"{', '.join(names[:NAMED])} and others" if len(names) > NAMED else " and ".join(names)


def short_names_of(csl: Mapping[str, Any]) -> str:
    """Return the authors of a CSL reference in short, as `short_names`."""
    return short_names(Person(family=one.get("family") or one.get("literal", "")) for one in csl.get("author", []))


@dataclass
class FoundPassages:
    """Everything one researcher found, in the order of its requests, not of the answers."""

    seen: dict[str, Passage] = field(default_factory=dict)  # by source_id
    known: KnownRecords = field(default_factory=KnownRecords)
    records: dict[str, Work] = field(default_factory=dict)  # by source_id
    documents_of: dict[str, str] = field(default_factory=dict)  # source_id of a record -> its document
    addresses: dict[str, tuple[str, Hit]] = field(default_factory=dict)  # by canonical address: original spelling, hit
    retracted: set[str] = field(default_factory=set)  # documents that at least one record says were retracted
    read: TextsRead = field(default_factory=TextsRead)
    leads: set[str] = field(default_factory=set)  # source_ids of texts that are leads, not evidence

    def add(self, hits: Iterable[Hit]) -> list[Passage]:
        """Add `hits` and return the new passages.

        A further record of a known work is new only if that work had no text.
        """
        new = []
        for hit in hits:
            if (passage := self._placed(hit)) and passage.source_id not in self.seen:
                self.seen[passage.source_id] = passage
                new.append(passage)
                if hit.is_lead:
                    self.leads.add(passage.source_id)
        return new

    def glances(self, new: Iterable[Passage]) -> Iterator[Glance]:
        """Yield the new passages in their current state, each marked where another one holds much of its text (R8)."""
        for one in new:
            passage = self.seen[one.source_id]
            novelty = self.read.add(passage.source_id, passage.text.removeprefix(passage.title).strip())
            yield Glance(**passage.model_dump(), novelty=novelty, is_lead=passage.source_id in self.leads)

    def _placed(self, hit: Hit) -> Passage | None:
        """Return the passage assigned to the document of its work; None when it adds nothing."""
        passage, work = hit.passage, hit.work
        if work is None:
            return self._sound(passage)
        if passage.source_id in self.records:
            return None
        self.records[passage.source_id] = work
        same = self.known.add(passage.source_id, work, described(work) or passage.text)
        document = self.documents_of[same.of] if same else passage.document
        self.documents_of[passage.source_id] = document
        for later in same.joined if same else ():
            self._join(self.documents_of[later], document)
        if not hit.is_evidence:
            self._retract(document)
        passage = self._sound(passage.model_copy(update={"document": document}))
        for address in (work.open_access_url, work.link, work.url):
            if address:
                self.addresses.setdefault(canonical_url(address), (address, Hit(passage, work)))
        if same and (not passage.text or any(one.text for one in self.seen.values() if one.document == document)):
            return None
        return passage

    def _join(self, gone: str, document: str) -> None:
        """Merge the document `gone` into `document`, when two works turn out to be one."""
        self.documents_of |= {id: document for id, of in self.documents_of.items() if of == gone}
        self._change(gone, document=document)
        if gone in self.retracted:
            self._retract(document)

    def _retract(self, document: str) -> None:
        """Mark a document as retracted; texts from other records of it are no evidence either."""
        self.retracted.add(document)
        self._change(document, text="")

    def _change(self, of: str, **fields: str) -> None:
        theirs = ((id, passage) for id, passage in self.seen.items() if passage.document == of)
        self.seen |= {id: passage.model_copy(update=fields) for id, passage in theirs}

    def _sound(self, passage: Passage) -> Passage:
        return passage.model_copy(update={"text": ""}) if passage.document in self.retracted else passage

    def passages(self) -> list[Passage]:
        """Return the passages that can be evidence."""
        return [passage for id, passage in self.seen.items() if passage.text and id not in self.leads]

    def documents(self) -> int:
        """Return the number of different works and files behind the passages."""
        return len({passage.document for passage in self.passages()})

    def at(self, address: str) -> tuple[str, Hit] | None:
        """Return the hit for an address, with the spelling in which it was found; None when no search returned it."""
        if (found := self.addresses.get(canonical_url(address))) is None:
            return None
        spelt, hit = found
        document = self.documents_of[hit.passage.source_id]
        passage = hit.passage.model_copy(update={"document": document})
        return spelt, Hit(passage, hit.work, is_evidence=document not in self.retracted)

    def open_copies(self) -> list[tuple[str, Hit]]:
        """Return the open copies of the works, each work once.

        Works of which a page was read, and retracted ones, are left out.
        """
        read = {passage.document for id, passage in self.seen.items() if id not in self.records}
        addresses = (work.open_access_url for work in self.records.values() if work.type != "webpage")
        copies = first_values(
            (hit.passage.document, (spelt, hit))
            for spelt, hit in filter(None, (self.at(address) for address in addresses if address))
            if hit.is_evidence and hit.passage.document not in read
        )
        return list(copies.values())

    def paper(self, named: str) -> str:
        """Return an identifier that catalogues know for the paper with our id `named`; else `named` itself."""
        document = self.documents_of.get(named) or (self.seen[named].document if named in self.seen else named)
        works = [self.records[id] for id, of in self.documents_of.items() if of == document]
        ids = (
            *(work.doi for work in works),
            *(f"PMID:{work.pmid}" for work in works if work.pmid),
            *(work.arxiv for work in works),
            *(work.provider_id for work in works if work.provider == semantic_scholar.NAME),
        )
        return next((id for id in ids if id), named)
