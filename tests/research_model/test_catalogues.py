"""A run over three catalogues that know the same works: each is one work, cited from the best that is known of it."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.apps import apps
from django.db import transaction
from django.test import override_settings

from citations.importing.file_import import import_entries
from jobs.models import State
from projects.models import Project, User
from research.export.bibliography import bibtex_of
from research.export.export import FORMATS, export
from research.export.structured import structured
from research.journal.provenance import log_of, verify_run
from research.models import Run
from research.replay import replay
from tests.people import asha, her_thesis, signed_in
from tests.research.finished_run import owner, run
from tests.research.forest_thesis import REFERENCES, researched
from tests.research_model.catalogue_works import (
    ASKED,
    OPENALEX,
    OWN,
    PAPERS,
    PATHS,
    PULLED,
    ROOTS,
    S2,
    SHADE,
    hold,
    paper,
    quoting,
    work,
)
from tests.research_model.conversation import done, inside, passages_in, plays, read, search, tool_results
from tests.research_model.script import KEY, role_of
from tests.servers.catalogues import Site
from tests.servers.messages import Answer, Request, Service, model_answer, serving
from tests.sources.conftest import BASES, KEYS, PROVIDERS

__all__ = ["owner", "run"]

pytestmark = pytest.mark.django_db

SHADE_ID, ROOTS_ID, PULLED_ID, NORTH_ID = (
    "doi:10.5555/shade.1",
    "pmid:30000002",
    "doi:10.5555/pulled.3",
    "web:river.example/15",
)


def disagreeing(request: Request) -> Any:
    """A model that also sees two texts of one work and the person's own reference at odds, and a text that is none."""
    answer = quoting(request)
    if role_of(request) != "condense":
        return answer
    assert isinstance(answer, Answer)
    condensed = json.loads(answer.content[0]["text"])
    ids = {finding["quote"]: finding["source_id"] for finding in condensed["findings"]}
    sides = [ids[SHADE], "binkley2003", f"{SHADE_ID}::pubmed-cea0b7", "made up"]
    conflict = {"description": "Shade or mixture?", "source_ids": sides, "about": "", "sides": []}
    return model_answer(answer={**condensed, "contradictions": [conflict]})


@pytest.fixture(scope="module")
def finished(django_db_setup: None, django_db_blocker: Any) -> Iterator[UUID]:
    """The key of a run whose service and catalogues are gone by now."""
    with django_db_blocker.unblock(), transaction.atomic():
        with serving() as service, Site() as shelves:
            places = {**dict.fromkeys(BASES, shelves.base), **KEYS, "GOOGLE_CX": "engine"}
            engine = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": service.url}
            with override_settings(**places, **engine, SOURCE_PACE=dict.fromkeys(PROVIDERS, 1000.0)):
                hold(shelves)
                plays(service, [search("alder", "mixed stands")], [done()], then=disagreeing)
                owner = asha()
                project = her_thesis(owner)
                import_entries(project, REFERENCES)
                project.citations.update(tier="A")
                run = researched(project, owner, profile="general", overrides={**ASKED, "citation_style": "apa"})
                assert run.job.state == State.DONE, run.job.reason
                asked = Counter(one.path for one in shelves.asked)
                # Both queries bring the same works of PubMed: asked for once where the first answer came in time.
                assert {asked.pop("/esummary.fcgi"), asked.pop("/efetch.fcgi")} <= {1, 2}
                assert asked == dict.fromkeys(set(PATHS) - {"/esummary.fcgi", "/efetch.fcgi"}, 2)
        yield run.pk
        transaction.set_rollback(True)


