"""What the worker does for this room: the demo's data and analyses."""

from config.demo import data
from jobs.models import Job
from jobs.registry import does


@does(data.KIND)
def bring_demo_data(job: Job) -> None:
    """Read the demo's data and ask R. Again after a crash: what is there stays."""
    data.bring_data(job)
