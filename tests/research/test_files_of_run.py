"""X2, X3, X7: what a run of six files has left, one of which cannot be read and one takes long (library_files.py)."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from contextfiles.models import ContextBundle, Digest, FileText
from jobs.models import State
from research.context.bind_files import READERS
from research.journal.provenance import log_of, verify_run
from research.models import Passage, Run
from research.replay import replay
from tests.people import her_thesis
from tests.research.finished_run import for_all_tests
from tests.research.forest_thesis import ALDER, researched
from tests.research.library_files import BINDING, event_texts, left_by, replayed, shelve

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def of_all(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[UUID]:
    """The key of a run of all these files, for tests that only look at what it has left
    (tests/research/finished_run.py)."""
    with for_all_tests(django_db_blocker) as owner:
        yield researched(shelve(her_thesis(owner), owner, tmp_path_factory.mktemp("shelf")), owner).pk


@pytest.fixture
def run(of_all: UUID, db: None) -> Run:
    return Run.objects.select_related("job", "context", "project").get(pk=of_all)


@pytest.mark.long
@pytest.mark.postgres
def test_the_files_are_told_in_their_order_however_they_are_read(run: Run) -> None:
    assert run.job.state == State.DONE, run.job.reason
    names = ["a-long.pdf", "b.md", "c.pdf", "d.md", "e.md", "f.csv"]
    events = list(run.job.events.filter(kind__in=BINDING))
    assert [event.kind for event in events] == [BINDING[0], *[BINDING[1]] * 6, BINDING[2]]
    assert [event.details["file"] for event in events[1:-1]] == names
    assert events[2].text == "Parsing context file 2 of 6: b.md."
    assert events[3].text.startswith("Context file 3 of 6, c.pdf, could not be read: This PDF is damaged.")
    assert events[-1].text == "5 of 6 files ready."
    assert run.context_processing == {"status": "partial", "files_total": 6, "files_ready": 5, "files_error": 1}
    read = list(FileText.objects.order_by("pk").values_list("format", flat=True))
    assert READERS == 1 or read[0] != "pdf", "the long one was read while the others were"
    assert verify_run(run).ok


@pytest.mark.postgres
def test_a_replay_leaves_the_same_rows_and_events(run: Run) -> None:
    """Although several files were read and digested at once, and nothing of them is at hand."""
    was = left_by(run)
    assert len(was.events) > 20
    run.project.context_files.all().delete()
    FileText.objects.all().delete()
    Digest.objects.all().delete()
    again = replayed(Run.objects.select_related("job", "context").get(pk=run.pk))
    assert again.processing == was.processing
    assert again.bundle == was.bundle
    assert again.events == was.events
    assert again.report == was.report
    assert replay(log_of(run)).same


def test_what_the_files_came_to_is_fixed(run: Run) -> None:
    """X3: the bundle with everything in it, and it outlives the files."""
    bundle = ContextBundle.objects.get(run=run)
    files = {file["name"]: file for file in bundle.files}
    assert list(files) == ["a-long.pdf", "b.md", "c.pdf", "d.md", "e.md", "f.csv"]
    keys = {"id", "name", "sha256", "format", "status", "error", "segments", "personal", "size", "items", "summary"}
    assert set(files["b.md"]) == keys
    assert (files["c.pdf"]["status"], files["c.pdf"]["items"]) == ("error", 0)
    assert "damaged" in files["c.pdf"]["error"]
    assert files["b.md"]["segments"] == Passage.objects.filter(document="b.md").count() > 0
    assert all(item["text"] in ALDER.replace("\n", " ") or item["text"] in ALDER for item in files["b.md"]["summary"])
    assert 1 <= len(files["b.md"]["summary"]) <= 3
    assert len(bundle.aggregate_digest) == 40
    documents = {item["sources"][0].partition("::")[0] for item in bundle.aggregate_digest}
    assert documents == {"a-long.pdf", "b.md", "d.md", "e.md", "f.csv"}, "each file is represented"
    known = set(Passage.objects.values_list("source_id", flat=True))
    assert {source for item in bundle.aggregate_digest for source in item["sources"]} <= known
    assert set(bundle.routing_index) == {"claims", "tags", "entities", "sources"}
    entry = run.provenance.get(event_type="context_frozen")
    assert entry.details["session_context_id"] == str(bundle.pk)
    assert entry.details["revision"] == bundle.revision
    assert f"revision {bundle.revision[:8]}" in event_texts(run, "context_frozen")[0]
    run.project.context_files.all().delete()
    kept = ContextBundle.objects.get(run=run)
    assert (kept.files, kept.aggregate_digest) == (bundle.files, bundle.aggregate_digest)
