"""R5: a model searches, reads and thinks with tools; what it may ask is counted, and stop rules end it."""

from typing import Any

import pytest
from pytest_django import Settings

from projects.models import Project, User
from research.journal.provenance import log_of
from research.replay import replay
from tests.research_model.conversation import (
    Call,
    cited_by,
    done,
    inside,
    like,
    passages_in,
    plays,
    read,
    search,
    think,
    tool_results,
    turns,
)
from tests.research_model.researcher_runs import SEARCH, found_for, papers, run_of, satisfied
from tests.research_model.script import reply, role_of
from tests.servers.catalogues import S2_PAPER, Answer, Site, changed
from tests.servers.messages import Request, Service, model_answer

pytestmark = pytest.mark.django_db


CITATIONS = "/graph/v1/paper/DOI:10.5555/alder.2019.7/citations"
RELATED = "/recommendations/v1/papers/"
CITING = {"providers": "semantic_scholar", "enable_citation_tools": True}


# What one search is


def test_a_single_query_and_a_batch(forest: Project, owner: User, service: Service, shelves: Site) -> None:
    shelves.answer(SEARCH, found_for)
    single = {"name": "web_search", "input": {"query": "  alder\n 1 "}}
    both = {"name": "web_search", "input": {"query": "alder 4", "queries": ["alder 2", "alder 3", "alder 2"]}}
    plays(service, [single], [both], [done()])
    run_of(forest, owner)
    assert sorted(asked.query["query"] for asked in shelves.asked) == ["alder 1", "alder 2", "alder 3", "alder 4"]
    assert tool_results(service, 1)[0].startswith("Calls left: 9.\n")
    assert tool_results(service, 2)[0].startswith("Calls left: 6.\n")
    assert [passage["title"][:7] for passage in passages_in(tool_results(service, 2)[0])] == [
        "Paper 2",
        "Paper 3",
        "Paper 4",
    ]


def test_a_batch_brings_each_work_once(forest: Project, owner: User, service: Service, shelves: Site) -> None:
    shelves.answer(SEARCH, papers(1, 2), papers(2, 3), papers(3, 1))
    plays(service, [search("a", "b", "c")], [done()])
    run_of(forest, owner)
    found = [passage["title"] for passage in passages_in(tool_results(service, 1)[0])]
    assert sorted(found) == [f"Paper {n} on what alder does to soils" for n in (1, 2, 3)]


def test_a_batch_is_cut_by_what_is_left(forest: Project, owner: User, service: Service, shelves: Site) -> None:
    """Ten calls a node: each query counts, and reading and citations count, thinking does not."""
    shelves.answer(SEARCH, found_for)
    shelves.answer(CITATIONS, {"data": [{"citingPaper": paper} for paper in papers(50)["data"]]})
    shelves.answer(RELATED, {"recommendedPapers": papers(51)["data"]})
    plays(
        service,
        [search("alder 1", "alder 2"), think("Two more."), search("alder 3")],
        [cited_by("10.5555/alder.2019.7"), like("10.5555/alder.2019.7"), read("https://papers.example/1")],
        [search(*(f"alder {n}" for n in range(4, 11)))],
        [done()],
    )
    run = run_of(forest, owner, overrides=CITING)
    assert [answer.partition("\n")[0] for turn in (1, 2) for answer in tool_results(service, turn)] == [
        *["Calls left: 7."] * 3,
        *["Calls left: 4."] * 3,
    ]
    assert {asked.query["limit"] for asked in shelves.asked if asked.path in (CITATIONS, RELATED)} == {"10"}
    queries = [asked.query["query"] for asked in shelves.asked if asked.path == SEARCH]
    assert sorted(queries) == sorted(f"alder {n}" for n in range(1, 8)), "four of seven, the first ones"
    assert len(turns(service)) == 3, "without a call left there is nothing to go on for"
    assert run.nodes.get().searches == 7


@pytest.mark.long
def test_calls_beyond_the_last_are_not_made(forest: Project, owner: User, service: Service, shelves: Site) -> None:
    shelves.answer(SEARCH, found_for)
    batch = [search(*(f"alder {n}" for n in range(8))), search(*(f"beech {n}" for n in range(10, 15))), search("oak")]
    plays(service, [*batch, read("https://papers.example/1"), done()])
    run = run_of(forest, owner)
    queries = [asked.query["query"] for asked in shelves.asked]
    assert sorted(queries) == sorted([*(f"alder {n}" for n in range(8)), "beech 10", "beech 11"])
    assert not run.steps.filter(kind="fetch").exists()


