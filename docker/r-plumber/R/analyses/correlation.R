# Correlation (SPEC N3): Pearson by default. The intervals are on Fisher's scale and as wide as the test's own critical
# value.

MOST_KENDALL <- 20000 # rows: Kendall's tau compares every pair of rows

analysis(
  "correlation",
  title = "Correlation",
  params = list(x = column("numeric", "First measurement"), y = column("numeric", "Second measurement")),
  options = list(
    method = one_of("Correlation coefficient", c("pearson", "spearman", "kendall")),
    alternative = one_of("Alternative hypothesis", c("two.sided", "less", "greater"))
  ),
  check = function(ask) {
    list(
      method = CORRELATIONS[[ask$options$method]]$name,
      reason = if (ask$options$method == "pearson") "default" else "it was chosen",
      warnings = list()
    )
  },
  run = function(ask) {
    if (ask$params$x == ask$params$y) {
      refuse("bad_option", "Both measurements are the same column.", field = "params.y", column = ask$params$y)
    }
    rows <- complete(x = numeric_of(ask, "x"), y = numeric_of(ask, "y"), least = 4)
    used <- rows$used
    refuse_constant(ask, used$x, "x")
    refuse_constant(ask, used$y, "y")
    for (param in c("x", "y")) {
      refuse_large_numbers(used[[param]], name_of(ask, param), paste0("params.", param), ask$params[[param]])
    }
    method <- ask$options$method
    named <- CORRELATIONS[[method]]
    n <- nrow(used)
    if (method == "kendall" && n > MOST_KENDALL) {
      refuse(
        "bad_option",
        sprintf("Kendall's tau compares every pair of rows: at most %s rows.", format(MOST_KENDALL, big.mark = ",")),
        field = "params.options.method",
        hint = "Use Spearman's rank correlation."
      )
    }
    tied <- anyDuplicated(used$x) > 0 || anyDuplicated(used$y) > 0
    exact <- method != "pearson" && !tied && n < if (method == "spearman") 1290 else 50
    test <- suppressWarnings(stats::cor.test(
      used$x,
      used$y,
      method = method,
      alternative = ask$options$alternative,
      exact = exact
    ))
    r <- unname(test$estimate)
    if (is.na(r)) {
      refuse(
        "constant_variable",
        "One of the two hardly varies: R finds no spread in it.",
        field = "params.x",
        column = ask$params$x
      )
    }
    alternative <- ask$options$alternative
    ci <- correlation_interval(test, n, method, exact, alternative, ask$conf_level)
    two_sided <- alternative == "two.sided"
    digits <- max(vapply(c(-1, 0, 1), function(end) apart_digits(if (end == 0) ci else c(r, ci), 2, end), 2))
    said <- if (anyNA(ci)) "interval not estimable" else ci_words(ci[1], ci[2], ask$conf_level, digits, alternative)
    x <- label(name_of(ask, "x"))
    y <- label(name_of(ask, "y"))
    statistics <- c(
      stats::setNames(list(test$statistic), named$statistic),
      if (method == "pearson") list(df = n - 2),
      list(p = test$p.value)
    )
    side <- c(
      two.sided = "two-sided",
      less = "one-sided for a negative correlation",
      greater = "one-sided for a positive correlation"
    )[[alternative]]

    result(
      method = paste0(named$name, if (!two_sided) ", one-sided"),
      reason = if (method == "pearson") "default" else "it was chosen",
      n = rows$n,
      estimates = list(estimate(
        named$id,
        sprintf("%s of %s with %s", named$label, x, y),
        r,
        ci[1],
        ci[2],
        ask$conf_level,
        digits = digits,
        side = if (!two_sided) alternative
      )),
      statistics = statistics,
      effect_sizes = if (method == "pearson") {
        list(effect_size("r_squared", "Shared variance, r squared", r^2))
      } else {
        list()
      },
      tables = list(table_of(
        "main",
        sprintf("%s and %s", x, y),
        list(
          col("pair", "Pair"),
          col("n", "n", "integer"),
          col("r", named$label, "number", digits),
          col(
            "ci",
            sprintf("%s%% %s", label_of(100 * ask$conf_level), if (two_sided) "CI" else "one-sided interval"),
            align = "right"
          ),
          col("p", "p", "p")
        ),
        list(list(
          pair = sprintf("%s and %s", x, y),
          n = n,
          r = r,
          ci = if (anyNA(ci)) {
            ""
          } else if (two_sided) {
            paste(fixed(ci, digits), collapse = " to ")
          } else {
            sub(".*: ", "", said)
          },
          p = test$p.value
        )),
        footnotes = c(
          paste0(named$name, ", ", side, if (method != "pearson" && !exact) ", large-sample p"),
          "The interval is on Fisher's scale, as wide as the test's own critical value.",
          missing_note(rows$n)
        )
      )),
      assumptions = correlation_checks(used, method),
      recommendation = correlation_advice(used, method),
      sentence = sentence(
        correlation_words(said_of(ask, "x"), said_of(ask, "y"), r, alternative, test$p.value < ask$alpha),
        " (",
        named$name,
        ", ",
        side,
        "): ",
        it(named$symbol),
        if (method == "pearson") paste0("(", label_of(n - 2), ")"),
        " = ",
        fixed(r, digits),
        " (",
        said,
        "), ",
        p_words(test$p.value),
        "; ",
        missing_words(rows$n),
        "."
      ),
      figures = when_asked(ask, list(correlation_figure(used, x, y, method))),
      warnings = if (tied && method != "pearson") {
        list(warning_of("ties", "Some values are equal, so p comes from the large-sample formula."))
      } else {
        list()
      },
      script = script(c(
        sprintf("x <- %s", numeric_code(ask, ask$params$x)),
        sprintf("y <- %s", numeric_code(ask, ask$params$y)),
        "used <- na.omit(data.frame(x, y))",
        sprintf(
          "test <- cor.test(used$x, used$y, method = %s, alternative = %s%s)",
          quoted(method),
          quoted(ask$options$alternative),
          if (method == "pearson") "" else sprintf(", exact = %s", exact)
        ),
        "r <- unname(test$estimate)",
        code_of("tail_of"),
        code_of("is_rejected"),
        code_of("settled"),
        code_of("coefficient_interval"),
        code_of("correlation_interval"),
        sprintf(
          "ci <- correlation_interval(test, nrow(used), %s, %s, %s, %s)",
          quoted(method),
          exact,
          quoted(alternative),
          literal(ask$conf_level)
        ),
        "result <- list(",
        sprintf("  %s = r, %s_low = ci[1], %s_high = ci[2],", named$id, named$id, named$id),
        if (method == "pearson") "  df = unname(test$parameter), r_squared = r^2,",
        sprintf("  %s = unname(test$statistic), p = test$p.value", named$statistic),
        ")"
      ))
    )
  }
)

