"""The journal: a call that was answered is never made again (SPEC R16).

    answer = await journal.step("1.2/research/1", "model", request, call, record)

If the step has a stored response, that is the answer and nothing else happens. Otherwise `call` is awaited
and, in one transaction, its response is stored and `record` writes what follows from it: rows, provenance,
events. So a run that is killed at any moment and started again makes up exactly what was missing.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from asgiref.sync import sync_to_async
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from jobs.models import Job
from jobs.work import asked_of
from research.models import Run, Step
from research.provenance import digest

Response = dict[str, Any]


class Diverged(Exception):
    """A stored step was asked for with another request: the run no longer is the one that was begun."""


class Unrecorded(Diverged):
    """A step was asked for that the journal of a run does not hold."""


class Journal:
    def __init__(self, run: Run, job: Job, at_once: int) -> None:
        """`at_once` calls may be under way at the same time, whatever asks for them."""
        self.run, self.job = run, job
        self.free = asyncio.Semaphore(at_once)

    async def step(
        self,
        key: str,
        kind: str,
        request: Any,
        call: Callable[[], Awaitable[Response]],
        record: Callable[[Response], None] | None = None,
    ) -> Response:
        """The response to `request` under `key` (unique in the run, at most 200 characters).

        `kind` is model, search, fetch, read or note. `request` is JSON and stored as its hash only. Raises Paused,
        Cancelled or LeaseLost before a new call when that is what is wanted of the job, Diverged when `key`
        was stored for another request, and whatever `call` raises (nothing is stored then).
        """
        wanted = digest(request)
        async with self.free:
            stored = await sync_to_async(self._begin)(key, kind, wanted)
            if stored is not None:
                return stored
            response = await call()
            await sync_to_async(self._finish)(key, response, record)
        return response

    def _begin(self, key: str, kind: str, wanted: str) -> Response | None:
        """The stored response, or None after noting that the call begins."""
        row = Step.objects.filter(run=self.run, key=key).first()
        if row is not None and row.request_hash != wanted:
            raise Diverged(f"Step {key} was stored for another request.")
        if row is not None and row.response is not None:
            response: Response = row.response
            return response
        asked_of(self.job)
        if row is None:
            Step.objects.create(
                run=self.run, key=key, kind=kind, request_hash=wanted, calls=1, started_at=timezone.now()
            )
        else:
            Step.objects.filter(pk=row.pk).update(calls=F("calls") + 1, started_at=timezone.now())
        return None

    def _finish(self, key: str, response: Response, record: Callable[[Response], None] | None) -> None:
        with transaction.atomic():
            # The lease is checked inside the transaction: a worker that lost the job must not write its end.
            held = Job.objects.select_for_update().filter(pk=self.job.pk, lease_by=self.job.lease_by).exists()
            if not held:
                asked_of(self.job)
            stored = Step.objects.filter(run=self.run, key=key, finished_at=None).update(
                response=response, finished_at=timezone.now()
            )
            if stored and record is not None:
                record(response)


class Recording(Journal):
    """A journal that only answers: for running again what was run before, with nothing else at hand.

    `record` is carried out each time, since the rows a run leaves are made anew.
    """

    def __init__(self, run: Run, job: Job, stored: Iterable[Mapping[str, Any]]) -> None:
        super().__init__(run, job, at_once=1)
        self.stored = {step["key"]: step for step in stored}

    async def step(
        self,
        key: str,
        kind: str,
        request: Any,
        call: Callable[[], Awaitable[Response]],
        record: Callable[[Response], None] | None = None,
    ) -> Response:
        """The recorded response. Raises Diverged when there is none, or it answered another request."""
        step = self.stored.get(key)
        if step is None:
            raise Unrecorded(f"Step {key} was not recorded.")
        if step["request_hash"] != digest(request):
            raise Diverged(f"Step {key} was recorded for another request.")
        response: Response = step["response"]
        if record is not None:
            await sync_to_async(record)(response)
        return response
