"""R7: rounds of supervision. What is open after one drives the next; a failure is never taken for an answer."""

from typing import Any

import pytest

from jobs.models import State
from jobs.work import perform
from projects.models import Project, User
from research.journal.provenance import log_of, verify_run
from research.models import Run
from research.replay import replay
from research.supervision.contradictions import disputes_of
from tests.research.forest_thesis import QUESTION, researched
from tests.research_model.catalogue_works import ASKED, PATHS, S2, down, hold, quoting
from tests.research_model.conversation import done, plays, search
from tests.research_model.script import condense, reply, role_of, text_of
from tests.servers.catalogues import Site
from tests.servers.messages import Answer, Failure, Request, Service, model_answer
from tests.start_run import start_run

pytestmark = pytest.mark.django_db

GAP: dict[str, Any] = {
    "description": "Growth on dry sites is not told.",
    "priority": 1,
    "suggested_queries": ["alder dry site"],
}
ENOUGH = {"is_sufficient": True, "reasoning": "It is answered.", "gaps": []}
OPEN = {"is_sufficient": False, "reasoning": "Dry sites are missing.", "gaps": [GAP]}


def judging(*answers: dict[str, Any], condensed: dict[str, Any] | None = None, plan: Any = None) -> Any:
    """A model that judges the nodes with `answers`, one after the other, the last one for good."""
    left = list(answers)

    def answer(request: Request) -> Answer | Failure:
        role = role_of(request)
        if role == "sufficiency":
            return model_answer(answer=left.pop(0) if len(left) > 1 else left[0])
        if role == "decompose" and plan is not None:
            return model_answer(answer=plan)
        if role == "condense" and condensed is not None:
            return model_answer(answer={**condense(request), **condensed})
        return reply(request)

    return answer


def logged(run: Run, event_type: str) -> list[dict[str, Any]]:
    return list(run.provenance.filter(event_type=event_type).values_list("details", flat=True))


def test_one_round_is_enough_where_nothing_is_open(forest: Project, owner: User, service: Service) -> None:
    run = researched(forest, owner, profile="general")
    assert run.job.state == State.DONE, run.job.reason
    assert [row["round"] for row in run.rounds] == [1]
    assert run.rounds[0]["decision"] in ("enough", "no gap is open")
    assert [entry["round"] for entry in logged(run, "iteration_complete")] == [1]
    (assessed,) = logged(run, "coverage_assessment")
    assert assessed == {"scores": run.rounds[0]["scores"], "decision": run.rounds[0]["decision"]}


def test_a_gap_becomes_a_question_of_the_next_round(forest: Project, owner: User, service: Service) -> None:
    """Its suggested query is made first, numbering goes on, and what was answered is closed."""
    service.otherwise = judging(OPEN, ENOUGH)
    run = researched(forest, owner, profile="general")
    assert run.job.state == State.DONE, run.job.reason
    assert list(run.nodes.values_list("number", "round", "state")) == [("1", 1, "enough"), ("1.1", 2, "enough")]
    node = run.nodes.get(number="1.1")
    assert GAP["description"] in node.question
    searched = run.provenance.filter(event_type="provider_query", summary__startswith="1.1:").first()
    assert searched is not None
    assert searched.details["query"] == "alder dry site"
    gap = run.gaps.get()
    assert (gap.gap_id, gap.round) == ("G1-1", 1)
    assert logged(run, "gap_resolved") == [{"gap_id": "G1-1", "resolution_notes": gap.resolution_notes}]
    assert "1.1" in gap.resolution_notes
    assert [(row["round"], row["asked"]) for row in run.rounds] == [(1, {}), (2, {"1.1": ["G1-1"]})]
    assert [entry["iteration"] for entry in logged(run, "iteration_complete")] == [1, 2]
    assert run.job.events.filter(kind="round_started").get().text == "Round 2. One open point becomes a question."
    assert "in 2 rounds" in run.report
    assert verify_run(run).ok
    assert replay(log_of(run)).same


@pytest.mark.long
def test_a_gap_that_stays_open_is_asked_about_once(forest: Project, owner: User, service: Service) -> None:
    """No loop without gain: the round found nothing new, and the gap is named in the output."""
    service.otherwise = judging(OPEN)
    run = researched(forest, owner, profile="general")
    assert run.job.state == State.DONE, run.job.reason
    assert list(run.nodes.values_list("number", flat=True)) == ["1", "1.1"]
    assert run.gaps.open().get().gap_id == "G1-1", "said again, it is the same gap"
    assert run.rounds[-1]["round"] == 2
    assert run.rounds[-1]["decision"] in ("enough", "the round found nothing new")


