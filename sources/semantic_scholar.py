"""Semantic Scholar: papers, who cites them, and papers like them (SPEC R5). API facts: https://api.semanticscholar.org/api-docs"""

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from sources.hosts import SEMANTIC_SCHOLAR
from sources.http import Client
from sources.identifiers import clean_arxiv, clean_doi, clean_pmid
from sources.names import full_name
from sources.outcomes import Batch, Failed, Found, Kind, NothingFound, Outcome, Unreadable, of
from sources.reading import at, items, link, mappings, number, raw, text, whole, year
from sources.replies import Reply
from sources.work import Work, is_marked_retracted

NAME = "semantic_scholar"
MOST = 100  # works of one search
MOST_CITING = 50
MOST_RELATED = 20
MOST_LINKED = 100
_TOGETHER = 500  # ids of one batch
_FIELDS = (
    "title,abstract,year,publicationDate,venue,journal,authors,externalIds,citationCount,influentialCitationCount,"
    "openAccessPdf,publicationTypes,url"
)
# What a picture of who cites whom needs of a paper.
_SHORT = "title,year,publicationDate,venue,authors,externalIds,citationCount,publicationTypes,url"
# The first that fits; many papers are "JournalArticle" beside what they really are.
_TYPES = {
    "conference": "paper-conference",
    "booksection": "chapter",
    "book": "book",
    "dataset": "dataset",
    "news": "article-newspaper",
    "journalarticle": "article-journal",
    "review": "article-journal",
}


async def search(client: Client, query: str, limit: int) -> Outcome:
    """Papers that fit the words of `query`, at most `limit` (1 to 100)."""
    params = {"query": query, "limit": _between(limit, MOST), "fields": _FIELDS}
    return await client.ask(SEMANTIC_SCHOLAR, "/graph/v1/paper/search", _read_search, params=params)


async def lookup(client: Client, paper: str) -> Outcome:
    """One paper by its S2 id, DOI, arXiv id or PMID."""
    known = paper_id(paper)
    if known is None:
        return _no_paper(paper)
    params = {"fields": _FIELDS}
    return await client.ask(SEMANTIC_SCHOLAR, _path(known), _read_one, params=params, missing=True)


async def lookup_many(client: Client, papers: Iterable[str]) -> Batch:
    """Many papers, a request for every 500, keyed as they were asked."""
    asked = {paper: paper_id(paper) for paper in papers}
    batch = Batch(failed={paper: _no_paper(paper) for paper, known in asked.items() if known is None})
    wanted = [(paper, known) for paper, known in asked.items() if known]
    missing: set[str] = set()
    for start in range(0, len(wanted), _TOGETHER):
        part = wanted[start : start + _TOGETHER]
        answer = await _batch(client, [known for _, known in part])
        for place, (paper, _) in enumerate(part):
            if not isinstance(answer, list):
                batch.failed[paper] = answer
            elif isinstance(work := answer[place], Failed):
                batch.failed[paper] = work
            elif work:
                batch.found[paper] = work
            else:
                missing.add(paper)
    return Batch(batch.found, frozenset(missing), batch.failed)


async def citations(client: Client, paper: str, limit: int = 10) -> Outcome:
    """Papers that cite `paper`, at most `limit` (1 to 50). NothingFound also when the paper itself is unknown."""
    known = paper_id(paper)
    if known is None:
        return _no_paper(paper)
    params = {"fields": _FIELDS, "limit": _between(limit, MOST_CITING)}
    path = f"{_path(known)}/citations"
    return await client.ask(SEMANTIC_SCHOLAR, path, _read_citing, params=params, missing=True)


async def references(client: Client, paper: str, limit: int = 20) -> Outcome:
    """Papers that `paper` cites, at most `limit` (1 to 100), without abstracts.

    NothingFound also when the paper itself is unknown, and when its publisher does not let its references be shown.
    """
    return await _linked(client, paper, "references", "citedPaper", limit)


async def citing(client: Client, paper: str, limit: int = 20) -> Outcome:
    """As `citations`, at most `limit` (1 to 100), without abstracts."""
    return await _linked(client, paper, "citations", "citingPaper", limit)


