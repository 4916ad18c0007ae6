"""One pace for all processes, adapted to what the host says; nothing is lost when somebody gives up (SPEC C1)."""

import asyncio
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sources import crossref, semantic_scholar
from sources.host_limits import (
    ARXIV,
    CROSSREF,
    DATACITE,
    HOSTS,
    MARGIN,
    OPENLIBRARY,
    PUBMED,
    SEARCH,
    SEMANTIC_SCHOLAR,
    Host,
)
from sources.http_client import Client
from sources.models import HostPace
from sources.rate_limit import give_back, interval_from_headers, reserve
from sources.work import Failed, FailureKind, RequestFailed
from tests.servers.catalogues import CROSSREF_WORK, Answer, Site, crossref_list, crossref_one
from tests.servers.processes import ROOT, environment, own_database
from tests.sources.conftest import SHARED_ROWS

pytestmark = [pytest.mark.postgres, SHARED_ROWS]

AT_20 = 1 / 20


@pytest.fixture
def paced(site: Site, settings: Any) -> Site:
    settings.SOURCE_PACE = {"crossref": 20, "semantic_scholar": 20}
    return site


async def test_requests_keep_their_distance(paced: Site, client: Client) -> None:
    began = time.monotonic()  # not when the server saw the first: where it is slow to, the gaps behind it seem shorter
    await asyncio.gather(*(crossref.lookup(client, f"10.5555/{n}") for n in range(8)))
    assert time.monotonic() - began >= 7 * AT_20 * 0.9
    assert len(paced.asked) == 8
    assert sum(paced.gaps()) < 7 * AT_20 + 1


def test_two_processes_share_one_pace(paced: Site, tmp_path: Path) -> None:
    """Real processes that meet in one row: together as fast as one."""
    env = environment(own_database(), tmp_path, CROSSREF_BASE_URL=paced.base, SOURCE_PACE='{"crossref": 20}')
    command = [sys.executable, "-m", "tests.sources.ask_client"]
    began = datetime.now(UTC)
    running = [subprocess.Popen([*command, name, "10"], cwd=ROOT, env=env) for name in ("one", "two")]
    assert [process.wait(60) for process in running] == [0, 0]
    assert len(paced.asked) == 20
    free = HostPace.objects.get(name="crossref").next_free_at
    assert free
    assert free - began >= timedelta(seconds=20 * AT_20 * 0.99)  # each of the twenty had a turn of its own


async def test_crossref_counts_searches_apart(site: Site, settings: Any) -> None:
    """Polite limits: ten records and three searches a second, each a tenth slower."""
    settings.SOURCE_PACE = {}
    settings.CROSSREF_MAILTO = "asha@example.org"
    assert CROSSREF.limits("").interval == pytest.approx(1 / (10 * MARGIN))
    assert CROSSREF.limits(SEARCH).interval == pytest.approx(1 / (3 * MARGIN))
    assert CROSSREF.limits("").at_once == 3
    assert CROSSREF.row(SEARCH) != CROSSREF.row("")
    settings.CROSSREF_MAILTO = ""
    assert CROSSREF.limits("").interval == pytest.approx(1 / (5 * MARGIN))
    assert CROSSREF.limits("").at_once == 1
    assert CROSSREF.limits(SEARCH).interval == pytest.approx(1 / MARGIN)


async def test_a_key_quickens_pubmed(site: Site, settings: Any) -> None:
    settings.SOURCE_PACE = {}
    assert PUBMED.limits("").interval == pytest.approx(1 / (3 * MARGIN))
    settings.PUBMED_API_KEY = "key"
    assert PUBMED.limits("").interval == pytest.approx(1 / (10 * MARGIN))
    assert SEMANTIC_SCHOLAR.limits("").interval == pytest.approx(1 / 0.9)


async def test_a_contact_quickens_datacite_and_open_library(site: Site, settings: Any) -> None:
    settings.SOURCE_PACE = {}
    assert DATACITE.limits("").interval == pytest.approx(300 / (500 * MARGIN))
    assert OPENLIBRARY.limits("").interval == pytest.approx(1 / MARGIN)
    settings.CROSSREF_MAILTO = "asha@example.org"
    assert DATACITE.limits("").interval == pytest.approx(300 / (1000 * MARGIN))
    assert OPENLIBRARY.limits("").interval == pytest.approx(1 / (3 * MARGIN))
    assert ARXIV.limits("").interval == pytest.approx(3 / MARGIN)
    assert ARXIV.limits("").at_once == 1


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)
def test_the_settings_explain_every_host(host: Host) -> None:
    """Where it is asked, under which name its pace is set, and its key, are in docs/settings.md."""
    document = (Path(__file__).parents[2] / "docs/settings.md").read_text(encoding="utf-8")
    pace = next(line for line in document.splitlines() if line.startswith("| `SOURCE_PACE`"))
    assert f"`{host.name}`" in pace
    for setting in filter(None, (host.base_setting, host.key_setting)):
        assert f"| `{setting}` |" in document
    assert f"| `{host.base_setting}` | `https://" in document


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)
def test_source_pace_overrides_the_limits_of_any_host(host: Any, site: Site, settings: Any) -> None:
    settings.SOURCE_PACE = {host.name: 50.0}
    assert host.limits("").interval == host.limits(SEARCH).interval == 1 / 50
    settings.SOURCE_PACE = {host.name: 0.0}
    assert host.limits("").interval > 1 / 50


