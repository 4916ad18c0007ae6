"""R12: a file of any version of the pipeline is verified; it is replayed by that version, and refused by another."""

import copy
import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

import research.replay
from research.journal.pipeline_version import CHANGED, PIPELINE_VERSION, versions_in
from research.journal.provenance import genesis, verify
from research.replay import OtherVersion, replay
from tests.research.golden.saved_files import EARLIER, VERSIONS, logs, saved_exports

FILES = [(version, name) for version in VERSIONS for name in logs(version)]
HOW = """
A run of this version of the pipeline no longer comes out the same. If that is meant:
1. Has this version been released? Then raise PIPELINE_VERSION in research/journal/pipeline_version.py by one.
2. .venv/bin/python -m tests.research.golden.make
3. Commit the folder of that version. Those of earlier versions are not touched.
"""


def written(log: dict[str, Any], folder: Path) -> str:
    path = folder / "log.json"
    path.write_text(json.dumps(log))
    return str(path)


@pytest.mark.parametrize(("version", "name"), FILES)
def test_a_file_of_any_version_is_verified(version: int, name: str, tmp_path: Path) -> None:
    log = saved_exports(version, name)["provenance"]
    assert log["format_version"] == 1
    assert versions_in(log) == [version]
    out = StringIO()
    call_command("verify_provenance", written(log, tmp_path), stdout=out)
    assert f"{len(log['entries'])} of {len(log['entries'])} entries chain." in out.getvalue()


@pytest.mark.sample(1)
@pytest.mark.django_db
@pytest.mark.parametrize("name", logs(PIPELINE_VERSION) or ["nothing was made"])
def test_a_file_of_this_version_comes_out_the_same(name: str) -> None:
    assert PIPELINE_VERSION in VERSIONS, HOW
    try:
        again = replay(saved_exports(PIPELINE_VERSION, name)["provenance"])
    except (Exception, AssertionError) as error:
        pytest.fail(f"{name}: {error}{HOW}")
    assert again.same, f"{name}: {again.sentence}{HOW}"


@pytest.mark.parametrize("version", EARLIER)
def test_another_version_is_refused_at_once(version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a single step is gone through; without a database, too."""

    def gone_through(*_: Any) -> Any:
        raise AssertionError("The replay has begun.")

    monkeypatch.setattr(research.replay, "_run_again", gone_through)
    for name in logs(version):
        path = written(saved_exports(version, name)["provenance"], tmp_path)
        with pytest.raises(CommandError) as error:
            call_command("replay", path)
        assert error.value.returncode == 1
        assert f"made by version {version} of Scholium’s research pipeline" in str(error.value)
        assert f"This installation has version {PIPELINE_VERSION}" in str(error.value)


def changes(version: int) -> list[Callable[[dict[str, Any]], Any]]:
    """Ways to say that another version has made a file."""
    return [
        lambda header: header.update(pipeline=version + 1),
        lambda header: header.update(pipeline=str(version)),
        lambda header: header.update(pipeline=None),
        lambda header: header.pop("pipeline") if "pipeline" in header else header.update(pipeline=1),
    ]


@pytest.mark.parametrize("version", VERSIONS)
def test_who_made_a_file_cannot_be_changed(version: int) -> None:
    log = saved_exports(version, "offline-files")["provenance"]
    for change in changes(version):
        other = copy.deepcopy(log)
        change(other["header"])
        verdict = verify(other)
        assert (verdict.ok, verdict.row) == (False, 1), other["header"]
        assert "the header was changed" in verdict.sentence


def test_the_first_entry_of_an_old_file_chains_as_it_did() -> None:
    """The rule of format 1, written out: a header of the first version has five keys that never change."""
    log = saved_exports(1, "academic")["provenance"]
    assert set(log["header"]) == {"session_id", "query", "profile", "profile_config", "started_at", "completed_at"}
    assert log["entries"][0]["previous_hash"] == genesis(log["header"])


def test_a_run_that_two_versions_worked_on_names_both() -> None:
    log = saved_exports(PIPELINE_VERSION, "offline-files")["provenance"]
    log["header"].pop("pipeline")
    log["entries"].append({"event_type": CHANGED, "details": {"from": 1, "to": PIPELINE_VERSION}})
    with pytest.raises(OtherVersion, match=f"versions 1 and {PIPELINE_VERSION} of"):
        replay(log)


@pytest.mark.parametrize("version", ["two", None, 2.5, [2], {}])
def test_what_names_no_version_is_no_provenance_file(version: Any, tmp_path: Path) -> None:
    log = saved_exports(PIPELINE_VERSION, "offline-files")["provenance"]
    log["header"]["pipeline"] = version
    with pytest.raises(CommandError, match="not a provenance file") as error:
        call_command("replay", written(log, tmp_path))
    assert error.value.returncode == 2