async def _linked(client: Client, paper: str, list_of: str, side: str, limit: int) -> Outcome:
    known = paper_id(paper)
    if known is None:
        return _no_paper(paper)

    def read(reply: Reply) -> Found | NothingFound:
        data = reply.mapping()
        if "data" in data and data["data"] is None and not data.keys() & {"error", "message"}:
            return NothingFound()
        if not isinstance(data.get("data"), list) or not all(isinstance(one, dict) for one in data["data"]):
            raise Unreadable("sent an answer without a list of papers in it")
        # A reference that was not recognised as a paper comes as null.
        return _read_papers([paper for one in data["data"] if (paper := at(one, side)) is not None], None)

    params = {"fields": _SHORT, "limit": _between(limit, MOST_LINKED)}
    return await client.ask(SEMANTIC_SCHOLAR, f"{_path(known)}/{list_of}", read, params=params, missing=True)


async def recommendations(client: Client, paper: str, limit: int = 10) -> Outcome:
    """Papers like `paper`, at most `limit` (1 to 20). NothingFound also when the paper itself is unknown."""
    known = paper_id(paper)
    if known is None:
        return _no_paper(paper)
    return await client.ask(
        SEMANTIC_SCHOLAR,
        "/recommendations/v1/papers/",
        _read_related,
        params={"fields": _FIELDS, "limit": _between(limit, MOST_RELATED)},
        data={"positivePaperIds": [known]},
        missing=True,
    )


def paper_id(paper: str) -> str | None:
    """`paper` as the API wants it: an S2 id as it is, or DOI:, ARXIV:, PMID:, CorpusId: before the id."""
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
    pmid = clean_pmid(given)
    return f"PMID:{pmid}" if pmid else None


def _path(known: str) -> str:
    return f"/graph/v1/paper/{quote(known, safe='/:;()')}"


def _no_paper(given: str) -> Failed:
    why = f"“{given[:80]}” is neither a Semantic Scholar id nor a DOI, arXiv id or PMID."
    return Failed(why, None, Kind.REFUSED)


def _between(limit: int, most: int) -> int:
    return max(1, min(limit, most))


async def _batch(client: Client, ids: list[str]) -> list[Work | Failed | None] | Failed:
    """The papers in the order of `ids`, None for those that are unknown, Failed for a record that cannot be read."""
    odd = Failed(f"{SEMANTIC_SCHOLAR.label} sent a record that cannot be read.", None, Kind.UNREADABLE)

    def read(reply: Reply) -> list[Work | Failed | None]:
        data = reply.json()
        if not isinstance(data, list) or len(data) != len(ids):
            raise Unreadable("sent an answer of another length than was asked for")
        works = [read_work(one) if isinstance(one, dict) else None for one in data]
        if any(one is not None for one in data):
            of(works, len(data))
        return [work or (None if one is None else odd) for one, work in zip(data, works, strict=True)]

    params = {"fields": _FIELDS}
    answer = await client.ask(SEMANTIC_SCHOLAR, "/graph/v1/paper/batch", read, params=params, data={"ids": ids})
    return [None] * len(ids) if isinstance(answer, NothingFound) else answer


def _read_one(reply: Reply) -> Found | NothingFound:
    return of([read_work(reply.mapping())], 1, 1)


def _read_search(reply: Reply) -> Found | NothingFound:
    data = reply.mapping()
    total = whole(data.get("total"))
    if total == 0 and data.get("data") is None and not data.keys() & {"error", "message"}:
        return NothingFound()  # an empty answer has no list in it
    return _read_papers(data.get("data"), total)


def _read_citing(reply: Reply) -> Found | NothingFound:
    papers = reply.mapping().get("data")
    if not isinstance(papers, list):
        raise Unreadable("sent an answer without a list of papers in it")
    return _read_papers([at(one, "citingPaper") for one in papers], None)


def _read_related(reply: Reply) -> Found | NothingFound:
    return _read_papers(reply.mapping().get("recommendedPapers"), None)


def _read_papers(papers: Any, total: int | None) -> Found | NothingFound:
    if not isinstance(papers, list):
        raise Unreadable("sent an answer without a list of papers in it")
    return of([read_work(one) for one in mappings(papers)], len(papers), total)


def read_work(paper: dict[str, Any]) -> Work | None:
    """A Work from a paper; None when it has neither id nor title."""
    ids, title = paper.get("externalIds"), text(paper.get("title")) or ""
    doi, arxiv = clean_doi(at(ids, "DOI")), clean_arxiv(at(ids, "ArXiv"))
    known = text(paper.get("paperId"))
    if not (known or doi or title):
        return None
    authors = (full_name(text(author.get("name"))) for author in mappings(paper.get("authors")))
    return Work(
        provider=NAME,
        provider_id=known or doi or title,
        title=title,
        authors=tuple(person for person in authors if person),
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
    """Without the spaces and line breaks that stand around the dash."""
    return re.sub(r"\s*([-–])\s*", r"\1", pages) if pages else None
