"""Places for heavy work: 3 in all, a build takes 2, an analysis 1, at most 5 wait (SPEC N7)."""

import threading
import time
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import Sum
from django.utils import timezone

from jobs.compute_slots import CAPACITY, QUEUE, QueueFull, free_slots, hold_slots, request_slots, take_slots
from jobs.models import ComputeSlot, Job, State
from jobs.work import Cancelled, claim
from tests.jobs.conftest import StartJob

pytestmark = pytest.mark.postgres

BUILD, ANALYSIS = 2, 1


def job_with_slots(start: StartJob, needs: int) -> Job:
    """A job that holds its places."""
    job = waiting(start, needs)
    assert take_slots(job)
    return job


def waiting(start: StartJob, needs: int) -> Job:
    job = start()
    request_slots(job, needs)
    return job


def test_a_build_and_an_analysis_fill_the_machine(start: StartJob) -> None:
    job_with_slots(start, BUILD)
    job_with_slots(start, ANALYSIS)
    assert not take_slots(waiting(start, ANALYSIS))


def test_three_analyses_fill_it_too(start: StartJob) -> None:
    for _ in range(CAPACITY):
        job_with_slots(start, ANALYSIS)
    assert not take_slots(waiting(start, ANALYSIS))


@pytest.mark.parametrize("needs", [0, -1, CAPACITY + 1])
def test_a_number_of_places_that_cannot_be_is_a_mistake_in_the_program(start: StartJob, needs: int) -> None:
    with pytest.raises(ValueError, match="1 to 3"):
        request_slots(start(), needs)


def test_five_wait_and_the_sixth_is_told_busy(start: StartJob) -> None:
    job_with_slots(start, CAPACITY)
    line = [waiting(start, ANALYSIS) for _ in range(QUEUE)]
    with pytest.raises(QueueFull, match="5 jobs are waiting"):
        request_slots(start(), ANALYSIS)
    request_slots(line[0], ANALYSIS)  # who stands in line already may ask again
    free_slots(line[0])
    request_slots(start(), ANALYSIS)  # and one who leaves makes room


def test_first_come_first_served(start: StartJob) -> None:
    """A build at the head of the line is not overtaken by an analysis that would fit."""
    first = job_with_slots(start, BUILD)
    build, analysis = waiting(start, BUILD), waiting(start, ANALYSIS)
    assert [take_slots(analysis), take_slots(build)] == [False, False]
    free_slots(first)
    assert [take_slots(analysis), take_slots(build), take_slots(analysis)] == [False, True, True]


def test_asking_again_keeps_the_place_in_line(start: StartJob) -> None:
    first = job_with_slots(start, CAPACITY)
    early, late = waiting(start, ANALYSIS), waiting(start, CAPACITY)
    request_slots(early, ANALYSIS)
    free_slots(first)
    assert [take_slots(late), take_slots(early)] == [False, True]


def test_places_of_a_dead_job_come_free(start: StartJob) -> None:
    dead = job_with_slots(start, CAPACITY)
    alive = waiting(start, BUILD)
    assert not take_slots(alive)
    ComputeSlot.objects.filter(job=dead).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert take_slots(alive)


def test_a_dead_job_in_line_does_not_hold_the_others_up(start: StartJob) -> None:
    first = job_with_slots(start, CAPACITY)
    dead, alive = waiting(start, BUILD), waiting(start, ANALYSIS)
    ComputeSlot.objects.filter(job=dead).update(lease_until=timezone.now() - timedelta(seconds=1))
    free_slots(first)
    assert take_slots(alive)


def test_an_attempt_that_lost_its_lease_does_not_free_the_places_of_the_next(start: StartJob) -> None:
    first = claim(str(start().pk), "first attempt")
    assert first is not None
    with hold_slots(first, BUILD):
        Job.objects.filter(pk=first.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
        second = claim(str(first.pk), "second attempt")
        assert second is not None
        request_slots(second, BUILD)
        assert take_slots(second)
    assert ComputeSlot.objects.get(job=first).places == BUILD
    free_slots(second)
    assert not ComputeSlot.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_cancel_is_obeyed_while_waiting(start: StartJob) -> None:
    job_with_slots(start, CAPACITY)
    job = start(state=State.RUNNING)
    job.ask("cancel")
    with pytest.raises(Cancelled), hold_slots(job, ANALYSIS, poll=0.01):
        pytest.fail("It got places although there are none.")
    assert not ComputeSlot.objects.filter(job=job).exists()


@pytest.mark.django_db(transaction=True)
def test_patience_ends(start: StartJob) -> None:
    job_with_slots(start, CAPACITY)
    job = start(state=State.RUNNING)
    with pytest.raises(QueueFull, match="Start this again later"), hold_slots(job, ANALYSIS, poll=0.01, patience=0.05):
        pytest.fail("It got places although there are none.")


@pytest.mark.django_db(transaction=True)
def test_what_was_taken_on_before_waits_however_full_the_line_is(start: StartJob) -> None:
    job_with_slots(start, CAPACITY)
    for _ in range(QUEUE):
        waiting(start, ANALYSIS)
    job = start(state=State.RUNNING)
    with pytest.raises(QueueFull, match="5 jobs are waiting"), hold_slots(job, ANALYSIS, poll=0.01, patience=0.05):
        pytest.fail("It got places although there are none.")
    told: list[int] = []
    with (
        pytest.raises(QueueFull, match="No compute slot became free"),
        hold_slots(job, ANALYSIS, insists=True, tell=lambda kinds: told.append(len(kinds)), poll=0.01, patience=0.05),
    ):
        pytest.fail("It got places although there are none.")
    assert told == [QUEUE + 1]


@pytest.mark.django_db(transaction=True)
def test_of_many_that_ask_at_once_five_may_wait(start: StartJob) -> None:
    jobs = [start() for _ in range(2 * QUEUE)]
    together, told = threading.Barrier(len(jobs)), []

    def ask(job: Job) -> None:
        try:
            connection.ensure_connection()
            together.wait()
            request_slots(job, ANALYSIS)
            told.append("wait")
        except QueueFull:
            told.append("busy")
        finally:
            connection.close()

    threads = [threading.Thread(target=ask, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == ["busy"] * QUEUE + ["wait"] * QUEUE
    assert ComputeSlot.objects.count() == QUEUE


@pytest.mark.django_db(transaction=True)
def test_never_more_than_three_places_are_taken_at_once(start: StartJob) -> None:
    jobs = [start(state=State.RUNNING) for _ in range(QUEUE)]
    most, done = [0], []
    lock = threading.Lock()

    def work(job: Job, needs: int) -> None:
        try:
            with hold_slots(job, needs, poll=0.01, patience=30):
                taken = ComputeSlot.objects.aggregate(all=Sum("places"))["all"]
                with lock:
                    most[0] = max(most[0], taken)
                time.sleep(0.02)
            done.append(job.pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(job, 1 + n % 2)) for n, job in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == len(jobs)
    assert 0 < most[0] <= CAPACITY
    assert not ComputeSlot.objects.exists()