def test_each_work_is_listed_once(run: Run) -> None:
    """R8, R13: with the richest of what the catalogues know."""
    listed = {source["id"]: source for source in structured(run)["sources"]}
    assert list(listed) == ["binkley2003", SHADE_ID, NORTH_ID, ROOTS_ID, "rossi1999", PULLED_ID]
    shade = listed[SHADE_ID]
    assert shade == {
        "id": SHADE_ID,
        "number": 2,
        "title": "Shade and alder growth",
        "url": "https://doi.org/10.5555/shade.1",
        "source_type": "article-journal",
        "authors": ["Okafor, A.", "van der Moss, P. Q.", "River Woods Group"],
        "year": 2019,
        "venue": "Journal of river woods",
        "doi": "10.5555/shade.1",
        "citation_count": 41,
        "retracted": False,
        "provider": shade["provider"],
        "also_found_in": shade["also_found_in"],
        "page": None,
        "heading": "",
        "volume": "12",
        "issue": "3",
        "pages": "101-118",
        "publisher": "River Press",
        "pmid": "30000001",
        "pmcid": "",
        "isbn": "",
        "issn": "",
        "arxiv": "",
        "open_access_url": shade["open_access_url"],
        "academic": True,
        "cite_key": "okafor2019shadealder",
        "retrieved_at": shade["retrieved_at"],
    }
    assert {shade["provider"], *shade["also_found_in"]} == {"semantic_scholar", "openalex", "pubmed"}
    assert listed[ROOTS_ID]["citation_count"] == 9
    csl = run.sources.distinct_works().get(document=SHADE_ID).csl
    assert (csl["PMID"], csl["publisher"], csl["volume"], csl["page"]) == ("30000001", "River Press", "12", "101-118")


def test_each_record_keeps_its_own_row(run: Run) -> None:
    """Findings rest on texts, and a text on the record that it came with; the log says what is the same, and why."""
    rows = {row.source_id: row for row in run.sources.select_related("duplicate_of")}
    told = {
        entry.details["source_id"]: (entry.details["duplicate_of"], entry.details["reason"])
        for entry in run.provenance.filter(event_type="source_deduplicated")
    }
    duplicates = {id: row.duplicate_of.source_id for id, row in rows.items() if row.duplicate_of}
    assert {id: of for id, (of, _) in told.items()} == duplicates
    assert len(duplicates) == 5
    assert sorted(reason for _, reason in told.values()) == [
        "It has the same DOI, 10.5555/alder.1.",
        "It has the same DOI, 10.5555/pulled.3.",
        "It has the same DOI, 10.5555/shade.1.",
        "It has the same DOI, 10.5555/shade.1.",
        "It has the same PMID, 30000002.",
    ]
    discovered = run.provenance.filter(event_type="source_discovered")
    assert {entry.details["source_id"] for entry in discovered} == set(rows)
    queries = run.provenance.filter(event_type="provider_query", details__query="alder").order_by("id")
    counts = {entry.details["provider"]: entry.details["result_count"] for entry in queries}
    assert counts == {"library": 1, "semantic_scholar": 4, "openalex": 3, "pubmed": 2}


def test_references_come_from_metadata(run: Run) -> None:
    """R10, R14."""
    assert run.report.partition("## References\n\n")[2].splitlines()[::2] == [
        "[1] Binkley, D., & Senock, R. (2003). Red alder and Douglas-fir in mixture. *Forest Letters*, *12*, 1–9. "
        "https://doi.org/10.5555/alder.1",
        "[2] Okafor, A., Jr, van der Moss, P. Q., & River Woods Group. "
        "(2019a). Shade and alder growth. *Journal of River "
        "Woods*, *12*(3), 101–118. https://doi.org/10.5555/shade.1",
        "[3] Alders of the north. (2019). *Journal of River Woods*, *12*(3), 101–118. https://river.example/15",
        "[4] Okafor, A., Jr, van der Moss, P. Q., & River Woods Group. (2019b). Root nodules of alder and nitrogen. "
        "*Journal of River Woods*, *12*(3), 101–118. https://pubmed.ncbi.nlm.nih.gov/30000002/",
    ]
    keys = [line for line in bibtex_of(run).splitlines() if line.startswith("@")]
    assert keys == [
        "@article{binkley2003,",
        "@article{okafor2019shadealder,",
        "@article{alders2019aldersnorth,",
        "@article{okafor2019rootnodules,",
    ]


def test_findings_and_contradictions_name_works(run: Run) -> None:
    """R13: by the ids of the list of sources."""
    known = structured(run)
    listed = {source["id"] for source in known["sources"]}
    rests_on = {finding["content"]: finding["source_ids"] for finding in known["findings"]}
    assert rests_on[SHADE] == [SHADE_ID]
    assert rests_on[ROOTS] == [ROOTS_ID], "which PubMed has an abstract of, and Semantic Scholar has not"
    assert {id for ids in rests_on.values() for id in ids} <= listed
    (conflict,) = known["contradictions"]
    assert (conflict["id"], conflict["description"]) == ("D1-1", "Shade or mixture?")
    assert conflict["source_ids"] == [SHADE_ID, "binkley2003"]
    assert [side["title"] for side in conflict["sides"]] == [
        "Shade and alder growth",
        "Red alder and Douglas-fir in mixture",
    ]
    assert conflict["sides"][0]["says"] == [SHADE]


