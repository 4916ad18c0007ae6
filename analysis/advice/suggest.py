"""Question and variables in, analysis and reason out (SPEC N4).

The law is the table of the reference on presenting results: what kind of variable it is decides first, Welch always for
means, ranks only for steps in an order or small and strongly skewed groups, Fisher only where counts force it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from analysis.advice import comparing, describing, relating
from analysis.advice.questions import LEVELS, QUESTIONS, Question
from analysis.advice.suggestion import Alternative, Facts, Suggestion, Variable, asks, cannot
from analysis.advice.understand import understood
from core.errors import Refused

__all__ = ["Alternative", "Facts", "Suggestion", "Variable", "suggest"]

NOTHING_KNOWN = Facts()


class Parts:
    """The variables of a question by role."""

    def __init__(self, variables: Sequence[Variable]) -> None:
        self.variables = variables

    def all(self, role: str) -> list[Variable]:
        return [one for one in self.variables if one.role == role]

    def one(self, role: str) -> Variable:
        return self.all(role)[0]

    def maybe(self, role: str) -> Variable | None:
        return next(iter(self.all(role)), None)


def _pool(name: str) -> Callable[[Parts, Facts], Suggestion]:
    return lambda parts, facts: describing.pool(name, {one.role: one for one in parts.variables})


_ANSWERS: dict[str, Callable[[Parts, Facts], Suggestion]] = {
    "describe": lambda parts, facts: describing.describe(parts.all("columns")),
    "characteristics": lambda parts, facts: describing.characteristics(parts.all("columns"), parts.maybe("group")),
    "normal": lambda parts, facts: describing.normal(parts.all("columns")),
    "differ": lambda parts, facts: comparing.differ(parts.one("outcome"), parts.one("group"), facts),
    "paired": lambda parts, facts: comparing.paired(parts.all("measures"), facts),
    "known": lambda parts, facts: comparing.known(parts.one("outcome")),
    "relate": lambda parts, facts: relating.relate(parts.one("x"), parts.one("y"), facts),
    "predict": lambda parts, facts: relating.predict(parts.one("outcome"), parts.all("predictors"), facts),
    "survive": lambda parts, facts: relating.survive(parts.one("time"), parts.one("event"), parts.all("by"), facts),
    "detect": lambda parts, facts: describing.detect(parts.one("test"), parts.one("reference")),
    "raters": lambda parts, facts: describing.raters(parts.all("raters")),
    "methods": lambda parts, facts: describing.methods(parts.one("first"), parts.one("second")),
    **{name: _pool(name) for name in describing.POOLED},
}


def suggest(question: str, variables: Sequence[Variable], facts: Facts = NOTHING_KNOWN) -> Suggestion:
    """The analysis that answers `question` of `variables`.

    `question` is a key of QUESTIONS or a sentence in which one is recognised. `facts` are what the values say, where
    that is known. Raises Refused, with a role as its field: code no_analysis where no analysis answers it, asks where
    something has to be said first, no_question where the words say too little.
    """
    asked = _asked(question)
    for role in asked.roles:
        _check(asked, role.id, [one for one in variables if one.role == role.id])
    found = _ANSWERS[asked.id](Parts(variables), facts)
    return replace(found, would_change=(*found.would_change, asked.beyond)) if asked.beyond else found


def _asked(question: str) -> Question:
    """The kind of question. Raises Refused where no analysis answers it, or it has to be asked what is meant."""
    if question in QUESTIONS:
        return QUESTIONS[question]
    found = understood(question)
    if found.absent:
        raise cannot(found.message, "intent")
    if found.asks:
        raise asks(found.asks, "intent")
    if found.kind not in QUESTIONS:
        raise Refused("Choose the kind of question that is nearest to yours.", field="intent", code="no_question")
    return QUESTIONS[found.kind]


def _check(question: Question, role_id: str, given: Sequence[Variable]) -> None:
    """The role has as many variables as it needs, of levels it takes."""
    role = next(role for role in question.roles if role.id == role_id)
    if not given and role.missing:
        raise asks(role.missing, role_id)
    if len(given) < role.least:
        needed = "" if role.least == 1 else f": at least {role.least} columns"
        raise cannot(f"{role.title} is missing{needed}.", role_id)
    if len(given) > role.most:
        at_most = "one column" if role.most == 1 else f"at most {role.most} columns"
        raise cannot(f"{role.title}: {at_most}, not {len(given)}.", role_id)
    if len({one.id for one in given}) < len(given):
        raise cannot(f"{role.title}: a column is named twice.", role_id)
    for one in given:
        if one.level not in LEVELS:
            raise cannot(f"Say what {one.said} is: kinds, steps in an order, or a number.", role_id)
        if role.asks_level and one.level not in role.accepts:
            raise cannot(
                f"{one.said} is {LEVELS[one.level].lower()}; {role.title.lower()} has to be {_either(role.accepts)}.",
                role_id,
            )


def _either(levels: Sequence[str]) -> str:
    words = [LEVELS[level].lower() for level in levels]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
