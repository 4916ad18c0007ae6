"""The hosts that are asked: where they are, how they want their key, and how often they may be asked (SPEC C1).

Every value is read from the settings when it is needed, so that nothing here holds a key.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import httpx
from django.conf import settings

from sources.address_guard import port_of

SEARCH = "search"  # the lane of searches, where a host counts them apart from single records
# Requests spaced exactly at a limit exceed it as soon as one is late, so a tenth stays unused.
MARGIN = 0.9


class Pace(NamedTuple):
    """Requests a second, searches a second, and requests under way at the same time; None: no limit of its own."""

    requests: float
    searches: float | None = None
    at_once: int | None = None


@dataclass(frozen=True)
class Host:
    """`nameless` is the pace of who gives no contact (CROSSREF_MAILTO), `keyed` of who gives a key, where it is another."""

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
        return str(getattr(settings, self.base_setting)).rstrip("/")

    @property
    def key(self) -> str:
        return str(getattr(settings, self.key_setting)) if self.key_setting else ""

    def holds(self, url: httpx.URL) -> bool:
        """Return whether `url` is at this host's configured address."""
        base = _parsed(self.base)
        same = (base.scheme, base.host, port_of(base)) == (url.scheme, url.host, port_of(url))
        return same and (url.path + "/").startswith(base.path.rstrip("/") + "/")

    def limits(self, lane: str) -> "Limits":
        """Return the limits now: those of SOURCE_PACE, else the legal ones of whoever asks (with or without key or contact)."""
        wanted = settings.SOURCE_PACE.get(self.name)
        if wanted and wanted > 0:
            return Limits(1 / wanted, None)
        pace = (self.key and self.keyed) or (not settings.CROSSREF_MAILTO and self.nameless) or self.pace
        a_second = pace.searches if lane == SEARCH and pace.searches else pace.requests
        return Limits(1 / (MARGIN * a_second), pace.at_once)

    def row(self, lane: str) -> str:
        return f"{self.name}:{lane}" if lane and self.pace.searches else self.name


@dataclass(frozen=True)
class Limits:
    """`interval` in seconds between requests; `at_once` of them under way, None for any number."""

    interval: float
    at_once: int | None


_parsed = lru_cache(maxsize=64)(httpx.URL)


def user_agent() -> str:
    """Return how Scholium names itself; the contact puts Crossref's requests into the polite pool."""
    contact = settings.CROSSREF_MAILTO
    return f"Scholium/1 (mailto:{contact})" if contact else "Scholium/1"


CROSSREF = Host(
    "crossref",
    "Crossref",
    "CROSSREF_BASE_URL",
    Pace(10, searches=3, at_once=3),
    nameless=Pace(5, searches=1, at_once=1),  # the public pool
)
# doi.org publishes no limit; it only sends us on, to agencies that have theirs.
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
    """Return the host whose configured address `url` is at; the longest address wins where one lies inside another."""
    return max((host for host in HOSTS if host.holds(url)), key=lambda host: len(host.base), default=None)


def without_keys(text: str) -> str:
    """`text` without any key that is set: what a host echoes must not reach a row, a log or a page."""
    for host in HOSTS:
        if len(host.key) > 3:
            text = text.replace(host.key, "[key]")
    return text


def bytes_without_keys(body: bytes) -> bytes:
    """Return the same of what has not been read yet."""
    return without_keys(body.decode("latin-1")).encode("latin-1")
