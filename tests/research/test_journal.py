"""A call that was answered is stored once, with what follows from it, and never made again (SPEC R16)."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import OperationalError, connection

import research.journal.journal
from core.concurrency import gather_all
from jobs.models import Job, LeaseLost
from jobs.work import Paused, claim
from projects.models import Project, User
from research.journal.journal import Diverged, Journal, ReplayJournal, Response, StepNotRecorded
from research.models import Run
from tests.start_run import start_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(project: Project, owner: User) -> Run:
    made = start_run(project, owner, "Does alder help?", profile="local-only", enqueue=False)
    assert claim(str(made.job_id), "here")
    return Run.objects.select_related("job").get(pk=made.pk)


def journal_of(run: Run, at_once: int = 8) -> Journal:
    return Journal(run, Job.objects.get(pk=run.job_id), at_once)


def answering(value: Any, asked: list[Any]) -> Callable[[], Awaitable[Response]]:
    async def call() -> Response:
        asked.append(value)
        return {"value": value}

    return call


def test_a_stored_answer_is_not_asked_for_again(run: Run) -> None:
    asked: list[Any] = []
    for _ in range(2):  # the second time by another attempt, which knows of the first by its rows alone
        response = async_to_sync(journal_of(run).step)("1/x", "model", {"q": 1}, answering(7, asked))
        assert response == {"value": 7}
    assert asked == [7]
    with pytest.raises(Diverged):
        async_to_sync(journal_of(run).step)("1/x", "model", {"q": 2}, answering(8, asked))


def test_answers_that_arrive_together_are_stored_together(run: Run) -> None:
    journal = journal_of(run)
    asked: list[Any] = []
    recorded: list[Response] = []
    inserts = 0

    def counting(execute: Any, sql: str, *rest: Any) -> Any:
        nonlocal inserts
        inserts += sql.startswith('INSERT INTO "research_step"')
        return execute(sql, *rest)

    async def all_at_once() -> list[Response]:
        return await gather_all(
            journal.step(f"1/{n}", "search", {"n": n}, answering(n, asked), recorded.append) for n in range(20)
        )

    with connection.execute_wrapper(counting):
        answers = async_to_sync(all_at_once)()
    assert [answer["value"] for answer in answers] == list(range(20))
    assert sorted(record["value"] for record in recorded) == list(range(20))
    assert run.steps.count() == 20
    assert inserts < 10, "most of them waited for one transaction and shared the next"


def test_what_cannot_be_recorded_is_not_stored(run: Run) -> None:
    """All that shared its transaction fail with it: none of them goes on as if it were stored."""
    journal = journal_of(run)
    gone_on: list[int] = []

    def refuse(_: Response) -> None:
        raise ValueError("no")

    async def one(n: int) -> None:
        await journal.step(f"1/{n}", "search", {}, answering(n, []), refuse if n == 3 else None)
        gone_on.append(n)

    async def all_at_once() -> None:
        await gather_all(one(n) for n in range(6))

    with pytest.raises(ValueError, match="no"):
        async_to_sync(all_at_once)()
    stored = set(run.steps.values_list("key", flat=True))
    assert "1/3" not in stored
    assert {f"1/{n}" for n in gone_on} <= stored


def test_after_an_answer_that_could_not_be_stored_none_is(run: Run) -> None:
    """What was kept in memory of the rows that were rolled back is wrong:
    the attempt is over with its first failure."""
    journal = journal_of(run)
    asked: list[Any] = []
    failed = asyncio.Event()

    def refuse(_: Response) -> None:
        raise OperationalError("deadlock detected")

    async def late() -> Response:
        await failed.wait()
        return {}

    async def step(key: str, call: Callable[[], Awaitable[Response]], record: Any = None) -> None:
        try:
            await journal.step(key, "search", {}, call, record)
        finally:
            failed.set()

    async def all_at_once() -> list[Any]:
        under_way = asyncio.create_task(step("1/late", late))
        await asyncio.sleep(0)  # it has its place
        outcomes: list[Any] = []
        outcomes += await asyncio.gather(step("1/a", answering(1, []), refuse), under_way, return_exceptions=True)
        outcomes += await asyncio.gather(step("1/next", answering(2, asked)), return_exceptions=True)
        return outcomes

    outcomes = async_to_sync(all_at_once)()
    assert [str(outcome) for outcome in outcomes] == ["deadlock detected"] * 3
    assert not asked, "a call is not paid for whose answer cannot be kept"
    assert not run.steps.exists()


def test_no_more_can_be_lost_at_once_than_there_are_places(run: Run) -> None:
    """An answer that is not stored yet is lost with its process, as a call under way is: it takes a place as well."""
    journal = journal_of(run, at_once=1)
    asked: list[Any] = []
    seen: list[list[Any]] = []

    def slow(_: Response) -> None:
        time.sleep(0.1)
        seen.append([*asked])

    async def all_at_once() -> None:
        await gather_all(journal.step(f"1/{n}", "model", {"n": n}, answering(n, asked), slow) for n in range(3))

    async_to_sync(all_at_once)()
    assert seen == [[0], [0, 1], [0, 1, 2]]


def test_nothing_is_asked_once_a_pause_is_wanted(run: Run) -> None:
    asked: list[Any] = []
    Job.objects.filter(pk=run.job_id).update(wanted="pause")
    with pytest.raises(Paused):
        async_to_sync(journal_of(run).step)("1/x", "model", {}, answering(1, asked))
    assert not asked


def test_an_attempt_that_lost_its_lease_stores_nothing(run: Run) -> None:
    journal = journal_of(run)

    async def taken_over() -> Response:
        await Job.objects.filter(pk=run.job_id).aupdate(lease_by="elsewhere")
        return {}

    with pytest.raises(LeaseLost):
        async_to_sync(journal.step)("1/x", "model", {}, taken_over)
    assert not run.steps.exists()


def test_what_no_database_takes_is_left_out(run: Run) -> None:
    async def odd() -> Response:
        return {"te\x00xt": ["a\x00b", "c\ud800d", 1, None]}

    assert async_to_sync(journal_of(run).step)("1/x", "model", {}, odd) == {"text": ["ab", "cd", 1, None]}
    assert run.steps.get().response == {"text": ["ab", "cd", 1, None]}


def test_a_recording_answers_in_the_order_in_which_it_was_made(run: Run) -> None:
    journal = journal_of(run)
    async_to_sync(journal.step)("1/b", "search", {}, answering("b", []))
    async_to_sync(journal.step)("1/a", "search", {}, answering("a", []))
    stored = list(run.steps.order_by("id").values("key", "request_hash", "response"))
    told: list[str] = []

    async def again(steps: list[Any]) -> None:
        recording = ReplayJournal(run, run.job, steps)
        await gather_all(
            recording.step(key, "search", {}, answering("new", []), lambda r: told.append(r["value"]))
            for key in ("1/a", "1/b")
        )

    async_to_sync(again)(stored)
    assert told == ["b", "a"]
    with pytest.raises(StepNotRecorded):
        async_to_sync(again)(stored[:1])


def test_a_rearranged_recording_is_noticed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(research.journal.journal, "STEP_TIMEOUT", 0.05)
    journal = journal_of(run)
    for name in "ab":
        async_to_sync(journal.step)(f"1/{name}", "search", {}, answering(name, []))
    stored = list(run.steps.order_by("-id").values("key", "request_hash", "response"))

    async def again() -> None:
        await ReplayJournal(run, run.job, stored).step("1/a", "search", {}, answering("new", []))

    with pytest.raises(Diverged, match="not in the order"):
        asyncio.run(again())
