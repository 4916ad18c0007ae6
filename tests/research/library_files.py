"""A shelf of files of every kind for a run, and what a run of them has left."""

from pathlib import Path
from typing import Any, NamedTuple

from asgiref.sync import async_to_sync
from django.db import transaction

from contextfiles.upload import store_path
from jobs.work import perform
from projects.models import Project, User
from research.journal.provenance import log_of
from research.models import Run
from research.replay import _inquiry
from research.run import run_phases
from tests.contextfiles.make_files import pdf
from tests.research.forest_thesis import ALDER, BREAD, NITRATE, QUESTION
from tests.start_run import start_run

BINDING = (
    "context_binding_parsing_started",
    "context_binding_parsing_file_completed",
    "context_binding_parsing_completed",
)


def event_texts(run: Run, *kinds: str) -> list[str]:
    return list(run.job.events.filter(kind__in=kinds or BINDING).values_list("text", flat=True))


def unstarted_run(project: Project, owner: User, **options: Any) -> Run:
    """A run of all files of `project` that nobody works on yet."""
    ids = [file.pk for file in project.context_files.all()]
    return start_run(project, owner, QUESTION, profile="local-only", file_ids=ids, enqueue=False, **options)


def conducted(run: Run) -> Run:
    perform(str(run.job_id))
    return Run.objects.select_related("job", "context").get(pk=run.pk)


def shelve(project: Project, owner: User, folder: Path) -> Project:
    """A file that takes a while to read and says nothing of alder, four short ones, and one that cannot be read."""
    line = "Crumb of loaf {} from bakery {} had a hardness of 3.{} newton after four days on the shelf of the shop."
    pages = [[line.format(row, page, row + page) for row in range(36)] for page in range(36)]
    for name, data in (
        ("a-long.pdf", pdf(*pages)),
        ("b.md", ALDER.encode()),
        ("c.pdf", b"%PDF-1.7\nthis is not the rest of a PDF\n"),
        ("d.md", NITRATE.encode()),
        ("e.md", BREAD.encode()),
        ("f.csv", b"plot,nitrogen\n1,0.34\n2,0.22\n"),
    ):
        (folder / name).write_bytes(data)
        store_path(project, owner, folder / name)
    return project


class Again(NamedTuple):
    """What a replay of a run has left, before it was rolled back."""

    events: list[tuple[str, str, dict[str, Any]]]
    bundle: dict[str, Any]
    processing: dict[str, Any]
    report: str


def left_by(run: Run) -> Again:
    events = [
        (event.kind, event.text, event.details)
        for event in run.job.events.exclude(kind__startswith="job_").order_by("seq")
    ]
    assert run.context is not None
    names = ("revision", "files", "aggregate_digest", "routing_index")
    return Again(events, {name: getattr(run.context, name) for name in names}, run.context_processing, run.report)


def replayed(run: Run) -> Again:
    log = log_of(run)
    with transaction.atomic():
        inquiry = _inquiry(log, next(step["response"] for step in log["journal"] if step["key"] == "begin"))
        async_to_sync(run_phases)(inquiry)
        again = left_by(Run.objects.select_related("job", "context").get(pk=inquiry.run.pk))
        transaction.set_rollback(True)
    return again
