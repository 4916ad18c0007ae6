"""Crossref, the registry of most DOIs (SPEC C1, C11). API: https://api.crossref.org/swagger-ui"""

import re
from collections.abc import Iterable
from typing import Any

from sources.field_values import at, between, first, mappings, number, text, titled, whole, year
from sources.host_limits import CROSSREF, DOI, SEARCH
from sources.http_client import CatalogueRequest, Client
from sources.identifiers import clean_doi, doi_in_path
from sources.request_checks import Part, ask_for_each, list_of_works, one_work, with_valid_id
from sources.responses import RawResponse
from sources.retractions import Update, is_marked_retracted
from sources.work import Batch, Failed, Found, NothingFound, Outcome, Person, Unreadable, Work, people

NAME = "crossref"

_TYPES = {
    "journal-article": "article-journal",
    "proceedings-article": "paper-conference",
    "book": "book",
    "monograph": "book",
    "edited-book": "book",
    "reference-book": "book",
    "book-set": "book",
    "book-series": "book",
    "proceedings": "book",
    "book-chapter": "chapter",
    "book-section": "chapter",
    "book-part": "chapter",
    "book-track": "chapter",
    "reference-entry": "entry-encyclopedia",
    "posted-content": "article",
    "dissertation": "thesis",
    "report": "report",
    "report-component": "report",
    "report-series": "report",
    "dataset": "dataset",
    "database": "dataset",
    "peer-review": "review",
    "standard": "standard",
    "journal": "periodical",
    "journal-issue": "periodical",
    "journal-volume": "periodical",
}
# CSL's own types, as other agencies send them through doi.org (sources/doi_org.py).
_CSL_TYPES = {
    *_TYPES.values(),
    *("software", "webpage", "graphic", "motion_picture", "song", "map", "speech", "interview", "pamphlet"),
    *("article-magazine", "article-newspaper", "manuscript", "patent", "entry", "entry-dictionary", "review-book"),
}


async def search(client: Client, query: str, limit: int) -> Outcome:
    """Search works with `query.bibliographic`; return at most `limit` (1 to 100)."""
    return await client.ask(_listing({"query.bibliographic": query, "rows": between(limit, most=100)}))


@with_valid_id(clean_doi, "not a DOI")
async def lookup(client: Client, doi: str) -> Outcome:
    """Return the work registered under `doi`, also if the DOI is an alias of another."""
    return await client.ask(CatalogueRequest(CROSSREF, f"/works/{doi_in_path(doi)}", _read_one, missing=True))


async def lookup_many(client: Client, dois: Iterable[str]) -> Batch:
    """Return the works for many DOIs, keyed by the given DOIs; one request per 40.

    The filter finds neither aliases nor DOIs of other agencies. Both are reported as missing; look them up at doi.org.
    """

    async def ask(part: Part) -> dict[str, Work] | Failed:
        if len(part) > 1:
            return _works_by_doi(
                await client.ask(_listing({"filter": ",".join(f"doi:{doi}" for doi in part), "rows": len(part)}))
            )
        return _works_by_doi(await lookup(client, part[0]), part[0])

    given = list(dois)
    alone = [doi for doi in given if "," in doi]  # a comma would split the filter
    # With 40 long DOIs in a filter the URL stays below 8,000 characters.
    one = await ask_for_each((doi for doi in given if doi not in alone), clean_doi, "not a DOI", 40, ask)
    more = await ask_for_each(alone, clean_doi, "not a DOI", 1, ask)
    return Batch(one.found | more.found, one.missing | more.missing, one.failed | more.failed)


def _works_by_doi(outcome: Outcome, asked: str = "") -> dict[str, Work] | Failed:
    """Return the found works by DOI. With `asked`, use that as the key, since it may be an alias of the work's DOI."""
    if isinstance(outcome, Failed):
        return outcome
    works = outcome.works if isinstance(outcome, Found) else ()
    return {known: work for work in works if (known := asked or work.doi)}


def _listing(params: dict[str, Any]) -> CatalogueRequest[Found | NothingFound]:
    """Return the request for a list of works."""
    return CatalogueRequest(CROSSREF, "/works", _read_list, params=params, lane=SEARCH)


