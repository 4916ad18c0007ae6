"""Requests to the registries: lookups of identifiers, and searches by title, authors and year (SPEC C1, C2).

A registry is asked only when those before it did not know the identifier. `verdict.judge` decides on the verdict.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Self, TypeVar

from citations.identity.reference import Reference
from citations.identity.verdict import CANDIDATES
from citations.identity.verdict_types import Kind, Lookup, Search
from jobs.models import JobSignal
from sources import arxiv, crossref, datacite, doi_org, openalex, openlibrary, pubmed, web_page
from sources.host_limits import ARXIV, CROSSREF, DATACITE, DOI, OPENALEX, OPENLIBRARY, PUBMED
from sources.http_client import Client
from sources.identifiers import clean_arxiv
from sources.work import Batch, Failed, Found, NothingFound, Outcome, Skipped, Work

_LONGEST = 300  # characters of a title that is searched for

T = TypeVar("T")


class BatchedLookups:
    """Collects identifiers while a request is running, and looks them up together in the next one.

    At most `most` identifiers in one request and `at_once` requests at a time. Each identifier is looked up once, for
    all callers. A request that raises is repeated in halves, so that an identifier that causes an error affects no
    other.
    """

    def __init__(self, ask_many: Callable[[list[str]], Awaitable[Batch]], most: int, at_once: int = 1) -> None:
        self.ask_many, self.most, self.at_once = ask_many, most, at_once
        self._answers: dict[str, asyncio.Future[Outcome]] = {}
        self._waiting: list[str] = []
        self._workers: set[asyncio.Task[None]] = set()

    async def ask(self, value: str) -> Outcome:
        """Return the registry's answer for `value`; raises the exception of its request."""
        if value not in self._answers:
            self._answers[value] = asyncio.get_running_loop().create_future()
            self._waiting.append(value)
            if len(self._workers) < self.at_once:
                worker = asyncio.create_task(self._work())
                self._workers.add(worker)
                worker.add_done_callback(self._workers.discard)
        # Shielded, since others may wait for the same answer.
        return await asyncio.shield(self._answers[value])

    async def close(self) -> None:
        """Cancel running requests and pending answers."""
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        for answer in self._answers.values():
            answer.cancel()

    async def _work(self) -> None:
        await asyncio.sleep(0)  # lets all ready callers add their identifiers first
        while self._waiting:
            part, self._waiting = self._waiting[: self.most], self._waiting[self.most :]
            await self._ask(part)

    async def _ask(self, part: list[str]) -> None:
        try:
            batch = await self.ask_many(part)
            outcomes = [_outcome(batch, value) for value in part]
        except Exception as error:
            if len(part) == 1 or isinstance(error, JobSignal):
                for value in part:
                    self._answers[value].set_exception(error)
                return
            half = len(part) // 2
            await self._ask(part[:half])
            await self._ask(part[half:])
        else:
            for value, outcome in zip(part, outcomes, strict=True):
                self._answers[value].set_result(outcome)


def _outcome(batch: Batch, value: str) -> Outcome:
    """Return a batch's answer for one identifier. Raises KeyError where the batch has none."""
    if work := batch.found.get(value):
        return Found((work,), 1)
    return NothingFound() if value in batch.missing else batch.failed[value]


Searching = Callable[[], Awaitable[Search]]


