"""R7: rounds with the offline engine, and how they are shown while and after a run works."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from jobs.models import Job, JobEvent, State
from llm.engine import choose_engine
from projects.models import User
from research.models import Gap, Node, Passage, ProvenanceEntry, Run
from research.run_context.run_context import RunContext
from research.supervision.next_questions import next_questions
from tests.people import signed_in
from tests.research.finished_run import finished, forest, owner, project, run

__all__ = ["finished", "forest", "owner", "project", "run"]

pytestmark = pytest.mark.django_db

SCORES = {
    "source_adequacy": 0.8,
    "weakest_node": 0.5,
    "domain_diversity": 0.2,
    "query_completion_rate": 1.0,
    "overall": 0.58,
}


def test_the_offline_engine_works_one_round_where_the_library_has_no_more(run: Run) -> None:
    assert [row["round"] for row in run.rounds] == [1]
    assert run.rounds[0]["scores"]["overall"] > 0
    assert run.provenance.filter(event_type="coverage_assessment").count() == 1


def test_it_goes_on_where_the_library_has_something_new(run: Run) -> None:
    """A gap that the library can answer is a point of the next round; one that it cannot is not."""
    inquiry = RunContext.of(run.job, choose_engine(run.project, local_only=True))
    root = run.nodes.get(number="1")
    Node.objects.filter(pk=root.pk).update(state=Node.State.GAP)
    run.gaps.all().delete()
    Gap.objects.create(
        run=run, node=root, gap_id="G1-9", description="Nothing on sourdough.", priority=1,
        suggested_queries=["sourdough crumb"],
    )  # fmt: skip
    assert next_questions(inquiry, {}) == []
    citation = run.project.citations.get(cite_key="rossi1999")
    Passage.objects.create(
        project=run.project, citation=citation, source_id="rossi1999::S2", document="rossi1999", title="Mixed stands",
        text="Sourdough crumb was soft.", origin_hash="x",
    )  # fmt: skip
    (point,) = next_questions(inquiry, {})
    assert (point.answers, point.queries) == (["G1-9"], ["sourdough crumb"])
    assert next_questions(inquiry, {"G1-9": "Answered."}) == []


def seen(run: Run, owner: User) -> str:
    return signed_in(owner).get(f"/runs/{run.pk}/").content.decode()


def with_rounds(run: Run) -> None:
    rounds = [
        {"round": n, "scores": {**SCORES, "overall": value}, "decision": "go on with 2 open points", "sources": 5,
         "findings": 9, "asked": {}}
        for n, value in ((1, 0.58), (2, 0.71))
    ]  # fmt: skip
    Run.objects.filter(pk=run.pk).update(rounds=[*rounds, {"round": 3, "asked": {}}], phase="research")
    root = run.nodes.get(number="1")
    for n, number in ((2, "1.20"), (2, "1.21"), (3, "1.22")):
        Node.objects.create(
            run=run, parent=root, number=number, depth=1, question=f"What of {number}?", round=n, state="failed"
        )


def test_the_page_draws_coverage_over_the_rounds(run: Run, owner: User) -> None:
    with_rounds(run)
    Job.objects.filter(pk=run.job_id).update(state=State.RUNNING)
    page = seen(run, owner)
    label = re.search(r'<svg class="chart"[^>]*aria-label="([^"]*)"', page)
    assert label
    assert label[1] == "Coverage by round: 0.58 after round 1, 0.71 after round 2. The target is 0.75."
    assert page.count('<circle class="p"') == 2
    assert "Research, round 3" in page
    assert re.findall(r'class="round[^"]*">(Round \d)<', page) == ["Round 2", "Round 3"]
    assert "style=" not in page
    part = signed_in(owner).get(f"/runs/{run.pk}/head/?part=coverage").content.decode()
    assert '<svg class="chart"' in part
    assert "<html" not in part


def test_before_the_first_round_there_is_nothing_to_draw(run: Run, owner: User) -> None:
    Run.objects.filter(pk=run.pk).update(rounds=[])
    page = seen(run, owner)
    assert '<svg class="chart"' not in page
    assert "Measured at the end of each round" in page


def log(run: Run, number: int, **details: Any) -> ProvenanceEntry:
    kind = "provider_failed" if "why" in details else "provider_query"
    return ProvenanceEntry(
        run=run, seq=10_000 + number, at=timezone.now(), phase="supervision", event_type=kind, summary="", hash="",
        previous_hash="", details=details,
    )  # fmt: skip


def test_who_was_asked_and_who_did_not_answer(run: Run, owner: User) -> None:
    why = "OpenAlex has <trouble> of its own (503)."
    ProvenanceEntry.objects.bulk_create(
        [log(run, n, provider="openalex", query="q", result_count=1, source_ids=[]) for n in range(3)]
        + [log(run, 3, provider="openalex", query="q", why=why, kind="broken")]
    )
    page = seen(run, owner)
    row = page[page.index("OpenAlex<br>") :]
    assert "1 failed: OpenAlex has &lt;trouble&gt; of its own (503)." in row
    assert re.findall(r'class="num">(\d+)<', row)[:2] == ["4", "3"]
    assert "Your library" in page


def queries(client: Client, run: Run) -> int:
    with CaptureQueriesContext(connection) as counted:
        assert client.get(f"/runs/{run.pk}/").status_code == 200
    return len(counted)


@pytest.mark.long
def test_a_long_run_costs_no_more_queries(run: Run, owner: User) -> None:
    """300 nodes and 5,000 events: the page asks the database no more often."""
    client = signed_in(owner)
    with_rounds(run)
    ProvenanceEntry.objects.bulk_create([log(run, 0, provider="openalex", query="q", why="Down.", kind="broken")])
    before = queries(client, run)
    root = run.nodes.get(number="1")
    Node.objects.bulk_create(
        Node(run=run, parent=root, number=f"1.{n}", depth=1, question=f"What of {n}?", round=1 + n // 60)
        for n in range(30, 330)
    )
    names = ("library", "openalex", "pubmed")
    ProvenanceEntry.objects.bulk_create(
        log(run, n, provider=names[n % 3], query="q", result_count=1, source_ids=[]) for n in range(1, 5000)
    )
    last = run.job.last_seq
    JobEvent.objects.bulk_create(
        JobEvent(job=run.job, seq=last + n, kind="thought", text="Hm.") for n in range(1, 5000)
    )
    assert queries(client, run) == before


def test_strangers_see_no_rounds(run: Run, outsider: User, client: Client) -> None:
    for someone in (signed_in(outsider), client):
        assert someone.get(f"/runs/{run.pk}/head/?part=coverage").status_code in (302, 404)
    assert signed_in(outsider).get(f"/runs/{run.pk}/head/?part=coverage").status_code == 404
