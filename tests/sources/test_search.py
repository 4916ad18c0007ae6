"""Searching each catalogue: what it found, that it found nothing, that it failed (SPEC C1, R5, R11)."""

import json
from typing import Any

import pytest

from sources import crossref, google, openalex, pubmed, semantic_scholar, tavily
from sources.http_client import Client
from sources.providers import PROVIDERS
from sources.work import Failed, FailureKind, Found, NothingFound, Person, Skipped, Work
from tests.servers.catalogues import (
    CROSSREF_WORK,
    GOOGLE_RESULT,
    OPENALEX_WORK,
    PUBMED_RECORD,
    PUBMED_XML,
    S2_PAPER,
    TAVILY_RESULT,
    Answer,
    Site,
    changed,
    crossref_list,
    esearch,
    esummary,
)
from tests.sources.conftest import SHARED_ROWS

pytestmark = SHARED_ROWS

PATHS = {
    "crossref": "/works",
    "pubmed": "/esearch.fcgi",
    "semantic_scholar": "/graph/v1/paper/search",
    "openalex": "/works",
    "tavily": "/search",
    "google": "/customsearch/v1",
}
NOTHING: dict[str, Any] = {
    "crossref": crossref_list(),
    "pubmed": esearch(),
    "semantic_scholar": {"total": 0, "offset": 0},
    "openalex": {"meta": {"count": 0}, "results": []},
    "tavily": {"results": []},
    "google": {"kind": "customsearch#search", "searchInformation": {"totalResults": "0"}},
}


def only(outcome: object) -> Work:
    assert isinstance(outcome, Found), outcome
    assert len(outcome.works) == 1
    return outcome.works[0]


async def test_crossref(site: Site, client: Client) -> None:
    site.answer("/works", crossref_list(CROSSREF_WORK, total=210))
    outcome = await crossref.search(client, "alder shade", 5)
    assert isinstance(outcome, Found)
    assert outcome.total == 210
    work = only(outcome)
    assert work.title == "Shade and Alnus growth & form: A field trial"
    assert work.authors == (
        Person(family="Okafor", given="Ada", suffix="Jr"),
        Person(literal="River Woods Group"),
    )
    assert (work.doi, work.year, work.volume, work.issue, work.pages) == (
        "10.5555/alder.2019.7", 2019, "12", "3", "101-118",
    )  # fmt: skip
    assert (work.venue, work.publisher, work.isbn, work.type) == (
        "Journal of River Woods", "River Press", "9780306406157", "article-journal",
    )  # fmt: skip
    assert work.abstract == "Alders grew less."
    assert (work.citation_count, work.score) == (41, 44.5)
    assert work.is_retracted
    assert [update.type for update in work.updates] == ["expression_of_concern", "retraction"]
    assert work.updates[1].source == "retraction-watch"
    assert work.notice_of[0].doi == "10.5555/old.1"
    assert (work.preprint_doi, work.published_version_doi) == ("10.5555/pre.1", "10.5555/final.1")
    asked = site.asked[0]
    assert asked.query == {"query.bibliographic": "alder shade", "rows": "5"}


async def test_crossref_is_told_who_asks(site: Site, client: Client, settings: Any) -> None:
    settings.CROSSREF_MAILTO = "asha@example.org"
    site.answer("/works", crossref_list(CROSSREF_WORK))
    await crossref.search(client, "alder", 5)
    assert site.asked[0].headers["user-agent"] == "Scholium/1 (mailto:asha@example.org)"


async def test_pubmed_brings_abstracts_along(site: Site, client: Client, settings: Any) -> None:
    settings.CROSSREF_MAILTO = "asha@example.org"
    site.answer("/esearch.fcgi", esearch("30123456", count=77))
    site.answer("/esummary.fcgi", esummary(PUBMED_RECORD))
    site.answer("/efetch.fcgi", Answer(PUBMED_XML, kind="text/xml; charset=UTF-8"))
    outcome = await pubmed.search(client, "alder", 5)
    work = only(outcome)
    assert isinstance(outcome, Found)
    assert (outcome.total, outcome.remarks) == (77, ())
    assert work.title == "Shade and alder growth: a field trial"
    assert [person.family or person.literal for person in work.authors] == [
        "Okafor", "van der Moss", "River Woods Group",
    ]  # fmt: skip
    assert work.authors[0] == Person(family="Okafor", given="A.", suffix="Jr")
    assert work.authors[1].given == "P. Q."
    assert (work.pages, work.year, work.venue) == ("101-118", 2019, "Journal of river woods")
    assert (work.doi, work.pmid, work.pmcid) == ("10.5555/alder.2019.7", "30123456", "PMC7654321")
    assert work.is_retracted
    assert (work.updates[0].type, work.updates[0].pmid, work.updates[0].year) == ("retraction", "33999999", 2021)
    assert work.abstract == "BACKGROUND: Alders like light.\n\nRESULTS: They grew less in shade (p < 0.01)."
    summary = site.asked[1]
    assert summary.method == "POST"
    assert summary.form["id"] == "30123456"
    assert (summary.form["tool"], summary.form["email"]) == ("scholium", "asha@example.org")


