"""Where proven works can be read freely, asked of Unpaywall in a job of its own, so that no verdict waits for it (SPEC C11)."""

import asyncio
from datetime import datetime
from uuid import UUID

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import transaction

from citations.check.checking import batched
from citations.models import Citation
from core.storable import storable
from jobs.models import ENDED, Job, State
from jobs.work import asked_of, set_progress
from projects.models import Project, User
from sources import unpaywall
from sources.http import Client
from sources.work import Found

COPIES = "free_copies"  # the kind of the job; its subject is the thesis
TOGETHER = 20  # works asked for between two writes


def start_looking(project: Project, user: User) -> Job | None:
    """The job that looks for free copies of what was proven since the last one; None when there is nothing to ask.

    Unpaywall wants to know who asks: without CROSSREF_MAILTO it is not asked.
    """
    if not settings.CROSSREF_MAILTO:
        return None
    with Project.objects.held(project.pk):
        jobs = Job.objects.filter(project=project, kind=COPIES)
        if jobs.exclude(state__in=ENDED).exists() or not _wanted(project.pk):
            return None
        started: Job = Job.objects.start(project=project, kind=COPIES, subject=project.pk, user=user)
    return started


async def look(job: Job) -> None:
    """Ask for each proven work once. Who does not answer costs a link, and is asked again with the next check of it."""
    wanted = await sync_to_async(_wanted)(job.project_id)
    done = 0
    async with Client() as client:
        for part in batched(list(wanted.items()), TOGETHER):
            await sync_to_async(asked_of)(job)
            outcomes = await asyncio.gather(*(unpaywall.lookup(client, doi) for _, doi in part))
            found = [
                (pk, doi, outcome.works[0].open_access_url)
                for (pk, doi), outcome in zip(part, outcomes, strict=True)
                if isinstance(outcome, Found)
            ]
            done += len(part)
            await sync_to_async(_write)(job, [(pk, doi, url) for pk, doi, url in found if url], done, len(wanted))


def _wanted(project_id: UUID) -> dict[UUID, str]:
    """The DOIs of the works that were proven since they were last looked for, by their references."""
    last: datetime | None = (
        Job.objects.filter(project=project_id, kind=COPIES, state=State.DONE)
        .values_list("started_at", flat=True)
        .first()
    )
    rows = Citation.objects.filter(project=project_id, status=Citation.Status.VERIFIED, open_access_url="")
    rows = rows.exclude(source_doi="")
    return dict((rows.filter(checked_at__gte=last) if last else rows).values_list("pk", "source_doi"))


def _write(job: Job, found: list[tuple[UUID, str, str]], done: int, total: int) -> None:
    with transaction.atomic():
        job.hold(sure_of_lease=job.lease_by)
        for pk, doi, url in found:
            # Only where it still is that work.
            Citation.objects.filter(pk=pk, source_doi=doi).update(open_access_url=storable(url)[:2_000])
        set_progress(job, done, total)
