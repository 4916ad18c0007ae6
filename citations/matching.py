"""Whether two entries are one work: what an import asks before it adds anything (SPEC C10)."""

import re
from collections import Counter
from typing import NamedTuple
from uuid import UUID

from citations.formats.csl import ascii_word, short_authors
from citations.formats.entries import Csl
from citations.proof.normal import plain
from citations.proof.reference import claimed
from citations.proof.titles import likeness

_SAME = 0.8  # of two titles under one DOI, PMID or key, which say nearly all; alone they prove nothing so early
_SHORTEST_TITLE = 13  # letters of a title that tells a work from others
_MOST_TRIES = 20  # comparisons with one work; from then on only the very same title counts


class Work(NamedTuple):
    """What tells one work from another. `authors` as lists show them: "Sterne, Murthy and others".

    `pk` is that of its reference, `more` are further DOIs and PMIDs of it. `is_disputed`: its own lead to another work.
    """

    key: str
    title: str
    authors: str
    year: int | None
    doi: str
    pmid: str
    pk: UUID | None = None
    more: tuple[str, ...] = ()
    is_disputed: bool = False

    @property
    def is_telling(self) -> bool:
        """Whether title and authors can tell it from all others: "Editorial" of nobody is the title of many works."""
        return bool(self.authors) and sum(letter.isalnum() for letter in self.title) >= _SHORTEST_TITLE


class Match(NamedTuple):
    """The same work, and what it was known by: "DOI", "PMID", "key" or "title and year".

    `is_sure` is False where title and year are those of many works.
    """

    work: Work
    by: str
    is_sure: bool = True


class Works:
    """Works that are there already, found by whatever identifies them."""

    def __init__(self) -> None:
        self._by_key: dict[str, Work] = {}
        self._by_id: dict[str, list[Work]] = {}
        self._by_title: dict[tuple[str, int], list[Work]] = {}
        self._tries: Counter[str] = Counter()

    def know_as(self, other: str, key: str) -> None:
        """Find the work under `key` by an `other` key too."""
        if (work := self._by_key.get(key.casefold())) is not None:
            self._by_key.setdefault(other.casefold(), work)

    def add(self, work: Work) -> None:
        self._by_key.setdefault(work.key.casefold(), work)
        for value in {one.casefold() for one in (work.doi, work.pmid, *work.more) if one}:
            self._by_id.setdefault(value, []).append(work)
        if work.title:
            self._by_title.setdefault((title_words(work.title), work.year or 0), []).append(work)

    def under(self, value: str) -> Work | None:
        """The first work that has this DOI or PMID."""
        return next(iter(self._by_id.get(value.casefold(), ())), None)

    def find(self, work: Work) -> Match | None:
        """The same work, if it is there.

        A wrong identifier is common, and so is one key for two works: neither makes works with other titles one.
        Without a title the identifier alone counts. Works without a year are told by title where nobody gave a key.
        """
        for by, value in (("DOI", work.doi), ("PMID", work.pmid), *(("DOI", one) for one in work.more)):
            for other in self._by_id.get(value.casefold(), ()) if value else ():
                if self._is_one(work, other):
                    return Match(other, by)
        named = self._by_key.get(work.key.casefold())
        if named is not None and not _differ(work, named) and self._have_one_title(work, named):
            return Match(named, "key")
        namesakes = (
            self._by_title.get((title_words(work.title), work.year or 0), ()) if work.year or not work.key else ()
        )
        alike = next((one for one in namesakes[:_MOST_TRIES] if not _differ(work, one)), None)
        return Match(alike, "title and year", work.is_telling) if alike else None

    def _is_one(self, work: Work, other: Work) -> bool:
        """Whether a work with an identifier of another is that."""
        if work.title and other.title:
            return self._have_one_title(work, other)
        return not other.is_disputed

    def _have_one_title(self, work: Work, other: Work) -> bool:
        self._tries[other.key] += 1
        if self._tries[other.key] > _MOST_TRIES:
            return title_words(work.title) == title_words(other.title)
        return have_one_title(work.title, other.title)


def claimed_work(csl: Csl, key: str = "") -> Work:
    """The work that an item claims to be. An arXiv id is a DOI: a preprint is not the article that came of it."""
    claim = claimed(csl)
    arxiv = f"10.48550/arxiv.{claim.arxiv}" if claim.arxiv else ""
    more = (arxiv,) if arxiv and claim.doi else ()
    doi = claim.doi or arxiv or claim.unread_doi
    return Work(key, claim.title, short_authors(csl), claim.year, doi, claim.pmid or "", more=more)


def have_one_title(one: str, other: str) -> bool:
    """Whether two titles under one DOI, PMID or key are of one work: also where a subtitle or the end is left out."""
    compared = likeness(one, other)
    if compared.how == "unknown":
        return title_words(one) == title_words(other)
    return compared.is_same or compared.how == "cut" or compared.similarity >= _SAME


def title_words(title: str) -> str:
    """A title as titles are compared; one of signs alone as it stands."""
    return plain(title) or title.strip()


def goes_on(one: Work, other: Work) -> bool:
    """Whether one of two works under one key has the other's title and more words, and nothing speaks against it."""
    short, long = sorted((title_words(one.title), title_words(other.title)), key=len)
    return bool(short) and long.startswith(f"{short} ") and not _differ(one, other)


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
