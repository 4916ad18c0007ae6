"""Whether two entries are one work: what an import asks before it adds anything (SPEC C10)."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from citations.formats.csl import ascii_word
from citations.proof.normal import plain
from citations.proof.titles import likeness

_SAME = 0.8  # of two titles under one DOI, PMID or key, which say nearly all; alone they prove nothing so early
_SHORTEST_TITLE = 13  # letters of a title that tells a work from others
_MOST_TRIES = 20  # comparisons with one work; from then on only the very same title counts


class Work(NamedTuple):
    """What tells one work from another. `authors` as lists show them: "Sterne, Murthy and others"."""

    key: str
    title: str
    authors: str
    year: int | None
    doi: str
    pmid: str

    @property
    def is_telling(self) -> bool:
        """Whether title and authors can tell it from all others: "Editorial" of nobody is the title of many works."""
        return bool(self.authors) and sum(letter.isalnum() for letter in self.title) >= _SHORTEST_TITLE


class Match(NamedTuple):
    """The key of the same work, and what it was known by: "DOI", "PMID", "key" or "title and year"."""

    key: str
    by: str


class Works:
    """Works that are there already, found by whatever identifies them."""

    def __init__(self, works: Iterable[Work] = ()) -> None:
        self._by_key: dict[str, Work] = {}
        self._reserved: set[str] = set()
        self._by_doi: dict[str, Work] = {}
        self._by_pmid: dict[str, Work] = {}
        self._by_title: dict[tuple[str, int], list[Work]] = {}
        self._tries: Counter[str] = Counter()
        for work in works:
            self.add(work)

    def __contains__(self, key: object) -> bool:
        """Whether a key is taken. LaTeX does not tell keys apart that differ in capitals alone."""
        return isinstance(key, str) and (key.casefold() in self._by_key or key.casefold() in self._reserved)

    def reserve(self, key: str) -> None:
        """Take a key for a work that is to come."""
        self._reserved.add(key.casefold())

    def know_as(self, other: str, key: str) -> None:
        """Find the work under `key` by an `other` key too."""
        if (work := self._by_key.get(key.casefold())) is not None:
            self._by_key.setdefault(other.casefold(), work)

    def add(self, work: Work) -> None:
        self._by_key.setdefault(work.key.casefold(), work)
        if work.doi:
            self._by_doi.setdefault(work.doi.casefold(), work)
        if work.pmid:
            self._by_pmid.setdefault(work.pmid, work)
        if work.title and work.year:
            self._by_title.setdefault((title_words(work.title), work.year), []).append(work)

    def find(self, work: Work) -> Match | None:
        """The same work, if it is there.

        A wrong identifier is common, and so is one key for two works: neither makes works with other titles one.
        """
        for by, other in (
            ("DOI", self._by_doi.get(work.doi.casefold())),
            ("PMID", self._by_pmid.get(work.pmid)),
            ("key", self._by_key.get(work.key.casefold())),
        ):
            if other is not None and not (by == "key" and _differ(work, other)) and self._have_one_title(work, other):
                return Match(other.key, by)
        namesakes = self._by_title.get((title_words(work.title), work.year or 0), [])
        other = next((one for one in namesakes[:_MOST_TRIES] if not _differ(work, one)), None)
        return Match(other.key, "title and year") if other else None

    def _have_one_title(self, work: Work, other: Work) -> bool:
        self._tries[other.key] += 1
        if self._tries[other.key] > _MOST_TRIES:
            return title_words(work.title) == title_words(other.title)
        return have_one_title(work.title, other.title)


def have_one_title(one: str, other: str) -> bool:
    """Whether two titles under one DOI, PMID or key are of one work: also where a subtitle or the end is left out."""
    compared = likeness(one, other)
    if compared.how == "unknown":
        return title_words(one) == title_words(other)
    return compared.is_same or compared.how == "cut" or compared.similarity >= _SAME


def title_words(title: str) -> str:
    """A title as titles are compared; one of signs alone as it stands."""
    return plain(title) or title.strip()


def _differ(one: Work, other: Work) -> bool:
    """Whether works with much the same title are two all the same: "Editorial" and "Annual report" are written often."""
    if one.year and other.year and one.year != other.year:
        return True
    if one.doi and other.doi and one.doi.casefold() != other.doi.casefold():
        return True
    if one.pmid and other.pmid and one.pmid != other.pmid:
        return True
    first, second = (ascii_word(re.split(r",| and ", work.authors)[0]) for work in (one, other))
    return bool(first and second) and first != second
