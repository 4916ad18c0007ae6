"""Which function does a job of which kind, where people see it, and who hears what it tells (docs/privacy.md).

An app registers its kinds in its `tasks.py`:

    @does("research", page="research:run", ended=close, prepare=prepare)
    def research(job: Job) -> None: ...

The function does the work or raises one of jobs.work's signals; it may be called again for the same job after
a crash, so it must pick up where its rows say it stopped. `page` names a URL that takes the job's subject.
`ended` writes what a job of this kind leaves when it is done, failed or cancelled, whoever ended it; it is
called once, in the transaction that ends the job. `prepare` loads what the function will need: a cluster calls it
before it forks its workers, so that no job waits for it and the workers share its memory.

What has to be looked at from time to time, with no person asking, is registered likewise; the watchdog calls it:

    @regularly(seconds=5)
    def start_due_checks() -> None: ...
"""

from collections.abc import Callable
from typing import Any, NamedTuple
from uuid import UUID

from django.urls import get_resolver, reverse

from jobs.models import Job
from projects.access import check_open_data, get_in_project, may_open_data

Function = Callable[[Job], None]
Holds = Callable[[Job], bool]


class Kind(NamedTuple):
    function: Function
    page: str
    ended: Function | None
    prepare: Callable[[], None] | None
    holds_data: Holds


class Duty(NamedTuple):
    """What the watchdog does about every `seconds`."""

    function: Callable[[], None]
    seconds: float


_KINDS: dict[str, Kind] = {}


def always(job: Job) -> bool:
    """Return whether the events of `job` may quote data or uploads: those of its kind always may."""
    return True


def never(job: Job) -> bool:
    return False


_DUTIES: list[Duty] = []


def does(
    kind: str,
    *,
    page: str = "",
    ended: Function | None = None,
    prepare: Callable[[], None] | None = None,
    holds_data: Holds = never,
) -> Callable[[Function], Function]:
    """`holds_data` says of a job of the kind whether what it tells may quote datasets or uploaded files."""

    def register(function: Function) -> Function:
        _KINDS[kind] = Kind(function, page, ended, prepare, holds_data)
        return function

    return register


def regularly(*, seconds: float) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Have the watchdog call a function about every `seconds`.

    It must be quick, since the watchdog does nothing else meanwhile: what takes long is a job that it starts. Every
    machine with a worker has a watchdog, so two may call it at once.
    """

    def register(function: Callable[[], None]) -> Callable[[], None]:
        _DUTIES.append(Duty(function, seconds))
        return function

    return register


def duties() -> list[Duty]:
    """Return all that is done regularly."""
    return list(_DUTIES)


def prepare_all() -> None:
    """Load what the functions of all kinds will need, and the addresses of pages, which nearly all of them tell."""
    get_resolver().url_patterns  # noqa: B018 read here, once
    for kind in _KINDS.values():
        if kind.prepare:
            kind.prepare()


def function_for(kind: str) -> Function:
    """Return the function for `kind`. Raises LookupError for a kind nobody registered."""
    if kind not in _KINDS:
        raise LookupError(f"No room does jobs of kind {kind!r}; known: {', '.join(sorted(_KINDS))}.")
    return _KINDS[kind].function


def page_of(job: Job) -> str | None:
    """Return the address of what `job` works on, or None for a kind without a page."""
    kind = _KINDS.get(job.kind)
    return reverse(kind.page, args=[job.subject]) if kind and kind.page else None


def holds_data(job: Job) -> bool:
    """Return whether what `job` tells may quote datasets or uploaded files. Of a kind that nobody registered it may."""
    kind = _KINDS.get(job.kind)
    return kind is None or kind.holds_data(job)


def on_end(sender: type[Job], job: Job, **_: Any) -> None:
    """Write what the kind of `job` leaves now that it has ended."""
    kind = _KINDS.get(job.kind)
    if kind and kind.ended:
        kind.ended(job)


def get_job(user: Any, job_id: UUID) -> Job:
    """Return the job, if `user` is a member of its thesis; without its reason, which may quote them, where its data or uploads are
    closed to that person. Raises Http404 for strangers.
    """
    job: Job = get_in_project(user, Job.objects.all(), pk=job_id)
    if not may_open_data(job.project) and holds_data(job):
        job.reason = ""
    return job


def get_told_job(user: Any, job_id: UUID) -> Job:
    """As `get_job`, for what the job tells. Raises PermissionDenied where that is of data or uploads that are closed."""
    job: Job = get_in_project(user, Job.objects.all(), pk=job_id)
    if holds_data(job):
        check_open_data(job.project)
    return job
