"""Matching of entries: whether two are the same work, and an index of a thesis's references (SPEC C5, C8, C10).

It keeps a thesis from having one work twice.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable
from typing import NamedTuple
from uuid import UUID

from django.db.models import Count, Max

from citations.formats.csl import ascii_word, make_key, short_authors, unused_key, year_of
from citations.formats.reading import Csl, text_of
from citations.identity.normalise import plain
from citations.identity.reference import identifiers_from_csl, without_retraction_mark
from citations.identity.title_similarity import likeness
from citations.library_models import KeyPattern
from citations.models import Citation, OtherKey
from projects.models import Project
from sources.identifiers import clean_arxiv

_MIN_TITLE_SIMILARITY = 0.8  # least similarity of titles under one DOI or PMID
_SHORTEST_TITLE = 13  # letters of a title that can identify a work
_MOST_TRIES = 20  # comparisons with one work; after that only an equal title counts


class ClaimedWork(NamedTuple):
    """The identifying values of a work. `authors` are as in lists: "Sterne, Murthy and others".

    `pk` is that of its reference, `more` are further DOIs and PMIDs. `is_disputed`: its identifiers lead to another
    work.
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
    def is_distinctive(self) -> bool:
        """Whether title and authors identify one work; "Editorial" without an author does not."""
        return bool(self.authors) and sum(letter.isalnum() for letter in self.title) >= _SHORTEST_TITLE


class Match(NamedTuple):
    """A matching work, and what matched: "DOI", "PMID", "key" or "title and year".

    `is_sure` is False where many works have this title and year.
    """

    work: ClaimedWork
    by: str
    is_sure: bool = True


class WorkIndex:
    """An index of works by key, DOI, PMID, title and year."""

    def __init__(self) -> None:
        self._by_key: dict[str, ClaimedWork] = {}
        self._by_id: dict[str, list[ClaimedWork]] = {}
        self._by_title: dict[tuple[str, int], list[ClaimedWork]] = {}
        self._tries: Counter[str] = Counter()

    def know_as(self, other: str, key: str) -> None:
        """Register `other` as an alias of `key`."""
        if (work := self._by_key.get(key.casefold())) is not None:
            self._by_key.setdefault(other.casefold(), work)

    def add(self, work: ClaimedWork) -> None:
        """Add a work to the index."""
        self._by_key.setdefault(work.key.casefold(), work)
        for value in {one.casefold() for one in (work.doi, work.pmid, *work.more) if one}:
            self._by_id.setdefault(value, []).append(work)
        if work.title:
            self._by_title.setdefault((title_words(work.title), work.year or 0), []).append(work)

    def under(self, value: str) -> ClaimedWork | None:
        """Return the first work that has this DOI or PMID."""
        return next(iter(self._by_id.get(value.casefold(), ())), None)

    def find(self, work: ClaimedWork) -> Match | None:
        """Return the match of a work in the index; None where it is new.

        Wrong identifiers are common, and so is one key for two works, since programs make keys of author and year:
        works with different titles never match, and under one key titles may only be spelt or cut differently. Without
        a title the identifier alone counts. Works without a year match by title where no key was given.
        """
        for by, value in (("DOI", work.doi), ("PMID", work.pmid), *(("DOI", one) for one in work.more)):
            for other in self._by_id.get(value.casefold(), ()) if value else ():
                if self._have_one_title(work, other) if bool(work.title and other.title) else not other.is_disputed:
                    return Match(other, by)
        named = self._by_key.get(work.key.casefold())
        if named is not None and not contradict(work, named) and self._have_one_title(work, named, by_key=True):
            return Match(named, "key")
        namesakes = (
            self._by_title.get((title_words(work.title), work.year or 0), ()) if work.year or not work.key else ()
        )
        alike = next((one for one in namesakes[:_MOST_TRIES] if not contradict(work, one)), None)
        return Match(alike, "title and year", work.is_distinctive) if alike else None

    def _have_one_title(self, work: ClaimedWork, other: ClaimedWork, *, by_key: bool = False) -> bool:
        self._tries[other.key] += 1
        if self._tries[other.key] > _MOST_TRIES:
            return title_words(work.title) == title_words(other.title)
        return titles_match(work.title, other.title, words_may_differ=not by_key)


