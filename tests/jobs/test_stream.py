"""The socket of a job: every row once, in order, from the row after the last one seen (SPEC P2, P3)."""

import asyncio
import threading
from uuid import UUID, uuid4

import pytest
from channels.db import database_sync_to_async
from django.db import OperationalError

from jobs.consumers import TICK, EventTail
from projects.models import Membership, Project, User
from tests.jobs.conftest import PATIENT, Listener, StartJob, emit_events, emit_events_async

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("with_and_without_redis"),
]

EVENTS, RECONNECTS = 1000, 5
CLOSED = {"type": "websocket.close", "code": 4404}


async def test_what_came_before_and_what_comes_now(start: StartJob, listener: Listener) -> None:
    job = await database_sync_to_async(start)()
    await emit_events_async(job, 3)
    assert (await listener.connect(job.pk))[0]
    assert await listener.numbers(3) == [1, 2, 3]
    await emit_events_async(job, 2)
    assert await listener.numbers(2) == [4, 5]
    assert await listener.line.receive_nothing(timeout=0.3)
    await listener.leave()


async def test_a_row_as_the_browser_gets_it(start: StartJob, listener: Listener) -> None:
    job = await database_sync_to_async(start)()
    await database_sync_to_async(job.emit)("thought", "a < b", node="1.2", counters={"sources": 4})
    await listener.connect(job.pk)
    row = await listener.next()
    assert sorted(row) == ["counters", "html", "kind", "node", "seq", "text", "try"]
    assert (row["kind"], row["text"], row["node"], row["counters"]) == ("thought", "a < b", "1.2", {"sources": 4})
    assert "a &lt; b" in row["html"]
    await database_sync_to_async(job.emit)("draft_text", "Seven", details={"try": 2})
    piece = await listener.next()
    assert (piece["text"], piece["try"], piece["html"]) == ("Seven", 2, "")
    await listener.leave()


async def test_only_what_comes_after_the_number_seen(start: StartJob, listener: Listener) -> None:
    job = await database_sync_to_async(start)()
    await emit_events_async(job, 6)
    await listener.connect(job.pk, "?after=4")
    assert await listener.numbers(2) == [5, 6]
    await listener.leave()


@pytest.mark.sample(3)
@pytest.mark.parametrize("query", ["?after=", "?after=-1", "?after=x", "?after=1e3", "?after=" + "9" * 40, "?before=2"])
async def test_a_number_that_is_none_means_from_the_beginning(start: StartJob, listener: Listener, query: str) -> None:
    job = await database_sync_to_async(start)()
    await emit_events_async(job, 2)
    await listener.connect(job.pk, query)
    assert await listener.numbers(2) == [1, 2]
    await listener.leave()


@pytest.mark.long
async def test_a_thousand_events_and_five_broken_lines(start: StartJob, listener: Listener) -> None:
    """A line breaks while rows are on their way; what was not read is sent again, and nothing else is."""
    job = await database_sync_to_async(start)()
    writer = threading.Thread(target=emit_events, args=(job, EVENTS))
    writer.start()
    seen: list[int] = []
    for part in range(RECONNECTS + 1):
        await listener.connect(job.pk, f"?after={seen[-1] if seen else 0}")
        upto = EVENTS * (part + 1) // (RECONNECTS + 1)
        seen += await listener.numbers(upto - len(seen))
        await listener.leave()
    await asyncio.to_thread(writer.join)
    assert seen == list(range(1, EVENTS + 1))


async def test_two_listeners_get_the_same(start: StartJob, owner: User, reader: User) -> None:
    job = await database_sync_to_async(start)()
    both = [await database_sync_to_async(Listener)(user) for user in (owner, reader)]
    for listener in both:
        await listener.connect(job.pk)
    await emit_events_async(job, 20)
    assert [await listener.numbers(20) for listener in both] == [list(range(1, 21))] * 2
    for listener in both:
        await listener.leave()


async def test_strangers_nobody_and_nothing_are_closed_alike(start: StartJob, outsider: User) -> None:
    job = await database_sync_to_async(start)()
    stranger, nobody = await database_sync_to_async(Listener)(outsider), Listener(None)
    await emit_events_async(job, 2)
    for listener in (stranger, nobody):
        for job_id in (job.pk, uuid4()):
            await listener.connect(job_id)
            assert await listener.line.receive_output(timeout=PATIENT) == CLOSED, "the first thing heard is the end"
            await emit_events_async(job, 1)
            assert await listener.line.receive_nothing(timeout=2 * TICK)


