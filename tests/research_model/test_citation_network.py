"""The citation network of a run over two catalogues:
asked for, kept, drawn, and honest about who did not answer (R15)."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from jobs.models import State
from projects.models import Project, User
from research.export.structured import structured
from research.journal.provenance import log_of, verify_run
from research.models import Run
from research.replay import replay
from tests.people import signed_in
from tests.research.forest_thesis import researched
from tests.research_model.catalogue_works import OPENALEX, PAPERS, S2, WORKS, down, hold, quoting, work
from tests.research_model.conversation import done, plays, search
from tests.servers.catalogues import Answer, ReceivedRequest, Site
from tests.servers.messages import Service

pytestmark = pytest.mark.django_db

SHADE, OWN, NORTH = "doi:10.5555/shade.1", "binkley2003", "web:river.example/15"
NAME = "Shade & <script>alert(1)</script>"  # as a catalogue may send it
ROOT = work(71, NAME, "", "10.5555/root", publication_year=1961, cited_by_count=900)
LATER = work(72, "After the alders", "", "10.5555/later", publication_year=2021)


def openalex(asked: ReceivedRequest) -> Answer:
    """All works cite ROOT, and LATER cites all works; a search finds what it always finds."""
    wanted = asked.query.get("filter", "")
    if not wanted:
        return Answer({"meta": {"count": len(WORKS)}, "results": WORKS})
    return Answer({"meta": {"count": 1}, "results": [ROOT if wanted == "openalex:W71" else LATER]})


@pytest.fixture
def links(shelves: Site, service: Service) -> Site:
    hold(shelves)
    shelves.answer(OPENALEX, openalex)
    record = {"id": "https://openalex.org/W11", "referenced_works": ["https://openalex.org/W71"]}
    for path in ("W11", "W15", "doi:10.5555/shade.1", "doi:10.5555/alder.1"):
        shelves.answer(f"{OPENALEX}/{path}", {**record, "id": f"https://openalex.org/W{70 + len(path)}"})
    plays(service, [search("alder", "mixed stands")], [done()], then=quoting)
    return shelves


def drawn(project: Project, owner: User, **options: Any) -> Run:
    run = researched(project, owner, **{"profile": "bibliometric", **options})
    assert run.job.state == State.DONE, run.job.reason
    return run


def test_who_cites_whom_is_drawn(forest: Project, owner: User, outsider: User, links: Site) -> None:
    run = drawn(forest, owner)
    network = run.network
    papers = {paper["id"]: paper for paper in network["papers"]}
    assert network["asked"] == 4
    assert papers["doi:10.5555/root"]["roles"] == ["foundational"]
    assert papers["doi:10.5555/later"]["roles"] == ["extending"]
    assert {SHADE, NORTH} <= {id for id, paper in papers.items() if paper["in_run"]}
    assert {"from": SHADE, "to": "doi:10.5555/root"} in network["links"]
    assert {"from": "doi:10.5555/later", "to": SHADE} in network["links"]
    assert network["threads"][0]["size"] >= 5
    assert "doi:10.5555/pulled.3" not in papers, "a retracted work is not asked about"
    event = run.provenance.get(event_type="network_drawn")
    assert event.details["foundational"] == ["doi:10.5555/root"]
    assert structured(run)["network"]["links"] == network["links"]
    assert not run.sources.filter(document="doi:10.5555/root").exists(), "it was not read, so it cannot be cited"
    assert verify_run(run).ok
    assert replay(log_of(run)).same
    page = signed_in(owner).get(reverse("research:network", args=[run.pk])).content.decode()
    look_at_the_picture(page, len(papers))
    strangers_and_other_methods(run, owner, outsider)


def look_at_the_picture(page: str, papers: int) -> None:
    """Every paper is in the picture, with a way to its row; what others wrote is escaped."""
    picture = re.search(r'<svg class="drawing" viewBox.*?</svg>', page, re.DOTALL)
    assert picture is not None
    to = re.findall(r'<a class="mark[^"]*" href="#(paper-\d+)"', picture[0])
    assert len(to) == papers
    assert all(f'<tr id="{row}">' in page for row in to)
    assert "<title id=" in picture[0]
    assert "<desc id=" in picture[0]
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in picture[0]
    assert "style=" not in page


def strangers_and_other_methods(run: Run, owner: User, outsider: User) -> None:
    address = reverse("research:network", args=[run.pk])
    assert signed_in(outsider).get(address).status_code == 404
    assert Client().get(address).status_code == 302
    assert signed_in(owner).post(address).status_code == 405


@pytest.mark.long
def test_each_request_is_a_step_and_what_is_drawn_is_not_drawn_again(forest: Project, owner: User, links: Site) -> None:
    run = drawn(forest, owner)
    keys = run.steps.filter(key__startswith="network/").values_list("key", flat=True)
    assert len([key for key in keys if key.startswith("network/references/openalex/")]) >= 3
    assert len([key for key in keys if key.startswith("network/drawn/")]) == 1
    assert run.provenance.filter(event_type="network_query").count() == len(keys) - 1


@pytest.mark.long
def test_where_one_catalogue_fails_the_other_is_asked(forest: Project, owner: User, links: Site) -> None:
    """What failed is named on the page, in the log and in the report; it is never an empty list."""

    def broken(asked: ReceivedRequest) -> Answer:
        return down(asked) if asked.query.get("filter") else openalex(asked)

    links.answer(OPENALEX, broken)
    reference = {"paperId": "a" * 40, "title": "An older paper", "year": 1950, "externalIds": {"DOI": "10.5555/older"}}
    for paper in PAPERS:
        ids = paper["externalIds"]
        name = f"DOI:{ids['DOI'].lower()}" if "DOI" in ids else f"PMID:{ids.get('PubMed')}"
        links.answer(f"/graph/v1/paper/{name}/references", {"data": [{"citedPaper": reference}]})
        links.answer(f"/graph/v1/paper/{name}/citations", {"data": []})
    run = drawn(forest, owner)
    assert any(paper["id"] == "doi:10.5555/older" for paper in run.network["papers"])
    (failure,) = run.network["failures"]
    assert failure.startswith("OpenAlex did not answer ")
    page = signed_in(owner).get(reverse("research:network", args=[run.pk])).content.decode()
    assert failure in page
    failures = run.provenance.filter(event_type="provider_failed", details__provider="openalex")
    times = failures.exclude(details__kind="resting").count()  # those for which it was really asked
    assert times > 0
    assert f"> OpenAlex could not be searched {times} of " in run.report
    assert replay(log_of(run)).same


@pytest.mark.long
def test_where_nobody_answers_none_is_drawn_and_the_report_is_written(
    forest: Project, owner: User, links: Site
) -> None:
    def broken(asked: ReceivedRequest) -> Answer:
        return down(asked) if asked.query.get("filter") else openalex(asked)

    links.answer(OPENALEX, broken)
    for paper in PAPERS:
        ids = paper["externalIds"]
        name = f"DOI:{ids['DOI'].lower()}" if "DOI" in ids else f"PMID:{ids.get('PubMed')}"
        for side in ("references", "citations"):
            links.answer(f"/graph/v1/paper/{name}/{side}", down)
    run = drawn(forest, owner)
    assert run.network["papers"] == []
    assert "No catalogue returned any citation data" in run.network["why"]
    assert len(run.network["failures"]) == 2
    assert run.provenance.filter(event_type="network_not_drawn").count() == 1
    page = signed_in(owner).get(reverse("research:network", args=[run.pk])).content.decode()
    assert "No catalogue returned any citation data" in page


@pytest.mark.long
def test_too_few_works_make_no_network(forest: Project, owner: User, links: Site) -> None:
    links.answer(S2, {"total": 1, "data": PAPERS[:1]})
    links.answer(OPENALEX, {"meta": {"count": 0}, "results": []})
    run = drawn(forest, owner)
    assert re.search(r"\d works? with an identifier was found, but it takes at least 3", run.network["why"])


@pytest.mark.long
def test_a_run_that_asks_no_catalogue_says_so(forest: Project, owner: User) -> None:
    run = researched(forest, owner, overrides={"enable_citation_network": True})
    assert run.network["why"] == "There is no citation network: this run does not use any catalogue."
    page = signed_in(owner).get(reverse("research:network", args=[run.pk])).content.decode()
    assert "does not use any catalogue" in page


def test_without_the_profile_none_is_drawn(forest: Project, owner: User) -> None:
    run = researched(forest, owner)
    assert run.network == {}
    page = signed_in(owner).get(reverse("research:network", args=[run.pk])).content.decode()
    assert "does not build a citation network" in page
    assert structured(run)["network"] == {}


@pytest.mark.long
def test_the_log_names_tools_providers_and_style(forest: Project, owner: User, links: Site) -> None:
    run = drawn(forest, owner)
    details = run.provenance.get(event_type="tools_enabled").details
    assert details["providers"] == ["library", "openalex", "semantic_scholar"]
    assert {"web_search", "citation_search", "citation_network", "claim_verification"} <= set(details["tools"])
    assert "methodology_assessment" not in details["tools"]
    assert details["style"] == "apa"
