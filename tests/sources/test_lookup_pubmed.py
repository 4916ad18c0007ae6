"""PubMed by a PMCID and by a title, and what it says about versions (SPEC C1, C11)."""

from typing import Any

from sources import pubmed
from sources.http_client import Client
from sources.work import Failed, Found, NothingFound
from tests.servers.catalogues import PUBMED_RECORD, Answer, ReceivedRequest, Site, changed, esearch, esummary
from tests.servers.registries import PMC_RECORD
from tests.sources.conftest import SHARED_ROWS

pytestmark = SHARED_ROWS


def pmc(record: dict[str, Any]) -> Any:
    """Answers for PubMed Central with `record`, and for PubMed with PUBMED_RECORD."""

    def answer(asked: ReceivedRequest) -> Answer:
        if asked.form["db"] == "pmc":
            return Answer(esummary(record))
        return Answer(esummary(PUBMED_RECORD))

    return answer


async def test_a_pmcid(site: Site, client: Client) -> None:
    site.answer("/esummary.fcgi", pmc(PMC_RECORD))
    outcome = await pubmed.lookup_pmcid(client, "https://pmc.ncbi.nlm.nih.gov/articles/PMC7654321/")
    assert isinstance(outcome, Found)
    work = outcome.works[0]
    assert (work.pmid, work.pmcid, work.doi) == ("30123456", "PMC7654321", "10.5555/alder.2019.7")
    assert [asked.form["id"] for asked in site.asked] == ["7654321", "30123456"]


async def test_a_pmcid_of_what_pubmed_does_not_have(site: Site, client: Client) -> None:
    ids = [{"idtype": "pmid", "value": "0"}, {"idtype": "pmcid", "value": "PMC7654321"}]
    site.answer("/esummary.fcgi", pmc(changed(PMC_RECORD, articleids=ids)))
    outcome = await pubmed.lookup_pmcid(client, "PMC7654321")
    assert isinstance(outcome, Found)
    work = outcome.works[0]
    assert (work.pmid, work.pmcid, work.doi, work.provider_id) == (None, "PMC7654321", None, "PMC7654321")
    assert (work.title, work.year) == ("Shade and alder growth: a field trial", 2019)
    assert work.link == "https://pmc.ncbi.nlm.nih.gov/articles/PMC7654321/"


async def test_a_pmcid_nobody_knows(site: Site, client: Client) -> None:
    site.answer("/esummary.fcgi", esummary({"uid": "7654321", "error": "cannot get document summary"}))
    assert await pubmed.lookup_pmcid(client, "PMC7654321") == NothingFound()
    assert isinstance(await pubmed.lookup_pmcid(client, "alder"), Failed)


async def test_a_record_of_another_work_is_no_answer(site: Site, client: Client) -> None:
    """A service that only knows PMIDs would give the work that has this number there."""
    site.answer("/esummary.fcgi", esummary(changed(PUBMED_RECORD, uid="7654321")))
    outcome = await pubmed.lookup_pmcid(client, "PMC7654321")
    assert isinstance(outcome, Failed)
    assert outcome.why == "PubMed sent the record of another work."


async def test_pubmed_by_title(site: Site, client: Client) -> None:
    site.answer("/esearch.fcgi", esearch("30123456"))
    site.answer("/esummary.fcgi", esummary(PUBMED_RECORD))
    outcome = await pubmed.search_title(client, "Shade and alder growth: [a] field-trial (NOT OR)", "Okafor", 2019)
    assert isinstance(outcome, Found)
    assert site.asked[0].query["term"] == "shade[ti] AND alder[ti] AND growth[ti] AND field[ti] AND trial[ti]"
    assert len(site.asked) == 2


async def test_only_words_that_pubmed_surely_finds_are_asked_for(site: Site, client: Client) -> None:
    site.answer("/esearch.fcgi", esearch())
    title = "Use of 1α,25(OH)2D3 and CD4 in alder, birch and willow shade leaves"
    assert await pubmed.search_title(client, title) == NothingFound()
    words = ["oh", "alder", "birch", "willow", "shade", "leaves"]
    assert site.asked[0].query["term"] == " AND ".join(f"{word}[ti]" for word in words)


async def test_a_short_title_is_narrowed_down(site: Site, client: Client) -> None:
    site.answer("/esearch.fcgi", esearch())
    assert await pubmed.search_title(client, "Alders", "van der Moss", 2019) == NothingFound()
    assert site.asked[0].query["term"] == "alders[ti] AND van der Moss[au] AND 2018:2020[dp]"
    assert await pubmed.search_title(client, "On the", "Okafor", 2019) == NothingFound()
    assert len(site.asked) == 1


async def test_versions_in_pubmed(site: Site, client: Client) -> None:
    """SPEC C11; a review that is renewed every few years is no preprint."""
    later = {"reftype": "Update in", "refsource": "J River Woods. 2020 Jan;1(2):3. doi: 10.5555/final.1.", "pmid": "2"}
    earlier = {"reftype": "Update of", "refsource": "bioRxiv. 2019 Jan 4:1901. doi: 10.1101/2019.01.04.1.", "pmid": "3"}
    older = {"reftype": "Update of", "refsource": "Rev Woods. 2010;(4):CD1. doi: 10.5555/old.1.", "pmid": "4"}
    records = [
        changed(PUBMED_RECORD, uid="1", pubtype=["Preprint"], references=[later]),
        changed(PUBMED_RECORD, uid="2", pubtype=["Journal Article"], references=[older, earlier]),
        changed(PUBMED_RECORD, uid="4", pubtype=["Review"], references=[older]),
    ]
    site.answer("/esummary.fcgi", esummary(*records))
    found = (await pubmed.lookup_many(client, ["1", "2", "4"])).found
    assert (found["1"].published_version_doi, found["1"].preprint_doi) == ("10.5555/final.1", None)
    assert (found["2"].published_version_doi, found["2"].preprint_doi) == (None, "10.1101/2019.01.04.1")
    assert found["4"].preprint_doi is None
