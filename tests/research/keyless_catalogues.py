"""Stand-ins for the catalogues that need no key, with works on red alder, for runs of the offline engine."""

from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import Settings

from tests.research_model.catalogue_works import PUBMED, S2, paper
from tests.servers.catalogues import CROSSREF_WORK, PUBMED_RECORD, Site, changed, crossref_list, esearch, esummary
from tests.sources.conftest import site

__all__ = ["site"]

CROSSREF = "/crossref/works"
KEYLESS: dict[str, Any] = {"profile": "general", "overrides": {"providers": "semantic_scholar,pubmed,crossref"}}
DOI = "10.5555/nitrogen.1"

ROSE = "Soil nitrogen under planted red alder rose by 41 kg per hectare a year over 12 years."
TALLER = "Growth of Douglas-fir beside red alder was 23% faster than growth of Douglas-fir alone."
FELL = "Soil nitrogen under red alder fell by 4% on the driest of nine sites."
BREAD = "Crumb hardness of sourdough fell from 12 N to 9 N within 45 minutes."

_RECORD = changed(
    PUBMED_RECORD, uid="30000007", title="Red alder and soil nitrogen.", pubtype=["Journal Article"], references=[],
    articleids=[{"idtype": "doi", "value": DOI}, {"idtype": "pubmed", "value": "30000007"}],
)  # fmt: skip
ABSTRACT = (
    "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>30000007</PMID><Article><Abstract><AbstractText>"
    f"{ROSE}</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
)
_DRY = changed(
    CROSSREF_WORK, DOI="10.5555/dry.3", title=["Soil nitrogen on dry sites"], subtitle=[], updated_by=[],
    abstract=f"<jats:p>{FELL}</jats:p>", relation={}, update_to=[],
)  # fmt: skip
PAPERS = [
    paper(1, "Red alder and soil nitrogen", ROSE, externalIds={"DOI": DOI}),
    paper(2, "Douglas-fir beside red alder", TALLER, externalIds={"DOI": "10.5555/growth.2"}),
    paper(4, "Sourdough", BREAD, externalIds={"DOI": "10.5555/bread.4"}),
]


@pytest.fixture
def shelves(site: Site, settings: Settings) -> Site:
    """The catalogues, without any key: each answers every query with all that it has."""
    settings.CROSSREF_BASE_URL = f"{site.base}/crossref"  # OpenAlex has the same paths
    site.answer(S2, {"total": len(PAPERS), "data": PAPERS})
    site.answer(PUBMED[0], esearch("30000007"))
    site.answer(PUBMED[1], esummary(_RECORD))
    site.answer(PUBMED[2], ABSTRACT, kind="text/xml")
    site.answer(CROSSREF, crossref_list(_DRY))
    return site


def sent_words(site: Site) -> Iterator[str]:
    """Everything that was sent as a query: of a search, never the ids that PubMed gave itself."""
    for asked in site.asked:
        yield from (asked.query[name] for name in ("query", "term", "query.bibliographic") if name in asked.query)
