"""Having entries checked: at once where a person asks, and again by schedule where a service failed (SPEC C3).

`check_due_at` of an entry is when somebody wants it checked; a job per thesis checks what is due, the worker's watchdog
starts one wherever something has become due. A proof stays until there is another verdict.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import TypeVar
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from citations.models import Citation
from core.errors import Refused
from jobs.models import ENDED, Job, State
from projects.models import Project, User

T = TypeVar("T")

CHECK = "check"  # the kind of the job; its subject is the thesis
LOOK = 5.0  # seconds between two looks of the watchdog for what has become due
AFTER_FAILURE = timedelta(minutes=30)  # until what is due is tried again after a job that broke off


def start_check(project: Project, user: User) -> Job | None:
    """The job that checks what is due in `project`, which may be under way already; None when nothing is due."""
    with Project.objects.held(project.pk):  # two at once: one job
        if not Citation.objects.filter(project=project).due().exists():
            return None
        running = Job.objects.filter(project=project, kind=CHECK).exclude(state__in=ENDED).first()
        if running is None:
            return Job.objects.start(project=project, kind=CHECK, subject=project.pk, user=user)
        running.resume()  # if somebody paused it
        return running


def check_again(project: Project, citations: Iterable[Citation], user: User) -> Job | None:
    """Have `citations` of `project` checked now, whatever the schedule says, and with fresh answers.

    What is proven stays so until there is another verdict; everything else is "not checked yet" again. Those that a
    person vouched for and uploaded files are left out; raises Refused when there are no others.
    """
    asked = [citation.pk for citation in citations]
    status = Citation.Status
    now = timezone.now()
    with transaction.atomic():
        found = 0
        for some in batched(asked):
            rows = Citation.objects.filter(project=project, pk__in=some)
            others = rows.exclude(status__in=[*Citation.NEVER_CHECKED, status.VERIFIED])
            found += others.update(status=status.UNRESOLVED, tier="", check_due_at=now, failures=0, updated_at=now)
            found += rows.filter(status=status.VERIFIED).update(check_due_at=now, failures=0, updated_at=now)
    if not found:
        raise _refused(project, asked)
    return start_check(project, user)


def _refused(project: Project, asked: Sequence[UUID]) -> Refused:
    """Why none of `asked` can be checked."""
    if not asked:
        return Refused("Choose a reference to check.", code="empty")
    if Citation.objects.filter(project=project, pk__in=asked[:500], status=Citation.Status.FILE).exists():
        said = (
            "Nothing was checked: this is your own file. If it is a published work, add its DOI, PMID, ISBN or address."
        )
        return Refused(said, code="file")
    return Refused("Nothing was checked: a person vouches for it. Withdraw the attestation first.", code="attested")


def batched(all_of: Sequence[T], most: int = 500) -> Iterator[Sequence[T]]:
    """`all_of` in parts of at most so many; 500 are what a statement of any database takes."""
    return (all_of[start : start + most] for start in range(0, len(all_of), most))


def check_under_way(project: Project) -> Job | None:
    """The job that checks entries of `project` just now or soon; what it has done is its `progress`."""
    return Job.objects.filter(project=project, kind=CHECK).exclude(state__in=ENDED).first()


def start_due_checks() -> None:
    """Start a check in every thesis where one is due and none is under way."""
    due = Citation.objects.due().order_by().values("project_id").distinct()
    busy = Job.objects.filter(kind=CHECK).exclude(state__in=ENDED).values("project_id")
    for project in Project.objects.filter(pk__in=due).exclude(pk__in=busy).order_by("pk")[:100]:
        start_check(project, project.owner)


def close(job: Job) -> None:
    """What a check leaves that did not get to its end: a person stopped it, or it broke off."""
    due = Citation.objects.filter(project=job.project_id).due()
    if job.state == State.CANCELLED:
        due.update(check_due_at=None, failures=0)
    elif job.state == State.FAILED:
        due.update(check_due_at=timezone.now() + AFTER_FAILURE, failures=F("failures") + 1)
