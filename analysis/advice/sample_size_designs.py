"""The study designs for which a sample size can be calculated, in plain words (SPEC N3)."""

from typing import NamedTuple


class Design(NamedTuple):
    """A design of the R service: its name, its title and an example."""

    name: str
    title: str
    example: str


DESIGNS: dict[str, Design] = {
    one.name: one
    for one in (
        Design("two_means", "Compare two means", "Stay in hospital in two groups"),
        Design("two_proportions", "Compare two shares", "Deaths in two arms of a trial"),
        Design("paired", "The same people twice", "Pain before and after"),
        Design("anova", "Compare three or more means", "Birth weight in four districts"),
        Design("logrank", "Compare survival", "Time to relapse in two groups"),
        Design("single_mean", "Estimate a mean", "Mean haemoglobin, to within 0.5 g/dL"),
        Design("single_proportion", "Estimate a share", "Prevalence of anaemia, to within 5 %"),
        Design("correlation", "Show a correlation", "Age and stay"),
        Design("diagnostic", "Measure a test's accuracy", "Sensitivity of a rapid test, to within 5 %"),
    )
}
