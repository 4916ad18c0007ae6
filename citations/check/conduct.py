"""Conducting a check: asks for what is due and writes the verdicts as they come (SPEC C3).

Each group of verdicts is one transaction, which also tells the job's progress. So a worker that is killed loses what it
had not written, and nothing is asked for twice that was. An entry that was changed, deleted or vouched for
meanwhile keeps what the person did: the verdict is on what was claimed before.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import transaction
from django.utils import timezone

from citations.audit.uses import uses
from citations.check.resolving import resolve
from citations.check.settling import WRITTEN, apply, write_notices
from citations.formats.entries import Csl
from citations.matching import Shelf, has_words, is_for_the_time_being
from citations.models import Citation, OtherKey
from citations.proof.verdict import Verdict
from jobs.models import Job, Told
from jobs.work import asked_of
from projects.models import Project
from sources.http import Client

AT_ONCE = 100  # entries asked for together; what was added meanwhile comes with the next
MOST = 50  # verdicts in one transaction
PAUSE = (
    0.3  # seconds a verdict waits for others to be written with it, and until the job is asked again whether to go on
)
CHECKED = "citations_checked"  # the kind of the event that tells of a group

T = TypeVar("T")


async def conduct(job: Job) -> None:
    """Check everything that is due in the job's thesis, the newest first, until nothing is."""
    while due := await sync_to_async(_due)(job):
        claims, is_fresh = due
        left = dict(claims)
        async with Client(remembers=not is_fresh) as client:
            async for group in _grouped(resolve(claims, client), lambda: asked_of(job)):
                for key, _ in group:
                    left.pop(key, None)
                await sync_to_async(_write)(job, claims, group)
        if left:  # whatever became of them, they must not come round again at once
            await sync_to_async(_write)(
                job,
                claims,
                [
                    (key, Verdict("unresolved", None, "This entry could not be compared. It will be tried again."))
                    for key in left
                ],
            )


def _due(job: Job) -> tuple[dict[str, Csl], bool] | None:
    """The claims to check next by the ids of their rows, and whether a person wants them looked up afresh."""
    asked_of(job)
    rows = list(Citation.objects.filter(project=job.project_id).due().order_by("-check_due_at", "serial")[:AT_ONCE])
    if not rows:
        return None
    is_fresh = _is_asked_again(rows[0])
    return {str(row.pk): row.claim for row in rows if _is_asked_again(row) == is_fresh}, is_fresh


def _is_asked_again(row: Citation) -> bool:
    """Whether registries said something of it before: only a person has it checked again then."""
    return row.checked_at is not None and row.failures == 0


async def _grouped(told: AsyncIterator[T], listen: Callable[[], None]) -> AsyncIterator[list[T]]:
    """What `told` yields, in groups of those that come within PAUSE; `listen`, asked as often, may raise to end it all."""
    queue: asyncio.Queue[T] = asyncio.Queue()

    async def fill() -> None:
        async for one in told:
            queue.put_nowait(one)

    filling = asyncio.ensure_future(fill())
    try:
        while not filling.done() or not queue.empty():
            await asyncio.wait({filling}, timeout=PAUSE)
            await sync_to_async(listen)()
            while not queue.empty():
                yield [queue.get_nowait() for _ in range(min(MOST, queue.qsize()))]
        filling.result()  # raises what ended it
    finally:
        filling.cancel()
        await asyncio.gather(filling, return_exceptions=True)


def _write(job: Job, claims: dict[str, Csl], told: list[tuple[str, Verdict]]) -> None:
    """Write a group of verdicts, and the job's progress with them. Raises LeaseLost when another worker goes on."""
    now = timezone.now()
    verdicts = {UUID(key): verdict for key, verdict in told}
    with transaction.atomic():
        held = job.hold(sure_of_lease=job.lease_by)
        # Keys stay unique, and nobody edits an entry while it is written.
        project = Project.objects.select_for_update(no_key=True).get(pk=job.project_id)
        rows = Citation.objects.select_for_update().filter(pk__in=list(verdicts)).order_by("pk")
        settled = [
            (row, verdicts[row.pk])
            for row in rows
            if row.claim == claims[str(row.pk)] and row.check_due_at and apply(row, verdicts[row.pk], now)
        ]
        renamed = _name(project, [row for row, verdict in settled if verdict.status == "verified"])
        for row, _ in settled:  # several times as quick as bulk_update, which makes one long CASE for each column
            row.save(update_fields=[*WRITTEN, "cite_key"])
        OtherKey.objects.bulk_create(renamed)
        write_notices(settled)
        done, total = _progress(job, len(told), now)
        job.tell([_event(settled, done, total)], held)


def _progress(job: Job, more: int, now: datetime) -> tuple[int, int]:
    left = Citation.objects.filter(project=job.project_id).due().count()
    job.progress += more
    job.progress_total = job.progress + left
    Job.objects.filter(pk=job.pk).update(progress=job.progress, progress_total=job.progress_total)
    return job.progress, job.progress_total


def _event(settled: list[tuple[Citation, Verdict]], done: int, total: int) -> Told:
    """For programs and pages: which entries have turned. No words of theirs: events stay when an entry is deleted."""
    ids = [str(row.pk) for row, _ in settled]
    return Told(
        CHECKED,
        f"{done:,} of {total:,} references checked.",
        counters={"checked": done, "to_check": total},
        details={"citations": ids},
    )


def _name(project: Project, rows: list[Citation]) -> list[OtherKey]:
    """Keys of surname and year for entries that had none until now, unless a text cites them already.

    Returns the keys they had, not stored yet: somebody may have one in a text that is not saved, or in a draft, so it
    goes on standing for the entry.
    """
    nameless = [row for row in rows if is_for_the_time_being(row) and has_words(row.csl)]
    if not nameless:
        return []
    cited, shelf, renamed = uses(project), Shelf(project), []
    for row in nameless:
        if row.cite_key not in cited:
            renamed.append(OtherKey(project=project, citation=row, key=row.cite_key))
            row.cite_key = shelf.key_for(row.csl)
            shelf.keys.add(row.cite_key, row.cite_key)
    return renamed
