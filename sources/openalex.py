"""OpenAlex: an open index of works. By id or DOI it is free; a search needs a key. API facts: https://docs.openalex.org"""

import re
from typing import Any

from sources.catalogue_requests import by_id, list_of_works, needs, one_work
from sources.field_values import (
    at,
    between,
    clean_arxiv,
    clean_doi,
    clean_pmid,
    doi_in_path,
    doi_of_url,
    items,
    link,
    mappings,
    number,
    pages,
    text,
    whole,
    year,
)
from sources.hosts import OPENALEX, SEARCH
from sources.http_client import Client, Question
from sources.responses import Reply
from sources.work import Found, NothingFound, Outcome, Unreadable, Work, full_name, is_marked_retracted, people

NAME = "openalex"
MOST_LINKED = 100  # ids of one filter, and works of one answer to it
_LINKS = {"select": "id,referenced_works"}  # the same for both ways, so that the second is answered from the cache
# What a picture of who cites whom needs of a work: without abstracts an answer is a tenth as long.
_SHORT = "id,doi,title,display_name,publication_year,publication_date,type,ids,authorships,primary_location,cited_by_count,is_retracted"
_TYPES = {
    "article": "article-journal",
    "review": "article-journal",
    "letter": "article-journal",
    "editorial": "article-journal",
    "erratum": "article-journal",
    "retraction": "article-journal",
    "preprint": "article",
    "book": "book",
    "book-chapter": "chapter",
    "dissertation": "thesis",
    "dataset": "dataset",
    "report": "report",
    "reference-entry": "entry-encyclopedia",
    "peer-review": "review",
    "standard": "standard",
    "software": "software",
}


_NO_WORK = "neither an OpenAlex id nor a DOI"
_NO_KEY = "OpenAlex needs {} to list who cites whom"


def _number(work: str) -> str | None:
    """Return the OpenAlex id in `work`, "W2741809807"."""
    found = re.fullmatch(r"(?:https?://(?:api\.)?openalex\.org/(?:works/)?)?(W\d{1,12})", work.strip(), re.IGNORECASE)
    return found[1].upper() if found else None


def _name(work: str) -> str | None:
    """Return what the record of `work`, an OpenAlex id or a DOI, is asked for by."""
    doi = clean_doi(work)
    return _number(work) or (f"doi:{doi_in_path(doi)}" if doi else None)


@needs("OPENALEX_API_KEY", said="OpenAlex needs {} to search")
async def search(client: Client, query: str, limit: int) -> Outcome:
    """Works whose title, abstract or text fits `query`, at most `limit` (1 to 200)."""
    return await client.ask(_listing({"search": query, "per-page": between(limit, most=200)}))


@by_id(_name, _NO_WORK)
async def lookup(client: Client, work: str) -> Outcome:
    """Return one work by its OpenAlex id ("W2741809807") or its DOI."""
    return await client.ask(Question(OPENALEX, f"/works/{work}", _read_one, missing=True))


@needs("OPENALEX_API_KEY", said=_NO_KEY)
@by_id(_name, _NO_WORK)
async def references(client: Client, work: str, limit: int = 20) -> Outcome:
    """Works that `work` (as in `lookup`) cites, the most cited first, at most `limit` (1 to 100).

    Two requests: the record, then the works it lists. NothingFound also when the work itself is unknown, or lists none.
    """
    cited = await client.ask(Question(OPENALEX, f"/works/{work}", _read_references, params=_LINKS, missing=True))
    if not isinstance(cited, list):
        return cited
    return await _linked(client, f"openalex:{'|'.join(cited)}", limit) if cited else NothingFound()


@needs("OPENALEX_API_KEY", said=_NO_KEY)
@by_id(_name, _NO_WORK)
async def citing(client: Client, work: str, limit: int = 20) -> Outcome:
    """Works that cite `work` (as in `lookup`), the most cited first, at most `limit` (1 to 100).

    NothingFound also when the work itself is unknown. A DOI costs one request more, since only ids can be asked for.
    """
    known: Any = _number(work)
    if known is None:
        known = await client.ask(Question(OPENALEX, f"/works/{work}", _read_id, params=_LINKS, missing=True))
    return await _linked(client, f"cites:{known}", limit) if isinstance(known, str) else known


