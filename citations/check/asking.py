"""What the registries say of one entry: of the identifiers it gives, and of its title, authors and year (SPEC C1, C2).

A registry is asked when those before it did not know the identifier. Which verdict follows is `verdict.judge`'s affair.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Self, TypeVar

from citations.check.batches import Batches
from citations.proof.reference import Reference
from citations.proof.verdict import CANDIDATES, Kind, Lookup, Search
from sources import arxiv, crossref, datacite, doi, openalex, openlibrary, page, pubmed
from sources.hosts import ARXIV, CROSSREF, DATACITE, DOI, OPENALEX, OPENLIBRARY, PUBMED
from sources.http import Client
from sources.reading import clean_arxiv
from sources.work import Failed, Found, NothingFound, Outcome, Skipped, Work

_DOIS = 40  # in one request to Crossref, each request's answers going on as they come
_ARXIV_IDS = 100
_AT_ONCE = 3  # requests to Crossref, as many as it allows
_LONGEST = 300  # characters of a title that is searched for
_PAGE = "The page"

T = TypeVar("T")
Searching = Callable[[], Awaitable[Search]]


class Registries:
    """All registries, asked for one piece of work: each identifier and each search once, however many entries want it.

    To be used in `async with`, whose end stops what is still under way.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self._crossref = Batches(partial(crossref.lookup_many, client), _DOIS, _AT_ONCE)
        self._pubmed = Batches(partial(pubmed.lookup_many, client), pubmed.MOST)
        self._arxiv = Batches(partial(arxiv.lookup_many, client), _ARXIV_IDS)
        self._asked: dict[Hashable, asyncio.Future[Any]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for batches in (self._crossref, self._pubmed, self._arxiv):
            await batches.close()
        for asked in self._asked.values():
            asked.cancel()
        await asyncio.gather(*self._asked.values(), return_exceptions=True)

    async def identified(self, claim: Reference) -> list[Lookup]:
        """What the first registry for each says of the DOI, the PMID and the arXiv id of `claim`.

        These go out in batches with those of other entries.
        """
        wanted = [self._first_of_doi(claim.doi)] if claim.doi else []
        if claim.pmid:
            wanted.append(self._batched("pmid", claim.pmid, PUBMED.label, self._pubmed))
        if claim.arxiv and claim.arxiv != clean_arxiv(claim.doi):
            wanted.append(self.by_arxiv(claim.arxiv))
        return list(await asyncio.gather(*wanted))

    async def by_arxiv(self, number: str) -> Lookup:
        return await self._batched("arxiv", number, ARXIV.label, self._arxiv)

    async def more_of_doi(self, first: Lookup) -> Lookup:
        """What others say of a DOI that its first registry does not know, or did not answer for.

        What doi.org does not know either, no registry knows. Where Crossref failed, only OpenAlex is asked: doi.org would
        lead to Crossref again. OpenAlex also knows works that their agency does not describe.
        """
        asked = _Asked(first)
        if not first.failed or clean_arxiv(first.value):
            outcome = await self._once(doi.lookup, first.value)
            if isinstance(outcome, NothingFound):
                return Lookup("doi", first.value)
            if asked.take(DOI.label, outcome):
                if asked.works[-1].title:
                    return asked.lookup()
            elif asked.take(DATACITE.label, await self._once(datacite.lookup, first.value)):
                return asked.lookup()
        asked.take(OPENALEX.label, await self._once(openalex.lookup, first.value))
        return asked.lookup()

    async def by_pmcid(self, pmcid: str) -> Lookup:
        """The PubMed record of an article in PubMed Central."""
        found = _lookup("pmid", pmcid, PUBMED.label, await self._once(pubmed.lookup_pmcid, pmcid))
        known = found.works[0].pmid if found.works else None
        return replace(found, value=known or pmcid)

    async def by_isbn(self, isbn: str) -> Lookup:
        return _lookup("isbn", isbn, OPENLIBRARY.label, await self._once(openlibrary.lookup, isbn))

    async def by_url(self, url: str) -> tuple[Lookup, tuple[Work, ...], str]:
        """The page at `url`; the records of the work it says it shows; why it was not opened, where it was not.

        What a page says is no proof: the records are candidates, as those of a search.
        """
        seen = await self._once(page.look, url)
        if isinstance(seen, page.Seen):
            named = Reference(doi=seen.doi, pmid=seen.pmid, arxiv=seen.arxiv)
            records = tuple(work for lookup in await self.identified(named) for work in lookup.works)
            return Lookup("url", url, (seen.work,)), records, ""
        failed = (_PAGE,) if isinstance(seen, Failed) else ()
        return Lookup("url", url, failed=failed), (), seen.why if isinstance(seen, Skipped) else ""

    def searches(self, claim: Reference) -> Iterator[Searching]:
        """Searches for the claim, the best first; to be made until one of them is enough."""
        title, first = _words(claim.title[:_LONGEST]), _words(_surname(claim)[:100])
        words = " ".join(filter(None, [title, first, _words(claim.venue[:100]), str(claim.year or "")]))
        yield partial(self._search, CROSSREF.label, crossref.search, words, CANDIDATES)
        yield partial(self._search, PUBMED.label, pubmed.search_title, title, first, claim.year, CANDIDATES)
        yield partial(self._search, OPENALEX.label, openalex.search, f"{title} {first}".strip(), CANDIDATES)

    async def _search(self, label: str, search: Callable[..., Awaitable[Outcome]], *what: Hashable) -> Search:
        outcome = await self._once(search, *what)
        return Search(_works(outcome), (label,) if isinstance(outcome, Failed) else ())

    async def _first_of_doi(self, value: str) -> Lookup:
        """arXiv registers its DOIs with DataCite, and answers for many of them at once itself."""
        number = clean_arxiv(value)
        if number is None:
            return await self._batched("doi", value, CROSSREF.label, self._crossref)
        return _lookup("doi", value, ARXIV.label, await self._arxiv.ask(number))

    async def _batched(self, kind: Kind, value: str, label: str, batches: Batches) -> Lookup:
        return _lookup(kind, value, label, await batches.ask(value))

    async def _once(self, ask: Callable[..., Awaitable[T]], *what: Hashable) -> T:
        key = (ask.__module__, ask.__name__, *what)
        if key not in self._asked:
            self._asked[key] = asyncio.ensure_future(ask(self.client, *what))
        return await asyncio.shield(self._asked[key])


class _Asked:
    """Gathers what one registry after the other says of one identifier."""

    def __init__(self, so_far: Lookup) -> None:
        self.so_far = so_far
        self.works = list(so_far.works)
        self.failed = list(so_far.failed)

    def take(self, label: str, outcome: Outcome) -> bool:
        """Write down what a registry said; whether it knows the identifier. Who was skipped has said nothing."""
        self.works += _works(outcome)
        if isinstance(outcome, Failed) and label not in self.failed:
            self.failed.append(label)
        return isinstance(outcome, Found)

    def lookup(self) -> Lookup:
        return Lookup(self.so_far.kind, self.so_far.value, tuple(self.works), tuple(self.failed))


def _lookup(kind: Kind, value: str, label: str, outcome: Outcome) -> Lookup:
    """What one registry says of an identifier."""
    return Lookup(kind, value, _works(outcome), (label,) if isinstance(outcome, Failed) else ())


def _works(outcome: Outcome) -> tuple[Work, ...]:
    return outcome.works if isinstance(outcome, Found) else ()


def _surname(claim: Reference) -> str:
    """The first author's surname, or the group, as it was written."""
    if not claim.people:
        return ""
    first = claim.people[0]
    return first.shown if first.group else first.shown.partition(",")[0]


def _words(text: str) -> str:
    """`text` in one line, without what cannot be sent."""
    return " ".join(text.replace("\0", "").encode("utf-8", "ignore").decode().split())
