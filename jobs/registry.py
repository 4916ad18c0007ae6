"""The registry of job kinds: handler, page, and who may see the events (docs/privacy.md).

An app registers its job kinds in its `tasks.py`:

    @does("research", page="research:run", ended=close, prepare=prepare)
    def research(job: Job) -> None: ...

The handler does the work or raises a signal from jobs.work. It may be called again for the same job after a crash, so
it must continue from the state in the database. `page` is the name of a URL that takes the job's subject. `ended` is
called once, in the transaction in which a job ends (done, failed or cancelled). `prepare` loads what the handler
needs: a cluster calls it before it forks its workers, so that no job waits for it and the workers share the memory.

Periodic tasks are registered too; the watchdog runs them:

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


class JobKind(NamedTuple):
    """A registered kind of job."""

    function: Function
    page: str
    ended: Function | None
    prepare: Callable[[], None] | None
    holds_data: Holds


class PeriodicTask(NamedTuple):
    """A periodic task: the watchdog calls `function` about every `seconds`."""

    function: Callable[[], None]
    seconds: float


_KINDS: dict[str, JobKind] = {}


def always(job: Job) -> bool:
    """Return True (for `holds_data`): events of this kind of job may quote datasets or uploaded files."""
    return True


def never(job: Job) -> bool:
    """Return False (for `holds_data`): events of this kind of job never quote datasets or uploaded files."""
    return False


_DUTIES: list[PeriodicTask] = []


def job_handler(
    kind: str,
    *,
    page: str = "",
    ended: Function | None = None,
    prepare: Callable[[], None] | None = None,
    holds_data: Holds = never,
) -> Callable[[Function], Function]:
    """Register a function as the handler of a kind of job (decorator).

    `holds_data` returns whether the events of a job may quote datasets or uploaded files.
    """

    def register(function: Function) -> Function:
        _KINDS[kind] = JobKind(function, page, ended, prepare, holds_data)
        return function

    return register


def periodic_task(*, seconds: float) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Register a function that the watchdog calls about every `seconds` (decorator).

    The function must be quick, since it blocks the watchdog; for long work it starts a job. Every machine with a
    worker has a watchdog, so two may call it at the same time.
    """

    def register(function: Callable[[], None]) -> Callable[[], None]:
        _DUTIES.append(PeriodicTask(function, seconds))
        return function

    return register


def duties() -> list[PeriodicTask]:
    """Return all periodic tasks."""
    return list(_DUTIES)


def prepare_all() -> None:
    """Call `prepare` of all job kinds, and load the URL patterns, which most handlers need."""
    get_resolver().url_patterns  # noqa: B018 loads the patterns
    for kind in _KINDS.values():
        if kind.prepare:
            kind.prepare()


def function_for(kind: str) -> Function:
    """Return the handler of `kind`. Raises LookupError for an unregistered kind."""
    if kind not in _KINDS:
        raise LookupError(f"No app handles jobs of kind {kind!r}; known: {', '.join(sorted(_KINDS))}.")
    return _KINDS[kind].function


def page_of(job: Job) -> str | None:
    """Return the URL of the object `job` works on, or None for a kind without a page."""
    kind = _KINDS.get(job.kind)
    return reverse(kind.page, args=[job.subject]) if kind and kind.page else None


def holds_data(job: Job) -> bool:
    """Return whether the events of `job` may quote datasets or uploaded files (True for an unregistered kind)."""
    kind = _KINDS.get(job.kind)
    return kind is None or kind.holds_data(job)


def on_end(sender: type[Job], job: Job, **_: Any) -> None:
    """Call the end handler of the kind of `job` (receiver of job_ended)."""
    kind = _KINDS.get(job.kind)
    if kind and kind.ended:
        kind.ended(job)


def get_job(user: Any, job_id: UUID) -> Job:
    """Return the job, if `user` is a member of its thesis. Raises Http404 otherwise.

    The reason is blanked if it may quote datasets or uploaded files that the user may not open.
    """
    job: Job = get_in_project(user, Job.objects.all(), pk=job_id)
    if not may_open_data(job.project) and holds_data(job):
        job.reason = ""
    return job


def get_job_for_events(user: Any, job_id: UUID) -> Job:
    """Return the job, if `user` may read its events.

    Raises Http404 for non-members, and PermissionDenied if the events may quote data that the user may not open.
    """
    job: Job = get_in_project(user, Job.objects.all(), pk=job_id)
    if holds_data(job):
        check_open_data(job.project)
    return job
