"""A process of its own that looks up works: `python -m tests.sources.ask_client PREFIX NUMBER`."""

import asyncio
import sys

import django

django.setup()

from sources import crossref  # noqa: E402
from sources.http_client import Client  # noqa: E402
from sources.work import Failed  # noqa: E402


async def ask(prefix: str, number: int) -> None:
    async with Client() as client:
        outcomes = await asyncio.gather(*(crossref.lookup(client, f"10.5555/{prefix}.{n}") for n in range(number)))
    failed = [outcome.why for outcome in outcomes if isinstance(outcome, Failed)]
    if failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    asyncio.run(ask(sys.argv[1], int(sys.argv[2])))
