"""A person reads brief and plan before anything is searched: page, API, and what the run makes of it (R3)."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.urls import reverse

from core.errors import Refused
from jobs.models import State
from jobs.work import perform
from projects.models import Project, User
from research.journal.provenance import log_of, verify_run
from research.models import Run
from research.plan.approval import approve, awaits_approval, changes_of, changes_text, proposal_of, resume
from research.replay import replay
from tests.people import her_thesis, open_data, signed_in
from tests.research.finished_run import for_all_tests, forest, owner, project, run
from tests.research.forest_thesis import QUESTION, plant, researched

__all__ = ["forest", "owner", "project", "run"]

pytestmark = pytest.mark.django_db

SENTENCE = "Read the plan and approve it. Nothing has been searched yet."


@pytest.fixture(scope="module")
def finished(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[UUID]:
    """A run that waits for its plan to be approved; the offline engine has made the brief."""
    with for_all_tests(django_db_blocker) as owner:
        thesis = plant(her_thesis(owner), owner, tmp_path_factory.mktemp("forest"))
        yield researched(thesis, owner, wants_approval=True).pk


def go_on(run: Run) -> Run:
    perform(str(run.job_id))
    return Run.objects.select_related("job").get(pk=run.pk)


def page_of(run: Run) -> str:
    return reverse("research:plan", args=[run.pk])


def form(run: Run, **changed: Any) -> dict[str, Any]:
    """What the form sends, as it stands with nothing touched."""
    proposal = proposal_of(run)
    assert proposal is not None
    brief = proposal.brief
    lists = ("scope_boundaries", "source_preferences", "key_terms")
    rows = [part.model_dump() for part in proposal.directives]
    columns = {key: [row[key] for row in rows] for key in ("number", "topic", "question", "perspective", "priority")}
    columns["evidence_needed"] = [row["evidence_needed"] for row in rows]
    return {
        "text": brief.text, **{name: "\n".join(getattr(brief, name)) for name in lists}, **columns, "do": "approve",
        **changed,
    }  # fmt: skip


def with_questions(run: Run, *questions: str) -> dict[str, Any]:
    count = len(questions)
    return form(
        run, question=list(questions), number=["0"] * count, topic=[""] * count, perspective=[""] * count,
        priority=["2"] * count, evidence_needed=[""] * count,
    )  # fmt: skip


def test_the_run_waits_before_anything_is_searched(run: Run, owner: User) -> None:
    assert (run.job.state, run.job.reason) == (State.WAITING, SENTENCE)
    assert awaits_approval(run)
    assert not run.steps.filter(kind="search").exists()
    assert run.steps.filter(key="brief").exists()
    page = signed_in(owner).get(page_of(run)).content.decode()
    assert "splits the question after the first search" in page
    head = signed_in(owner).get(reverse("research:head", args=[run.pk])).content.decode()
    assert "Review the plan</a>" in head
    assert "Approve as proposed</button>" in head
    assert "Resume</button>" not in head


def test_as_it_is_in_one_click(run: Run, owner: User) -> None:
    answer = signed_in(owner).post(page_of(run), {"do": "as-it-is"})
    assert answer["Location"] == reverse("research:run", args=[run.pk])
    done = go_on(run)
    assert done.job.state == State.DONE, done.job.reason
    entry = done.provenance.get(event_type="plan_approved")
    assert (entry.summary, entry.details["as_proposed"]) == ("The plan was approved.", True)
    assert verify_run(done).ok
    assert replay(log_of(done)).same


def test_what_the_form_shows_approves_it_as_it_is(run: Run, owner: User) -> None:
    assert signed_in(owner).post(page_of(run), form(run)).status_code == 302
    run.refresh_from_db()
    proposal = proposal_of(run)
    assert proposal is not None
    assert run.approved == proposal.model_dump(mode="json", exclude={"rationale"})


def test_a_changed_plan_is_followed_and_replayed_without_the_database(run: Run, owner: User) -> None:
    typed = with_questions(run, "What of soil nitrogen under red alder?", "What of the growth of Douglas-fir?")
    typed |= {"text": "I am looking for trials of red alder.", "key_terms": "red alder\n\n  soil nitrogen "}
    assert signed_in(owner).post(page_of(run), typed).status_code == 302
    done = go_on(run)
    assert done.job.state == State.DONE, done.job.reason
    assert done.brief["text"] == "I am looking for trials of red alder."
    assert done.brief["key_terms"] == ["red alder", "soil nitrogen"]
    asked = list(done.nodes.filter(depth=1, round=1).values_list("number", "question"))
    assert asked[:2] == [("1.1", typed["question"][0]), ("1.2", typed["question"][1])]
    entry = done.provenance.get(event_type="plan_approved")
    assert entry.summary == "The plan was approved with changes: the brief, 2 questions added."
    assert entry.details["changes"]["brief"] == ["text", "key_terms"]
    log = log_of(done)
    Run.objects.update(wants_approval=False, approved={}, approved_at=None)
    assert replay(log).same
    call_command("verify_provenance", str(done.pk))


def test_it_does_not_go_on_unapproved(run: Run, owner: User) -> None:
    with pytest.raises(Refused, match="approve the plan first"):
        resume(run)
    said = signed_in(owner).post(reverse("research:control", args=[run.pk, "resume"]), headers={"HX-Request": "true"})
    assert "approve the plan first" in said.content.decode()
    answer = signed_in(owner).post(f"/api/runs/{run.pk}/resume")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_approved")
    run.job.resume()  # by whatever way: it waits again
    assert go_on(run).job.state == State.WAITING
    assert run.provenance.filter(event_type="plan_approved").count() == 0


def test_cancelling_while_it_waits(run: Run, owner: User) -> None:
    signed_in(owner).post(reverse("research:control", args=[run.pk, "cancel"]))
    run.job.refresh_from_db()
    assert run.job.state == State.CANCELLED
    assert signed_in(owner).get(page_of(run)).status_code == 302
    with pytest.raises(Refused, match="cancelled"):
        approve(run)
    assert verify_run(run).ok
    assert replay(log_of(run)).same


@pytest.mark.long
def test_pausing_while_it_waits_changes_nothing(run: Run, owner: User) -> None:
    signed_in(owner).post(reverse("research:control", args=[run.pk, "pause"]))
    assert awaits_approval(run)
    approve(run)
    assert go_on(run).job.state == State.DONE


def test_one_that_is_paused_before_may_be_resumed(forest: Project, owner: User) -> None:
    from tests.start_run import start_run

    run = start_run(forest, owner, QUESTION, profile="local-only", wants_approval=True, enqueue=False)
    assert run.job.ask("pause")
    assert resume(run)
    assert go_on(run).job.reason == SENTENCE


def test_approved_once(run: Run, owner: User) -> None:
    approve(run)
    with pytest.raises(Refused, match="already approved"):
        approve(run)
    assert signed_in(owner).post(page_of(run), {"do": "as-it-is"}).status_code == 302
    assert go_on(run).provenance.filter(event_type="plan_approved").count() == 1


def test_a_run_that_asks_nobody_has_no_plan(forest: Project, owner: User) -> None:
    run = researched(forest, owner)
    assert run.job.state == State.DONE
    assert not run.steps.filter(key__startswith="plan/").exists()
    assert signed_in(owner).get(page_of(run)).status_code == 302
    assert signed_in(owner).get(f"/api/runs/{run.pk}/approve").status_code == 409
    assert signed_in(owner).post(f"/api/runs/{run.pk}/approve", {}, content_type="application/json").status_code == 409


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"text": "  "}, "required"),
        ({"text": "..."}, "The brief is empty"),
        ({"text": "x" * 20_001}, "20,000 characters"),
        ({"key_terms": "\n".join(map(str, range(101)))}, "at most 100 lines"),
        ({"text": "a\0b"}, "NUL"),
    ],
)
def test_a_brief_that_will_not_do(run: Run, owner: User, changed: dict[str, str], says: str) -> None:
    answer = signed_in(owner).post(page_of(run), form(run, source_preferences="Field trials.") | changed)
    assert (answer.status_code, says in answer.content.decode()) == (422, True)
    assert "Field trials." in answer.content.decode(), "what was typed stays"
    assert awaits_approval(run)


@pytest.mark.parametrize(
    ("questions", "says"),
    [
        (["What?", "  "], "A question of the plan is empty"),
        ([f"What of {n}?" for n in range(8)], "at most 7 questions"),
        (["x" * 1001], "1000 characters"),
    ],
)
def test_questions_that_will_not_do(run: Run, owner: User, questions: list[str], says: str) -> None:
    answer = signed_in(owner).post(page_of(run), with_questions(run, *questions))
    assert (answer.status_code, says in answer.content.decode()) == (422, True)
    assert awaits_approval(run)


def test_a_form_that_came_in_part(run: Run, owner: User) -> None:
    answer = signed_in(owner).post(page_of(run), form(run, question=["What?"]))
    assert answer["Location"] == page_of(run)
    assert awaits_approval(run)


def test_who_may(run: Run, owner: User, reader: User, outsider: User) -> None:
    assert signed_in(outsider).get(page_of(run)).status_code == 404
    assert signed_in(outsider).post(page_of(run), {"do": "as-it-is"}).status_code == 404
    assert signed_in(reader).post(page_of(run), {"do": "as-it-is"}).status_code == 403
    assert signed_in(owner).put(page_of(run)).status_code == 405
    assert signed_in(outsider).get(f"/api/runs/{run.pk}/approve").status_code == 404
    assert signed_in(reader).get(f"/api/runs/{run.pk}/approve").status_code == 403, "it read uploaded files"
    open_data(run.project)
    assert signed_in(reader).get(f"/api/runs/{run.pk}/approve").status_code == 200
    assert signed_in(reader).post(f"/api/runs/{run.pk}/approve", {}, content_type="application/json").status_code == 403
    assert awaits_approval(run)
    head = signed_in(reader).get(reverse("research:head", args=[run.pk])).content.decode()
    assert "waiting for you" in head
    assert "Approve as proposed" not in head


def call(user: User, run: Run, body: object) -> Any:
    return signed_in(user).post(f"/api/runs/{run.pk}/approve", json.dumps(body), content_type="application/json")


def test_over_the_api(run: Run, owner: User) -> None:
    proposal = signed_in(owner).get(f"/api/runs/{run.pk}/approve").json()
    assert proposal["brief"]["text"].startswith("I am looking for")
    assert (proposal["directives"], proposal["approved_at"]) == ([], None)
    for wrong in (
        {"brief": {"text": ""}},
        {"brief": {"colour": "red"}},
        {"directives": [{"question": " "}]},
        {"directives": [{"question": "What?", "number": 3}]},
        {"directives": [{"question": "What?", "priority": 9}]},
        {"colour": "red"},
    ):
        answer = call(owner, run, wrong)
        assert answer.status_code == 422, wrong
        assert answer.json()["error"]["message"]
    answer = call(owner, run, {"brief": {"key_terms": ["alder"]}, "directives": [{"question": "What of  growth?"}]})
    assert (answer.status_code, answer.json()["state"]) == (200, "queued")
    assert answer.json()["approved_at"]
    run.refresh_from_db()
    assert run.approved["brief"]["key_terms"] == ["alder"]
    assert run.approved["brief"]["text"] == proposal["brief"]["text"]
    assert run.approved["directives"][0]["question"] == "What of growth?"
    assert call(owner, run, {}).status_code == 409


def test_a_run_that_is_to_wait_is_started_everywhere(forest: Project, owner: User) -> None:
    body = json.dumps({"question": QUESTION, "wants_approval": True})
    answer = signed_in(owner).post(f"/api/projects/{forest.pk}/runs", body, content_type="application/json")
    assert (answer.json()["wants_approval"], Run.objects.get(pk=answer.json()["id"]).wants_approval) == (True, True)
    typed = {"question": QUESTION, "profile": "local-only", "wants_approval": "on"}
    signed_in(owner).post(reverse("research:start", args=[forest.pk]), typed)
    assert Run.objects.filter(wants_approval=True).count() == 3


def test_changes_in_words() -> None:
    from llm.roles import Brief
    from research.plan.approval import Part, Plan

    one, two, three = (Part(number=n, question=f"{n}?") for n in (1, 2, 3))
    before = Plan(brief=Brief(text="I am"), directives=[one, two, three])
    assert changes_of(before, before) == {}
    changed = two.model_copy(update={"priority": 1})
    after = Plan(brief=Brief(text="I was"), directives=[three, changed, Part(question="New?")])
    assert changes_text(changes_of(before, after)) == (
        "the brief, 1 question added, 1 question removed, 1 question changed, the order"
    )
