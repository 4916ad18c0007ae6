"""Descriptions, tests of a condition, agreement, and studies that are pooled."""

from collections.abc import Mapping, Sequence

from analysis.advice.classify_question import ABSENT
from analysis.advice.suggestion import Alternative, Suggestion, Variable, cannot, counted_groups


def describe(columns: Sequence[Variable]) -> Suggestion:
    ids = [one.id for one in columns]
    numbers = [one.id for one in columns if one.level == "numeric"]
    table = Alternative("table1", "You want it as the table that opens Results.", {"columns": ids})
    return Suggestion(
        "descriptive",
        "Each variable is described by what fits it: mean, SD, median and quartiles for numbers, counts and shares for kinds.",
        {"columns": ids},
        ("To set groups side by side: Table 1.",),
        (table, Alternative("normality", "You want to see how the numbers are spread.", {"columns": numbers}))
        if numbers
        else (table,),
    )


def characteristics(columns: Sequence[Variable], group: Variable | None = None) -> Suggestion:
    ids = [one.id for one in columns]
    if group is None:
        return Suggestion(
            "table1",
            "Table 1 says who was studied: mean or median for numbers, counts and shares for kinds.",
            {"columns": ids},
            ("With groups, for instance treatments: a column for each.",),
            (
                Alternative(
                    "descriptive", "You want every figure of each variable, not a table to print.", {"columns": ids}
                ),
            ),
        )
    counted_groups(group, most=10)
    if group.id in ids:
        raise cannot(f"{group.said} makes the groups: take it out of the rows.", "columns")
    return Suggestion(
        "table1",
        f"Table 1 sets the groups of {group.said} side by side. It comes without p values: in a randomised trial, whatever differs at "
        "the start does so by chance, and a p value there answers no question.",
        {"columns": ids, "group": group.id},
        (
            "If the groups were not randomised, standardised differences show the imbalance better than p values: switch them on.",
            "If an examiner asks for p values: one switch under the options; the table then names each test.",
        ),
    )


def normal(columns: Sequence[Variable]) -> Suggestion:
    return Suggestion(
        "normality",
        "A Q-Q plot and the Shapiro-Wilk test show how far the numbers are from a normal curve. They do not choose your test.",
        {"columns": [one.id for one in columns]},
        ("Below 3 or above 5,000 values it is not tested, only shown.",),
        (
            Alternative(
                "descriptive", "You want mean, median and quartiles as well.", {"columns": [one.id for one in columns]}
            ),
        ),
    )


def detect(test: Variable, reference: Variable) -> Suggestion:
    """Return a test against the truth: a ROC curve for a score, counts for positive and negative."""
    if test.id == reference.id:
        raise cannot("The test and the truth are one column: choose two.", "reference")
    if not reference.is_yes_no:
        raise cannot(
            f"{reference.said} has {reference.groups} values: the truth needs two, with the condition and without.",
            "reference",
        )
    if test.groups > 2:
        if test.level == "nominal":
            raise cannot(
                f"{test.said} has {test.groups} kinds without an order. A test is positive or negative, or a score.",
                "test",
            )
        return Suggestion(
            "roc",
            f"{test.said} is a score: a ROC curve shows sensitivity and specificity at every cut, and the area under it.",
            {"outcome": reference.id, "score": test.id},
            (
                "With a cut that was fixed beforehand, so that the test is positive or negative: sensitivity and specificity at it.",
            ),
        )
    counted_groups(test)
    return Suggestion(
        "diagnostic",
        f"{test.said} is positive or negative, and {reference.said} is the truth: sensitivity, specificity, predictive values and "
        "likelihood ratios, each with its interval.",
        {"test": test.id, "reference": reference.id},
        (
            "If the test gives a number or a score: a ROC curve.",
            "If neither of the two is the truth: ask whether raters agree.",
        ),
    )


