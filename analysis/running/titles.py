"""Default titles of analyses: the proper names of their methods (SPEC N2)."""

from typing import TYPE_CHECKING, Any

from analysis.advice.question_catalogue import ANALYSIS_NAMES
from analysis.advice.sample_size_designs import DESIGNS

if TYPE_CHECKING:
    from analysis.models import Analysis

METHODS = {
    "descriptive": "Descriptive statistics",
    "normality": "Shapiro-Wilk test of normality",
    "t_test": "Two-sample t-test",
    "one_sample_t": "One-sample t-test",
    "paired_t": "Paired t-test",
    "anova": "One-way analysis of variance",
    "chi_square_gof": "Chi-square test of goodness of fit",
    "kaplan_meier": "Kaplan-Meier survival",
    "kappa": "Cohen's kappa",
}
FIGURES = {
    "histogram": "Histogram",
    "box": "Box plot",
    "bar": "Bar chart",
    "scatter": "Scatter plot",
    "qq": "Q-Q plot",
    "km": "Kaplan-Meier curves",
    "roc": "ROC curve",
    "forest": "Forest plot",
    "funnel": "Funnel plot",
    "bland_altman": "Bland-Altman plot",
}
# Analyses whose method depends on options or data: the result says which method it was.
_CHOSEN = {"t_test", "anova", "chi_square", "correlation", "kappa", "linear", "logistic", "mcnemar"}


def default_title(kind: str, name: str, result: dict[str, Any] | None = None) -> str:
    """Return the default title: "Mann-Whitney U test", "ROC curve", "Sample size: compare two means".

    With a `result` it is the method that really ran, such as "Fisher's exact test" for a requested chi-square test. An
    unknown `name` becomes words.
    """
    plain = name.replace("_", " ").capitalize()
    if kind == "sample-size":
        return f"Sample size: {DESIGNS[name].title.lower() if name in DESIGNS else plain.lower()}"
    if kind == "figure":
        return FIGURES.get(name, plain)
    method = str((result or {}).get("method") or "").partition(" (")[0].partition(",")[0].strip()
    if method and name in _CHOSEN:
        return method
    return METHODS.get(name) or ANALYSIS_NAMES.get(name) or plain


def custom_title(analysis: "Analysis") -> str:
    """Return the title that a user gave; "" for a default title, which would be wrong for another method."""
    made = {default_title(analysis.kind, analysis.name), default_title(analysis.kind, analysis.name, analysis.result)}
    return "" if analysis.title in made else analysis.title
