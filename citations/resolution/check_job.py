"""The jobs that check entries, at a person's request or by schedule after a failure, and find free copies (SPEC C3).

`check_due_at` of an entry is the time when it should be checked; one job per thesis checks all due entries, and the
worker's watchdog starts one where entries have become due. A proof stays until there is another verdict. Free copies of
proven works are looked up at Unpaywall in a separate job, so that no verdict waits for it (SPEC C11).

Each group of verdicts is saved in one transaction together with the job's progress, so a killed worker loses only
unsaved verdicts, and saved ones are not looked up again. An entry that was changed, deleted or attested meanwhile is
left alone, since the verdict is about the earlier claim.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from citations.audit.key_uses import uses_by_key
from citations.formats.reading import Csl
from citations.identity.verdict_types import Verdict
from citations.matching import ReferenceIndex, has_provisional_key, has_title_or_people
from citations.models import Citation, OtherKey
from citations.resolution.apply_verdict import VERDICT_COLUMNS, apply_verdict, write_notices
from citations.resolution.resolve import resolve
from core.errors import Refused
from core.storable_text import storable
from jobs.models import ENDED, Job, NewEvent, State
from jobs.work import raise_if_stopped, set_progress
from projects.models import Project, User
from sources import unpaywall
from sources.contact_address import address_in_use
from sources.http_client import Client
from sources.work import Found

T = TypeVar("T")

CHECK = "check"  # the kind of the job; its subject is the thesis
WATCHDOG_INTERVAL = 5.0  # seconds between two searches of the watchdog for due entries
AFTER_FAILURE = timedelta(minutes=30)  # until due entries are tried again after a failed job


def start_check(project: Project, user: User) -> Job | None:
    """Start the job that checks the due entries of `project`, or return the running one; None when nothing is due."""
    with Project.objects.held(project.pk):  # the lock prevents two jobs
        if not Citation.objects.filter(project=project).due().exists():
            return None
        running = running_check(project)
        if running is None:
            return Job.objects.start(project=project, kind=CHECK, subject=project.pk, user=user)
        running.resume()  # if somebody paused it
        return running


def check_again(project: Project, citations: Iterable[Citation], user: User) -> Job | None:
    """Check `citations` of `project` now, regardless of the schedule, and with fresh answers.

    Proven entries stay proven until there is another verdict; all others become unresolved again. Attested entries and
    uploaded files are skipped; raises Refused when there are no others.
    """
    asked = [citation.pk for citation in citations]
    status = Citation.Status
    now = timezone.now()
    with transaction.atomic():
        found = 0
        for some in batched(asked):
            rows = Citation.objects.filter(project=project, pk__in=some)
            others = rows.exclude(status__in=[*Citation.NEVER_CHECKED, status.VERIFIED])
            # The evidence is that of the demo catalogue, if any.
            found += others.update(
                **{"status": status.UNRESOLVED, "tier": "", "evidence_type": "", "evidence_value": ""},
                **{"check_due_at": now, "failures": 0, "updated_at": now},
            )
            found += rows.filter(status=status.VERIFIED).update(check_due_at=now, failures=0, updated_at=now)
    if not found:
        raise _refused(project, asked)
    return start_check(project, user)


def _refused(project: Project, asked: Sequence[UUID]) -> Refused:
    """Return the error that says why none of `asked` can be checked."""
    if not asked:
        return Refused("Choose a reference to check.", code="empty")
    if Citation.objects.filter(project=project, pk__in=asked[:500], status=Citation.Status.FILE).exists():
        return Refused(
            "Nothing was checked: this is your own file. If it is a published work, add its DOI, PMID, ISBN or web"
            " address.",
            code="file",
        )
    return Refused("Nothing was checked: the reference is attested. Withdraw the attestation first.", code="attested")


def batched(all_of: Sequence[T], most: int = 500) -> Iterator[Sequence[T]]:
    """Split a sequence into parts of at most `most`; any database accepts 500 parameters in a statement."""
    return (all_of[start : start + most] for start in range(0, len(all_of), most))


def running_check(project: Project) -> Job | None:
    """Return the queued or running job that checks entries of `project`, if there is one."""
    return Job.objects.filter(project=project, kind=CHECK).exclude(state__in=ENDED).first()


def start_due_checks() -> None:
    """Start a check in every thesis with due entries and no running check."""
    due = Citation.objects.due().order_by().values("project_id").distinct()
    busy = Job.objects.filter(kind=CHECK).exclude(state__in=ENDED).values("project_id")
    for project in Project.objects.filter(pk__in=due).exclude(pk__in=busy).order_by("pk")[:100]:
        start_check(project, project.owner)


def finish_check(job: Job) -> None:
    """Reschedule the entries that a check left: never after a person cancelled it, later after it failed."""
    due = Citation.objects.filter(project=job.project_id).due()
    if job.state == State.CANCELLED:
        due.update(check_due_at=None, failures=0, updated_at=timezone.now())
    elif job.state == State.FAILED:
        due.update(check_due_at=timezone.now() + AFTER_FAILURE, failures=F("failures") + 1, updated_at=timezone.now())


FREE_COPIES = "free_copies"  # the kind of the job; its subject is the thesis
TOGETHER = 20  # works looked up between two saves


def start_free_copies(project: Project, user: User) -> Job | None:
    """Start the job that looks for free copies of newly proven works; None when there are none.

    Unpaywall requires a contact address: without one it is not asked.
    """
    if not address_in_use():
        return None
    with Project.objects.held(project.pk):
        if Job.objects.filter(project=project, kind=FREE_COPIES).exclude(
            state__in=ENDED
        ).exists() or not _works_without_link(project.pk):
            return None
        return Job.objects.start(project=project, kind=FREE_COPIES, subject=project.pk, user=user)


async def find_free_copies(job: Job) -> None:
    """Look up a free copy of each newly proven work once. A failure is retried only after the work's next check."""
    wanted = await sync_to_async(_works_without_link)(job.project_id)
    done = 0
    async with Client() as client:
        for part in batched(list(wanted.items()), TOGETHER):
            await sync_to_async(raise_if_stopped)(job)
            outcomes = await asyncio.gather(*(unpaywall.lookup(client, doi) for _, doi in part))
            found = [
                (pk, doi, url)
                for (pk, doi), outcome in zip(part, outcomes, strict=True)
                if isinstance(outcome, Found) and (url := outcome.works[0].open_access_url)
            ]
            done += len(part)
            await sync_to_async(_save_links)(job, found, done, len(wanted))


