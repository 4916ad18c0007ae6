"""Bad days of the world outside, and of the model: each is said in a sentence, none of them ends or spoils a run."""

import json
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from core.errors import Refused
from jobs.models import State
from jobs.work import perform
from projects.models import Project, User
from research.export.structured import structured
from research.journal.provenance import log_of, verify_run
from research.models import Run
from research.replay import replay
from tests.contextfiles.make_files import pdf
from tests.research.forest_thesis import researched
from tests.research_model.catalogue_works import (
    OPENALEX,
    PAPERS,
    ROOTS,
    ROSE,
    S2,
    SHADE,
    article,
    hold,
    paper,
    quoting,
    work,
)
from tests.research_model.conversation import (
    cited_by,
    done,
    inside,
    like,
    plays,
    read,
    search,
    think,
    tool_results,
    turn_of,
    turns,
)
from tests.research_model.script import material, reply, role_of
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
from tests.servers.messages import Request, Service, model_answer
from tests.start_run import start_run

pytestmark = pytest.mark.django_db

DOIS = [f"10.5555/journal.shade.{n:04}" for n in range(200)]


def run_of(project: Project, owner: User, providers: str = "semantic_scholar", **options: Any) -> Run:
    options = {"profile": "general", "overrides": {"providers": providers}, "file_ids": [], **options}
    return researched(project, owner, **options)


def holds(run: Run) -> None:
    """The run is done, its log chains, and it comes out the same again."""
    assert run.job.state == State.DONE, run.job.reason
    verdict = verify_run(run)
    assert verdict.ok, verdict.sentence
    again = replay(log_of(run))
    assert again.same, again.sentence


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


# Pages


@pytest.fixture
def web(settings: Settings) -> Iterator[Site]:
    with Site() as site:
        settings.FETCH_ALLOW_PRIVATE = [f"127.0.0.1:{site.port}"]
        yield site


def found_at(shelves: Site, *addresses: str) -> None:
    papers = [
        paper(n, f"Alder, part {n}", SHADE, externalIds={"DOI": f"10.5555/read.{n}"}, openAccessPdf={"url": address})
        for n, address in enumerate(addresses, 1)
    ]
    shelves.answer(S2, {"total": len(papers), "data": papers})


def test_a_pdf_that_is_a_web_page(project: Project, owner: User, service: Service, shelves: Site, web: Site) -> None:
    """The usual one: an address that ends in .pdf, a page behind it, sent as what it is or as what it is not."""
    addresses = [f"{web.base}/{name}.pdf" for name in ("page", "liar", "wall", "paper")]
    web.answer("/page.pdf", article(ROSE))
    web.answer("/liar.pdf", Answer(article(ROSE).body, kind="application/pdf"))
    web.answer("/wall.pdf", Answer("<html><body>Please sign in to read this paper.</body></html>", kind="text/html"))
    web.answer(
        "/paper.pdf", Answer(pdf([ROSE, *["Trees stood in rows of nine along the river."] * 12]), kind="text/html")
    )
    found_at(shelves, *addresses)
    plays(service, [search("alder")], [read(*addresses[:2])], [read(*addresses[2:])], [done()], then=quoting)
    run = run_of(project, owner)
    holds(run)
    failed = {entry.details["url"]: entry.details["why"] for entry in run.provenance.filter(event_type="page_failed")}
    assert failed == {addresses[2]: "This page has almost no text."}
    came = {entry.details["url"]: entry.details["kind"] for entry in run.provenance.filter(event_type="page_read")}
    assert [came[address] for address in (addresses[0], addresses[1], addresses[3])] == ["html", "html", "pdf"]
    texts = list(run.sources.filter(is_passage=True).values_list("text", flat=True))
    assert sum(ROSE in text for text in texts) == 3, "each is read as what it is"
    assert not re.search(r"<html|%PDF|<<|endobj", " ".join(texts))


# Two hundred DOIs


def test_a_list_of_dois_is_too_long_a_question(project: Project, owner: User, service: Service) -> None:
    with pytest.raises(Refused, match="Keep the question short and upload the rest as a file") as refused:
        start_run(project, owner, " ".join(DOIS), enqueue=False)
    assert refused.value.field == "question"
    assert not Run.objects.filter(project=project).exists()


def test_a_list_of_dois_as_the_question(project: Project, owner: User, service: Service, shelves: Site) -> None:
    """As many as fit: searched for as they stand, cut where a catalogue would not take more."""
    hold(shelves)
    plays(service, "I do not know what to make of this.", then=quoting)
    run = run_of(project, owner, question=" ".join(DOIS[:140]))
    holds(run)
    (asked,) = [asked.query["query"] for asked in shelves.asked if asked.path == S2]
    assert asked.startswith(DOIS[0])
    assert len(asked) <= 400


def test_a_list_of_dois_in_a_finding_and_from_the_model(
    project: Project, owner: User, service: Service, shelves: Site
) -> None:
    """In a text, in a finding, and looked up one by one: the calls of the question are all that is spent on it."""
    listed = f"They are {', '.join(DOIS)}, and all of them found more nitrogen."
    shelves.answer(S2, {"total": 1, "data": [paper(1, "A list of trials", listed)]})
    lookups = [[cited_by(doi), like(doi)] for doi in DOIS[:20]]
    plays(service, [search("alder")], [call for pair in lookups for call in pair], [done()], then=quoting)
    run = run_of(project, owner, profile="academic", overrides={"providers": "semantic_scholar"})
    holds(run)
    assert DOIS[-1] in run.report
    conversations = sum(turn_of(request) == 1 for request in turns(service))
    looked_up = [path for path in shelves.paths() if "/citations" in path or path.startswith("/recommendations")]
    assert 0 < len(looked_up) <= 9 * conversations


