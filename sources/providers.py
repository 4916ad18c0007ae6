"""The registry of searchable catalogues and search engines, by the name used in profiles (SPEC R1)."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from django.conf import settings

from sources import crossref, google, openalex, pubmed, pubmed_records, semantic_scholar, tavily
from sources.host_limits import CROSSREF, GOOGLE, OPENALEX, PUBMED, SEMANTIC_SCHOLAR, TAVILY, Host
from sources.http_client import Client
from sources.work import Outcome


@dataclass(frozen=True)
class Provider:
    """A catalogue or search engine. Without the settings in `needs`, its search is skipped."""

    host: Host
    search: Callable[[Client, str, int], Awaitable[Outcome]]
    needs: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The name shown to users."""
        return self.host.label

    def missing(self) -> list[str]:
        """Return the required settings that are empty."""
        return [name for name in self.needs if not getattr(settings, name)]


PROVIDERS: Mapping[str, Provider] = {
    crossref.NAME: Provider(CROSSREF, crossref.search),
    pubmed_records.NAME: Provider(PUBMED, pubmed.search),
    semantic_scholar.NAME: Provider(SEMANTIC_SCHOLAR, semantic_scholar.search),
    openalex.NAME: Provider(OPENALEX, openalex.search, ("OPENALEX_API_KEY",)),
    tavily.NAME: Provider(TAVILY, tavily.search, ("TAVILY_API_KEY",)),
    google.NAME: Provider(GOOGLE, google.search, ("GOOGLE_API_KEY", "GOOGLE_CX")),
}
