"""Asking PubMed or Crossref for works to cite (SPEC C5, C8): while somebody waits, so quickly or with a reason why not."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Literal

from core.errors import Refused
from sources import crossref, doi, pubmed
from sources.http import Client
from sources.reading import clean_doi, clean_pmcid, clean_pmid
from sources.work import Failed, Found, Kind, NothingFound, Outcome, Work

Source = Literal["pubmed", "crossref"]

PATIENCE = 8.0  # seconds somebody waits for a catalogue
_ONE_TRY = 5.0  # seconds for one request, so that a second one still fits
_LABELS = {"pubmed": "PubMed", "crossref": "Crossref"}
_STATUS = {Kind.TIMEOUT: 504, Kind.RATE_LIMITED: 503, Kind.RESTING: 503}  # everything else is a bad gateway


async def find_works(source: Source, query: str, limit: int) -> tuple[list[Work], int]:
    """At most `limit` works for `query`, words or an identifier, best first, and how many there are in all.

    Raises Refused (502, 503 or 504) with the reason when the catalogue did not answer: that is never "nothing found".
    """
    try:
        async with asyncio.timeout(PATIENCE), Client(timeout=_ONE_TRY, retries=1) as client:
            outcome = await _ASK[source](client, query, limit)
    except TimeoutError:
        raise _no_answer(f"{_LABELS[source]} did not answer within {PATIENCE:g} seconds.", 504) from None
    if isinstance(outcome, Found):
        return list(outcome.works[:limit]), outcome.total
    if isinstance(outcome, NothingFound):
        return [], 0
    raise _no_answer(outcome.why, _STATUS.get(outcome.kind, 502) if isinstance(outcome, Failed) else 503)


def _no_answer(why: str, status: int) -> Refused:
    return Refused(f"{why} Your library still answers; try again in a moment.", code="no_answer", status=status)


async def _pubmed(client: Client, query: str, limit: int) -> Outcome:
    """Words as PubMed reads them; a PMID, PMCID or DOI alone is that one record, without its abstract."""
    if (pmid := clean_pmid(query)) and not query.isdecimal():
        batch = await pubmed.lookup_many(client, [pmid])
        return batch.failed.get(pmid) or (Found((batch.found[pmid],), 1) if batch.found else NothingFound())
    if query.upper().startswith("PMC") and (pmcid := clean_pmcid(query)):
        return await pubmed.search(client, f"{pmcid}[pmcid]", 1, abstracts=False)
    if known := clean_doi(query):
        return await pubmed.search(client, f'"{known}"[doi]', 1, abstracts=False)
    return await pubmed.search(client, query, limit, abstracts=False)


async def _crossref(client: Client, query: str, limit: int) -> Outcome:
    """Words as Crossref reads them; a DOI is the work registered under it, with whichever agency."""
    known = clean_doi(query)
    if known is None:
        return await crossref.search(client, query, limit)
    outcome = await crossref.lookup(client, known)
    return await doi.lookup(client, known) if isinstance(outcome, NothingFound) else outcome


_ASK: dict[Source, Callable[[Client, str, int], Awaitable[Outcome]]] = {"pubmed": _pubmed, "crossref": _crossref}
