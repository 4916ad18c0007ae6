"""P7, R1: without a model, a run asks the catalogues of its profile that need no key, with words of its question."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone
from pytest_django import Settings

from jobs.models import State
from jobs.work import perform
from llm.offline import OfflineEngine
from projects.models import Project, User
from research.follow_ups.start import rerun
from research.journal.provenance import digest, log_of, verify_run
from research.models import Run, Source, Step
from research.replay import replay
from research.search.question_queries import queries_of
from tests.people import signed_in
from tests.research.follow_up_run import worked
from tests.research.forest_thesis import QUESTION, forest, researched, write
from tests.research.golden.runs import killed
from tests.research.keyless_catalogues import (
    CROSSREF,
    DOI,
    FELL,
    KEYLESS,
    PAPERS,
    ROSE,
    TALLER,
    sent_words,
    shelves,
    site,
)
from tests.research.test_resume import expire
from tests.research_model.catalogue_works import PUBMED, S2, down, paper
from tests.servers.catalogues import Answer, Site, crossref_list, esearch
from tests.sources.conftest import BASES
from tests.start_run import start_run

__all__ = ["forest", "shelves", "site"]

pytestmark = pytest.mark.django_db

SECRET = "Quercetin zanzibar mulberry raised nitrogen in soil under red alder (QZM) by 77 kg."
NOWHERE = "http://127.0.0.1:9"  # refuses each connection


def failures(run: Run) -> dict[str, str]:
    """The first failure of each catalogue, by name."""
    rows = run.provenance.filter(event_type="provider_failed").order_by("-seq").values_list("details", flat=True)
    return {details["provider"]: details["why"] for details in rows}


def note_of(run: Run) -> str:
    return run.report.splitlines()[2]


def test_an_empty_thesis_gets_a_report_from_abstracts(project: Project, owner: User, shelves: Site) -> None:
    """Abstracts become sources, each work once; every sentence of the report stands in one, and is checked."""
    run = researched(project, owner, **KEYLESS)
    assert run.job.state == State.DONE, run.job.reason
    assert all(said in run.report for said in (ROSE, TALLER, FELL))
    assert "Sourdough" not in run.report, "found, but not on the question"
    assert run.sources.filter(kind=Source.Kind.WORK).exists()
    same = run.sources.filter(csl__DOI=DOI)
    assert {row.provider for row in same} == {"semantic_scholar", "pubmed"}
    assert len({row.document for row in same}) == 1, "one work, whichever catalogue it is from"
    claims = list(run.claims.all())
    assert claims
    assert {claim.verdict for claim in claims} == {"SUPPORTED"}
    for finding in run.findings.select_related("source"):
        assert finding.source.text[finding.start : finding.end] == finding.quote
    note = note_of(run)
    assert "it quotes its sources word for word, and writes nothing new" in note
    assert "Semantic Scholar answered" in note
    assert "PubMed answered" in note
    assert "Crossref answered" in note
    assert "could not be searched" not in note


def test_only_words_of_the_question_are_sent(forest: Project, owner: User, shelves: Site, tmp_path: Path) -> None:
    """Never words of files, references, notes or tables of words, whatever was found and however it was split."""
    write(tmp_path, forest, owner, "secret.md", f"# Red alder and soil nitrogen\n\n{SECRET}\n")
    run = researched(forest, owner, profile="systematic-review", overrides={"providers": "pubmed,semantic_scholar"})
    assert run.job.state == State.DONE, run.job.reason
    assert "77 kg" in run.report, "the file was read"
    assert run.nodes.count() > 1, "the question was split"
    assert set(sent_words(shelves)) <= set(queries_of(QUESTION))
    asked = json.dumps([[one.path, one.query, one.body] for one in shelves.asked]).casefold()
    assert not re.search("quercetin|zanzibar|mulberry|qzm|binkley|stands|nitrate|10.5555", asked)
    assert {one.path for one in shelves.asked} <= {S2, *PUBMED}, "no page is read, no citations are looked up"


def test_a_wider_query_follows_only_where_few_works_came(project: Project, owner: User, shelves: Site) -> None:
    """Each query once, whatever number of questions the run is split into."""
    many = [paper(number, f"Red alder {number}", f"Red alder fixed {number} kg.") for number in range(100, 108)]
    shelves.answer(S2, {"total": 8, "data": many})
    researched(project, owner, **KEYLESS)
    assert [one.query["query"] for one in shelves.asked if one.path == S2] == queries_of(QUESTION)[:1]
    assert [one.query["term"] for one in shelves.asked if one.path == PUBMED[0]] == queries_of(QUESTION)


def test_a_replay_needs_no_network(forest: Project, owner: User, shelves: Site) -> None:
    run = researched(forest, owner, **KEYLESS)
    asked = len(shelves.asked)
    with override_settings(**dict.fromkeys(BASES, NOWHERE)):
        again = replay(log_of(run))
    assert again.same, again.sentence
    assert len(shelves.asked) == asked
    assert verify_run(run).ok


def test_a_run_that_began_without_catalogues_stays_so(forest: Project, owner: User, shelves: Site) -> None:
    """Its first step says so: it was stored by an earlier version, where the offline engine got none."""
    run = start_run(forest, owner, QUESTION, enqueue=False, **KEYLESS)
    told = {"name": "offline-1", "label": "Offline engine: it quotes your own files."}
    response = {"engine": told, "files": [], "catalogues": [], "skipped": ["Not searched: PubMed; as it was then."]}
    now = timezone.now()
    Step.objects.create(
        run=run, key="begin", kind="note", request_hash=digest({}), response={**response, "wants_approval": False},
        started_at=now, finished_at=now,
    )  # fmt: skip
    perform(str(run.job_id))
    run.refresh_from_db()
    assert "as it was then" in run.report
    assert not shelves.asked
    assert replay(log_of(run)).same


def test_those_that_need_a_key_are_left_out_aloud(project: Project, owner: User, shelves: Site) -> None:
    """In the same words as with a model: an event, an entry of the log, and the report's methods."""
    run = researched(project, owner, profile="systematic-review")
    said = [
        "Not searched: OpenAlex, which needs OPENALEX_API_KEY.",
        "Not searched: Tavily, which needs TAVILY_API_KEY.",
        "Not read: full texts; without a model, only titles and abstracts of works are used.",
    ]
    assert list(run.job.events.filter(kind="provider_skipped").order_by("seq").values_list("text", flat=True)) == said
    assert all(sentence in note_of(run) for sentence in said)
    assert {one.path for one in shelves.asked} == {S2, *PUBMED}
    tools = run.provenance.get(event_type="tools_enabled").details
    assert tools["providers"] == ["library", "semantic_scholar", "pubmed"]
    assert not {"extract_content", "pdf_extraction", "citation_network", "citation_search"} & set(tools["tools"])


