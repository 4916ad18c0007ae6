"""The journal: stored answers, so that an answered call is never made again (SPEC R16).

    answer = await journal.step("1.2/research/1", "model", request, call, record)

If the step has a stored response, it is returned and nothing else happens. Otherwise `call` is awaited and, in one
transaction, its response is stored and `record` writes everything derived from it: rows, provenance, events. Answers
that arrive together share a transaction. So a run that is killed at any moment and started again does exactly what was
missing. A call under way leaves no trace until it is answered.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Any

from asgiref.sync import sync_to_async
from django.db import transaction
from django.utils import timezone

from core.fast_sql import insert
from core.storable_text import storable
from jobs.models import Job, LockedJob
from jobs.work import raise_if_stopped
from research.journal.provenance import digest
from research.models import Run, Step

Response = dict[str, Any]
ASK_EVERY = 0.25  # seconds between two checks whether the job is to pause, however many calls begin meanwhile
GIVEN_UP_KEY = "left"  # key of the last step of a follow-up that could not be done
STEP_TIMEOUT = 60.0  # seconds that a recorded step waits for its turn, which never comes if the journal was rearranged


class Diverged(Exception):
    """Error: a stored step was requested with another request, so the run no longer matches its journal."""


class StepNotRecorded(Diverged):
    """Error: a step was requested that the recorded journal does not have."""


class Journal:
    """The steps of a run: answers from the database, or from new calls, of which a limited number run at once."""

    def __init__(self, run: Run, job: Job, at_once: int) -> None:
        """Allow `at_once` calls of `run` at the same time."""
        self.run, self.job = run, job
        self.at_once = at_once
        self.free = asyncio.Semaphore(at_once)
        self.under_way = 0  # calls
        self.unstored = 0  # answers that are not stored yet
        self.asked_at = -ASK_EVERY  # when the job's row was last checked for a pause, by the monotonic clock
        self.is_wanted = True  # False once the job's row is known to ask for a pause or an end
        # Called at the end of each transaction that stores a step, to write events and log entries with it.
        self.before_commit: Callable[[LockedJob], None] = lambda held: None
        # Request hashes of the stored steps, by key. Only the attempt with the lease adds steps, so they are read once.
        self.hashes: dict[str, str] | None = None
        self.waiting: list[_Answered] = []
        self.storing = asyncio.Lock()
        # Why an answer could not be stored. The state in memory may then refer to rows that were rolled back, so this
        # attempt asks and stores nothing more; the next one starts from the rows.
        self.failure: Exception | None = None
        self.prefix = ""  # put before the keys of all steps while a follow-up is worked on
        # Whether the run is finished: its own steps are then used as stored, even if their requests would differ now.
        self.is_closed = False

    @contextmanager
    def under(self, prefix: str) -> Iterator[None]:
        """Put `prefix` before the key of each step, for follow-ups on a run that already has such steps (R17)."""
        self.prefix = prefix
        try:
            yield
        finally:
            self.prefix = ""

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for a free place for a call, and occupy it.

        Raises Paused, Cancelled or LeaseLost instead if the job is to stop, or the error of an answer that could not be
        stored.
        """
        async with self.free:
            while self.under_way + self.unstored >= self.at_once:
                # Unstored answers count too: like calls under way they are lost if this process dies.
                async with self.storing:
                    pass
            self.under_way += 1
            try:
                if self.failure is not None:
                    raise self.failure
                if not self.is_wanted or monotonic() - self.asked_at > ASK_EVERY:
                    self.asked_at = monotonic()
                    await self.still_wanted()
                yield
            finally:
                self.under_way -= 1

    async def still_wanted(self) -> None:
        """Raise Paused, Cancelled or LeaseLost if the job is to stop."""
        await sync_to_async(raise_if_stopped)(self.job)

    async def step(
        self,
        key: str,
        kind: str,
        request: Any,
        call: Callable[[], Awaitable[Response]],
        record: Callable[[Response], None] | None = None,
        *,
        takes_places: bool = False,
    ) -> Response:
        """Return the response to `request` under `key` (unique in the run, at most 200 characters).

        `kind` is model, search, fetch, read or note. `request` is JSON; only its hash is stored. With `takes_places`
        the call takes a place for each of its own requests instead of one for its whole duration. Raises what `place`
        raises, Diverged if `key` was stored for another request or a finished run has no such step, and whatever `call`
        raises (nothing is stored then).
        """
        key, wanted = self.prefix + key, digest(request)
        if self.hashes is None or key in self.hashes or self.is_closed:
            stored = await sync_to_async(self._stored)(key, wanted)
            if stored is not None:
                return stored
        async with nullcontext() if takes_places else self.place():
            started = timezone.now()
            response: Response = storable(await call())
        await self._finish(_Answered(key, kind, wanted, started, response, record))
        return response

    def _stored(self, key: str, wanted: str) -> Response | None:
        if self.hashes is None:
            self.hashes = dict(self.run.steps.values_list("key", "request_hash"))
        is_closed = self.is_closed and not self.prefix
        if key not in self.hashes:
            if is_closed:
                raise Diverged(f"The run was finished without a step {key}.")
            return None
        if self.hashes[key] != wanted and not is_closed:
            raise Diverged(f"Step {key} was stored for another request.")
        response: Response = self.run.steps.values_list("response", flat=True).get(key=key)
        return response

    async def _finish(self, answered: "_Answered") -> None:
        """Store an answer. Answers that arrive while others are being stored wait, and are then stored together."""
        self.waiting.append(answered)
        self.unstored += 1
        try:
            async with self.storing:
                await self._store_with_others(answered)
        finally:
            self.unstored -= 1

    async def _store_with_others(self, answered: "_Answered") -> None:
        if failure := answered.failure or self.failure:
            raise failure
        if answered.is_stored:
            return
        batch, self.waiting = self.waiting, []
        try:
            await sync_to_async(self._store)(batch)
        except BaseException as failure:
            for one in batch:
                one.failure = failure
            if isinstance(failure, Exception):
                self.failure = failure
            raise
        for one in batch:
            one.is_stored = True

    def _store(self, batch: "list[_Answered]") -> None:
        with transaction.atomic():
            # The lease is checked inside the transaction: a worker that lost the job must not write anything more.
            held = self.job.hold(sure_of_lease=self.job.lease_by)
            self.is_wanted, self.asked_at = not held.wanted, monotonic()
            now = timezone.now()
            insert(
                Step,
                ("run_id", "key", "kind", "request_hash", "response", "started_at", "finished_at"),
                (
                    (self.run.pk, one.key, one.kind, one.request_hash, one.response, one.started_at, now)
                    for one in batch
                ),
            )
            for one in batch:
                if one.record is not None:
                    one.record(one.response)
            self.before_commit(held)


