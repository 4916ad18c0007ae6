"""Doing several things at once, all or nothing."""

import asyncio
from collections.abc import Awaitable, Iterable
from typing import TypeVar

T = TypeVar("T")


async def together(works: Iterable[Awaitable[T]]) -> list[T]:
    """Return what all of `works` give, in their order, done at the same time.

    When one ends in an exception the others are stopped before it goes on its way, so that nothing is written after
    a run has come to its end.
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
        raise first from first.__cause__  # by which a database's error is told apart
    return [task.result() for task in tasks]