def test_a_query_made_before_costs_nothing(forest: Project, owner: User, service: Service, shelves: Site) -> None:
    shelves.answer(SEARCH, found_for)
    plays(
        service, [search("alder 1"), search("alder 1")], [search("alder 1")], [search(" alder 1", "alder 2")], [done()]
    )
    run_of(forest, owner)
    assert [inside(answer) for answer in tool_results(service, 1)[1:] + tool_results(service, 2)] == [
        "Every one of these queries was made before."
    ] * 2
    assert tool_results(service, 3)[0].startswith("Calls left: 8.")
    assert [asked.query["query"] for asked in shelves.asked] == ["alder 1", "alder 2"]


# What a model may get wrong

WRONG: list[tuple[Call, str]] = [
    ({"name": "web_search", "input": {}}, "give query or queries"),
    ({"name": "web_search", "input": {"query": " ", "queries": ["\n"]}}, "give query or queries"),
    ({"name": "web_search", "input": {"queries": "alder"}}, "queries: Input should be a valid list"),
    (search(*map(str, range(11))), "at most 10 items"),
    (search("x" * 401), "at most 400 characters"),
    ({"name": "extract_content", "input": {"urls": []}}, "at least 1 item"),
    (read("https://a.example", "https://b.example", "https://c.example"), "at most 2 items"),
    (cited_by("10.1/x", max_results=51), "less than or equal to 50"),
    (like("10.1/x", max_results=21), "less than or equal to 20"),
    ({"name": "delete_files", "input": {"all": True}}, "There is no tool delete_files; use web_search, think"),
    (think({"mood": "odd"}), "thought: Input should be a valid string"),
    (think(None), "thought: Input should be a valid string"),
    ({"name": "research_complete", "input": {"reason": 3}}, "reason: Input should be a valid string"),
]


def test_a_wrong_call_is_told_and_costs_nothing(forest: Project, owner: User, service: Service, shelves: Site) -> None:
    shelves.answer(SEARCH, found_for)
    plays(service, [call for call, _ in WRONG], [search("alder 1")], [done()])
    run = run_of(forest, owner, overrides=CITING)
    request = turns(service)[1]
    answers = request["messages"][-1]["content"]
    assert [answer["tool_use_id"] for answer in answers] == [f"toolu_{n}" for n in range(1, len(WRONG) + 1)]
    for answer, (_, words) in zip(answers, WRONG, strict=True):
        assert answer["is_error"] is True
        assert words in answer["content"]
    assert tool_results(service, 2)[0].startswith("Calls left: 9.")
    assert [asked.path for asked in shelves.asked] == [SEARCH]
    assert run.nodes.get().searches == 1
    assert replay(log_of(run)).same


def test_calls_of_a_turn_are_answered_in_their_order(
    forest: Project, owner: User, service: Service, shelves: Site
) -> None:
    """Whoever answers first."""
    shelves.answer(
        SEARCH, lambda asked: Answer(papers(len(asked.query["query"])), delay=0.1 / len(asked.query["query"]))
    )
    calls = [search("a"), think("Wait."), search("bb", "cccc"), {"name": "nonsense", "input": {}}]
    plays(service, calls, [done()])
    run_of(forest, owner)
    answers = turns(service)[1]["messages"][-1]["content"]
    assert [answer["tool_use_id"] for answer in answers] == ["toolu_1", "toolu_2", "toolu_3", "toolu_4"]
    assert [passage["title"][:7] for passage in passages_in(answers[0]["content"])] == ["Paper 1"]
    assert [passage["title"][:7] for passage in passages_in(answers[2]["content"])] == ["Paper 2", "Paper 4"]
    assert inside(answers[1]["content"]) == "Kept."


def test_text_alone_ends_the_search(forest: Project, owner: User, service: Service, shelves: Site) -> None:
    shelves.answer(SEARCH, found_for)
    plays(service, [search("alder 1")], "I have what I need.")
    run = run_of(forest, owner)
    assert len(turns(service)) == 2
    assert run.job.events.get(kind="thought").text == "I have what I need."


