"""Suggestions for descriptions, diagnostic tests, agreement and meta-analyses."""

from collections.abc import Mapping, Sequence

from analysis.advice.classify_question import UNSUPPORTED_BY_ID
from analysis.advice.suggestion import Alternative, Suggestion, Variable, group_count, no_analysis_error


def describe(columns: Sequence[Variable]) -> Suggestion:
    """Return the description of variables."""
    ids = [one.id for one in columns]
    numbers = [one.id for one in columns if one.level == "numeric"]
    table = Alternative("table1", "You want it as the first table of your Results.", {"columns": ids})
    return Suggestion(
        "descriptive",
        "Each variable is described according to its level: mean, SD, median and quartiles for numbers, counts and "
        "shares for categories.",
        {"columns": ids},
        ("To show groups side by side: Table 1.",),
        (table, Alternative("normality", "You want to see the distribution of the numbers.", {"columns": numbers}))
        if numbers
        else (table,),
    )


def characteristics(columns: Sequence[Variable], group: Variable | None = None) -> Suggestion:
    """Return Table 1, the characteristics of the people studied, with a column for each group."""
    ids = [one.id for one in columns]
    if group is None:
        return Suggestion(
            "table1",
            "Table 1 shows who was studied: mean or median for numbers, counts and shares for categories.",
            {"columns": ids},
            ("With groups, for instance treatments: a column for each.",),
            (
                Alternative(
                    "descriptive", "You want all statistics of each variable, not a table to print.", {"columns": ids}
                ),
            ),
        )
    group_count(group, most=10)
    if group.id in ids:
        raise no_analysis_error(f"{group.said} defines the groups: remove it from the rows.", "columns")
    return Suggestion(
        "table1",
        f"Table 1 shows the groups of {group.said} side by side. It has no p values: in a randomised trial all "
        "differences at the start are due to chance, so a p value answers no question.",
        {"columns": ids, "group": group.id},
        (
            "If the groups were not randomised, standardised differences show the imbalance better than p values: "
            "turn them on in the options.",
            "If an examiner asks for p values: turn them on in the options; the table then names each test.",
        ),
    )


def normal(columns: Sequence[Variable]) -> Suggestion:
    """Return the check of normality."""
    return Suggestion(
        "normality",
        "A Q-Q plot and the Shapiro-Wilk test show how far the numbers are from a normal distribution. They do not "
        "choose your test.",
        {"columns": [one.id for one in columns]},
        ("With fewer than 3 or more than 5,000 values there is a plot but no test.",),
        (
            Alternative(
                "descriptive", "You want mean, median and quartiles as well.", {"columns": [one.id for one in columns]}
            ),
        ),
    )


def detect(test: Variable, reference: Variable) -> Suggestion:
    """Return the accuracy of a test against a reference: a ROC curve for a score, else sensitivity and specificity."""
    if test.id == reference.id:
        raise no_analysis_error("The test and the truth are the same column: choose two.", "reference")
    if not reference.is_yes_no:
        raise no_analysis_error(
            f"{reference.said} has {reference.groups} values: the truth needs two, with the condition and without.",
            "reference",
        )
    if test.groups > 2:
        if test.level == "nominal":
            raise no_analysis_error(
                f"{test.said} has {test.groups} unordered categories. A test is positive or negative, or a score.",
                "test",
            )
        return Suggestion(
            "roc",
            f"{test.said} is a score: a ROC curve shows sensitivity and specificity at every cut-off, and the area "
            "under it.",
            {"outcome": reference.id, "score": test.id},
            (
                "With a cut-off that was fixed beforehand, so that the test is positive or negative: sensitivity and "
                "specificity at it.",
            ),
        )
    group_count(test)
    return Suggestion(
        "diagnostic",
        f"{test.said} is positive or negative, and {reference.said} is the truth: sensitivity, specificity, predictive "
        "values and likelihood ratios, each with its interval.",
        {"test": test.id, "reference": reference.id},
        (
            "If the test gives a number or a score: a ROC curve.",
            "If neither of the two is the truth: ask whether raters agree.",
        ),
    )


