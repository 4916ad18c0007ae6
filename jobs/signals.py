"""What other modules hear of a job."""

from django.dispatch import Signal

job_ended = (
    Signal()
)  # sender Job, with `job`; in the transaction that ended it, so that a receiver that raises undoes the end
