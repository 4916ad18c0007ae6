"""The stored contact address is sent like the setting, from the next client on, in whatever process opens it (C1)."""

import re
from typing import Any

import pytest

from core.errors import Refused
from sources import crossref, pubmed, unpaywall
from sources.contact_address import address_in_use, contact_address, save_address, stored_address
from sources.host_limits import CROSSREF, MARGIN
from sources.http_client import Client
from sources.models import ContactAddress
from sources.work import Found, Skipped
from tests.servers.catalogues import CROSSREF_WORK, Site, crossref_list, esearch
from tests.sources.conftest import SHARED_ROWS

pytestmark = [pytest.mark.postgres, SHARED_ROWS]


@pytest.fixture
def stored(site: Site) -> str:
    ContactAddress.objects.create(pk=1, address="ada@example.org")
    return "ada@example.org"


async def test_every_catalogue_gets_the_stored_address(site: Site, stored: str) -> None:
    site.answer("/works", crossref_list(CROSSREF_WORK))
    site.answer("/esearch.fcgi", esearch(count=0))
    site.answer("/v2/10.5555/alder.2019.7", {"doi": "10.5555/alder.2019.7", "title": "Alder"})
    async with Client() as client:
        await crossref.search(client, "alder", 5)
        await pubmed.search(client, "alder", 5)
        assert isinstance(await unpaywall.lookup(client, "10.5555/alder.2019.7"), Found)
    assert {ask.headers["user-agent"] for ask in site.asked} == {f"Scholium/1 (mailto:{stored})"}
    assert [ask.query.get("email") for ask in site.asked] == [None, stored, stored]


async def test_a_client_opened_after_a_change_uses_it(site: Site, stored: str, settings: Any) -> None:
    settings.SOURCE_PACE = {}
    async with Client():
        assert CROSSREF.limits("").interval == pytest.approx(1 / (10 * MARGIN))
    await ContactAddress.objects.aupdate(address="")  # as another process does
    async with Client() as client:
        assert contact_address() == ""
        assert CROSSREF.limits("").interval == pytest.approx(1 / (5 * MARGIN))
        assert isinstance(await unpaywall.lookup(client, "10.5555/alder.2019.7"), Skipped)


async def test_the_setting_comes_first(site: Site, stored: str, settings: Any) -> None:
    settings.CROSSREF_MAILTO = "asha@example.org"
    async with Client():
        assert contact_address() == "asha@example.org"


def test_an_address_is_saved_changed_and_removed(site: Site) -> None:
    assert (stored_address(), address_in_use()) == (None, "")
    for address in ("ada@example.org", "  asha@example.org ", ""):
        save_address(address)
        assert stored_address() == address_in_use() == address.strip()
    assert ContactAddress.objects.count() == 1


@pytest.mark.parametrize(
    "bad",
    [
        "ada",
        "ada@",
        "ada@example",
        "a b@example.org",
        "ada@example.org\r\nX-Key: 1",
        "ada@exämple.org",
        "\0@example.org",
    ]
    + ["a" * 250 + "@example.org", "ada@example.org, bo@example.org"],
)
def test_a_bad_address_is_refused(site: Site, bad: str) -> None:
    with pytest.raises(Refused, match=re.escape("name@example.org")) as refused:
        save_address(bad)
    assert refused.value.field == "address"
    assert stored_address() is None
