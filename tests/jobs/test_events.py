"""Events are rows numbered without gaps, whoever writes them (SPEC P2)."""

import threading

import pytest
from django.db import connection, transaction

from jobs.consumers import render_event
from jobs.models import Job
from tests.jobs.conftest import StartJob

pytestmark = pytest.mark.postgres

WRITERS, EACH = 4, 50


@pytest.mark.django_db(transaction=True)
def test_four_writers_leave_no_gap(start: StartJob) -> None:
    job = start()
    trouble: list[BaseException] = []

    def write(writer: int) -> None:
        mine = Job.objects.get(pk=job.pk)
        try:
            for number in range(EACH):
                mine.emit("number", f"{writer}/{number}", counters={f"writer {writer}": number + 1})
        except BaseException as error:
            trouble.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    job.refresh_from_db()
    assert trouble == []
    assert list(job.events.values_list("seq", flat=True)) == list(range(1, WRITERS * EACH + 1))
    assert job.last_seq == WRITERS * EACH
    assert job.counters == {f"writer {writer}": EACH for writer in range(WRITERS)}
    for writer in range(WRITERS):  # and each writer's own order is kept
        told = [text for text in job.events.values_list("text", flat=True) if text.startswith(f"{writer}/")]
        assert told == [f"{writer}/{number}" for number in range(EACH)]


@pytest.mark.django_db(transaction=True)
def test_an_event_taken_back_takes_its_number_back(start: StartJob) -> None:
    job = start()
    job.emit("number", "1")
    with transaction.atomic():
        job.emit("number", "never")
        transaction.set_rollback(True)
    event = job.emit("number", "2")
    assert event.seq == 2
    assert list(job.events.values_list("text", flat=True)) == ["1", "2"]


def test_counters_are_merged_and_the_event_keeps_what_changed(start: StartJob) -> None:
    job = start()
    job.emit("number", "1", counters={"sources": 1, "findings": 0})
    event = job.emit("number", "2", counters={"findings": 3})
    job.emit("number", "3")
    job.refresh_from_db()
    assert job.counters == {"sources": 1, "findings": 3}
    assert event.counters == {"findings": 3}


def test_an_event_is_drawn_with_its_number_and_its_text_escaped(start: StartJob) -> None:
    event = start().emit(
        "thought", "<script>alert(1)</script>", node="1.2", details={"summary": "<b>", "lines": ["<img src=x>"]}
    )
    html = render_event(event)
    assert 'data-seq="1"' in html
    assert "#node-1.2" in html
    assert "&lt;script&gt;" in html
    assert all(tag not in html for tag in ("<script>", "<img", "<b>"))
