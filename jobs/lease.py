"""How long a worker has a job to itself, and how often it renews that. See docs/decisions/jobs.md."""

from datetime import timedelta

LEASE = timedelta(seconds=15)
HEARTBEAT = 5.0  # seconds between renewals of the lease