def test_a_network_of_citations_is_not_drawn(project: Project, owner: User, shelves: Site) -> None:
    """It would send which works were found, not words of the question."""
    run = researched(project, owner, profile="bibliometric", overrides={"providers": "semantic_scholar"})
    assert run.job.state == State.DONE, run.job.reason
    assert "without a model, catalogues get words of the question only" in str(run.network)
    assert {one.path for one in shelves.asked} == {S2}


def test_local_only_asks_nobody(forest: Project, owner: User, shelves: Site) -> None:
    for options in ({"profile": "local-only"}, {"profile": "academic", "overrides": {"providers": "library"}}):
        assert researched(forest, owner, **options).job.state == State.DONE
    assert not shelves.asked


def test_a_sentence_of_the_text_is_not_sent(forest: Project, owner: User, shelves: Site) -> None:
    """T3: support for a sentence is searched for in the library; the words of the text stay here."""
    run = researched(forest, owner, f"What do works say for or against this: {ROSE}", **KEYLESS, narrow=True)
    assert not shelves.asked
    said = "Not searched: Semantic Scholar, PubMed, Crossref; the words of your text are not sent to catalogues."
    assert run.job.events.get(kind="provider_skipped").text == said


def test_private_details_in_the_question_are_not_sent(project: Project, owner: User, shelves: Site) -> None:
    Project.objects.filter(pk=project.pk).update(kept_private="Douglas")
    run = researched(project, owner, **KEYLESS)
    assert ROSE in run.report
    sent = " ".join(sent_words(shelves))
    assert "nitrogen" in sent
    assert not re.search("douglas|private", sent, re.IGNORECASE)


