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
from tests.research_model.catalogue_works import (
    PAPERS,
    ROOTS,
    ROSE,
    S2,
    SHADE,
    article,
    hold,
    paper,
    quoting,
)
from tests.research_model.conversation import (
    cited_by,
    done,
    like,
    plays,
    read,
    search,
    think,
    tool_results,
    turn_of,
    turns,
)
from tests.research_model.failure_runs import holds, run_of
from tests.research_model.script import material, reply, role_of
from tests.servers.catalogues import (
    Answer,
    Site,
)
from tests.servers.messages import Request, Service, model_answer
from tests.start_run import start_run

pytestmark = [pytest.mark.django_db, pytest.mark.long]


DOIS = [f"10.5555/journal.shade.{n:04}" for n in range(200)]


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
