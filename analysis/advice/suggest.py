"""Question and variables in, analysis and reason out (SPEC N4).

The law is the table of the reference on presenting results: what kind of variable it is decides first, Welch always for
means, ranks only for steps in an order or small and strongly skewed groups, Fisher only where counts force it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from analysis.advice import associations, comparisons, descriptions
from analysis.advice.classify_question import understood
from analysis.advice.questions import LEVELS, QUESTIONS, Question, Role
from analysis.advice.suggestion import Alternative, Facts, Suggestion, Variable, asks, cannot
from core.errors import Refused

__all__ = ["Alternative", "Facts", "Suggestion", "Variable", "suggest"]

NOTHING_KNOWN = Facts()


# The analysis that answers each kind of question, from its variables by role and what the values say.
_ANSWERS: dict[str, Callable[[dict[str, list[Variable]], Facts], Suggestion]] = {
    "describe": lambda parts, facts: descriptions.describe(parts["columns"]),
    "characteristics": lambda parts, facts: descriptions.characteristics(parts["columns"], *parts["group"]),
    "normal": lambda parts, facts: descriptions.normal(parts["columns"]),
    "differ": lambda parts, facts: comparisons.differ(parts["outcome"][0], parts["group"][0], facts),
    "paired": lambda parts, facts: comparisons.paired(parts["measures"], facts),
    "known": lambda parts, facts: comparisons.known(parts["outcome"][0]),
    "relate": lambda parts, facts: associations.relate(parts["x"][0], parts["y"][0], facts),
    "predict": lambda parts, facts: associations.predict(parts["outcome"][0], parts["predictors"], facts),
    "survive": lambda parts, facts: associations.survive(parts["time"][0], parts["event"][0], parts["by"], facts),
    "detect": lambda parts, facts: descriptions.detect(parts["test"][0], parts["reference"][0]),
    "raters": lambda parts, facts: descriptions.raters(parts["raters"]),
    "methods": lambda parts, facts: descriptions.methods(parts["first"][0], parts["second"][0]),
}


def suggest(question: str, variables: Sequence[Variable], facts: Facts = NOTHING_KNOWN) -> Suggestion:
    """Return the analysis that answers `question` of `variables`.

    `question` is a key of QUESTIONS or a sentence in which one is recognised. `facts` are what the values say, where
    that is known. Raises Refused, with a role as its field: code no_analysis where no analysis answers it, asks where
    something has to be said first, no_question where the words say too little.
    """
    asked, parts = checked(question, variables)
    found = _ANSWERS[asked.id](parts, facts) if asked.id in _ANSWERS else descriptions.pool(asked.id, parts)
    return replace(found, would_change=(*found.would_change, asked.beyond)) if asked.beyond else found


def checked(question: str, variables: Sequence[Variable]) -> tuple[Question, dict[str, list[Variable]]]:
    """Return what `question` asks, and the variables of each of its roles. Raises Refused as `suggest`, where a role has too few
    or too many of them, say: so it is called before anything is computed of their values."""
    asked = _asked(question)
    parts = {role.id: [one for one in variables if one.role == role.id] for role in asked.roles}
    for role in asked.roles:
        _check(role, parts[role.id])
    return asked, parts


def _asked(question: str) -> Question:
    """Return the kind of question. Raises Refused where no analysis answers it, or it has to be asked what is meant."""
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


def _check(role: Role, given: Sequence[Variable]) -> None:
    """The role has as many variables as it needs, of levels it takes."""
    if not given and role.missing:
        raise asks(role.missing, role.id)
    if len(given) < role.least:
        raise cannot(
            f"{role.title} is missing{'' if role.least == 1 else f': at least {role.least} columns'}.", role.id
        )
    if len(given) > role.most:
        raise cannot(
            f"{role.title}: {'one column' if role.most == 1 else f'at most {role.most} columns'}, not {len(given)}.",
            role.id,
        )
    if len({one.id for one in given}) < len(given):
        raise cannot(f"{role.title}: a column is named twice.", role.id)
    for one in given:
        if one.level not in LEVELS:
            raise cannot(f"Say what {one.said} is: kinds, steps in an order, or a number.", role.id)
        if role.asks_level and one.level not in role.accepts:
            raise cannot(
                f"{one.said} is {LEVELS[one.level].lower()}; {role.title.lower()} has to be {_either(role.accepts)}.",
                role.id,
            )


def _either(levels: Sequence[str]) -> str:
    words = [LEVELS[level].lower() for level in levels]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
