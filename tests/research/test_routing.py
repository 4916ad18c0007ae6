"""X3 to X8 offline: five files, the events of a healthy run in their order, and what each question was given."""

from pathlib import Path

import pytest

from jobs.models import State
from projects.models import Project, User
from research.follow_ups.start import extend
from research.journal.provenance import log_of, verify_run
from research.models import Run
from research.replay import replay
from tests.research.follow_up_run import worked
from tests.research.forest_thesis import BREAD, researched, write

pytestmark = pytest.mark.django_db

RULE = "Only plots with red alder older than ten years must be counted."
RAIN = "# Rain\n\nSoil nitrogen under red alder fell to 0.19% after 900 mm of rain.\n"


@pytest.fixture
def run(forest: Project, owner: User, tmp_path: Path) -> Run:
    """A run over five files, one of them on something else."""
    write(tmp_path, forest, owner, "rules.md", f"# Rules\n\n{RULE}\n")
    write(tmp_path, forest, owner, "rain.md", RAIN)
    write(tmp_path, forest, owner, "bread.md", BREAD)
    return researched(forest, owner)


def kinds_of(run: Run) -> list[str]:
    kinds = ("context_binding_", "context_for_", "context_routing_", "report_context_")
    return [kind for kind in run.job.events.values_list("kind", flat=True) if kind.startswith(kinds)]


def test_a_healthy_run(run: Run, owner: User) -> None:
    """The events in their order, a slice for each question, the log and a replay that hold."""
    assert run.job.state == State.DONE, run.job.reason
    parts = list(run.nodes.exclude(number="1").values_list("number", flat=True))
    assert parts, "the question became parts"
    kinds = kinds_of(run)
    ready = "context_for_node_ready"
    assert kinds == [
        "context_binding_parsing_started",
        *["context_binding_parsing_file_completed"] * 5,
        "context_binding_parsing_completed",
        ready,
        "context_routing_started",
        "context_routing_completed",
        *[ready] * len(parts),
        "report_context_attached",
    ]
    assert run.context is not None
    rows = {row.node_id: row for row in run.context.slices.all()}
    assert list(rows) == ["1", *parts]
    everything = run.context.aggregate_digest
    assert (rows["1"].mode, rows["1"].selected_items, rows["1"].dropped_items_count) == ("root", everything, 0)
    for number in parts:
        row = rows[number]
        assert row.mode == "routed"
        assert [item for item in everything if item in row.selected_items] == row.selected_items
        assert row.dropped_items_count == len(everything) - len(row.selected_items)
        given = [item["text"] for item in row.selected_items]
        assert RULE in given, "a constraint is for every question"
        assert not any("Sourdough" in text or "Crumb" in text for text in given), "bread answers none of them"
        event = run.job.events.get(kind=ready, node=number)
        assert event.text == f"Prepared context for {number} ({len(given)} items)."
        assert event.details["selected_items_count"] == len(given)
    assert verify_run(run).ok
    assert replay(log_of(run)).same


@pytest.mark.long
def test_a_gap_that_is_looked_into_has_its_slice(run: Run, owner: User) -> None:
    gap = run.gaps.open().exclude(node__number="1").first()
    assert gap is not None
    asked = worked(extend(run, owner, gap.gap_id))
    assert asked.state == "answered", asked.answer
    assert run.context is not None
    new = run.context.slices.exclude(node_id__in=["1"]).order_by("id").last()
    assert new is not None
    assert new.node_id.startswith(f"{gap.node.number}.")
    above = run.context.slices.get(node_id=gap.node.number)
    assert all(item in above.selected_items for item in new.selected_items)
    assert kinds_of(asked.run).count("context_routing_completed") == 2
    assert replay(log_of(asked.run)).same


def test_nothing_but_constraints_is_inherited(forest: Project, owner: User, tmp_path: Path) -> None:
    """There is nothing to choose, so nobody is asked. The references alone have the question become parts."""
    rules = write(tmp_path, forest, owner, "rules.md", f"# Rules\n\n{RULE}\n")
    run = researched(forest, owner, file_ids=[rules.pk])
    assert run.job.state == State.DONE, run.job.reason
    assert run.context is not None
    modes = dict(run.context.slices.values_list("node_id", "mode"))
    assert modes.pop("1") == "root"
    assert set(modes.values()) == {"inherited"}
    assert kinds_of(run).count("context_for_node_ready") == 1 + len(modes)
    assert "context_routing_started" not in kinds_of(run)
    assert replay(log_of(run)).same


def test_no_file_that_can_be_used(forest: Project, owner: User, tmp_path: Path) -> None:
    """X8: the run goes on, and no question was given anything."""
    forest.context_files.all().delete()
    write(tmp_path, forest, owner, "broken.pdf", "%PDF-1.7\nthis is not the rest of a PDF\n")
    run = researched(forest, owner, "How does red alder change soil nitrogen?")
    assert run.job.state == State.DONE, run.job.reason
    assert kinds_of(run)[-1] == "context_binding_parsing_completed"
    assert not run.steps.filter(key__contains="route").exists()
    assert replay(log_of(run)).same


def test_a_run_without_files(forest: Project, owner: User) -> None:
    run = researched(forest, owner, file_ids=[])
    assert run.job.state == State.DONE, run.job.reason
    assert kinds_of(run) == []
    assert not run.steps.filter(key__contains="context").exists()
    assert run.context is None