async def test_pubmed_says_when_only_its_abstracts_are_missing(site: Site, client: Client) -> None:
    site.answer("/esearch.fcgi", esearch("30123456"))
    site.answer("/esummary.fcgi", esummary(PUBMED_RECORD))
    site.answer("/efetch.fcgi", Answer("<ERROR>no</ERROR>", kind="text/xml"))
    outcome = await pubmed.search(client, "alder", 5)
    assert isinstance(outcome, Found)
    assert only(outcome).abstract is None
    assert outcome.remarks == ("PubMed's abstracts are missing: PubMed could not send the abstracts.",)


async def test_semantic_scholar(site: Site, client: Client) -> None:
    site.answer("/graph/v1/paper/search", {"total": 3, "offset": 0, "next": 1, "data": [S2_PAPER]})
    work = only(await semantic_scholar.search(client, "alder", 1))
    assert work.authors == (Person(family="Okafor", given="Ada"), Person(family="van der Moss", given="Pia"))
    assert (work.doi, work.arxiv, work.pmid, work.pmcid) == (
        "10.5555/alder.2019.7", "1901.01234", "30123456", "PMC7654321",
    )  # fmt: skip
    assert (work.citation_count, work.influential_citation_count) == (41, 4)
    assert (work.pages, work.volume, work.type) == ("101-118", "12", "paper-conference")
    assert work.open_access_url == "https://river.example/alder.pdf"


async def test_openalex(site: Site, client: Client, keys: dict[str, str]) -> None:
    site.answer("/works", {"meta": {"count": 9}, "results": [OPENALEX_WORK]})
    work = only(await openalex.search(client, "alder", 1))
    assert work.provider_id == "W2741809807"
    assert work.authors == (Person(family="Okafor", given="Ada"), Person(family="Moss", given="Pia"))
    assert work.abstract == "Alders grew less."
    assert (work.pages, work.publisher, work.pmcid) == ("101-118", "River Press", "PMC7654321")
    assert work.open_access_url == "https://river.example/alder.pdf"
    assert work.is_retracted


async def test_tavily(site: Site, client: Client, keys: dict[str, str]) -> None:
    site.answer("/search", {"answer": "ignored", "results": [TAVILY_RESULT]})
    work = only(await tavily.search(client, "alder", 3, whole_pages=True))
    assert (work.url, work.title, work.score) == ("https://river.example/alders", "Alders in shade", 0.91)
    assert work.abstract == "Alders grow less.\nIn shade."
    assert work.text == "The whole page\nabout alders."
    assert work.type == "webpage"
    assert site.asked[0].headers["authorization"] == f"Bearer {keys['TAVILY_API_KEY']}"


async def test_tavily_takes_400_characters_and_says_so(site: Site, client: Client, keys: dict[str, str]) -> None:
    site.answer("/search", {"results": [TAVILY_RESULT]})
    outcome = await tavily.search(client, "alder " * 90, 3)
    assert isinstance(outcome, Found)
    assert "400 characters" in outcome.remarks[0]
    assert len(json.loads(site.asked[0].body)["query"]) <= 400


async def test_google_turns_pages(site: Site, client: Client, keys: dict[str, str]) -> None:
    results = [changed(GOOGLE_RESULT, link=f"https://river.example/{number}") for number in range(13)]

    def answer(asked: Any) -> Answer:
        start = int(asked.query["start"]) - 1
        part = results[start : start + int(asked.query["num"])]
        return Answer({"kind": "x", "searchInformation": {"totalResults": "13"}, "items": part})

    site.answer("/customsearch/v1", answer)
    outcome = await google.search(client, "alder", 20)
    assert isinstance(outcome, Found)
    assert [work.url for work in outcome.works] == [result["link"] for result in results]
    assert outcome.works[0].venue == "River Woods"
    assert site.asked[0].headers["x-goog-api-key"] == keys["GOOGLE_API_KEY"]
    assert site.asked[0].query["cx"] == "engine"


async def test_google_keeps_what_came_before_a_failure(site: Site, client: Client, keys: dict[str, str]) -> None:
    page = {"searchInformation": {"totalResults": "90"}, "items": [GOOGLE_RESULT] * 10}
    site.answer("/customsearch/v1", page, Answer({"error": {"code": 403, "message": "Daily Limit Exceeded"}}, 403))
    outcome = await google.search(client, "alder", 20)
    assert isinstance(outcome, Found)
    assert len(outcome.works) == 10
    assert "Daily Limit Exceeded" in outcome.remarks[0]


