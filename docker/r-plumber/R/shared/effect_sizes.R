# Effect sizes of group comparisons, with their intervals.

# Rank-biserial correlation of two groups: 2 W / (n1 n2) - 1 (Wendt 1972; W and p as from wilcox.test()), with the
# interval that agrees with p. There is no interval if it is -1 or 1.
rank_biserial <- function(first, second, W, p, conf_level) {
  n <- as.numeric(c(length(first), length(second)))
  tied <- rle(sort(c(first, second)))$lengths
  error <- sqrt(prod(n) / 12 * (sum(n) + 1 - sum(tied^3 - tied) / (sum(n) * (sum(n) - 1))))
  r <- 2 * W / prod(n) - 1
  critical <- (stats::qnorm(1 - (1 - conf_level) / 2) * error + 0.5) * 2 / prod(n)
  ci <- coefficient_interval(r, settled(critical, abs(r), p, conf_level, 0.5 / prod(n)))
  c(value = r, low = ci[1], high = ci[2])
}

# Rank-biserial correlation of pairs: the sum of positive ranks minus that of negative ones, divided by the sum of all
# (Kerby 2014, Compr Psychol 3:1).
rank_biserial_paired <- function(differences, p, conf_level) {
  differences <- differences[differences != 0]
  n <- as.numeric(length(differences))
  total <- n * (n + 1) / 2
  tied <- rle(sort(abs(differences)))$lengths
  error <- sqrt(n * (n + 1) * (2 * n + 1) / 24 - sum(tied^3 - tied) / 48)
  r <- sum(sign(differences) * rank(abs(differences))) / total
  critical <- (stats::qnorm(1 - (1 - conf_level) / 2) * error + 0.5) * 2 / total
  ci <- coefficient_interval(r, settled(critical, abs(r), p, conf_level, 0.5 / total))
  c(value = r, low = ci[1], high = ci[2])
}

# Eta squared of a `test` by oneway.test().
eta_squared <- function(test) {
  between <- test$statistic[[1]] * test$parameter[[1]]
  between / (between + test$parameter[[2]])
}

# Omega squared from the F of a one-way analysis of variance of `total` values, Fisher's (Hays 1963) or Welch's (Carroll
# and Nordholm 1975, Educ Psychol Meas 35:541), with its lower limit from the noncentral F (Steiger 2004, Psychol
# Methods 9:164: lambda / (lambda + N)). It cannot be negative and the test is one-sided, so the interval is one-sided:
# it excludes 0 if the test is significant.
omega_squared <- function(F, df1, df2, total, conf_level) {
  low <- if (!is.finite(F) || !is.finite(df2)) {
    NA
  } else if (stats::pf(F, df1, df2) <= conf_level) {
    0
  } else {
    above <- function(ncp) suppressWarnings(stats::pf(F, df1, df2, ncp)) - conf_level
    most <- 10 + 4 * F * df1
    while (above(most) > 0 && most < 1e5) {
      most <- 2 * most
    }
    if (above(most) > 0) {
      NA
    } else {
      ncp <- stats::uniroot(above, c(0, most), tol = 1e-10)$root
      ncp / (ncp + total)
    }
  }
  c(value = max(0, df1 * (F - 1) / (df1 * (F - 1) + total)), low = low)
}

# Cohen's d of two groups, divided by their pooled SD, with the interval that agrees with `test` (of t.test()); and
# Hedges' g.
two_sample_d <- function(outcome, group, test, conf_level, alternative) {
  n <- tapply(outcome, group, length)
  means <- tapply(outcome, group, mean)
  df <- sum(n) - 2
  pooled <- sqrt(sum((n - 1) * tapply(outcome, group, stats::var)) / df)
  d <- (means[[1]] - means[[2]]) / pooled
  limits <- noncentral_t(test$statistic[[1]], test$parameter[[1]], conf_level, alternative) * test$stderr / pooled
  c(value = d, low = limits[1], high = limits[2], g = d * (1 - 3 / (4 * df - 1)))
}

# Cohen's d of pairs, divided by the average SD of both measurements; Hedges' g with n - 1 degrees of freedom; and d
# divided by the SD of the differences. The intervals come from the noncentral t of the paired test (Algina and Keselman
# 2003).
paired_d <- function(first, second, conf_level) {
  n <- length(first)
  average <- sqrt((stats::var(first) + stats::var(second)) / 2)
  d <- (mean(first) - mean(second)) / average
  spread <- stats::sd(first - second)
  dz <- mean(first - second) / spread
  limits <- noncentral_t(dz * sqrt(n), n - 1, conf_level) / sqrt(n)
  c(
    value = d,
    low = limits[1] * spread / average,
    high = limits[2] * spread / average,
    g = d * (1 - 3 / (4 * (n - 1) - 1)),
    dz = dz,
    dz_low = limits[1],
    dz_high = limits[2]
  )
}

# Cohen's d of one sample against a value, with the interval from the noncentral t of the test.
one_sample_d <- function(values, mu, conf_level) {
  n <- length(values)
  d <- (mean(values) - mu) / stats::sd(values)
  limits <- noncentral_t(d * sqrt(n), n - 1, conf_level) / sqrt(n)
  c(value = d, low = limits[1], high = limits[2], g = d * (1 - 3 / (4 * (n - 1) - 1)))
}

# Standardised mean difference of numbers: the absolute difference divided by the root of the mean variance. For more
# than two groups it is the average over all pairs (Austin 2009, Stat Med 28:3083; as in the package tableone).
smd_numbers <- function(values, group) {
  means <- tapply(values, group, mean, na.rm = TRUE)
  variances <- tapply(values, group, stats::var, na.rm = TRUE)
  pairs <- utils::combn(length(means), 2)
  difference <- abs(means[pairs[1, ]] - means[pairs[2, ]])
  smd <- difference / sqrt((variances[pairs[1, ]] + variances[pairs[2, ]]) / 2)
  mean(ifelse(difference == 0, 0, smd))
}

# Standardised mean difference of categories: the Mahalanobis distance of the shares of the levels (Yang and Dalton
# 2012, SAS Global Forum 335), with a generalised inverse, because the shares add up to 1. NA if groups share no level,
# because there is no spread to divide by.
smd_levels <- function(values, group) {
  shares <- prop.table(table(values, group), 2)
  pairs <- utils::combn(ncol(shares), 2)
  distance <- function(i, j) {
    difference <- shares[, i] - shares[, j]
    if (anyNA(difference)) {
      return(NA)
    }
    if (all(difference == 0)) {
      return(0)
    }
    covariance <- function(share) diag(share, length(share)) - outer(share, share)
    parts <- svd((covariance(shares[, i]) + covariance(shares[, j])) / 2)
    real <- parts$d > 1e-10
    if (!any(real)) {
      return(NA)
    }
    along <- drop(crossprod(parts$u[, real, drop = FALSE], difference))
    if (sum(difference^2) - sum(along^2) > 1e-10) {
      return(NA)
    }
    sqrt(sum(along^2 / parts$d[real]))
  }
  mean(mapply(distance, pairs[1, ], pairs[2, ]))
}

# Returns the words for a t test of one sample or of pairs, to be put into a sentence: t(df) = ..., p, Cohen's d.
t_words <- function(test, d) {
  paste0(
    it("t"),
    "(",
    label_of(test$parameter),
    ") = ",
    fixed(test$statistic),
    ", ",
    p_words(test$p.value),
    "; Cohen's ",
    it("d"),
    " = ",
    fixed(d["value"])
  )
}
