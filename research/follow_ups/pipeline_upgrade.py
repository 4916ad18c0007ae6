"""After an upgrade: what becomes of a run that another version of the pipeline has begun (SPEC R16).

A run whose research has not begun goes on: what it was answered so far is asked for in the same words, or it stops. One
in the middle of its research or its report stops, and what it found is kept. Of a finished one, more can be asked; what
another version was asked of it and has not finished is left. Nothing that was paid for is asked a second time.
"""

import logging

from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction

from jobs.work import Stopped
from research.follow_ups.follow_up_job import is_finished, put_aside
from research.journal.journal import Diverged
from research.journal.pipeline_version import CHANGED, PIPELINE_VERSION, said_of, versions_of
from research.journal.provenance import Entry, append
from research.models import Phase, Run
from research.run_context.run_context import Inquiry

log = logging.getLogger("scholium.research")

# How steps and rows of another version may turn out not to be what this one works with.
MISFITS = (Diverged, ObjectDoesNotExist, LookupError, TypeError, ValueError, AttributeError)
_CHANGED_MEANWHILE = (
    "Scholium has changed while this run was resting, so it cannot go on from where it stopped. "
    "What was found is kept; ask the question again."
)


def take_up(inquiry: Inquiry) -> None:
    """Make ready to go on with the run of `inquiry`. Raises Stopped when this version cannot, LeaseLost as Job.hold."""
    run = inquiry.run
    with transaction.atomic():
        inquiry.job.hold(sure_of_lease=inquiry.job.lease_by)
        inquiry.journal.is_closed = is_finished(run)
        versions = versions_of(run)
        if versions[-1] == PIPELINE_VERSION:
            return
        if not run.provenance_length and not run.steps.exists():
            run.pipeline = PIPELINE_VERSION
            run.save(update_fields=["pipeline"])
            return
        if inquiry.journal.is_closed:
            left = "cannot finish what was under way. The report is as it was before; ask it once more."
            put_aside(run, f"{_made_by(versions)} {left}", only_begun=True)
        elif run.steps.filter(key=f"phase/{Phase.RESEARCH}").exists():
            raise Stopped(cannot_go_on(run, versions))
        said = f"Version {PIPELINE_VERSION} of the pipeline goes on with what {said_of(versions)} has begun."
        append(run, Entry("supervision", CHANGED, said, {"from": versions[-1], "to": PIPELINE_VERSION}))


def as_an_end(run: Run, error: Exception) -> Stopped | None:
    """Return how `run` stops for `error`, one of MISFITS, in a sentence; None where no upgrade can be behind it."""
    versions = versions_of(run)
    is_same = set(versions) == {PIPELINE_VERSION}
    if is_same and not isinstance(error, Diverged):
        return None
    said = _CHANGED_MEANWHILE if is_same else cannot_go_on(run, versions)
    log.warning("run %s, begun by pipeline %s: %s", run.pk, versions[0], error, exc_info=error)
    return Stopped(said)


def cannot_go_on(run: Run, versions: list[int]) -> str:
    """Return why this version cannot go on with `run`, what is kept, and what to do."""
    if is_finished(run):
        return f"{_made_by(versions)} cannot add to it. Its report and all it found are kept; ask the question again."
    return (
        f"{_made_by(versions)} cannot go on from where it stopped. What was found is kept. “Ask again” fills in the same "
        "question with the same choices."
    )


def _made_by(versions: list[int]) -> str:
    begun = said_of([version for version in versions if version != PIPELINE_VERSION] or versions)
    return f"This run was begun by {begun} of Scholium’s research pipeline, and version {PIPELINE_VERSION}, which is here now,"
