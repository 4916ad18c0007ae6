"""From `manage.py up` to the first page, the second time: the database and the demo thesis are there."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.benchmarks.figure import Figure
from tests.servers.processes import environment, free_port, manage, until

TARGET = 5.0
LONG = 120.0


def answers(address: str) -> bool:
    try:
        return httpx.get(address, trust_env=False).is_success
    except httpx.TransportError:
        return False


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, list[Figure]]]:
    """A running Scholium: its address, and how long its first and its second start took."""
    env = environment(folder / "scholium.sqlite3", folder, SCHOLIUM_TEST_STATIC=str(folder / "static"))
    took = []
    for last in (False, True):
        port = free_port()
        address = f"http://127.0.0.1:{port}"
        start = time.perf_counter()
        with manage("up", "--port", str(port), env=env, log=folder / "log"):
            until(lambda at=f"{address}/accounts/login/": answers(at), LONG, "the first page")  # type: ignore[misc]
            took.append(time.perf_counter() - start)
            until(lambda at=f"{address}/readyz": answers(at), LONG, "the worker")  # type: ignore[misc]
            if last:
                yield (
                    address,
                    [
                        Figure("first start, with database and demo thesis", took[0], "s"),
                        Figure("second start, until the first page", took[1], "s", TARGET),
                    ],
                )