def test_a_question_is_researched_again(project: Project, owner: User, shelves: Site) -> None:
    """R17: the catalogues are asked once more, with the same words, and the run still replays."""
    run = researched(project, owner, **KEYLESS)
    before = len(shelves.asked)
    worked(rerun(run, owner, "1.1"))
    run.refresh_from_db()
    assert run.follow_ups.get().answer
    assert len(shelves.asked) == before, "answers are kept for a day"
    assert set(sent_words(shelves)) <= set(queries_of(QUESTION))
    assert ROSE in run.report
    assert replay(log_of(run)).same


@pytest.mark.long
def test_a_power_cut_between_two_catalogues(project: Project, owner: User, shelves: Site) -> None:
    """R16: the answer that was stored is not asked for again."""
    run = killed(start_run(project, owner, QUESTION, enqueue=False, **KEYLESS), "1/search/1/semantic_scholar")
    expire(run.job_id)
    perform(str(run.job_id))
    run.refresh_from_db()
    assert run.report == researched(project, owner, **KEYLESS).report
    asked = [one.query["query"] for one in shelves.asked if one.path == S2]
    assert asked == queries_of(QUESTION)
    assert replay(log_of(run)).same


# Catalogues that fail in the middle of a run


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (down, "Semantic Scholar has a server error (503). Tried 4 times."),
        (Answer("", 500, headers={"Retry-After": "0"}), "Semantic Scholar has a server error (500). Tried 4 times."),
        (
            Answer("", 429, headers={"Retry-After": "0"}),
            "Semantic Scholar received too many requests. Tried 4 times.",
        ),
        (
            Answer("", 429, headers={"Retry-After": "7200"}),
            "Semantic Scholar asked us to wait 2 hours before the next request.",
        ),
        (Answer('{"data": [{"title": ', 200), "Semantic Scholar sent damaged data."),
        (Answer({"data": "none"}, 200), "Semantic Scholar sent an answer without a list of papers in it."),
        (Answer(drop=True), "Semantic Scholar could not be reached, or the connection broke off. Tried 4 times."),
    ],
)
def test_one_that_fails_is_told_apart(project: Project, owner: User, shelves: Site, answer: Any, why: str) -> None:
    """The run goes on with the others, and nothing of theirs is lost."""
    shelves.answer(S2, answer)
    shelves.answer(CROSSREF, crossref_list())
    run = researched(project, owner, **KEYLESS)
    assert run.job.state == State.DONE, run.job.reason
    assert failures(run) == {"semantic_scholar": why}
    note = note_of(run)
    assert note.startswith("> Semantic Scholar could not be searched (tried 1 time): "), "failed"
    assert "Crossref answered 3 times and gave 0 works." in note, "found nothing"
    assert "Semantic Scholar answered" not in note
    assert "Not answering is not the same as having nothing." in note
    assert ROSE in run.report, "from PubMed"
    assert not run.job.events.filter(kind="catalogues_unanswered").exists()
    assert replay(log_of(run)).same


def test_the_general_profile_says_what_it_did_not_search(forest: Project, owner: User, shelves: Site) -> None:
    """Without a key it has Semantic Scholar alone; where that refuses throughout, the library answers."""
    shelves.answer(S2, Answer("", 429, headers={"Retry-After": "0"}))
    run = researched(forest, owner, profile="general")
    assert run.job.state == State.DONE, run.job.reason
    assert "0.34%" in run.report
    note = note_of(run)
    assert note.startswith(
        "> Semantic Scholar could not be searched (tried 1 time): Semantic Scholar received too many"
    )
    assert "Not searched: Tavily, which needs TAVILY_API_KEY." in note
    assert "The library was asked" in note
    assert "PubMed" not in note, "it is not of this profile"
    page = signed_in(owner).get(f"/runs/{run.pk}/").content.decode()
    assert "No catalogue could be searched (Semantic Scholar). The run goes on with your library and files." in page
    assert "Not searched: Tavily, which needs TAVILY_API_KEY." in page
    assert {one.path for one in shelves.asked} == {S2}


