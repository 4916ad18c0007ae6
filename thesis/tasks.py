"""What the worker does for this room: bringing a text in, drafting, and building."""

from asgiref.sync import async_to_sync

from jobs.models import Job
from jobs.registry import does
from llm.engine import load
from thesis.access import holds_uploads
from thesis.drafting import draft_job, start
from thesis.importing import import_job
from thesis.latex_build import build_job
from thesis.latex_build.start import KIND as BUILD
from thesis.preview import preview_job as preview_work
from thesis.preview import start as preview


@does(import_job.KIND, page="thesis:brought", ended=import_job.close)
def bring_text(job: Job) -> None:
    """Bring a file of text into a thesis. Again after a crash: what came in stays, the rest begins anew."""
    import_job.carry_on(job)


@does(start.KIND, page="thesis:draft", ended=draft_job.close, prepare=load, holds_data=holds_uploads)
def write_draft(job: Job) -> None:
    """Write a draft of a section. Again after a crash: an answer that came is not asked for again."""
    async_to_sync(draft_job.write)(job)


@does(BUILD, page="thesis:built", ended=build_job.close)
def build_thesis(job: Job) -> None:
    """Print a thesis or a chapter. Again after a crash: it begins anew, nothing half made is left."""
    build_job.build(job)


@does(preview.KIND, page="thesis:built", ended=preview_work.close)
def make_preview(job: Job) -> None:
    """Show a section as it is printed. Again after a crash: it begins anew."""
    preview_work.make_preview(job)
