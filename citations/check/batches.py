"""Look-ups that a registry answers many at a time, gathered from whoever asks for them (SPEC C3)."""

import asyncio
from collections.abc import Awaitable, Callable

from jobs.models import JobSignal
from sources.work import Batch, Found, NothingFound, Outcome

AskMany = Callable[[list[str]], Awaitable[Batch]]


class Batches:
    """Collects the identifiers that are asked for while a request is under way, and asks for them together.

    At most `most` in one request and `at_once` requests at a time. Each identifier is asked for once, however many want
    it. A request that raises is asked again in halves, so that what one identifier does to the code costs it alone.
    """

    def __init__(self, ask_many: AskMany, most: int, at_once: int = 1) -> None:
        self.ask_many, self.most, self.at_once = ask_many, most, at_once
        self._answers: dict[str, asyncio.Future[Outcome]] = {}
        self._waiting: list[str] = []
        self._workers: set[asyncio.Task[None]] = set()

    async def ask(self, value: str) -> Outcome:
        """What the registry says of `value`; raises what asking for it raised."""
        if value not in self._answers:
            self._answers[value] = asyncio.get_running_loop().create_future()
            self._waiting.append(value)
            if len(self._workers) < self.at_once:
                worker = asyncio.create_task(self._work())
                self._workers.add(worker)
                worker.add_done_callback(self._workers.discard)
        # Shielded: others may wait for the same answer.
        return await asyncio.shield(self._answers[value])

    async def close(self) -> None:
        """End what is under way."""
        workers = list(self._workers)
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        for answer in self._answers.values():
            answer.cancel()

    async def _work(self) -> None:
        await asyncio.sleep(0)  # everybody who is ready to ask comes first
        while self._waiting:
            part, self._waiting = self._waiting[: self.most], self._waiting[self.most :]
            await self._ask(part)

    async def _ask(self, part: list[str]) -> None:
        try:
            batch = await self.ask_many(part)
            outcomes = [_outcome(batch, value) for value in part]
        except Exception as error:
            if len(part) == 1 or isinstance(error, JobSignal):
                for value in part:
                    self._answers[value].set_exception(error)
                return
            half = len(part) // 2
            await self._ask(part[:half])
            await self._ask(part[half:])
        else:
            for value, outcome in zip(part, outcomes, strict=True):
                self._answers[value].set_result(outcome)


def _outcome(batch: Batch, value: str) -> Outcome:
    """What a batch says of one identifier. Raises KeyError where it forgot it: nothing is known then."""
    if work := batch.found.get(value):
        return Found((work,), 1)
    return NothingFound() if value in batch.missing else batch.failed[value]