def raters(raters: Sequence[Variable]) -> Suggestion:
    """Agreement of raters: kappa for kinds and steps, intraclass correlation for numbers."""
    if len(raters) < 2:
        raise cannot("Choose at least two columns: one for each rater.", "raters")
    params = {"raters": [one.id for one in raters]}
    levels = {one.level for one in raters}
    if levels == {"numeric"}:
        return Suggestion(
            "icc",
            "The raters gave numbers: the intraclass correlation says how much of the spread comes from the cases, not the raters.",
            params,
            (
                "If they gave kinds or steps: kappa.",
                "A correlation would not do: two raters may go together and still differ.",
            ),
            (
                Alternative(
                    "bland_altman",
                    "You want to know how far apart the two may lie, in the unit itself.",
                    {"first": raters[0].id, "second": raters[1].id},
                ),
            )
            if len(raters) == 2
            else (),
        )
    if "numeric" in levels:
        raise cannot("Some raters gave numbers, others kinds: choose columns of the same sort.", "raters")
    if levels == {"ordinal"} and len(raters) > 2 and any(one.groups > 2 for one in raters):
        raise cannot(
            f"These are steps in an order, by {len(raters)} raters. {ABSENT['many_raters'].message} If a near miss is no better than a far one, call them "
            "kinds: then Fleiss' kappa fits.",
            "raters",
        )
    if levels == {"ordinal"} and len(raters) == 2:
        return Suggestion(
            "kappa",
            "Two raters gave steps in an order: weighted kappa, in which a near miss counts less than a far one.",
            params | {"options": {"weights": "quadratic"}},
            ("If the steps have no order: unweighted kappa.", "If they gave numbers: the intraclass correlation."),
            (Alternative("icc", "The score is treated as a number by custom.", params),),
        )
    return Suggestion(
        "kappa",
        "The raters gave kinds: kappa is their agreement beyond what chance alone would give"
        + (", by Cohen for two." if len(raters) == 2 else ", by Fleiss for three or more."),
        params,
        (
            "If the kinds have an order: weighted kappa, for two raters.",
            "If they gave numbers: the intraclass correlation.",
        ),
    )


def methods(first: Variable, second: Variable) -> Suggestion:
    if first.id == second.id:
        raise cannot("The two ways are one column: choose two.", "second")
    pair = {"first": first.id, "second": second.id}
    return Suggestion(
        "bland_altman",
        "Two ways of measuring the same thing: Bland and Altman's limits say how far apart the two may lie for one person.",
        pair,
        (
            "If different raters use the same way: the intraclass correlation.",
            "If the two have different units: whether they go together.",
        ),
        (
            Alternative("icc", "You want one figure of agreement between raters.", {"raters": [first.id, second.id]}),
            Alternative("paired_t", "You only ask whether one is higher on average.", pair),
        ),
    )


POOLED: Mapping[str, tuple[tuple[str, ...], str, str]] = {
    "pool_counts": (
        ("study", "events_1", "n_1", "events_2", "n_2"),
        "OR",
        "Events and patients of two groups in each study: the odds ratio is pooled. Risk ratio and risk difference stand under the options.",
    ),
    "pool_means": (
        ("study", "mean_1", "sd_1", "n_1", "mean_2", "sd_2", "n_2"),
        "MD",
        "Means and SDs of two groups in each study: the mean difference is pooled. Where the studies used different scales, take the standardised one under the options.",
    ),
    "pool_estimates": (
        ("study", "estimate", "se"),
        "GEN",
        "Estimates with their standard errors are pooled by inverse variance, whatever they estimate.",
    ),
}


def pool(question: str, columns: Mapping[str, Sequence[Variable]]) -> Suggestion:
    """Return a meta-analysis; `columns` by their role, one of each."""
    roles, measure, reason = POOLED[question]
    params = {role: columns[role][0].id for role in roles}
    if len(set(params.values())) < len(params):
        raise cannot("Each part needs a column of its own.", "study")
    return Suggestion(
        "meta",
        f"{reason} Random effects (REML with Knapp-Hartung) let the studies differ in what they measure.",
        {**params, "options": {"measure": measure}},
        (
            "If the protocol planned one common effect: fixed effect, under the options. Name it in Methods either way.",
            "Below 3 studies no prediction interval is given, below 10 the funnel is not tested.",
        ),
    )
