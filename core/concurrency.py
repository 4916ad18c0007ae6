"""Running several coroutines at once, all or nothing."""

import asyncio
from collections.abc import Awaitable, Iterable
from typing import TypeVar

T = TypeVar("T")


async def gather_all(works: Iterable[Awaitable[T]]) -> list[T]:
    """Run all of `works` concurrently and return their results in order.

    If one raises, the others are cancelled first and the exception is raised after that, so that nothing is written
    after a run has ended.
    """

    async def done(work: Awaitable[T]) -> T:
        return await work

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(done(work)) for work in works]
    except BaseExceptionGroup as failures:
        first: BaseException = failures
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from first.__cause__  # core.db_errors needs the cause of a database error
    return [task.result() for task in tasks]