CORRELATIONS <- list(
  pearson = list(name = "Pearson correlation", id = "r", label = "r", symbol = "r", statistic = "t"),
  spearman = list(
    name = "Spearman rank correlation",
    id = "rho",
    label = "Spearman's ρ",
    symbol = "ρ",
    statistic = "s"
  ),
  kendall = list(
    name = "Kendall rank correlation",
    id = "tau",
    label = "Kendall's τ-b",
    symbol = "τ",
    statistic = "t_or_z"
  )
)

# Returns the interval of the coefficient of `test` (from cor.test()): it excludes 0 if the test is significant.
# Pearson's is practically Fisher's z; Spearman's widens away from 0 as in Bonett and Wright (2000, Psychometrika
# 65:23).
correlation_interval <- function(test, n, method, exact, side, conf_level) {
  r <- test$estimate[[1]]
  tail <- tail_of(conf_level, side)
  if (method == "kendall") {
    spread <- sqrt(2 * (2 * n + 5) / (9 * n * (n - 1)))
    if (!exact && r != 0) {
      spread <- r / test$statistic[[1]]
    } # with ties
    critical <- qnorm(1 - tail) * spread
    step <- 2 / (n * (n - 1))
  } else {
    t <- qt(1 - tail, n - 2)
    critical <- t / sqrt(n - 2 + t^2)
    step <- 6 / (n^3 - n)
  }
  seen <- if (side == "less") {
    -r
  } else if (side == "greater") {
    r
  } else {
    abs(r)
  }
  # On the other side of 0 a one-sided test is far from its critical value.
  if (method != "pearson" && (seen > 0 || side == "two.sided")) {
    critical <- settled(critical, seen, test$p.value, conf_level, step)
  }
  stretch <- if (method == "spearman" && critical < 1) sqrt((1 + r^2 / 2) / (1 + critical^2 / 2)) else 1
  coefficient_interval(r, critical, side, stretch)
}

