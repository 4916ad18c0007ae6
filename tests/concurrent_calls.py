"""Calls that run at the same time as a transaction, each on a database connection of its own."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

MEETING = 0.4  # seconds after which a call that still runs is taken to wait for the transaction


class Other:
    """A call of `does` in a thread with its own database connection.

    `outcome` is what it returned, or the exception it raised.
    """

    def __init__(self, does: Callable[[], Any]) -> None:
        self.does = does
        self.outcome: Any = None
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.outcome = self.does()
        except Exception as error:
            self.outcome = error
        finally:
            connection.close()

    def waits(self, seconds: float = MEETING) -> bool:
        """Wait up to `seconds` and return whether the call still runs."""
        self.thread.join(seconds)
        return self.thread.is_alive()

    def ended(self) -> Any:
        self.thread.join(20)
        assert not self.thread.is_alive(), "The call waits for ever."
        return self.outcome


@contextmanager
def meeting(*others: Callable[[], Any]) -> Iterator[list[Other]]:
    """Run the block in a transaction, start `others` at its end, and commit once they wait for it or are done.

    with meeting(saving, moving) as met:
        ...  # the first part, which `saving` and `moving` then meet

    After the block, `met` holds the calls, all of them ended.
    """
    met: list[Other] = []
    with transaction.atomic():
        yield met
        met.extend(Other(other) for other in others)
        for other in met:
            other.waits(MEETING / len(met))
    for other in met:
        other.ended()
