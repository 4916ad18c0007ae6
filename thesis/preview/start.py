"""Asking for a preview of a section beside its editor (SPEC T6). It takes no places for heavy work: it is short, and one a
section runs at a time."""

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
AROUND = 1  # pages before and behind the one that is looked at which are drawn with it
MOST = 400  # pages that can be asked for


def start_preview(section: Section, user: User, *, page: int = 1, enqueue: bool = True) -> Build:
    """Return the preview of `section` as it stands, drawn first around `page`. The caller has seen to it that `user` may write.

    One that shows the same already is given again, and so is one that no worker has begun, since it will show the same.
    """
    project = section.project
    known = fingerprint_of(manuscript_of(project), str(section.pk))
    with Project.objects.held(project.pk):  # two windows at once: one preview
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
    """Return the previews of a section, the newest first."""
    return Build.objects.select_related("job").filter(section=section, kind=Build.Kind.PREVIEW)


def fingerprint_of(manuscript: Manuscript, section_id: str) -> str:
    """Return what a preview of the section shows: its text, what it may refer to, the works and the style."""
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
    """Kept in the row until it is made: which page is on the screen."""
    return {"looked_at": min(max(page, 1), MOST)}


# The drawn pages of a preview


def page_name(build: Build, number: int) -> str:
    """Return where a drawn page lies: by ids only."""
    return f"{built_at(build, '')}-page-{number}.png"


def drop_pages(names: Iterable[str]) -> None:
    """The drawn pages that lie at `names` go."""
    for name in names:
        default_storage.delete(name)


def drawn_of(build: Build) -> list[int]:
    """Return the pages that were drawn with `build`."""
    drawn: Iterable[Any] = (build.page_counts or {}).get("drawn") or []
    return [int(number) for number in drawn]


def remove_pages(sender: Any, instance: Build, **_: Any) -> None:
    """Receiver of post_delete of Build: its drawn pages go once the deletion is committed."""
    if instance.kind == Build.Kind.PREVIEW:
        names = [page_name(instance, number) for number in drawn_of(instance)]  # by an id that it soon has no more
        transaction.on_commit(partial(drop_pages, names))
