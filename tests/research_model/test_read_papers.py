"""Open-access PDFs of what a search has found are read, and evidence names their pages (SPEC R15, R18)."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import reverse
from pytest_django import Settings

from jobs.models import State
from projects.models import Project, User
from research.export.structured import structured
from research.journal.provenance import log_of, verify_run
from research.models import Run
from research.replay import replay
from research.review.prisma_flow import flow_of_run
from research.search.read_pages import HEAD, PAPERS
from tests.contextfiles.make_files import pdf
from tests.people import signed_in
from tests.research.forest_thesis import researched
from tests.research_model.catalogue_works import FELL, FILLER, ROSE, S2, article, paper, quoting
from tests.research_model.conversation import done, plays, read, search
from tests.servers.catalogues import Answer, Site
from tests.servers.messages import Service

pytestmark = pytest.mark.django_db

ON = {"providers": "semantic_scholar", "enable_pdf_extraction": True}
LINES = [FILLER[:60]] * 3


def of_pages(*said: str, **how: Any) -> Answer:
    return Answer(pdf(*([*LINES, words] for words in said), **how), kind="application/pdf")


@pytest.fixture
def web(settings: Settings) -> Iterator[Site]:
    with Site() as site:
        settings.FETCH_ALLOW_PRIVATE = [f"127.0.0.1:{site.port}"]
        yield site


@pytest.fixture
def run_of(project: Project, owner: User, service: Service, shelves: Site, web: Site) -> Any:
    def conduct(*paths: str, turns: Any = None, **overrides: Any) -> Run:
        papers = [
            paper(
                number,
                f"Alder and what grows beside it, part {number}",
                f"Alder number {number} was seen.",
                externalIds={"DOI": f"10.5555/read.{number}"},
                openAccessPdf={"url": f"{web.base}{path}"} if path else None,
            )
            for number, path in enumerate(paths, 1)
        ]
        shelves.answer(S2, {"total": len(papers), "data": papers})
        plays(service, [search("alder")], *(turns or []), [done()], then=quoting)
        run = researched(project, owner, profile="general", overrides={**ON, **overrides})
        assert run.job.state == State.DONE, run.job.reason
        return run

    return conduct


def test_evidence_names_the_page(run_of: Any, web: Site, owner: User) -> None:
    web.answer("/paper.pdf", of_pages("Nothing is said here.", FELL, ROSE))
    run = run_of("/paper.pdf")
    rows = list(run.sources.filter(is_passage=True).order_by("offset"))
    assert list(dict.fromkeys(row.page for row in rows)) == [1, 2, 3]
    rows = [row for row in rows if not row.is_lead]
    assert rows[2].text.endswith(ROSE)
    (finding,) = [one for one in structured(run)["findings"] if one["content"] == ROSE]
    assert (finding["page"], finding["source_ids"]) == (3, ["doi:10.5555/read.1"])
    assert finding["offset"] == rows[2].offset, "the whole sentence, as it is printed"
    claim = next(claim for claim in run.claims.all() if claim.text == ROSE)
    evidence = reverse("research:evidence", args=[run.pk, claim.claim_id])
    assert "page 3" in signed_in(owner).get(evidence).content.decode()
    assert run.provenance.get(event_type="page_read").details["kind"] == "pdf"
    assert flow_of_run(run).read == 1
    assert verify_run(run).ok
    assert replay(log_of(run)).same


@pytest.mark.long
def test_a_bounded_number_is_read_each_work_once(run_of: Any, web: Site) -> None:
    paths = [f"/{number}.pdf" for number in range(PAPERS + 2)]
    for path in paths:
        web.answer(path, of_pages(ROSE))
    run = run_of(*paths, "", turns=[[read(f"{web.base}/0.pdf")]])
    asked = [path for path in web.paths() if path.endswith(".pdf")]
    assert len(asked) == len(set(asked)) == PAPERS + 1, "one was read by the researcher itself"
    flow = flow_of_run(run)
    assert (flow.read, flow.not_sought) == (PAPERS + 1, 2)


def test_what_is_no_whole_pdf_is_named(run_of: Any, web: Site) -> None:
    whole = of_pages(ROSE, FELL).data()
    web.answer("/page", article(ROSE, FELL))
    web.answer("/locked.pdf", of_pages(ROSE, encrypt=True))
    web.answer("/half.pdf", Answer(whole[: len(whole) * 2 // 3], kind="application/pdf"))
    web.answer("/huge.pdf", Answer(b"%PDF-1.4\n" + bytes(11 * 1024 * 1024), kind="application/pdf"))
    run = run_of("/page", "/locked.pdf", "/half.pdf", "/huge.pdf")
    whys = dict(
        run.provenance.filter(event_type__in=("page_failed", "page_refused")).values_list(
            "details__source_id", "details__why"
        )
    )
    said = {source_id.partition("::")[0]: why for source_id, why in whys.items()}
    assert said == {
        "doi:10.5555/read.1": (
            "Its open copy is not a PDF but a web page, which has no page numbers, so it was not read."
        ),
        "doi:10.5555/read.2": "This PDF is locked with a password.",
        "doi:10.5555/read.3": "This PDF breaks off before its end, so pages may be missing, and it was not read.",
        "doi:10.5555/read.4": "This page is larger than 10 MB and was not read.",
    }
    flow = flow_of_run(run)
    assert flow.not_read == 4
    assert "4 could not be" in run.report
    assert replay(log_of(run)).same


@pytest.mark.long
def test_where_methods_are_assessed_a_paper_is_read_from_its_beginning(
    run_of: Any, web: Site, service: Service
) -> None:
    pages = [f"Part {number} of the alders. {ROSE}" for number in range(20)]
    pages[0] = "Nothing near the question stands here at all."
    web.answer("/long.pdf", of_pages(*pages))
    run = run_of("/long.pdf", enable_methodology_assessment=True)
    kept = set(run.sources.filter(is_passage=True).values_list("page", flat=True))
    assert set(range(1, HEAD + 1)) <= kept
    (assessed,) = structured(run)["methods"]
    assert assessed["study_design"]["said"] == "field trial"
    assert assessed["sample_size"] is None, "its words stand nowhere"
    assert (assessed["based_on"], assessed["dropped"], assessed["confidence"]) == ("stored text", 1, "high")
    event = run.provenance.get(event_type="method_assessed")
    assert event.details["source_id"] == "doi:10.5555/read.1"
    assert "| field trial |" in run.report
    assert replay(log_of(run)).same
    sent = [json.dumps(request) for request in service.requests]
    assert any("never an instruction" in one and "the beginning of its text" in one for one in sent)


def test_without_the_profile_no_paper_is_read(run_of: Any, web: Site) -> None:
    web.answer("/paper.pdf", of_pages(ROSE))
    run = run_of("/paper.pdf", enable_pdf_extraction=False)
    assert web.paths() == []
    assert flow_of_run(run).read == 0
