"""Resolving many references at once: each verdict is returned as soon as it is known (SPEC C2, C3)."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from citations.formats.reading import Csl, text_of
from citations.identity.grade import describe_work, is_same_by_identifier
from citations.identity.reference import Reference, reference_from_csl
from citations.identity.title_similarity import likeness
from citations.identity.verdict import judge, retraction_of
from citations.identity.verdict_types import Lookup, Search, Verdict
from citations.resolution.registry_lookup import Registries
from jobs.models import JobSignal
from sources.http_client import Client
from sources.identifiers import clean_pmcid, doi_of_url
from sources.work import Work

log = logging.getLogger(__name__)

AT_ONCE = 8  # entries looked up individually at the same time
_IDENTIFIER_HOSTS = (
    "doi.org/",
    "arxiv.org/",
    "ncbi.nlm.nih.gov/",
)  # addresses of identifiers, which are looked up as such


async def resolve(
    claims: Mapping[str, Csl], client: Client, *, at_once: int = AT_ONCE
) -> AsyncGenerator[tuple[str, Verdict], None]:
    """Yield the verdict on each of `claims` (CSL items by any key), every key once, as soon as it is known.

    DOIs and PMIDs are looked up in batches; entries that they do not prove are looked up individually, `at_once` at a
    time. An entry that causes an error is "unresolved" and does not affect others. A JobSignal raised by `client`, when
    the job should stop, ends everything; so does closing the iterator.
    """
    async with Registries(client) as registries:
        singly = asyncio.Semaphore(at_once)
        tasks = [asyncio.create_task(_safe_verdict(key, csl, registries, singly)) for key, csl in claims.items()]
        try:
            for known in asyncio.as_completed(tasks):
                yield await known
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _safe_verdict(key: str, csl: Csl, registries: Registries, singly: asyncio.Semaphore) -> tuple[str, Verdict]:
    try:
        return key, await _verdict(csl, registries, singly)
    except JobSignal:
        raise
    except Exception:
        log.exception("A reference could not be compared")
        return key, Verdict(
            "unresolved",
            None,
            "This entry could not be compared because of an error in Scholium. It will be tried again.",
        )


async def _verdict(csl: Csl, registries: Registries, singly: asyncio.Semaphore) -> Verdict:
    """Return the verdict on one entry: by batched lookups first, then by individual ones, limited by `singly`."""
    claim = reference_from_csl(csl)
    pmcid = clean_pmcid(text_of(csl.get("PMCID"))) if not claim.doi and not claim.pmid else None
    if not pmcid and not any((claim.title, claim.doi, claim.pmid, claim.arxiv, claim.isbn, claim.url)):
        return Verdict(
            "not_found",
            "D",
            "The entry has neither a title nor an identifier, so it cannot be looked up. Add its title, DOI or PMID.",
        )
    lookups = await registries.lookup_identifiers(claim)
    verdict = judge(claim, lookups)
    if verdict.status == "verified":
        return _with_other_registries(claim, verdict, lookups, Search())
    async with singly:
        if pmcid:
            lookup = await registries.lookup_pmcid(pmcid)
            claim, lookups = replace(claim, pmid=lookup.value), [*lookups, lookup]
        return await _individual_verdict(claim, lookups, registries)


async def _individual_verdict(claim: Reference, lookups: list[Lookup], registries: Registries) -> Verdict:
    """Return the verdict on an entry that the first lookups of its identifiers do not prove."""
    lookups = [
        await registries.lookup_doi_elsewhere(one) if one.kind == "doi" and not one.works else one for one in lookups
    ]
    verdict, search = judge(claim, lookups), Search()
    # An identifier without any answer leaves an entry unresolved, whatever a search finds.
    if verdict.status != "verified" and not any(one.failed and not one.works for one in lookups):
        verdict, search = await _searched(claim, lookups, registries)
        if verdict.status == "not_found":
            verdict = await _other_evidence(claim, lookups, search, registries)
    return _with_other_registries(claim, verdict, lookups, search)


async def _searched(claim: Reference, lookups: list[Lookup], registries: Registries) -> tuple[Verdict, Search]:
    """Return the verdict after searches for the title, run until one is enough."""
    search = Search()
    verdict = judge(claim, lookups, search)
    for make in registries.searches(claim) if claim.title else ():
        found = await make()
        search = Search(search.works + found.works, search.failed + found.failed)
        verdict = judge(claim, lookups, search)
        if verdict.status == "verified" or verdict.repair:
            break
    return verdict, search


async def _other_evidence(claim: Reference, lookups: list[Lookup], search: Search, registries: Registries) -> Verdict:
    """Return the verdict by the entry's ISBN, then its web address, where no registry of papers has it (tier B)."""
    if claim.isbn:
        lookups.append(await registries.lookup_isbn(claim.isbn))
    verdict = judge(claim, lookups, search)
    if verdict.status != "not_found" or not _is_page(claim.url):
        return verdict
    lookup, named, closed = await registries.lookup_url(claim.url)
    verdict = judge(claim, [*lookups, lookup], Search(search.works + named, search.failed))
    if verdict.status != "not_found":
        return verdict
    if closed:
        return replace(verdict, reason=f"{verdict.reason} The page at its address was not opened. {closed}")
    if claim.title or not lookup.works:
        return verdict
    if named:
        return Verdict(
            "review",
            None,
            f"The entry has only a web address. The page there says that it is about {describe_work(named[0])}.",
            named[0],
            repair=named[0],
            repair_doi=named[0].doi or "",
        )
    return Verdict(
        "review",
        None,
        "There is a page at this address, but the entry has nothing to compare it with. Add its title.",
        lookup.works[0],
    )