def _works_without_link(project_id: UUID) -> dict[UUID, str]:
    """Return the DOIs of the works proven since the last job for free copies, by the ids of their references."""
    last: datetime | None = (
        Job.objects.filter(project=project_id, kind=FREE_COPIES, state=State.DONE)
        .values_list("started_at", flat=True)
        .first()
    )
    rows = Citation.objects.filter(project=project_id, status=Citation.Status.VERIFIED, open_access_url="")
    rows = rows.exclude(source_doi="")
    return dict((rows.filter(checked_at__gte=last) if last else rows).values_list("pk", "source_doi"))


def _save_links(job: Job, found: list[tuple[UUID, str, str]], done: int, total: int) -> None:
    with transaction.atomic():
        job.hold(sure_of_lease=job.lease_by)
        for pk, doi, url in found:
            # Only if the reference still has this DOI.
            Citation.objects.filter(pk=pk, source_doi=doi).update(open_access_url=storable(url)[:2_000])
        set_progress(job, done, total)


AT_ONCE = 100  # entries looked up together; entries added meanwhile are in the next group
GROUP_SIZE = 50  # verdicts in one transaction
GROUP_WAIT = 0.3  # seconds a verdict waits for others to be saved with it, and between two checks for a request to stop
CHECKED = "citations_checked"  # the kind of the event for a group of verdicts


async def check_all_due(job: Job) -> None:
    """Check all due entries of the job's thesis, the newest request first, until none is due."""
    while due := await sync_to_async(_due)(job):
        claims, is_fresh = due
        left = set(claims)
        async with Client(remembers=not is_fresh) as client:
            async for group in _grouped(resolve(claims, client), lambda: raise_if_stopped(job)):
                left -= dict(group).keys()
                await sync_to_async(_save_verdicts)(job, claims, group)
        if left:  # entries without a verdict must not be due again at once
            await sync_to_async(_save_verdicts)(
                job,
                claims,
                [
                    (key, Verdict("unresolved", None, "This entry could not be compared. It will be tried again."))
                    for key in left
                ],
            )