def test_counters(run: Run) -> None:
    kept = {name: run.job.counters[name] for name in ("sources", "kept", "set_aside", "findings", "nodes", "gaps")}
    assert kept == {"sources": 6, "kept": 4, "set_aside": 2, "findings": 4, "nodes": 1, "gaps": 0}


def test_what_each_gave_is_in_the_report(run: Run) -> None:
    note = run.report.splitlines()[2]
    assert "The library was asked 2 times and gave 2 passages of 2 documents, which is all it holds." in note
    for sentence in (
        "Semantic Scholar answered 2 times and gave 4 works.",
        "OpenAlex answered 2 times and gave 3 works.",
        "PubMed answered 2 times and gave 2 works.",
    ):
        assert sentence in note


def test_the_log_holds_and_gives_the_same_report(run: Run) -> None:
    """R12, with every server gone."""
    assert verify_run(run).ok
    again = replay(log_of(run))
    assert (again.same, again.report) == (True, run.report)


def test_no_key_is_kept(run: Run, owner: User) -> None:
    secrets = [KEY, *KEYS.values()]
    written = [str(row) for model in apps.get_models() for row in model._default_manager.values()]
    written += [export(run, name).body.decode("utf-8", "replace") for name in FORMATS]
    written += [signed_in(owner).get(f"/runs/{run.pk}/{page}").content.decode() for page in ("", "report/", "sources/")]
    assert len(written) > 100
    assert not [secret for secret in secrets for text in written if secret in text]


# What one catalogue knows and another does not


@pytest.mark.sample(1)
@pytest.mark.parametrize("providers", ["semantic_scholar,openalex", "openalex,semantic_scholar"])
def test_a_retracted_work_is_listed_and_no_evidence(
    project: Project, owner: User, service: Service, shelves: Site, providers: str
) -> None:
    """Whoever knows that it was retracted, and whoever answers first; its page is not read either."""
    hold(shelves)
    page = "https://doi.org/10.5555/pulled.3"
    plays(service, [search("alder")], [read(page)], [done()], then=quoting)
    run = researched(project, owner, profile="general", overrides={"providers": providers})
    assert run.job.state == State.DONE, run.job.reason
    assert not run.findings.filter(content=PULLED).exists()
    assert PULLED not in run.report
    assert PULLED not in str(tool_results(service, 1)), "nor is it shown"
    assert inside(tool_results(service, 2)[0]).splitlines()[0] == f"Not read, since the work was retracted: {page}"
    assert not run.steps.filter(kind="fetch").exists()
    row = run.sources.distinct_works().get(document=PULLED_ID)
    assert row.retracted
    assert row.csl["custom"] == {"retracted": True}
    assert PULLED_ID in [source["id"] for source in structured(run)["sources"]]
    condensed = [request for request in service.requests if role_of(request) == "condense"]
    assert PULLED not in str(condensed)


def test_a_record_that_comes_again(project: Project, owner: User, service: Service, shelves: Site) -> None:
    """In one answer, with another query, and in another node: one row, found once."""
    one = PAPERS[0]
    parts = [
        {"topic": topic, "question": f"What of {topic}?", "perspective": "", "priority": 1, "evidence_needed": ""}
        for topic in ("shade", "roots")
    ]

    def split(request: Request) -> Any:
        if role_of(request) == "decompose" and "Depth: 0" in str(request):
            return model_answer(answer={"directives": parts, "rationale": "Two things are asked."})
        return quoting(request)

    shelves.answer(S2, {"total": 3, "data": [one, one, one]})
    plays(service, [search("alder", "firs")], [done()], then=split)
    run = researched(project, owner, profile="general", overrides={"providers": "semantic_scholar"})
    assert run.job.state == State.DONE, run.job.reason
    assert run.nodes.count() == 3
    assert run.sources.get().document == SHADE_ID
    assert not run.provenance.filter(event_type="source_deduplicated").exists()
    assert run.provenance.filter(event_type="source_discovered").count() == 1
    assert [finding["content"] for finding in structured(run)["findings"]] == [SHADE], "one span, one finding"
    assert replay(log_of(run)).same


