"""Tests for differences between groups, changes in the same people, and known values (docs/decisions/analyses.md)."""

from collections.abc import Sequence

from analysis.advice.suggestion import Alternative, Facts, Suggestion, Variable, group_count, no_analysis_error

PLANNED = "If your protocol names another test, use that one."
NO_PRETEST = (
    "The test is not chosen by a test of normality or variance, because such pre-tests distort the result. "
    "The checks are shown with it."
)
PAIRED = "If the same people are in each group: ask whether the same people changed."
EXPECTED = "An expected count below 5 in any cell: then Fisher's exact test is used automatically."


def differ(outcome: Variable, group: Variable, facts: Facts) -> Suggestion:
    """Return the test for separate groups: Welch for means, ranks for ordinal outcomes, chi-square for counts."""
    if outcome.level == "nominal":
        return counts(group, outcome, facts)
    groups = group_count(group)
    if outcome.groups == 1:
        raise no_analysis_error(f"{outcome.said} is the same for everybody: nothing can differ.", outcome.role)
    params = {"outcome": outcome.id, "group": group.id}
    notes = _two_values(outcome) + count_note(outcome, facts, "a test of means or ranks")
    ranks = "mann_whitney" if groups == 2 else "kruskal"
    means = "t_test" if groups == 2 else "anova"
    if outcome.level == "ordinal":
        return Suggestion(
            ranks,
            f"{outcome.said} has ordered categories, so the distances between them have no meaning: "
            f"{_groups(groups)} are compared by ranks."
            + ("" if groups == 2 else " Dunn's test with Holm's correction then shows which pairs differ."),
            params,
            (f"If {outcome.said} is a number with meaningful distances: {_means(groups)}.", PAIRED, PLANNED),
            (Alternative(means, "The score is usually treated as a number, and your protocol says so.", params),),
        )
    if facts.wants_ranks:
        return Suggestion(
            ranks,
            f"{outcome.said} is a number, but strongly skewed or with far outliers, and the smallest group has only "
            f"{facts.smallest} values: ranks are safer than means here.",
            params,
            (f"With 30 or more in each group: {_means(groups)}, which skew then hardly affects.", PAIRED, PLANNED),
            (Alternative(means, "You want to report the difference of means, or the protocol names it.", params),),
            notes,
        )
    return Suggestion(
        means,
        f"{outcome.said} is a number and {group.said} defines {_groups(groups)} of different people: "
        "their means are compared "
        + ("by Welch's t test" if groups == 2 else "by Welch's analysis of variance, with Games-Howell for the pairs")
        + ", which does not assume equal variances.",
        params,
        (
            f"If {outcome.said} only has an order, or a group below 30 is strongly skewed: "
            + ("the Mann-Whitney test." if groups == 2 else "the Kruskal-Wallis test with Dunn's test."),
            "With three or more groups: Welch's analysis of variance."
            if groups == 2
            else "With two groups: Welch's t test.",
            PAIRED,
            NO_PRETEST,
        ),
        (
            Alternative(
                ranks,
                "Only the order matters, or a small group is strongly skewed. The protocol's choice has priority.",
                params,
            ),
        ),
        notes,
    )


def counts(row: Variable, column: Variable, facts: Facts) -> Suggestion:
    """Return the test for two nominal variables: chi-square, or Fisher when an expected count is below 5."""
    group_count(row)
    group_count(column)
    params = {"row": row.id, "column": column.id}
    paired = "If both are answers of the same people at two times: McNemar's test."
    if facts.least_expected is not None and facts.least_expected < 5:
        return Suggestion(
            "fisher",
            f"Both have categories, and the smallest expected count is {facts.least_expected:.1f}, below 5: "
            "the chi-square test is not reliable then, but Fisher's exact test is.",
            params,
            ("With every expected count at 5 or more: the chi-square test.", paired),
        )
    return Suggestion(
        "chi_square",
        f"{row.said} and {column.said} have categories, so the numbers of people in each are compared: the chi-square "
        "test, without a continuity correction.",
        params,
        (EXPECTED, paired, "To account for other variables: logistic regression, if the outcome is yes or no."),
        (Alternative("fisher", "The protocol names it. For small counts it is chosen automatically.", params),),
    )