async def test_never_more_at_once_than_allowed(site: Site, settings: Any, client: Client) -> None:
    settings.SOURCE_PACE = {}
    settings.CROSSREF_MAILTO = "asha@example.org"
    for n in range(6):
        site.answer(f"/works/10.5555/{n}", Answer(crossref_one(CROSSREF_WORK), delay=0.5))
    await asyncio.gather(*(crossref.lookup(client, f"10.5555/{n}") for n in range(6)))
    assert site.most_in_flight == 3
    assert (await HostPace.objects.aget(name="crossref")).flying == {}


async def test_what_the_host_says_about_its_limits_slows_us_down(site: Site, client: Client) -> None:
    said = {"X-Rate-Limit-Limit": "10", "X-Rate-Limit-Interval": "2s", "X-Concurrency-Limit": "1"}
    for n in range(3):
        site.answer(f"/works/10.5555/{n}", Answer(crossref_one(CROSSREF_WORK), headers=said, delay=0.05))
    await crossref.lookup(client, "10.5555/0")
    row = await HostPace.objects.aget(name="crossref")
    assert (row.told_interval, row.told_at_once) == (0.2, 1)
    began = time.monotonic()  # not when the server saw the first of them, as above
    await asyncio.gather(*(crossref.lookup(client, f"10.5555/{n}") for n in (1, 2)))
    assert time.monotonic() - began >= 0.19
    assert site.most_in_flight == 1


@pytest.mark.parametrize(
    ("limit", "interval", "seconds"),
    [
        ("50", "1s", 0.02), ("3", "1", 1 / 3), ("1", "60s", 60.0), (None, "1s", None), ("50", None, None),
        ("0", "1s", None), ("many", "1s", None), ("nan", "1s", None), ("5", "inf", None), ("-1", "1s", None),
    ],
)  # fmt: skip
def test_reading_the_limits_of_a_header(limit: str | None, interval: str | None, seconds: float | None) -> None:
    assert interval_from_headers(limit, interval) == (pytest.approx(seconds) if seconds else None)


def test_a_turn_that_is_given_back_comes_free(paced: Site) -> None:
    first, second = reserve(CROSSREF, ""), reserve(CROSSREF, "")
    assert first
    assert second
    assert second.at - first.at == pytest.approx(AT_20, abs=1e-3)
    give_back(second)
    third = reserve(CROSSREF, "")
    assert third
    assert third.at == pytest.approx(second.at, abs=1e-3)
    give_back(first)  # somebody has the moment after it already: it stays lost, and nobody comes too early
    fourth = reserve(CROSSREF, "")
    assert fourth
    assert fourth.at >= third.at + AT_20 - 1e-3


@pytest.mark.long
async def test_giving_up_costs_the_others_nothing(site: Site, settings: Any) -> None:
    """Ten that wait for a slow host are cancelled: the next one has its turn as if they had never been."""
    settings.SOURCE_PACE = {"semantic_scholar": 1}
    site.answer("/graph/v1/paper/PMID:1/citations", Answer({"error": "not found"}, 404))
    async with Client() as client:
        await semantic_scholar.citations(client, "PMID:1")
        waiting = [asyncio.ensure_future(semantic_scholar.citations(client, f"PMID:{n}")) for n in range(2, 12)]
        await asyncio.sleep(0.3)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert all(task.cancelled() for task in waiting)
        async with asyncio.timeout(5):  # ten turns of a second each are not waited for
            await semantic_scholar.citations(client, "PMID:12")
    assert len(site.asked) == 2


async def test_giving_up_in_the_middle_frees_the_place(site: Site, settings: Any, client: Client) -> None:
    settings.SOURCE_PACE = {}
    settings.CROSSREF_MAILTO = "asha@example.org"
    site.answer("/works/10.5555/slow", Answer("", delay=0.5))
    task = asyncio.ensure_future(crossref.lookup(client, "10.5555/slow"))
    while not site.asked:
        await asyncio.sleep(0.01)
    assert len((await HostPace.objects.aget(name="crossref")).flying) == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    row = await HostPace.objects.aget(name="crossref")
    assert (row.flying, row.failures) == ({}, 0)


async def test_the_place_of_a_dead_process_comes_free(site: Site, settings: Any, client: Client) -> None:
    settings.SOURCE_PACE = {}
    gone = {"dead": time.time() - 1}
    await HostPace.objects.acreate(name="crossref", flying=gone)
    site.answer("/works", crossref_list(CROSSREF_WORK))
    await crossref.search(client, "alder", 1)
    assert len(site.asked) == 1


def test_who_would_wait_over_a_minute_is_told_at_once(site: Site, settings: Any) -> None:
    settings.SOURCE_PACE = {"crossref": 1 / 50}
    assert reserve(CROSSREF, "")
    assert reserve(CROSSREF, "")
    with pytest.raises(RequestFailed) as caught:
        reserve(CROSSREF, "")
    assert isinstance(caught.value.failed, Failed)
    assert caught.value.failed.kind == FailureKind.RATE_LIMITED


@pytest.mark.long
async def test_a_long_wait_ends_when_it_is_in_vain(site: Site, settings: Any) -> None:
    """A run that is to pause does not wait for a host first; the turn it had comes free."""

    class InVain(Exception):
        pass

    async def still_wanted() -> None:
        raise InVain

    await HostPace.objects.acreate(name="semantic_scholar", held_until=datetime.now(UTC) + timedelta(seconds=30))
    async with Client(still_wanted=still_wanted) as waiting:
        with pytest.raises(InVain):
            await semantic_scholar.search(waiting, "alder", 1)
    row = await HostPace.objects.aget(name="semantic_scholar")
    assert row.next_free_at
    assert row.next_free_at < datetime.now(UTC) + timedelta(seconds=31)
    assert not site.asked
