"""A follow-up after a worker has had its run."""

from jobs.work import perform
from research.models import FollowUp


def worked(asked: FollowUp) -> FollowUp:
    """Work on whatever waits in the run of `asked`; returns it as it is then, with its run and job."""
    perform(str(asked.run.job_id))
    return FollowUp.objects.select_related("run__job", "run__project").get(pk=asked.pk)
