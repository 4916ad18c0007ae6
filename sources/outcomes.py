"""What asking a catalogue can come to. Failing and finding nothing are different answers (SPEC R11)."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from sources.work import Work


class Kind(StrEnum):
    """Why a catalogue did not answer."""

    RATE_LIMITED = "rate_limited"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    BROKEN = "broken"  # it answered with an error of its own
    RESTING = "resting"  # it failed several times and is left alone for a while
    REFUSED = "refused"  # it did not accept what was asked, or the key
    MISSING = "missing"  # there is nothing at this address
    UNREADABLE = "unreadable"  # an answer came and is not what was promised: a web page, another shape, half of it
    GIVEN_UP = "given_up"  # it was not asked any more in this run, since it had not answered again and again
    TOO_LARGE = "too_large"


@dataclass(frozen=True)
class Found:
    """`works`, never empty, in the provider's order; `total` as far as the provider says. `remarks` are for people."""

    works: tuple[Work, ...]
    total: int
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class NothingFound:
    """The provider was asked, answered, and has nothing."""

    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Failed:
    """No answer. `why` is a sentence for people; `retry_after` in seconds where the provider named it."""

    why: str
    retry_after: float | None = None
    kind: Kind = Kind.UNREACHABLE


@dataclass(frozen=True)
class Skipped:
    """The provider was not asked; `why` is a sentence for people."""

    why: str


Outcome = Found | NothingFound | Failed | Skipped


@dataclass(frozen=True)
class Batch:
    """Many look-ups at once, each by the id it was asked with: found, known to be missing, or failed."""

    found: dict[str, Work] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()
    failed: dict[str, Failed] = field(default_factory=dict)


def not_an_id(given: str, what: str) -> Failed:
    """For what somebody gave as an id; `what` ends the sentence: "not a DOI"."""
    return Failed(f"“{given[:80]}” is {what}.", None, Kind.REFUSED)


class Trouble(Exception):
    """A try that failed. `again` when another one may help, `after` seconds when the host named them."""

    def __init__(self, failed: Failed, *, again: bool = False, after: float | None = None) -> None:
        super().__init__(failed.why)
        self.failed, self.again, self.after = failed, again, after


class Unreadable(Exception):
    """An answer that came and is not what was promised. `again` when asking again may help."""

    def __init__(self, why: str, *, kind: Kind = Kind.UNREADABLE, again: bool = False) -> None:
        super().__init__(why)
        self.why, self.kind, self.again = why, kind, again


def of(
    works: Iterable[Work | None], sent: int, total: int | None = None, remarks: tuple[str, ...] = ()
) -> Found | NothingFound:
    """Found or NothingFound for an answer that listed `sent` entries.

    Raises Unreadable when entries came and none of them could be read, and when there are said to be works in an empty
    list: that is not "nothing found".
    """
    kept = tuple(work for work in works if work is not None)
    if sent and not kept:
        raise Unreadable("sent a list in which no work could be read")
    if not kept and total:
        raise Unreadable("told of works and sent none of them")
    return Found(kept, max(total or 0, len(kept)), remarks) if kept else NothingFound(remarks)