@pytest.mark.long
def test_an_academic_run_looks_into_what_sources_disagree_on(forest: Project, owner: User, service: Service) -> None:
    """R7: a contradiction is kept once with both its sides, however many questions came upon it, and is asked about."""
    ids = ["alder.md::S2", "nitrate.md::S1"]
    conflict = {
        "about": "soil nitrogen", "description": "One says it rose, one that it did not.", "source_ids": ids[:1],
        "sides": [{"says": "It rose.", "source_ids": ids[:1]}, {"says": "It did not rise.", "source_ids": ids[1:]}],
    }  # fmt: skip
    lone = {"about": "", "description": "It disagrees with itself.", "source_ids": ids[:1], "sides": []}
    service.otherwise = judging(ENOUGH, condensed={"contradictions": [conflict, lone]})
    run = researched(forest, owner, profile="academic")
    assert run.job.state == State.DONE, run.job.reason
    assert set(run.sources.values_list("source_id", flat=True)) >= set(ids)
    row = run.contradictions.get()
    assert row.source_ids == ids
    assert row.description.startswith("On soil nitrogen: One says")
    assert "“It rose.” “It did not rise.”" in row.description
    event = run.job.events.filter(kind="contradiction_found").first()
    assert event is not None
    assert event.text == "Two sources disagree on soil nitrogen. Both sides are recorded."
    assert logged(run, "contradiction_merged")
    asked = run.nodes.filter(round=2).get()
    assert asked.question.startswith("What explains that sources disagree")
    assert run.rounds[1]["asked"] == {asked.number: [row.contradiction_id]}
    assert replay(log_of(run)).same


@pytest.mark.long
def test_two_passages_of_one_file_can_disagree(forest: Project, owner: User, service: Service) -> None:
    """R7: with both sides, by the ids of their passages; a source that is named alone still contradicts nothing."""
    ids = ["alder.md::S2", "alder.md::S3"]
    conflict = {
        "about": "growth", "description": "The wet plots grew, the dry ones did not.", "source_ids": ids,
        "sides": [{"says": "They grew.", "source_ids": ids[:1]}, {"says": "They did not.", "source_ids": ids[1:]}],
    }  # fmt: skip
    lone = {"about": "", "description": "It disagrees with itself.", "source_ids": ids[:1], "sides": []}
    service.otherwise = judging(ENOUGH, condensed={"contradictions": [conflict, lone]})
    run = researched(forest, owner, profile="academic")
    assert run.job.state == State.DONE, run.job.reason
    assert set(run.sources.values_list("source_id", flat=True)) >= set(ids)
    row = run.contradictions.get()
    assert row.source_ids == ids
    (dispute,) = disputes_of(run)
    assert [side.source.source_id for side in dispute.sides] == ids
    event = run.job.events.filter(kind="contradiction_found").first()
    assert event is not None
    assert event.text == "Two places in alder.md disagree on growth. Both sides are recorded."


@pytest.mark.long
def test_at_most_five_questions_a_round_the_most_urgent_first(forest: Project, owner: User, service: Service) -> None:
    words = ["roots", "leaves", "water", "insects", "frost", "fire", "cost"]
    gaps = [
        {"description": f"Nothing on {word}.", "priority": 5 - n % 5, "suggested_queries": []}
        for n, word in enumerate(words)
    ]
    service.otherwise = judging({**OPEN, "gaps": gaps}, ENOUGH)
    run = researched(forest, owner, profile="general")
    asked = [node.topic for node in run.nodes.filter(round=2)]
    assert asked == [f"Nothing on {word}." for word in ("frost", "insects", "water", "leaves", "cost")]


@pytest.mark.long
def test_a_failed_round_is_tried_again(project: Project, owner: User, service: Service, shelves: Site) -> None:
    """R7, R11: never "sufficient". Here the catalogue is well at the second try."""
    shelves.answer(S2, down)

    def answer(request: Request) -> Answer | Failure:
        if role_of(request) != "research":
            return quoting(request)
        if len(request["messages"]) > 1:
            return model_answer(calls=[done()])
        if len(shelves.asked) > 0:
            hold(shelves)
        return model_answer(calls=[search("alder")])

    service.otherwise = answer
    run = researched(project, owner, profile="general", overrides={"providers": "semantic_scholar"})
    assert run.job.state == State.DONE, run.job.reason
    decisions = [entry["decision"] for entry in logged(run, "coverage_assessment")]
    assert decisions[0] == "no search was answered; trying again"
    assert logged(run, "coverage_assessment")[0]["scores"]["overall"] == 0
    assert run.rounds[0]["decision"] != decisions[0]
    assert run.steps.filter(key__startswith="again1/1/research/").exists()
    assert run.nodes.get().state == "enough"
    assert not run.gaps.open().exists()
    assert replay(log_of(run)).same


