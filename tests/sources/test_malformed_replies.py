"""Answers that are not what was promised (SPEC C1, R11): works or a failure come of them, never "nothing found"."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources import (
    arxiv,
    crossref,
    datacite,
    doi_org,
    google,
    openalex,
    openlibrary,
    pubmed,
    semantic_scholar,
    tavily,
    unpaywall,
)
from sources.host_limits import CROSSREF, DOI
from sources.http_client import CatalogueRequest, Client, _read
from sources.models import OPENS_AFTER, HostPace
from sources.responses import RawResponse
from sources.work import Batch, Failed, FailureKind, Found, NothingFound, Skipped, Unreadable
from tests.servers.catalogues import CROSSREF_WORK, Answer, Site, crossref_list
from tests.sources.conftest import SHARED_ROWS

ID, S2_ID = "10.5555/alder.1", "0" * 40
ASKED: dict[str, Callable[[Any], Awaitable[Any]]] = {
    "crossref search": lambda client: crossref.search(client, "alder", 5),
    "crossref": lambda client: crossref.lookup(client, ID),
    "crossref many": lambda client: crossref.lookup_many(client, [ID, "10.5555/2"]),
    "pubmed search": lambda client: pubmed.search(client, "alder", 5),
    "pubmed": lambda client: pubmed.lookup(client, "123"),
    "pubmed many": lambda client: pubmed.lookup_many(client, ["123", "124"]),
    "pubmed central": lambda client: pubmed.lookup_pmcid(client, "PMC123"),
    "semantic scholar search": lambda client: semantic_scholar.search(client, "alder", 5),
    "citations": lambda client: semantic_scholar.citations(client, S2_ID),
    "references": lambda client: semantic_scholar.references(client, S2_ID),
    "like": lambda client: semantic_scholar.recommendations(client, S2_ID),
    "openalex search": lambda client: openalex.search(client, "alder", 5),
    "openalex": lambda client: openalex.lookup(client, "W1"),
    "openalex references": lambda client: openalex.references(client, "W1"),
    "openalex citing": lambda client: openalex.citing(client, ID),
    "tavily": lambda client: tavily.search(client, "alder", 5),
    "google": lambda client: google.search(client, "alder", 5),
    "arxiv": lambda client: arxiv.lookup_many(client, ["1706.03762"]),
    "datacite": lambda client: datacite.lookup(client, ID),
    "open library": lambda client: openlibrary.lookup(client, "9780306406157"),
    "unpaywall": lambda client: unpaywall.lookup(client, ID),
    "doi.org": lambda client: doi_org.lookup(client, ID),
}
KEYS = re.findall(
    r"\S+",
    "message items total-results esearchresult idlist count result uids data total results meta title DOI id doi error "
    "paperId recommendedPapers citedPaper attributes author authors name family articleids idtype value kind queries "
    "searchInformation totalResults ISBN:9780306406157 referenced_works url link uid externalIds year 123",
)
LEAVES = st.none() | st.booleans() | st.integers(-5, 10**30) | st.floats() | st.text(max_size=8) | st.sampled_from(KEYS)
SHAPES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), inner),
    max_leaves=12,
)


class Echo:
    """Answers every request with one body, which is read as every answer is."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    async def ask(self, question: CatalogueRequest[Any]) -> Any:
        try:
            return _read(RawResponse(200, "text/html", self.body), question, may_be_missing=question.missing)
        except Unreadable as error:
            return Failed(error.why, None, error.kind)


@pytest.fixture(autouse=True)
def with_keys(settings: Any) -> None:
    settings.OPENALEX_API_KEY = settings.TAVILY_API_KEY = settings.GOOGLE_API_KEY = settings.GOOGLE_CX = "a-key"
    settings.CROSSREF_MAILTO = "asha@example.org"


def outcome_of(name: str, body: bytes) -> Any:
    outcome: Any = asyncio.run(ASKED[name](Echo(body)))  # type: ignore[arg-type]
    assert isinstance(outcome, Found | NothingFound | Failed | Skipped | Batch)
    return outcome


def is_failure(outcome: Any) -> bool:
    if isinstance(outcome, Batch):
        return bool(outcome.failed) and not outcome.found and not outcome.missing
    return isinstance(outcome, Failed)


