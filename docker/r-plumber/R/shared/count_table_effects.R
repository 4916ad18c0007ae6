# Effect sizes of tables of counts: Cramér's V, and for a 2 x 2 table the odds ratio and the difference of shares, with
# the intervals that agree with the test that was run.

# Returns the lower limit of Cramér's V from the noncentral chi-square distribution (Smithson 2003, Confidence
# Intervals, p. 40). Beyond 10,000 the root of chi-square is practically normal, and R's noncentral routine is not
# exact. V cannot be negative and the test is one-sided, so the interval is one-sided: it excludes 0 if chi-square is
# significant.
v_limit <- function(chi_squared, df, n, smaller, conf_level) {
  ncp <- if (chi_squared > 10000) {
    max(0, sqrt(chi_squared) - qnorm(conf_level))^2
  } else if (pchisq(chi_squared, df) <= conf_level) {
    0
  } else {
    uniroot(function(ncp) pchisq(chi_squared, df, ncp) - conf_level, c(0, 2 * chi_squared + 100), tol = 1e-10)$root
  }
  min(1, sqrt(ncp / (n * smaller)))
}

# Pearson's chi-square without correction (as chisq.test) and Cramér's V with its lower limit. With Fisher's test V has
# no interval, because chi-square's would belong to another p.
chi_square_numbers <- function(counts, conf_level, exact = FALSE) {
  expected <- outer(rowSums(counts), colSums(counts)) / sum(counts)
  chi_squared <- sum((counts - expected)^2 / expected)
  df <- prod(dim(counts) - 1)
  smaller <- min(dim(counts)) - 1
  c(
    chi_squared = chi_squared,
    df = df,
    p_chi_squared = stats::pchisq(chi_squared, df, lower.tail = FALSE),
    expected_min = min(expected),
    expected_11 = expected[1, 1],
    cramers_v = sqrt(chi_squared / (sum(counts) * smaller)),
    cramers_v_low = if (exact) NA else v_limit(chi_squared, df, sum(counts), smaller, conf_level)
  )
}

# Returns Cramér's V as an effect size.
cramer <- function(numbers, conf_level) {
  if (is.na(numbers[["cramers_v_low"]])) {
    return(list(effect_size("cramers_v", "Cramér's V", numbers[["cramers_v"]])))
  }
  list(effect_size(
    "cramers_v",
    "Cramér's V",
    numbers[["cramers_v"]],
    numbers[["cramers_v_low"]],
    1,
    method = "non-central chi-square, one-sided",
    conf_level = conf_level,
    side = "least"
  ))
}

# Returns the script lines of chi_square_numbers().
chi_square_code <- function(conf_level, exact = FALSE) {
  c(
    code_of(if (!exact) "v_limit", "chi_square_numbers"),
    sprintf("numbers <- chi_square_numbers(counts, %s, exact = %s)", literal(conf_level), exact)
  )
}

# The same as script code of the result.
V_RESULT <- c(
  exact = "  numbers[\"cramers_v\"]",
  score = "  numbers[c(\"cramers_v\", \"cramers_v_low\")], cramers_v_high = 1"
)

# With Pearson's chi-square: the odds ratio ad / bc and the difference of shares, with the intervals of the same score
# test (Cornfield 1956; Mee 1984, Biometrics 40:1175; Miettinen and Nurminen 1985, Stat Med 4:213). Both compare the
# second row with the first, in the second column.
two_by_two <- function(found, conf_level) {
  made <- two_by_two_numbers(found$counts, conf_level)
  what <- compared_words(found)
  list(
    estimate(
      "odds_ratio",
      sprintf("Odds ratio of %s", what),
      made$odds_ratio[1],
      made$odds_ratio[2],
      made$odds_ratio[3],
      conf_level,
      digits = ratio_digits(made$odds_ratio)
    ),
    estimate(
      "risk_difference",
      sprintf("Difference in share of %s", what),
      made$difference[1],
      made$difference[2],
      made$difference[3],
      conf_level,
      digits = 1,
      null = 0,
      format = "percent"
    )
  )
}

