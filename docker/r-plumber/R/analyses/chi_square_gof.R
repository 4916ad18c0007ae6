# Goodness of fit (SPEC N3): one categorical variable against expected shares.

analysis(
  "chi_square_gof",
  title = "Chi-square goodness of fit",
  params = list(
    column = column("factor", "Grouping", required = FALSE),
    counts = numbers("Counts", min = 0, max = 1e9)
  ),
  options = list(expected = numbers("Expected shares or counts, in the order of the levels", min = 0, max = 1e9)),
  run = function(ask) {
    found <- counted_once(ask)
    counts <- found$counts
    k <- length(counts)
    weights <- ask$options$expected
    if (is.null(weights)) {
      weights <- rep(1, k)
    }
    if (length(weights) != k) {
      refuse(
        "bad_option",
        sprintf("There are %s levels and %s expected shares.", label_of(k), label_of(length(weights))),
        field = "params.options.expected",
        hint = sprintf("Give one for each of: %s.", paste(utils::head(found$rows, 8), collapse = ", "))
      )
    }
    if (any(weights <= 0)) {
      refuse("bad_option", "Each expected share must be above 0.", field = "params.options.expected")
    }
    shares <- weights / sum(weights)
    expected <- sum(counts) * shares
    chi_squared <- sum((counts - expected)^2 / expected)
    p <- stats::pchisq(chi_squared, k - 1, lower.tail = FALSE)
    small <- min(expected) < 5
    two <- k == 2 && sum(counts) <= 1e6 # the exact test enumerates every count
    simulated <- if (small && !two) simulated_fit(chi_squared, sum(counts), shares, SIMULATIONS)
    method <- if (small) {
      if (two) "Exact binomial test" else "Chi-square goodness of fit, p simulated"
    } else {
      "Chi-square goodness of fit"
    }
    even <- is.null(ask$options$expected)
    shown <- if (small) {
      if (two) stats::binom.test(counts[1], sum(counts), shares[1])$p.value else simulated
    } else {
      p
    }
    intervals <- share_intervals(counts, shares, small && two, ask$conf_level)
    w <- sqrt(chi_squared / sum(counts))

    result(
      method = method,
      reason = if (small) "an expected count is below 5" else "default; all expected counts are 5 or more",
      n = found$n,
      estimates = lapply(seq_len(k), function(i) {
        ci <- intervals[, i]
        estimate(
          sprintf("share_%d", i),
          sprintf("Share of %s", found$rows[i]),
          counts[i] / sum(counts),
          ci[1],
          ci[2],
          ask$conf_level,
          digits = 1,
          null = if (k == 2) shares[i] else NA,
          format = "percent"
        )
      }),
      statistics = c(
        list(chi_squared = chi_squared, df = k - 1, p = shown, expected_min = min(expected)),
        if (small) list(p_chi_squared = p)
      ),
      effect_sizes = list(effect_size("cohens_w", "Cohen's w", w)),
      tables = list(table_of(
        "main",
        if (found$reads) found$name else capital(found$name),
        list(
          col("level", if (found$reads) found$name else capital(found$name)),
          col("count", "Count", "integer"),
          col("share", "Share", "percent", 1),
          col("expected", "Expected", "number", 1)
        ),
        lapply(seq_len(k), function(i) {
          list(level = found$rows[i], count = counts[i], share = 100 * counts[i] / sum(counts), expected = expected[i])
        }),
        footnotes = c(method, missing_note(found$n, found$reads), if (even) "Expected: all levels equally often.")
      )),
      assumptions = list(assumption(
        "expected_counts",
        "Smallest expected count",
        if (small) {
          sprintf(
            "The smallest expected count is %s, below 5: %s.",
            fixed(min(expected), 1),
            if (two) {
              "the exact binomial test was run"
            } else {
              sprintf("p was simulated with %s samples", format(SIMULATIONS, big.mark = ","))
            }
          )
        } else {
          "All expected counts are 5 or more."
        },
        min(expected),
        status = if (small) "concern" else "ok"
      )),
      warnings = if (small) {
        list(warning_of(
          "small_expected_counts",
          sprintf(
            "The smallest expected count is %s, below 5; %s.",
            fixed(min(expected), 1),
            if (two) "the exact binomial test was run" else "p was simulated"
          )
        ))
      } else {
        list()
      },
      sentence = sentence(
        fit_words(found, counts, shares, even),
        " (",
        method,
        if (small && two) ", two-sided",
        ", ",
        if (!(small && two)) paste0(it("χ²"), "(", label_of(k - 1), ") = ", fixed(chi_squared, 2), ", "),
        p_words(shown),
        "; Cohen's ",
        it("w"),
        " = ",
        fixed(w, 2),
        "; ",
        missing_words(found$n, known = found$reads),
        ")."
      ),
      script = script(
        c(
          found$lines,
          sprintf("shares <- %s / %s", literal(weights), literal(sum(weights))),
          "test <- chisq.test(counts, p = shares)",
          if (small && !two) {
            c(
              code_of("simulated_fit"),
              sprintf("simulated <- simulated_fit(unname(test$statistic), sum(counts), shares, %d)", SIMULATIONS)
            )
          },
          code_of(
            "wilson_interval",
            if (small && two) c("is_rejected", "matching_interval", "without_gap", "binomial_interval"),
            "share_intervals"
          ),
          sprintf("ci <- share_intervals(counts, shares, %s, %s)", small && two, literal(ask$conf_level)),
          "id <- paste0(\"share_\", seq_along(counts))",
          "result <- c(",
          paste0(
            "  setNames(counts / sum(counts), id), setNames(ci[1, ], paste0(id, ",
            "\"_low\")), setNames(ci[2, ], paste0(id, \"_high\")),"
          ),
          sprintf(
            paste0(
              "  chi_squared = unname(test$statistic), df = unname(test$parameter), ",
              "p = %s, expected_min = min(test$expected),"
            ),
            if (small) {
              if (two) "binom.test(counts[1], sum(counts), shares[1])$p.value" else "simulated"
            } else {
              "test$p.value"
            }
          ),
          if (small) "  p_chi_squared = test$p.value,",
          "  cohens_w = unname(sqrt(test$statistic / sum(counts)))",
          ")"
        ),
        reads = found$reads
      )
    )
  }
)

