"""Asking again, waiting as told, and what is not followed or read (SPEC C1)."""

import gzip
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from sources import crossref, semantic_scholar
from sources.http_client import Client
from sources.models import HostPace
from sources.work import Failed, FailureKind, Found, NothingFound
from tests.servers.catalogues import CROSSREF_WORK, Answer, Site, crossref_list, crossref_one
from tests.sources.conftest import SHARED_ROWS

pytestmark = SHARED_ROWS

GOOD = Answer(crossref_list(CROSSREF_WORK))
PATH = "/works"


@pytest.mark.sample(2)
@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_passing_trouble_is_asked_again(status: int, site: Site, client: Client) -> None:
    site.answer(PATH, Answer("busy", status, "text/plain"), Answer("busy", status, "text/plain"), GOOD)
    assert isinstance(await crossref.search(client, "alder", 1), Found)
    assert len(site.asked) == 3


async def test_three_times_at_most(site: Site, client: Client) -> None:
    site.answer(PATH, Answer("busy", 503, "text/plain"))
    outcome = await crossref.search(client, "alder", 1)
    assert outcome == Failed("Crossref has a server error (503). Tried 4 times.", None, FailureKind.BROKEN)
    assert len(site.asked) == 4


@pytest.mark.parametrize("status", [400, 401, 403, 404, 414, 501])
async def test_what_will_not_change_is_asked_once(status: int, site: Site, client: Client) -> None:
    site.answer(PATH, Answer("no", status, "text/plain"))
    assert isinstance(await crossref.search(client, "alder", 1), Failed)
    assert len(site.asked) == 1


async def test_a_dropped_connection_is_asked_again(site: Site, client: Client) -> None:
    site.answer(PATH, Answer(drop=True), Answer("{", length=900), GOOD)
    assert isinstance(await crossref.search(client, "alder", 1), Found)


@pytest.mark.long
async def test_a_slow_answer_is_given_up_and_asked_again(site: Site) -> None:
    """Slow to begin, and slow to end: the time counts for the whole answer."""
    site.answer(PATH, Answer(GOOD.body, delay=0.6), Answer(GOOD.body, drip=0.1), GOOD)
    async with Client(timeout=0.3, backoff=0.01) as client:
        assert isinstance(await crossref.search(client, "alder", 1), Found)
    assert len(site.asked) == 3


async def test_the_sentence_about_time(site: Site) -> None:
    site.answer(PATH, Answer(GOOD.body, delay=0.5))
    async with Client(timeout=0.1, backoff=0.01, retries=1) as client:
        outcome = await crossref.search(client, "alder", 1)
    assert outcome == Failed(
        "Crossref did not answer within 0.1 seconds. Tried 2 times.", None, FailureKind.TIMEOUT
    )  # fmt: skip


async def test_retry_after_in_seconds_is_kept(site: Site, client: Client) -> None:
    site.answer(PATH, Answer("wait", 429, "text/plain", {"Retry-After": "0.3"}), GOOD)
    assert isinstance(await crossref.search(client, "alder", 1), Found)
    assert 0.3 <= site.gaps()[0] < 0.9


async def test_retry_after_as_a_date_is_kept(site: Site, client: Client) -> None:
    moment = datetime.now(UTC) + timedelta(seconds=1.2)  # less what a date cannot say: 0.2 seconds at least
    site.answer(PATH, Answer("wait", 503, "text/plain", {"Retry-After": format_datetime(moment, usegmt=True)}), GOOD)
    assert isinstance(await crossref.search(client, "alder", 1), Found)
    assert site.asked[1].at >= int(moment.timestamp())


async def test_retry_after_zero_is_at_once(site: Site) -> None:
    site.answer(PATH, Answer("wait", 429, "text/plain", {"Retry-After": "0"}), GOOD)
    async with Client(backoff=30) as client:
        assert isinstance(await crossref.search(client, "alder", 1), Found)


async def test_everybody_waits_as_told(site: Site, client: Client) -> None:
    """The host speaks to all of us: another client holds back as well."""
    site.answer(PATH, Answer("wait", 429, "text/plain", {"Retry-After": "0.4"}), GOOD)
    site.answer("/works/10.5555/a", crossref_one(CROSSREF_WORK))
    async with Client(retries=0) as first, Client() as second:
        assert isinstance(await crossref.search(first, "alder", 1), Failed)
        start = time.monotonic()
        assert isinstance(await crossref.lookup(second, "10.5555/a"), Found)
        assert time.monotonic() - start > 0.3


async def test_a_longer_wait_is_told_and_not_waited_for(site: Site, client: Client) -> None:
    site.answer(PATH, Answer("wait", 429, "text/plain", {"Retry-After": "90"}), GOOD)
    outcome = await crossref.search(client, "alder", 1)
    assert outcome == Failed(
        "Crossref asked us to wait 90 seconds before the next request.", 90.0, FailureKind.RATE_LIMITED
    )  # fmt: skip
    again = await crossref.search(client, "birch", 1)  # and nobody asks in the meantime
    assert isinstance(again, Failed)
    assert again.retry_after == pytest.approx(90, abs=5)
    assert len(site.asked) == 1


@pytest.mark.parametrize("value", ["soon", "-4", "", "Wed, 99 Foo"])
async def test_a_senseless_retry_after_counts_as_none(value: str, site: Site, client: Client) -> None:
    site.answer(PATH, Answer("wait", 429, "text/plain", {"Retry-After": value}), GOOD)
    assert isinstance(await crossref.search(client, "alder", 1), Found)


