"""What a reader of any bibliography format gives back: the entries it could read and what it could not."""

import math
from dataclasses import dataclass, field
from typing import Any

Csl = dict[str, Any]
"""One work as CSL-JSON. Of ours in `custom`: `others` when its author list ends in "and others"; `retracted`; `bibtex`,
the BibTeX fields that CSL has no place for, as they were written."""


@dataclass(frozen=True)
class Entry:
    """One work. `key` is empty when the file gives none that can be cited; `bibtex` when it did not come as BibTeX."""

    key: str
    bibtex: str
    csl: Csl
    note: str = ""
    line: int = 1


@dataclass(frozen=True)
class Problem:
    """Something a person should look at. `line` counts from 1; `key` is empty when the entry has none."""

    line: int
    key: str
    message: str


@dataclass(frozen=True)
class Reading:
    entries: list[Entry] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def text_of(value: Any) -> str:
    """The text of a value of a CSL item: a string as it is, a number in digits, empty for everything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    if isinstance(value, float):
        return format(value, ".15g") if math.isfinite(value) else ""
    return str(value) if abs(value) < 10**100 else ""
