"""Access to runs: all members may read a run, but if it read uploaded files, only those who may open these files.

The plan, notes, findings and report of such a run can contain text of the files. No program can tell which sentences
are confidential, so the run is open or closed as a whole (docs/privacy.md).
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar
from uuid import UUID

from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse

from jobs.models import Job
from projects.access import Act, check_open_data, get_in_project, may_open_data
from research.models import Run

M = TypeVar("M", bound=Model)
P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, Run, P], HttpResponse]


def get_run(user: Any, run_id: UUID, act: Act = "read") -> Run:
    """Return the run, if `user` may `act` on it, with its job. Raises Http404 and PermissionDenied."""
    run: Run = get_in_project(user, Run.objects.select_related("job", "created_by"), act, pk=run_id)
    if run.reads_uploads:
        check_open_data(run.project)
    return run


def with_run(act: Act = "read") -> Callable[[View[P]], Callable[..., HttpResponse]]:
    """Decorate a view whose URL has a run id, so that it gets the run itself, from `get_run` for the signed-in user."""

    def finding(view: View[P]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def found(request: HttpRequest, run_id: UUID, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            return view(request, get_run(request.user, run_id, act), *args, **kwargs)

        return found

    return finding


def first_or_404(rows: "QuerySet[M]", why_not: str) -> M:
    """Return the first of `rows`. Raises Http404 with the message `why_not` if there is none."""
    if (found := rows.first()) is None:
        raise Http404(why_not)
    return found


def is_closed(run: Run, project: Any) -> bool:
    """Return whether `run` is closed to the user for whom `get_project` returned `project`."""
    return run.reads_uploads and not may_open_data(project)


def holds_uploads(job: Job) -> bool:
    """Return whether the run of `job` read uploaded files, or was deleted, so that this is unknown."""
    run = Run.objects.filter(job=job).only("files").first()
    return run is None or run.reads_uploads