# Returns the odds ratio and the difference of shares with their score intervals.
two_by_two_numbers <- function(counts, conf_level) {
  z <- qnorm(1 - (1 - conf_level) / 2)
  root <- function(gap, from, to, otherwise) {
    if (gap(from) * gap(to) < 0) uniroot(gap, c(from, to), tol = 1e-12)$root else otherwise
  }
  # The odds ratio: expected counts with the same totals that are z standard errors away.
  a <- counts[1, 1]
  expected <- function(a) matrix(c(a, sum(counts[, 1]) - a, sum(counts[1, ]) - a, counts[2, 2] - counts[1, 1] + a), 2)
  gap <- function(at) if (at == a) -z^2 else (a - at)^2 * sum(1 / expected(at)) - z^2
  ratio <- function(at) {
    if (is.na(at)) {
      NA
    } else {
      e <- expected(at)
      e[1, 1] * e[2, 2] / (e[1, 2] * e[2, 1])
    }
  }
  least <- max(0, counts[1, 1] - counts[2, 2])
  most <- min(sum(counts[1, ]), sum(counts[, 1]))
  edge <- 1e-12 * (most - least)
  low <- if (a == least) 0 else ratio(root(gap, least + edge, a, NA))
  high <- if (a == most) Inf else ratio(root(gap, a, most - edge, NA))
  # The difference: the best-fitting shares that differ by `delta`, from the cubic equation of Miettinen and Nurminen.
  n <- rowSums(counts)
  x <- counts[, 2]
  p <- x / n
  score <- function(delta) {
    if (delta == p[2] - p[1]) {
      return(0)
    }
    N <- sum(n)
    L2 <- (n[2] + 2 * n[1]) * delta - N - sum(x)
    L1 <- (n[1] * delta - N - 2 * x[1]) * delta + sum(x)
    L0 <- x[1] * delta * (1 - delta)
    q <- L2^3 / (27 * N^3) - L1 * L2 / (6 * N^2) + L0 / (2 * N)
    r <- (if (q < 0) -1 else 1) * sqrt(max(0, L2^2 / (9 * N^2) - L1 / (3 * N)))
    angle <- if (r == 0) 0 else q / r^3
    first <- min(1, max(0, 2 * r * cos((pi + acos(min(1, max(-1, angle)))) / 3) - L2 / (3 * N)))
    second <- min(1, max(0, first + delta))
    (p[2] - p[1] - delta) / sqrt(first * (1 - first) / n[1] + second * (1 - second) / n[2])
  }
  difference <- p[2] - p[1]
  inside <- 1 - 1e-9
  list(
    odds_ratio = c(counts[1, 1] * counts[2, 2] / (counts[1, 2] * counts[2, 1]), low, high),
    difference = c(
      difference,
      if (difference <= -inside) -1 else root(function(d) score(d) - z, -inside, difference, -1),
      if (difference >= inside) 1 else root(function(d) score(d) + z, difference, inside, 1)
    )
  )
}

# With Fisher's test: R's conditional odds ratio with the interval of the same test. `p` and `side` belong to the test.
exact_ratio <- function(found, p, side, conf_level) {
  ci <- exact_ratio_limits(found$counts, p, side, conf_level)
  value <- stats::fisher.test(found$counts, conf.int = FALSE)$estimate
  estimate(
    "odds_ratio_exact",
    sprintf("Odds ratio (conditional) of %s, interval of the test", compared_words(found)),
    value,
    ci[1],
    ci[2],
    conf_level,
    digits = ratio_digits(c(value, ci)),
    side = if (side != "two.sided") side
  )
}

# Returns the limits of the exact odds ratio.
exact_ratio_limits <- function(counts, p, side, conf_level) {
  if (side == "two.sided") {
    return(fisher_interval(counts, p, conf_level))
  }
  stats::fisher.test(counts, alternative = side, conf.level = conf_level)$conf.int
}

# Returns the script lines for exact_ratio(), where `test` is the test whose p is shown.
exact_ratio_code <- function(side, conf_level) {
  c(
    code_of("is_rejected"),
    code_of("matching_interval"),
    code_of("without_gap"),
    code_of("fisher_interval"),
    code_of("exact_ratio_limits"),
    sprintf("ratio_ci <- exact_ratio_limits(counts, test$p.value, %s, %s)", quoted(side), literal(conf_level))
  )
}

EXACT_RESULT <- paste0(
  "  odds_ratio_exact = unname(test$estimate), odds_ratio_exact_low ",
  "= ratio_ci[1], odds_ratio_exact_high = ratio_ci[2],"
)

# Returns the script lines of two_by_two().
two_by_two_code <- function(conf_level) {
  c(code_of("two_by_two_numbers"), sprintf("two <- two_by_two_numbers(counts, %s)", literal(conf_level)))
}

# Returns an estimate without its interval, because another test than the interval's was run.
without_interval <- function(one) {
  one$ci <- array_of(c(NA_real_, NA_real_))
  one
}

# Returns the note on the interval of the odds ratio of Fisher's test.
exact_note <- function(estimates) {
  if (anyNA(ci_of(estimates[[1]]))) {
    return("The odds ratios that Fisher's test does not reject form no single interval here, so none is shown.")
  }
  "The interval of the odds ratio is that of the same test: the odds ratios which Fisher's test does not reject."
}

TWO_VALUES <- "  odds_ratio = two$odds_ratio[1], risk_difference = two$difference[1],"

TWO_RESULT <- c(
  "  odds_ratio = two$odds_ratio[1], odds_ratio_low = two$odds_ratio[2], odds_ratio_high = two$odds_ratio[3],",
  paste0(
    "  risk_difference = two$difference[1], risk_difference_low = ",
    "two$difference[2], risk_difference_high = two$difference[3],"
  )
)
