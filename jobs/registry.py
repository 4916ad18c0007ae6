"""Which function does a job of which kind.

An app registers its kinds in its `tasks.py`:

    @does("research")
    def research(job: Job) -> None: ...

The function does the work or raises one of jobs.work's signals; it may be called again for the same job after
a crash, so it must pick up where its rows say it stopped.
"""

from collections.abc import Callable
from typing import Any

_KINDS: dict[str, Callable[[Any], None]] = {}


def does(kind: str) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    def register(function: Callable[[Any], None]) -> Callable[[Any], None]:
        _KINDS[kind] = function
        return function

    return register


def function_for(kind: str) -> Callable[[Any], None]:
    """The function for `kind`. Raises LookupError for a kind nobody registered."""
    try:
        return _KINDS[kind]
    except KeyError:
        raise LookupError(f"No room does jobs of kind {kind!r}; known: {', '.join(sorted(_KINDS))}.") from None
