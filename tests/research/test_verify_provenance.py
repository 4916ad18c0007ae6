"""R12: an entry that was edited, removed or moved is named; so is a log that was cut short."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from projects.models import User
from research.follow_ups.start import ask
from research.journal.provenance import END_EVENTS, genesis, hash_of, log_of, verify, verify_run
from research.models import ProvenanceEntry, Run
from tests.examples import examples
from tests.research.finished_run import finished, owner, run
from tests.research.follow_up_run import worked

__all__ = ["finished", "owner", "run"]

pytestmark = pytest.mark.django_db


def test_an_untouched_log_holds_in_the_database_and_as_a_file(run: Run, tmp_path: Path) -> None:
    log = log_of(run)
    assert set(log) == {"format_version", "header", "entries", "journal"}
    keys = {"session_id", "query", "profile", "profile_config", "started_at", "completed_at", "pipeline"}
    assert set(log["header"]) == keys
    assert all({"key", "request_hash", "response"} <= set(step) for step in log["journal"])
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    for named in (str(run.pk), str(path)):
        out = StringIO()
        call_command("verify_provenance", named, stdout=out)
        assert f"{run.provenance_length} of {run.provenance_length} entries chain" in out.getvalue()


def copy_of(log: dict[str, Any]) -> dict[str, Any]:
    """A file whose header, entries and steps can be changed while `log` stays as it is;
    what is below them is shared."""
    rows = {part: [dict(row) for row in log[part]] for part in ("entries", "journal")}
    return {**log, "header": dict(log["header"]), **rows}


def test_every_single_change_to_a_file_is_named(run: Run) -> None:
    """Any one entry edited, removed, doubled or swapped with its neighbour, or the header changed."""
    log = json.loads(json.dumps(log_of(run)))
    count = len(log["entries"])

    def changed(change: Any) -> Any:
        other = copy_of(log)
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
    assert "the times of the end differ" in changed(lambda other: other["header"].update(completed_at=None)).sentence
    assert "the times of the end differ" in changed(lambda other: other["header"].update(completed_at="2020")).sentence
    for change in (
        lambda other: other["journal"].pop(),
        lambda other: other["journal"][0].update(response={"forged": True}),
        lambda other: other["journal"].reverse(),
        lambda other: other.update(journal=None),
    ):
        assert "journal does not match" in changed(change).sentence
    assert "cut short" in changed(lambda other: other["entries"].pop()).sentence


def test_what_no_hash_covers_may_not_be_added(run: Run, tmp_path: Path) -> None:
    """A reader of the file would take it for part of what was logged."""
    file = json.dumps(log_of(run))
    changes: list[tuple[Any, int | None, str]] = [
        (lambda log: log["entries"][2].update(note="It was all made up."), 3, "note does not belong there"),
        (lambda log: log["header"].update(author="Somebody"), None, "author does not belong there"),
        (lambda log: log.update(format_version=2), None, "cannot verify the format"),
    ]
    for change, row, words in changes:
        log = json.loads(file)
        change(log)
        verdict = verify(log)
        assert (verdict.ok, verdict.row) == (False, row)
        assert words in verdict.sentence
    path = tmp_path / "twice.json"
    path.write_text(file.replace('"summary": "', '"summary": "Nothing was found.", "summary": "', 1))
    with pytest.raises(CommandError, match="has the same name twice") as error:
        call_command("verify_provenance", str(path))
    assert error.value.returncode == 2


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
    from research.journal.provenance import as_dict

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
    with pytest.raises(CommandError, match="No run or file found"):
        call_command("verify_provenance", "nowhere")


@pytest.mark.parametrize(
    "entry",
    [{"event_type": "run_completed"}, {"event_type": "run_completed", "details": {}}, {"details": []}, {}],
)
def test_a_forged_entry_whose_hashes_all_fit_never_raises(entry: dict[str, Any]) -> None:
    forged = {**entry, "seq": 1, "previous_hash": genesis({})}
    forged["hash"] = hash_of(forged)
    assert not verify({"header": {"completed_at": "2026"}, "entries": [forged]}).ok


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec=None)),
    lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    max_leaves=8,
)


@given(JSON)
@examples(60)
def test_junk_never_raises(junk: Any) -> None:
    verify({"header": junk, "entries": junk})
    verify({"header": {"completed_at": None}, "entries": [junk]})
    verify({"header": {}, "entries": [{"seq": 1, "hash": junk, "details": junk}]})


@pytest.fixture
def followed(run: Run, owner: User) -> Run:
    """The run after two follow-ups, one after the other: its log has three ends (R17)."""
    for question in ("How tall was Douglas-fir next to red alder?", "Does nitrate leach?"):
        worked(ask(run, owner, question))
    return Run.objects.get(pk=run.pk)


def test_a_log_with_several_ends_holds_and_every_change_to_it_is_named(followed: Run) -> None:
    log = log_of(followed)
    rows = log["entries"]
    ends = [n for n, entry in enumerate(rows) if entry["event_type"] in END_EVENTS]
    assert len(ends) == 3
    assert verify_run(followed).ok
    assert verify(log).ok
    log = json.loads(json.dumps(log))
    first = ends[0]
    for n in range(first - 1, len(rows)):
        for change in ("edit", "remove", "double", "swap"):
            other = copy_of(log)
            entries = other["entries"]
            match change:
                case "edit":
                    entries[n]["summary"] = "forged"
                case "remove":
                    del entries[n]
                case "double":
                    entries.insert(n, entries[n])
                case "swap":
                    entries[n - 1], entries[n] = entries[n], entries[n - 1]
            verdict = verify(other)
            assert not verdict.ok, (n, change)
            assert verdict.row in (n, n + 1, n + 2), (n, change, verdict)
    for cut in range(1, len(rows) - first):
        other = copy_of(log)
        del other["entries"][-cut:]
        verdict = verify(other)
        assert not verdict.ok, cut
        assert "cut short" in verdict.sentence
    for step in range(len(log["journal"])):
        other = copy_of(log)
        other["journal"][step]["response"] = {"forged": True}
        assert "journal does not match" in verify(other).sentence
    other = copy_of(log)
    del other["journal"][-1]
    assert "journal does not match" in verify(other).sentence


def test_an_earlier_end_vouches_for_what_came_before_it(followed: Run) -> None:
    """What was hashed again as a whole must still agree with itself."""
    file = json.dumps(log_of(followed))
    ends = [n for n, entry in enumerate(json.loads(file)["entries"]) if entry["event_type"] in END_EVENTS]

    def forged(change: Any) -> Any:
        other = json.loads(file)
        change(other)
        previous = genesis(other["header"])
        for seq, entry in enumerate(other["entries"], start=1):
            entry.update(seq=seq, previous_hash=previous)
            previous = entry["hash"] = hash_of(entry)
        return verify(other)

    assert forged(lambda other: None).ok
    verdict = forged(lambda other: other["entries"].pop(2))
    assert (verdict.ok, verdict.row) == (False, ends[0])
    assert "should have" in verdict.sentence
    verdict = forged(lambda other: other["entries"].pop(ends[0] + 1))  # the opening
    assert "the log continues" in verdict.sentence
    verdict = forged(lambda other: other["entries"][ends[1]]["details"].update(steps=3))
    assert "journal does not match" in verdict.sentence
    verdict = forged(lambda other: other["entries"][-1]["details"].update(entries=1))
    assert "should have 1 entries" in verdict.sentence


def test_a_log_that_was_opened_again_and_has_not_ended_since_says_so(run: Run, owner: User) -> None:
    ask(run, owner, "How tall was Douglas-fir next to red alder?")
    verdict = verify_run(Run.objects.get(pk=run.pk))
    assert verdict.ok
    assert "had not ended when this log" in verdict.sentence
    first = ProvenanceEntry.objects.get(run=run, event_type="run_completed")
    ProvenanceEntry.objects.filter(run=run, seq__gt=first.seq).delete()
    assert not verify_run(Run.objects.get(pk=run.pk)).ok
