"""PubMed: search and look-up through NCBI's E-utilities (SPEC C1). API: https://www.ncbi.nlm.nih.gov/books/NBK25499/"""

import re
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from sources.contact_address import contact_address
from sources.field_values import between
from sources.host_limits import PUBMED
from sources.http_client import CatalogueRequest, Client
from sources.identifiers import clean_pmcid, clean_pmid
from sources.pubmed_records import Abstracts, read_abstracts, read_ids, read_pmc, read_summaries
from sources.request_checks import ask_for_each, with_valid_id
from sources.work import Batch, Failed, FailureKind, Found, NothingFound, Outcome, Work

MOST = 200  # ids per request
# Words that PubMed does not index.
_STOPWORDS = frozenset(
    {
        *("a", "about", "again", "all", "almost", "also", "although", "always", "among", "an", "and", "another"),
        *("any", "are", "as", "at", "be", "because", "been", "before", "being", "between", "both", "but", "by"),
        *("can", "could", "did", "do", "does", "done", "due", "during", "each", "either", "enough", "especially"),
        *("etc", "for", "found", "from", "further", "had", "has", "have", "having", "here", "how", "however", "i"),
        *("if", "in", "into", "is", "it", "its", "itself", "just", "made", "mainly", "make", "may", "might"),
        *("most", "mostly", "must", "nearly", "neither", "no", "nor", "not", "obtained", "of", "often", "on", "or"),
        *("our", "overall", "perhaps", "quite", "rather", "really", "regarding", "seem", "seen", "several"),
        *("should", "show", "showed", "shown", "shows", "significantly", "since", "so", "some", "such", "than"),
        *("that", "the", "their", "theirs", "them", "then", "there", "therefore", "these", "they", "this", "those"),
        *("through", "thus", "to", "upon", "use", "used", "using", "various", "very", "was", "we", "were", "what"),
        *("when", "which", "while", "with", "within", "without", "would"),
    }
)
_MOST_WORDS, _SHORT_TITLE, _LONGEST = 10, 3, 1_000  # words of a title, and characters


async def search(client: Client, query: str, limit: int, *, abstracts: bool = True) -> Outcome:
    """Search works; return at most `limit` (1 to 200), with abstracts unless `abstracts` is False.

    Abstracts take one more request; if only that one fails, the works are returned without abstracts and a remark.
    """
    params = {"term": query, "retmax": between(limit, MOST), "retmode": "json", "sort": "relevance"}
    listed = await client.ask(CatalogueRequest(PUBMED, "/esearch.fcgi", read_ids, params=_signed(params)))
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
        return Failed("PubMed found works but sent no record of them.", None, FailureKind.UNREADABLE)
    return await _with_abstracts(client, works, total) if abstracts else Found(tuple(works), total)


@with_valid_id(clean_pmid, "not a PMID")
async def lookup(client: Client, pmid: str) -> Outcome:
    """Return the work with this PMID, with its abstract."""
    records = await _summaries(client, [pmid])
    if isinstance(records, Failed):
        return records
    return await _with_abstracts(client, list(records.values()), 1) if records else NothingFound()


async def lookup_many(client: Client, pmids: Iterable[str]) -> Batch:
    """Return the works for many PMIDs, keyed by the given PMIDs, without abstracts; one request per 200."""
    return await ask_for_each(pmids, clean_pmid, "not a PMID", MOST, partial(_summaries, client))


@with_valid_id(clean_pmcid, "not a PMCID")
async def lookup_pmcid(client: Client, pmcid: str) -> Outcome:
    """Return the work with this PMCID, without abstract: PubMed's record, or PubMed Central's if PubMed has none.

    Takes two requests, since only PubMed Central knows its ids.
    """
    form = {"db": "pmc", "id": pmcid.removeprefix("PMC"), "retmode": "json"}
    kept = await client.ask(CatalogueRequest(PUBMED, "/esummary.fcgi", partial(read_pmc, pmcid), form=_signed(form)))
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
    """Search works by the words of a title; return at most `limit`, without abstracts. Takes two requests.

    `author` (a surname) and `year` are used only for titles of up to three words. For longer titles they would exclude
    the right work if it is cited with a wrong author or year.
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
    """Return the words of a title to search for, in order, at most ten.

    PubMed indexes words with digits or symbols ("1α,25") in special ways, so plain words are preferred if there are
    enough. The longest words are used, and not more, since every further word may be misspelt.
    """
    found = dict.fromkeys(re.findall(r"\w{2,}", title[:_LONGEST].casefold()))
    words = [word for word in found if word not in _STOPWORDS]
    plain = [word for word in words if word.isalpha()]
    kept = plain if len(plain) > _SHORT_TITLE else words
    longest = sorted(kept, key=len, reverse=True)[:_MOST_WORDS]
    return [word for word in kept if word in longest]


async def fetch_abstracts(client: Client, pmids: Sequence[str]) -> Abstracts | Failed:
    """Return the abstracts of at most 200 PMIDs, by PMID; works without an abstract are left out."""
    answer = await client.ask(
        CatalogueRequest(
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
    """Return the works of at most 200 PMIDs, by PMID; unknown PMIDs are left out."""
    answer = await client.ask(
        CatalogueRequest(
            PUBMED, "/esummary.fcgi", read_summaries, form=_signed({"id": ",".join(ids), "retmode": "json"})
        )
    )
    return {} if isinstance(answer, NothingFound) else answer


def _signed(params: dict[str, Any]) -> dict[str, str | int]:
    """Return `params` with the tool name and contact address that NCBI asks for."""
    contact = contact_address()
    return {"db": "pubmed", **params, "tool": "scholium", **({"email": contact} if contact else {})}