@with_valid_id(clean_doi, "not a DOI")
async def bibtex(client: Client, doi: str) -> str | NothingFound | Failed:
    """Return the BibTeX entry of `doi` by content negotiation at doi.org, as the agency sends it.

    Fields may contain raw `&` and `<`, and keys such as `2023`, so parse it and do not insert it as it is.
    """
    return await client.ask(
        CatalogueRequest(DOI, f"/{doi_in_path(doi)}", _read_bibtex, accept="application/x-bibtex", missing=True)
    )


def _read_bibtex(reply: RawResponse) -> str:
    entry = reply.text().strip()
    if not entry.startswith("@"):
        raise Unreadable("sent something other than a BibTeX entry")
    return entry


def read_work(item: dict[str, Any]) -> Work | None:
    """Return a Work from a Crossref record, or None if it has neither DOI nor title."""
    doi, title = clean_doi(item.get("DOI")), titled(text(first(item.get("title"))), text(first(item.get("subtitle"))))
    if not doi and not title:
        return None
    updates = _updates(item.get("updated-by"))
    return Work(
        provider=NAME,
        provider_id=doi or title,
        title=title,
        authors=_people(item.get("author")),
        editors=_people(item.get("editor")),
        year=_year(item),
        venue=text(first(item.get("container-title"))) or text(at(item, "institution", 0, "name")),
        volume=text(item.get("volume")),
        issue=text(item.get("issue")),
        pages=text(item.get("page")) or text(item.get("article-number")),
        publisher=text(item.get("publisher")),
        doi=doi,
        isbn=first(item.get("ISBN")),
        url=text(at(item, "resource", "primary", "URL")) or text(item.get("URL")),
        abstract=_abstract(item.get("abstract")),
        type=_type(item.get("type")),
        citation_count=whole(item.get("is-referenced-by-count")),
        is_retracted=is_marked_retracted(title, updates),
        updates=updates,
        notice_of=_updates(item.get("update-to")),
        published_version_doi=_related(item, "is-preprint-of"),
        preprint_doi=_related(item, "has-preprint"),
        score=number(item.get("score")),
    )


def _type(value: Any) -> str:
    """Return the CSL type for a Crossref or CSL type."""
    given = str(value)
    return _TYPES.get(given) or (given if given in _CSL_TYPES else "document")


def _abstract(value: Any) -> str | None:
    """Return the abstract without JATS tags and without a leading "Abstract"."""
    words = text(value)
    return re.sub(r"^(?:abstract|summary)\b[:.]?\s+(?=[A-Z0-9])", "", words, flags=re.IGNORECASE) if words else None


def _people(value: Any) -> tuple[Person, ...]:
    return people(
        Person(family=text(one.get("family")), given=text(one.get("given")), suffix=text(one.get("suffix")))
        if text(one.get("family"))
        else Person(literal=text(one.get("name")) or text(one.get("literal")) or text(one.get("given")))
        for one in mappings(value)
    )


def _year(item: dict[str, Any]) -> int | None:
    names = ("issued", "published", "published-print", "published-online", "posted", "approved")
    places: tuple[tuple[str | int, ...], ...] = (("date-parts", 0, 0), ("raw",), ("literal",))
    return next((found for name in names for place in places if (found := year(at(item, name, *place)))), None)


def _updates(value: Any) -> tuple[Update, ...]:
    return tuple(
        Update(
            type=(text(one.get("type")) or "unknown").lower().replace("-", "_").replace(" ", "_"),
            doi=clean_doi(one.get("DOI")),
            source=text(one.get("source")),
            year=year(at(one, "updated", "date-parts", 0, 0)),
            note=text(one.get("label")),
        )
        for one in mappings(value)
    )


def _related(item: dict[str, Any], relation: str) -> str | None:
    return next((doi for one in mappings(at(item, "relation", relation)) if (doi := clean_doi(one.get("id")))), None)


_read_one = one_work(read_work, "message")
_read_list = list_of_works(read_work, "message", "items", total=("message", "total-results"))