def test_thinking_first_is_no_stopping(forest: Project, owner: User, service: Service, shelves: Site) -> None:
    """A thought before the first search costs nothing and is answered as any other."""
    shelves.answer(SEARCH, found_for)
    plays(service, [think("Alder first.")], [search("alder 1")], [done()])
    run = run_of(forest, owner)
    assert [asked.query["query"] for asked in shelves.asked] == ["alder 1"]
    assert turns(service)[1]["messages"][1]["content"][0]["name"] == "think"
    assert tool_results(service, 2)[0].startswith("Calls left: 9.")
    assert run.job.events.get(kind="thought").text == "Alder first."


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "turn",
    [
        "I know it all.",
        [done()],
        [think("I know it all."), done()],
        [search(), done()],
        [read("https://river.example/alder"), done()],
    ],
)
def test_nobody_stops_before_the_first_search(
    forest: Project, owner: User, service: Service, shelves: Site, turn: Any
) -> None:
    """R5: however a model puts it, the question itself is searched for once."""
    shelves.answer(SEARCH, found_for)
    plays(service, turn)
    run = run_of(forest, owner)
    assert [asked.query["query"] for asked in shelves.asked] == [run.question]
    assert run.nodes.get().searches == 1


def test_a_model_that_never_stops(forest: Project, owner: User, service: Service, shelves: Site) -> None:
    shelves.answer(SEARCH, papers(1))
    plays(service, [search("lupin")], [think("And on.")], then=satisfied)
    run = run_of(forest, owner)
    assert len(turns(service)) == 12
    assert run.gaps.get().description.endswith(
        "1 source is not enough to rest on. The search was ended after 12 turns."
    )
    assert replay(log_of(run)).same


@pytest.mark.long
def test_a_model_that_only_thinks(forest: Project, owner: User, service: Service, shelves: Site) -> None:
    shelves.answer(SEARCH, found_for)
    plays(service, [think("Hm.")])
    run = run_of(forest, owner)
    assert len(turns(service)) == 12
    assert [asked.query["query"] for asked in shelves.asked] == [run.question], "searched for before it ends"


# Who is asked, and with what


def test_citations_of_papers_in_any_spelling(forest: Project, owner: User, service: Service, shelves: Site) -> None:
    one = papers(1)["data"]
    shelves.answer(SEARCH, {"total": 1, "data": [S2_PAPER]})
    ids = {
        "10.5555/Alder.2019.7": "DOI:10.5555/alder.2019.7",
        "PMID: 30123456": "PMID:30123456",
        "arXiv:1901.01234v2": "ARXIV:1901.01234",
        S2_PAPER["paperId"]: S2_PAPER["paperId"],
        "10.1002/(SICI)1097-0258(19980815/30)17:15/16<1661::AID-SIM968>3.0.CO;2-2": (
            "DOI:10.1002/(sici)1097-0258(19980815/30)17:15/16<1661::aid-sim968>3.0.co;2-2"
        ),
    }
    for known in ids.values():
        shelves.answer(f"/graph/v1/paper/{known}/citations", {"data": [{"citingPaper": paper} for paper in one]})
    plays(service, [search("alder")], [cited_by(paper, max_results=3) for paper in ids], [done()])
    run_of(forest, owner, overrides=CITING)
    looked_up = {asked.path: asked.query["limit"] for asked in shelves.asked if asked.path.endswith("/citations")}
    assert looked_up == {f"/graph/v1/paper/{known}/citations": "3" for known in ids.values()}
    assert passages_in(tool_results(service, 2)[0])[0]["title"] == "Paper 1 on what alder does to soils"
    assert tool_results(service, 2)[4].startswith("Calls left: 4.")


def test_citations_of_a_passage(forest: Project, owner: User, service: Service, shelves: Site) -> None:
    """By our own ids of what a search has brought: of a catalogue's record, with and without a DOI, of a reference."""
    forest.citations.filter(cite_key="binkley2003").update(tier="A")
    no_doi = changed(S2_PAPER, externalIds={}, paperId="a" * 40, title="On alders and other trees", openAccessPdf=None)
    no_doi["url"] = f"https://www.semanticscholar.org/paper/{'a' * 40}"
    shelves.answer(SEARCH, {"total": 2, "data": [S2_PAPER, no_doi]})
    shelves.answer(RELATED, {"recommendedPapers": papers(9)["data"]})
    ids: list[str] = []

    def second(request: Request) -> Any:
        if role_of(request) != "research":
            return reply(request)
        if len(request["messages"]) == 1:
            return model_answer(calls=[search("red alder nitrogen")])
        if len(request["messages"]) == 3:
            found = passages_in(request["messages"][-1]["content"][0]["content"])
            ids.extend(passage["source_id"] for passage in found)
            return model_answer(calls=[like(id, max_results=4) for id in ids])
        return model_answer("Done.")

    service.otherwise = second
    run = run_of(forest, owner, overrides=CITING)
    assert sorted(id.rpartition("-")[0] for id in ids if "::" in id) == [
        "doi:10.5555/alder.2019.7::semantic_scholar",
        f"web:semanticscholar.org/paper/{'a' * 40}::semantic_scholar",
    ]
    asked = [asked for asked in shelves.asked if asked.path == RELATED]
    assert {asked.query["limit"] for asked in asked} == {"4"}
    assert {asked.body for asked in asked} == {
        '{"positivePaperIds":["DOI:10.5555/alder.2019.7"]}',
        '{"positivePaperIds":["%s"]}' % ("a" * 40),
        '{"positivePaperIds":["DOI:10.5555/alder.1"]}',
    }
    assert not run.provenance.filter(event_type="provider_failed").exists()


