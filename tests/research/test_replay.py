"""R12: a run is replayed from its file with nothing else at hand, and the report comes out byte for byte."""

import copy
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from llm.offline import OfflineEngine
from projects.models import Project, User
from research.journal.provenance import log_of
from research.models import Run
from research.replay import replay
from tests.research.finished_run import finished, forest, owner, run
from tests.research.forest_thesis import researched

__all__ = ["finished", "forest", "owner", "run"]

pytestmark = pytest.mark.django_db


@pytest.mark.sample(1)
@pytest.mark.parametrize("profile", ["local-only", "academic", "general"])
def test_a_replay_needs_nothing_but_the_file(
    run: Run, forest: Project, owner: User, profile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if profile != run.profile:
        run = researched(forest, owner, profile=profile)
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log_of(run)))
    forest.delete()

    async def gone(self: OfflineEngine, asked: Any) -> Any:
        raise AssertionError("asked again")

    monkeypatch.setattr(OfflineEngine, "ask", gone)
    out = StringIO()
    call_command("replay", str(path), stdout=out)
    assert "byte for byte" in out.getvalue()
    assert not Project.objects.exists(), "a replay leaves nothing behind"


@pytest.mark.postgres
def test_a_run_is_replayed_by_its_id(run: Run) -> None:
    call_command("replay", str(run.pk), stdout=StringIO())
    assert Run.objects.count() == 1


def test_a_changed_journal_shows(run: Run, tmp_path: Path) -> None:
    log = log_of(run)
    other = copy.deepcopy(log)
    steps = {step["key"]: step for step in other["journal"]}
    for section in steps["synthesis/1"]["response"]["answer"]["answer"]["sections"]:
        section["body"] += "\n\n### And more"
    assert not replay(other).same
    path = tmp_path / "log.json"
    path.write_text(json.dumps(other))
    with pytest.raises(CommandError, match="replayed report differs") as error:
        call_command("replay", str(path))
    assert error.value.returncode == 1

    missing = {**log, "journal": [step for step in log["journal"] if step["key"] != "brief"]}
    path.write_text(json.dumps(missing))
    with pytest.raises(CommandError, match="brief was not recorded"):
        call_command("replay", str(path))


def test_a_failed_run_fails_again(project: Project, owner: User) -> None:
    run = researched(project, owner)
    assert replay(log_of(run)).same


@pytest.mark.parametrize("text", ["{}", "[]", '{"entries": [], "journal": 3}', "no"])
def test_what_is_no_log_is_said_so(text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(CommandError) as error:
        call_command("replay", str(path))
    assert error.value.returncode == 2
