"""What the worker does for this room: bringing a text in, and drafting."""

from asgiref.sync import async_to_sync

from jobs.models import Job
from jobs.registry import does
from llm.engine import load
from thesis import importing
from thesis.drafting import start, writing


@does(importing.KIND, page="thesis:brought", ended=importing.close)
def bring_text(job: Job) -> None:
    """Bring a file of text into a thesis. Again after a crash: what came in stays, the rest begins anew."""
    importing.carry_on(job)


@does(start.KIND, page="thesis:draft", ended=writing.close, prepare=load)
def write_draft(job: Job) -> None:
    """Write a draft of a section. Again after a crash: an answer that came is not asked for again."""
    async_to_sync(writing.write)(job)
