"""Starting a preview of a section in the panel beside its editor (SPEC T6).

A preview takes no compute slots: it is short, and only one per section runs at a time.
"""

import hashlib
import json
from collections.abc import Iterable
from functools import partial
from typing import Any

from django.core.files.storage import default_storage
from django.db import transaction

from jobs.models import Job, State
from projects.models import Project, User
from sections.models import Section
from thesis.manuscript import Manuscript
from thesis.manuscript_data import manuscript_of
from thesis.models import Build, built_at

KIND = "preview"  # of the job; its subject is the build
AROUND = 1  # pages rendered before and after the visible one
MOST = 400  # the highest page number that can be requested


def start_preview(section: Section, user: User, *, page: int = 1, enqueue: bool = True) -> Build:
    """Return a preview of the current text of `section`, with the pages around `page` rendered first.

    The newest preview is reused when it shows the same text, and so is one that still waits for a worker. The caller
    checks that `user` may write.
    """
    project = section.project
    known = fingerprint_of(manuscript_of(project), str(section.pk))
    with Project.objects.held(project.pk):  # two windows at once share one preview
        rows = previews_of(section)
        newest: Build | None = rows.first()
        if newest is not None and newest.output and newest.fingerprint == known:
            return newest
        waiting: Build | None = rows.filter(job__state=State.QUEUED).first()
        if waiting is not None:
            Build.objects.filter(pk=waiting.pk).update(page_counts=_looked_at(page))
            return waiting
        build = Build(
            project=project, section=section, is_chapter=True, kind=Build.Kind.PREVIEW, engine=Build.Engine.TYPST,
            page_counts=_looked_at(page), created_by=user,
        )  # fmt: skip
        build.job = Job.objects.start(project=project, kind=KIND, subject=build.pk, user=user, enqueue=enqueue)
        build.save(force_insert=True)
    return build


def previews_of(section: Section) -> Any:
    """Return the previews of a section, newest first."""
    return Build.objects.select_related("job").filter(section=section, kind=Build.Kind.PREVIEW)


def fingerprint_of(manuscript: Manuscript, section_id: str) -> str:
    """Return a digest of all that a preview of the section depends on: the chapters, works, style and file names."""
    told = [
        section_id,
        manuscript.title,
        manuscript.style,
        list(manuscript.layout.appendices),
        [(one.id, one.title, one.latex) for one in manuscript.chapters],
        [(one.key, one.tier, one.csl) for one in manuscript.works],
        manuscript.other_keys,
        [one.path for one in manuscript.files],
    ]
    return hashlib.sha256(json.dumps(told, default=str).encode()).hexdigest()


def _looked_at(page: int) -> dict[str, int]:
    """Return the page on the screen, as the row stores it until the preview is made."""
    return {"looked_at": min(max(page, 1), MOST)}


# The rendered pages of a preview


def page_name(build: Build, number: int) -> str:
    """Return the storage name of a rendered page, made of ids only."""
    return f"{built_at(build, '')}-page-{number}.png"


def drop_pages(names: Iterable[str]) -> None:
    """Delete the rendered pages with the storage names `names`."""
    for name in names:
        default_storage.delete(name)


def drawn_of(build: Build) -> list[int]:
    """Return the numbers of the pages that are rendered for `build`."""
    drawn: Iterable[Any] = (build.page_counts or {}).get("drawn") or []
    return [int(number) for number in drawn]


def remove_pages(sender: Any, instance: Build, **_: Any) -> None:
    """Delete the rendered pages of a deleted preview once the deletion is committed (receiver of post_delete)."""
    if instance.kind == Build.Kind.PREVIEW:
        names = [page_name(instance, number) for number in drawn_of(instance)]  # now: its id is reset after this signal
        transaction.on_commit(partial(drop_pages, names))