def test_the_general_profile_with_nothing_else_says_what_to_add(project: Project, owner: User, shelves: Site) -> None:
    shelves.answer(S2, Answer("", 429, headers={"Retry-After": "0"}))
    run = researched(project, owner, profile="general")
    assert run.job.state == State.FAILED
    assert "Semantic Scholar could not be searched" in run.job.reason
    assert "Not searched: Tavily, which needs TAVILY_API_KEY." in run.job.reason
    assert run.job.reason.endswith("Try again later, or add other catalogues under More options: Crossref, PubMed.")


def test_one_that_fails_later_keeps_what_it_sent(project: Project, owner: User, shelves: Site) -> None:
    shelves.answer(S2, {"total": 1, "data": [PAPERS[1]]}, Answer("<html>down</html>", 200, "text/html"))
    run = researched(project, owner, **KEYLESS)
    assert TALLER in run.report
    assert "Semantic Scholar could not be searched 1 of 2 times: " in note_of(run)


def test_abstracts_that_are_broken_xml(project: Project, owner: User, shelves: Site) -> None:
    shelves.answer(PUBMED[2], "<PubmedArticleSet><PubmedArticle><Medl", kind="text/xml")
    run = researched(project, owner, **KEYLESS)
    assert run.job.state == State.DONE, run.job.reason
    assert "PubMed's abstracts are missing" in note_of(run)
    assert ROSE in run.report, "Semantic Scholar has it, too"


@pytest.mark.long
def test_one_that_hangs(project: Project, owner: User, shelves: Site) -> None:
    shelves.answer(S2, delay=11.0)
    run = researched(project, owner, **KEYLESS)
    assert failures(run) == {"semantic_scholar": "Semantic Scholar did not answer within 10 seconds. Tried 4 times."}
    assert ROSE in run.report


def test_without_a_network_the_library_answers(forest: Project, owner: User, settings: Settings) -> None:
    """It says that nothing could be searched, and which; the report is written from the library and files."""
    for name in BASES:
        setattr(settings, name, NOWHERE)
    run = researched(forest, owner, **KEYLESS)
    assert run.job.state == State.DONE, run.job.reason
    assert "0.34%" in run.report
    assert set(failures(run)) == {"semantic_scholar", "pubmed", "crossref"}
    said = "No catalogue could be searched (Semantic Scholar, PubMed, Crossref). The run goes on with your library"
    assert run.job.events.get(kind="catalogues_unanswered").text.startswith(said)
    for label in ("Semantic Scholar", "PubMed", "Crossref"):
        assert f"{label} could not be searched (tried 1 time): {label} could not be reached" in note_of(run)
    assert replay(log_of(run)).same


@pytest.mark.long  # its requests are tried again for ten seconds, as in the test before
def test_without_a_network_and_library(project: Project, owner: User, settings: Settings) -> None:
    """Nothing is known, which is not the same as there being nothing."""
    for name in BASES:
        setattr(settings, name, NOWHERE)
    run = researched(project, owner, **KEYLESS)
    assert run.job.state == State.FAILED
    assert "No evidence, so no report. No catalogue answered, which is not the same as having" in run.job.reason
    assert "Crossref could not be searched" in run.job.reason


def test_all_answer_and_have_nothing(project: Project, owner: User, shelves: Site) -> None:
    shelves.answer(S2, {"total": 0})
    shelves.answer(PUBMED[0], esearch())
    shelves.answer(CROSSREF, crossref_list())
    run = researched(project, owner, **KEYLESS)
    assert run.job.state == State.FAILED
    assert run.job.reason.startswith("No evidence, so no report. Nothing in your library or the catalogues answers")
    assert "could not be searched" not in run.job.reason


@pytest.mark.parametrize("label", OfflineEngine.labels)
def test_an_older_run_still_counts_as_quoting(project: Project, owner: User, label: str) -> None:
    """A run is known by the label that its engine had then."""
    run = start_run(project, owner, QUESTION, enqueue=False, profile="local-only")
    Run.objects.filter(pk=run.pk).update(engine=label)
    run.refresh_from_db()
    assert run.only_quotes
