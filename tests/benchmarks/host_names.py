"""Pages of a site whose name does not resolve, one behind another, as in a run (SPEC R18)."""

import asyncio
from collections.abc import Sequence

from sources.address_guard import Resolve, Unresolved
from sources.fetch_page import fetch
from sources.host_names import HostNames
from tests.benchmarks.figure import Figure, seconds

PAGES, SLOW = 6, 0.5  # seconds until the resolver says that there is no such name


async def _resolve(host: str, port: int) -> Sequence[str]:
    await asyncio.sleep(SLOW)
    raise Unresolved(host)


async def _pages(resolve: Resolve) -> None:
    for number in range(PAGES):
        await fetch(f"http://gone.example/{number}", resolve=resolve)


def measure() -> list[Figure]:
    """Each name asked for once, and beside it for each page and its robots.txt."""
    ours = seconds(lambda: asyncio.run(_pages(HostNames(_resolve))))
    each = seconds(lambda: asyncio.run(_pages(_resolve)))
    name = f"{PAGES} pages of a name that does not resolve, known after {SLOW:g} s"
    return [Figure(name, ours, "s", 2 * SLOW), Figure("the same, looked up for each page and robots.txt", each, "s")]