# Wrong ids from the model


def test_ids_that_the_model_made_up(project: Project, owner: User, service: Service, shelves: Site) -> None:
    """R10, R13: sources, findings, claims and papers that do not exist are dropped, and it is said that they were."""
    hold(shelves)
    ghosts = ["doi:10.9999/ghost::crossref-000000", "", "S1", "1.7", "binkley2003"]

    def confused(request: Request) -> Any:
        role = role_of(request)
        if role == "condense":
            known = [one for one in material(request, "passages") if SHADE in one["text"]]
            drafts = [*ghosts, *(one["source_id"] for one in known)]
            found = [
                {"content": SHADE, "source_id": id, "quote": SHADE, "confidence": 0.9, "category": "outcome"}
                for id in drafts
            ]
            conflict = {"description": "Two ghosts disagree.", "source_ids": ghosts[:2], "about": "", "sides": []}
            return model_answer(answer={"findings": found, "contradictions": [conflict], "gaps": [], "summary": ""})
        if role == "synthesize":
            keys = re.findall(r'{"key": "(\w+)"', str(request["messages"][0]["content"][0]["text"]) + all_text(request))
            ids = [finding["id"] for finding in material(request, "findings")]
            body = f"{SHADE} [[{ids[0]}]] Ghosts agree [[F9.9-9]], [[7]] and [[doi:10.9999/ghost]]."
            return model_answer(answer={"title": "Alder", "sections": [{"key": key, "body": body} for key in keys[:1]]})
        if role == "verify":
            given = {"verdict": "SUPPORTED", "source_id": ghosts[0], "quote": "Nowhere.", "reason": "It says so."}
            return model_answer(answer={"verdicts": [{"id": id, **given} for id in ("C999", "", *claims_of(request))]})
        return reply(request)

    plays(service, [search("alder")], [cited_by("F9.9-9"), like("node 1.7"), think("Hm.")], [done()], then=confused)
    run = run_of(project, owner, profile="academic")
    holds(run)
    (finding,) = {finding["content"]: finding for finding in structured(run)["findings"]}.values()
    assert finding["source_ids"] == ["doi:10.5555/shade.1"]
    condensed = run.job.events.filter(kind="findings_condensed")[0].text
    assert f"{len(ghosts)} left out: their words are not in the source." in condensed
    assert not run.contradictions.exists()
    assert "ghost" not in json.dumps(structured(run)["sources"])
    assert "10.9999" not in run.report
    assert "F9.9-9" not in run.report
    for answer in tool_results(service, 2)[:2]:
        assert "is neither a DOI, PMID, arXiv id or Semantic Scholar id nor one of a passage with such." in answer
    rows = run.claims.select_related("source")
    assert {claim.source.document for claim in rows if claim.source} == {"doi:10.5555/shade.1"}
    assert "Ghosts agree" in rows.get(source=None).text


def all_text(request: Request) -> str:
    return "\n".join(block["text"] for block in request["messages"][0]["content"])


def claims_of(request: Request) -> list[str]:
    return [claim["id"] for claim in material(request, "claims")]


# Two at once


@pytest.mark.django_db(transaction=True)
def test_two_runs_on_one_project_at_once(project: Project, owner: User, service: Service, shelves: Site) -> None:
    """Both finish; each has its own nodes, sources, findings, log and journal, and comes out the same again."""
    shelves.answer(S2, lambda asked: Answer(CAME[asked.query["query"]], delay=0.02))

    def asking(request: Request) -> Any:
        if role_of(request) != "research":
            return quoting(request)
        mine = "shade" if "What does shade do?" in all_text(request) else "roots"
        return model_answer(calls=[search(mine)] if len(request["messages"]) == 1 else [done()])

    service.otherwise = asking
    runs = [
        start_run(
            project, owner, question, profile="general", overrides={"providers": "semantic_scholar"}, enqueue=False
        )
        for question in ("What does shade do?", "What do roots do?")
    ]

    def conduct(run: Run) -> None:
        try:
            perform(str(run.job_id))
        finally:
            connection.close()

    threads = [threading.Thread(target=conduct, args=(run,)) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for run, own, other in zip(runs, (SHADE, ROOTS), (ROOTS, SHADE), strict=True):
        run.refresh_from_db()
        run.job.refresh_from_db()
        assert run.job.state == State.DONE, run.job.reason
        assert own in run.report
        assert other not in run.report
        assert {source["title"] for source in structured(run)["sources"]} == {
            {SHADE: "Shade and alder growth", ROOTS: "Root nodules of alder and nitrogen"}[own]
        }
        assert list(run.provenance.values_list("seq", flat=True)) == list(range(1, run.provenance_length + 1))
        assert verify_run(run).ok
        assert replay(log_of(run)).same
    assert len(shelves.asked) == 2


CAME = {
    "shade": {"total": 1, "data": PAPERS[:1]},
    "roots": {"total": 1, "data": [{**PAPERS[1], "abstract": ROOTS}]},
}
