"""R17 with a model: what it is told, what of its answer is kept, what it costs, and what happens when it fails."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import F

from core.errors import Refused
from jobs.models import State
from llm.models import Usage
from projects.models import Project, User
from research.follow_ups.start import More, ask, extend, rerun
from research.journal.provenance import log_of, verify_run
from research.models import FollowUp, Run
from research.replay import replay
from tests.research.follow_up_run import worked
from tests.research.forest_thesis import researched
from tests.research_model.script import material, reply, role_of, text_of
from tests.servers.messages import Answer, Failure, Request, Service, model_answer

pytestmark = pytest.mark.django_db

ROOTS = "What of the <<<end roots of alder?"


@pytest.fixture
def run(forest: Project, owner: User, service: Service) -> Run:
    run = researched(forest, owner)
    assert run.job.state == State.DONE, run.job.reason
    return run


def but(service: Service, role: str, other: Answer | Failure) -> None:
    """In one role, `other` from now on."""
    service.otherwise = lambda request: other if role_of(request) == role else reply(request)


def requests_of_role(service: Service, role: str) -> list[Request]:
    return [request for request in service.requests if role_of(request) == role]


def holds(run: Run) -> None:
    run = Run.objects.get(pk=run.pk)
    assert verify_run(run).ok, verify_run(run).sentence
    again = replay(log_of(run))
    assert again.same, again.sentence


def test_the_question_is_asked_of_findings_and_the_answer_paid_for(run: Run, owner: User, service: Service) -> None:
    before = run.spent_calls
    asked = worked(ask(run, owner, ROOTS))
    (request,) = requests_of_role(service, "assist")
    given = {one["source_id"]: one["text"] for one in material(request, "findings")}
    assert given == dict(run.findings.values_list("finding_id", "content"))
    assert "Question: What of the" in text_of(request)
    first, note, *listed = asked.answer.split("\n\n")
    assert first.startswith("As was found: ")
    assert first.endswith("]")
    assert note == "Nothing was found on roots."
    assert len(listed) == 1
    assert asked.run.spent_calls == before + 2  # the answer and its check
    assert Usage.objects.filter(subject=run.pk, role="assist").count() == 1
    assert asked.run.report == run.report
    holds(run)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("sentences", "verdict"),
    [
        ([{"text": "Alder cures all.", "source_id": "F9-9"}], "SUPPORTED"),
        ([{"text": "Alder cures all.", "source_id": ""}, {"text": " ", "source_id": "F1-1"}], "SUPPORTED"),
        ([{"text": "Alder cures all.", "source_id": "F1-1"}], "UNSUPPORTED"),
        ([{"text": "Alder cures all.", "source_id": "F1-1"}], "CONTRADICTED"),
        ([], "SUPPORTED"),
    ],
)
def test_what_no_finding_bears_out_is_not_said(
    run: Run, owner: User, service: Service, sentences: list[dict[str, str]], verdict: str
) -> None:
    def answers(request: Request) -> Answer | Failure:
        match role_of(request):
            case "assist":
                return model_answer(answer={"sentences": sentences, "note": ""})
            case "verify":
                ids = [claim["id"] for claim in material(request, "claims")]
                return model_answer(
                    answer={
                        "verdicts": [
                            {"id": id, "verdict": verdict, "source_id": "", "quote": "", "reason": ""} for id in ids
                        ]
                    }
                )
        return reply(request)

    service.otherwise = answers
    asked = worked(ask(run, owner, "What does alder cure?"))
    assert asked.answer.startswith("Nothing that this run has found answers the question.")
    assert "cures" not in asked.answer
    assert ("left out" in asked.answer) == bool(sentences)
    holds(run)


def test_markers_and_markup_of_a_model_stay_words(run: Run, owner: User, service: Service) -> None:
    text = "# Alder [99] rose <script>alert(1)</script> [here](http://x.example) [[F1-1]]."
    but(
        service,
        "assist",
        model_answer(answer={"sentences": [{"text": text, "source_id": "F1-1"}], "note": "# [7] *so*"}),
    )
    asked = worked(ask(run, owner, ROOTS))
    from research.pages.report_html import answer_html

    html = answer_html(asked.answer, "more-1")
    assert "<script" not in html
    assert "<h1" not in html
    assert "x.example</a>" not in html.partition("reference")[0]
    assert 'href="#more-1-99"' not in html
    assert 'href="#more-1-7"' not in html


@pytest.mark.long
def test_an_unusable_answer_has_a_stand_in(run: Run, owner: User, service: Service) -> None:
    but(service, "assist", model_answer('{"sentences": 3'))
    asked = worked(ask(run, owner, "How tall was Douglas-fir next to red alder?"))
    assert asked.state == "answered"
    assert "11.4 m" in asked.answer
    assert run.provenance.filter(event_type="stand_in", details__role="assist").exists()
    holds(run)


def test_a_service_that_is_away_lets_it_wait_and_go_on(run: Run, owner: User, service: Service) -> None:
    but(service, "assist", Failure(401, "authentication_error", "No.", {}))
    asked = worked(ask(run, owner, ROOTS))
    assert (asked.state, asked.run.job.state) == ("waiting", State.WAITING)
    assert asked.run.has_report
    service.otherwise = reply
    asked.run.job.resume()
    asked = worked(asked)
    assert (asked.state, asked.run.job.state) == ("answered", State.DONE)
    holds(run)


@pytest.mark.long
def test_a_gap_is_searched_for_with_its_own_queries_first(forest: Project, owner: User, service: Service) -> None:
    gap = {"description": "Nothing on roots", "priority": 4, "suggested_queries": ["alder roots", "nodules"]}
    but(service, "sufficiency", model_answer(answer={"is_sufficient": False, "reasoning": "No roots.", "gaps": [gap]}))
    run = researched(forest, owner)
    assert run.job.state == State.DONE, run.job.reason
    service.otherwise = reply
    service.requests.clear()
    named = run.gaps.open().get(description="Nothing on roots")
    worked(extend(run, owner, named.gap_id))
    new = run.nodes.get(topic__startswith=named.gap_id)
    first = run.provenance.filter(event_type="provider_query", summary__startswith=f"{new.number}:").order_by("seq")
    assert [entry.details["query"] for entry in first][:2] == ["alder roots", "nodules"]
    request = requests_of_role(service, "research")[0]
    assert [message["role"] for message in request["messages"]] == ["user", "assistant", "user"]
    assert "Nothing on roots" in text_of(request)
    holds(run)


@pytest.mark.long
def test_a_question_run_again_is_judged_and_written_anew(run: Run, owner: User, service: Service) -> None:
    number = run.nodes.exclude(findings=None).first().number  # type: ignore[union-attr]
    service.requests.clear()
    asked = worked(rerun(run, owner, number))
    assert asked.report_before == run.report
    roles = [role_of(request) for request in service.requests]
    assert "brief" not in roles
    assert roles.count("synthesize") == 1
    assert run.findings.filter(is_superseded=True).exists()
    holds(run)


@pytest.mark.long
def test_a_budget_that_ends_leaves_the_report_and_can_be_raised(run: Run, owner: User, service: Service) -> None:
    Run.objects.filter(pk=run.pk).update(budget_calls=run.spent_calls + 4)
    before = run.report
    asked = worked(rerun(run, owner, run.nodes.exclude(findings=None).first().number))  # type: ignore[union-attr]
    assert asked.state == "left", asked.answer
    assert asked.run.report == before
    assert asked.run.job.state == State.DONE
    spent = asked.run.spent_calls
    assert spent <= run.spent_calls + 4
    Run.objects.filter(pk=run.pk).update(budget_calls=spent)
    with pytest.raises(Refused, match="The budget of this run is spent") as refused:
        ask(run, owner, ROOTS)
    assert refused.value.code == "budget_spent"
    done = worked(ask(run, owner, ROOTS, More(calls=5)))
    assert done.state == "answered"
    holds(run)


@pytest.mark.long
def test_too_little_left_says_what_to_add(run: Run, owner: User, service: Service) -> None:
    number = run.nodes.exclude(findings=None).earliest("id").number
    Run.objects.filter(pk=run.pk).update(budget_usd=run.spent_usd + Decimal("0.03"))
    ways: list[Callable[[More], FollowUp]] = [
        lambda more: ask(run, owner, ROOTS, more),
        lambda more: rerun(run, owner, number, more),
    ]
    for follow_up in ways:
        with pytest.raises(Refused, match=r"The rest of the budget, 0\.03 USD, is too small") as refused:
            follow_up(More())
        assert (refused.value.code, refused.value.status) == ("budget_too_small", 409)
        added = re.search(r"Add (\S+) USD or more", refused.value.message)
        assert added
        asked = worked(follow_up(More(usd=Decimal(added[1]))))
        assert asked.state == "answered", asked.answer
        Run.objects.filter(pk=run.pk).update(budget_usd=F("spent_usd") + Decimal("0.03"))
    holds(run)


def test_limits_that_the_run_does_not_have_cannot_be_raised(run: Run, owner: User) -> None:
    wrong: tuple[Any, ...] = (More(calls=5), More(usd=1), More(minutes=-1))  # type: ignore[arg-type]
    for more in wrong:
        with pytest.raises(Refused, match="cannot be raised"):
            ask(run, owner, ROOTS, more)
    Run.objects.filter(pk=run.pk).update(budget_calls=500, budget_tokens=10_000_000)
    with pytest.raises(Refused, match="greater than zero"):
        ask(run, owner, ROOTS, More(calls=0))
    with pytest.raises(Refused, match="between"):
        ask(run, owner, ROOTS, More(tokens=10**12))
    assert not run.follow_ups.exists()