async def test_a_socket_is_open_before_the_database_answers(start: StartJob, listener: Listener) -> None:
    """The server gives up on a socket that is not accepted within five seconds."""
    job = await database_sync_to_async(start)()
    go_on = threading.Event()
    busy = asyncio.create_task(database_sync_to_async(go_on.wait)(PATIENT))  # the thread in which the database is asked
    await asyncio.sleep(0)
    assert (await listener.connect(job.pk))[0]
    assert not busy.done()
    go_on.set()
    assert await busy
    await listener.leave()


async def test_one_person_has_so_many_sockets(
    start: StartJob, owner: User, reader: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.consumers.MOST_SOCKETS", 2)
    job = await database_sync_to_async(start)()
    await emit_events_async(job, 1)
    mine = [await database_sync_to_async(Listener)(owner) for _ in range(3)]
    for listener in mine:
        await listener.connect(job.pk)
    assert [await one.numbers(1) for one in mine[:2]] == [[1], [1]]
    assert await mine[2].line.receive_output(timeout=PATIENT) == {"type": "websocket.close", "code": 4429}
    other = await database_sync_to_async(Listener)(reader)
    await other.connect(job.pk)
    assert await other.numbers(1) == [1]
    await mine[0].leave()
    await mine[2].connect(job.pk)
    assert await mine[2].numbers(1) == [1]
    for listener in (*mine[1:], other):
        await listener.leave()


async def test_what_a_browser_sends_is_ignored(start: StartJob, listener: Listener) -> None:
    job = await database_sync_to_async(start)()
    await listener.connect(job.pk)
    for text in ("{not json", '{"type": "websocket.close"}', "[]"):
        await listener.line.send_to(text_data=text)
    await listener.line.send_to(bytes_data=b"\xff\x00")
    await emit_events_async(job, 1)
    assert await listener.numbers(1) == [1]
    await listener.leave()


async def test_who_leaves_the_project_hears_nothing_more(start: StartJob, project: Project, reader: User) -> None:
    job = await database_sync_to_async(start)()
    listener = await database_sync_to_async(Listener)(reader)
    await listener.connect(job.pk)
    await emit_events_async(job, 1)
    assert await listener.numbers(1) == [1]
    await database_sync_to_async(Membership.objects.filter(project=project, user=reader).delete)()
    await emit_events_async(job, 1)
    assert await listener.line.receive_output(timeout=PATIENT) == CLOSED


async def test_a_new_password_ends_the_sockets_of_other_sessions(start: StartJob, owner: User, reader: User) -> None:
    job = await database_sync_to_async(start)()
    ended, other = [await database_sync_to_async(Listener)(user) for user in (owner, reader)]
    for listener in (ended, other):
        await listener.connect(job.pk)
    owner.set_password("alder roots fix nitrogen")
    await database_sync_to_async(owner.save)()
    await emit_events_async(job, 1)
    assert await ended.line.receive_output(timeout=PATIENT) == CLOSED
    assert await other.numbers(1) == [1]
    await other.leave()


async def test_a_database_that_does_not_answer_is_asked_again(start: StartJob) -> None:
    """A watcher whose rows did not come once is still told the next time."""

    class Unlucky:
        sent, tries = 0, 0

        def __init__(self, job_id: UUID) -> None:
            self.job_id, self.drained = job_id, asyncio.Event()

        async def drain(self) -> None:
            self.tries += 1
            if self.tries == 1:
                raise OperationalError("database is locked")
            self.sent = 1
            self.drained.set()

    job = await database_sync_to_async(start)()
    await emit_events_async(job, 1)
    watcher, tail = Unlucky(job.pk), EventTail()
    tail.watch(watcher)
    await asyncio.wait_for(watcher.drained.wait(), PATIENT)
    assert watcher.tries == 2
    tail.forget(watcher)
    assert tail.task is not None
    await asyncio.wait_for(tail.task, PATIENT)  # nobody watches, so it ends