PAGE = b"<!doctype html><html><body>Please sign in</body></html>"
RUBBISH = [
    PAGE, b"", b"  \n", b'{"message": {"items": [{"DOI"', b"null", b"[]", b"17", b'"fine"', b"{\"a\": 1}", b"[1, 2]",
    b'{"error": {"code": 500, "message": "backend"}}', b'{"error": "quota"}', b'{"status": "ok"}',
    b"\x89PNG\r\n\x1a\n\0",
    b'{"message": {"items": ["x"]}, "results": ["x"], "data": ["x"], "items": ["x"], "recommendedPapers": ["x"]}',
    b'{"message": {"total-results": 9, "items": []}, "results": [], "meta": {"count": 9}, "total": 9}',
    b'{"esearchresult": {"idlist": ["x"], "count": "1"}, "result": {}, "items": {"a": 1}}', b"<feed/>", b"[" * 90_000,
    b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>tag:blog</id><title>x</title></entry></feed>",
]  # fmt: skip


@pytest.mark.sample(88)
@pytest.mark.parametrize("name", sorted(ASKED))
@pytest.mark.parametrize("body", RUBBISH, ids=range(len(RUBBISH)))
def test_rubbish_is_a_failure(name: str, body: bytes) -> None:
    outcome = outcome_of(name, body)
    if name == "tavily" and b'"results": []' in body:
        return  # it tells no total, so this is its way to say that it has nothing
    if name == "doi.org" and isinstance(outcome, Found):
        return
    assert is_failure(outcome), outcome


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", sorted(ASKED))
@given(shape=SHAPES)
def test_any_json_gives_works_or_the_failure(name: str, shape: Any) -> None:
    outcome_of(name, json.dumps(shape).encode())


@given(st.binary(max_size=60), st.sampled_from(sorted(ASKED)))
def test_any_bytes_give_works_or_the_failure(body: bytes, name: str) -> None:
    outcome_of(name, body)


# The breaker, with a real server


@pytest.mark.sample(2)
@SHARED_ROWS
@pytest.mark.parametrize("body", [PAGE, b"", b'{"message"', b'{"error": "backend"}'], ids=range(4))
async def test_one_that_answers_rubbish_is_left_alone(site: Site, client: Client, body: bytes) -> None:
    site.answer("/works", Answer(body, 200, "application/json"))
    first = await crossref.search(client, "alder", 1)
    assert isinstance(first, Failed)
    assert first.kind == FailureKind.UNREADABLE
    for number in range(30):
        assert isinstance(await crossref.search(client, f"alder {number}", 1), Failed)
    assert len(site.asked) == OPENS_AFTER
    last = await crossref.search(client, "alder", 1)
    assert isinstance(last, Failed)
    assert last.kind == FailureKind.RESTING


@SHARED_ROWS
async def test_an_answer_that_can_be_read_ends_the_count(site: Site, client: Client) -> None:
    good, bad = Answer(crossref_list(CROSSREF_WORK)), Answer(PAGE, 200, "text/html")
    site.answer("/works", *[bad] * (OPENS_AFTER - 1), good, *[bad] * (OPENS_AFTER - 1), good)
    for number in range(2 * OPENS_AFTER):
        await crossref.search(client, f"alder {number}", 1)
    assert len(site.asked) == 2 * OPENS_AFTER
    assert not any([row async for row in HostPace.objects.filter(name=CROSSREF.name, failures__gt=0)])


@SHARED_ROWS
async def test_a_page_that_doi_org_leads_to_is_not_held_against_it(site: Site, client: Client, settings: Any) -> None:
    """A DOI may stand for a landing page, or for one that is not opened;
    who sends us there has answered as it should."""
    site.answer(f"/{ID}", Answer("", 302, headers={"Location": f"http://127.0.0.1:9/{ID}"}))
    site.answer(f"/ra/{ID}", Answer(json.dumps([{"DOI": ID, "RA": "Crossref"}])))
    for _ in range(OPENS_AFTER + 1):
        assert isinstance(await doi_org.lookup(client, ID), Failed)
    assert not any([row async for row in HostPace.objects.filter(name=DOI.name, failures__gt=0)])