def test_two_works_turn_out_to_be_one(project: Project, owner: User, service: Service, shelves: Site) -> None:
    """A later record ties what two earlier ones told apart: one entry, one witness."""
    by_doi = paper(1, "Shade and alders", SHADE, externalIds={"DOI": "10.5555/shade.1"})
    by_pmid = paper(2, "Schatten und Erlen", ROOTS, externalIds={"PubMed": "30000001"})
    both = work(3, "Shade and alders", OWN, "10.5555/shade.1", ids={"pmid": "https://pubmed.ncbi.nlm.nih.gov/30000001"})
    shelves.answer(S2, {"total": 2, "data": [by_doi, by_pmid]}, {"total": 0})
    shelves.answer(OPENALEX, {"results": []}, {"results": [both]})
    plays(service, [search("alder")], [search("shade")], [done()], then=quoting)
    run = researched(project, owner, profile="general", overrides={"providers": "semantic_scholar,openalex"})
    assert run.job.state == State.DONE, run.job.reason
    assert [source["id"] for source in structured(run)["sources"]] == [SHADE_ID]
    assert {tuple(finding["source_ids"]) for finding in structured(run)["findings"]} == {(SHADE_ID,)}
    assert run.report.count("\n[1] ") == 1
    assert "\n[2] " not in run.report
    judged = next(request for request in service.requests if role_of(request) == "sufficiency")
    assert "Different documents behind the findings: 1;" in str(judged)
    told_of = run.provenance.filter(event_type="source_deduplicated").values_list("details__source_id", flat=True)
    assert sorted(id.partition("::")[0] for id in told_of) == [SHADE_ID, "pmid:30000001"]
    assert replay(log_of(run)).same


@pytest.mark.sample(1)
@pytest.mark.parametrize("queries", [["mixture"], ["lupin", "mixture"]])
def test_the_persons_own_reference(
    forest: Project, owner: User, service: Service, shelves: Site, queries: list[str]
) -> None:
    """Found in a catalogue too, before or after the library was asked: their own entry stands, under its own key."""
    forest.citations.update(tier="A")
    found = paper(4, "RED ALDER & DOUGLAS-FIR", OWN, externalIds={"DOI": "10.5555/alder.1", "PubMed": "30000004"})
    shelves.answer(S2, {"total": 1, "data": [found]})
    plays(service, *([search(query)] for query in queries), [done()], then=quoting)
    run = researched(forest, owner, profile="general", overrides={"providers": "semantic_scholar"}, file_ids=[])
    assert run.job.state == State.DONE, run.job.reason
    assert [source["id"] for source in structured(run)["sources"]] == ["binkley2003"]
    assert structured(run)["sources"][0]["title"] == "Red alder and Douglas-fir in mixture"
    assert bibtex_of(run).startswith("@article{binkley2003,")
    assert bibtex_of(run).count("@") == 1
    entry = run.provenance.get(event_type="source_deduplicated")
    assert entry.details["duplicate_of"] == "binkley2003"
    assert entry.details["source_id"].startswith("doi:10.5555/alder.1::semantic_scholar-")
    assert run.sources.exclude(duplicate_of=None).get().document == "binkley2003"
    assert replay(log_of(run)).same


def test_an_unproven_reference_takes_no_works_text(
    forest: Project, owner: User, service: Service, shelves: Site
) -> None:
    """A DOI that nobody has looked up yet may be another work's."""
    shelves.answer(
        S2, {"total": 1, "data": [paper(4, "Bread and crumbs", OWN, externalIds={"DOI": "10.5555/alder.1"})]}
    )
    plays(service, [search("mixture")], [done()], then=quoting)
    run = researched(forest, owner, profile="general", overrides={"providers": "semantic_scholar"}, file_ids=[])
    assert {source["id"] for source in structured(run)["sources"]} == {"binkley2003", "doi:10.5555/alder.1"}


def test_a_record_without_an_abstract(project: Project, owner: User, service: Service, shelves: Site) -> None:
    """It is listed and shown, but a title alone is no evidence."""
    shelves.answer(
        S2, {"total": 2, "data": [paper(1, "Alder raised nitrogen", None), paper(2, "Alder and shade", SHADE)]}
    )
    plays(service, [search("alder")], [done()], then=quoting)
    run = researched(project, owner, profile="general", overrides={"providers": "semantic_scholar"})
    assert [passage["text"] == "" for passage in passages_in(tool_results(service, 1)[0])] == [True, False]
    assert [finding.content for finding in run.findings.all()] == [SHADE]
    assert len(structured(run)["sources"]) == 2
