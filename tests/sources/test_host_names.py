"""A host name that does not resolve is asked for once in a task, while other hosts go on (SPEC R18)."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from sources import crossref, semantic_scholar
from sources.address_guard import Unresolved
from sources.fetch_page import Page, fetch
from sources.host_names import HostNames
from sources.http_client import Client
from sources.models import HostPace
from sources.work import Failed, FailureKind, Found
from tests.servers.catalogues import CROSSREF_WORK, Answer, Site, crossref_list
from tests.sources.conftest import SHARED_ROWS

pytestmark = SHARED_ROWS
GONE = "http://gone.example"


class Resolver:
    """Gives 127.0.0.1 for every name but those of `gone`: with `passing` for now, with `silent` it never answers."""

    def __init__(self, *gone: str, passing: bool = False, silent: bool = False) -> None:
        self.gone, self.passing, self.silent = set(gone), passing, silent
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        await asyncio.sleep(3600 if self.silent and host in self.gone else 0.01)
        if host in self.gone:
            raise Unresolved(host, is_passing=self.passing)
        return ["127.0.0.1"]


@pytest.fixture
def alders(site: Site, settings: Any) -> str:
    """A site with a name that resolves."""
    settings.FETCH_ALLOW_PRIVATE = [f"alders.example:{site.port}"]
    site.answer("/page", Answer("<title>Alders</title><p>They fix nitrogen.", kind="text/html"))
    return f"http://alders.example:{site.port}/page"


async def test_page_after_page_of_a_name_that_does_not_exist_asks_once(alders: str) -> None:
    resolver = Resolver("gone.example")
    names = HostNames(resolver)
    for number in range(5):
        assert await fetch(f"{GONE}/{number}", resolve=names) == Failed(
            "This site does not exist.", None, FailureKind.UNREACHABLE
        )
    assert resolver.asked == ["gone.example"]
    assert isinstance(await fetch(alders, resolve=names), Page)
    assert resolver.asked[1:] == ["alders.example"] * 2, "addresses are looked up for each request"


async def test_pages_at_the_same_time_share_a_look_up(alders: str) -> None:
    resolver = Resolver("gone.example")
    names = HostNames(resolver)
    outcomes = await asyncio.gather(
        *(fetch(f"{GONE}/{n}", resolve=names) for n in range(6)), fetch(alders, resolve=names)
    )
    assert [type(one) for one in outcomes] == [Failed] * 6 + [Page]
    assert resolver.asked.count("gone.example") == 1


async def test_another_task_asks_again() -> None:
    resolver = Resolver("gone.example")
    for _ in range(2):
        await fetch(GONE, resolve=HostNames(resolver))
    assert resolver.asked == ["gone.example"] * 2


async def test_a_resolver_that_does_not_answer_has_a_time_limit_of_its_own(alders: str) -> None:
    resolver = Resolver("gone.example", silent=True)
    names = HostNames(resolver, seconds=0.05)
    for _ in range(3):
        assert await fetch(GONE, resolve=names) == Failed(
            "The name of this site could not be looked up.", None, FailureKind.UNREACHABLE
        )
    assert resolver.asked == ["gone.example"]
    assert isinstance(await fetch(alders, resolve=names), Page)


async def test_a_name_that_could_not_be_looked_up_is_tried_again_later(alders: str) -> None:
    resolver = Resolver("alders.example", passing=True)
    names = HostNames(resolver, rest=0)
    assert isinstance(await fetch(alders, resolve=names), Failed)
    resolver.gone.clear()
    assert isinstance(await fetch(alders, resolve=names), Page)


async def test_a_request_that_is_cancelled_leaves_the_look_up_to_the_others() -> None:
    resolver = Resolver("gone.example")
    names = HostNames(resolver)
    first, second = (asyncio.create_task(fetch(GONE, resolve=names)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    assert isinstance(await second, Failed)
    assert resolver.asked == ["gone.example"]


async def test_a_catalogue_whose_name_does_not_resolve(site: Site, settings: Any) -> None:
    """Asked for once, without retries or a turn; the other catalogues answer."""
    settings.S2_BASE_URL = GONE
    site.answer("/works", Answer(crossref_list(CROSSREF_WORK)))
    resolver = Resolver("gone.example")
    async with Client(resolve=resolver) as client:
        for _ in range(3):
            assert await semantic_scholar.search(client, "alder", 1) == Failed(
                "Semantic Scholar could not be reached, since no address was found for the name gone.example.",
                None,
                FailureKind.UNREACHABLE,
            )
        assert isinstance(await crossref.search(client, "alder", 1), Found)
    assert resolver.asked == ["gone.example"]
    assert not await HostPace.objects.filter(name="semantic_scholar", failures__gt=0).aexists()
    async with Client(resolve=resolver) as client:
        await semantic_scholar.search(client, "alder", 1)
    assert resolver.asked == ["gone.example"] * 2, "the next task asks again"
