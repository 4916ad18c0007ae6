"""What the worker does for this room: bringing a text in."""

from jobs.models import Job
from jobs.registry import does
from thesis import importing


@does(importing.KIND, page="thesis:brought", ended=importing.close)
def bring_text(job: Job) -> None:
    """Bring a file of text into a thesis. Again after a crash: what came in stays, the rest begins anew."""
    importing.carry_on(job)
