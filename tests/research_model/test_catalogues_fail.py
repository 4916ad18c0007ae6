"""Catalogues that do not answer, send rubbish, or have no key: said as that, never as having found nothing (R11)."""

from typing import Any

import pytest
from pytest_django import Settings

from jobs.models import State
from projects.models import Project, User
from research.export.structured import structured
from research.journal.provenance import log_of, verify_run
from research.models import Run
from research.replay import replay
from tests.research.forest_thesis import researched
from tests.research_model.catalogue_works import (
    ASKED,
    OPENALEX,
    PATHS,
    PUBMED,
    S2,
    SHADE,
    down,
    hold,
    paper,
    quoting,
    work,
)
from tests.research_model.conversation import done, inside, passages_in, plays, search, tool_results, turns
from tests.servers.catalogues import (
    CROSSREF_WORK,
    GOOGLE_RESULT,
    OPENALEX_WORK,
    PUBMED_RECORD,
    S2_PAPER,
    TAVILY_RESULT,
    Answer,
    ReceivedRequest,
    Site,
    crossref_list,
    esearch,
    esummary,
)
from tests.servers.messages import Service
from tests.sources.conftest import KEYS

pytestmark = [pytest.mark.django_db, pytest.mark.long]

NOTHING: dict[str, Any] = {S2: {"total": 0}, OPENALEX: {"results": []}, "/esearch.fcgi": esearch()}


def run_of(project: Project, owner: User, **options: Any) -> Run:
    return researched(project, owner, **{"profile": "general", "overrides": ASKED, **options})


def test_one_that_is_down(project: Project, owner: User, service: Service, shelves: Site) -> None:
    """The run goes on with the others, and says so to the person, in the report, and to the model."""
    hold(shelves)
    shelves.answer(S2, down)
    plays(service, [search("alder")], [done()], then=quoting)
    run = run_of(project, owner)
    assert run.job.state == State.DONE, run.job.reason
    why = "Semantic Scholar has a server error (503). Tried 4 times."
    assert run.job.events.get(kind="provider_failed").text == f"Semantic Scholar was asked for “alder”. {why}"
    assert run.provenance.get(event_type="provider_failed").details == {
        "provider": "semantic_scholar",
        "query": "alder",
        "why": why,
        "kind": "broken",
    }
    note = run.report.splitlines()[2]
    assert note.startswith(f"> Semantic Scholar could not be searched (tried 1 time): {why}"), "named first"
    assert "not the same as having nothing" in note
    assert "Semantic Scholar answered" not in note
    assert "OpenAlex answered 1 time" in note
    assert inside(tool_results(service, 1)[0]).startswith(f"Failed: {why}\n{{")
    assert SHADE in run.report
    assert verify_run(run).ok
    assert replay(log_of(run)).same


def test_abstracts_that_are_missing(project: Project, owner: User, service: Service, shelves: Site) -> None:
    """Half an answer is not passed off as a whole one."""
    hold(shelves)
    shelves.answer("/efetch.fcgi", down)
    plays(service, [search("alder")], [done()], then=quoting)
    run = run_of(project, owner)
    said = "PubMed's abstracts are missing: PubMed has a server error (503)."
    assert said in run.report
    assert said in run.job.events.filter(kind="search_completed", text__contains="PubMed").get().text
    assert said in tool_results(service, 1)[0]


def test_all_are_down_and_the_library_is_empty(project: Project, owner: User, service: Service, shelves: Site) -> None:
    for path in PATHS:
        shelves.answer(path, down)
    plays(service, [search("alder", "firs")], [done()], then=quoting)
    run = run_of(project, owner)
    assert run.job.state == State.FAILED
    assert run.report == ""
    assert run.job.reason.startswith("OpenAlex could not be searched (tried "), "named first"
    assert "No evidence, so no report. No catalogue answered, which is not the same as having" in run.job.reason
    for name in ("Semantic Scholar", "OpenAlex", "PubMed"):
        assert f"{name} could not be searched (tried " in run.job.reason
        assert f"{name} has a server error (503)." in run.job.reason
    assert "Nothing new was found" not in str(turns(service)), "nobody has looked"
    gap = run.gaps.open().get()
    assert gap.description.startswith("No search was answered, so nothing is known yet. ")
    assert run.nodes.get().state == "failed"
    assert verify_run(run).ok
    assert replay(log_of(run)).same