class Registries:
    """All registries, for one set of entries: each identifier and each search is requested only once.

    Use it in `async with`, whose end cancels running requests.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        # Answers are passed on after each request; Crossref allows three requests at a time.
        self._crossref = BatchedLookups(partial(crossref.lookup_many, client), 40, at_once=3)
        self._pubmed = BatchedLookups(partial(pubmed.lookup_many, client), pubmed.MOST)
        self._arxiv = BatchedLookups(partial(arxiv.lookup_many, client), 100)
        self._asked: dict[Hashable, asyncio.Future[Any]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for batches in (self._crossref, self._pubmed, self._arxiv):
            await batches.close()
        for asked in self._asked.values():
            asked.cancel()
        await asyncio.gather(*self._asked.values(), return_exceptions=True)

    async def lookup_identifiers(self, claim: Reference) -> list[Lookup]:
        """Look up the DOI, the PMID and the arXiv id of `claim`, each in its first registry.

        They are sent in batches together with those of other entries.
        """
        wanted = [self._first_of_doi(claim.doi)] if claim.doi else []
        if claim.pmid:
            wanted.append(self._batched("pmid", claim.pmid, PUBMED.label, self._pubmed))
        if claim.arxiv and claim.arxiv != clean_arxiv(claim.doi):
            wanted.append(self._batched("arxiv", claim.arxiv, ARXIV.label, self._arxiv))
        return list(await asyncio.gather(*wanted))

    async def lookup_doi_elsewhere(self, first: Lookup) -> Lookup:
        """Look up a DOI in further registries, where the first one does not know it or did not answer.

        A DOI that doi.org does not know is in no registry. Where Crossref failed, only OpenAlex is asked, since doi.org
        would lead to Crossref again. OpenAlex also knows works without metadata at their agency.
        """
        known = first
        if not first.failed or clean_arxiv(first.value):
            outcome = await self._once(doi_org.lookup, first.value)
            if isinstance(outcome, NothingFound):
                return Lookup("doi", first.value)
            known = _with_answer(known, DOI.label, outcome)
            if not isinstance(outcome, Found):
                outcome = await self._once(datacite.lookup, first.value)
                known = _with_answer(known, DATACITE.label, outcome)
                if isinstance(outcome, Found):
                    return known
            elif known.works[-1].title:
                return known
        return _with_answer(known, OPENALEX.label, await self._once(openalex.lookup, first.value))

    async def lookup_pmcid(self, pmcid: str) -> Lookup:
        """Look up the PubMed record of an article in PubMed Central."""
        found = _with_answer(Lookup("pmid", pmcid), PUBMED.label, await self._once(pubmed.lookup_pmcid, pmcid))
        return replace(found, value=(found.works and found.works[0].pmid) or pmcid)

    async def lookup_isbn(self, isbn: str) -> Lookup:
        """Look up a book at Open Library."""
        return _with_answer(Lookup("isbn", isbn), OPENLIBRARY.label, await self._once(openlibrary.lookup, isbn))

    async def lookup_url(self, url: str) -> tuple[Lookup, tuple[Work, ...], str]:
        """Open the page at `url`: return it, the records of the work it names, and why it was not opened, if so.

        The identifiers in a page are no proof: the records are candidates, like search results.
        """
        seen = await self._once(web_page.fetch_metadata, url)
        if isinstance(seen, web_page.PageMetadata):
            records = tuple(
                work
                for lookup in await self.lookup_identifiers(Reference(doi=seen.doi, pmid=seen.pmid, arxiv=seen.arxiv))
                for work in lookup.works
            )
            return Lookup("url", url, (seen.work,)), records, ""
        known = Lookup("url", url, failed=("The page",) if isinstance(seen, Failed) else ())
        return known, (), seen.why if isinstance(seen, Skipped) else ""

    def searches(self, claim: Reference) -> Iterator[Searching]:
        """Yield the searches for a claim, the best first; the caller runs them until one is enough."""
        title, first = _words(claim.title[:_LONGEST]), _words(_surname(claim)[:100])
        words = " ".join(filter(None, [title, first, _words(claim.venue[:100]), str(claim.year or "")]))
        yield partial(self._search, CROSSREF.label, crossref.search, words, CANDIDATES)
        yield partial(self._search, PUBMED.label, pubmed.search_title, title, first, claim.year, CANDIDATES)
        yield partial(self._search, OPENALEX.label, openalex.search, f"{title} {first}".strip(), CANDIDATES)

    async def _search(self, label: str, search: Callable[..., Awaitable[Outcome]], *what: Hashable) -> Search:
        outcome = await self._once(search, *what)
        return Search(_works(outcome), (label,) if isinstance(outcome, Failed) else ())

    async def _first_of_doi(self, value: str) -> Lookup:
        """Look up a DOI at Crossref; an arXiv DOI, which Crossref does not have, at arXiv."""
        number = clean_arxiv(value)
        if number is None:
            return await self._batched("doi", value, CROSSREF.label, self._crossref)
        return _with_answer(Lookup("doi", value), ARXIV.label, await self._arxiv.ask(number))

    async def _batched(self, kind: Kind, value: str, label: str, batches: BatchedLookups) -> Lookup:
        return _with_answer(Lookup(kind, value), label, await batches.ask(value))

    async def _once(self, ask: Callable[..., Awaitable[T]], *what: Hashable) -> T:
        key = (ask.__module__, ask.__name__, *what)
        if key not in self._asked:
            self._asked[key] = asyncio.ensure_future(ask(self.client, *what))
        return await asyncio.shield(self._asked[key])


def _with_answer(known: Lookup, label: str, outcome: Outcome) -> Lookup:
    """Return a lookup with the answer of one more registry added; a skipped request adds nothing."""
    failed = (label,) if isinstance(outcome, Failed) and label not in known.failed else ()
    return replace(known, works=known.works + _works(outcome), failed=known.failed + failed)


def _works(outcome: Outcome) -> tuple[Work, ...]:
    return outcome.works if isinstance(outcome, Found) else ()


def _surname(claim: Reference) -> str:
    """Return the first author's surname, or the group, as written in the entry."""
    if not claim.people:
        return ""
    first = claim.people[0]
    return first.shown if first.group else first.shown.partition(",")[0]


def _words(text: str) -> str:
    """Return `text` in one line, without NUL characters and lone surrogates."""
    return " ".join(text.replace("\0", "").encode("utf-8", "ignore").decode().split())
