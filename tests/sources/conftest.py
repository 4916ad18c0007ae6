from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from sources.host_limits import HOSTS
from sources.http_client import Client
from tests.servers.catalogues import Site

KEYS = {
    "PUBMED_API_KEY": "pubmed-key-4711",
    "S2_API_KEY": "s2-key-4711",
    "OPENALEX_API_KEY": "openalex-key-4711",
    "TAVILY_API_KEY": "tvly-key-4711",
    "GOOGLE_API_KEY": "google-key-4711",
}
# The code under test works in threads and processes that no transaction of a test spans; only this room's tables are
# emptied afterwards, which takes a fraction of the time.
SHARED_ROWS = pytest.mark.django_db(transaction=True, available_apps=["sources"])
_NAMES = (
    "CROSSREF",
    "DOI",
    "PUBMED",
    "S2",
    "OPENALEX",
    "TAVILY",
    "GOOGLE",
    "DATACITE",
    "ARXIV",
    "OPENLIBRARY",
    "UNPAYWALL",
)
BASES = [f"{name}_BASE_URL" for name in _NAMES]
PROVIDERS = [host.name for host in HOSTS]


@pytest.fixture
def site(settings: Any) -> Iterator[Site]:
    """A server in the place of every catalogue, without keys, at a pace no test has to wait for."""
    with Site() as one:
        for name in BASES:
            setattr(settings, name, one.base)
        for name in KEYS:
            setattr(settings, name, "")
        settings.GOOGLE_CX = settings.CROSSREF_MAILTO = ""
        settings.SOURCE_PACE = dict.fromkeys(PROVIDERS, 1000.0)
        settings.FETCH_ALLOW_PRIVATE = []
        yield one


@pytest.fixture
def keys(settings: Any, site: Site) -> dict[str, str]:
    """Every key set."""
    for name, value in KEYS.items():
        setattr(settings, name, value)
    settings.GOOGLE_CX = "engine"
    return KEYS


@pytest_asyncio.fixture
async def client(site: Site) -> AsyncIterator[Client]:
    async with Client(backoff=0.01, timeout=30.0, pause=0.0) as one:
        yield one