def claimed_work(csl: Csl, key: str = "") -> ClaimedWork:
    """Return the work that a CSL item claims to be.

    An arXiv id counts as a DOI, so that a preprint does not match the article published later.
    """
    ids, title = identifiers_from_csl(csl), without_retraction_mark(text_of(csl.get("title")))
    arxiv = f"10.48550/arxiv.{ids['arxiv']}" if ids["arxiv"] else ""
    return ClaimedWork(
        key,
        title,
        short_authors(csl),
        year_of(csl),
        ids["doi"] or arxiv or ids["unread_doi"],
        ids["pmid"] or "",
        more=(arxiv,) if arxiv and ids["doi"] else (),
    )


def titles_match(one: str, other: str, *, words_may_differ: bool = True) -> bool:
    """Return whether two titles under one DOI, PMID or key are of one work; a subtitle or the end may be missing.

    Without `words_may_differ` titles such as "... in adults" and "... in children" are of two.
    """
    compared = likeness(one, other)
    if compared.how == "unknown":
        return title_words(one) == title_words(other)
    is_alike = words_may_differ and compared.similarity >= _MIN_TITLE_SIMILARITY
    return compared.is_same or compared.how in ("cut", "spelling") or is_alike


def title_words(title: str) -> str:
    """Return a title normalised for comparison; a title without letters or digits unchanged."""
    return plain(title) or title.strip()


def continues_title(one: ClaimedWork, other: ClaimedWork) -> bool:
    """Return whether one of two works under one key has the other's title with more words, and nothing else differs."""
    short, long = sorted((title_words(one.title), title_words(other.title)), key=len)
    return bool(short) and long.startswith(f"{short} ") and not contradict(one, other)


def contradict(one: ClaimedWork, other: ClaimedWork) -> bool:
    """Return whether two works with similar titles differ in year, DOI, PMID or first author."""
    said = ((one.year, other.year), (one.doi.casefold(), other.doi.casefold()), (one.pmid, other.pmid))
    if any(mine and theirs and mine != theirs for mine, theirs in said):
        return True
    first, second = (ascii_word(re.split(r",| and ", work.authors)[0]) for work in (one, other))
    return bool(first and second) and first != second


_COLUMNS = (
    *("cite_key", "title", "authors", "year", "doi", "pmid", "pk", "source_doi", "source_pmid", "status"),
    "csl__custom__bibtex__eprint",
)
LONGEST_KEY = 200
_UNCITABLE = re.compile(r"[\s,{}()\\%#~\"=]+")  # what ends or breaks a \cite in LaTeX


class Keys(Container[str]):
    """Cite keys that are taken, or `reserved` for the entries of an import. Capitals do not count, as in BibTeX."""

    def __init__(self) -> None:
        self.as_written: set[str] = set()
        self.reserved: set[str] = set()
        self._holders: dict[str, str] = {}

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and (key.casefold() in self._holders or key.casefold() in self.reserved)

    def holder(self, key: str) -> str:
        """Return the cite key of the reference that has this key, ignoring capitals; empty for none."""
        return self._holders.get(key.casefold(), "")

    def reserve(self, keys: Iterable[str]) -> None:
        """Reserve keys for entries that have them already, so that no new key takes them."""
        self.reserved.update(key.casefold() for key in keys)

    def add(self, key: str, main: str) -> None:
        """Mark a key as taken by the reference whose cite key is `main`."""
        self.as_written.add(key)
        self._holders.setdefault(key.casefold(), main)


