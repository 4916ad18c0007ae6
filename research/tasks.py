"""What the worker does for this room."""

from asgiref.sync import async_to_sync

from jobs.models import Job
from jobs.registry import does
from llm.engine import load
from research.run import close, conduct


@does("research", page="research:run", ended=close, prepare=load)
def research(job: Job) -> None:
    # The loop gets a thread of its own and every query comes back to this one, with its connection.
    async_to_sync(conduct)(job)