# "Race was white in 96 of 189 (50.8%), ..., compared with equal shares (33.3% each)".
fit_words <- function(found, counts, shares, even) {
  k <- length(counts)
  name <- if (found$reads) paste(found$name, "was") else "The level was"
  against <- if (even) {
    sprintf("equal shares (%s%% each)", fixed(100 / k, 1))
  } else if (k <= 6) {
    sprintf("expected shares of %s", listed(sprintf("%s%% (%s)", fixed(100 * shares, 1), found$rows)))
  } else {
    "the expected shares"
  }
  if (k > 6) {
    return(sprintf(
      "The %s levels of %s were compared with %s",
      label_of(k),
      if (found$reads) found$name else "the table",
      against
    ))
  }
  said <- c(of_words(counts[1], sum(counts)), vapply(counts[-1], share, "", of = sum(counts)))
  sprintf("%s %s, compared with %s", name, listed(sprintf("%s in %s", found$rows, said)), against)
}

# Returns the share of `times` simulated samples that fit as badly or worse (Hope 1968). R's own simulation draws every
# single row, which takes gigabytes for large counts.
simulated_fit <- function(chi_squared, n, shares, times) {
  drawn <- rmultinom(times, n, shares)
  worse <- colSums((drawn - n * shares)^2 / (n * shares)) >= chi_squared * (1 - 1e-9)
  (1 + sum(worse)) / (times + 1)
}

# Returns the interval of each share. With two levels it agrees with the test: Wilson's for chi-square, the exact test's
# for the exact test. With more levels each share has its own interval, which the single test of all does not cover.
share_intervals <- function(counts, shares, exact, conf_level) {
  n <- sum(counts)
  if (!exact) {
    return(vapply(counts, wilson_interval, c(0, 0), of = n, conf_level = conf_level))
  }
  first <- binomial_interval(counts[1], n, shares[1], conf_level)
  cbind(first, rev(1 - first))
}

# Returns the counts of one categorical variable, from a column or from typed counts.
counted_once <- function(ask) {
  given <- ask$params$counts
  if (!is.null(given)) {
    if (!is.null(ask$params$column)) {
      refuse("bad_option", "Give either a column or counts, not both.", field = "params.counts")
    }
    if (length(given) < 2) {
      refuse("group_levels", "At least two counts are needed.", field = "params.counts")
    }
    if (any(given != round(given)) || sum(given) > MOST_COUNT) {
      refuse("bad_option", "Counts are whole numbers, at most 1,000,000,000 in all.", field = "params.counts")
    }
    if (sum(given) == 0) {
      refuse("too_few_observations", "All counts are 0.", field = "params.counts")
    }
    return(list(
      counts = given,
      n = count_of(sum(given)),
      rows = sprintf("Level %d", seq_along(given)),
      name = "counts",
      lines = sprintf("counts <- %s", literal(given)),
      reads = FALSE
    ))
  }
  if (is.null(ask$params$column)) {
    refuse("unknown_column", "Grouping is missing.", field = "params.column", hint = "Choose a column, or give counts.")
  }
  found <- complete(column = factor_of(ask, "column", levels = c(2, MOST_LEVELS)))
  all <- levels(found$used$column)
  list(
    counts = as.numeric(table(found$used$column)),
    n = found$n,
    rows = level_words(all, 80),
    name = label(name_of(ask, "column")),
    lines = c(sprintf("column <- %s", factor_code(ask, ask$params$column, all)), "counts <- as.numeric(table(column))"),
    reads = TRUE
  )
}