# "Age and Birth weight were positively correlated, higher values of one going with higher values of the other"; without
# a significant test "No correlation of Age and Birth weight was shown".
correlation_words <- function(x, y, r, side, told) {
  names <- level_words(c(x, y), 80)
  if (!told) {
    return(sprintf(
      "No %scorrelation of %s and %s was shown",
      c(two.sided = "", less = "negative ", greater = "positive ")[[side]],
      names[1],
      names[2]
    ))
  }
  sprintf(
    "%s and %s were %s correlated, higher values of one going with %s values of the other",
    names[1],
    names[2],
    if (r > 0) "positively" else "negatively",
    if (r > 0) "higher" else "lower"
  )
}

# Checks for Pearson's correlation, whose interval and p need roughly normal values. Shapiro-Wilk is reported but
# switches nothing.
correlation_checks <- function(used, method) {
  if (method != "pearson") {
    return(list(assumption(
      "monotone",
      "Scatter plot",
      "A rank correlation asks only whether one rises as the other does. Look at the scatter plot.",
      status = "not_run"
    )))
  }
  if (nrow(used) > 5000) {
    return(list(assumption(
      "normality",
      "Shapiro-Wilk",
      "With more than 5,000 values the test finds every small deviation. Look at the scatter plot instead.",
      status = "not_run"
    )))
  }
  tests <- lapply(used, stats::shapiro.test)
  lower <- tests[[if (tests$y$p.value < tests$x$p.value) "y" else "x"]]
  skewed <- lower$p.value < 0.05
  list(assumption(
    "normality",
    "Shapiro-Wilk, the smaller of two",
    if (skewed) {
      paste0(
        "At least one of the two is not shaped like a normal distribution: ",
        "p and interval are approximate. Look at the scatter plot."
      )
    } else {
      "Nothing speaks against normal distributions."
    },
    lower$statistic,
    lower$p.value,
    if (skewed) "concern" else "ok"
  ))
}

# Returns advice if a rank correlation is well above Pearson's, which suggests a curve or outliers.
correlation_advice <- function(used, method) {
  if (method != "pearson") {
    return(NULL)
  }
  if (abs(stats::cor(rank(used$x), rank(used$y))) - abs(stats::cor(used$x, used$y)) > 0.1) {
    return(recommend(
      paste0(
        "The ranks agree better than the values: the relation may be a curve, or a few values stand ",
        "far out. Look at the scatter plot and consider Spearman's rank correlation (option method)."
      ),
      "correlation",
      "advise"
    ))
  }
  recommend(
    "For ordinal scales, or a relation that rises along a curve, use Spearman's rank correlation (option method).",
    "correlation"
  )
}

# A scatter plot of the two variables; for Pearson with the regression line.
correlation_figure <- function(used, x, y, method) {
  plot <- ggplot(used, aes(x, y))
  if (method == "pearson") {
    plot <- plot +
      geom_smooth(method = "lm", formula = y ~ x, se = TRUE, colour = INK, fill = "#c9d6d4", linewidth = 0.5)
  }
  plot <- plot +
    geom_point(size = if (nrow(used) > 1000) 0.5 else 1, alpha = if (nrow(used) > 300) 0.35 else 0.7, colour = ACCENT) +
    labs(x = shortened(x, 60), y = shortened(y, 45)) +
    theme_thesis()
  figure(
    "scatter",
    plot,
    sprintf(
      "Scatter plot of %s against %s, %s points%s.",
      y,
      x,
      label_of(nrow(used)),
      if (method == "pearson") ", with the straight line that fits best and its band" else ""
    ),
    caption = sprintf("%s against %s", y, x),
    points = nrow(used)
  )
}