async def _linked(client: Client, wanted: str, limit: int) -> Outcome:
    """Return the works that the filter `wanted` leaves, the most cited first."""
    return await client.ask(
        _listing(
            {"filter": wanted, "sort": "cited_by_count:desc", "per-page": between(limit, MOST_LINKED), "select": _SHORT}
        )
    )


def _listing(params: dict[str, Any]) -> Question[Found | NothingFound]:
    """Return what is asked for a list of works."""
    return Question(OPENALEX, "/works", _read_list, params=params, lane=SEARCH)


def _read_id(reply: Reply) -> str:
    known = _number(text(reply.mapping().get("id")) or "")
    if known is None:
        raise Unreadable("sent a work without its id")
    return known


def _read_references(reply: Reply) -> list[str]:
    """Return the ids of the works that a record says it cites, at most MOST_LINKED, in its order."""
    listed = reply.mapping().get("referenced_works")
    named = [_number(text(one) or "") for one in items(listed)]
    known = list(dict.fromkeys(one for one in named if one))
    if not isinstance(listed, list) or (named and not known):
        raise Unreadable("sent a work without a list of what it cites")
    return known[:MOST_LINKED]


def read_work(record: dict[str, Any]) -> Work | None:
    """Return a Work from OpenAlex's record; None when it has neither id nor title."""
    known = (text(record.get("id")) or "").rpartition("/")[2]
    doi = clean_doi(record.get("doi")) or clean_doi(at(record, "ids", "doi"))
    title = text(record.get("title")) or text(record.get("display_name")) or ""
    if not (known or doi or title):
        return None
    place = record.get("primary_location")
    return Work(
        provider=NAME,
        provider_id=known or doi or title,
        title=title,
        authors=people(
            full_name(text(at(one, "author", "display_name")) or text(one.get("raw_author_name")))
            for one in mappings(record.get("authorships"))
        ),
        year=year(record.get("publication_year")) or year(record.get("publication_date")),
        venue=text(at(place, "source", "display_name")),
        volume=text(at(record, "biblio", "volume")),
        issue=text(at(record, "biblio", "issue")),
        pages=pages(text(at(record, "biblio", "first_page")), text(at(record, "biblio", "last_page"))),
        publisher=text(at(place, "source", "host_organization_name")),
        doi=doi,
        pmid=clean_pmid(at(record, "ids", "pmid")),
        pmcid=at(record, "ids", "pmcid"),
        arxiv=clean_arxiv(doi) or _arxiv(record),
        url=link(at(place, "landing_page_url")) or link(record.get("id")),
        abstract=_abstract(record.get("abstract_inverted_index")),
        type=_TYPES.get(str(record.get("type")), "document"),
        citation_count=whole(record.get("cited_by_count")),
        is_retracted=record.get("is_retracted") is True or is_marked_retracted(title),
        open_access_url=_open_access(record),
        published_version_doi=_published(record, doi),
        score=number(record.get("relevance_score")),
    )


def _abstract(index: Any) -> str | None:
    """Return the abstract from the places of its words. Only places that were sent count, however large their numbers."""
    if not isinstance(index, dict):
        return None
    places = (
        (place, word)
        for word, numbers in index.items()
        for place in items(numbers)
        if isinstance(place, int) and isinstance(word, str)
    )
    return text(" ".join(word for _, word in sorted(places, key=lambda one: one[0])))


def _open_access(record: dict[str, Any]) -> str | None:
    """Return the best open copy: the file, else the page it is on."""
    best = record.get("best_oa_location")
    return link(at(best, "pdf_url")) or link(at(record, "open_access", "oa_url")) or link(at(best, "landing_page_url"))


def _arxiv(record: dict[str, Any]) -> str | None:
    places = mappings(record.get("locations"))
    return next((arxiv for place in places if (arxiv := clean_arxiv(place.get("landing_page_url")))), None)


def _published(record: dict[str, Any], doi: str | None) -> str | None:
    """For a preprint: the DOI of the published version among its places, where there is one (SPEC C11)."""
    if record.get("type") != "preprint":
        return None
    published = (
        doi_of_url(location.get("landing_page_url"))
        for location in mappings(record.get("locations"))
        if location.get("version") == "publishedVersion" and location.get("is_published") is True
    )
    return next((other for other in published if other and other != doi), None)


_read_one = one_work(read_work)
_read_list = list_of_works(read_work, "results", total=("meta", "count"))
