"""What a paper cites and who cites it, by OpenAlex and by Semantic Scholar (SPEC R15)."""

from typing import Any

import pytest

from sources import openalex, semantic_scholar
from sources.http_client import Client
from sources.work import Failed, FailureKind, Found, NothingFound, Skipped
from tests.servers.catalogues import OPENALEX_WORK, S2_PAPER, Answer, Site, changed
from tests.sources.conftest import SHARED_ROWS

pytestmark = SHARED_ROWS

DOI = "10.5555/alder.2019.7"


def listed(*numbers: int) -> dict[str, Any]:
    works = [
        changed(OPENALEX_WORK, id=f"https://openalex.org/W{number}", doi=None, title=f"Work {number}")
        for number in numbers
    ]
    return {"meta": {"count": len(works)}, "results": works}


def linked(side: str, *numbers: int) -> dict[str, Any]:
    papers = [changed(S2_PAPER, paperId=f"{n:040x}", externalIds={}, title=f"Paper {n}") for n in numbers]
    return {"offset": 0, "data": [{side: paper} for paper in papers]}


async def test_openalex_lists_what_a_work_cites(site: Site, client: Client, keys: dict[str, str]) -> None:
    """The record by its DOI, then the works it names in one list, the most cited first."""
    ids = [f"https://openalex.org/W{number}" for number in (7, 8, 7)]
    site.answer(f"/works/doi:{DOI}", {"id": "https://openalex.org/W1", "referenced_works": [*ids, None, "W9x"]})
    site.answer("/works", listed(8, 7))
    outcome = await openalex.references(client, f"https://doi.org/{DOI}", 2)
    assert isinstance(outcome, Found)
    assert [work.provider_id for work in outcome.works] == ["W8", "W7"]
    record, works = site.asked
    assert record.query["select"] == "id,referenced_works"
    assert works.query["filter"] == "openalex:W7|W8"
    assert (works.query["sort"], works.query["per-page"]) == ("cited_by_count:desc", "2")
    assert "abstract" not in works.query["select"]


async def test_openalex_lists_who_cites_a_work(site: Site, client: Client, keys: dict[str, str]) -> None:
    site.answer(f"/works/doi:{DOI}", {"id": "https://openalex.org/W1"})
    site.answer("/works", listed(21, 22))
    by_doi = await openalex.citing(client, DOI)
    by_id = await openalex.citing(client, "https://openalex.org/w1")
    assert isinstance(by_doi, Found)
    assert by_doi == by_id
    assert site.paths() == [f"/works/doi:{DOI}", "/works"], "the second time the list was at hand"
    assert site.asked[1].query["filter"] == "cites:W1"


async def test_a_work_without_references_and_one_nobody_knows(site: Site, client: Client, keys: dict[str, str]) -> None:
    site.answer("/works/W1", {"id": "https://openalex.org/W1", "referenced_works": []})
    assert await openalex.references(client, "W1") == NothingFound()
    assert await openalex.references(client, "10.5555/none") == NothingFound()
    assert await openalex.citing(client, "10.5555/none") == NothingFound()
    assert "/works" not in site.paths()


async def test_openalex_without_a_key_is_skipped_aloud(site: Site, client: Client) -> None:
    for ask in (openalex.references, openalex.citing):
        outcome = await ask(client, DOI)
        assert isinstance(outcome, Skipped)
        assert "OPENALEX_API_KEY" in outcome.why
    assert not site.asked


@pytest.mark.parametrize("given", ["", "alder 2019", "W", "W12345678901234"])
async def test_what_names_no_work_is_not_asked_for(
    site: Site, client: Client, keys: dict[str, str], given: str
) -> None:
    for ask in (openalex.references, openalex.citing):
        outcome = await ask(client, given)
        assert isinstance(outcome, Failed)
        assert outcome.kind == FailureKind.REFUSED
    assert not site.asked


async def test_an_answer_that_is_none(site: Site, client: Client, keys: dict[str, str]) -> None:
    site.answer("/works/W1", {"id": None, "referenced_works": ["https://openalex.org/W2"]})
    site.answer("/works", {"results": "none"})
    assert isinstance(await openalex.references(client, "W1"), Failed)
    site.answer(f"/works/doi:{DOI}", {"id": "nothing"})
    failed = await openalex.citing(client, DOI)
    assert isinstance(failed, Failed)
    assert failed.why == "OpenAlex sent a work without its id."


@pytest.mark.parametrize(
    ("ask", "path", "side"),
    [
        (semantic_scholar.references, "references", "citedPaper"),
        (semantic_scholar.citing, "citations", "citingPaper"),
    ],
)
async def test_semantic_scholar_lists_both_ways(site: Site, client: Client, ask: Any, path: str, side: str) -> None:
    at = f"/graph/v1/paper/DOI:{DOI}/{path}"
    answer = linked(side, 1, 2)
    answer["data"].append({side: None})
    site.answer(at, answer)
    outcome = await ask(client, DOI, 20)
    assert isinstance(outcome, Found)
    assert [work.title for work in outcome.works] == ["Paper 1", "Paper 2"]
    assert site.asked[0].query["limit"] == "20"
    assert "abstract" not in site.asked[0].query["fields"]


async def test_references_that_may_not_be_shown(site: Site, client: Client) -> None:
    """Their publisher had them removed: the list is null, and that is no failure."""
    site.answer(f"/graph/v1/paper/DOI:{DOI}/references", {"data": None, "citingPaperInfo": {}})
    assert await semantic_scholar.references(client, DOI) == NothingFound()
    assert await semantic_scholar.references(client, "10.5555/none") == NothingFound()


async def test_semantic_scholar_in_trouble(site: Site, client: Client) -> None:
    site.answer(f"/graph/v1/paper/DOI:{DOI}/citations", Answer("no", 503, headers={"Retry-After": "0"}))
    assert isinstance(await semantic_scholar.citing(client, DOI), Failed)
    assert isinstance(await semantic_scholar.citing(client, "alder"), Failed)
    site.answer(f"/graph/v1/paper/DOI:{DOI}/references", {"data": "many"})
    assert isinstance(await semantic_scholar.references(client, DOI), Failed)
