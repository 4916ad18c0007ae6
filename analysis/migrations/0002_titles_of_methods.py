"""Analyses that nobody gave a title were called by their internal names ("Roc"): they get the name of their method."""

from typing import Any

from django.db import migrations

NAMES = {
    "descriptive": "Descriptive statistics", "normality": "Shapiro-Wilk test of normality", "t_test": "Two-sample t-test",
    "one_sample_t": "One-sample t-test", "paired_t": "Paired t-test", "mann_whitney": "Mann-Whitney U test",
    "wilcoxon": "Wilcoxon signed-rank test", "anova": "One-way analysis of variance", "kruskal": "Kruskal-Wallis test",
    "friedman": "Friedman test", "chi_square": "Chi-square test", "chi_square_gof": "Chi-square test of goodness of fit",
    "fisher": "Fisher's exact test", "mcnemar": "McNemar test", "linear": "Linear regression",
    "logistic": "Logistic regression", "cox": "Cox regression", "kaplan_meier": "Kaplan-Meier survival", "roc": "ROC curve",
    "diagnostic": "Diagnostic accuracy", "kappa": "Cohen's kappa", "icc": "Intraclass correlation",
    "bland_altman": "Bland-Altman limits of agreement", "meta": "Meta-analysis",
}  # fmt: skip
FIGURES = {
    "box": "Box plot", "bar": "Bar chart", "scatter": "Scatter plot", "qq": "Q-Q plot", "km": "Kaplan-Meier curves",
    "roc": "ROC curve", "forest": "Forest plot", "funnel": "Funnel plot", "bland_altman": "Bland-Altman plot",
}  # fmt: skip


def rename(apps: Any, schema_editor: Any) -> None:
    rows = apps.get_model("analysis", "Analysis").objects
    for kind, names in (("run", NAMES), ("figure", FIGURES)):
        for name, title in names.items():
            rows.filter(kind=kind, name=name, title=name.replace("_", " ").capitalize()).update(title=title)


class Migration(migrations.Migration):
    dependencies = [("analysis", "0001_datasets_and_analyses")]
    operations = [migrations.RunPython(rename, migrations.RunPython.noop)]
