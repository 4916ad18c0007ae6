"""What a piece of advice is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.advice.questions import NAMES
from core.errors import Refused

SMALL = 30  # values in a group, below which strong skew matters (Welch against ranks)
MOST_GROUPS = 20  # that are compared at once; above it, a variable is no grouping


@dataclass(frozen=True)
class Variable:
    """A column as it stands in a question.

    `role` is one of the question's, `level` a key of questions.LEVELS as a person confirmed it, `groups` how many
    different values it has. `name` is what people call it; `as_number` whether R takes it as one number whatever its
    level, since its type is one.
    """

    id: str
    role: str
    level: str
    groups: int = 0
    name: str = ""
    as_number: bool = False

    @property
    def said(self) -> str:
        return f"“{self.name or self.id}”"

    @property
    def is_yes_no(self) -> bool:
        return self.groups == 2


@dataclass(frozen=True)
class Facts:
    """What the values themselves say, as far as it decides anything; None where it is not known.

    `smallest` is the number of values in the smallest group (or of pairs), `skewed` whether a group is strongly skewed
    or has far outliers, `least_expected` the smallest expected count of the table, `events` how often the outcome is
    the rarer one, `is_count` whether the outcome looks like a count of things (0, 1, 2 ...). `event_values` are the values
    of a status; `event` which of them is the event, and `others` what the other ones are ("censored", "competing"), as
    somebody said.
    """

    smallest: int | None = None
    skewed: bool = False
    least_expected: float | None = None
    events: int | None = None
    is_count: bool = False
    event_values: Sequence[str] = ()
    event: str = ""
    others: str = ""

    @property
    def wants_ranks(self) -> bool:
        """Clearly skewed and small: the one shape in which ranks are advised for a number (Rasch 2009)."""
        return self.skewed and self.smallest is not None and self.smallest < SMALL


@dataclass(frozen=True)
class Alternative:
    """Another analysis of the same variables, and in words `when` it is the better one."""

    analysis: str
    when: str
    params: Mapping[str, Any]

    @property
    def name(self) -> str:
        return NAMES[self.analysis]


@dataclass(frozen=True)
class Suggestion:
    """The analysis that answers a question, why, and what would change that.

    `params` are those of the R service, by column ids, options included where the advice needs one. `notes` are what
    should be minded before it runs.
    """

    analysis: str
    reason: str
    params: Mapping[str, Any]
    would_change: Sequence[str] = ()
    alternatives: Sequence[Alternative] = ()
    notes: Sequence[str] = ()

    @property
    def name(self) -> str:
        return NAMES[self.analysis]


def cannot(message: str, role: str) -> Refused:
    """That no analysis here answers this; `role` is the part of the question it is about."""
    return Refused(message, field=role, code="no_analysis")


def asks(message: str, role: str) -> Refused:
    """That something has to be said before an analysis can be named."""
    return Refused(message, field=role, code="asks")


def counted_groups(variable: Variable, *, most: int = MOST_GROUPS) -> int:
    """Return how many groups `variable` makes. Raises Refused when it makes none, or more than can be compared."""
    if variable.groups < 2:
        raise cannot(
            f"{variable.said} has {'one value only' if variable.groups else 'no values'}. To compare, it needs at least 2 groups.",
            variable.role,
        )
    if variable.groups > most:
        raise cannot(
            f"{variable.said} has {variable.groups} different values, too many groups to compare. "
            "Ask whether two things go together, or make fewer groups of it.",
            variable.role,
        )
    return variable.groups
