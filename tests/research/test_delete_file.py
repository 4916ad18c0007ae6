"""A file is deleted that a run read: its text goes out of all that the run left, and the log can still be verified."""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from contextfiles.models import ContextFile
from jobs.models import Job
from jobs.work import perform
from projects.models import Project, User
from research.context.deletion import KIND, start_pending_deletions
from research.journal.erasure import DELETED, NOTE
from research.journal.provenance import hash_of, log_of, verify, verify_run
from research.models import Run
from research.replay import TextDeleted, replay
from tests.people import her_thesis, signed_in
from tests.research.finished_run import for_all_tests, forest, owner, project, run
from tests.research.forest_thesis import researched, write

__all__ = ["forest", "owner", "project", "run"]

# Words of the file that stand nowhere else; "Quimbyville" comes into the report, since it is what was asked for.
SECRET = "Zebulon Quimby of bed 17 bled 640 ml"
TEXT = f"""# Cohort of ward 4

Red alder pollen was counted near the ward: 31 grains in May.

{SECRET} after the red alder pollen test in the ward. Soil nitrogen rose from 0.21% to 0.34% with red alder.
"""
KEPT = {"research_run.report", "research_run.title", "research_claim.text", "research_followup.answer"}

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def finished(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[UUID]:
    folder = tmp_path_factory.mktemp("ward")
    with for_all_tests(django_db_blocker) as owner:
        thesis = her_thesis(owner)
        write(folder, thesis, owner, "cohort.md", TEXT)
        write(folder, thesis, owner, "other.md", "# Other\n\nRed alder grew 11.4 m on 14 plots.\n")
        yield researched(thesis, owner, "How did soil nitrogen and pollen change near red alder in the ward?").pk


def stands_in(words: str) -> set[str]:
    """The columns of the whole database in which `words` stand: "research_run.report"."""
    found = set()
    for model in apps.get_models():
        table = model._meta.db_table
        for field in model._meta.concrete_fields:
            with connection.cursor() as cursor:
                quoted = f'SELECT 1 FROM "{table}" WHERE CAST("{field.column}" AS TEXT) LIKE %s LIMIT 1'
                cursor.execute(quoted, [f"%{words}%"])
                if cursor.fetchone():
                    found.add(f"{table}.{field.column}")
    return found


def deleted(run: Run, user: User, name: str = "cohort.md") -> Run:
    """`run` after its file `name` was deleted over the API, and what that started was done."""
    file = ContextFile.objects.get(name=name)
    assert signed_in(user).delete(f"/api/projects/{run.project_id}/context-files/{file.pk}").status_code == 204
    start_pending_deletions()
    for job in Job.objects.filter(kind=KIND, state="queued"):
        perform(str(job.pk))
    return Run.objects.select_related("job", "context").get(pk=run.pk)


def test_its_words_stand_nowhere_but_where_the_page_says(run: Run, owner: User) -> None:
    before = stands_in("Quimby")
    assert {
        "research_step.response",
        "research_source.text",
        "research_finding.content",
        "research_passage.text",
    } <= before
    run = deleted(run, owner)
    assert stands_in("Quimby") <= KEPT
    assert stands_in("Quimby"), "the report keeps its sentence"
    assert run.sources.filter(document="other.md").exclude(text=NOTE).exists(), "another file keeps its passages"
    assert not run.has_text_to_delete
    assert run.deleted_files[0]["name"] == "cohort.md"
    assert run.deleted_files[0]["by"] == str(owner)


def test_rows_and_hashes_stay_and_the_chain_holds(run: Run, owner: User) -> None:
    before = log_of(run)
    run = deleted(run, owner)
    after = log_of(run)
    verdict = verify_run(run)
    assert verdict.ok, verdict.sentence
    assert "cohort.md" in verdict.sentence
    assert [entry["hash"] for entry in after["entries"][:-1]] == [entry["hash"] for entry in before["entries"]]
    assert [(step["key"], step["request_hash"]) for step in after["journal"]] == [
        (step["key"], step["request_hash"]) for step in before["journal"]
    ]
    assert after["entries"][-1]["event_type"] == DELETED
    assert verify(json.loads(json.dumps(after))).ok, "also as the file that is downloaded"
    assert "Quimby" not in json.dumps(after)


def changed(log: dict[str, Any], change: str) -> dict[str, Any]:
    log = deepcopy(log)
    blank = next(entry for entry in log["entries"] if entry["summary"] == NOTE)
    step = next(step for step in log["journal"] if "step_hash" in step["response"])
    last = log["entries"][-1]
    match change:
        case "a blank entry says something else":
            blank["summary"] = "Nothing was found."
        case "a blank entry is of another kind":
            blank["phase"] = "brief"
        case "its words are put in and vouched for":
            blank["summary"] = "Nothing was found."
            next(one for one in last["details"]["entries"] if one["seq"] == blank["seq"])["left"] = hash_of(blank)
            last["hash"] = hash_of(last)
        case "what was deleted is not told":
            log["entries"].pop()
            log["format_version"] = 1
        case "a step has another hash":
            step["response"]["step_hash"] = "0" * 64
        case "a step is gone":
            log["journal"].remove(step)
        case "the note on the deletion is changed":
            last["details"]["files"] = ["nothing.md"]
    return log


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "change",
    [
        "a blank entry says something else",
        "a blank entry is of another kind",
        "its words are put in and vouched for",
        "what was deleted is not told",
        "a step has another hash",
        "a step is gone",
        "the note on the deletion is changed",
    ],
)
def test_nobody_changes_what_was_left(run: Run, owner: User, change: str) -> None:
    log = log_of(deleted(run, owner))
    assert verify(log).ok
    assert not verify(changed(log, change)).ok, change


