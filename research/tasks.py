"""The background jobs of research."""

from asgiref.sync import async_to_sync
from sentencex import get_sentence_boundaries

from citations.styles.formatting import format_references
from jobs.models import Job
from jobs.registry import always, job_handler, periodic_task
from llm.engine import load
from research.access import holds_uploads
from research.context import deletion
from research.models import Run
from research.nearest_texts import nearest
from research.run import close, conduct


def prepare() -> None:
    """Load in advance what every run needs, so that no run waits for it.

    These are the model's client, citation styles, stemmer and sentence splitter.
    """
    load()
    format_references([{"type": "book", "title": "Alder"}], "apa")
    nearest("What of alder?", ["Alder.", "Oak."], 1)
    list(get_sentence_boundaries("en", "One. Two."))


@job_handler("research", page="research:run", ended=close, prepare=prepare, holds_data=holds_uploads)
def research(job: Job) -> None:
    """Work the run of `job`."""
    # The event loop runs in its own thread; every query comes back to this thread with its connection.
    async_to_sync(conduct)(job)


@job_handler(deletion.KIND, page="research:run", holds_data=always)
def delete_text(job: Job) -> None:
    """Remove the text of deleted files from a run. It is safe to repeat after a crash: all or nothing is removed."""
    if run := Run.objects.filter(pk=job.subject).first():
        deletion.delete_text(run)


@periodic_task(seconds=deletion.DELETION_CHECK_INTERVAL)
def start_deleting() -> None:
    """Start the removals of text that are waiting."""
    deletion.start_pending_deletions()
