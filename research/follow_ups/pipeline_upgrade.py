"""Continuing a run that another version of the pipeline has begun, after an upgrade (SPEC R16).

A run whose research has not begun continues, as long as its stored answers still fit. A run in the middle of its
research or its report stops, and its findings are kept. A finished run can still be followed up; a follow-up that
another version had begun is given up. Nothing that was paid for is asked a second time.
"""

import logging

from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction

from jobs.work import Stopped
from research.follow_ups.follow_up_job import give_up_waiting, is_finished
from research.journal.journal import Diverged
from research.journal.pipeline_version import CHANGED, PIPELINE_VERSION, versions_of, versions_text
from research.journal.provenance import Entry, append
from research.models import Phase, Run
from research.run_context.run_context import RunContext

log = logging.getLogger("scholium.research")

# Errors that steps or rows of another version may raise in this one.
VERSION_ERRORS = (Diverged, ObjectDoesNotExist, LookupError, TypeError, ValueError, AttributeError)
_CHANGED_MEANWHILE = (
    "Scholium has changed since this run last worked, so it cannot continue from where it stopped. "
    "What was found is kept; ask the question again."
)


def prepare_to_continue(inquiry: RunContext) -> None:
    """Prepare to continue the run of `inquiry`. Raises Stopped when this version cannot, LeaseLost as Job.hold."""
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
            left = "cannot finish this follow-up. The report is as it was before; ask again."
            give_up_waiting(run, f"{_begun_by_version(versions)} {left}", only_begun=True)
        elif run.steps.filter(key=f"phase/{Phase.RESEARCH}").exists():
            raise Stopped(cannot_continue(run, versions))
        said = f"Version {PIPELINE_VERSION} of the pipeline continues what {versions_text(versions)} began."
        append(run, Entry("supervision", CHANGED, said, {"from": versions[-1], "to": PIPELINE_VERSION}))


def stopped_by_upgrade(run: Run, error: Exception) -> Stopped | None:
    """Return the Stopped with which `run` ends after `error`, one of MISFITS; None if no upgrade can have caused it."""
    versions = versions_of(run)
    is_same = set(versions) == {PIPELINE_VERSION}
    if is_same and not isinstance(error, Diverged):
        return None
    said = _CHANGED_MEANWHILE if is_same else cannot_continue(run, versions)
    log.warning("run %s, begun by pipeline %s: %s", run.pk, versions[0], error, exc_info=error)
    return Stopped(said)


def cannot_continue(run: Run, versions: list[int]) -> str:
    """Return a message: why this version cannot continue `run`, what is kept, and what to do."""
    if is_finished(run):
        return (
            f"{_begun_by_version(versions)} cannot add to it. Its report and findings are kept; ask the question again."
        )
    return (
        f"{_begun_by_version(versions)} cannot continue from where it stopped. What was found is kept. “Ask again” "
        "fills in the same question with the same choices."
    )


def _begun_by_version(versions: list[int]) -> str:
    begun = versions_text([version for version in versions if version != PIPELINE_VERSION] or versions)
    return (
        f"This run was begun by {begun} of Scholium’s research pipeline, and version {PIPELINE_VERSION}, which is "
        "installed now,"
    )