def test_an_id_of_no_paper_is_nobodys_failure(forest: Project, owner: User, service: Service, shelves: Site) -> None:
    """A slip of the model's is told to the model; no catalogue is said to have failed."""
    shelves.answer(SEARCH, papers(1, 2))
    plays(service, [search("alder")], [cited_by("alder.md::S1"), like("that paper of 2019")], [done()])
    run = run_of(forest, owner, overrides=CITING)
    assert "is neither a DOI, PMID, arXiv id or Semantic Scholar id" in tool_results(service, 2)[0]
    assert tool_results(service, 2)[1].startswith("Calls left: 9."), "nobody was asked, so it costs nothing"
    assert [asked.path for asked in shelves.asked] == [SEARCH]
    assert not run.provenance.filter(event_type="provider_failed").exists()
    assert "could not be searched" not in run.report


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("profile", "tools"),
    [
        ("general", ["web_search", "think", "research_complete", "extract_content"]),
        (
            "academic",
            ["web_search", "think", "research_complete", "extract_content", "citation_search", "related_papers"],
        ),
        ("local-only", ["web_search", "think", "research_complete"]),
    ],
)
def test_tools_by_profile(
    forest: Project, owner: User, service: Service, shelves: Site, profile: str, tools: list[str]
) -> None:
    shelves.answer(SEARCH, papers(1))
    plays(service, [search("red alder nitrogen")], [cited_by("10.5555/alder.1")], [done()])
    run = run_of(forest, owner, profile=profile)
    assert [tool["name"] for tool in turns(service)[0]["tools"]] == tools
    assert ("citation_search" in str(turns(service)[0]["system"])) == ("citation_search" in tools)
    looked_up = any(asked.path.endswith("/citations") for asked in shelves.asked)
    assert looked_up == ("citation_search" in tools)
    assert ("There is no tool citation_search" in tool_results(service, 2)[0]) != looked_up
    assert run.report


def test_local_only_asks_no_catalogue(
    forest: Project, owner: User, service: Service, shelves: Site, settings: Settings
) -> None:
    """R1: nothing leaves the machine, whatever providers were named; a model on this machine may be asked."""
    providers = "semantic_scholar,openalex,pubmed,crossref,tavily,google"
    overrides = {"providers": providers, "enable_citation_tools": True}
    plays(service, [search("red alder nitrogen")], [read("https://doi.org/10.5555/alder.1")], [done()])
    run = run_of(forest, owner, profile="local-only", overrides=overrides)
    assert service.requests
    assert not shelves.asked
    assert "There is no tool extract_content" in tool_results(service, 2)[0]
    assert run.engine.startswith("Claude")


def test_only_what_was_found_is_read(forest: Project, owner: User, service: Service, shelves: Site) -> None:
    shelves.answer(SEARCH, papers(1))
    plays(service, [search("alder")], [read(f"{shelves.base}/secret", "https://papers.example.evil/1")], [done()])
    run = run_of(forest, owner)
    assert inside(tool_results(service, 2)[0]).splitlines() == [
        f"Not read, since no search has brought it: {shelves.base}/secret",
        "Not read, since no search has brought it: https://papers.example.evil/1",
        "Only addresses that a search has brought can be read.",
    ]
    assert tool_results(service, 2)[0].startswith("Calls left: 9."), "nothing was read, so it costs nothing"
    assert shelves.paths() == [SEARCH]
    assert not run.steps.filter(kind="fetch").exists()
