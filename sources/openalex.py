"""OpenAlex, an open index of works. Look-ups are free; a search needs an API key. API: https://docs.openalex.org"""

import re
from typing import Any

from sources.field_values import at, between, items, link, mappings, number, pages, text, whole, year
from sources.host_limits import OPENALEX, SEARCH
from sources.http_client import CatalogueRequest, Client
from sources.identifiers import clean_arxiv, clean_doi, clean_pmid, doi_in_path, doi_of_url
from sources.request_checks import list_of_works, one_work, requires_settings, with_valid_id
from sources.responses import RawResponse
from sources.retractions import is_marked_retracted
from sources.work import Found, NothingFound, Outcome, Unreadable, Work, full_name, people

NAME = "openalex"
MOST_LINKED = 100  # ids in one filter, and works in its response
_LINKS = {"select": "id,referenced_works"}  # the same for both directions, so that the second uses the cache
# The fields a citation graph needs. Without abstracts a response is a tenth of the size.
_SHORT = (
    "id,doi,title,display_name,publication_year,publication_date,type,ids,authorships,primary_location,"
    "cited_by_count,is_retracted"
)
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
    """Return the OpenAlex id in `work` ("W2741809807"), or None."""
    found = re.fullmatch(r"(?:https?://(?:api\.)?openalex\.org/(?:works/)?)?(W\d{1,12})", work.strip(), re.IGNORECASE)
    return found[1].upper() if found else None


def _name(work: str) -> str | None:
    """Return the id for the URL of `work`, given as an OpenAlex id or a DOI, or None."""
    doi = clean_doi(work)
    return _number(work) or (f"doi:{doi_in_path(doi)}" if doi else None)


@requires_settings("OPENALEX_API_KEY", said="OpenAlex needs {} to search")
async def search(client: Client, query: str, limit: int) -> Outcome:
    """Search works by title, abstract and text; return at most `limit` (1 to 200)."""
    return await client.ask(_listing({"search": query, "per-page": between(limit, most=200)}))


@with_valid_id(_name, _NO_WORK)
async def lookup(client: Client, work: str) -> Outcome:
    """Return the work with this OpenAlex id ("W2741809807") or DOI."""
    return await client.ask(CatalogueRequest(OPENALEX, f"/works/{work}", _read_one, missing=True))


@requires_settings("OPENALEX_API_KEY", said=_NO_KEY)
@with_valid_id(_name, _NO_WORK)
async def references(client: Client, work: str, limit: int = 20) -> Outcome:
    """Return the works that `work` (as in `lookup`) cites, most cited first, at most `limit` (1 to 100).

    Takes two requests. NothingFound also if the work is unknown or lists no references.
    """
    cited = await client.ask(
        CatalogueRequest(OPENALEX, f"/works/{work}", _read_references, params=_LINKS, missing=True)
    )
    if not isinstance(cited, list):
        return cited
    return await _linked(client, f"openalex:{'|'.join(cited)}", limit) if cited else NothingFound()


@requires_settings("OPENALEX_API_KEY", said=_NO_KEY)
@with_valid_id(_name, _NO_WORK)
async def citing(client: Client, work: str, limit: int = 20) -> Outcome:
    """Return the works that cite `work` (as in `lookup`), most cited first, at most `limit` (1 to 100).

    NothingFound also if the work is unknown. A DOI takes one more request, since the filter needs an OpenAlex id.
    """
    known: Any = _number(work)
    if known is None:
        known = await client.ask(CatalogueRequest(OPENALEX, f"/works/{work}", _read_id, params=_LINKS, missing=True))
    return await _linked(client, f"cites:{known}", limit) if isinstance(known, str) else known


async def _linked(client: Client, wanted: str, limit: int) -> Outcome:
    """Return the works that match the filter `wanted`, most cited first."""
    return await client.ask(
        _listing(
            {"filter": wanted, "sort": "cited_by_count:desc", "per-page": between(limit, MOST_LINKED), "select": _SHORT}
        )
    )


def _listing(params: dict[str, Any]) -> CatalogueRequest[Found | NothingFound]:
    """Return the request for a list of works."""
    return CatalogueRequest(OPENALEX, "/works", _read_list, params=params, lane=SEARCH)


def _read_id(reply: RawResponse) -> str:
    known = _number(text(reply.mapping().get("id")) or "")
    if known is None:
        raise Unreadable("sent a work without its id")
    return known


def _read_references(reply: RawResponse) -> list[str]:
    """Return the ids of the works that a record cites, in order, at most MOST_LINKED."""
    listed = reply.mapping().get("referenced_works")
    named = [_number(text(one) or "") for one in items(listed)]
    known = list(dict.fromkeys(one for one in named if one))
    if not isinstance(listed, list) or (named and not known):
        raise Unreadable("sent a work without its list of references")
    return known[:MOST_LINKED]


def read_work(record: dict[str, Any]) -> Work | None:
    """Return a Work from an OpenAlex record, or None if it has neither id nor title."""
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
    """Return the abstract from OpenAlex's inverted index {word: [positions]}, in order of position.

    Sorts the positions that were sent, so that a huge position cannot allocate memory.
    """
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
    """Return the address of the best open copy: the PDF, else its landing page."""
    best = record.get("best_oa_location")
    return link(at(best, "pdf_url")) or link(at(record, "open_access", "oa_url")) or link(at(best, "landing_page_url"))


def _arxiv(record: dict[str, Any]) -> str | None:
    places = mappings(record.get("locations"))
    return next((arxiv for place in places if (arxiv := clean_arxiv(place.get("landing_page_url")))), None)


def _published(record: dict[str, Any], doi: str | None) -> str | None:
    """Return the DOI of a preprint's published version from its locations, or None (SPEC C11)."""
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
