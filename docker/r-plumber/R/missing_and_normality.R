# Functions that several analyses share: notes on missing values, the normality check, and making figures on demand.

# Returns the count of used rows in words: "n = 189, none missing", "n = 170, 19 rows left out for missing values"; for
# pairs or subjects with that noun.
missing_words <- function(n, of = "row", known = TRUE) {
  used <- if (of == "row") label_of(n$used) else plural(n$used, of)
  if (!known) {
    return(sprintf("n = %s", used))
  } # a table of counts does not show how many were missing
  if (n$missing == 0) {
    sprintf("n = %s, none missing", used)
  } else {
    sprintf("n = %s, %s left out for missing values", used, plural(n$missing, "row"))
  }
}

# Returns the footnote on missing values.
missing_note <- function(n, known = TRUE) {
  if (!known) {
    return(NULL)
  }
  if (n$missing == 0) {
    "No values were missing."
  } else {
    sprintf("%s left out for missing values (complete cases).", plural(n$missing, "row was", "rows were"))
  }
}

# Shapiro-Wilk test of residuals. It is reported but chooses nothing: a pre-test must not choose the test (Rochon 2012,
# BMC Med Res Methodol 12:81). It does not run on fewer than 3 or more than 5000 values, nor on constant ones.
normality_of_residuals <- function(residuals, alternative = "mann_whitney") {
  n <- length(residuals)
  if (n < 3 || n > 5000 || length(unique(residuals)) < 2) {
    why <- if (n > 5000) {
      "With more than 5,000 values the test finds every small deviation"
    } else {
      "There are too few different values for the test"
    }
    return(list(assumption(
      "normality",
      "Shapiro-Wilk on residuals",
      paste0(why, ". Look at the Q-Q plot instead."),
      status = "not_run"
    )))
  }
  test <- stats::shapiro.test(residuals)
  skewed <- test$p.value < 0.05
  list(assumption(
    "normality",
    "Shapiro-Wilk on residuals",
    if (skewed) {
      paste0(
        "The residuals are not shaped like a normal distribution. With 30 or more in ",
        "each group this matters little; with fewer, compare with the rank test."
      )
    } else {
      "Nothing speaks against normally distributed residuals."
    },
    test$statistic,
    test$p.value,
    if (skewed) "concern" else "ok"
  ))
}

# Returns the figures of a result if some were requested, else an empty list: ggplot takes longer than most tests.
# `figures` is a list, which may contain NULL.
when_asked <- function(ask, figures) if (length(ask$formats)) Filter(Negate(is.null), figures) else list()
