"""Whether two entries are one work: what an import asks before it adds anything (SPEC C10)."""

import re
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from citations.csl import ascii_word

_SAME = 0.8  # of two titles under one DOI; a subtitle left out or spelt otherwise stays above
_COMPARED = 300  # characters of a title, since the time a comparison takes grows with their square
_MOST_TRIES = 20  # comparisons with one work; from then on only the very same title counts


class Work(NamedTuple):
    """What tells one work from another. `authors` as lists show them: "Sterne, Murthy and others"."""

    key: str
    title: str
    authors: str
    year: int | None
    doi: str
    pmid: str


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

    def add(self, work: Work) -> None:
        self._by_key.setdefault(work.key.casefold(), work)
        if work.doi:
            self._by_doi.setdefault(work.doi.casefold(), work)
        if work.pmid:
            self._by_pmid.setdefault(work.pmid, work)
        if work.title and work.year:
            self._by_title.setdefault((plain(work.title), work.year), []).append(work)

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
        namesakes = self._by_title.get((plain(work.title), work.year or 0), [])
        other = next((one for one in namesakes[:_MOST_TRIES] if not _differ(work, one)), None)
        return Match(other.key, "title and year") if other else None

    def _have_one_title(self, work: Work, other: Work) -> bool:
        self._tries[other.key] += 1
        if self._tries[other.key] > _MOST_TRIES:
            return plain(work.title) == plain(other.title)
        return have_one_title(work.title, other.title)


def have_one_title(one: str, other: str) -> bool:
    """Whether two titles under one DOI, PMID or key are of one work."""
    first, second = plain(one)[:_COMPARED], plain(other)[:_COMPARED]
    if first == second:
        return True
    compared = SequenceMatcher(None, first, second, autojunk=False)
    return compared.quick_ratio() >= _SAME and compared.ratio() >= _SAME


@lru_cache(2_000)  # an entry's title is asked for up to four times in a row
def plain(title: str) -> str:
    """The words of a title alone, in small letters."""
    return " ".join(re.findall(r"\w+", title.casefold()))


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
