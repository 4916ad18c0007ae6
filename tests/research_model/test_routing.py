"""X4 to X7 with a model: one call chooses for all parts of a question, and code makes good what it leaves undone."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, NamedTuple

import pytest
from django.db import transaction
from django.test import override_settings
from django.utils import timezone

from jobs.models import Job, State
from jobs.work import perform
from llm.models import Usage
from projects.models import Project, User
from research.follow_ups.start import extend, rerun
from research.journal.provenance import log_of, verify_run
from research.models import Run
from research.plan.approval import approve, proposal_of
from research.prompts.build import NOTES
from research.replay import replay
from tests.people import asha, her_thesis
from tests.research.follow_up_run import worked
from tests.research.forest_thesis import QUESTION, plant
from tests.research_model.routed_run import (
    LEACHING,
    OPEN,
    PROFILE,
    RULE,
    SOIL,
    current_of,
    events,
    parts_of,
    requests_of_role,
    routed,
    seen,
    slices_of,
    texts,
    thinks,
)
from tests.research_model.script import KEY, material, role_of, text_of
from tests.research_model.two_part_run import PowerCut, cut_at
from tests.servers.catalogues import Site
from tests.servers.messages import Answer, Request, Service, model_answer, serving
from tests.start_run import start_run

pytestmark = pytest.mark.django_db


def holds(run: Run) -> None:
    assert run.job.state == State.DONE, run.job.reason
    assert verify_run(run).ok, verify_run(run).sentence
    again = replay(log_of(run))
    assert again.same, again.sentence


class Whole(NamedTuple):
    """A run that nothing has disturbed, and what was asked of the model for it."""

    run: Run
    asked: list[Request]

    def of(self, role: str) -> list[Request]:
        return [request for request in self.asked if role_of(request) == role]


@pytest.fixture(scope="module")
def conducted(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Whole]:
    with django_db_blocker.unblock(), transaction.atomic(), serving() as service, Site() as refusing:
        places = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": service.url, "S2_BASE_URL": refusing.base}
        with override_settings(**places):
            owner = asha()
            forest = plant(her_thesis(owner), owner, tmp_path_factory.mktemp("forest"))
            run = routed(forest, owner, service)
            holds(run)
            yield Whole(run, list(service.requests))
        transaction.set_rollback(True)


@pytest.fixture
def whole(conducted: Whole, db: None) -> Whole:
    return conducted


@pytest.fixture
def owner(whole: Whole) -> User:
    return whole.run.project.owner


@pytest.fixture
def forest(whole: Whole) -> Project:
    """The thesis of that run, for runs of their own."""
    return whole.run.project


@pytest.mark.long
def test_one_call_for_all_parts_of_a_question(whole: Whole) -> None:
    """X5: as many calls as decompositions and later rounds, each told of all the parts."""
    run = whole.run
    calls = whole.of("route")
    assert [parts_of(request) for request in calls] == [["1.1", "1.2"], ["1.1.1", "1.1.2"], ["1.3"]]
    split = run.job.events.filter(kind="node_decomposed").count()
    rounds = run.job.events.filter(kind="round_started").count()
    assert len(calls) == split + rounds == 3
    plan, parts, later = (text_of(request) for request in calls)
    for said_to_all in ("Question: How does planting red alder", "Choose at most 20 notes for each of the"):
        assert all(said_to_all in text for text in (plan, parts, later))
    assert "Depth: 0" in plan
    assert "Depth: 1" in parts
    assert f"Current question: {SOIL}" in parts
    assert OPEN["description"] in parts
    assert OPEN["description"] in later, "what it is to fill"
    root, soil = slices_of(run)["1"], slices_of(run)["1.1"]
    assert seen(calls[0]) == seen(calls[2]) == texts(root)
    assert seen(calls[1]) == texts(soil)


def test_each_question_has_its_slice_and_the_report_all(whole: Whole) -> None:
    """X4, X6: in sufficiency, decomposition and synthesis; not where queries are made or findings drawn."""
    run = whole.run
    rows = slices_of(run)
    assert set(rows) == set(run.nodes.values_list("number", flat=True))
    root = rows["1"]
    assert (root.mode, len(root.selected_items), root.dropped_items_count) == ("root", 5, 0)
    assert set(texts(rows["1.1"])) == {"Soil nitrogen rose to 0.34%.", "Soil nitrogen on dry sites.", RULE}
    assert set(texts(rows["1.2"])) == {"Nitrate leaching reached 18 kg per hectare.", RULE}
    for number, row in rows.items():
        above = rows.get(number.rpartition(".")[0])
        assert RULE in texts(row), "what the model never chooses"
        if above is not None:
            assert row.mode == "routed"
            assert [text for text in texts(above) if text in texts(row)] == texts(row)
            assert row.dropped_items_count == len(above.selected_items) - len(row.selected_items)
            assert row.selection_reason == "Its words. Added: 1 constraint, which every question gets."
            assert row.coverage_note == "Not all."
    questions = dict(run.nodes.values_list("question", "number"))
    for role in ("sufficiency", "decompose"):
        for request in whole.of(role):
            number = questions[current_of(request)]
            assert seen(request) == texts(rows[number]), number
    for role in ("brief", "synthesize"):
        assert [seen(request) for request in whole.of(role)] == [texts(root)]
    for role in ("research", "condense", "verify"):
        assert whole.of(role)
        assert not any(NOTES in text_of(request) for request in whole.of(role))


def test_the_stream_and_the_log_tell_it(whole: Whole) -> None:
    """X7."""
    run = whole.run
    told = events(run)
    assert told[-1] == ("report_context_attached", "")
    after = told[told.index(("context_binding_parsing_completed", "")) + 1 : -1]
    assert after == [
        ("context_for_node_ready", "1"),
        ("context_routing_started", "1"),
        ("context_routing_completed", "1"),
        ("context_for_node_ready", "1.1"),
        ("context_for_node_ready", "1.2"),
        ("context_routing_started", "1.1"),
        ("context_routing_completed", "1.1"),
        ("context_for_node_ready", "1.1.1"),
        ("context_for_node_ready", "1.1.2"),
        ("context_routing_started", "1"),
        ("context_routing_completed", "1"),
        ("context_for_node_ready", "1.3"),
    ]
    ready = run.job.events.get(kind="context_for_node_ready", node="1.2")
    assert ready.text == "Prepared context for 1.2 (2 items)."
    assert ready.details == {"node_id": "1.2", "depth": 1, "selected_items_count": 2, "mode": "routed"}
    started = run.job.events.filter(kind="context_routing_started").first()
    assert started.text == "Choosing from 5 notes on your files for 2 questions."  # type: ignore[union-attr]
    attached = run.job.events.get(kind="report_context_attached")
    assert attached.text == "Full context attached to the report (5 items)."
    assert attached.details["selected_items_count"] == 5
    logged = run.provenance.filter(event_type="context_routing_completed").first()
    assert logged is not None
    assert logged.details["items"] == 5
    assert [one["node_id"] for one in logged.details["slices"]] == ["1.1", "1.2"]
    assert [one["dropped"] for one in logged.details["slices"]] == [2, 3]
    assert run.provenance.get(event_type="context_for_node_ready").details == {
        "node_id": "1",
        "mode": "root",
        "items": 5,
    }
    assert not any(RULE in str(entry.details) for entry in run.provenance.filter(event_type__contains="context_"))


@pytest.mark.long
def test_a_run_without_files_knows_nothing_of_it(forest: Project, owner: User, service: Service) -> None:
    run = routed(forest, owner, service, file_ids=[])
    holds(run)
    assert not requests_of_role(service, "route")
    assert not events(run)
    assert not run.steps.filter(key__contains="route").exists()
    assert not run.steps.filter(key__contains="context").exists()


# What a model can do wrong


USELESS = {
    "it holds no complete JSON object.": model_answer('{"slices": [{"node_id": "1.1", "items": "none'),
    "slices.0.reason": model_answer(answer={"slices": [{"node_id": "1.1", "items": [1]}]}),
    "the model declined.": model_answer("I will not.", stop_reason="refusal"),
    "it names none of the questions.": model_answer(answer={"slices": []}),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("reasons", [list(USELESS)[:3], list(USELESS)[3:]])
def test_an_answer_that_cannot_be_used(forest: Project, owner: User, service: Service, reasons: list[str]) -> None:
    """X5: the run goes on with what code chooses, and says why; what the calls cost is booked.

    Each question is routed with an answer that is wrong in a way of its own.
    """
    wrong: dict[str, str] = {}

    def answer(request: Request) -> Answer | None:
        if role_of(request) != "route":
            return None
        return USELESS[wrong.setdefault(str(parts_of(request)), reasons[len(wrong) % len(reasons)])]

    run = routed(forest, owner, service, answer, profile="academic")
    holds(run)
    kinds = [kind for kind, _ in events(run)]
    assert "context_routing_completed" not in kinds
    failed = list(run.job.events.filter(kind="context_routing_failed"))
    assert len(failed) == len(wrong) == 3
    for why, event in zip(wrong.values(), failed, strict=True):
        assert why in event.text
        assert event.text.startswith("The notes for ")
        assert why in event.details["reason"]
        assert event.details["fallback"]
    assert not run.job.events.filter(kind="stand_in").exists()
    assert not run.provenance.filter(event_type="stand_in").exists()
    logged = run.provenance.filter(event_type="context_routing_failed").values_list("details__reason", flat=True)
    assert list(logged) == [event.details["reason"] for event in failed]
    rows = slices_of(run)
    assert {row.mode for number, row in rows.items() if number != "1"} == {"fallback"}
    assert "Soil nitrogen rose to 0.34%." in texts(rows["1.1"])
    assert all(RULE in texts(row) for row in rows.values())
    assert Usage.objects.filter(subject=run.pk, role="route").count() == len(requests_of_role(service, "route"))


@pytest.mark.long
def test_an_answer_that_is_put_right_is_taken(forest: Project, owner: User, service: Service) -> None:
    tried: list[Request] = []

    def once(request: Request) -> Answer | None:
        if role_of(request) != "route":
            return None
        tried.append(request)
        return model_answer("Sorry.") if len(tried) == 1 else None

    run = routed(forest, owner, service, once)
    holds(run)
    assert "context_routing_failed" not in [kind for kind, _ in events(run)]
    assert len(tried) == 4


@pytest.mark.long
def test_a_question_that_is_passed_over(forest: Project, owner: User, service: Service) -> None:
    def partly(request: Request) -> Answer | None:
        if role_of(request) != "route" or "1.2" not in parts_of(request):
            return None
        (leaching,) = (note["number"] for note in material(request, NOTES) if "leaching" in note["text"])
        one = {"node_id": "1.1", "items": [leaching, 77], "reason": "", "coverage_note": ""}
        return model_answer(answer={"slices": [one, {**one, "node_id": "9.9"}]})

    run = routed(forest, owner, service, partly)
    holds(run)
    rows = slices_of(run)
    assert (rows["1.1"].mode, rows["1.2"].mode) == ("routed", "fallback")
    assert "9.9" not in rows
    assert rows["1.1"].selection_reason.startswith("No reason was given.")
    assert rows["1.1"].coverage_note.startswith("Not covered by these notes: "), "worked out by code"
    completed = run.job.events.filter(kind="context_routing_completed").first()
    assert completed is not None
    assert completed.text.endswith("The answer has nothing for 1.2: chosen by shared words instead.")


@pytest.mark.long
@pytest.mark.parametrize("limit", [{"budget_calls": 2}, {"budget_seconds": 60, "spent_seconds": 60}])
def test_without_money_or_time_no_call_is_made(
    forest: Project, owner: User, service: Service, limit: dict[str, int]
) -> None:
    """Brief and plan were all: the files were digested before."""
    thinks(service)
    run = unstarted_run(forest, owner)
    Run.objects.filter(pk=run.pk).update(**limit)
    run = begin_again(run)
    assert [role_of(request) for request in service.requests] == ["brief", "decompose"]
    failed = run.job.events.get(kind="context_routing_failed")
    assert "was used up" in failed.text or "does not allow another call" in failed.text
    assert {row.mode for number, row in slices_of(run).items() if number != "1"} == {"fallback"}
    assert verify_run(run).ok
    assert replay(log_of(run)).same


# Going on


def unstarted_run(forest: Project, owner: User) -> Run:
    files = [file.pk for file in forest.context_files.all()]
    return start_run(forest, owner, QUESTION, file_ids=files, enqueue=False, **PROFILE)


def begin_again(run: Run) -> Run:
    Job.objects.filter(pk=run.job_id).update(lease_until=timezone.now() - timedelta(seconds=1))
    perform(str(run.job_id))
    return Run.objects.select_related("job").get(pk=run.pk)


@pytest.mark.long
def test_a_power_cut(forest: Project, owner: User, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in a later round: the parts of the plan are those of the plan."""
    thinks(service)
    run = unstarted_run(forest, owner)
    keys = ["context/root", "1/route/1.1", "1/route/1.3", "1.3/condense"]
    for key in keys:
        for is_stored in (False, True):
            with monkeypatch.context() as cut:
                cut_at(cut, key, is_stored=is_stored)
                with pytest.raises(PowerCut):
                    begin_again(run)
            assert run.steps.filter(key=key).exists() == is_stored, key
    run = begin_again(run)
    holds(run)
    rows = slices_of(run)
    assert set(rows) == set(run.nodes.values_list("number", flat=True))
    calls = [parts_of(request) for request in requests_of_role(service, "route")]
    assert sorted({tuple(parts) for parts in calls}) == [("1.1", "1.2"), ("1.1.1", "1.1.2"), ("1.3",)]
    assert len(calls) == 3 + sum("/route/" in key for key in keys), "only what was not stored"
    kinds = [kind for kind, _ in events(run)]
    assert kinds.count("context_routing_started") == 3
    assert kinds.count("context_for_node_ready") == len(rows)
    for request in requests_of_role(service, "sufficiency"):
        number = run.nodes.get(question=current_of(request)).number
        assert seen(request) == texts(rows[number])


