"""manage.py research and export_run: exit codes, formats, and nothing but this machine (DESIGN, "Commands")."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection

from research.models import Run
from tests.research.forest_thesis import ALDER, BREAD, QUESTION

MANAGE = [sys.executable, str(settings.BASE_DIR / "manage.py")]


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """The environment of a machine on which nothing was set up: no tables, no files."""
    return {
        **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        "DATABASE_URL": f"sqlite:///{tmp_path / 'bare.sqlite3'}",
        "MEDIA_ROOT": str(tmp_path / "media"),
        "SECRET_KEY": "only for tests 0123456789 0123456789 0123456789 abc",
    }


@pytest.fixture
def with_tables(bare: dict[str, str], tmp_path: Path, django_db_setup: None) -> dict[str, str]:
    """The same once the database is set up, copied from ours instead of made anew."""
    ours = sqlite3.connect(connection.settings_dict["NAME"])
    theirs = sqlite3.connect(tmp_path / "bare.sqlite3")
    ours.backup(theirs)
    theirs.close()
    ours.close()
    return bare


def manage(env: dict[str, str], *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*MANAGE, *words], env=env, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.long
def test_a_question_on_an_empty_database(bare: dict[str, str], tmp_path: Path) -> None:
    notes = tmp_path / "alder.md"
    notes.write_text(ALDER)
    asked = manage(bare, "research", QUESTION, "--profile", "local-only", "--file", str(notes), "--format", "json")
    assert asked.returncode == 0, asked.stderr
    run: dict[str, Any] = json.loads(asked.stdout)
    assert "0.34%" in run["report"]
    assert run["sources"][0]["id"] == "alder.md::S1"
    assert run["sources"][0]["title"] == "alder.md"
    assert run["context_processing"] == {"status": "ready", "files_total": 1, "files_ready": 1, "files_error": 0}
    assert "Parsing context file 1 of 1" in asked.stderr


@pytest.mark.django_db
def test_what_was_printed_is_exported_and_checked_by_its_id(tmp_path: Path) -> None:
    notes, bread = tmp_path / "alder.md", tmp_path / "bread.md"
    notes.write_text(ALDER)
    bread.write_text(BREAD)
    words = ["research", QUESTION, "--profile", "local-only", "--format", "json"]
    call_command(*words, "--file", str(notes), stdout=(out := StringIO()), stderr=StringIO())
    run: dict[str, Any] = json.loads(out.getvalue())
    call_command("export_run", run["run_id"], "--format", "md", stdout=(again := StringIO()))
    assert again.getvalue() == run["report"]
    call_command("verify_provenance", run["run_id"], stdout=StringIO())
    with pytest.raises(CommandError, match="No evidence, so no report") as ended:
        call_command(*words, "--file", str(bread), stdout=(nothing := StringIO()), stderr=StringIO())
    assert (ended.value.returncode, nothing.getvalue()) == (1, "")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "words",
    [
        ["research", QUESTION, "--profile", "nonsense"],
        ["research", " "],
        ["research", QUESTION, "--set", "colour=red"],
        ["research", QUESTION, "--set", "colour"],
        ["research", QUESTION, "--format", "exe"],
        ["research", QUESTION, "--file", "absent.md"],
        ["research", QUESTION, "--project", "nonsense"],
        ["research", QUESTION, "--user", "nobody@example.org"],
        ["export_run", "7d1dd2a4-6a2c-4d9a-9f7e-1f6c5a1b2c3d"],
        ["verify_provenance", "nonsense"],
    ],
)
def test_bad_usage_is_refused_with_exit_code_2(words: list[str]) -> None:
    with pytest.raises(CommandError) as refused:
        call_command(*words)
    assert refused.value.returncode == 2
    assert str(refused.value)
    assert not Run.objects.exists()


@pytest.mark.long
def test_ctrl_c_stops_at_the_next_step_and_keeps_what_was_found(with_tables: dict[str, str], tmp_path: Path) -> None:
    notes = tmp_path / "alder.md"
    notes.write_text("".join(ALDER.replace("2003", str(year)) for year in range(1000, 2000)))
    words = ["research", QUESTION, "--profile", "local-only", "--file", str(notes)]
    command = subprocess.Popen(
        [*MANAGE, *words], env=with_tables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert command.stderr is not None
    for line in command.stderr:
        if "Researching" in line:
            command.send_signal(signal.SIGINT)
            break
    out, rest = command.communicate(timeout=60)
    assert (command.returncode, out) == (1, "")
    assert "Everything found so far is kept" in rest
    assert "Traceback" not in rest
