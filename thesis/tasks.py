"""What the worker does for this room: bringing a text in, drafting, and building."""

from asgiref.sync import async_to_sync

from jobs.models import Job
from jobs.registry import does
from llm.engine import load
from thesis import importing
from thesis.access import holds_uploads
from thesis.building import work
from thesis.building.start import KIND as BUILD
from thesis.drafting import start, writing
from thesis.preview import start as preview
from thesis.preview import work as preview_work


@does(importing.KIND, page="thesis:brought", ended=importing.close)
def bring_text(job: Job) -> None:
    """Bring a file of text into a thesis. Again after a crash: what came in stays, the rest begins anew."""
    importing.carry_on(job)


@does(start.KIND, page="thesis:draft", ended=writing.close, prepare=load, holds_data=holds_uploads)
def write_draft(job: Job) -> None:
    """Write a draft of a section. Again after a crash: an answer that came is not asked for again."""
    async_to_sync(writing.write)(job)


@does(BUILD, page="thesis:built", ended=work.close)
def build_thesis(job: Job) -> None:
    """Print a thesis or a chapter. Again after a crash: it begins anew, nothing half made is left."""
    work.build(job)


@does(preview.KIND, page="thesis:built", ended=preview_work.close)
def make_preview(job: Job) -> None:
    """Show a section as it is printed. Again after a crash: it begins anew."""
    preview_work.make_preview(job)
