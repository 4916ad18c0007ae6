"""Watching a run: its page, the tree, earlier events, the buttons; constant queries (R6, R16)."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from jobs.models import Job, JobEvent, State
from projects.models import Project, User
from research.models import Node, Run
from tests.people import signed_in
from tests.research.finished_run import finished, forest, owner, project, run
from tests.research.forest_thesis import QUESTION
from tests.start_run import start_run

__all__ = ["finished", "forest", "owner", "project", "run"]

pytestmark = pytest.mark.django_db


def queued(project: Project, owner: User) -> Run:
    return start_run(project, owner, QUESTION, profile="local-only", enqueue=False)


def test_the_page_shows_phases_tree_and_stream(run: Run, owner: User) -> None:
    page = signed_in(owner).get(reverse("research:run", args=[run.pk])).content.decode()
    assert 'id="node-1.1"' in page
    assert "Read the report" in page
    assert f'after="{run.job.last_seq}"' in page
    assert page.count("data-seq=") == run.job.last_seq


def test_the_page_opens_with_the_last_events_and_fetches_earlier_ones(forest: Project, owner: User) -> None:
    run = queued(forest, owner)
    JobEvent.objects.bulk_create(
        JobEvent(job=run.job, seq=n, kind="thought", text=f"event {n}.") for n in range(1, 451)
    )
    client = signed_in(owner)
    page = client.get(reverse("research:run", args=[run.pk])).content.decode()
    assert "event 450." in page
    assert "event 251." in page
    assert "event 250." not in page
    earlier = client.get(reverse("research:events", args=[run.pk]) + "?before=250").content.decode()
    assert "<html" not in earlier
    assert "event 51." in earlier
    assert "event 250." in earlier
    assert "before=50" in earlier
    assert client.get(reverse("research:events", args=[run.pk]) + "?before=x").status_code == 404


@pytest.mark.parametrize("name", ["head", "tree"])
def test_fragments_go_into_the_element_that_asks_for_them(forest: Project, owner: User, name: str) -> None:
    run = queued(forest, owner)
    client = signed_in(owner)
    fragment = client.get(reverse(f"research:{name}", args=[run.pk])).content.decode()
    assert "<html" not in fragment
    assert f'id="run-{name}"' not in fragment
    page = client.get(reverse("research:run", args=[run.pk])).content.decode()
    assert fragment.split() == page[page.index(f'id="run-{name}"') :].partition(">")[2].split()[: len(fragment.split())]


def test_the_number_of_queries_does_not_grow(forest: Project, owner: User) -> None:
    run = queued(forest, owner)
    client = signed_in(owner)

    def queries(address: str) -> int:
        with CaptureQueriesContext(
            connection,
        ) as seen:
            assert client.get(address).status_code == 200
        return len(seen)

    page, listing = reverse("research:run", args=[run.pk]), reverse("research:list", args=[forest.pk])
    root = Node.objects.create(run=run, number="1", depth=0, question="?")
    few = queries(page), queries(listing)
    for n in range(1, 60):
        Node.objects.create(run=run, number=f"1.{n}", depth=1, question="?", parent=root)
        JobEvent.objects.create(job=run.job, seq=n, kind="thought", text="x")
    for _ in range(20):
        queued(forest, owner)
    assert (queries(page), queries(listing)) == few
    assert max(few) <= 16


def test_the_buttons_pause_resume_and_stop(forest: Project, owner: User) -> None:
    run = queued(forest, owner)
    client = signed_in(owner)

    def press(act: str) -> str:
        answer = client.post(reverse("research:control", args=[run.pk, act]), headers={"HX-Request": "true"})
        assert answer.status_code == 200
        assert b"<html" not in answer.content
        run.job.refresh_from_db()
        return str(run.job.state)

    assert press("pause") == State.PAUSED
    assert press("resume") == State.QUEUED
    assert press("cancel") == State.CANCELLED
    assert press("resume") == State.CANCELLED, "what has ended stays ended"
    assert client.post(reverse("research:control", args=[run.pk, "explode"])).status_code == 404
    assert client.get(reverse("research:control", args=[run.pk, "pause"])).status_code == 405


def test_a_reader_watches_without_buttons(forest: Project, owner: User, reader: User) -> None:
    run = queued(forest, owner)
    client = signed_in(reader)
    assert b"Stop and keep findings" not in client.get(reverse("research:run", args=[run.pk])).content
    assert client.post(reverse("research:control", args=[run.pk, "pause"])).status_code == 403


def test_the_api_controls_too(forest: Project, owner: User) -> None:
    run = queued(forest, owner)
    client = signed_in(owner)
    assert client.post(f"/api/runs/{run.pk}/pause").json()["state"] == "paused"
    assert client.post(f"/api/runs/{run.pk}/pause").json()["error"]["code"] == "not_possible"
    assert client.post(f"/api/runs/{run.pk}/resume").json()["state"] == "queued"
    assert client.post(f"/api/runs/{run.pk}/cancel").json()["state"] == "cancelled"


def ending(run: Run, *, before: str) -> Callable[..., Any]:
    """What ends the run once, right before `before` is first read in this process."""
    waiting = [before]

    def end(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        if waiting and f'FROM "{waiting[0]}"' in sql:
            waiting.clear()
            run.job.change_state(State.DONE)
        return execute(sql, *rest)

    return end


@pytest.mark.parametrize("before", ["jobs_jobevent", "research_run", "research_node"])
def test_a_run_that_ends_while_its_page_is_made(forest: Project, owner: User, before: str) -> None:
    """P2: a page that shows the last event says the run is over; one that does not still listens for it."""
    run = queued(forest, owner)
    client = signed_in(owner)
    with connection.execute_wrapper(ending(run, before=before)):
        page = client.get(reverse("research:run", args=[run.pk])).content.decode()
    run.job.refresh_from_db()
    assert run.job.state == State.DONE
    over = re.search(r"<thought-stream [^>]* over>", page) is not None
    assert over == ('data-kind="job_done"' in page)
    assert not over or "Read the report" in page


def test_what_comes_too_late_is_said_beside_the_buttons(forest: Project, owner: User) -> None:
    run = queued(forest, owner)
    client = signed_in(owner)
    stop = reverse("research:control", args=[run.pk, "cancel"])
    client.post(stop)
    answer = client.post(stop, headers={"HX-Request": "true"}).content.decode()
    assert "You cannot stop this run: it is cancelled." in answer
    assert "There was nothing" not in client.get("/").content.decode(), "said once, where it was asked"
    answer = client.post(stop, follow=True).content.decode()
    assert "You cannot stop this run" in answer


@pytest.mark.parametrize("state", [State.PAUSED, State.WAITING, State.QUEUED])
def test_the_clock_stands_while_nothing_runs(forest: Project, owner: User, state: State) -> None:
    run = queued(forest, owner)
    begun = timezone.now() - timedelta(hours=5)
    event = run.job.emit("job_paused", "Paused.")
    JobEvent.objects.filter(pk=event.pk).update(at=begun + timedelta(minutes=12, seconds=40))
    Job.objects.filter(pk=run.job_id).update(state=state, started_at=begun)
    head = signed_in(owner).get(reverse("research:head", args=[run.pk])).content.decode()
    assert "data-since" not in head
    assert "12 min 40 s" in head


def test_phases_say_where_they_are(forest: Project, owner: User) -> None:
    run = queued(forest, owner)
    head = reverse("research:head", args=[run.pk])
    Run.objects.filter(pk=run.pk).update(phase="brief")
    client = signed_in(owner)

    def said() -> list[str]:
        return re.findall(r'<span class="vh">, ([^<]+)</span>', client.get(head).content.decode())

    assert said()[:3] == ["done", "in progress", "not started"]
    Job.objects.filter(pk=run.job_id).update(state=State.FAILED)
    assert said()[:3] == ["done", "stopped", "not started"]


@pytest.mark.parametrize(
    ("state", "wanted"), [("running", ""), ("running", "pause"), ("running", "cancel"), ("paused", "")]
)
def test_buttons_keep_their_ids_and_stay_reachable(forest: Project, owner: User, state: str, wanted: str) -> None:
    """What is pressed gives way to what follows it under the same id, so that the focus stays; P8."""
    run = queued(forest, owner)
    Job.objects.filter(pk=run.job_id).update(state=state, wanted=wanted)
    head = signed_in(owner).get(reverse("research:head", args=[run.pk])).content.decode()
    assert re.findall(r'<button [^>]*id="([^"]+)"', head) == ["run-act", "run-stop"]
    assert " disabled" not in head
    assert head.count('aria-disabled="true"') == bool(wanted)


def test_a_question_leads_to_its_findings(run: Run, owner: User) -> None:
    tree = signed_in(owner).get(reverse("research:tree", args=[run.pk])).content.decode()
    for node in run.nodes.all():
        assert (
            f'href="{reverse("research:findings", args=[run.pk])}?node={node.number}" id="node-{node.number}"' in tree
        )
