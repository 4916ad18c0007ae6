"""Suggestions for correlations, regressions and the time until an event."""

from collections.abc import Sequence
from typing import Any

from analysis.advice.classify_question import UNSUPPORTED_BY_ID
from analysis.advice.comparisons import count_note, counts, differ
from analysis.advice.suggestion import (
    Alternative,
    Facts,
    Suggestion,
    Variable,
    clarification_error,
    group_count,
    no_analysis_error,
)
from core.errors import Refused

PER_PARAMETER = 10  # events for each predictor, below which a regression is unreliable
FOLLOWED = "If people were followed for different lengths of time: ask how long until it happens."


def relate(x: Variable, y: Variable, facts: Facts) -> Suggestion:
    """Return the analysis of a relation between two variables of the same people."""
    levels = {x.level, y.level}
    if levels == {"nominal"}:
        return counts(x, y, facts)
    if "nominal" in levels:
        group, outcome = (x, y) if x.level == "nominal" else (y, x)
        return differ(outcome, group, facts)
    for one in (x, y):
        if one.groups == 1:
            raise no_analysis_error(f"{one.said} is the same for everybody: nothing can go with it.", one.role)
    pearson, spearman = ({"x": x.id, "y": y.id, "options": {"method": method}} for method in ("pearson", "spearman"))
    cause = "It says nothing about which causes which."
    if "ordinal" in levels:
        return Suggestion(
            "correlation",
            f"{(x if x.level == 'ordinal' else y).said} has only an order, so ranks are correlated: "
            f"Spearman's coefficient. {cause}",
            spearman,
            (
                "If both are numbers with a linear relation: Pearson's coefficient.",
                "With few categories and many ties: Kendall's coefficient, in the options.",
            ),
        )
    return Suggestion(
        "correlation",
        f"Both are numbers: Pearson's coefficient shows how close their relation is to a line. {cause}",
        pearson,
        (
            "If one has only an order, or the relation rises but is not linear: Spearman's coefficient, in the "
            "options.",
            "To estimate how much one changes with the other, or to adjust for other variables: linear regression.",
            "If both measure the same thing: ask whether two ways of measuring agree.",
        ),
        (
            Alternative(
                "linear",
                "One of the two is the outcome, and you want to know by how much it changes.",
                {"outcome": y.id, "predictors": [x.id]},
            ),
        ),
    )


def predict(outcome: Variable, predictors: Sequence[Variable], facts: Facts) -> Suggestion:
    """Return the regression for an outcome: linear for a number, logistic for a yes or no."""
    if not predictors:
        raise no_analysis_error("Choose at least one variable that may predict it.", "predictors")
    if outcome.id in {one.id for one in predictors}:
        raise no_analysis_error(f"{outcome.said} cannot predict itself: remove it from one of the two.", "predictors")
    params = {"outcome": outcome.id, "predictors": [one.id for one in predictors]}
    adjusted = "" if len(predictors) == 1 else ", each with the others held fixed"
    if outcome.level == "numeric" and not (outcome.is_yes_no and outcome.groups):
        return Suggestion(
            "linear",
            f"{outcome.said} is a number: linear regression shows how much it changes with each predictor{adjusted}.",
            params,
            (f"If {outcome.said} is a yes or no: logistic regression.", FOLLOWED),
            notes=count_note(outcome, facts, "linear regression") + _too_few_note(facts.smallest, predictors, "rows"),
        )
    if not outcome.is_yes_no:
        group_count(outcome, most=1000)
        raise _no_regression(outcome)
    return Suggestion(
        "logistic",
        f"{outcome.said} is a yes or no: logistic regression gives an odds ratio for each predictor{adjusted}.",
        params,
        (f"If {outcome.said} is a number: linear regression.", FOLLOWED),
        (_unadjusted(outcome, predictors[0], facts),) if len(predictors) == 1 else (),
        _too_few_note(facts.events, predictors, "events", " Or choose Firth's penalised likelihood in the options."),
    )


def _no_regression(outcome: Variable) -> Refused:
    """Return the error for categorical outcomes: they need regressions that are not available here."""
    if outcome.level == "ordinal":
        return no_analysis_error(
            f"{outcome.said} has {outcome.groups} ordered categories. Scholium has no analysis for what predicts such "
            "an outcome: it needs ordinal (proportional odds) regression. Do not reduce it to two categories, which "
            "loses most of its information. With one predictor at a time, groups can be compared by ranks (“Do "
            "separate groups differ?”), and a number can be correlated by ranks (“Do two things go together?”).",
            outcome.role,
        )
    return no_analysis_error(
        f"{outcome.said} has {outcome.groups} categories. Scholium has no analysis for what predicts such an outcome: "
        "it needs multinomial regression. With one predictor, groups can be compared: “Do separate groups differ?”.",
        outcome.role,
    )