@dataclass(eq=False)
class _Answered:
    """The answer to a call, until it is stored."""

    key: str
    kind: str
    request_hash: str
    started_at: datetime
    response: Response
    record: Callable[[Response], None] | None
    is_stored: bool = False
    failure: BaseException | None = None


class ReplayJournal(Journal):
    """A journal for a replay: it answers from recorded steps and makes no calls.

    Steps are answered in the order in which they were stored, whoever asks first, so that everything that depends on
    that order comes out the same. `record` is called each time, since a replay creates all rows anew.
    """

    def __init__(self, run: Run, job: Job, stored: Iterable[Mapping[str, Any]]) -> None:
        super().__init__(run, job, at_once=1)
        self.stored = {step["key"]: step for step in stored}
        self.order = list(self.stored)
        self.answered = 0
        self.next = asyncio.Condition()

    async def step(
        self,
        key: str,
        kind: str,
        request: Any,
        call: Callable[[], Awaitable[Response]],
        record: Callable[[Response], None] | None = None,
        *,
        takes_places: bool = False,
    ) -> Response:
        """Return the recorded response. Raises Diverged if there is none, or it belongs to another request."""
        key = self.prefix + key
        step = self.stored.get(key)
        if step is None:
            await self._until_left()
            raise StepNotRecorded(f"Step {key} was not recorded.")
        if step["request_hash"] != digest(request):
            raise Diverged(f"Step {key} was recorded for another request.")
        response: Response = step["response"]
        async with self.next:
            try:
                async with asyncio.timeout(STEP_TIMEOUT):
                    await self.next.wait_for(lambda: self.order[self.answered] == key)
            except TimeoutError:
                raise Diverged(f"Step {key} is not in the order in which it was recorded.") from None
            await sync_to_async(self._record)(response, record)
            self.answered += 1
            self.next.notify_all()
        return response

    async def _until_left(self) -> None:
        """Wait until all recorded steps of a follow-up were answered, if it was given up at this point."""
        left = f"{self.prefix}{GIVEN_UP_KEY}"
        if not self.prefix or left not in self.stored:
            return
        async with self.next:
            with suppress(TimeoutError):
                async with asyncio.timeout(STEP_TIMEOUT):
                    await self.next.wait_for(lambda: self.order[self.answered :][:1] in ([], [left]))

    def _record(self, response: Response, record: Callable[[Response], None] | None) -> None:
        with transaction.atomic():
            held = self.job.hold()
            if record is not None:
                record(response)
            self.before_commit(held)
