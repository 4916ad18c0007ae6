"""Looking works up by what identifies them, one or many (SPEC C1, R5)."""

import json

import pytest

from sources import crossref, openalex, pubmed, semantic_scholar
from sources.http_client import Client
from sources.work import Failed, FailureKind, Found, NothingFound
from tests.servers.catalogues import (
    CROSSREF_WORK,
    OPENALEX_WORK,
    PUBMED_RECORD,
    PUBMED_XML,
    S2_PAPER,
    Answer,
    ReceivedRequest,
    Site,
    changed,
    crossref_list,
    crossref_one,
    esummary,
)
from tests.sources.conftest import SHARED_ROWS

pytestmark = SHARED_ROWS

OLD_DOI = "10.1002/(SICI)1521-3951(199911)216:1<135::AID-PSSB135>3.0.CO;2-#"
UNKNOWN = Answer("Resource not found.", 404, "application/json")  # plain text labelled as JSON, as Crossref does


async def test_a_doi(site: Site, client: Client) -> None:
    site.answer("/works/10.5555/alder.2019.7", crossref_one(CROSSREF_WORK))
    outcome = await crossref.lookup(client, "https://doi.org/10.5555/ALDER.2019.7")
    assert isinstance(outcome, Found)
    assert outcome.works[0].doi == "10.5555/alder.2019.7"


async def test_a_doi_of_the_nineties(site: Site, client: Client) -> None:
    site.answer(f"/works/{OLD_DOI.lower()}", crossref_one(changed(CROSSREF_WORK, DOI=OLD_DOI)))
    outcome = await crossref.lookup(client, OLD_DOI)
    assert isinstance(outcome, Found)
    assert outcome.works[0].doi == OLD_DOI.lower()


async def test_a_doi_with_dots_in_it_stays_itself(site: Site, client: Client) -> None:
    site.answer("/works/10.5555/alder.2019.7", crossref_one(CROSSREF_WORK))
    assert await crossref.lookup(client, "10.1234/../10.5555/alder.2019.7") == NothingFound()
    assert site.paths() == ["/works/10.1234/../10.5555/alder.2019.7"]


async def test_a_doi_that_is_an_alias(site: Site, client: Client) -> None:
    site.answer("/works/10.5555/alias", Answer("", 301, headers={"Location": "/works/10.5555/alder.2019.7"}))
    site.answer("/works/10.5555/alder.2019.7", crossref_one(CROSSREF_WORK))
    outcome = await crossref.lookup(client, "10.5555/alias")
    assert isinstance(outcome, Found)
    assert outcome.works[0].doi == "10.5555/alder.2019.7"


async def test_a_doi_nobody_knows(site: Site, client: Client) -> None:
    site.answer("/works/10.5555/none", UNKNOWN)
    assert await crossref.lookup(client, "10.5555/none") == NothingFound()


async def test_something_that_is_no_doi_is_not_asked_for(site: Site, client: Client) -> None:
    outcome = await crossref.lookup(client, "alder 2019")
    assert isinstance(outcome, Failed)
    assert outcome.why == "“alder 2019” is not a DOI."
    assert not site.asked


async def test_many_dois_cost_one_request(site: Site, client: Client) -> None:
    works = [changed(CROSSREF_WORK, DOI=f"10.5555/w.{number}") for number in range(30)]
    site.answer("/works", crossref_list(*works))
    batch = await crossref.lookup_many(client, [f"10.5555/W.{number}" for number in range(30)])
    assert len(batch.found) == 30
    assert batch.found["10.5555/W.7"].doi == "10.5555/w.7"
    assert len(site.asked) == 1
    assert site.asked[0].query["filter"].startswith("doi:10.5555/w.0,doi:10.5555/w.1")
    assert site.asked[0].query["rows"] == "30"


async def test_bibtex(site: Site, client: Client) -> None:
    entry = " @article{Okafor_2019, title={Größe & form}, DOI={10.5555/alder.2019.7} }\n"
    moved = Answer("", 302, headers={"Location": "/works/10.5555/alder.2019.7/transform"})
    site.answer("/10.5555/alder.2019.7", moved)
    site.answer("/works/10.5555/alder.2019.7/transform", Answer(entry, kind="application/x-bibtex"))
    found = await crossref.bibtex(client, "10.5555/alder.2019.7")
    assert found == entry.strip()
    assert {asked.headers["accept"] for asked in site.asked} == {"application/x-bibtex"}


async def test_bibtex_of_an_unknown_doi_and_a_page_instead(site: Site, client: Client) -> None:
    site.answer("/10.5555/page", Answer("<html>Sign in</html>", kind="text/html"))
    assert await crossref.bibtex(client, "10.5555/none") == NothingFound()
    assert isinstance(await crossref.bibtex(client, "10.5555/page"), Failed)
    assert isinstance(await crossref.bibtex(client, "nothing"), Failed)


async def test_a_pmid(site: Site, client: Client) -> None:
    site.answer("/esummary.fcgi", esummary(PUBMED_RECORD))
    site.answer("/efetch.fcgi", Answer(PUBMED_XML, kind="text/xml"))
    outcome = await pubmed.lookup(client, "PMID: 30123456")
    assert isinstance(outcome, Found)
    assert outcome.works[0].abstract
    assert isinstance(await pubmed.lookup(client, "alder"), Failed)