def test_a_round_that_always_fails_is_reported(project: Project, owner: User, service: Service, shelves: Site) -> None:
    for path in PATHS:
        shelves.answer(path, down)
    plays(service, [search("alder")], [done()], then=quoting)
    run = researched(project, owner, profile="general", overrides=ASKED)
    assert run.job.state == State.FAILED
    assert "No catalogue answered, which is not the same as having" in run.job.reason
    assert run.rounds[-1]["decision"] == "no search was answered, tried 2 times"
    assert run.rounds[-1]["scores"]["overall"] == 0
    assert run.nodes.get().state == "failed"
    assert run.gaps.open().count() == 1
    assert replay(log_of(run)).same


# Limits (R16)


@pytest.mark.long
def test_a_budget_that_ends_during_research_leaves_enough_for_the_report(
    forest: Project, owner: User, service: Service
) -> None:
    """Brief, plan and two turns of research; two of six calls are kept for the report."""
    service.otherwise = judging(OPEN)
    run = start_run(forest, owner, QUESTION, profile="general", enqueue=False)
    Run.objects.filter(pk=run.pk).update(budget_calls=6)  # less than a run is begun with today
    perform(str(run.job_id))
    run = Run.objects.select_related("job").get(pk=run.pk)
    assert run.job.state == State.DONE, run.job.reason
    assert run.rounds[-1]["decision"] == "the budget was used up"
    assert "synthesize" in {role_of(request) for request in service.requests}
    assert "condense" not in {role_of(request) for request in service.requests}
    assert run.findings.exists(), "the offline engine has drawn them"
    assert "**Partial report.** The research ended early. The budget of 6 calls" in run.report
    assert run.job.events.filter(kind="limit_reached").count() == 1
    assert run.spent_calls <= 6
    assert replay(log_of(run)).same


@pytest.mark.long
def test_time_that_is_up_ends_research_and_not_the_report(forest: Project, owner: User, service: Service) -> None:
    def slow(request: Request) -> Answer | Failure:
        if role_of(request) == "research":
            return model_answer(calls=[search("red alder nitrogen")], seconds=0.2)
        return reply(request)

    service.otherwise = slow
    run = start(forest, owner, budget_seconds=2)
    assert run.job.state == State.DONE, run.job.reason
    assert run.rounds[-1]["decision"] == "the time was used up"
    assert run.steps.filter(key__startswith="1/research/").count() == 2, "the second was not asked any more"
    assert sum(role_of(request) == "research" for request in service.requests) == 1
    assert "The research ended early. The time for research was used up: 1 seconds." in run.report
    assert run.spent_seconds >= 1
    assert replay(log_of(run)).same


def test_time_that_was_up_before_anything_was_found(forest: Project, owner: User, service: Service) -> None:
    run = start(forest, owner, budget_seconds=60, spent_seconds=60)
    assert run.job.state == State.FAILED
    assert run.job.reason.startswith("The time for research was used up")
    assert run.job.reason.endswith("ask the question again with more time.")
    assert "research" not in {role_of(request) for request in service.requests}
    assert run.gaps.get().description == "Not looked into: the time was used up."


def start(project: Project, owner: User, **columns: int) -> Run:
    run = start_run(project, owner, QUESTION, profile="general", enqueue=False)
    Run.objects.filter(pk=run.pk).update(**columns)
    perform(str(run.job_id))
    return Run.objects.select_related("job").get(pk=run.pk)


# What nodes are told (R4)


@pytest.mark.long
def test_evidence_needed_is_told_in_academic_mode_alone(forest: Project, owner: User, service: Service) -> None:
    part = {"topic": "Growth", "question": "What of growth?", "perspective": "", "priority": 1}
    plan = {"directives": [{**part, "evidence_needed": "height in metres"}], "rationale": "One thing."}
    service.otherwise = judging(ENOUGH, plan=plan)
    general = researched(forest, owner, profile="general")
    assert general.nodes.get(number="1.1").evidence_needed == "height in metres"
    assert not any("height in metres" in text_of(request) for request in service.requests)
    researched(forest, owner, profile="academic")
    told = {role_of(request) for request in service.requests if "height in metres" in text_of(request)}
    assert told >= {"research", "condense", "sufficiency"}


def test_an_academic_plan_gets_what_it_lacks(forest: Project, owner: User, service: Service) -> None:
    scope = {"disciplinary_scope": "forestry,soil science"}
    run = researched(forest, owner, profile="academic", overrides=scope)
    assert run.job.state == State.DONE, run.job.reason
    topics = [node.topic for node in run.nodes.filter(depth=1, round=1)]
    assert topics == [
        "The question as it stands", "Seminal works", "Recent empirical studies", "Research in forestry",
        "Research in soil science",
    ]  # fmt: skip
    entry = run.provenance.filter(event_type="decomposition").first()
    assert entry is not None
    assert set(entry.details) == {"directives", "rationale"}
    assert "Added, since the plan had none: “Seminal works”" in entry.details["rationale"]
