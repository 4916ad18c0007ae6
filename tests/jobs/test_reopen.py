"""A job that has ended is opened again for more work on the same thing (SPEC R17)."""

import pytest
from django_q.models import OrmQ

from jobs.models import ENDED, State
from jobs.work import perform
from tests.jobs.conftest import StartJob

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("state", State)
def test_only_what_has_ended(start: StartJob, state: State) -> None:
    job = start(state=state)
    queued = OrmQ.objects.count()
    assert job.reopen() is (state in ENDED)
    job.refresh_from_db()
    assert job.state == (State.QUEUED if state in ENDED else state)
    told = list(job.events.values_list("kind", flat=True))
    assert told == (["job_reopened"] if state in ENDED else [])
    assert OrmQ.objects.count() == queued + (state in ENDED)


def test_it_is_worked_on_again_and_its_stream_goes_on(start: StartJob) -> None:
    job = start()
    perform(str(job.pk))
    job.refresh_from_db()
    ended, last = job.ended_at, job.last_seq
    assert job.state == State.DONE
    assert job.reopen()
    assert (job.ended_at, job.started_at, job.reason, job.stalls) == (None, None, "", 0)
    perform(str(job.pk))
    job.refresh_from_db()
    assert job.state == State.DONE
    assert job.ended_at is not None
    assert ended is not None
    assert job.ended_at > ended
    seqs = list(job.events.values_list("seq", flat=True))
    assert seqs == list(range(1, len(seqs) + 1))
    kinds = list(job.events.filter(seq__gt=last).values_list("kind", flat=True))
    assert kinds[0] == "job_reopened"
    assert kinds[-1] == "job_done"


@pytest.mark.parametrize("state", [State.FAILED, State.CANCELLED, State.DONE])
def test_what_was_made_stays_done(start: StartJob, state: State) -> None:
    job = start(state=state)
    job.count_as_done()
    assert (job.state, job.reason) == (State.DONE, "")


def test_a_job_that_goes_on_is_not_counted_as_done(start: StartJob) -> None:
    job = start(state=State.RUNNING)
    job.count_as_done()
    assert job.state == State.RUNNING
