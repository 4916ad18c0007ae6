"""Two requests that meet in the middle, each with a connection of its own."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

MEETING = 0.4  # seconds until those that began are taken to wait for the transaction they met


class Other:
    """`does`, called in a thread with a connection of its own.
    `outcome` is what it gave, or the error it ended with."""

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
        """Whether it is not done `seconds` from now."""
        self.thread.join(seconds)
        return self.thread.is_alive()

    def ended(self) -> Any:
        self.thread.join(20)
        assert not self.thread.is_alive(), "It waits for ever."
        return self.outcome


@contextmanager
def meeting(*others: Callable[[], Any]) -> Iterator[list[Other]]:
    """A transaction, begun with what the block does, that `others` meet when the block asks for them.

    with meeting(saving, moving) as met: the block has done its part; on leaving it, `others` run until they wait or are
    done, and then the transaction is committed. `met` has them, ended.
    """
    met: list[Other] = []
    with transaction.atomic():
        yield met
        met.extend(Other(other) for other in others)
        for other in met:
            other.waits(MEETING / len(met))
    for other in met:
        other.ended()
