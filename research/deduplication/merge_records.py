"""Merging the records that several catalogues have of one work into the most complete one (SPEC R8)."""

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import Any

from sources.retractions import Update
from sources.work import Work

_CATALOGUES = ("crossref", "pubmed", "openalex", "semantic_scholar")  # the best metadata first
_UNSURE = {"openalex", "semantic_scholar"}  # they call every work of unknown type "article-journal"
_PLACE = ("year", "venue", "volume", "issue", "pages", "publisher", "editors")
_PUBLISHED, _PREPRINT, _PAGE = range(3)


def merged(first: Work, *others: Work) -> Work:
    """Return the most complete record of a work, merged from several records, for the version that is to be cited.

    The published version comes before the preprint, and both before a web page; then Crossref, PubMed, OpenAlex,
    Semantic Scholar, any other. The first record with a value provides it, with these exceptions:

    - year, type and place (venue, volume, pages ...) come from records of the first version only; a preprint's PMID and
      PMCID are not its article's; its DOI becomes `preprint_doi`;
    - the longest list of authors of the first version that has any is used, among equally long ones that with the most
      given names in full, and the longest abstract;
    - the type is the most specific one, counts are the highest, notices are those of all records, and the work is
      retracted if one record says so.

    The order of the arguments does not matter, and merging a record with itself changes nothing. Merging two by two
    gives the same as merging all at once if each record has a number of its own and the preferred records have their
    own title, year and so on: a value filled in from another record counts as their own from then on.
    """
    works = {first, *others}
    if len(works) == 1:
        return first
    versions = _versions(works)
    ranked = [work for version in versions for work in version]
    kind = next(kind for kind, version in enumerate(versions) if version)
    best = versions[kind]
    own = best + versions[_PAGE] if kind == _PUBLISHED else ranked
    published = _every(ranked, "published_version_doi")
    dois = [*_every(own, "doi"), *(published if kind == _PUBLISHED else []), *_every(ranked, "doi")]
    doi = next(iter(dois), None)
    preprints = [*_every(ranked, "preprint_doi"), *(_every(versions[_PREPRINT], "doi") if kind == _PUBLISHED else [])]
    chosen: dict[str, Any] = {
        **{name: _first_of(best, name) for name in _PLACE},
        **{name: _first_of(own, name) for name in ("pmid", "pmcid", "isbn")},
        **{name: _first_of(ranked, name) for name in ("title", "arxiv", "url", "open_access_url")},
        **{name: max(_every(ranked, name), default=None) for name in ("citation_count", "influential_citation_count")},
        **{name: _notices(ranked, name) for name in ("updates", "notice_of")},
        "doi": doi,
        "preprint_doi": next((other for other in preprints if other != doi), None),
        "published_version_doi": next((other for other in published if other != doi and kind != _PUBLISHED), None),
        "type": max(best, key=_exactness).type,
        "authors": max(next((version for version in versions if _every(version, "authors")), best), key=_names).authors,
        "abstract": next((text for version in versions if (text := _longest(version, "abstract"))), None),
        "text": _longest(ranked, "text"),
        "is_retracted": any(work.is_retracted for work in works),
    }
    return ranked[0].model_copy(update=chosen)


def _versions(works: Collection[Work]) -> list[list[Work]]:
    """Return the records of the published version, the preprint and web pages, each with the best catalogue first."""
    preprints = {*_every(works, "preprint_doi"), *(work.doi for work in works if work.published_version_doi)}

    def version(work: Work) -> int:
        if work.type == "webpage":
            return _PAGE
        is_preprint = work.type == "article" or work.published_version_doi or (work.doi and work.doi in preprints)
        return _PREPRINT if is_preprint else _PUBLISHED

    ranked = sorted(works, key=_rank)
    if any(_rank(one) == _rank(other) for one, other in pairwise(ranked)):
        ranked = sorted(works, key=lambda work: (_rank(work), repr(work)))
    return [[work for work in ranked if version(work) == kind] for kind in (_PUBLISHED, _PREPRINT, _PAGE)]


def _rank(work: Work) -> int:
    return _CATALOGUES.index(work.provider) if work.provider in _CATALOGUES else len(_CATALOGUES)


def _every(works: Iterable[Work], name: str) -> list[Any]:
    return [value for value in (getattr(work, name) for work in works) if value or value == 0]


def _first_of(works: Sequence[Work], name: str) -> Any:
    return next(iter(_every(works, name)), getattr(works[0], name) if works else None)


def _longest(works: Iterable[Work], name: str) -> str | None:
    return max(_every(works, name), key=lambda text: (len(text), text), default=None)


def _notices(works: Iterable[Work], name: str) -> tuple[Update, ...]:
    notices: set[Update] = {notice for work in works for notice in getattr(work, name)}
    return tuple(sorted(notices, key=lambda notice: (notice.year or 0, repr(notice))))


def _exactness(work: Work) -> int:
    if work.type in {"document", "webpage"}:
        return 0
    return 1 if work.type == "article-journal" and work.provider in _UNSURE else 2


def _names(work: Work) -> tuple[int, int]:
    """Return the number of authors, and the number of given names that are more than initials."""
    return len(work.authors), sum(bool(re.search(r"[^\W\d_]{2}", person.given or "")) for person in work.authors)
