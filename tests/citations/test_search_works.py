"""Asking PubMed and Crossref for works to cite, through the API (SPEC C5, C8)."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from citations.cite_dialog import cite_dialog
from citations.models import Citation
from projects.models import Project, User
from tests.people import signed_in
from tests.servers.catalogues import (
    CROSSREF_WORK,
    PUBMED_RECORD,
    Answer,
    Site,
    changed,
    crossref_list,
    crossref_one,
    esearch,
    esummary,
)

ADDRESS = "/api/citations/search"


@pytest.fixture
def site(settings: Any) -> Iterator[Site]:
    with Site() as one:
        settings.CROSSREF_BASE_URL = settings.PUBMED_BASE_URL = settings.DOI_BASE_URL = one.base
        settings.CROSSREF_MAILTO = ""
        settings.SOURCE_PACE = {"crossref": 1000.0, "pubmed": 1000.0, "doi": 1000.0}
        yield one


def search_response(client: Client, **query: Any) -> Any:
    return client.get(ADDRESS, query)


def wrong(response: Any) -> tuple[int, str, str | None]:
    error = response.json()["error"]
    return response.status_code, error["message"], error["field"]


def shelve(site: Site, **fields: Any) -> None:
    site.answer("/esearch.fcgi", esearch("30123456", count=7))
    site.answer("/esummary.fcgi", esummary(changed(PUBMED_RECORD, **fields)))


def test_pubmed_is_asked_when_nobody_is_named(owner: User, site: Site) -> None:
    shelve(site)
    found = search_response(signed_in(owner), q="alder shade").json()
    assert (found["source"], found["total"], len(found["works"])) == ("pubmed", 7, 1)
    work = found["works"][0]
    assert work["title"] == "Shade and alder growth: a field trial"
    assert (work["authors"], work["year"], work["pmid"]) == ("Okafor, van der Moss and others", 2019, "30123456")
    assert work["retracted"] is True
    assert [(one["type"], one["source"], one["year"]) for one in work["notices"]] == [("retraction", "pubmed", 2021)]
    assert work["citation"] is None
    assert [(one.path, one.query.get("term"), one.query.get("retmax")) for one in site.asked[:1]] == [
        ("/esearch.fcgi", "alder shade", "10")
    ]


def test_crossref_tells_of_preprints_and_their_published_version(owner: User, site: Site) -> None:
    preprint = changed(CROSSREF_WORK, type="posted-content", updated_by=[])
    site.answer("/works", crossref_list(preprint))
    work = search_response(signed_in(owner), q="alder", source="crossref", limit=3).json()["works"][0]
    assert (work["preprint"], work["published_doi"], work["retracted"]) == (True, "10.5555/final.1", False)
    assert site.asked[0].query["rows"] == "3"


@pytest.mark.parametrize(
    ("source", "query", "path"),
    [
        ("crossref", "10.5555/Alder.2019.7", "/works/10.5555/alder.2019.7"),
        ("crossref", "https://doi.org/10.5555/alder.2019.7", "/works/10.5555/alder.2019.7"),
        ("pubmed", "PMID: 30123456", "/esummary.fcgi"),
    ],
)
def test_an_identifier_is_looked_up(owner: User, site: Site, source: str, query: str, path: str) -> None:
    site.answer("/works/10.5555/alder.2019.7", crossref_one(CROSSREF_WORK))
    shelve(site)
    found = search_response(signed_in(owner), q=query, source=source).json()
    assert found["works"][0]["doi"] == "10.5555/alder.2019.7"
    assert site.paths() == [path]


def test_a_doi_of_another_agency_is_found_too(owner: User, site: Site) -> None:
    item = {"DOI": "10.5061/dryad.1", "title": "Alder data", "author": [{"family": "Lund"}], "type": "dataset"}
    site.answer("/10.5061/dryad.1", Answer(item, kind="application/vnd.citationstyles.csl+json"))
    found = search_response(signed_in(owner), q="10.5061/dryad.1", source="crossref").json()
    assert [work["title"] for work in found["works"]] == ["Alder data"]


def test_a_catalogue_that_knows_nothing_answers_an_empty_list(owner: User, site: Site) -> None:
    site.answer("/esearch.fcgi", esearch())
    response = search_response(signed_in(owner), q="nothing of the sort")
    assert (response.status_code, response.json()["works"]) == (200, [])


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("answer", "status", "says"),
    [
        (Answer("<html>Oops</html>", 500, "text/html"), 502, "PubMed "),
        (Answer(b"<html>", 200, "text/html"), 502, "PubMed sent a web page"),
        (Answer("", 429), 503, "PubMed"),
        (Answer(drop=True), 502, "PubMed could not be reached"),
    ],
)
def test_a_catalogue_that_fails_is_an_error_with_its_reason(
    owner: User, site: Site, answer: Answer, status: int, says: str
) -> None:
    site.answer("/esearch.fcgi", answer)
    got, message, _ = wrong(search_response(signed_in(owner), q="alder"))
    assert got == status
    assert message.startswith(says)
    assert message.endswith("You can still search your references; try again in a moment.")


def test_nobody_waits_longer_than_the_limit(owner: User, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cite_dialog.CATALOGUE_TIMEOUT == 8.0
    monkeypatch.setattr(cite_dialog, "CATALOGUE_TIMEOUT", 0.3)
    site.answer("/esearch.fcgi", Answer(esearch(), delay=2))
    got, message, _ = wrong(search_response(signed_in(owner), q="alder"))
    assert (got, message[:35]) == (504, "PubMed did not answer within 0.3 se")


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"q": "a"}, "q"),
        ({"q": "   a   "}, "q"),
        ({"q": "a" * 501}, "q"),
        ({}, "q"),
        ({"q": "alder", "limit": 0}, "limit"),
        ({"q": "alder", "limit": 21}, "limit"),
        ({"q": "alder", "limit": "many"}, "limit"),
        ({"q": "alder", "source": "scholar"}, "source"),
        ({"q": "alder", "source": ""}, "source"),
        ({"q": "al\0der"}, "q"),
        ({"q": "alder", "project": "none"}, "project"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_its_field(
    owner: User, site: Site, query: dict[str, Any], field: str
) -> None:
    status, _, named = wrong(search_response(signed_in(owner), **query))
    assert (status, named) == (422, field)
    assert site.asked == []


def test_the_limits_themselves_are_allowed(owner: User, site: Site) -> None:
    shelve(site)
    client = signed_in(owner)
    for query in ({"q": "al"}, {"q": "a" * 500}, {"q": "alder", "limit": 1}, {"q": "alder", "limit": 20}):
        assert search_response(client, **query).status_code == 200


def test_what_the_thesis_has_is_marked(owner: User, project: Project, site: Site) -> None:
    row = Citation.objects.create(
        project=project,
        cite_key="okafor2019",
        title="Shade and alder growth: a field trial",
        authors="Okafor",
        year=2019,
        pmid="30123456",
    )
    section = project.sections.get(slug="results")
    section.write("Alders grew less \\cite{okafor2019}, as said \\citep[p.~3]{okafor2019}.", based_on=0, by=owner)
    shelve(site)
    client = signed_in(owner)
    marked = search_response(client, q="alder", project=project.pk).json()["works"][0]["citation"]
    assert (marked["id"], marked["cite_key"], marked["times"]) == (str(row.pk), "okafor2019", 2)
    assert search_response(client, q="alder").json()["works"][0]["citation"] is None


def test_the_same_work_is_known_by_title_year_and_first_author(owner: User, project: Project, site: Site) -> None:
    Citation.objects.create(
        project=project, cite_key="okafor", title="Shade and Alder Growth: a field trial.", authors="Okafor", year=2019
    )
    shelve(site)
    found = search_response(signed_in(owner), q="alder", project=project.pk).json()["works"]
    assert found[0]["citation"]["cite_key"] == "okafor"


def test_another_work_under_the_same_doi_is_not_it(owner: User, project: Project, site: Site) -> None:
    Citation.objects.create(
        project=project, cite_key="moss", title="Beetles of the fen", year=1998, doi="10.5555/alder.2019.7"
    )
    shelve(site)
    found = search_response(signed_in(owner), q="alder", project=project.pk).json()["works"]
    assert found[0]["citation"] is None


def test_a_stranger_learns_nothing_of_a_thesis(outsider: User, project: Project, site: Site) -> None:
    assert search_response(signed_in(outsider), q="alder", project=project.pk).status_code == 404
    assert site.asked == []


def test_searching_needs_a_login_and_no_thesis(db: None, outsider: User, site: Site) -> None:
    shelve(site)
    assert search_response(Client(), q="alder").status_code == 401
    assert search_response(signed_in(outsider), q="alder").status_code == 200


def test_only_get(owner: User, site: Site) -> None:
    assert signed_in(owner).post(ADDRESS, {"q": "alder"}).status_code == 405
