# What several analyses share: notes on missing values, the check of normality, intervals of effect sizes, common figures.

missing_words <- function(n) {
  if (n$missing == 0) sprintf("n = %s, none missing", label_of(n$used)) else sprintf("n = %s, %s missing", label_of(n$used), label_of(n$missing))
}

missing_note <- function(n) {
  if (n$missing == 0) "No values were missing." else sprintf("%s left out for missing values (complete cases).", plural(n$missing, "row was", "rows were"))
}

# Shapiro-Wilk on residuals, told and never acted on: a pre-test must not choose the test (Rochon 2012, BMC Med Res Methodol
# 12:81). Not run below 3 or above 5000 values, nor on constant ones.
normality_of_residuals <- function(residuals, alternative = "mann_whitney") {
  n <- length(residuals)
  if (n < 3 || n > 5000 || length(unique(residuals)) < 2) {
    why <- if (n > 5000) "With more than 5,000 values the test finds every small deviation" else "There are too few different values for the test"
    return(list(assumption("normality", "Shapiro-Wilk on residuals", paste0(why, ". Look at the Q-Q plot instead."), status = "not_run")))
  }
  test <- stats::shapiro.test(residuals)
  skewed <- test$p.value < 0.05
  list(assumption("normality", "Shapiro-Wilk on residuals", if (skewed) {
    "The residuals are not shaped like a normal distribution. With 30 or more in each group this matters little; with fewer, compare with the rank test."
  } else {
    "Nothing speaks against normally distributed residuals."
  }, test$statistic, test$p.value, if (skewed) "concern" else "ok"))
}

# The interval of Cohen's d from its large-sample variance (Hedges and Olkin 1985, p. 86).
d_interval <- function(d, n1, n2, conf_level) {
  se <- sqrt((n1 + n2) / (n1 * n2) + d^2 / (2 * (n1 + n2)))
  d + c(-1, 1) * stats::qnorm(1 - (1 - conf_level) / 2) * se
}

d_interval_code <- function(conf_level) c(
  "d_se <- sqrt(sum(n) / prod(n) + d^2 / (2 * sum(n)))",
  sprintf("d_ci <- d + c(-1, 1) * qnorm(1 - (1 - %s) / 2) * d_se", literal(conf_level))
)

# The figures of a result, made only where some were asked for: ggplot takes longer than most tests. `figures` is a list,
# NULL in it is left out.
when_asked <- function(ask, figures) if (length(ask$formats)) Filter(Negate(is.null), figures) else list()
