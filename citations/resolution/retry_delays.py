"""When a reference is looked up again after a service did not answer (SPEC C11)."""

from datetime import timedelta

# The waiting time after one, two, ... failed checks in a row; the last one repeats.
RETRY_DELAYS = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
    timedelta(days=1),
)


def retry_delay(failures: int) -> timedelta:
    """Return the waiting time after `failures` (1 or more) checks in a row in which a service did not answer."""
    return RETRY_DELAYS[min(max(failures, 1), len(RETRY_DELAYS)) - 1]
