"""A model fails: its stand-in answers, or the run stops in a sentence and keeps what it found (DESIGN 12)."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from jobs.models import Job, State
from jobs.work import perform
from llm.claude import ClaudeEngine
from llm.models import Usage
from llm.result import EngineResult
from projects.models import Project, User
from research.journal.provenance import log_of, verify_run
from research.models import Run
from research.replay import replay
from research.report.draft import partial_label
from tests.research.forest_thesis import QUESTION, researched
from tests.research_model.script import reply, role_of
from tests.servers.messages import Answer, Failure, Request, Service, model_answer
from tests.start_run import start_run

pytestmark = [pytest.mark.django_db, pytest.mark.long]

PHASES = {"digest": "binding", "brief": "brief", "synthesize": "synthesis", "verify": "verification"}


def but(role: str, other: Answer | Failure) -> Callable[[Request], Answer | Failure]:
    """The script, but in one role `other`."""
    return lambda request: other if role_of(request) == role else reply(request)


class PowerCut(BaseException):
    """Nothing in the product catches this: the process is gone."""


@pytest.mark.parametrize("role", ["digest", "brief", "condense", "sufficiency", "synthesize", "verify"])
def test_malformed_answers_have_a_stand_in(forest: Project, owner: User, service: Service, role: str) -> None:
    service.otherwise = but(role, model_answer('{"findings": [{"content": "Alder'))
    run = researched(forest, owner)
    assert run.job.state == State.DONE, run.job.reason
    entries = run.provenance.filter(event_type="stand_in")
    assert {entry.details["role"] for entry in entries} == {role}
    assert {entry.phase for entry in entries} == {PHASES.get(role, "supervision")}
    assert run.job.events.filter(kind="stand_in")[0].text.endswith("The offline engine answered in its place.")
    assert Usage.objects.filter(subject=run.pk).totals().usd == run.spent_usd, "failed tries are paid for too"
    assert Usage.objects.filter(subject=run.pk, role=role).count() >= 2
    assert verify_run(run).ok
    assert replay(log_of(run)).same
    if role != "verify":
        assert "The offline engine answered in its place" in run.report


def test_a_refusal(forest: Project, owner: User, service: Service) -> None:
    service.otherwise = but("condense", model_answer("No.", stop_reason="refusal", category="bio"))
    run = researched(forest, owner)
    assert run.job.state == State.DONE, run.job.reason
    assert "declined to answer (bio)" in run.provenance.get(event_type="stand_in").summary
    response = run.steps.get(key="1/condense").response
    assert response
    assert [usage["stop_reason"] for usage in response["usages"]] == ["refusal"]


def test_a_report_that_cites_nothing(forest: Project, owner: User, service: Service) -> None:
    """R10: a report without evidence is none, so the findings are quoted instead."""
    service.otherwise = but(
        "synthesize", model_answer(answer={"title": "Alder", "sections": [{"key": "summary", "body": "Yes."}]})
    )
    run = researched(forest, owner)
    assert run.job.state == State.DONE, run.job.reason
    assert "cites none of the findings" in run.provenance.get(event_type="stand_in").summary
    assert run.claims.exists()


def test_odd_numbers_and_names_are_taken(forest: Project, owner: User, service: Service) -> None:
    """What a model may write and a column may not hold."""
    gap = {"description": "The driest site.", "priority": -3, "suggested_queries": []}
    judged = {"is_sufficient": False, "reasoning": "No.", "gaps": [gap]}
    service.otherwise = lambda request: (
        {
            "sufficiency": model_answer(answer=judged),
            "decompose": model_answer(answer={"directives": [{**PART, "question": " "}], "rationale": "None."}),
        }.get(role_of(request))
        or reply(request)
    )
    run = researched(forest, owner)
    assert run.job.state == State.DONE, run.job.reason
    assert run.gaps.get().priority == 1
    assert run.nodes.count() == 2, "no part without words; the gap is asked about once more"


PART = {
    "topic": "Dry sites",
    "question": "What of dry sites?",
    "perspective": "site",
    "priority": 1,
    "evidence_needed": "",
}


def test_a_service_that_is_down(forest: Project, owner: User, service: Service) -> None:
    service.fails(529, "overloaded_error", retry_after=0.01, times=5)
    run = researched(forest, owner, file_ids=[])  # one call at a time
    assert run.job.state == State.WAITING
    assert "tried 5 times" in run.job.reason
    assert run.job.reason.endswith("What was found is kept; resume when the service works again.")
    assert run.spent_usd == 0
    assert verify_run(run).ok
    run.job.resume()
    perform(str(run.job_id))
    run.job.refresh_from_db()
    assert run.job.state == State.DONE, "it goes on when the service is well"


def test_a_key_that_is_refused(forest: Project, owner: User, service: Service) -> None:
    service.fails(401, "authentication_error")
    run = researched(forest, owner)
    assert run.job.state == State.WAITING
    assert "check ANTHROPIC_API_KEY. What was found is kept; correct the setting" in run.job.reason


def with_only(run: Run, usd: str) -> Run:
    """`run` after a worker has had it, with so much money: less than a run is begun with today."""
    Run.objects.filter(pk=run.pk).update(budget_usd=Decimal(usd))
    perform(str(run.job_id))
    return Run.objects.select_related("job").get(pk=run.pk)


def test_a_budget_too_small_to_begin(forest: Project, owner: User, service: Service) -> None:
    """R16: reserved before the call, so nothing is sent."""
    run = start_run(forest, owner, QUESTION, enqueue=False)
    run = with_only(run, "0.01")
    assert run.job.state == State.FAILED
    assert run.job.reason.startswith("The budget of 0.01 USD does not allow another call: 0 are spent or reserved.")
    assert run.job.reason.endswith("ask the question again with a larger budget.")
    assert run.spent_usd == 0
    assert not service.requests


def test_a_budget_that_ends_in_the_middle(forest: Project, owner: User, service: Service) -> None:
    """R9: what was found by then becomes a partial report."""
    files = [file.pk for file in forest.context_files.all()]
    run = with_only(start_run(forest, owner, QUESTION, file_ids=files, enqueue=False), "0.5")
    assert run.job.state == State.DONE, run.job.reason
    assert run.findings.exists()
    assert 0 < run.spent_usd < Decimal("0.5")
    assert "synthesize" not in {role_of(request) for request in service.requests}
    assert "The budget of 0.5 USD" in partial_label(run.report)
    assert replay(log_of(run)).same


@pytest.mark.parametrize("limit", ["budget_tokens", "budget_calls"])
def test_other_budgets(forest: Project, owner: User, service: Service, limit: str) -> None:
    run = start_run(forest, owner, QUESTION, enqueue=False)
    Run.objects.filter(pk=run.pk).update(**{limit: 1})
    perform(str(run.job_id))
    run.job.refresh_from_db()
    assert f"The budget of 1 {limit.partition('_')[2]}" in run.job.reason
    assert len(service.requests) == (limit == "budget_calls")


def test_a_power_cut_repeats_no_stored_call(
    forest: Project, owner: User, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R16: what was answered is not asked, or paid for, again."""
    real = ClaudeEngine.ask

    async def cut(self: ClaudeEngine, asked: Any, **how: Any) -> EngineResult[Any]:
        if asked.role == "sufficiency":
            raise PowerCut
        return await real(self, asked, **how)

    files = [file.pk for file in forest.context_files.all()]
    run = start_run(forest, owner, QUESTION, file_ids=files, budget=Decimal(2), enqueue=False)
    monkeypatch.setattr(ClaudeEngine, "ask", cut)
    with pytest.raises(PowerCut):
        perform(str(run.job_id))
    before = len(service.requests)
    Job.objects.filter(pk=run.job_id).update(lease_until=timezone.now() - timedelta(seconds=1))
    monkeypatch.setattr(ClaudeEngine, "ask", real)
    perform(str(run.job_id))
    run.refresh_from_db()
    run.job.refresh_from_db()
    assert run.job.state == State.DONE, run.job.reason
    assert [role_of(request) for request in service.requests[before:]] == ["sufficiency", "synthesize", "verify"]
    keys = list(run.steps.values_list("key", flat=True))
    assert len(keys) == len(set(keys))
    assert Usage.objects.filter(subject=run.pk).totals().usd == run.spent_usd
