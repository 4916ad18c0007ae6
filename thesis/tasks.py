"""Job handlers of this app: importing a text, drafting, building and previews."""

from asgiref.sync import async_to_sync

from jobs.models import Job
from jobs.registry import always, job_handler
from llm.engine import load
from thesis.access import holds_uploads
from thesis.attached_pdfs import batch
from thesis.drafting import draft_job, start
from thesis.importing import import_job
from thesis.latex_build import build_job
from thesis.latex_build.start import KIND as BUILD
from thesis.preview import preview_job
from thesis.preview import start as preview


@job_handler(import_job.KIND, page="thesis:brought", ended=import_job.finish_import)
def bring_text(job: Job) -> None:
    """Import a file into a thesis. After a crash, stages that were finished are kept and the others start again."""
    import_job.run_import(job)


@job_handler(start.KIND, page="thesis:draft", ended=draft_job.finish_draft, prepare=load, holds_data=holds_uploads)
def write_draft(job: Job) -> None:
    """Write a draft of a section. After a crash, an answer that was already saved is used again."""
    async_to_sync(draft_job.write)(job)


@job_handler(BUILD, page="thesis:built", ended=build_job.close)
def build_thesis(job: Job) -> None:
    """Build a thesis or a chapter. After a crash, the build starts again and leaves nothing half made."""
    build_job.build(job)


@job_handler(preview.KIND, page="thesis:built", ended=preview_job.close)
def make_preview(job: Job) -> None:
    """Build the preview of a section. After a crash, it starts again."""
    preview_job.make_preview(job)


@job_handler(batch.KIND, page="thesis:pdf_batch", holds_data=always)
def match_pdfs(job: Job) -> None:
    """Find the reference of each PDF of a batch. After a crash, files that were looked at are not looked at again."""
    batch.run_batch(job)
