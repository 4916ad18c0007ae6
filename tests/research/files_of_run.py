"""A run with files of which nobody has begun, and what binding and routing leave of it: made by hand, for its pages."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest
from django.urls import reverse

from contextfiles.models import ContextBundle, NodeContextSlice
from projects.models import Project, User
from research.context.run_files import files_of
from research.journal.provenance import Entry, append
from research.models import Node, Run
from tests.people import signed_in
from tests.research.forest_thesis import QUESTION
from tests.start_run import start_run

ITEMS = [
    {"kind": "fact", "text": "Soil nitrogen rose <b>by half</b>.", "sources": ["alder.md::S1"],
     "why_relevant": "It is asked."},
    {"kind": "constraint", "text": "Plots were not randomised.", "sources": ["alder.md::S3", "nitrate.md::S1"],
     "why_relevant": ""},
]  # fmt: skip


@pytest.fixture
def chosen(forest: Project, owner: User) -> Run:
    """A run with both files that nobody has begun."""
    files = [file.pk for file in forest.context_files.all()]
    return start_run(forest, owner, QUESTION, profile="local-only", file_ids=files, enqueue=False)


def read(run: Run, name: str, **outcome: Any) -> None:
    """The file of that name was read, or not: what binding leaves in the log."""
    details = {"status": "ready", "error": "", "segments": 3, "personal": {}, "size": 300, "file": name, **outcome}
    append(run, Entry("binding", f"file_{details['status']}", f"{name}.", details))
    run.refresh_from_db()


def bundled(run: Run, broken: Mapping[str, str] = MappingProxyType({}), *, items: int = 5) -> ContextBundle:
    """The files of `run` as they are when they were bound; `broken` says by a file's id why it could not be read."""
    files = [
        {
            **file, "status": "error" if file["id"] in broken else "ready", "error": broken.get(file["id"], ""),
            "segments": 0 if file["id"] in broken else 3, "personal": {}, "items": 0 if file["id"] in broken else items,
            "summary": [] if file["id"] in broken else [
                {"text": f"{file['name']} says {n}.", "sources": [f"{file['name']}::S{n}"]} for n in range(1, items + 1)
            ],
        }
        for file in run.files
    ]  # fmt: skip
    bundle = ContextBundle.objects.create(project=run.project, revision="r" * 64, files=files, aggregate_digest=ITEMS)
    run.context = bundle
    Run.objects.filter(pk=run.pk).update(context=bundle)
    return bundle


def question(run: Run, number: str, **sliced: Any) -> Node:
    """A question of `run`; with any of the rest also what it was given."""
    node = Node.objects.create(run=run, number=number, depth=number.count("."), question=f"What of {number}?")
    if sliced and run.context:
        NodeContextSlice.objects.create(bundle=run.context, node_id=number, **{"selected_items": ITEMS, **sliced})
    return node


def started(run: Run, number: str, mode: str) -> None:
    """The question of that number is told to have been given its two items."""
    details = {"node_id": number, "depth": 0, "selected_items_count": 2, "mode": mode}
    run.job.emit("context_for_node_ready", f"Prepared context for {number} (2 items).", node=number, details=details)


def page_of(run: Run, user: User, name: str = "run", *rest: str) -> str:
    answer = signed_in(user).get(reverse(f"research:{name}", args=[run.pk, *rest]))
    assert answer.status_code == 200
    return str(answer.content.decode())


def statuses(run: Run) -> dict[str, str]:
    return {file.name: file.status for file in files_of(Run.objects.get(pk=run.pk))}