def test_a_replay_says_what_was_deleted(run: Run, owner: User, tmp_path: Path) -> None:
    run = deleted(run, owner)
    with pytest.raises(TextDeleted, match=r"cohort\.md"):
        replay(log_of(run))
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log_of(run)), encoding="utf-8")
    for named in (str(run.pk), str(path)):
        with pytest.raises(CommandError, match=r"cohort\.md.*cannot be replayed") as refused:
            call_command("replay", named)
        assert refused.value.returncode == 1
        call_command("verify_provenance", named)


def test_its_pages_and_exports_still_open_and_nothing_more_is_asked(run: Run, owner: User) -> None:
    client, run = signed_in(owner), deleted(run, owner)
    for name in ("run", "head", "tree", "events", "files", "report", "claims", "sources", "findings", "methods", "flow",
                 "network", "provenance", "follow_ups"):  # fmt: skip
        answer = client.get(reverse(f"research:{name}", args=[run.pk]), {"before": 5, "check": 1})
        assert answer.status_code == 200, name
    for claim in run.claims.all():
        assert client.get(reverse("research:evidence", args=[run.pk, claim.claim_id])).status_code == 200
    for name in ("json", "structured", "provenance", "md", "csl"):
        assert client.get(reverse("research:export", args=[run.pk, name])).status_code == 200, name
    assert client.get(f"/api/runs/{run.pk}").status_code == 200
    refused = client.post(f"/api/runs/{run.pk}/ask", {"question": "And the soil?"}, content_type="application/json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "text_deleted")
    for name in ("run", "report"):
        shown = client.get(reverse(f"research:{name}", args=[run.pk])).content.decode()
        assert "The text of cohort.md was deleted from this run" in shown


def test_a_run_that_rests_is_stopped_first(owner: User, tmp_path: Path) -> None:
    another = Project.objects.create_for(owner, title="Another")
    write(tmp_path, another, owner, "rests.md", TEXT.replace("Quimby", "Rasmussen"))
    run = researched(another, owner, "How did soil nitrogen change with red alder?", wants_approval=True)
    assert run.job.state == "waiting"
    assert stands_in("Rasmussen")
    run = deleted(run, owner, "rests.md")
    assert run.job.state == "cancelled"
    assert stands_in("Rasmussen") <= KEPT
    assert verify_run(run).ok, verify_run(run).sentence


@pytest.mark.long
def test_another_thesis_keeps_its_own_copy(run: Run, owner: User, tmp_path: Path) -> None:
    another = Project.objects.create_for(owner, title="Another")
    write(tmp_path, another, owner, "mine.md", TEXT)
    theirs = researched(another, owner, "How did soil nitrogen change with red alder?")
    deleted(run, owner)
    theirs.refresh_from_db()
    assert not theirs.deleted_files
    assert any(SECRET.split()[0] in text for text in theirs.sources.values_list("text", flat=True))
    assert replay(log_of(theirs)).same


def test_what_stays_is_said_before(run: Run, owner: User, reader: User, outsider: User, client: Client) -> None:
    file = ContextFile.objects.get(name="cohort.md")
    address = reverse("contextfiles:delete", args=[run.project_id, file.pk])
    page = signed_in(owner).get(address).content.decode()
    for said in ("Kept:", "reports and answers", "versions", "backups", "cannot be replayed"):
        assert said in page
    assert [signed_in(who).get(address).status_code for who in (reader, outsider)] == [403, 404]
    assert client.get(address).status_code == 302
    assert signed_in(owner).put(address).status_code == 405
    assert ContextFile.objects.filter(pk=file.pk).exists()


@pytest.mark.long
def test_the_log_names_each_file_also_one_whose_text_had_gone_with_another(run: Run, owner: User) -> None:
    deleted(run, owner)
    again = deleted(run, owner, "other.md")
    verdict = verify_run(again)
    assert verdict.ok, verdict.sentence
    told = [entry["details"]["files"] for entry in log_of(again)["entries"] if entry["event_type"] == DELETED]
    assert told == [["cohort.md"], ["other.md"]]
    with pytest.raises(TextDeleted, match=r"cohort\.md .*other\.md"):
        replay(log_of(again))


def words_of_the_index() -> bytes:
    with connection.cursor() as cursor:
        cursor.execute("SELECT block FROM research_passage_fts_data")
        return b"".join(bytes(block) for (block,) in cursor.fetchall()).lower()


@pytest.mark.long
@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL keeps the words of a row in the row")
@pytest.mark.parametrize("what", ["file", "thesis"])
def test_its_words_leave_the_index_too(
    what: str, run: Run, owner: User, django_capture_on_commit_callbacks: Any
) -> None:
    """FTS5 keeps the words of deleted rows, with their places, in tables that no model has."""
    assert b"zebulon" in words_of_the_index()
    with django_capture_on_commit_callbacks(execute=True):
        if what == "file":
            deleted(run, owner)
        else:
            signed_in(owner).delete(f"/api/projects/{run.project_id}")
    assert b"zebulon" not in words_of_the_index()


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL overwrites rows when it cleans up")
def test_what_is_deleted_is_overwritten() -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA secure_delete")
        assert cursor.fetchone() == (1,)
