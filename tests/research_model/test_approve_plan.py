"""The plan of a model is read, changed and followed; nothing is asked again for it (R3, R16)."""

import re
from typing import Any

import pytest
from django.urls import reverse

from jobs.models import State
from jobs.work import perform
from projects.models import Project, User
from research.journal.provenance import log_of, verify_run
from research.models import Run
from research.pages.plan import edited_questions
from research.plan.approval import approve, awaits_approval, proposal_of
from research.replay import replay
from tests.people import signed_in
from tests.research.forest_thesis import researched
from tests.research_model.script import reply, role_of, text_of
from tests.servers.messages import Request, Service, model_answer

pytestmark = pytest.mark.django_db

TOPICS = ("soil nitrogen", "leaching of nitrate", "poor sites and growth")


@pytest.fixture
def run(forest: Project, owner: User, service: Service) -> Run:
    """A run whose plan of three questions waits."""
    parts = [
        {
            "topic": topic,
            "question": f"What is known of {topic}?",
            "perspective": "",
            "priority": 9,
            "evidence_needed": "",
        }
        for topic in TOPICS
    ]

    def planning(request: Request) -> Any:
        if role_of(request) == "decompose":
            return model_answer(answer={"directives": parts, "rationale": "Three things are asked."})
        return reply(request)

    service.otherwise = planning
    return researched(forest, owner, profile="general", overrides={"providers": []}, wants_approval=True)


def go_on(run: Run) -> Run:
    perform(str(run.job_id))
    return Run.objects.select_related("job").get(pk=run.pk)


def post(user: User, run: Run, do: str, rows: list[dict[str, Any]], **headers: str) -> Any:
    proposal = proposal_of(run)
    assert proposal is not None
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    typed = {"text": proposal.brief.text, "scope_boundaries": "\n".join(proposal.brief.scope_boundaries)}
    typed |= {"source_preferences": "Field trials.", "key_terms": "\n".join(proposal.brief.key_terms), "do": do}
    return signed_in(user).post(reverse("research:plan", args=[run.pk]), {**typed, **columns}, headers=headers)


def rows_of(run: Run) -> list[dict[str, Any]]:
    proposal = proposal_of(run)
    assert proposal is not None
    return [part.model_dump() for part in proposal.directives]


def test_only_brief_and_plan_were_made(run: Run, owner: User, service: Service) -> None:
    assert (run.job.state, awaits_approval(run)) == (State.WAITING, True)
    assert {role_of(request) for request in service.requests} == {"digest", "brief", "decompose"}
    assert [row["priority"] for row in rows_of(run)] == [5, 5, 5], "within what can be chosen"
    page = signed_in(owner).get(reverse("research:plan", args=[run.pk])).content.decode()
    assert all(f"What is known of {topic}?" in page for topic in TOPICS)
    assert "Three things are asked." in page


@pytest.mark.long
def test_the_plan_is_followed_as_it_was_left(run: Run, owner: User, service: Service) -> None:
    """R3: two kept in another order, one of them reworded, one left out, one added."""
    one, _, three = rows_of(run)
    new = {**one, "number": 0, "question": "What of cost?", "topic": "cost"}
    three = {**three, "question": "How do poor sites do?", "priority": 1}
    assert post(owner, run, "approve", [three, one, new]).status_code == 302
    done = go_on(run)
    assert done.job.state == State.DONE, done.job.reason
    asked = list(done.nodes.filter(depth=1, round=1).values_list("number", "question"))
    assert asked[:3] == [("1.1", "How do poor sites do?"), ("1.2", one["question"]), ("1.3", "What of cost?")]
    entry = done.provenance.get(event_type="plan_approved")
    assert entry.summary.endswith(": 1 question added, 1 question removed, 1 question changed, the order.")
    assert entry.details["changes"]["removed"] == ["What is known of leaching of nitrate?"]
    assert entry.details["changes"]["changed"][0]["before"]["number"] == 3
    plans = [
        request for request in service.requests if role_of(request) == "decompose" and "Depth: 0" in text_of(request)
    ]
    assert len(plans) == 1, "the plan was paid for once"
    assert verify_run(done).ok
    log = log_of(done)
    Run.objects.update(wants_approval=False, approved={}, approved_at=None)
    assert replay(log).same


def test_all_parts_left_out_is_no_plan(run: Run, owner: User) -> None:
    empty: dict[str, list[str]] = {key: [] for key in rows_of(run)[0]}
    typed = {"text": "I am looking for alder.", "do": "approve", **empty}
    answer = signed_in(owner).post(reverse("research:plan", args=[run.pk]), typed)
    assert (answer.status_code, "at least one question" in answer.content.decode()) == (422, True)
    assert awaits_approval(run)


def test_the_buttons_of_the_form(run: Run, owner: User) -> None:
    rows = rows_of(run)
    moved = post(owner, run, "down-1", rows, **{"HX-Request": "true", "HX-Target": "plan-questions"}).content.decode()
    assert "<html" not in moved
    assert re.findall(r'name="number" value="(\d)"', moved) == ["2", "1", "3"]
    left = post(owner, run, "out-2", rows).content.decode()
    assert "<html" in left
    assert re.findall(r'name="number" value="(\d)"', left) == ["1", "3"]
    assert 'value="back-2"' in left
    assert "Field trials." in left, "what was typed stays"
    assert awaits_approval(run)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("act", "numbers"),
    [
        ("up-2", [2, 1, 3]),
        ("up-1", [1, 2, 3]),
        ("down-3", [1, 2, 3]),
        ("out-1", [2, 3]),
        ("add", [1, 2, 3, 0]),
        ("back-2", [1, 2, 3]),
        ("back-9", [1, 2, 3]),
        ("out-9", [1, 2, 3]),
        ("out-0", [1, 2, 3]),
        ("nonsense", [1, 2, 3]),
        ("", [1, 2, 3]),
    ],
)
def test_rows_are_rearranged(run: Run, act: str, numbers: list[int]) -> None:
    proposal = proposal_of(run)
    assert proposal is not None
    assert [row["number"] for row in edited_questions(rows_of(run), act, proposal)] == numbers


def test_what_was_left_out_can_come_back(run: Run) -> None:
    proposal = proposal_of(run)
    assert proposal is not None
    rows = edited_questions(rows_of(run), "out-1", proposal)
    assert [row["number"] for row in edited_questions(rows, "back-1", proposal)] == [2, 3, 1]
    full = [*rows, *rows, *rows, rows[0]]
    assert edited_questions(full, "add", proposal) == full


@pytest.mark.long
def test_a_worker_that_dies_while_it_takes_up_the_plan(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """R16: the approved plan is in the journal or still on the run; it is taken up once."""
    approve(run)
    from research.plan import approval

    def dies(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(approval, "_follow", dies)
        with pytest.raises(KeyboardInterrupt):
            perform(str(run.job_id))
    type(run.job).objects.filter(pk=run.job_id).update(state=State.QUEUED, lease_by="", lease_until=None)
    done = go_on(run)
    assert done.job.state == State.DONE, done.job.reason
    assert done.provenance.filter(event_type="plan_approved").count() == 1