@pytest.mark.parametrize("name", list(PROVIDERS))
async def test_nothing_found_is_an_answer(name: str, site: Site, client: Client, keys: dict[str, str]) -> None:
    site.answer(PATHS[name], NOTHING[name])
    assert await PROVIDERS[name].search(client, "alder", 5) == NothingFound()


@pytest.mark.sample(16)
@pytest.mark.parametrize("name", list(PROVIDERS))
@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer("{}"), FailureKind.UNREADABLE),
        (Answer("[]"), FailureKind.UNREADABLE),
        (Answer("null"), FailureKind.UNREADABLE),
        (Answer('{"broken": '), FailureKind.UNREADABLE),
        (Answer("Service temporarily away", kind="application/json"), FailureKind.UNREADABLE),
        (Answer("<html>Sign in to the hotel</html>", kind="text/html"), FailureKind.UNREADABLE),
        (Answer("gone", 404, "text/plain"), FailureKind.MISSING),
        (Answer({"error": "bad"}, 400), FailureKind.REFUSED),
        (Answer({"detail": {"error": "plan limit"}}, 432), FailureKind.REFUSED),
        (Answer("oops", 501), FailureKind.BROKEN),
        (Answer("busy", 503, "text/plain"), FailureKind.BROKEN),
        (Answer("slow down", 429, "text/plain"), FailureKind.RATE_LIMITED),
        (Answer("", drop=True), FailureKind.UNREACHABLE),
    ],
)
async def test_a_failure_is_never_nothing(
    name: str, answer: Answer, kind: FailureKind, site: Site, keys: dict[str, str]
) -> None:
    site.answer(PATHS[name], answer)
    async with Client(backoff=0.001, retries=1, timeout=1) as client:
        outcome = await PROVIDERS[name].search(client, "alder", 5)
    assert isinstance(outcome, Failed), outcome
    assert outcome.kind == kind
    assert outcome.why.startswith(PROVIDERS[name].label)
    assert outcome.why.endswith(".")


@pytest.mark.parametrize("name", [name for name, provider in PROVIDERS.items() if provider.needs])
async def test_a_provider_without_its_key_is_skipped_aloud(name: str, site: Site, client: Client) -> None:
    outcome = await PROVIDERS[name].search(client, "alder", 5)
    assert isinstance(outcome, Skipped)
    assert PROVIDERS[name].needs[0] in outcome.why
    assert outcome.why.endswith("was not asked.")
    assert not site.asked
    assert PROVIDERS[name].missing()


async def test_the_sentence_of_tavily(site: Site, client: Client) -> None:
    assert await tavily.search(client, "alder", 5) == Skipped("Tavily needs TAVILY_API_KEY and was not asked.")


async def test_a_list_of_which_nothing_can_be_read_is_a_failure(site: Site, client: Client) -> None:
    site.answer("/works", crossref_list(None, "?"))
    assert isinstance(await crossref.search(client, "alder", 5), Failed)


@pytest.mark.parametrize(
    ("body", "kind", "quoted"),
    [
        ({"error": "API rate limit exceeded", "count": "11"}, FailureKind.RATE_LIMITED, "too many requests"),
        ({"esearchresult": {"ERROR": "Empty term"}}, FailureKind.REFUSED, "Empty term"),
        ('{"esearchresult": {"ERROR": "Search Backend failed:\n\'retstart\'"}}', FailureKind.UNREADABLE, "damaged"),
    ],
)
async def test_pubmeds_errors_in_disguise(
    body: Any, kind: FailureKind, quoted: str, site: Site, client: Client
) -> None:
    """Errors that come with status 200."""
    site.answer("/esearch.fcgi", Answer(body))
    outcome = await pubmed.search(client, "alder", 5)
    assert isinstance(outcome, Failed)
    assert outcome.kind == kind
    assert quoted in outcome.why


async def test_a_rate_limit_in_disguise_is_asked_again(site: Site, client: Client) -> None:
    site.answer("/esearch.fcgi", {"error": "API rate limit exceeded"}, esearch())
    assert await pubmed.search(client, "alder", 5) == NothingFound()


async def test_a_key_that_comes_back_goes_no_further(site: Site, client: Client, keys: dict[str, str]) -> None:
    echoed = changed(TAVILY_RESULT, content=f"Asked with {keys['TAVILY_API_KEY']}.")
    site.answer("/search", {"results": [echoed]})
    assert only(await tavily.search(client, "alder", 1)).abstract == "Asked with [key]."
