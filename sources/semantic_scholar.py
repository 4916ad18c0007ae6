"""Semantic Scholar: papers, citations and recommendations (SPEC R5). API: https://api.semanticscholar.org/api-docs"""

import re
from functools import partial
from typing import Any
from urllib.parse import quote

from sources.field_values import at, between, items, link, mappings, number, raw, text, whole, year
from sources.host_limits import SEMANTIC_SCHOLAR
from sources.http_client import CatalogueRequest, Client
from sources.identifiers import clean_arxiv, clean_doi, clean_pmid
from sources.request_checks import list_of_works, with_valid_id
from sources.responses import RawResponse
from sources.retractions import is_marked_retracted
from sources.work import Found, NothingFound, Outcome, Unreadable, Work, full_name, people, search_outcome

NAME = "semantic_scholar"
MOST_LINKED = 100
_FIELDS = (
    "title,abstract,year,publicationDate,venue,journal,authors,externalIds,citationCount,influentialCitationCount,"
    "openAccessPdf,publicationTypes,url"
)
# The fields a citation graph needs.
_SHORT = "title,year,publicationDate,venue,authors,externalIds,citationCount,publicationTypes,url"
# In order of priority: many papers are also "JournalArticle" besides their real type.
_TYPES = {
    "conference": "paper-conference",
    "booksection": "chapter",
    "book": "book",
    "dataset": "dataset",
    "news": "article-newspaper",
    "journalarticle": "article-journal",
    "review": "article-journal",
}


_NO_PAPER = "neither a Semantic Scholar id nor a DOI, arXiv id or PMID"


def paper_id(paper: str) -> str | None:
    """Return the id of `paper` in the API's form: an S2 id, or DOI:, ARXIV:, PMID: or CorpusId: and an id; or None."""
    given = paper.strip()
    kind, colon, value = given.partition(":")
    if re.fullmatch(r"[0-9a-fA-F]{40}", given):
        return given.lower()
    if colon and kind.lower() == "corpusid" and value.strip().isdigit():
        return f"CorpusId:{value.strip()}"
    if doi := clean_doi(given):
        return f"DOI:{doi}"
    if arxiv := clean_arxiv(given):
        return f"ARXIV:{arxiv}"
    return f"PMID:{pmid}" if (pmid := clean_pmid(given)) else None


async def search(client: Client, query: str, limit: int) -> Outcome:
    """Search papers by the words of `query`; return at most `limit` (1 to 100)."""
    params = {"query": query, "limit": between(limit, most=100), "fields": _FIELDS}
    return await client.ask(CatalogueRequest(SEMANTIC_SCHOLAR, "/graph/v1/paper/search", _read_search, params=params))


async def citations(client: Client, paper: str, limit: int = 10) -> Outcome:
    """Return papers that cite `paper`, at most `limit` (1 to 50). NothingFound also if the paper is unknown."""
    return await _linked(client, paper, "citations", between(limit, 50), _FIELDS)


async def references(client: Client, paper: str, limit: int = 20) -> Outcome:
    """Return papers that `paper` cites, at most `limit` (1 to 100), without abstracts.

    NothingFound also if the paper is unknown, or if its publisher does not allow showing its references.
    """
    return await _linked(client, paper, "references", between(limit, MOST_LINKED), _SHORT)


async def citing(client: Client, paper: str, limit: int = 20) -> Outcome:
    """Return papers that cite `paper`, at most `limit` (1 to 100), without abstracts."""
    return await _linked(client, paper, "citations", between(limit, MOST_LINKED), _SHORT)


@with_valid_id(paper_id, _NO_PAPER)
async def _linked(client: Client, paper: str, list_of: str, limit: int, fields: str) -> Outcome:
    path = f"/graph/v1/paper/{quote(paper, safe='/:;()')}/{list_of}"
    read = partial(_read_linked, "citedPaper" if list_of == "references" else "citingPaper")
    return await client.ask(
        CatalogueRequest(SEMANTIC_SCHOLAR, path, read, params={"fields": fields, "limit": limit}, missing=True)
    )


def _read_linked(side: str, reply: RawResponse) -> Found | NothingFound:
    data = reply.mapping()
    if "data" in data and data["data"] is None and not data.keys() & {"error", "message"}:
        return NothingFound()
    if not isinstance(data.get("data"), list) or not all(isinstance(one, dict) for one in data["data"]):
        raise Unreadable("sent an answer without a list of papers in it")
    # A paper that was not recognised is null.
    sent = [paper for one in data["data"] if (paper := at(one, side)) is not None]
    return search_outcome([read_work(one) for one in mappings(sent)], len(sent))


@with_valid_id(paper_id, _NO_PAPER)
async def recommendations(client: Client, paper: str, limit: int = 10) -> Outcome:
    """Return papers similar to `paper`, at most `limit` (1 to 20). NothingFound also if the paper is unknown."""
    return await client.ask(
        CatalogueRequest(
            SEMANTIC_SCHOLAR,
            "/recommendations/v1/papers/",
            _read_related,
            params={"fields": _FIELDS, "limit": between(limit, 20)},
            data={"positivePaperIds": [paper]},
            missing=True,
        )
    )


def _read_search(reply: RawResponse) -> Found | NothingFound:
    data = reply.mapping()
    if whole(data.get("total")) == 0 and data.get("data") is None and not data.keys() & {"error", "message"}:
        return NothingFound()  # an empty response has no list
    return _read_papers(reply)


def read_work(paper: dict[str, Any]) -> Work | None:
    """Return a Work from a paper, or None if it has neither id nor title."""
    ids, title = paper.get("externalIds"), text(paper.get("title")) or ""
    doi, arxiv = clean_doi(at(ids, "DOI")), clean_arxiv(at(ids, "ArXiv"))
    known = text(paper.get("paperId"))
    if not (known or doi or title):
        return None
    return Work(
        provider=NAME,
        provider_id=known or doi or title,
        title=title,
        authors=people(full_name(text(author.get("name"))) for author in mappings(paper.get("authors"))),
        year=year(paper.get("year")) or year(paper.get("publicationDate")),
        venue=text(paper.get("venue")) or text(at(paper, "journal", "name")),
        volume=text(at(paper, "journal", "volume")),
        pages=_pages(text(at(paper, "journal", "pages"))),
        doi=doi,
        pmid=clean_pmid(at(ids, "PubMed")),
        pmcid=at(ids, "PubMedCentral"),
        arxiv=arxiv or clean_arxiv(doi),
        url=link(paper.get("url")),
        abstract=raw(paper.get("abstract")),
        type=_type(paper, is_preprint=bool(arxiv or clean_arxiv(doi))),
        citation_count=whole(paper.get("citationCount")),
        influential_citation_count=whole(paper.get("influentialCitationCount")),
        is_retracted=is_marked_retracted(title),
        open_access_url=link(at(paper, "openAccessPdf", "url")),
        score=number(paper.get("matchScore")),
    )


def _type(paper: dict[str, Any], *, is_preprint: bool) -> str:
    kinds = {kind.lower() for one in items(paper.get("publicationTypes")) if (kind := text(one))}
    if is_preprint and "arxiv" in (text(paper.get("venue")) or "arxiv").lower():
        return "article"
    return next((csl for kind, csl in _TYPES.items() if kind in kinds), "article-journal")


def _pages(pages: str | None) -> str | None:
    """Return a page range without white space around the dash."""
    return re.sub(r"\s*([-–])\s*", r"\1", pages) if pages else None


_read_papers = list_of_works(read_work, "data", total=("total",), what="a list of papers")
_read_related = list_of_works(read_work, "recommendedPapers", what="a list of papers")