async def test_a_pmid_nobody_knows(site: Site, client: Client) -> None:
    site.answer("/esummary.fcgi", esummary({"uid": "1", "error": "cannot get document summary"}))
    assert await pubmed.lookup(client, "1") == NothingFound()


async def test_many_pmids(site: Site, client: Client) -> None:
    def answer(asked: ReceivedRequest) -> Answer:
        ids = asked.form["id"].split(",")
        known = [changed(PUBMED_RECORD, uid=one) for one in ids if one != "13"]
        return Answer(esummary(*known, {"uid": "13", "error": "cannot get document summary"}))

    site.answer("/esummary.fcgi", answer)
    batch = await pubmed.lookup_many(client, [*map(str, range(1, 251)), "x"])
    assert len(batch.found) == 249
    assert batch.missing == {"13"}
    assert set(batch.failed) == {"x"}
    assert sorted(len(asked.form["id"].split(",")) for asked in site.asked) == [50, 200]


async def test_too_many_pmids_at_once_is_a_failure_of_each(site: Site, client: Client) -> None:
    site.answer("/esummary.fcgi", {"header": {}, "error": "Too many UIDs in request."})
    batch = await pubmed.lookup_many(client, ["1", "2"])
    assert {failed.kind for failed in batch.failed.values()} == {FailureKind.REFUSED}
    assert len(batch.failed) == 2


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("10.5555/alder.2019.7", "DOI:10.5555/alder.2019.7"),
        ("arXiv:1901.01234v2", "ARXIV:1901.01234"),
        ("ARXIV:1901.01234", "ARXIV:1901.01234"),
        ("PMID:30123456", "PMID:30123456"),
        ("30123456", "PMID:30123456"),
        ("CorpusId:77", "CorpusId:77"),
        ("0123456789ABCDEF0123456789abcdef01234567", "0123456789abcdef0123456789abcdef01234567"),
    ],
)
async def test_a_paper_by_any_of_its_ids(given: str, path: str, site: Site, client: Client) -> None:
    site.answer(f"/graph/v1/paper/{path}/citations", {"data": [{"citingPaper": S2_PAPER}]})
    assert isinstance(await semantic_scholar.citations(client, given), Found)


async def test_a_paper_nobody_knows(site: Site, client: Client) -> None:
    site.answer("/graph/v1/paper/PMID:1/citations", Answer({"error": "Paper with id PMID:1 not found"}, 404))
    assert await semantic_scholar.citations(client, "PMID:1") == NothingFound()
    assert isinstance(await semantic_scholar.citations(client, "a paper"), Failed)


async def test_papers_that_cite_and_were_not_recognised_are_none(site: Site, client: Client) -> None:
    site.answer("/graph/v1/paper/PMID:1/citations", {"data": [{"citingPaper": None}]})
    assert await semantic_scholar.citations(client, "PMID:1") == NothingFound()


@pytest.mark.parametrize(("asked", "sent"), [(0, "1"), (10, "10"), (50, "50"), (400, "50")])
async def test_who_cites_a_paper(asked: int, sent: str, site: Site, client: Client) -> None:
    path = "/graph/v1/paper/DOI:10.5555/a/citations"
    cut = {"citingPaper": {"paperId": None, "title": None}}
    site.answer(path, {"offset": 0, "data": [{"citingPaper": S2_PAPER}, cut, {"citingPaper": None}]})
    outcome = await semantic_scholar.citations(client, "10.5555/a", asked)
    assert isinstance(outcome, Found)
    assert len(outcome.works) == 1
    assert site.asked[0].query["limit"] == sent


async def test_related_papers(site: Site, client: Client) -> None:
    site.answer("/recommendations/v1/papers/", {"recommendedPapers": [S2_PAPER]})
    outcome = await semantic_scholar.recommendations(client, "1901.01234", 40)
    assert isinstance(outcome, Found)
    assert site.asked[0].query["limit"] == "20"
    assert json.loads(site.asked[0].body) == {"positivePaperIds": ["ARXIV:1901.01234"]}


async def test_openalex_by_doi_or_id_needs_no_key(site: Site, client: Client) -> None:
    site.answer("/works/doi:10.5555/alder.2019.7", OPENALEX_WORK)
    site.answer("/works/W2741809807", OPENALEX_WORK)
    site.answer("/works/W1", Answer("<!doctype html><title>404</title>", 404, "text/html; charset=utf-8"))
    assert isinstance(await openalex.lookup(client, "10.5555/alder.2019.7"), Found)
    assert isinstance(await openalex.lookup(client, "https://openalex.org/W2741809807"), Found)
    assert await openalex.lookup(client, "W1") == NothingFound()
    assert isinstance(await openalex.lookup(client, "alder"), Failed)


async def test_a_preprint_with_a_published_version(site: Site, client: Client) -> None:
    """SPEC C11."""
    places = [
        {"landing_page_url": "https://doi.org/10.48550/arxiv.1901.01234", "version": "submittedVersion"},
        {"landing_page_url": "https://doi.org/10.5555/final", "version": "publishedVersion", "is_published": True},
    ]
    preprint = changed(OPENALEX_WORK, type="preprint", doi="https://doi.org/10.48550/arXiv.1901.01234") | {
        "locations": places
    }
    site.answer("/works/W2", preprint)
    outcome = await openalex.lookup(client, "W2")
    assert isinstance(outcome, Found)
    work = outcome.works[0]
    assert (work.published_version_doi, work.arxiv, work.type) == ("10.5555/final", "1901.01234", "article")
