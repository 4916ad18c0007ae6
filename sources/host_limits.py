"""The hosts of catalogues and search engines: base address, API key and rate limits (SPEC C1).

Settings are read when needed, so that no object here stores a key.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import httpx
from django.conf import settings

from sources.address_guard import port_of
from sources.contact_address import contact_address

SEARCH = "search"  # the lane of searches, for hosts that limit them separately
# Requests spaced exactly at a limit exceed it as soon as one is late, so a tenth is left unused.
MARGIN = 0.9


class Pace(NamedTuple):
    """Requests per second, searches per second, and concurrent requests; None means no separate limit."""

    requests: float
    searches: float | None = None
    at_once: int | None = None


@dataclass(frozen=True)
class Host:
    """A host with its rate limits and how it expects its API key.

    `nameless` is the pace without a contact address (sources/contact_address.py), `keyed` the pace with an API key, if
    different.
    """

    name: str
    label: str
    base_setting: str
    pace: Pace
    nameless: Pace | None = None
    keyed: Pace | None = None
    key_setting: str = ""
    key_header: str = ""
    key_param: str = ""
    key_prefix: str = ""

    @property
    def base(self) -> str:
        """The configured base address."""
        return str(getattr(settings, self.base_setting)).rstrip("/")

    @property
    def key(self) -> str:
        """The configured API key, or ""."""
        return str(getattr(settings, self.key_setting)) if self.key_setting else ""

    def holds(self, url: httpx.URL) -> bool:
        """Return whether `url` is below this host's base address."""
        base = _parsed(self.base)
        same = (base.scheme, base.host, port_of(base)) == (url.scheme, url.host, port_of(url))
        return same and (url.path + "/").startswith(base.path.rstrip("/") + "/")

    def limits(self, lane: str) -> "Limits":
        """Return the current limits: SOURCE_PACE, else the host's limits for us (with or without key or contact)."""
        wanted = settings.SOURCE_PACE.get(self.name)
        if wanted and wanted > 0:
            return Limits(1 / wanted, None)
        pace = (self.key and self.keyed) or (not contact_address() and self.nameless) or self.pace
        a_second = pace.searches if lane == SEARCH and pace.searches else pace.requests
        return Limits(1 / (MARGIN * a_second), pace.at_once)

    def row(self, lane: str) -> str:
        """Return the name of the HostPace row for `lane`."""
        return f"{self.name}:{lane}" if lane and self.pace.searches else self.name


@dataclass(frozen=True)
class Limits:
    """`interval` in seconds between requests; `at_once` concurrent requests at most, None for any number."""

    interval: float
    at_once: int | None


_parsed = lru_cache(maxsize=64)(httpx.URL)


def user_agent() -> str:
    """Return the User-Agent header. A contact address puts requests into Crossref's polite pool."""
    contact = contact_address()
    return f"Scholium/1 (mailto:{contact})" if contact else "Scholium/1"


CROSSREF = Host(
    "crossref",
    "Crossref",
    "CROSSREF_BASE_URL",
    Pace(10, searches=3, at_once=3),
    nameless=Pace(5, searches=1, at_once=1),  # the public pool
)
# doi.org publishes no limit; it only redirects to agencies, which have their own.
DOI = Host("doi", "doi.org", "DOI_BASE_URL", Pace(5))
PUBMED = Host(
    "pubmed",
    "PubMed",
    "PUBMED_BASE_URL",
    Pace(3),
    keyed=Pace(10),
    key_setting="PUBMED_API_KEY",
    key_param="api_key",
)
SEMANTIC_SCHOLAR = Host(
    "semantic_scholar", "Semantic Scholar", "S2_BASE_URL", Pace(1), key_setting="S2_API_KEY", key_header="x-api-key"
)
OPENALEX = Host(
    "openalex", "OpenAlex", "OPENALEX_BASE_URL", Pace(10), key_setting="OPENALEX_API_KEY", key_param="api_key"
)
TAVILY = Host(
    "tavily",
    "Tavily",
    "TAVILY_BASE_URL",
    Pace(1),
    key_setting="TAVILY_API_KEY",
    key_header="Authorization",
    key_prefix="Bearer ",
)
GOOGLE = Host("google", "Google", "GOOGLE_BASE_URL", Pace(1), key_setting="GOOGLE_API_KEY", key_header="X-Goog-Api-Key")
# 1,000 requests in five minutes with a contact, 500 without
DATACITE = Host("datacite", "DataCite", "DATACITE_BASE_URL", Pace(10 / 3), nameless=Pace(5 / 3))
ARXIV = Host("arxiv", "arXiv", "ARXIV_BASE_URL", Pace(1 / 3, at_once=1))
OPENLIBRARY = Host("openlibrary", "Open Library", "OPENLIBRARY_BASE_URL", Pace(3), nameless=Pace(1))
UNPAYWALL = Host("unpaywall", "Unpaywall", "UNPAYWALL_BASE_URL", Pace(10))  # 100,000 a day
HOSTS = (
    *(CROSSREF, DOI, PUBMED, SEMANTIC_SCHOLAR, OPENALEX, TAVILY, GOOGLE),
    *(DATACITE, ARXIV, OPENLIBRARY, UNPAYWALL),
)


def host_of(url: httpx.URL) -> Host | None:
    """Return the host whose base address `url` is below; the longest wins if one is below another."""
    return max((host for host in HOSTS if host.holds(url)), key=lambda host: len(host.base), default=None)


def without_keys(text: str) -> str:
    """Return `text` with every configured API key replaced, so that an echoed key reaches no row, log or page."""
    for host in HOSTS:
        if len(host.key) > 3:
            text = text.replace(host.key, "[key]")
    return text


def bytes_without_keys(body: bytes) -> bytes:
    """Return `body` with every configured API key replaced."""
    return without_keys(body.decode("latin-1")).encode("latin-1")
