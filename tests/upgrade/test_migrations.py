"""Migrations that have landed are never edited: databases have run them as they were."""

import shutil
from pathlib import Path

import pytest
from django.apps import apps

from tests.upgrade.migrations import LANDED, ROOT, add_new, landed, present, problems


def test_migrations_are_as_they_landed() -> None:
    assert problems(landed(), present()) == []


def test_every_app_of_ours_is_looked_at() -> None:
    ours = {app.label for app in apps.get_app_configs() if Path(app.path).parent == ROOT}
    assert {app for app in ours if (ROOT / app / "migrations").exists()} == set(landed())


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the migrations, to be spoiled."""
    for folder in ROOT.glob("*/migrations"):
        shutil.copytree(folder, tmp_path / folder.relative_to(ROOT), ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(LANDED, tmp_path / "migrations.json")
    return tmp_path


def test_one_that_was_edited_one_that_is_gone_and_one_that_is_new_are_told(copied: Path) -> None:
    jobs = copied / "jobs" / "migrations"
    edited, *_, gone = sorted(path for path in (copied / "research" / "migrations").glob("0*.py"))
    edited.write_text(edited.read_text() + "\n")
    gone.unlink()
    (jobs / "9999_more.py").write_text("more = 1\n")
    told = problems(landed(copied / "migrations.json"), present(copied))
    assert told == [
        (
            "jobs/migrations/9999_more.py is new. Once it is as it shall land: "
            ".venv/bin/python -m tests.upgrade.migrations"
        ),
        (
            f"research/migrations/{edited.name} was edited. Databases have run it "
            "as it was: undo that, and write a new migration."
        ),
        f"research/migrations/{gone.name} is gone. Databases have run it: put it back.",
    ]
    # The command adds what is new and hides nothing else.
    assert add_new(copied / "migrations.json", copied) == ["jobs/migrations/9999_more.py"]
    assert problems(landed(copied / "migrations.json"), present(copied)) == told[1:]
    assert add_new(copied / "migrations.json", copied) == []