@pytest.mark.long
def test_the_plan_is_routed_as_a_person_has_left_it(forest: Project, owner: User, service: Service) -> None:
    run = routed(forest, owner, service, wants_approval=True)
    assert run.job.state == State.WAITING
    assert events(run)[-1] == ("context_for_node_ready", "1")
    proposal = proposal_of(run)
    assert proposal is not None
    kept = proposal.directives[1]
    approve(run, directives=[{**kept.model_dump(), "number": 0, "question": "What of Douglas-fir in height?"}, kept])
    run = begin_again(run)
    holds(run)
    first = requests_of_role(service, "route")[0]
    assert parts_of(first) == ["1.1", "1.2"]
    assert "What of Douglas-fir in height?" in text_of(first)
    assert SOIL not in text_of(first)
    assert "Douglas-fir was 11.4 m high beside red alder." in texts(slices_of(run)["1.1"])
    assert slices_of(run)["1.2"].selection_reason.startswith("Its words.")


@pytest.mark.long
def test_a_gap_that_is_looked_into_is_routed_and_a_rerun_is_not(forest: Project, owner: User, service: Service) -> None:
    """R17. The follow-up is another attempt: what the questions were given is known from rows."""

    def leaves(request: Request) -> Answer | None:
        if role_of(request) != "sufficiency" or current_of(request) != LEACHING:
            return None
        gap = {**OPEN, "description": "Nitrate in winter is not told of.", "priority": 5, "suggested_queries": []}
        return model_answer(answer={"is_sufficient": True, "reasoning": "It will do.", "gaps": [gap]})

    run = routed(forest, owner, service, leaves)
    holds(run)
    before = {number: texts(row) for number, row in slices_of(run).items()}
    service.requests.clear()
    gap = run.gaps.open().get(node__number="1.2")
    asked = worked(extend(run, owner, gap.gap_id))
    assert asked.state == "answered", asked.answer
    (call,) = requests_of_role(service, "route")
    assert parts_of(call) == ["1.2.1"]
    assert seen(call) == before["1.2"]
    assert gap.description in text_of(call)
    new = slices_of(run)["1.2.1"]
    assert new.mode == "routed"
    (judged,) = requests_of_role(service, "sufficiency")
    assert seen(judged) == texts(new)
    service.requests.clear()
    asked = worked(rerun(run, owner, "1.1"))
    assert asked.state == "answered", asked.answer
    assert not requests_of_role(service, "route")
    (judged,) = requests_of_role(service, "sufficiency")
    assert seen(judged) == before["1.1"]
    assert {number: texts(row) for number, row in slices_of(run).items() if number in before} == before
    holds(asked.run)
