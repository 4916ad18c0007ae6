"""What the worker does for this room."""

import asyncio

from jobs.models import Job
from jobs.registry import does
from research.run import conduct


@does("research", page="research:run")
def research(job: Job) -> None:
    asyncio.run(conduct(job))
