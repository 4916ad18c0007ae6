"""Which outputs of builds are kept, and how their bytes go (SPEC T6)."""

from functools import partial
from typing import Any

from django.core.files.storage import default_storage
from django.db import transaction

from jobs.models import Job
from projects.models import Project
from thesis.models import Build

MOST_ROWS = 40  # of a thesis that are kept as a record, the newest


def prune(project: Project) -> None:
    """Drop what newer builds of `project` took the place of: of each kind, chapter and engine the last output stays.

    To be called in a transaction; bytes go once it is committed.
    """
    seen: set[tuple[Any, ...]] = set()
    alive = set(Job.objects.alive().filter(project=project).values_list("pk", flat=True))
    rows = Build.objects.filter(project=project).exclude(kind=Build.Kind.PREVIEW).defer("log", "problems", "notes")
    for kept, build in enumerate(rows, start=1):
        what = (build.kind, build.engine, build.is_chapter, build.section_id)
        gone = build.is_chapter and build.section_id is None  # its section is no more
        if build.output and (what in seen or gone):
            transaction.on_commit(partial(drop_bytes, str(build.output.name)))
            Build.objects.filter(pk=build.pk).update(output="", log="")
            build.output = ""
        elif build.output:
            seen.add(what)
        if kept > MOST_ROWS and not build.output and build.job_id not in alive:
            Build.objects.filter(pk=build.pk).delete()


def drop_bytes(name: str) -> None:
    default_storage.delete(name)


def remove_bytes(sender: Any, instance: Build, **_: Any) -> None:
    """Receiver of post_delete of Build: the bytes go once the deletion is committed."""
    if instance.output:
        transaction.on_commit(partial(drop_bytes, str(instance.output.name)))