def _due(job: Job) -> tuple[dict[str, Csl], bool] | None:
    """Return the claims to check next by the ids of their rows, and whether to bypass cached answers."""
    raise_if_stopped(job)
    rows = list(Citation.objects.filter(project=job.project_id).due().order_by("-check_due_at", "serial")[:AT_ONCE])
    if not rows:
        return None
    is_fresh = _is_recheck(rows[0])
    return {str(row.pk): row.claim for row in rows if _is_recheck(row) == is_fresh}, is_fresh


def _is_recheck(row: Citation) -> bool:
    """Return whether an entry with a verdict was queued again, which only a person does."""
    return row.checked_at is not None and row.failures == 0


async def _grouped(told: AsyncIterator[T], listen: Callable[[], None]) -> AsyncIterator[list[T]]:
    """Yield the items of `told` in groups that arrive within PAUSE; `listen` is called each time and may raise."""
    queue: asyncio.Queue[T] = asyncio.Queue()

    async def fill() -> None:
        async for one in told:
            queue.put_nowait(one)

    filling = asyncio.ensure_future(fill())
    try:
        while not filling.done() or not queue.empty():
            await asyncio.wait({filling}, timeout=GROUP_WAIT)
            await sync_to_async(listen)()
            while not queue.empty():
                yield [queue.get_nowait() for _ in range(min(GROUP_SIZE, queue.qsize()))]
        filling.result()  # raises what ended it
    finally:
        filling.cancel()
        await asyncio.gather(filling, return_exceptions=True)


def _save_verdicts(job: Job, claims: dict[str, Csl], told: list[tuple[str, Verdict]]) -> None:
    """Save a group of verdicts together with the job's progress. Raises LeaseLost when another worker has the job."""
    now = timezone.now()
    verdicts = {UUID(key): verdict for key, verdict in told}
    with transaction.atomic():
        held = job.hold(sure_of_lease=job.lease_by)
        # The lock keeps keys unique, and prevents edits of an entry while it is saved.
        project = Project.objects.select_for_update(no_key=True).get(pk=job.project_id)
        rows = Citation.objects.select_for_update().filter(pk__in=list(verdicts)).order_by("pk")
        settled = [
            (row, verdicts[row.pk])
            for row in rows
            if row.claim == claims[str(row.pk)] and row.check_due_at and apply_verdict(row, verdicts[row.pk], now)
        ]
        renamed = _replace_provisional_keys(project, [row for row, verdict in settled if verdict.status == "verified"])
        for row, _ in settled:  # several times faster than bulk_update, which builds a long CASE for each column
            row.save(update_fields=[*VERDICT_COLUMNS, "cite_key"])
        OtherKey.objects.bulk_create(renamed)
        write_notices(settled)
        job.progress += len(told)
        job.progress_total = job.progress + Citation.objects.filter(project=job.project_id).due().count()
        set_progress(job, job.progress, job.progress_total)
        # The ids of changed entries, for pages and the API; no titles, since events stay when an entry is deleted.
        turned = NewEvent(
            CHECKED,
            f"{job.progress:,} of {job.progress_total:,} references checked.",
            counters={"checked": job.progress, "to_check": job.progress_total},
            details={"citations": [str(row.pk) for row, _ in settled]},
        )
        job.tell([turned], held)


def _replace_provisional_keys(project: Project, rows: list[Citation]) -> list[OtherKey]:
    """Replace provisional keys by keys of surname and year, unless a text cites them already.

    Returns the old keys as unsaved aliases, since an unsaved text or a draft may cite them.
    """
    nameless = [row for row in rows if has_provisional_key(row) and has_title_or_people(row.csl)]
    if not nameless:
        return []
    cited, shelf, renamed = uses_by_key(project), ReferenceIndex(project), []
    for row in nameless:
        if row.cite_key not in cited:
            renamed.append(OtherKey(project=project, citation=row, key=row.cite_key))
            row.cite_key = shelf.key_for(row.csl)
            shelf.keys.add(row.cite_key, row.cite_key)
    return renamed
