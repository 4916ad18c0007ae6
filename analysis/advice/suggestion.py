"""The data classes of a suggestion: variables, facts about them, the suggested analysis and alternatives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.advice.question_catalogue import ANALYSIS_NAMES
from core.errors import Refused

SMALL = 30  # values in a group below which strong skew matters (Welch's test or ranks)
MOST_GROUPS = 20  # groups that can be compared; a variable with more does not define groups


@dataclass(frozen=True)
class Variable:
    """A column in a question.

    `role` is one of the question's roles, `level` the confirmed key of questions.LEVELS, `groups` the number of
    different values, `name` its name. `as_number` is True when R treats it as a number whatever its level, because its
    type is numeric.
    """

    id: str
    role: str
    level: str
    groups: int = 0
    name: str = ""
    as_number: bool = False

    @property
    def said(self) -> str:
        """The name in quotation marks."""
        return f"“{self.name or self.id}”"

    @property
    def is_yes_no(self) -> bool:
        """Whether it has two values."""
        return self.groups == 2


@dataclass(frozen=True)
class Facts:
    """Facts about the values that affect the choice of an analysis; None where they are not known.

    `smallest` is the number of values in the smallest group (or of pairs), `skewed` whether a group is strongly skewed
    or has far outliers, `least_expected` the smallest expected count of the table, `events` the count of the rarer
    outcome, `is_count` whether the outcome looks like a count (0, 1, 2 ...). `event_values` are the values of a status;
    `event` is the one chosen as the event, and `others` what the user said of the others ("censored", "competing").
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
        """Whether a group is skewed and small, the only case in which ranks are advised for a number (Rasch 2009)."""
        return self.skewed and self.smallest is not None and self.smallest < SMALL


@dataclass(frozen=True)
class Alternative:
    """Another analysis of the same variables, and `when` it is the better choice."""

    analysis: str
    when: str
    params: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name of the analysis."""
        return ANALYSIS_NAMES[self.analysis]


@dataclass(frozen=True)
class Suggestion:
    """The analysis that answers a question, the reason, and what would change the choice.

    `params` are the parameters of the R service, with column ids, and with options where the suggestion needs one.
    `notes` are cautions to read before it runs.
    """

    analysis: str
    reason: str
    params: Mapping[str, Any]
    would_change: Sequence[str] = ()
    alternatives: Sequence[Alternative] = ()
    notes: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The name of the analysis."""
        return ANALYSIS_NAMES[self.analysis]


def no_analysis_error(message: str, role: str) -> Refused:
    """Return the error that no analysis answers this question; `role` is the part of the question it is about."""
    return Refused(message, field=role, code="no_analysis")


def clarification_error(message: str, role: str) -> Refused:
    """Return the error that the user must answer something before an analysis can be suggested."""
    return Refused(message, field=role, code="asks")


def group_count(variable: Variable, *, most: int = MOST_GROUPS) -> int:
    """Return the number of groups of `variable`. Raises Refused when there are fewer than 2, or more than `most`."""
    if variable.groups < 2:
        raise no_analysis_error(
            f"{variable.said} has {'only one value' if variable.groups else 'no values'}. "
            "A comparison needs at least 2 groups.",
            variable.role,
        )
    if variable.groups > most:
        raise no_analysis_error(
            f"{variable.said} has {variable.groups} different values, too many groups to compare. "
            "Ask whether two things go together, or combine its values into fewer groups.",
            variable.role,
        )
    return variable.groups