def test_all_answer_and_have_nothing(project: Project, owner: User, service: Service, shelves: Site) -> None:
    for path, answer in NOTHING.items():
        shelves.answer(path, answer)
    plays(service, [search("alder")], [done()], then=quoting)
    run = run_of(project, owner)
    assert run.job.state == State.FAILED
    assert run.job.reason.startswith("No evidence, so no report. Nothing in your library or the catalogues answers")
    assert "could not be searched" not in run.job.reason
    assert inside(tool_results(service, 1)[0]) == "Nothing new was found."


def test_one_has_nothing_and_the_others_are_down(
    project: Project, owner: User, service: Service, shelves: Site
) -> None:
    for path in PATHS:
        shelves.answer(path, down)
    shelves.answer(S2, NOTHING[S2])
    plays(service, [search("alder")], [done()], then=quoting)
    run = run_of(project, owner)
    assert run.job.state == State.FAILED
    assert "OpenAlex could not be searched (tried 1 time)" in run.job.reason
    assert "Semantic Scholar did not" not in run.job.reason


def test_a_key_that_is_refused(project: Project, owner: User, service: Service, shelves: Site) -> None:
    """What a catalogue says of it is quoted without the key."""
    hold(shelves)
    shelves.answer(S2, Answer({"message": f"Forbidden for {KEYS['S2_API_KEY']}"}, 403))
    plays(service, [search("alder")], [done()], then=quoting)
    run = run_of(project, owner)
    assert "Semantic Scholar refused the request or the API key (403): “Forbidden for [key]”." in run.report
    assert KEYS["S2_API_KEY"] not in str(log_of(run))


@pytest.mark.parametrize("setting", ["OPENALEX_API_KEY", "GOOGLE_CX"])
def test_no_key_no_question(
    project: Project, owner: User, service: Service, shelves: Site, settings: Settings, setting: str
) -> None:
    """Skipped aloud: in the stream, the log and the report."""
    setattr(settings, setting, "")
    hold(shelves)
    plays(service, [search("alder")], [done()], then=quoting)
    label = setting.partition("_")[0].title().replace("Openalex", "OpenAlex")
    run = run_of(project, owner, overrides={"providers": f"{label.lower()},pubmed"})
    said = f"Not searched: {label}, which needs {setting}."
    assert said in run.report
    assert run.job.events.get(kind="provider_skipped").text == said
    assert run.provenance.get(event_type="provider_skipped").summary == said
    assert set(shelves.paths()) == set(PUBMED)
    assert replay(log_of(run)).same


def test_an_empty_library_is_no_reason_to_stop(project: Project, owner: User, service: Service, shelves: Site) -> None:
    hold(shelves)
    plays(service, [search("alder")], [done()], then=quoting)
    run = run_of(project, owner)
    assert run.job.state == State.DONE, run.job.reason
    assert "The library is empty." in run.report
    without = run_of(project, owner, overrides={"providers": "library"})
    assert without.job.state == State.FAILED
    assert without.job.reason.startswith("There is nothing to search")


# What they may send


def nulls(record: dict[str, Any], **known: Any) -> dict[str, Any]:
    return {**dict.fromkeys(record), **known}


def test_nulls_everywhere(project: Project, owner: User, service: Service, shelves: Site) -> None:
    """A title, an address, a number: that is all that may be there."""

    def works(asked: ReceivedRequest) -> Answer:
        if "search" in asked.query:
            return Answer({"results": [nulls(OPENALEX_WORK, id="https://openalex.org/W1"), None]})
        return Answer(crossref_list(nulls(CROSSREF_WORK, DOI="10.5555/null.1"), None))

    shelves.answer(S2, {"total": None, "data": [nulls(S2_PAPER, title="Alder"), None, paper(1, "Shade", SHADE)]})
    shelves.answer("/works", works)
    shelves.answer("/esearch.fcgi", esearch("7"))
    shelves.answer("/esummary.fcgi", esummary(nulls(PUBMED_RECORD, uid="7")))
    shelves.answer("/efetch.fcgi", "<PubmedArticleSet/>", kind="text/xml")
    shelves.answer("/search", {"results": [nulls(TAVILY_RESULT, url="https://river.example/1"), None]})
    shelves.answer("/customsearch/v1", {"items": [nulls(GOOGLE_RESULT, link="https://river.example/2")]})
    plays(service, [search("alder")], [done()], then=quoting)
    providers = "semantic_scholar,openalex,crossref,pubmed,tavily,google"
    run = run_of(project, owner, overrides={"providers": providers})
    assert run.job.state == State.DONE, run.job.reason
    assert "could not be searched" not in run.report
    assert len(passages_in(tool_results(service, 1)[0])) == run.sources.count() == 7
    assert [finding["content"] for finding in structured(run)["findings"]] == [SHADE]
    assert replay(log_of(run)).same