def _unadjusted(outcome: Variable, predictor: Variable, facts: Facts) -> Alternative:
    """Return the simple test for one predictor, without a model, as an alternative."""
    if predictor.level == "nominal" and predictor.groups >= 2:
        plain = counts(predictor, outcome, facts)
        return Alternative(
            plain.analysis, "You only compare how often it occurs, with nothing to adjust for.", plain.params
        )
    return Alternative(
        "roc",
        "You ask how well the number distinguishes the two outcomes.",
        {"outcome": outcome.id, "score": predictor.id},
    )


def survive(time: Variable, event: Variable, by: Sequence[Variable], facts: Facts) -> Suggestion:
    """Return the analysis of time to an event: Kaplan-Meier for one grouping or none, else Cox regression."""
    if len({time.id, event.id, *(one.id for one in by)}) < 2 + len(by):
        raise no_analysis_error("Choose a different column for each part.", "by")
    plain: dict[str, Any] = {"time": time.id, "event": event.id}
    notes: tuple[str, ...] = ()
    if event.groups > 2:
        _require_event_choice(event, facts)
        plain["options"] = {"event_value": facts.event}
        notes = (f"“{facts.event}” is the event; every other value of {event.said} counts as censored, as you said.",)
    cox = plain | {"predictors": [one.id for one in by]}
    watched = "Not everybody was followed until the event, and this method uses what is known of those who were not."
    several = "To account for other variables as well: Cox regression."
    if not by:
        return Suggestion(
            "kaplan_meier",
            f"A Kaplan-Meier curve shows the share of people still without the event over time. {watched}",
            plain,
            ("With groups: a curve for each, and the log-rank test.", several),
            notes=notes,
        )
    first = by[0]
    if len(by) == 1 and first.level != "numeric":
        group_count(first)
        return Suggestion(
            "kaplan_meier",
            f"A Kaplan-Meier curve for each group of {first.said}, with the log-rank test between them. {watched}",
            plain | {"group": first.id},
            (
                several,
                "If everybody was followed equally long and only whether it happened matters: the chi-square test.",
            ),
            (Alternative("cox", "You want a hazard ratio with its interval.", cox),),
            notes,
        )
    why = "several variables at once" if len(by) > 1 else f"{first.said}, a number"
    return Suggestion(
        "cox",
        f"Time until an event, by {why}: Cox regression gives a hazard ratio for each"
        f"{', with the others held fixed' if len(by) > 1 else ''}. {watched}",
        cox,
        (
            "With one grouping only: Kaplan-Meier curves and the log-rank test.",
            "If hazards are not proportional, the result says so: a hazard ratio is then an average over time.",
        ),
        notes=notes + _too_few_note(facts.events, by, "events"),
    )


def _require_event_choice(event: Variable, facts: Facts) -> None:
    """Raise Refused until the user has said which of several values is the event, and that the others are censored."""
    if not facts.event or (facts.event_values and facts.event not in facts.event_values):
        raise clarification_error(
            f"{event.said} has {event.groups} values"
            f"{f': {quoted_list(facts.event_values)}' if facts.event_values else ''}. "
            "Choose which of them is the event, and what the others mean.",
            "event",
        )
    if facts.others == "competing":
        raise no_analysis_error(
            f"One of the other values of {event.said} is an event too. {UNSUPPORTED_BY_ID['competing_risks'].message}",
            "event",
        )
    if facts.others != "censored":
        raise clarification_error(
            f"“{facts.event}” is the event. Are the other values of {event.said} people without any event when they "
            "were last seen (censored), or is one of them an event after which this one can no longer happen, such as "
            "another cause of death?",
            "event",
        )


def quoted_list(values: Sequence[str], most: int = 6) -> str:
    """Return values in quotation marks as a list: "“alive”, “died”, “lost” and 2 more"."""
    return ", ".join(f"“{one[:40]}”" for one in values[:most]) + (
        f" and {len(values) - most} more" if len(values) > most else ""
    )


def _too_few_note(count: int | None, predictors: Sequence[Variable], of: str, more: str = "") -> tuple[str, ...]:
    """Return a note when there are too few data for the number of predictors."""
    needed = PER_PARAMETER * sum(
        1 if one.as_number or one.level == "numeric" else max(one.groups - 1, 1) for one in predictors
    )
    if count is None or count >= needed:
        return ()
    return (
        f"There are {count} {of}; {needed} or more would be safer for these predictors. "
        f"Fewer predictors give a more stable result.{more}",
    )
