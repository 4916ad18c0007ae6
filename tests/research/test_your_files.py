"""The files of a run where people and programs see them: what became of each (SPEC X3, X8, X10)."""

import json
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import settings as checking
from hypothesis import strategies as st
from pytest_django import Settings

from contextfiles.models import ContextFile, NodeContextSlice
from jobs.models import Job, State
from projects.models import Project, User
from research.context.run_files import FileLinks, Place, context_as_data, files_sentence
from research.export.structured import result, structured
from research.models import Run
from tests.people import signed_in
from tests.research.files_of_run import ITEMS, bundled, chosen, page_of, question, read, statuses
from tests.research.finished_run import finished, forest, owner, run
from tests.research.forest_thesis import QUESTION
from tests.start_run import start_run

__all__ = ["chosen", "finished", "forest", "owner", "run"]

pytestmark = pytest.mark.django_db


def test_before_the_start_every_file_waits(chosen: Run, owner: User) -> None:
    assert statuses(chosen) == {"alder.md": "waiting", "nitrate.md": "waiting"}
    page = page_of(chosen, owner)
    assert "Your files" in page
    assert page.count(">Waiting</span>") == 2
    for file in ContextFile.objects.all():
        assert f'href="{reverse("contextfiles:file", args=[chosen.project_id, file.pk])}">{file.name}</a>' in page


def test_while_reading_each_is_known_as_soon_as_it_was_read(chosen: Run, owner: User) -> None:
    Job.objects.filter(pk=chosen.job_id).update(state=State.RUNNING)
    Run.objects.filter(pk=chosen.pk).update(
        context_processing={"status": "parsing", "files_total": 2, "files_ready": 1, "files_error": 0}
    )
    assert statuses(chosen) == {"alder.md": "reading", "nitrate.md": "waiting"}
    read(chosen, "alder.md", segments=1200, personal={"email": 2})
    assert statuses(chosen) == {"alder.md": "ready", "nitrate.md": "reading"}
    files = page_of(chosen, owner, "files")
    assert "<html" not in files
    assert "Read, 1,200 passages" in files
    assert "personal data: 2 e-mail addresses" in files
    assert ">Reading</span>" in files
    Job.objects.filter(pk=chosen.job_id).update(state=State.PAUSED)
    assert statuses(chosen) == {"alder.md": "ready", "nitrate.md": "waiting"}
    read(chosen, "nitrate.md", status="error", error="It is <locked>.", segments=0)
    assert "Could not be read. It is &lt;locked&gt;." in page_of(chosen, owner, "files")


def test_the_page_and_the_part_that_is_renewed_say_the_same(chosen: Run, owner: User) -> None:
    read(chosen, "alder.md")
    page, part = page_of(chosen, owner), page_of(chosen, owner, "files")
    assert part.split() == page[page.index('id="run-files"') :].partition(">")[2].split()[: len(part.split())]


def test_once_bound_the_bundle_says_it(chosen: Run, owner: User) -> None:
    alder, nitrate = chosen.files
    read(chosen, "alder.md", segments=99)  # of the log, which the bundle takes the place of
    bundled(chosen, {nitrate["id"]: "It is empty."}, items=1)
    assert statuses(chosen) == {"alder.md": "ready", "nitrate.md": "error"}
    files = page_of(chosen, owner, "files")
    assert "Read, 3 passages, 1 note" in files
    assert "Could not be read. It is empty." in files
    ContextFile.objects.get(pk=alder["id"]).delete()
    files = page_of(chosen, owner, "files")
    assert 'id="run-file-' + alder["id"] not in files
    assert "Since deleted" in files


def test_a_run_that_ended_first_has_left_them_out(chosen: Run, owner: User) -> None:
    Job.objects.filter(pk=chosen.job_id).update(state=State.CANCELLED)
    assert set(statuses(chosen).values()) == {"left_out"}
    assert "Left out. The run ended before it was read." in page_of(chosen, owner, "files")


def test_a_file_that_was_never_taken_in_is_listed_with_its_reason(chosen: Run, owner: User) -> None:
    never = {"id": str(uuid4()), "name": "empty.pdf", "sha256": "", "format": "", "error": "empty.pdf is empty."}
    Run.objects.filter(pk=chosen.pk).update(files=[*chosen.files, never])
    chosen.refresh_from_db()
    read(chosen, "empty.pdf", status="error", error="empty.pdf is empty.", segments=0)
    assert statuses(chosen)["empty.pdf"] == "error"
    files = page_of(chosen, owner, "files")
    assert "Could not be read. empty.pdf is empty." in files
    assert "Since deleted" not in files


def test_none_is_usable(chosen: Run, owner: User) -> None:
    bundled(chosen, {file["id"]: "It is empty." for file in chosen.files})
    chosen.context_processing["status"] = "unusable"
    chosen.save()
    assert "No usable context: none of your files could be read." in page_of(chosen, owner)
    assert files_sentence(chosen).startswith(
        "No usable context: none of your files could be read. 2 of 2 files could not be read: alder.md (It"
    )


def test_a_run_without_files_says_so(forest: Project, owner: User) -> None:
    run = start_run(forest, owner, QUESTION, profile="local-only", enqueue=False)
    assert "No files were chosen" in page_of(run, owner)
    assert files_sentence(run) == ""
    assert context_as_data(run) is None


