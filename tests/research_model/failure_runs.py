"""Runs over one catalogue, and a check that they ended well, for tests of failures."""

from typing import Any

from jobs.models import State
from projects.models import Project, User
from research.journal.provenance import log_of, verify_run
from research.models import Run
from research.replay import replay
from tests.research.forest_thesis import researched


def run_of(project: Project, owner: User, providers: str = "semantic_scholar", **options: Any) -> Run:
    options = {"profile": "general", "overrides": {"providers": providers}, "file_ids": [], **options}
    return researched(project, owner, **options)


def holds(run: Run) -> None:
    """The run is done, its log chains, and it comes out the same again."""
    assert run.job.state == State.DONE, run.job.reason
    verdict = verify_run(run)
    assert verdict.ok, verdict.sentence
    again = replay(log_of(run))
    assert again.same, again.sentence