def raters(raters: Sequence[Variable]) -> Suggestion:
    """Return the agreement of raters: kappa for categories, intraclass correlation for numbers."""
    if len(raters) < 2:
        raise no_analysis_error("Choose at least two columns: one for each rater.", "raters")
    params = {"raters": [one.id for one in raters]}
    levels = {one.level for one in raters}
    if levels == {"numeric"}:
        return Suggestion(
            "icc",
            "The raters gave numbers: the intraclass correlation shows how much of the variance comes from the cases "
            "and not from the raters.",
            params,
            (
                "If they gave categories: kappa.",
                "A correlation is not suitable: the numbers of two raters may go together and still differ.",
            ),
            (
                Alternative(
                    "bland_altman",
                    "You want to know how far apart the two may be, in the unit itself.",
                    {"first": raters[0].id, "second": raters[1].id},
                ),
            )
            if len(raters) == 2
            else (),
        )
    if "numeric" in levels:
        raise no_analysis_error(
            "Some raters gave numbers, others categories: choose columns of the same type.", "raters"
        )
    if levels == {"ordinal"} and len(raters) > 2 and any(one.groups > 2 for one in raters):
        raise no_analysis_error(
            f"These are ordered categories, by {len(raters)} raters. {UNSUPPORTED_BY_ID['many_raters'].message} "
            "If the order does not matter, choose unordered categories: then Fleiss' kappa fits.",
            "raters",
        )
    if levels == {"ordinal"} and len(raters) == 2:
        return Suggestion(
            "kappa",
            "Two raters gave ordered categories: weighted kappa, in which a small disagreement counts less than a "
            "large one.",
            params | {"options": {"weights": "quadratic"}},
            ("If the categories have no order: unweighted kappa.", "If they gave numbers: the intraclass correlation."),
            (Alternative("icc", "The score is usually treated as a number.", params),),
        )
    return Suggestion(
        "kappa",
        "The raters gave categories: kappa is their agreement beyond what chance alone would give"
        + (", by Cohen for two." if len(raters) == 2 else ", by Fleiss for three or more."),
        params,
        (
            "If the categories have an order: weighted kappa, for two raters.",
            "If they gave numbers: the intraclass correlation.",
        ),
    )


def methods(first: Variable, second: Variable) -> Suggestion:
    """Return the agreement of two methods of measurement."""
    if first.id == second.id:
        raise no_analysis_error("The two ways of measuring are the same column: choose two.", "second")
    pair = {"first": first.id, "second": second.id}
    return Suggestion(
        "bland_altman",
        "Two ways of measuring the same thing: Bland and Altman's limits of agreement show how far apart the two may "
        "be for one person.",
        pair,
        (
            "If different raters use the same way of measuring: the intraclass correlation.",
            "If the two have different units: ask whether two things go together.",
        ),
        (
            Alternative("icc", "You want one measure of agreement between raters.", {"raters": [first.id, second.id]}),
            Alternative("paired_t", "You only ask whether one is higher on average.", pair),
        ),
    )


POOLED: Mapping[str, tuple[tuple[str, ...], str, str]] = {
    "pool_counts": (
        ("study", "events_1", "n_1", "events_2", "n_2"),
        "OR",
        "Events and patients of two groups in each study: the odds ratio is pooled. Risk ratio and risk difference are "
        "available in the options.",
    ),
    "pool_means": (
        ("study", "mean_1", "sd_1", "n_1", "mean_2", "sd_2", "n_2"),
        "MD",
        "Means and SDs of two groups in each study: the mean difference is pooled. If the studies used different "
        "scales, choose the standardised difference in the options.",
    ),
    "pool_estimates": (
        ("study", "estimate", "se"),
        "GEN",
        "Estimates with their standard errors are pooled by inverse variance, whatever they estimate.",
    ),
}


def pool(question: str, columns: Mapping[str, Sequence[Variable]]) -> Suggestion:
    """Return the meta-analysis for a question; `columns` are the variables by role, one of each."""
    roles, measure, reason = POOLED[question]
    params = {role: columns[role][0].id for role in roles}
    if len(set(params.values())) < len(params):
        raise no_analysis_error("Choose a different column for each part.", "study")
    return Suggestion(
        "meta",
        f"{reason} Random effects (REML with Knapp-Hartung) allow the true effect to differ between studies.",
        {**params, "options": {"measure": measure}},
        (
            "If the protocol planned one common effect: choose the fixed effect in the options. Report it in Methods "
            "either way.",
            "With fewer than 3 studies there is no prediction interval, with fewer than 10 no test of the funnel plot.",
        ),
    )