@pytest.mark.parametrize("kind", ["text/plain", "text/html", "application/octet-stream", ""])
async def test_json_under_any_label(kind: str, site: Site, client: Client) -> None:
    site.answer(PATH, Answer(GOOD.body, kind=kind))
    assert isinstance(await crossref.search(client, "alder", 1), Found)


async def test_json_with_a_byte_order_mark(site: Site, client: Client) -> None:
    site.answer(PATH, Answer(b"\xef\xbb\xbf" + GOOD.data()))
    assert isinstance(await crossref.search(client, "alder", 1), Found)


async def test_ten_megabytes_and_no_more(site: Site, client: Client) -> None:
    site.answer(PATH, Answer(b" " * (10 * 1024 * 1024 + 1)))
    outcome = await crossref.search(client, "alder", 1)
    assert isinstance(outcome, Failed)
    assert outcome.kind == FailureKind.TOO_LARGE
    assert len(site.asked) == 1


async def test_a_packed_answer_counts_unpacked(site: Site, client: Client) -> None:
    packed = {"Content-Encoding": "gzip"}
    site.answer(PATH, Answer(gzip.compress(GOOD.data()), headers=packed))
    assert isinstance(await crossref.search(client, "alder", 1), Found)
    site.answer(PATH, Answer(gzip.compress(b" " * 50_000_000), headers=packed))
    outcome = await crossref.search(client, "birch", 1)
    assert isinstance(outcome, Failed)
    assert outcome.kind == FailureKind.TOO_LARGE


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1:1/private",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "file:///etc/passwd",
        "http://user@127.0.0.1/",
        "http://2130706433/",
    ],
)
async def test_a_redirect_away_is_followed_to_public_hosts_only(location: str, site: Site, client: Client) -> None:
    site.answer("/works/10.5555/a", Answer("", 302, headers={"Location": location}))
    outcome = await crossref.lookup(client, "10.5555/a")
    assert isinstance(outcome, Failed)
    assert outcome.kind == FailureKind.REFUSED
    assert outcome.why.startswith("Crossref redirected to an unsafe address.")


async def test_a_redirect_to_a_name_that_leads_inside(site: Site) -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return ["203.0.113.5", "10.0.0.1"]

    site.answer("/works/10.5555/a", Answer("", 302, headers={"Location": "https://elsewhere.example/"}))
    async with Client(resolve=resolve) as client:
        outcome = await crossref.lookup(client, "10.5555/a")
    assert isinstance(outcome, Failed)
    assert "private network" in outcome.why


async def test_a_circle_ends(site: Site, client: Client) -> None:
    site.answer("/works/10.5555/a", Answer("", 302, headers={"Location": "/works/10.5555/a"}))
    outcome = await crossref.lookup(client, "10.5555/a")
    assert isinstance(outcome, Failed)
    assert "redirected too many times" in outcome.why
    assert len(site.asked) == 6


async def test_a_search_that_is_sent_elsewhere_is_not_repeated_there(site: Site, client: Client) -> None:
    site.answer("/recommendations/v1/papers/", Answer("", 307, headers={"Location": "/elsewhere"}))
    assert isinstance(await semantic_scholar.recommendations(client, "10.5555/a"), Failed)
    assert site.paths() == ["/recommendations/v1/papers/"]


async def test_five_failures_open_the_breaker_for_everybody(site: Site) -> None:
    site.answer("/works/10.5555/a", Answer("busy", 503, "text/plain"))
    async with Client(backoff=0.001) as client, Client() as other:
        await crossref.lookup(client, "10.5555/a")
        outcome = await crossref.lookup(client, "10.5555/a")
        assert outcome == Failed("Crossref has a server error (503).", None, FailureKind.BROKEN)  # why it rests now
        assert len(site.asked) == 5
        elsewhere = await crossref.lookup(other, "10.5555/b")
        assert isinstance(elsewhere, Failed)
        assert elsewhere.kind == FailureKind.RESTING
        assert elsewhere.why.startswith("Crossref failed several times in a row and is not queried for ")
        assert elsewhere.retry_after == pytest.approx(30, abs=3)
    assert len(site.asked) == 5


async def test_after_its_rest_one_request_tries(site: Site, client: Client) -> None:
    past = datetime.now(UTC) - timedelta(seconds=1)
    await HostPace.objects.acreate(name="crossref", failures=5, rests_until=past)
    site.answer("/works/10.5555/a", Answer("busy", 503, "text/plain"))
    assert isinstance(await crossref.lookup(client, "10.5555/a"), Failed)
    assert len(site.asked) == 1  # it failed again, so the breaker opens at once
    await HostPace.objects.filter(name="crossref").aupdate(rests_until=past)
    assert await crossref.lookup(client, "10.5555/b") == NothingFound()  # a good answer closes it
    row = await HostPace.objects.aget(name="crossref")
    assert (row.failures, row.rests_until) == (0, None)


async def test_a_refusal_is_no_failure_of_the_host(site: Site, client: Client) -> None:
    for number in range(8):
        site.answer(f"/works/10.5555/{number}", Answer("no", 400, "text/plain"))
        await crossref.lookup(client, f"10.5555/{number}")
    assert len(site.asked) == 8