def paired(measures: Sequence[Variable], facts: Facts) -> Suggestion:
    """Return the test for the same people measured twice or more."""
    if len(measures) < 2:
        raise no_analysis_error("Choose at least two columns: one for each time.", "measures")
    levels = {one.level for one in measures}
    if "nominal" in levels:
        return _paired_kinds(measures)
    if len(measures) > 2:
        return Suggestion(
            "friedman",
            f"The same people were measured {len(measures)} times: "
            "Friedman's test compares the times by ranks within each person.",
            {"columns": [one.id for one in measures]},
            (
                "With two times only: the paired t test, or Wilcoxon's signed-rank test.",
                "If each column holds different people: a test of separate groups.",
            ),
        )
    first, second = measures
    params = {"first": first.id, "second": second.id}
    separate = "If the two columns hold different people: a test of separate groups."
    more = "With three or more times: Friedman's test."
    if "ordinal" in levels:
        return Suggestion(
            "wilcoxon",
            "The same people have two ordered scores: Wilcoxon's signed-rank test.",
            params,
            ("If the distances between the steps are meaningful: the paired t test.", separate, more),
            (Alternative("paired_t", "The score is usually treated as a number, and your protocol says so.", params),),
        )
    if facts.wants_ranks:
        return Suggestion(
            "wilcoxon",
            f"The differences are strongly skewed or have far outliers, and there are only {facts.smallest} pairs: "
            "ranks are safer.",
            params,
            ("With 30 or more pairs: the paired t test.", separate, more, PLANNED),
            (Alternative("paired_t", "You want to report the mean difference, or the protocol names it.", params),),
        )
    return Suggestion(
        "paired_t",
        "Two numbers of the same people: the paired t test asks whether their difference is zero on average.",
        params,
        (
            "If only the order matters, or fewer than 30 differences are strongly skewed: Wilcoxon's signed-rank test.",
            separate,
            more,
            NO_PRETEST,
        ),
        (
            Alternative("wilcoxon", "Only the order matters, or few differences are strongly skewed.", params),
            Alternative(
                "bland_altman", "You ask whether two ways of measuring agree, not whether people changed.", params
            ),
        ),
    )


def _paired_kinds(measures: Sequence[Variable]) -> Suggestion:
    if len(measures) > 2 or any(one.level != "nominal" or not one.is_yes_no for one in measures):
        raise no_analysis_error(
            "Categories of the same people can be compared at two times only, each with two values such as yes and no. "
            "Scholium has no analysis for these: it needs "
            + (
                "Cochran's Q for three or more times"
                if len(measures) > 2
                else "the Stuart-Maxwell test of marginal homogeneity"
            )
            + ". Choose two such columns, or ordered scores.",
            "measures",
        )
    row, column = measures
    return Suggestion(
        "mcnemar",
        "The same people answered yes or no twice: McNemar's test compares the changes in both directions.",
        {"row": row.id, "column": column.id},
        (
            "Fewer than 25 people who changed: then the exact test is used automatically.",
            "If the answers come from different people: the chi-square test.",
        ),
        (Alternative("kappa", "You ask how well two raters agree.", {"raters": [row.id, column.id]}),),
    )


def known(outcome: Variable) -> Suggestion:
    """Return the test of one group against a given value."""
    if outcome.level == "numeric":
        return Suggestion(
            "one_sample_t",
            f"{outcome.said} is a number: its mean is compared with the value you give.",
            {"outcome": outcome.id},
            (
                "If it has categories: the chi-square test against the shares you expect.",
                "With two groups: a test of separate groups.",
            ),
        )
    group_count(outcome)
    return Suggestion(
        "chi_square_gof",
        f"{outcome.said} has categories: their numbers are compared with the shares you expect, which are equal unless "
        "you enter others.",
        {"column": outcome.id},
        ("If it is a number: the one-sample t test.", "To compare the shares of two groups: the chi-square test."),
    )


def _two_values(outcome: Variable) -> tuple[str, ...]:
    """Return a note when a numeric outcome may be a yes or no coded as 0 and 1."""
    said = f"{outcome.said} has only two values. If they mean yes and no, choose unordered categories above."
    return (said,) if outcome.is_yes_no and outcome.level == "numeric" else ()


def count_note(outcome: Variable, facts: Facts, test: str) -> tuple[str, ...]:
    """Return a note when the outcome is a count, for which means and linear regression do not fit well."""
    if not facts.is_count or outcome.level != "numeric":
        return ()
    return (
        f"{outcome.said} looks like a count (0, 1, 2 ...). Poisson or negative binomial regression would fit a count, "
        "and take different times at risk into account; Scholium has neither. "
        f"The result of {test} is a difference in the mean number, and its interval is rough if most counts are small.",
    )


def _groups(count: int) -> str:
    return f"{'two' if count == 2 else count} groups"


def _means(groups: int) -> str:
    return "Welch's t test" if groups == 2 else "Welch's analysis of variance with Games-Howell"