class ReferenceIndex:
    """An index of the references of a thesis, read once; references added later must be added here too."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.seen = self.stamp()
        self.key_pattern = KeyPattern.objects.of(project)
        self.keys = Keys()
        self.works = WorkIndex()
        for *work, source_doi, source_pmid, status, eprint in Citation.objects.filter(project=project).values_list(
            *_COLUMNS
        ):
            key, title, authors, year, doi, pmid, pk = work
            arxiv = f"10.48550/arxiv.{number}" if not doi and (number := clean_arxiv(text_of(eprint))) else ""
            more, is_disputed = (source_doi, source_pmid), status == Citation.Status.CONFLICT
            self._put(ClaimedWork(key, title, authors, year, doi or arxiv, pmid, pk, more, is_disputed))
        for key, main in OtherKey.objects.by_key(project).items():
            self.keys.add(key, main)
            self.works.know_as(key, main)

    def stamp(self) -> tuple[object, ...]:
        """Return a value that changes whenever a reference or a key of the thesis is added, changed or deleted."""
        rows = Citation.objects.filter(project=self.project).aggregate(Count("pk"), Max("updated_at"))
        return *rows.values(), OtherKey.objects.filter(project=self.project).count()

    def add(self, row: Citation, work: ClaimedWork | None = None) -> None:
        """Add a new reference. `work` is the work that its CSL claims, where the caller has it already."""
        claim = work or claimed_work(row.csl)
        self._put(
            claim._replace(
                key=row.cite_key, title=row.title, pk=row.pk, more=(row.source_doi, row.source_pmid, *claim.more)
            )
        )

    def find(self, csl: Csl, key: str = "") -> Match | None:
        """Return the reference of the same work: by DOI, PMID or arXiv id, then by `key`, or title, year and author."""
        return self.works.find(claimed_work(csl, key))

    def key_for(self, csl: Csl, wanted: str = "", *, serial: int = 0, lasting: bool = False) -> str:
        """Return a free key: `wanted` or one like it, else one by the pattern of the thesis (SPEC C5).

        An entry without title and authors gets a provisional key. A `lasting` key, which may be cited before title and
        authors are known, is made of the identifier.
        """
        usable = _UNCITABLE.sub("", wanted)[:LONGEST_KEY]
        if usable and usable == wanted and not self.keys.holder(usable):
            return usable
        if usable:
            return unused_key(usable[: LONGEST_KEY - 4], self.keys)
        if has_title_or_people(csl):
            return make_key(csl, self.keys, self.key_pattern)
        return unused_key((lasting and _key_of_identifier(csl)) or f"ref{serial}", self.keys)

    def _put(self, work: ClaimedWork) -> None:
        self.keys.add(work.key, work.key)
        self.works.add(work)


def is_citable(key: str) -> bool:
    """Return whether the key can be used in a \\cite of LaTeX."""
    return bool(key) and not _UNCITABLE.search(key)


def has_title_or_people(csl: Csl) -> bool:
    """Return whether an entry has a title, an author or an editor to make a key of."""
    return any(csl.get(name) for name in ("title", "author", "editor"))


def has_provisional_key(citation: Citation) -> bool:
    """Return whether an entry still has the provisional key that was made when only its identifier was known.

    A key that a person typed in the imported BibTeX is never provisional.
    """
    claim = citation.claim
    if has_title_or_people(claim) or citation.cite_key in citation.bibtex:
        return False
    stems = (f"ref{citation.serial}", _key_of_identifier(claim), make_key(claim, ()))
    rests = (citation.cite_key.removeprefix(stem) for stem in stems if stem and citation.cite_key.startswith(stem))
    return any(not rest or (rest.isascii() and rest.isalpha() and rest.islower() and len(rest) < 3) for rest in rests)


def _key_of_identifier(csl: Csl) -> str:
    name, value = next(((name, text_of(csl.get(name))) for name in _IDENTIFIERS if csl.get(name)), ("", ""))
    ascii_only = "".join(one if one.isascii() and (one.isalnum() or one in ".-") else "-" for one in value)
    return f"{name.lower()}-{ascii_only.strip('-.')}"[:LONGEST_KEY] if ascii_only.strip("-.") else ""


_IDENTIFIERS = ("DOI", "PMID", "PMCID", "ISBN", "number", "URL")
