"""Deciding which records of catalogues and web searches describe the same work (SPEC R8).

The decision is made for a person who will cite the work. A missed merge lists a work twice; a wrong merge cites
something that nobody read. So:

- An identifier decides. One DOI is one work, whatever the titles. One PMID, PMCID or arXiv id is one work too; where
  DOIs differ, only if the titles agree: otherwise a catalogue has assigned a wrong number to one of them.
- An address, a title or a text decides only where identifiers do not contradict it, a text only where first authors,
  years and kinds of work do not contradict it either.
- A preprint and its published version are two works until a catalogue says they are one: by naming the other's DOI or
  PMID, or in a record with the DOI of one and the arXiv id of the other. From then on they are one work, and the
  published version is cited: style guides ask for that, and one study is not two pieces of evidence. A DOI of arXiv
  (10.48550/arxiv...) counts as the arXiv id.
- A correction, a retraction notice or a comment is never the work it is about because of its title or abstract. A work
  marked "RETRACTED:" is still that work.
- A thesis, a book, a chapter or a data set is not the article of the same title.

The identity of a record is in work_keys.py, addresses in urls.py, texts in near_duplicates.py, and the merged
record of a work in merge_records.py.
"""

from typing import NamedTuple

from research.deduplication.near_duplicates import LONGER_THAN, CandidateIndex, nearly_same
from research.deduplication.urls import WEB
from research.deduplication.work_keys import Identity, Key, Kind, identity_of
from sources.work import Work

_NAMES: dict[Kind, str] = {"doi": "DOI", "pmid": "PMID", "pmcid": "PMCID", "arxiv": "arXiv id"}
_TEXT = Key("text", "")


class DuplicateOf(NamedTuple):
    """What a record is a duplicate of.

    `of` is the id of the first record of the work, `code` the kind of key that linked them, `reason` a sentence.
    `joined` are ids that were first records of other works until this record merged those works into `of`.
    """

    of: str
    code: Kind
    reason: str
    joined: tuple[str, ...] = ()


class KnownRecords:
    """The records added so far, in order, grouped into works.

    Sameness is transitive: a record that equals a duplicate equals the first record. A record that links two works
    merges them under the id of the earlier one. A link that identifiers contradict is not made, and the key stays with
    the work that had it first. Adding a record costs one look-up per key, however many records there are, and at most a
    fixed number of text comparisons.
    """

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._parents: list[int] = []  # union-find: for each record an earlier one of its work, or itself
        self._facts: list[_Facts] = []  # of the whole work, for the first record of a work
        self._owners: dict[Key, int] = {}
        self._links: set[Key] = set()  # keys by which a record named another version
        self._with_doi: set[int] = set()
        self._likely = CandidateIndex()
        self._texts: dict[int, tuple[Identity, str]] = {}  # of the records with text long enough to compare
        self.compared = 0  # texts that were compared in full

    def add(self, id: str, work: Work, text: str = "") -> DuplicateOf | None:
        """Add the record `id` that describes `work`; return what it duplicates, or None when the work is new.

        `text` is the text of the record, with or without the title before it.
        """
        identity, me = identity_of(work), len(self._ids)
        self._ids.append(id)
        self._parents.append(me)
        self._facts.append(_Facts(identity))
        self._links.update(identity.links)
        if identity.own[0].kind == "doi":
            self._with_doi.add(me)
        tied: dict[int, Key] = {}
        for key in identity.own + identity.links:
            known, mine = self._first(self._owners.setdefault(key, me)), self._first(me)
            if known != mine and self._ties(key, known, mine):
                tied[known] = key
                self._join(known, mine)
        # Text comes last: records already linked by identifiers need not be compared.
        said = text.removeprefix(work.title).strip()
        for record in self._likely.add(me, said):
            known, mine = self._first(record), self._first(me)
            if known != mine and self._is_like(record, known, mine, identity, said):
                tied[known] = _TEXT
                self._join(known, mine)
        if len(said) > LONGER_THAN:
            self._texts[me] = identity, said
        if not tied:
            return None
        of, *joined = sorted(tied)
        return DuplicateOf(
            self._ids[of], tied[of].kind, self._reason(tied[of]), tuple(self._ids[first] for first in joined)
        )

    def _first(self, record: int) -> int:
        while self._parents[record] != record:
            self._parents[record] = record = self._parents[self._parents[record]]
        return record

    def _ties(self, key: Key, one: int, other: int) -> bool:
        """Return whether `key`, which both works have, makes them one, given everything known about the two."""
        if key.kind in {"doi", "record"} or key in self._links:
            return True
        here, there = self._facts[one], self._facts[other]
        if key.kind in {"url", "title"}:
            return not here.contradicts(there)
        # The number must come from a record with a DOI: otherwise it may rest on a title alone and proves no more.
        proves = self._owners[key] in self._with_doi and not here.apart(there, "title")
        return proves or not here.apart(there, "doi")

    def _is_like(self, record: int, known: int, mine: int, identity: Identity, said: str) -> bool:
        """Return whether the text of `record`, of the work `known`, and `said`, of the work `mine`, make them one."""
        other, text = self._texts[record]
        if self._facts[known].contradicts(self._facts[mine]) or not identity.may_share_text(other):
            return False
        self.compared += 1
        return nearly_same(said, text)

    def _join(self, one: int, other: int) -> None:
        first, later = sorted((one, other))
        self._parents[later] = first
        self._facts[first].take_in(self._facts[later])

    def _reason(self, key: Key) -> str:
        if key in self._links:
            return f"A catalogue says that {_NAMES[key.kind]} {key.value} is another version of it."
        others: dict[Kind, str] = {
            "url": f"It has the same address, {key.value.removeprefix(WEB)}.",
            "title": "It has the same title, year and first author.",
            "record": "It is the same record.",
            "text": "Its text is nearly the same.",
        }
        return others.get(key.kind) or f"It has the same {_NAMES[key.kind]}, {key.value}."


class _Facts:
    """The identifiers and titles of all records of a work, by kind."""

    def __init__(self, identity: Identity) -> None:
        self.sets = {key.kind: {key.value} for key in identity.own if key.kind in _NAMES}
        if identity.title:
            self.sets["title"] = {identity.title}

    def apart(self, other: "_Facts", *kinds: Kind) -> bool:
        """Return whether both have values of these kinds, but none in common."""
        both = any(kind in self.sets for kind in kinds) and any(kind in other.sets for kind in kinds)
        return both and all(self.sets.get(kind, set()).isdisjoint(other.sets.get(kind, ())) for kind in kinds)

    def contradicts(self, other: "_Facts") -> bool:
        """Return whether identifiers show that the works differ. An arXiv id counts as a DOI."""
        return self.apart(other, "doi", "arxiv") or self.apart(other, "pmid") or self.apart(other, "pmcid")

    def take_in(self, other: "_Facts") -> None:
        """Add the values of another work."""
        for kind, values in other.sets.items():
            fewer, more = sorted((self.sets.get(kind, set()), values), key=len)
            more |= fewer
            self.sets[kind] = more
