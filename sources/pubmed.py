"""PubMed through NCBI's E-utilities (SPEC C1). API facts: https://www.ncbi.nlm.nih.gov/books/NBK25499/"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any
from xml.etree.ElementTree import Element

from django.conf import settings

from sources.catalogue_requests import ask_for_each, by_id
from sources.field_values import (
    at,
    between,
    clean_doi,
    clean_pmcid,
    clean_pmid,
    items,
    mappings,
    raw,
    text,
    whole,
    year,
)
from sources.hosts import PUBMED
from sources.http_client import Client, Question
from sources.responses import Reply, parse_xml
from sources.work import (
    Batch,
    Failed,
    Found,
    Kind,
    NothingFound,
    Outcome,
    Person,
    Unreadable,
    Update,
    Work,
    index_name,
    is_marked_retracted,
    of,
    people,
)

Abstracts = dict[str, str]  # by PMID; a structured one keeps its labels, a paragraph each


def read_abstracts(reply: Reply) -> Abstracts:
    """Return the abstracts in an efetch answer. Raises Unreadable when it is not such an answer."""
    root = parse_xml(reply.body)
    if root.tag == "ERROR" or root.find("ERROR") is not None:
        raise Unreadable("could not send the abstracts")
    if root.tag not in {"PubmedArticleSet", "PubmedBookArticleSet"}:
        raise Unreadable("sent something else than abstracts")
    found = ((clean_pmid(_words(article.find(".//PMID"))), "\n\n".join(_paragraphs(article))) for article in root)
    return {pmid: abstract for pmid, abstract in found if pmid and abstract}


def _paragraphs(article: Element) -> Iterator[str]:
    for part in article.findall(".//Abstract/AbstractText"):
        words, label = _words(part), part.get("Label")
        if words:
            yield f"{label}: {words}" if label and label.upper() != "UNLABELLED" else words


def _words(element: Element | None) -> str:
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


NAME = "pubmed"
MOST = 200  # ids in one request
_NOTICES = {
    "retraction in": "retraction",
    "partial retraction in": "partial_retraction",
    "expression of concern in": "expression_of_concern",
    "erratum in": "erratum",
    "corrected and republished in": "corrected_and_republished",
    "update in": "update",
    "retracted and republished in": "retraction",
}
_NOTICES_OF = {
    "retraction of": "retraction",
    "expression of concern for": "expression_of_concern",
    "erratum for": "erratum",
    "partial retraction of": "partial_retraction",
}
# Words that PubMed does not index.
_STOPWORDS = frozenset(
    [
        "a",
        "about",
        "again",
        "all",
        "almost",
        "also",
        "although",
        "always",
        "among",
        "an",
        "and",
        "another",
        "any",
        "are",
        "as",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "between",
        "both",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "done",
        "due",
        "during",
        "each",
        "either",
        "enough",
        "especially",
        "etc",
        "for",
        "found",
        "from",
        "further",
        "had",
        "has",
        "have",
        "having",
        "here",
        "how",
        "however",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "itself",
        "just",
        "made",
        "mainly",
        "make",
        "may",
        "might",
        "most",
        "mostly",
        "must",
        "nearly",
        "neither",
        "no",
        "nor",
        "not",
        "obtained",
        "of",
        "often",
        "on",
        "or",
        "our",
        "overall",
        "perhaps",
        "quite",
        "rather",
        "really",
        "regarding",
        "seem",
        "seen",
        "several",
        "should",
        "show",
        "showed",
        "shown",
        "shows",
        "significantly",
        "since",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "theirs",
        "them",
        "then",
        "there",
        "therefore",
        "these",
        "they",
        "this",
        "those",
        "through",
        "thus",
        "to",
        "upon",
        "use",
        "used",
        "using",
        "various",
        "very",
        "was",
        "we",
        "were",
        "what",
        "when",
        "which",
        "while",
        "with",
        "within",
        "without",
        "would",
    ]
)
_MOST_WORDS, _SHORT_TITLE, _LONGEST = 10, 3, 1_000  # words of a title, and characters
_PREPRINTS = re.compile(r"r?xiv\b|\bres(?:earch)? sq|\bssrn\b|preprint", re.IGNORECASE)
_TYPES = {"preprint": "article", "book": "book", "chapter": "chapter", "dataset": "dataset"}


async def search(client: Client, query: str, limit: int, *, abstracts: bool = True) -> Outcome:
    """Works that PubMed finds, at most `limit` (1 to 200), with their abstracts unless `abstracts` is false.

    Abstracts take a request more; where only that one fails, the works come without and a remark says so.
    """
    params = {"term": query, "retmax": between(limit, MOST), "retmode": "json", "sort": "relevance"}
    listed = await client.ask(Question(PUBMED, "/esearch.fcgi", _read_ids, params=_signed(params)))
    if not isinstance(listed, tuple):
        return listed
    ids, total = listed
    if not ids:
        return NothingFound()
    records = await _summaries(client, ids)
    if isinstance(records, Failed):
        return records
    works = [records[pmid] for pmid in ids if pmid in records]
    if not works:
        return Failed("PubMed found works and could not show any of them.", None, Kind.UNREADABLE)
    return await _with_abstracts(client, works, total) if abstracts else Found(tuple(works), total)


@by_id(clean_pmid, "not a PMID")
async def lookup(client: Client, pmid: str) -> Outcome:
    """Return the work with this PMID, with its abstract."""
    records = await _summaries(client, [pmid])
    if isinstance(records, Failed):
        return records
    return await _with_abstracts(client, list(records.values()), 1) if records else NothingFound()


async def lookup_many(client: Client, pmids: Iterable[str]) -> Batch:
    """Return the works of many PMIDs, a request for every 200 of them, keyed as they were asked; without abstracts."""
    return await ask_for_each(pmids, clean_pmid, "not a PMID", MOST, partial(_summaries, client))


@by_id(clean_pmcid, "not a PMCID")
async def lookup_pmcid(client: Client, pmcid: str) -> Outcome:
    """Return the work with this PMCID: PubMed's record of it, without abstract; PubMed Central's own where PubMed has none.

    Two requests, since only PubMed Central knows its ids.
    """
    form = {"db": "pmc", "id": pmcid.removeprefix("PMC"), "retmode": "json"}
    kept = await client.ask(Question(PUBMED, "/esummary.fcgi", partial(_read_pmc, pmcid), form=_signed(form)))
    if not isinstance(kept, Work):
        return kept
    if kept.pmid:
        records = await _summaries(client, [kept.pmid])
        if isinstance(records, Failed):
            return records
        if work := records.get(kept.pmid):
            return Found((work.model_copy(update={"pmcid": pmcid, "doi": work.doi or kept.doi}),), 1)
    return Found((kept,), 1)


async def search_title(
    client: Client, title: str, author: str = "", year: int | None = None, limit: int = 5
) -> Outcome:
    """Works whose title has the words of `title`, at most `limit`, without abstracts (two requests).

    `author` (a surname) and `year` narrow down a title of three words or fewer only: in a longer one they would keep
    out the very work that is claimed with a wrong author or year.
    """
    words = _title_words(title)
    if not words:
        return NothingFound()
    parts = [f"{word}[ti]" for word in words]
    if len(words) <= _SHORT_TITLE:
        surname = " ".join(re.findall(r"\w+", author))
        parts += [f"{surname}[au]"] if surname else []
        parts += [f"{year - 1}:{year + 1}[dp]"] if year else []
    return await search(client, " AND ".join(parts), limit, abstracts=False)


def _title_words(title: str) -> list[str]:
    """Return the words of a title that PubMed finds it by, at most ten, in their order.

    Words with digits or signs in them ("1α,25") are indexed in ways of their own, so plain words are taken where there
    are enough; and the longest, since each further word may be one that is misspelt.
    """
    found = dict.fromkeys(re.findall(r"\w{2,}", title[:_LONGEST].casefold()))
    words = [word for word in found if word not in _STOPWORDS]
    plain = [word for word in words if word.isalpha()]
    kept = plain if len(plain) > _SHORT_TITLE else words
    longest = sorted(kept, key=len, reverse=True)[:_MOST_WORDS]
    return [word for word in kept if word in longest]


async def fetch_abstracts(client: Client, pmids: Sequence[str]) -> Abstracts | Failed:
    """Return the abstracts of at most 200 PMIDs that have one, by PMID."""
    answer = await client.ask(
        Question(
            PUBMED,
            "/efetch.fcgi",
            read_abstracts,
            form=_signed({"id": ",".join(pmids), "retmode": "xml", "rettype": "abstract"}),
            accept="application/xml, text/xml",
        )
    )
    return {} if isinstance(answer, NothingFound) else answer


async def _with_abstracts(client: Client, works: list[Work], total: int) -> Found:
    found = await fetch_abstracts(client, [work.provider_id for work in works])
    if isinstance(found, Failed):
        return Found(tuple(works), total, (f"PubMed's abstracts are missing: {found.why}",))
    return Found(tuple(work.model_copy(update={"abstract": found.get(work.provider_id)}) for work in works), total)


async def _summaries(client: Client, ids: Sequence[str]) -> dict[str, Work] | Failed:
    """Return the records of at most 200 PMIDs by PMID; those PubMed has no record of are left out."""
    answer = await client.ask(
        Question(PUBMED, "/esummary.fcgi", _read_summaries, form=_signed({"id": ",".join(ids), "retmode": "json"}))
    )
    return {} if isinstance(answer, NothingFound) else answer


def _signed(params: dict[str, Any]) -> dict[str, str | int]:
    """With the tool and contact NCBI asks everybody for."""
    contact = {"email": settings.CROSSREF_MAILTO} if settings.CROSSREF_MAILTO else {}
    return {"db": "pubmed", **params, "tool": "scholium", **contact}


def _mapping(reply: Reply) -> dict[str, Any]:
    """Return the answer, unless it is an error in disguise: NCBI sends many of them with status 200."""
    data = reply.mapping()
    said = text(data.get("error")) or text(at(data, "esearchresult", "ERROR")) or text(at(data, "esummaryresult", 0))
    if said and "rate limit" in said.lower():
        raise Unreadable("received too many requests", kind=Kind.RATE_LIMITED, again=True)
    if said:
        raise Unreadable(f"did not accept the request: “{said[:200].rstrip('.')}”", kind=Kind.REFUSED)
    return data


def _read_ids(reply: Reply) -> tuple[list[str], int]:
    result = at(_mapping(reply), "esearchresult")
    if not isinstance(at(result, "idlist"), list):
        raise Unreadable("sent an answer without a list of works in it")
    sent = items(result["idlist"])
    ids = [pmid for one in sent if (pmid := clean_pmid(one))]
    if not ids and (sent or whole(at(result, "count"))):
        raise Unreadable("told of works and sent none of their ids")
    return ids, max(whole(at(result, "count")) or 0, len(ids))


def _read_summaries(reply: Reply) -> dict[str, Work]:
    result = at(_mapping(reply), "result")
    if not isinstance(at(result, "uids"), list):
        raise Unreadable(f"sent an answer without {'a list of ' if isinstance(result, dict) else ''}works in it")
    records = [record for uid, record in result.items() if uid != "uids"]
    there = [record for record in records if not (isinstance(record, dict) and record.get("error"))]
    works = [read_work(record) for record in there if isinstance(record, dict)]
    of(works, len(there))
    return {work.provider_id: work for work in works if work}


def _read_pmc(pmcid: str, reply: Reply) -> Work | NothingFound:
    """PubMed Central's own record of `pmcid`, whose ids are others than PubMed's."""
    result = at(_mapping(reply), "result")
    record = at(result, pmcid.removeprefix("PMC"))
    if not isinstance(at(result, "uids"), list) or (record is not None and not isinstance(record, dict)):
        raise Unreadable("sent an answer without works in it")
    if record is None or record.get("error"):
        return NothingFound()
    ids = _ids(record)
    if clean_pmcid(ids.get("pmcid")) != pmcid:
        raise Unreadable("sent the record of another work")
    pmid = clean_pmid(ids.get("pmid"))
    work = read_work({**record, "uid": pmid or pmcid.removeprefix("PMC")})
    if work is None:
        raise Unreadable("sent a record without what identifies it")
    address = f"https://pmc.ncbi.nlm.nih.gov/articles/{pmcid}/"
    mine = {"pmid": pmid, "pmcid": pmcid, "provider_id": pmid or pmcid, "open_access_url": address}
    return work.model_copy(update=mine if pmid else {**mine, "url": address})


def read_work(record: dict[str, Any]) -> Work | None:
    """Return a Work from a document summary; None when it has no PMID."""
    ids = _ids(record)
    pmid = clean_pmid(record.get("uid")) or clean_pmid(ids.get("pubmed"))
    if pmid is None:
        return None
    title = _title(record)
    kinds = {kind.lower() for one in items(record.get("pubtype")) if (kind := text(one))}
    updates = _updates(record, _NOTICES)
    return Work(
        provider=NAME,
        provider_id=pmid,
        title=title,
        authors=_people(record),
        year=year(record.get("pubdate")) or year(record.get("epubdate")) or year(record.get("sortpubdate")),
        venue=text(record.get("fulljournalname")) or text(record.get("booktitle")) or text(record.get("source")),
        volume=text(record.get("volume")),
        issue=text(record.get("issue")),
        pages=_pages(text(record.get("pages"))),
        publisher=text(record.get("publishername")),
        doi=clean_doi(ids.get("doi")) or _doi_in(text(record.get("elocationid"))),
        pmid=pmid,
        pmcid=clean_pmcid(ids.get("pmc")) or _pmcid_in(ids.get("pmcid")),
        url=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
        type=next((_TYPES[kind] for kind in sorted(kinds) if kind in _TYPES), "article-journal"),
        citation_count=whole(record.get("pmcrefcount")),
        is_retracted="retracted publication" in kinds or is_marked_retracted(title, updates),
        updates=updates,
        notice_of=_updates(record, _NOTICES_OF),
        open_access_url=_open_access(clean_pmcid(ids.get("pmc"))),
        published_version_doi=_version(record, "update in") if "preprint" in kinds else None,
        preprint_doi=None if "preprint" in kinds else _version(record, "update of"),
    )


def _ids(record: dict[str, Any]) -> dict[str, str]:
    """Return the first value of each kind of id."""
    ids: dict[str, str] = {}
    for one in mappings(record.get("articleids")):
        kind, value = text(one.get("idtype")), raw(one.get("value"))
        if kind and value:
            ids.setdefault(kind.lower(), value)
    return ids


def _title(record: dict[str, Any]) -> str:
    """Return the title without the full stop PubMed ends it with, and without the brackets that mark a translation."""
    title = text(record.get("title")) or text(record.get("booktitle")) or ""
    if title.endswith(".") and not title.endswith(".."):
        title = title[:-1]
    return title[1:-1] if title.startswith("[") and title.endswith("]") and title.count("[") == 1 else title


def _people(record: dict[str, Any]) -> tuple[Person, ...]:
    found = [
        Person(literal=name) if text(one.get("authtype")) == "CollectiveName" else index_name(name)
        for one in mappings(record.get("authors"))
        if (name := text(one.get("name")))
    ]
    return people(found or [index_name(text(record.get("sortfirstauthor")))])


def _version(record: dict[str, Any], relation: str) -> str | None:
    """Return the DOI of a preprint's published version, or of an article's preprint (SPEC C11)."""
    related = (
        text(one.get("refsource")) or ""
        for one in mappings(record.get("references"))
        if (text(one.get("reftype")) or "").lower() == relation
    )
    # A review that is updated every few years is no preprint of its next edition.
    fits = (source for source in related if relation != "update of" or _PREPRINTS.search(source))
    return next((doi for source in fits if (doi := _doi_in(source))), None)


def _pages(pages: str | None) -> str | None:
    """ "349-61" is "349-361": PubMed leaves out of the last page what it shares with the first."""
    match = re.fullmatch(r"(\d+)-(\d+)", pages or "")
    if not match or len(match[2]) >= len(match[1]):
        return pages
    return f"{match[1]}-{match[1][: -len(match[2])]}{match[2]}"


def _doi_in(elocation: str | None) -> str | None:
    match = re.search(r"doi:\s*(\S+)", elocation or "", re.IGNORECASE)
    return clean_doi(match[1]) if match else None


def _pmcid_in(value: str | None) -> str | None:
    match = re.search(r"PMC\d+", value or "")
    return clean_pmcid(match[0]) if match else None


def _open_access(pmcid: str | None) -> str | None:
    return f"https://pmc.ncbi.nlm.nih.gov/articles/{pmcid}/" if pmcid else None


def _updates(record: dict[str, Any], kinds: dict[str, str]) -> tuple[Update, ...]:
    return tuple(
        Update(
            type=kinds[kind],
            pmid=clean_pmid(one.get("pmid")),
            source=NAME,
            year=year(one.get("refsource")),
            note=text(one.get("refsource")),
        )
        for one in mappings(record.get("references"))
        if (kind := (text(one.get("reftype")) or "").lower()) in kinds
    )
