"""Catalogues that repeat themselves or refuse: each is said in a sentence, and no run is spoilt."""

import json
import re
from typing import Any

import pytest

from jobs.models import State
from projects.models import Project, User
from research.export.structured import structured
from research.journal.provenance import verify_run
from tests.research_model.catalogue_works import (
    OPENALEX,
    S2,
    SHADE,
    hold,
    paper,
    quoting,
    work,
)
from tests.research_model.conversation import (
    done,
    inside,
    plays,
    search,
    tool_results,
    turns,
)
from tests.research_model.failure_runs import holds, run_of
from tests.servers.catalogues import (
    CROSSREF_WORK,
    PUBMED_RECORD,
    Answer,
    ReceivedRequest,
    Site,
    changed,
    crossref_list,
    esearch,
    esummary,
)
from tests.servers.messages import Service

pytestmark = [pytest.mark.django_db, pytest.mark.long]


# Catalogues


@pytest.mark.parametrize("after", ["0", "86400"])
def test_a_provider_at_429_for_good(project: Project, owner: User, service: Service, shelves: Site, after: str) -> None:
    """R11: it is left alone after a few tries, named, and never taken for one that has nothing; the others go on."""
    hold(shelves)
    shelves.answer(S2, Answer("", 429, headers={"Retry-After": after}))
    queries = ["alder", "shade"]
    plays(service, [search(queries[0])], [search(queries[1])], [done()], then=quoting)
    run = run_of(project, owner, "semantic_scholar,openalex")
    holds(run)
    assert SHADE in run.report
    assert "Semantic Scholar could not be searched (tried 2 times): Semantic Scholar " in run.report
    assert "not the same as having nothing" in run.report
    failed = run.provenance.filter(event_type="provider_failed")
    assert {entry.details["query"] for entry in failed} == set(queries)
    assert failed[0].details["kind"] == "rate_limited"
    assert "nothing" not in " ".join(entry.summary for entry in failed).casefold()
    assert shelves.paths().count(S2) <= 4 * len(queries)
    assert shelves.paths().count(OPENALEX) == len(queries)


def test_the_same_50_works_for_ever(project: Project, owner: User, service: Service, shelves: Site) -> None:
    """R5: a model that would search for ever is stopped by what comes back."""
    same = [paper(n, f"Alder and what grows beside it, part {n}", None) for n in range(1, 51)]
    shelves.answer(S2, {"total": 9_000, "data": same})
    endless = [[search(f"alder {n}", f"shade {n}")] for n in range(40)]
    plays(service, *endless, then=quoting)
    run = run_of(project, owner)
    assert run.job.state == State.FAILED, "titles alone are no evidence"
    assert run.sources.count() == 50
    assert not run.provenance.filter(event_type="source_deduplicated").exists(), "met again, not found again"
    asked = [len(json.dumps(request["messages"])) for request in turns(service)]
    nodes = run.nodes.count()
    assert len(asked) <= 3 * nodes, "two searches with nothing new end each question"
    assert shelves.paths().count(S2) <= 6 * nodes
    assert re.search(r"2 searches in a row brought nothing new|searches without adequate", str(list(run.gaps.values())))
    assert verify_run(run).ok


def test_the_same_50_readable_works_for_ever(project: Project, owner: User, service: Service, shelves: Site) -> None:
    same = [paper(n, f"Alder beside stand {n}", f"Soil nitrogen rose by {n} kg there.") for n in range(1, 51)]
    shelves.answer(S2, {"total": 9_000, "data": same})
    plays(service, *([search(f"alder {n}")] for n in range(40)), then=quoting)
    run = run_of(project, owner)
    holds(run)
    assert len(turns(service)) == run.nodes.count(), "plenty is plenty"
    assert run.sources.distinct_works().count() == 50