def test_a_note_names_what_was_read_and_what_could_not_be(chosen: Run) -> None:
    bundled(chosen, {chosen.files[1]["id"]: "It is empty."})
    assert (
        files_sentence(chosen)
        == "Read of your files: alder.md. 1 of 2 files could not be read: nitrate.md (It is empty)."
    )
    for file, status in zip(chosen.context.files, ("ready", "left_out"), strict=True):  # type: ignore[union-attr]
        file["status"] = status
    assert files_sentence(chosen) == "Read of your files: alder.md. Left out: nitrate.md (It is empty)."
    chosen.context.files[0]["status"] = "left_out"  # type: ignore[union-attr]
    assert files_sentence(chosen).startswith(
        "No usable context: none of your files could be used. Left out: alder.md ("
    )
    many = [{**chosen.files[0], "id": str(uuid4()), "name": f"{n}.md"} for n in range(30)]
    for file in many:
        read(chosen, file["name"])
    chosen.files, chosen.context = many, None
    assert "18.md; 19.md; 10 more." in files_sentence(chosen)


@checking(deadline=None)
@given(st.text(min_size=1, max_size=60), st.from_regex(r"S[0-9]{1,4}", fullmatch=True))
def test_a_passage_is_found_in_the_file_it_names(name: str, passage: str) -> None:
    links = FileLinks({name: "/f/"})
    there = Place(f"{name}::{passage}", f"/f/?passage={passage}#passage")
    assert links.place(f"{name}::{passage}") == links.place(passage, name) == there
    assert links.place(f"another {name}::{passage}").address == ""


# For programs


def test_the_snapshot_has_files_and_slices(chosen: Run, owner: User) -> None:
    client = signed_in(owner)
    question(chosen, "1")
    data = client.get(f"/api/runs/{chosen.pk}").json()
    assert data["context_processing"] == {"status": "pending", "files_total": 2, "files_ready": 0, "files_error": 0}
    assert (data["context"]["session_context_id"], data["context"]["revision"]) == (None, "")
    assert [(file["name"], file["status"]) for file in data["context"]["files"]] == [
        ("alder.md", "waiting"), ("nitrate.md", "waiting"),
    ]  # fmt: skip
    assert data["nodes"][0]["context_slice"] is None
    bundle = bundled(chosen, {chosen.files[1]["id"]: "It is empty."})
    question(chosen, "1.1", mode="fallback", selection_reason="r", coverage_note="c", dropped_items_count=3)
    data = client.get(f"/api/runs/{chosen.pk}").json()
    assert (data["context"]["session_context_id"], data["context"]["revision"]) == (str(bundle.pk), "r" * 64)
    alder, nitrate = data["context"]["files"]
    assert (alder["status"], alder["segments"], alder["items"]) == ("ready", 3, 5)
    assert alder["summary"][0] == {"kind": "", "text": "alder.md says 1.", "sources": ["alder.md::S1"]}
    assert (nitrate["status"], nitrate["error"], nitrate["segments"]) == ("error", "It is empty.", None)
    assert data["nodes"][1]["context_slice"] == {
        "mode": "fallback", "selection_reason": "r", "selected_items": ITEMS, "coverage_note": "c",
        "dropped_items_count": 3,
    }  # fmt: skip


def test_the_schema_says_what_the_snapshot_has(owner: User) -> None:
    schemas = signed_in(owner).get("/api/openapi.json").json()["components"]["schemas"]
    whole = schemas["SnapshotOut"]["properties"]
    assert whole["context_processing"]["$ref"].endswith("/ContextProcessingOut")
    assert whole["context"]["anyOf"][0]["$ref"].endswith("/ContextOut")
    assert schemas["NodeOut"]["properties"]["context_slice"]["anyOf"][0]["$ref"].endswith("/SliceOut")
    assert schemas["ContextProcessingOut"]["properties"]["status"]["enum"] == [
        "none", "pending", "parsing", "ready", "partial", "unusable",
    ]  # fmt: skip
    assert set(schemas["SliceOut"]["properties"]["mode"]["enum"]) == set(NodeContextSlice.Mode.values)


def test_the_output_has_them_too(chosen: Run) -> None:
    bundled(chosen, {chosen.files[1]["id"]: "It is empty."})
    for data in (json.loads(json.dumps(one)) for one in (structured(chosen), result(chosen))):
        assert data["context_processing"]["files_total"] == 2
        assert [(file["name"], file["status"], file["error"]) for file in data["files"]] == [
            ("alder.md", "ready", ""), ("nitrate.md", "error", "It is empty."),
        ]  # fmt: skip


# Who may see it


def test_strangers_find_nothing_and_nothing_is_posted(
    chosen: Run, owner: User, outsider: User, settings: Settings
) -> None:
    settings.UI_DEBUG = True
    bundled(chosen)
    question(chosen, "1", mode="root")
    for address in (
        reverse("research:files", args=[chosen.pk]),
        reverse("research:debug", args=[chosen.pk]),
        reverse("research:given", args=[chosen.pk, "1"]),
    ):
        assert signed_in(owner).get(address).status_code == 200
        assert signed_in(outsider).get(address).status_code == 404
        assert signed_in(owner).post(address).status_code == 405
        assert Client().get(address).status_code == 302
    assert signed_in(outsider).get(f"/api/runs/{chosen.pk}").status_code == 404
    assert signed_in(owner).get(reverse("research:given", args=[chosen.pk, "9.9"])).status_code == 404
