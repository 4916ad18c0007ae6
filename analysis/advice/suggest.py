"""Suggests the analysis that answers a question with given variables, and the reason (SPEC N4).

The level of measurement decides first. Means are always compared by Welch's tests, ranks are used only for ordered
categories or small and strongly skewed groups, and Fisher's test only when expected counts are small.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from analysis.advice import associations, comparisons, descriptions
from analysis.advice.classify_question import classify_question
from analysis.advice.question_catalogue import LEVELS, QUESTIONS, Question, Role
from analysis.advice.suggestion import Alternative, Facts, Suggestion, Variable, clarification_error, no_analysis_error
from core.errors import Refused

__all__ = ["Alternative", "Facts", "Suggestion", "Variable", "suggest"]

NO_FACTS = Facts()


# The suggestion for each kind of question, from its variables by role and the facts about their values.
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


def suggest(question: str, variables: Sequence[Variable], facts: Facts = NO_FACTS) -> Suggestion:
    """Return the analysis that answers `question` with `variables`.

    `question` is a key of QUESTIONS, or a sentence in which one is recognised. `facts` describe the values, where
    known. Raises Refused with a role as its field: code "no_analysis" when no analysis answers it, "asks" when the user
    must answer something first, "no_question" when the question is not recognised.
    """
    asked, parts = check_question(question, variables)
    found = _ANSWERS[asked.id](parts, facts) if asked.id in _ANSWERS else descriptions.pool(asked.id, parts)
    return replace(found, would_change=(*found.would_change, asked.beyond)) if asked.beyond else found


def check_question(question: str, variables: Sequence[Variable]) -> tuple[Question, dict[str, list[Variable]]]:
    """Return the kind of `question`, and the variables by its roles. Raises Refused as `suggest` does.

    It is called before anything is computed from the values, since a role may have too few or too many variables.
    """
    asked = _question_of(question)
    parts = {role.id: [one for one in variables if one.role == role.id] for role in asked.roles}
    for role in asked.roles:
        _check(role, parts[role.id])
    return asked, parts


def _question_of(question: str) -> Question:
    """Return the kind of question. Raises Refused when no analysis answers it, or its meaning is unclear."""
    if question in QUESTIONS:
        return QUESTIONS[question]
    found = classify_question(question)
    if found.absent:
        raise no_analysis_error(found.message, "intent")
    if found.asks:
        raise clarification_error(found.asks, "intent")
    if found.kind not in QUESTIONS:
        raise Refused("Choose the kind of question that is closest to yours.", field="intent", code="no_question")
    return QUESTIONS[found.kind]


def _check(role: Role, given: Sequence[Variable]) -> None:
    """Raise Refused unless the role has the right number of variables, of the right levels."""
    if not given and role.missing:
        raise clarification_error(role.missing, role.id)
    if len(given) < role.least:
        raise no_analysis_error(
            f"{role.title} is missing{'' if role.least == 1 else f': at least {role.least} columns'}.", role.id
        )
    if len(given) > role.most:
        raise no_analysis_error(
            f"{role.title}: {'one column' if role.most == 1 else f'at most {role.most} columns'}, not {len(given)}.",
            role.id,
        )
    if len({one.id for one in given}) < len(given):
        raise no_analysis_error(f"{role.title}: a column is chosen twice.", role.id)
    for one in given:
        if one.level not in LEVELS:
            raise no_analysis_error(
                f"Choose what {one.said} contains: unordered categories, ordered categories or a number.", role.id
            )
        if role.asks_level and one.level not in role.accepts:
            raise no_analysis_error(
                f"{one.said} contains {LEVELS[one.level].lower()}; {role.title.lower()} must be "
                f"{_either(role.accepts)}.",
                role.id,
            )


def _either(levels: Sequence[str]) -> str:
    words = [LEVELS[level].lower() for level in levels]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
