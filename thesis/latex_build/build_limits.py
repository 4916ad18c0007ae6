"""The limits of a build: passes of LaTeX, time, memory, disk space and pages (SPEC T6)."""

from typing import NamedTuple

MOST_PASSES = 5


class Limits(NamedTuple):
    """What a build may use.

    `seconds` by the clock, `cpu` seconds and `memory` bytes of each process, `file_size` bytes written, `pages`, and
    `after_error` seconds to find more errors after the first.
    """

    seconds: float = 120
    cpu: int = 120
    memory: int = 2 << 30
    file_size: int = 200 << 20
    pages: int = 3_000
    after_error: float = 10
