"""The references of a thesis, found by what identifies a work, so that none is there twice (SPEC C5, C8)."""

import re
from collections.abc import Container, Iterable

from django.db.models import Count, Max

from citations.formats.csl import make_key, unused
from citations.formats.entries import Csl, text_of
from citations.matching import Match, Work, Works, claimed_work
from citations.models import Citation, OtherKey
from projects.models import Project
from sources.reading import clean_arxiv

_COLUMNS = (
    *("cite_key", "title", "authors", "year", "doi", "pmid", "pk", "source_doi", "source_pmid", "status"),
    "csl__custom__bibtex__eprint",
)
LONGEST_KEY = 200
_UNCITABLE = re.compile(r"[\s,{}()\\%#~\"=]+")  # what ends or breaks a \cite in LaTeX


class Keys(Container[str]):
    """Cite keys that are taken, or `reserved` for those who bring them. LaTeX does not tell capitals apart."""

    def __init__(self) -> None:
        self.as_written: set[str] = set()
        self.reserved: set[str] = set()
        self._holders: dict[str, str] = {}

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and (self.is_taken(key) or key.casefold() in self.reserved)

    def is_taken(self, key: str) -> bool:
        return key.casefold() in self._holders

    def holder(self, key: str) -> str:
        """The cite key of the reference that has a key, in whatever capitals; empty for none."""
        return self._holders.get(key.casefold(), "")

    def reserve(self, keys: Iterable[str]) -> None:
        self.reserved.update(key.casefold() for key in keys)

    def add(self, key: str, main: str) -> None:
        """Take a key for the reference whose cite key is `main`."""
        self.as_written.add(key)
        self._holders.setdefault(key.casefold(), main)


class Shelf:
    """One look at the references of a thesis. Tell it what is added meanwhile."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.seen = self.stamp()
        self.keys = Keys()
        self.works = Works()
        for *work, source_doi, source_pmid, status, eprint in Citation.objects.filter(project=project).values_list(
            *_COLUMNS
        ):
            key, title, authors, year, doi, pmid, pk = work
            arxiv = f"10.48550/arxiv.{number}" if not doi and (number := clean_arxiv(text_of(eprint))) else ""
            more, is_disputed = (source_doi, source_pmid), status == Citation.Status.CONFLICT
            self._put(Work(key, title, authors, year, doi or arxiv, pmid, pk, more, is_disputed))
        for key, main in OtherKey.objects.by_key(project).items():
            self.keys.add(key, main)
            self.works.know_as(key, main)

    def stamp(self) -> tuple[object, ...]:
        """Changes whenever a reference or a key of the thesis comes, goes or is changed."""
        rows = Citation.objects.filter(project=self.project).aggregate(Count("pk"), Max("updated_at"))
        return *rows.values(), OtherKey.objects.filter(project=self.project).count()

    def add(self, row: Citation, work: Work | None = None) -> None:
        """Know a new reference. `work` is what its CSL claims, where that is known already."""
        claim = work or claimed_work(row.csl)
        more = (row.source_doi, row.source_pmid, *claim.more)
        self._put(claim._replace(key=row.cite_key, title=row.title, pk=row.pk, more=more))

    def find(self, csl: Csl, key: str = "") -> Match | None:
        """The reference of the same work: by DOI, PMID or arXiv id, then by `key` or title, year and first author."""
        return self.works.find(claimed_work(csl, key))

    def key_for(self, csl: Csl, wanted: str = "", *, serial: int = 0, lasting: bool = False) -> str:
        """A free key: the one that is `wanted` or one like it, else surname and year (SPEC C5).

        An entry without words gets one for the time being, until it has them; a `lasting` one, which is given out and
        may be cited before that, is made of its identifier.
        """
        usable = _UNCITABLE.sub("", wanted)[:LONGEST_KEY]
        if usable and usable == wanted and not self.keys.is_taken(usable):
            return usable
        if usable:
            return unused(usable[: LONGEST_KEY - 4], self.keys)
        if has_words(csl):
            return make_key(csl, self.keys)
        return unused((lasting and _key_of_identifier(csl)) or f"ref{serial}", self.keys)

    def _put(self, work: Work) -> None:
        self.keys.add(work.key, work.key)
        self.works.add(work)


def is_citable(key: str) -> bool:
    """Whether a text in LaTeX can cite by this key."""
    return bool(key) and not _UNCITABLE.search(key)


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
