"""Looking up many works at once: few requests, a bad one costs its neighbours nothing,
a host that is down is left alone (SPEC C3)."""

from collections.abc import Callable
from typing import Any

import pytest

from sources import crossref, pubmed
from sources.http_client import Client
from sources.request_checks import Part, ask_in_parts
from sources.work import Failed, FailureKind, Work
from tests.servers.catalogues import (
    CROSSREF_WORK,
    PUBMED_RECORD,
    Answer,
    ReceivedRequest,
    Site,
    changed,
    crossref_list,
    crossref_one,
    esummary,
)
from tests.sources.conftest import SHARED_ROWS

pytestmark = SHARED_ROWS

DOIS = [f"10.5555/w.{number:03}" for number in range(120)]
REFUSED = Answer({"status": "failed", "message": [{"message": "Odd DOI"}]}, 400)


def works(
    without: Callable[[list[str]], Answer | None] = lambda dois: None, delay: float = 0.0
) -> Callable[[ReceivedRequest], Answer]:
    """Answers a filter with a work for each of its DOIs, unless `without` has an answer for them."""

    def answer(asked: ReceivedRequest) -> Answer:
        dois = [part.removeprefix("doi:") for part in asked.query["filter"].split(",")]
        found = [changed(CROSSREF_WORK, DOI=doi) for doi in dois]
        return without(dois) or Answer(crossref_list(*found), delay=delay)

    return answer


async def test_batches_are_asked_at_the_same_time(site: Site, client: Client, settings: Any) -> None:
    """As many of them as Crossref allows: three at once for who gives a contact."""
    settings.CROSSREF_MAILTO = "ada@example.org"
    site.answer("/works", works(delay=0.3))
    batch = await crossref.lookup_many(client, DOIS)
    assert len(batch.found) == 120
    assert len(site.asked) == 3
    assert site.most_in_flight == 3


async def test_a_bad_doi_costs_a_few_requests_and_nobody_else(site: Site, client: Client) -> None:
    bad = {"10.5555/w.017", "10.5555/w.090"}
    site.answer("/works", works(lambda dois: REFUSED if bad & set(dois) else None))
    for doi in DOIS:
        site.answer(f"/works/{doi}", crossref_one(changed(CROSSREF_WORK, DOI=doi)))
    site.answer("/works/10.5555/w.017", REFUSED)
    batch = await crossref.lookup_many(client, DOIS)
    assert set(batch.found) == set(DOIS) - {"10.5555/w.017"}
    assert set(batch.failed) == {"10.5555/w.017"}
    assert len(site.asked) <= 3 + 24


@pytest.mark.long
async def test_a_batch_that_times_out_fails_its_own_dois(site: Site) -> None:
    slow = set(DOIS[40:80])
    site.answer("/works", works(lambda dois: Answer("", delay=0.6) if slow & set(dois) else None))
    async with Client(backoff=0.001, retries=1, timeout=0.3) as client:
        batch = await crossref.lookup_many(client, DOIS)
    assert set(batch.failed) == slow
    assert {failed.kind for failed in batch.failed.values()} == {FailureKind.TIMEOUT}
    assert set(batch.found) == set(DOIS) - slow
    assert not batch.missing
    assert site.paths() == ["/works"] * 4


@pytest.mark.parametrize(
    "trouble",
    [
        Answer("busy", 503),
        Answer("slow down", 429),
        Answer("", drop=True),
        Answer("<html>We are moving</html>", kind="text/html"),
        Answer("not here", 404, "text/plain"),
    ],
)
async def test_a_host_in_trouble_is_not_asked_for_each_doi(trouble: Answer, site: Site) -> None:
    site.answer("/works", trouble)
    async with Client(backoff=0.001, retries=1) as client:
        batch = await crossref.lookup_many(client, DOIS)
    assert set(batch.failed) == set(DOIS)
    assert not batch.missing
    assert len(site.asked) <= 6


async def test_a_host_that_refuses_everything_is_soon_left_alone(site: Site, client: Client) -> None:
    site.answer("/works", Answer({"message": "no"}, 403))
    batch = await crossref.lookup_many(client, [f"10.5555/w.{number:04}" for number in range(400)])
    assert len(batch.failed) == 400
    assert len(site.asked) < 50  # 10 and 24, and what a busy machine tries again


async def test_who_asks_somebody_else_next_need_not_ask_singly(site: Site, client: Client) -> None:
    site.answer("/works", crossref_list(changed(CROSSREF_WORK, DOI="10.5555/a")))
    batch = await crossref.lookup_many(client, ["10.5555/a", "10.5555/none", "no doi"])
    assert (set(batch.found), set(batch.missing), set(batch.failed)) == ({"10.5555/a"}, {"10.5555/none"}, {"no doi"})
    assert site.paths() == ["/works"]


async def test_a_doi_with_a_comma_goes_alone(site: Site, client: Client) -> None:
    site.answer("/works", works())
    site.answer("/works/10.5555/a,b", crossref_one(changed(CROSSREF_WORK, DOI="10.5555/a,b")))
    batch = await crossref.lookup_many(client, ["10.5555/a,b", *DOIS[:2]])
    assert set(batch.found) == {"10.5555/a,b", *DOIS[:2]}
    assert sorted(site.paths()) == ["/works", "/works/10.5555/a,b"]


async def test_one_doi_spelt_in_two_ways_is_asked_for_once(site: Site, client: Client) -> None:
    site.answer("/works/10.5555/a", crossref_one(changed(CROSSREF_WORK, DOI="10.5555/a")))
    batch = await crossref.lookup_many(client, ["10.5555/A", "https://doi.org/10.5555/a"])
    assert set(batch.found) == {"10.5555/A", "https://doi.org/10.5555/a"}
    assert site.paths() == ["/works/10.5555/a"]


async def test_no_dois_cost_nothing(site: Site, client: Client) -> None:
    batch = await crossref.lookup_many(client, [])
    assert (batch.found, batch.missing, batch.failed, site.asked) == ({}, frozenset(), {}, [])


async def test_a_failing_part_of_many_pmids_fails_alone(site: Site, client: Client) -> None:
    def answer(asked: ReceivedRequest) -> Answer:
        ids = asked.form["id"].split(",")
        if "450" in ids:
            return Answer("", drop=True)
        return Answer(esummary(*(changed(PUBMED_RECORD, uid=one) for one in ids)))

    site.answer("/esummary.fcgi", answer)
    async with Client(backoff=0.001, retries=0) as one:
        batch = await pubmed.lookup_many(one, map(str, range(1, 501)))
    assert len(batch.found) == 400
    assert set(batch.failed) == {str(number) for number in range(401, 501)}


async def test_halving_ends_however_the_ids_are_spread() -> None:
    """Each id comes out once: found, failed, or left out."""
    bad = {"3", "11", "12", "40"}
    asked: list[Part] = []

    async def ask(part: Part) -> dict[str, Work] | Failed:
        asked.append(part)
        if bad & set(part):
            return Failed("no", None, FailureKind.REFUSED)
        return {one: Work(provider="x", provider_id=one) for one in part if one != "7"}

    found, failed = await ask_in_parts([str(number) for number in range(50)], 25, ask)
    assert set(failed) == bad
    assert set(found) == {str(number) for number in range(50)} - bad - {"7"}
    assert max(map(len, asked)) == 25
