"""The references of a thesis, found by what identifies a work, so that none is there twice (SPEC C5, C8)."""

from collections.abc import Container
from typing import NamedTuple
from uuid import UUID

from citations.formats.csl import make_key, short_authors, unused, usable_key, year_of
from citations.formats.entries import Csl, text_of
from citations.matching import Work, Works, have_one_title
from citations.models import Citation, OtherKey
from citations.proof.reference import claimed
from projects.models import Project

_COLUMNS = ("pk", "cite_key", "title", "authors", "year", "doi", "pmid", "status", "source_doi", "source_pmid")
LONGEST_KEY = 200


class _Row(NamedTuple):
    pk: UUID
    title: str


class Keys(Container[str]):
    """Cite keys that are taken. LaTeX does not tell keys apart that differ in capitals alone."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key.casefold() in self._taken

    def add(self, key: str) -> None:
        self._taken.add(key.casefold())


class Shelf:
    """One look at the references of a thesis. Tell it what is added meanwhile."""

    def __init__(self, project: Project) -> None:
        self.keys = Keys()
        self._works = Works()
        self._by_id: dict[str, list[_Row]] = {}
        self._pk_of: dict[str, UUID] = {}
        for pk, key, title, authors, year, doi, pmid, status, *sources in Citation.objects.filter(
            project=project
        ).values_list(*_COLUMNS):
            # An identifier that leads elsewhere is not that of the entry.
            own = () if status == Citation.Status.CONFLICT else (doi, pmid)
            self._put(pk, Work(key, title, authors, year, doi, pmid), (*own, *sources))
        for other, key in OtherKey.objects.by_key(project).items():
            self.keys.add(other)
            self._works.know_as(other, key)

    def add(self, citation: Citation) -> None:
        row = citation
        work = Work(row.cite_key, row.title, row.authors, row.year, row.doi, row.pmid)
        self._put(row.pk, work, (row.doi, row.pmid, row.source_doi, row.source_pmid))

    def find(self, csl: Csl, key: str = "") -> UUID | None:
        """The reference of the same work: by DOI, PMID or arXiv id, then by `key` or title, year and first author.

        Wrong identifiers are common, and so is one key for two works: neither makes works with other titles one.
        Without a title the identifier alone counts.
        """
        claim = claimed(csl)
        ids = (claim.doi, claim.pmid, f"10.48550/arxiv.{claim.arxiv}" if claim.arxiv else None)
        for row in (row for one in ids if one for row in self._by_id.get(one.casefold(), ())):
            if not claim.title or not row.title or have_one_title(claim.title, row.title):
                return row.pk
        if not claim.title:
            return None
        work = Work(key, claim.title, short_authors(csl), year_of(csl), claim.doi or "", claim.pmid or "")
        match = self._works.find(work)
        return self._pk_of[match.key] if match else None

    def key_for(self, csl: Csl, wanted: str = "", *, serial: int = 0, lasting: bool = False) -> str:
        """A free key: the one that is `wanted` or one like it, else surname and year (SPEC C5).

        An entry without words gets one for the time being, until it has them; a `lasting` one, which is given out and
        may be cited before that, is made of its identifier.
        """
        if usable := usable_key(wanted)[:LONGEST_KEY]:
            key = unused(usable[: LONGEST_KEY - 4], self.keys) if usable in self.keys else usable
        elif has_words(csl):
            key = make_key(csl, self.keys)
        else:
            key = unused((lasting and _key_of_identifier(csl)) or f"ref{serial}", self.keys)
        self.keys.add(key)
        return key

    def _put(self, pk: UUID, work: Work, ids: tuple[str, ...]) -> None:
        self.keys.add(work.key)
        self._works.add(work)
        self._pk_of[work.key] = pk
        for one in {value.casefold() for value in ids if value}:
            self._by_id.setdefault(one, []).append(_Row(pk, work.title))


def has_words(csl: Csl) -> bool:
    """Whether an entry has anything that a key can be made of."""
    return any(csl.get(name) for name in ("title", "author", "editor"))


def is_for_the_time_being(citation: Citation) -> bool:
    """Whether an entry still has the key that was made for it when nothing but its identifier was known.

    One that a person typed, in the BibTeX that came with it, is theirs.
    """
    claim = citation.claim
    if has_words(claim) or citation.cite_key in citation.bibtex:
        return False
    stems = (f"ref{citation.serial}", _key_of_identifier(claim), make_key(claim, ()))
    rests = (citation.cite_key.removeprefix(stem) for stem in stems if stem and citation.cite_key.startswith(stem))
    return any(not rest or (rest.isascii() and rest.isalpha() and rest.islower() and len(rest) < 3) for rest in rests)


def _key_of_identifier(csl: Csl) -> str:
    name, value = next(((name, text_of(csl.get(name))) for name in _IDENTIFIERS if csl.get(name)), ("", ""))
    ascii_only = "".join(one if one.isascii() and (one.isalnum() or one in ".-") else "-" for one in value)
    return f"{name.lower()}-{ascii_only.strip('-.')}"[:LONGEST_KEY] if ascii_only.strip("-.") else ""


_IDENTIFIERS = ("DOI", "PMID", "PMCID", "ISBN", "number", "URL")
