"""A question is researched by a model: its answers become a report, and what it spent is accounted for."""

from collections import Counter
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from pytest_django import Settings

from jobs.models import State
from llm.claude import ClaudeEngine
from llm.models import Usage
from llm.redaction_gate import Gate
from projects.models import Project, User
from research.export.structured import result
from research.journal.provenance import log_of, verify_run
from research.prompts.instructions import PROMPT_VERSION
from research.replay import replay
from research.run_context.run_context import RunContext
from tests.people import signed_in
from tests.research.forest_thesis import researched
from tests.research_model.script import KEY, QUOTES, reply, role_of, text_of
from tests.servers.messages import Request, Service, model_answer, serving

pytestmark = pytest.mark.django_db


def test_a_whole_run(forest: Project, owner: User, service: Service) -> None:
    run = researched(forest, owner, profile="academic")
    assert run.job.state == State.DONE, run.job.reason
    assert run.nodes.count() == 4, "the question, as it stands, its seminal works and its recent studies"
    roles = Counter(role_of(request) for request in service.requests)
    assert roles == {
        "digest": 2, "brief": 1, "decompose": 1, "route": 1, "research": 6, "condense": 3, "sufficiency": 3,
        "synthesize": 1, "verify": 1,
    }  # fmt: skip
    assert run.title.endswith("Alder and nitrogen")
    assert all(quote in run.report for quote in QUOTES)
    assert "### Loud" in run.report
    assert "\n## Loud" not in run.report, "code writes the headings"
    for name in ("OpenAlex", "Tavily"):
        assert f"Not searched: {name}, which needs {name.upper()}" in run.report
    assert "Semantic Scholar could not be searched (tried 6 times): " in run.report
    assert f"Written by {run.engine} from what was found." in run.report
    assert not run.provenance.filter(event_type="stand_in").exists()
    assert run.provenance.get(event_type="engine_chosen").details["prompt_version"] == PROMPT_VERSION
    assert [claim.verdict for claim in run.claims.all()] == ["SUPPORTED"] * 3
    assert verify_run(run).ok
    browser = signed_in(owner)
    for page, words in (("report", "are supported by the passage they cite"), ("findings", QUOTES[0])):
        assert words in browser.get(f"/runs/{run.pk}/{page}/").content.decode()


def test_what_was_spent(forest: Project, owner: User, service: Service) -> None:
    """T4: a row for each call that was paid for, and their sum on the run."""
    service.fails(429, "rate_limit_error", retry_after=0.01)
    run = researched(forest, owner, budget=Decimal(5))
    assert run.job.state == State.DONE, run.job.reason
    totals = Usage.objects.filter(subject=run.pk).totals()
    assert totals.calls == run.spent_calls == len(service.requests) - 1, "what was refused costs nothing"
    assert (totals.usd, totals.tokens) == (run.spent_usd, run.spent_tokens)
    assert run.spent_usd > 0
    response = run.steps.get(key="brief").response
    assert response
    kept = response["usages"]
    assert [usage["role"] for usage in kept] == ["brief"]
    assert Usage.objects.filter(pk=kept[0]["id"]).exists()
    assert run.job.counters["spent_usd"] == f"{run.spent_usd:.4f}"
    assert run.job.counters["model_calls"] == run.spent_calls


def test_parts_are_worked_at_once(forest: Project, owner: User, service: Service) -> None:
    """R6: siblings share one purse, and their rows add up."""
    topics = ("growth", "leaching", "poor sites")
    parts = [
        {"topic": topic, "question": f"What of {topic}?", "perspective": "", "priority": 1, "evidence_needed": ""}
        for topic in topics
    ]

    def split(request: Request) -> Any:
        if role_of(request) == "decompose":
            return model_answer(answer={"directives": parts, "rationale": "Three things are asked."}, seconds=0.001)
        if role_of(request) == "sufficiency" and "Depth: 0" in text_of(request):
            gap = {"description": "Growth is not told.", "priority": 1, "suggested_queries": []}
            return model_answer(answer={"is_sufficient": False, "reasoning": "Not yet.", "gaps": [gap]})
        return reply(request, seconds=0.002)

    service.otherwise = split
    run = researched(forest, owner, budget=Decimal(5))
    assert run.job.state == State.DONE, run.job.reason
    assert list(run.nodes.values_list("number", flat=True)) == ["1", "1.1", "1.2", "1.3"]
    assert service.most_at_once > 1
    assert Usage.objects.filter(subject=run.pk).totals() == (run.spent_usd, run.spent_tokens, run.spent_calls)
    assert replay(log_of(run)).same


@pytest.mark.long
def test_money_is_shown_for_a_service_elsewhere(
    forest: Project, owner: User, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ClaudeEngine, "is_remote", True)
    run = researched(forest, owner, profile="general")
    assert run.job.counters["tokens"] == run.spent_tokens
    assert run.job.counters["spent_usd"] == f"{run.spent_usd:.4f}"
    page = signed_in(owner).get(f"/runs/{run.pk}/").content.decode()
    assert f'data-counter="spent_usd">{run.spent_usd:.4f}<' in page
    usage = result(run)["usage"]
    assert Decimal(usage["cost_usd"]) == run.spent_usd
    assert usage["input_tokens"] + usage["output_tokens"] == run.spent_tokens


def test_a_replay_needs_no_service(forest: Project, owner: User, service: Service, settings: Settings) -> None:
    """R12: byte for byte, with the service gone."""
    with serving() as short_lived:
        short_lived.otherwise = reply
        settings.ANTHROPIC_BASE_URL = short_lived.url
        run = researched(forest, owner)
    again = replay(log_of(run))
    assert (again.same, again.report) == (True, run.report)
    out = StringIO()
    call_command("replay", str(run.pk), stdout=out)
    assert "byte for byte" in out.getvalue()
    assert Usage.objects.filter(subject=run.pk).totals().usd == run.spent_usd


def test_the_key_is_stored_nowhere(forest: Project, owner: User, service: Service) -> None:
    service.fails(401, "authentication_error", f"invalid x-api-key {KEY}")
    failed = researched(forest, owner)
    run = researched(forest, owner)
    assert (failed.job.state, run.job.state) == (State.WAITING, State.DONE)
    for model in apps.get_models():
        for row in model._default_manager.values():
            assert KEY not in str(row), model


def test_a_model_that_would_not_search(forest: Project, owner: User, service: Service) -> None:
    """R5: the library is asked at least once, whatever the model thinks of it."""

    def lazy(request: Request) -> Any:
        if role_of(request) == "research":
            return model_answer("I know it all.")
        return reply(request)

    service.otherwise = lazy
    run = researched(forest, owner)
    assert run.job.state == State.DONE, run.job.reason
    assert run.nodes.get().searches == 1


@pytest.mark.long
def test_local_only_stays_here(forest: Project, owner: User, service: Service, settings: Settings) -> None:
    """R1: a model that is elsewhere is not asked."""
    settings.ANTHROPIC_BASE_URL = "https://model.example"
    run = researched(forest, owner, profile="local-only")
    assert run.job.state == State.DONE, run.job.reason
    assert run.engine.startswith("Offline engine")
    assert not Usage.objects.exists()
    assert RunContext.of(run.job, ClaudeEngine(None, Gate(""), service.url)).profile.is_local_only  # type: ignore[arg-type]