@pytest.mark.parametrize("count", [-1, 2**31, 10**14])
def test_counts_that_no_column_holds(
    project: Project, owner: User, service: Service, shelves: Site, count: int
) -> None:
    odd = paper(1, "Shade", SHADE, citationCount=count, externalIds={"DOI": "10.5555/shade.1"})
    shelves.answer(S2, {"total": 1, "data": [odd]})
    shelves.answer(OPENALEX, {"results": [work(1, "Shade", SHADE, "10.5555/shade.1", cited_by_count=count)]})
    plays(service, [search("alder")], [done()], then=quoting)
    run = run_of(project, owner, overrides={"providers": "semantic_scholar,openalex"})
    assert run.job.state == State.DONE, run.job.reason
    assert structured(run)["sources"][0]["citation_count"] is None


RUBBISH: dict[str, Any] = {
    "a web page": Answer("<html>Sign in</html>", kind="text/html"),
    "another shape": {"data": {"title": "Alder"}},
    "half an answer": Answer('{"data": [', kind="application/json"),
    "records of nothing": {"total": 2, "data": [{"paperId": None}, {}]},
}


@pytest.mark.parametrize("rubbish", RUBBISH.values(), ids=list(RUBBISH))
def test_rubbish_is_a_failure(project: Project, owner: User, service: Service, shelves: Site, rubbish: Any) -> None:
    hold(shelves)
    shelves.answer(S2, rubbish)
    plays(service, [search("alder")], [done()], then=quoting)
    run = run_of(project, owner)
    assert run.job.state == State.DONE, run.job.reason
    assert "Semantic Scholar could not be searched (tried 1 time): Semantic Scholar " in run.report


@pytest.mark.parametrize("query", ["“red alder”", 'title:"alder" AND (x OR y)', "Érable à sucre & 赤杨 100%", "'; --"])
def test_a_query_is_logged_as_it_was_asked(
    project: Project, owner: User, service: Service, shelves: Site, query: str
) -> None:
    hold(shelves)
    plays(service, [search(query)], [done()], then=quoting)
    run = run_of(project, owner)
    assert run.job.state == State.DONE, run.job.reason
    assert {asked.query.get("query") or asked.query.get("search") or query for asked in shelves.asked} == {query}
    logged = run.provenance.filter(event_type="provider_query").values_list("details__query", flat=True)
    assert list(logged) == [query] * 3


PAGE = Answer("<!doctype html><html><body>Please sign in</body></html>", kind="text/html")
HALF = Answer('{"total": 3, "data": [{"paperId"')


@pytest.mark.parametrize("body", [PAGE, HALF, Answer({"error": "backend"}), Answer("")], ids=range(4))
def test_one_that_answers_rubbish_is_given_up(
    project: Project, owner: User, service: Service, shelves: Site, body: Answer
) -> None:
    """R11: named first as one that could not be searched, never as having nothing,
    and left alone after five in a row."""
    hold(shelves)
    shelves.answer(S2, body)
    batches = [search(*(f"alder {turn} {n}" for n in range(4))) for turn in "abcdef"]
    plays(service, *([one] for one in batches), [done()], then=quoting)
    run = run_of(project, owner)
    assert run.job.state == State.DONE, run.job.reason
    # Of 24 queries; those of one turn are made at the same time.
    assert 5 <= sum(asked.path.startswith(S2) for asked in shelves.asked) <= 8
    note = run.report.splitlines()[2]
    assert note.startswith("> Semantic Scholar could not be searched (tried ")
    assert "Semantic Scholar answered 0" not in note
    kinds = list(run.provenance.filter(event_type="provider_failed").values_list("details__kind", flat=True))
    assert 5 <= kinds.count("unreadable") <= 8
    assert kinds.count("given_up") == 1, "said once"
    assert replay(log_of(run)).same
