"""What the worker does for this room."""

from asgiref.sync import async_to_sync
from sentencex import get_sentence_boundaries

from citations.styles.formatting import format_references
from jobs.models import Job
from jobs.registry import always, does, regularly
from llm.engine import load
from research.access import holds_uploads
from research.context import deletion
from research.models import Run
from research.nearest_texts import nearest
from research.run import close, conduct


def prepare() -> None:
    """Have what a run needs read once, so that no run waits for it: the model's client, styles, words, sentences."""
    load()
    format_references([{"type": "book", "title": "Alder"}], "apa")
    nearest("What of alder?", ["Alder.", "Oak."], 1)
    list(get_sentence_boundaries("en", "One. Two."))


@does("research", page="research:run", ended=close, prepare=prepare, holds_data=holds_uploads)
def research(job: Job) -> None:
    # The loop gets a thread of its own and every query comes back to this one, with its connection.
    async_to_sync(conduct)(job)


@does(deletion.KIND, page="research:run", holds_data=always)
def delete_text(job: Job) -> None:
    """Take the text of deleted files out of a run. Again after a crash: all of it or nothing was taken out."""
    if run := Run.objects.filter(pk=job.subject).first():
        deletion.delete_text(run)


@regularly(seconds=deletion.DELETION_CHECK_INTERVAL)
def start_deleting() -> None:
    deletion.start_pending_deletions()
