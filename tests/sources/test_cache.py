"""What was answered is kept for a day; failures are not, and keys never (SPEC C1)."""

import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.utils import timezone

from sources import cache, crossref, openalex, tavily
from sources.http_client import Client
from sources.models import CachedResponse, HostPace
from sources.providers import PROVIDERS
from sources.responses import RawResponse
from sources.work import Failed, Found, NothingFound
from tests.servers.catalogues import (
    CROSSREF_WORK,
    OPENALEX_WORK,
    TAVILY_RESULT,
    Answer,
    ReceivedRequest,
    Site,
    crossref_list,
    crossref_one,
)
from tests.sources.conftest import SHARED_ROWS

pytestmark = [pytest.mark.postgres, SHARED_ROWS]


async def test_the_same_question_is_asked_once(site: Site, client: Client) -> None:
    site.answer("/works", crossref_list(CROSSREF_WORK))
    first = await crossref.search(client, "alder", 5)
    assert await crossref.search(client, "alder", 5) == first
    async with Client() as other:
        assert await crossref.search(other, "alder", 5) == first
    assert len(site.asked) == 1
    await crossref.search(client, "alder", 6)
    await crossref.search(client, "birch", 5)
    assert len(site.asked) == 3


async def test_that_a_work_is_unknown_is_kept_too(site: Site, client: Client) -> None:
    assert await crossref.lookup(client, "10.5555/none") == NothingFound()
    assert await crossref.lookup(client, "10.5555/none") == NothingFound()
    assert len(site.asked) == 1


async def test_a_day_later_it_is_asked_again(site: Site, client: Client) -> None:
    site.answer("/works/10.5555/a", crossref_one(CROSSREF_WORK))
    await crossref.lookup(client, "10.5555/a")
    kept = await CachedResponse.objects.aget()
    assert timedelta(hours=23) < kept.expires_at - timezone.now() <= timedelta(hours=24)
    await CachedResponse.objects.aupdate(expires_at=timezone.now())
    await crossref.lookup(client, "10.5555/a")
    assert len(site.asked) == 2
    assert await CachedResponse.objects.acount() == 1


@pytest.mark.parametrize(
    "answer",
    [
        Answer("busy", 503, "text/plain"),
        Answer("slow", 429, "text/plain"),
        Answer("no", 400),
        Answer("{broken"),
        Answer({"status": "ok"}),
        Answer("no", 404),  # of a search, which can't be "no such work"
    ],
)
async def test_a_failure_is_not_kept(answer: Answer, site: Site) -> None:
    site.answer("/works", answer, Answer(crossref_list(CROSSREF_WORK)))
    async with Client(retries=0) as client:
        assert isinstance(await crossref.search(client, "alder", 5), Failed)
        assert not await CachedResponse.objects.aexists()
        assert isinstance(await crossref.search(client, "alder", 5), Found)


async def test_posts_that_only_read_are_kept(site: Site, client: Client, keys: dict[str, str]) -> None:
    site.answer("/search", {"results": [TAVILY_RESULT]})
    assert await tavily.search(client, "alder", 5) == await tavily.search(client, "alder", 5)
    await tavily.search(client, "birch", 5)
    assert len(site.asked) == 2


async def test_another_key_is_the_same_question(
    site: Site, client: Client, keys: dict[str, str], settings: Any
) -> None:
    site.answer("/works", {"meta": {"count": 1}, "results": [OPENALEX_WORK]})
    await openalex.search(client, "alder", 5)
    assert site.asked[0].query["api_key"] == keys["OPENALEX_API_KEY"]
    settings.OPENALEX_API_KEY = "another-key"
    await openalex.search(client, "alder", 5)
    assert len(site.asked) == 1


async def test_a_row_that_can_no_longer_be_read_is_asked_for_again(site: Site, client: Client) -> None:
    site.answer("/works/10.5555/a", crossref_one(CROSSREF_WORK))
    await crossref.lookup(client, "10.5555/a")
    await CachedResponse.objects.aupdate(body=b"{")
    assert isinstance(await crossref.lookup(client, "10.5555/a"), Found)


def echo(asked: ReceivedRequest) -> Answer:
    """The worst a host can do: send back every header and the whole query, as an error and as a good answer."""
    said = f"{asked.query} {asked.headers} {asked.body}"
    good = {"results": [{**TAVILY_RESULT, "content": said}], "items": [], "meta": {"note": said}}
    return Answer(good) if asked.path == "/search" else Answer({"error": {"message": said[-190:]}}, 403)


async def test_a_key_is_in_no_row_no_log_and_no_sentence(
    site: Site, client: Client, keys: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for path in ("/works", "/esearch.fcgi", "/graph/v1/paper/search", "/search", "/customsearch/v1"):
        site.answer(path, echo)
    outcomes = [await provider.search(client, "alder", 5) for provider in PROVIDERS.values()]
    sent = "".join(f"{asked.query} {asked.headers}" for asked in site.asked)
    assert all(key in sent for key in keys.values())
    rows = await sync_to_async(
        lambda: (
            str([(row.key, bytes(row.body), row.content_type) for row in CachedResponse.objects.all()])
            + str(list(HostPace.objects.values()))
        )
    )()
    logged = caplog.text + str([record.__dict__ for record in caplog.records])
    for key in keys.values():
        assert key not in rows
        assert key not in logged
        assert key not in str([outcome for outcome in outcomes if not isinstance(outcome, Found)])


async def test_a_key_does_not_go_where_a_redirect_leads(site: Site, client: Client, keys: dict[str, str]) -> None:
    """Not to another host, and not twice into one address."""
    site.answer(
        "/works/W1",
        lambda asked: Answer("", 301, headers={"Location": f"/works/W2?api_key={keys['OPENALEX_API_KEY']}"}),
    )
    site.answer("/works/W2", OPENALEX_WORK)
    with Site() as other:
        other.answer("/x", OPENALEX_WORK)
        site.answer("/works/W3", Answer("", 302, headers={"Location": f"{other.base}/x"}))
        assert isinstance(await openalex.lookup(client, "W1"), Found)
        assert isinstance(await openalex.lookup(client, "W3"), Failed)
        assert not other.asked
    assert site.asked[1].query == {"api_key": keys["OPENALEX_API_KEY"]}


async def test_an_exception_has_no_key_in_it(
    site: Site, keys: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    site.answer("/works", Answer(drop=True))
    async with Client(retries=0) as client:
        outcome = await openalex.search(client, "alder", 5)
    assert isinstance(outcome, Failed)
    assert keys["OPENALEX_API_KEY"] not in str(outcome) + caplog.text


def test_the_same_answers_are_kept_at_once_whatever_came_first() -> None:
    """On PostgreSQL each of two would wait for a row of the other, and one of them would have to begin anew."""
    answers = {f"{n:064}": ("crossref", RawResponse(200, "text/plain", b"yes")) for n in range(40)}
    backwards = dict(reversed(answers.items()))
    ready = threading.Barrier(2)

    def keep(asked: dict[str, tuple[str, RawResponse]]) -> None:
        try:
            for _ in range(25):
                ready.wait(10)
                cache.store_responses(asked)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(keep, asked) for asked in (answers, backwards)]:
            done.result()
    assert CachedResponse.objects.count() == len(answers)