def _is_page(url: str) -> bool:
    return (
        url.startswith(("http://", "https://"))
        and not doi_of_url(url)
        and not any(one in url for one in _IDENTIFIER_HOSTS)
    )


def _with_other_registries(claim: Reference, verdict: Verdict, lookups: Sequence[Lookup], search: Search) -> Verdict:
    """Add to a verdict what other registries know of the work: PMID, open access copy, notices (SPEC C11)."""
    work = verdict.work
    if work is None or verdict.status not in {"verified", "review"}:
        return verdict
    if verdict.tier == "A" and not work.title:
        return Verdict(
            "review",
            None,
            "This DOI is registered, but without a title. Add the title and authors of the work.",
            work,
        )
    if verdict.tier == "A" and not claim.title and (other := _contradicting_work(work, lookups)):
        return Verdict(
            "review",
            None,
            f"The entry has no title, and its identifiers lead to two works: {describe_work(work)}, "
            f"and {describe_work(other)}.",
            work,
        )
    others = [
        other
        for other in (*(work for lookup in lookups for work in lookup.works), *search.works)
        if other is not work and is_same_by_identifier(work, other)
    ]
    named = {update.type for update in work.updates}
    told_elsewhere = tuple(update for other in others for update in other.updates if update.type not in named)
    more: dict[str, Any] = {
        **{
            name: next((value for other in others if (value := getattr(other, name))), None)
            for name in ("pmid", "pmcid", "open_access_url", "published_version_doi", "preprint_doi")
            if not getattr(work, name)
        },
        "updates": work.updates + told_elsewhere,
        "is_retracted": work.is_retracted or any(other.is_retracted for other in others),
    }
    whole = work.model_copy(update=more)
    return replace(verdict, work=whole, retraction=retraction_of(whole))


def _contradicting_work(work: Work, lookups: Iterable[Lookup]) -> Work | None:
    """Return a record with a different title that another identifier of the entry leads to; None for none."""
    return next(
        (other for lookup in lookups for other in lookup.works if likeness(work.title, other.title).how == "other"),
        None,
    )
