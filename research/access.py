"""Who reads a run: all members, but one that read uploaded files only those who may open them (docs/privacy.md).

A run tells of its files in its plan, its notes, its findings and its report, in their words or a model's. Which of these
sentences is nobody's secret no program can tell, so such a run is open or closed as a whole.
"""

from typing import Any
from uuid import UUID

from jobs.models import Job
from projects.access import Act, check_open_data, get_in_project, may_open_data
from research.models import Run


def get_run(user: Any, run_id: UUID, act: Act = "read") -> Run:
    """The run, if `user` may `act` on it, with its job. Raises Http404 and PermissionDenied."""
    run: Run = get_in_project(user, Run.objects.select_related("job", "created_by"), act, pk=run_id)
    if run.reads_uploads:
        check_open_data(run.project)
    return run


def is_closed(run: Run, project: Any) -> bool:
    """Whether `run` of `project` is closed to the person for whom that was found."""
    return run.reads_uploads and not may_open_data(project)


def holds_uploads(job: Job) -> bool:
    """Whether the run of `job` read uploaded files."""
    run = Run.objects.filter(job=job).only("files").first()
    return run is None or run.reads_uploads