def four_times_the_same(shelves: Site) -> None:
    """One work in four catalogues: its titles, years, venues and counts differ, and no number is in all of them."""
    shelves.answer(
        S2,
        {
            "total": 1,
            "data": [paper(7, "SHADE AND ALDER GROWTH", SHADE, externalIds={"PubMed": "30123456"}, citationCount=39)],
        },
    )
    alex = work(11, "Shade and alder growth", SHADE, "10.5555/Alder.2019.7", ids={}, publication_year=2018)

    def works(asked: ReceivedRequest) -> Answer:
        return Answer({"results": [alex]} if "search" in asked.query else crossref_list(cleared(CROSSREF_WORK)))

    shelves.answer("/works", works)
    shelves.answer("/esearch.fcgi", esearch("30123456"))
    shelves.answer("/esummary.fcgi", esummary(cleared(PUBMED_RECORD, pubtype=["Journal Article"], references=[])))
    text = (
        f"<PubmedArticle><MedlineCitation><PMID>30123456</PMID><Article><Abstract><AbstractText>{SHADE}</AbstractText>"
    )
    shelves.answer(
        "/efetch.fcgi",
        f"<PubmedArticleSet>{text}</Abstract></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>",
        kind="text/xml",
    )


def cleared(record: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Without the notices that the record of the fixture carries."""
    kept = changed(record, **fields)
    for name in ("updated-by", "update-to", "relation"):
        kept.pop(name, None)
    return kept


@pytest.mark.parametrize(
    "providers",
    ["semantic_scholar,openalex,crossref,pubmed", "pubmed,crossref,openalex,semantic_scholar"],
)
def test_one_paper_from_four_providers(
    project: Project, owner: User, service: Service, shelves: Site, providers: str
) -> None:
    """R8: one work with the richest metadata; each record is kept and says what it is a duplicate of, and why."""
    four_times_the_same(shelves)
    plays(service, [search("alder")], [done()], then=quoting)
    run = run_of(project, owner, providers)
    holds(run)
    (only,) = structured(run)["sources"]
    assert only["doi"] == "10.5555/alder.2019.7"
    assert (only["year"], only["citation_count"]) == (2019, 41)
    rows = list(run.sources.order_by("id"))
    assert {row.provider for row in rows} == {"semantic_scholar", "openalex", "crossref", "pubmed"}
    assert {row.document for row in rows} == {rows[0].document}
    assert [row.duplicate_of_id for row in rows] == [None, *[rows[0].pk] * 3]
    first = rows[0].csl
    assert (first["volume"], first["issue"], first["page"]) == ("12", "3", "101-118")
    assert (first["publisher"], first["PMID"], first["PMCID"]) == ("River Press", "30123456", "PMC7654321")
    merges = [entry.details for entry in run.provenance.filter(event_type="source_deduplicated")]
    assert all(set(merge) == {"source_id", "duplicate_of", "reason"} for merge in merges)
    assert all(re.match(r"It has the same (DOI|PMID)", merge["reason"]) for merge in merges)
    # Two that nothing tied at first become one with a later record; each way leads to the row that stands for them.
    leads = {merge["source_id"]: merge["duplicate_of"] for merge in merges}
    assert set(leads) == {row.source_id for row in rows[1:]}
    assert all(rows[0].source_id in (of, leads.get(of)) for of in leads.values())
    assert run.report.count("\n[1] ") == 1
    assert "\n[2] " not in run.report


TOLD = (
    "Alders beside rivers were thought to need light. On 14 plots they were planted in rows and measured for twelve "
    "years by two people. Trees under firs stayed a third smaller than those in the open, whatever the soil held."
)


def test_one_text_under_two_titles(project: Project, owner: User, service: Service, shelves: Site) -> None:
    """R8: where no number, address or title ties them, the text does; of two works with numbers it never does."""
    shelves.answer(
        S2,
        {
            "total": 3,
            "data": [
                paper(1, "Alder in shade", TOLD, externalIds={"DOI": "10.5555/a"}),
                paper(2, "Erlen im Schatten", f"{TOLD} © River Press."),
                paper(3, "Alder in shade: a preprint", TOLD, externalIds={"DOI": "10.5555/b"}),
            ],
        },
    )
    plays(service, [search("alder")], [done()], then=quoting)
    run = run_of(project, owner)
    holds(run)
    assert [source["id"] for source in structured(run)["sources"]] == ["doi:10.5555/a", "doi:10.5555/b"]
    entry = run.provenance.get(event_type="source_deduplicated")
    assert entry.details["reason"] == "Its text is nearly the same."
    shown = inside(tool_results(service, 1)[0]).splitlines()
    assert "Erlen im Schatten" not in str(shown), "it is nothing new"
    assert ["novelty" in line for line in shown] == [False, True]
    assert json.loads(shown[1])["novelty"].startswith("duplicate of doi:10.5555/a::")
