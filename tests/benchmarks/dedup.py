"""500 sources of 20,000 characters come in, one in five of them nearly the same as an earlier one (SPEC R8)."""

import asyncio
import random
import time

from research.deduplication.same_work import KnownRecords
from sources.work import Work
from tests.benchmarks.figure import Figure, seconds

SOURCES, LENGTH, COPIED = 500, 20_000, 5  # every fifth is a copy with some words changed
TARGET = 2.0  # seconds


def pages(count: int = SOURCES, length: int = LENGTH) -> list[tuple[Work, str]]:
    """`count` web pages of about `length` characters, in words as unevenly common as those of a language."""
    dice = random.Random(8)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(dice.choices(letters, k=dice.randint(2, 9))) for _ in range(6_000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    made: list[list[str]] = []
    for number in range(count):
        if number % COPIED == COPIED - 1:
            copied = list(made[dice.randrange(len(made))])
            for place in dice.sample(range(len(copied)), len(copied) // 100):
                copied[place] = "alder"
            made.append(copied)
        else:
            made.append(dice.choices(words, weights, k=length // 5))
    texts = (" ".join(each)[:length] for each in made)
    return [(page(number), text) for number, text in enumerate(texts)]


def page(number: int) -> Work:
    url = f"https://page-{number}.example/text"
    return Work(provider="tavily", provider_id=url, url=url, title=f"Page {number}", type="webpage")


def merge(found: list[tuple[Work, str]]) -> KnownRecords:
    known = KnownRecords()
    merged = sum(known.add(str(number), work, text) is not None for number, (work, text) in enumerate(found))
    if merged != len(found) // COPIED:
        raise RuntimeError(f"{merged} of {len(found) // COPIED} copies were found.")
    return known


async def longest_block(found: list[tuple[Work, str]]) -> float:
    """The longest time in seconds for which nothing else was served while `found` was merged in a thread."""
    longest, last, over = 0.0, time.perf_counter(), asyncio.Event()

    async def tick() -> None:
        nonlocal longest, last
        while not over.is_set():
            await asyncio.sleep(0.001)
            longest, last = max(longest, time.perf_counter() - last), time.perf_counter()

    ticking = asyncio.create_task(tick())
    await asyncio.to_thread(merge, found)
    over.set()
    await ticking
    return longest


def measure() -> list[Figure]:
    found = pages()
    took = seconds(lambda: merge(found))
    again = [(work, f"{text} once more") for work, text in found]  # so that nothing of it is known yet
    compared = merge(pages(100)).compared
    what = f"{SOURCES} sources of {LENGTH:,} characters"
    return [
        Figure(f"{what} deduplicated", took, "s", TARGET, f"100 of them come to {compared} comparisons in full"),
        Figure(f"{what}, event loop held at most", asyncio.run(longest_block(again)) * 1000, "ms"),
    ]
