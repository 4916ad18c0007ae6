"""R12: an entry that was edited, removed or moved is named; so is a log that was cut short."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given, settings
from hypothesis import strategies as st

from research.models import ProvenanceEntry, Run
from research.provenance import log_of, verify, verify_run
from tests.research.finished import finished, run

__all__ = ["finished", "run"]

pytestmark = pytest.mark.django_db


def test_an_untouched_log_holds_in_the_database_and_as_a_file(run: Run, tmp_path: Path) -> None:
    log = log_of(run)
    assert set(log) == {"format_version", "header", "entries", "journal"}
    assert set(log["header"]) == {"session_id", "query", "profile", "profile_config", "started_at", "completed_at"}
    assert all({"key", "request_hash", "response"} <= set(step) for step in log["journal"])
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    for named in (str(run.pk), str(path)):
        out = StringIO()
        call_command("verify_provenance", named, stdout=out)
        assert f"{run.provenance_length} of {run.provenance_length} entries chain" in out.getvalue()


def test_every_single_change_to_a_file_is_named(run: Run) -> None:
    """Any one entry edited, removed, doubled or swapped with its neighbour, or the header changed."""
    log = log_of(run)
    count = len(log["entries"])
    file = json.dumps(log)

    def changed(change: Any) -> Any:
        other = json.loads(file)
        change(other)
        return verify(other)

    for n in range(count):
        for key, value in (
            ("summary", "x"),
            ("details", {}),
            ("timestamp", "2020"),
            ("hash", "0" * 64),
            ("phase", "x"),
        ):
            verdict = changed(lambda other, n=n, key=key, value=value: other["entries"][n].update({key: value}))
            assert (verdict.ok, verdict.row) == (False, n + 1), (n, key)
        verdict = changed(lambda other, n=n: other["entries"].pop(n))
        assert (verdict.ok, verdict.row) == (False, n + 1)
        verdict = changed(lambda other, n=n: other["entries"].insert(n, other["entries"][n]))
        assert not verdict.ok
        if n + 1 < count:

            def swap(other: Any, n: int = n) -> None:
                rows = other["entries"]
                rows[n], rows[n + 1] = rows[n + 1], rows[n]

            verdict = changed(swap)
            assert (verdict.ok, verdict.row) == (False, n + 1)
            assert "moved" in verdict.sentence
    assert changed(lambda other: other["header"].update(query="another question")).row == 1
    assert "ended at another time" in changed(lambda other: other["header"].update(completed_at=None)).sentence
    assert "ended at another time" in changed(lambda other: other["header"].update(completed_at="2020")).sentence
    for change in (
        lambda other: other["journal"].pop(),
        lambda other: other["journal"][0].update(response={"forged": True}),
        lambda other: other["journal"].reverse(),
        lambda other: other.update(journal=None),
    ):
        assert "journal is not the one" in changed(change).sentence
    assert "cut short" in changed(lambda other: other["entries"].pop()).sentence


def test_a_change_in_the_database_is_named(run: Run) -> None:
    third = ProvenanceEntry.objects.get(run=run, seq=3)
    ProvenanceEntry.objects.filter(pk=third.pk).update(summary="something else")
    verdict = verify_run(run)
    assert verdict.row == 3
    assert "edited" in verdict.sentence
    ProvenanceEntry.objects.filter(pk=third.pk).update(summary=third.summary)
    assert verify_run(run).ok
    last = run.provenance.last()
    assert last is not None
    last.delete()
    assert verify_run(run).row == run.provenance_length
    with pytest.raises(CommandError, match=f"Row {run.provenance_length}") as error:
        call_command("verify_provenance", str(run.pk))
    assert error.value.returncode == 1


def test_an_entry_edited_together_with_its_hash_breaks_the_next(run: Run) -> None:
    from research.provenance import as_dict, hash_of

    row = ProvenanceEntry.objects.get(run=run, seq=2)
    forged = {**as_dict(row), "summary": "forged"}
    ProvenanceEntry.objects.filter(pk=row.pk).update(summary="forged", hash=hash_of(forged))
    assert verify_run(run).row == 3


def test_what_is_no_log_is_said_so(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for text in ("[]", "{}", '{"header": {}, "entries": 3}'):
        path.write_text(text)
        with pytest.raises(CommandError, match="not a provenance file"):
            call_command("verify_provenance", str(path))
    path.write_text("not json")
    with pytest.raises(CommandError, match="not JSON") as error:
        call_command("verify_provenance", str(path))
    assert error.value.returncode == 2
    with pytest.raises(CommandError, match="neither a run nor a file"):
        call_command("verify_provenance", "nowhere")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec=None)),
    lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    max_leaves=8,
)


@given(JSON)
@settings(max_examples=60, deadline=None)
def test_junk_never_raises(junk: Any) -> None:
    verify({"header": junk, "entries": junk})
    verify({"header": {"completed_at": None}, "entries": [junk]})
    verify({"header": {}, "entries": [{"seq": 1, "hash": junk, "details": junk}]})
