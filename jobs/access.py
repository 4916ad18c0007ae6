"""Who hears what a job tells: members, but of work on data and uploads only those who may open them (docs/privacy.md)."""

from typing import Any
from uuid import UUID

from jobs.models import Job
from jobs.registry import holds_data
from projects.access import check_open_data, get_in_project, may_open_data


def get_job(user: Any, job_id: UUID) -> Job:
    """The job, if `user` is a member of its thesis; without its reason, which may quote them, where its data or uploads are
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
