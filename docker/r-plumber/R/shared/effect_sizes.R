# Effect sizes of the comparisons of groups and their intervals.

# Rank-biserial correlation of two groups: 2 W / (n1 n2) - 1 (Wendt 1972; W as wilcox.test() gives it), with the interval by
# Fisher's transformation and the large-sample error of W without a difference. No interval where it is -1 or 1.
rank_biserial <- function(W, n1, n2, conf_level) {
  r <- 2 * W / (n1 * n2) - 1
  se <- sqrt((n1 + n2 + 1) / (3 * n1 * n2))
  half <- if (abs(r) < 1) stats::qnorm(1 - (1 - conf_level) / 2) * se else NA
  c(value = r, low = tanh(atanh(r) - half), high = tanh(atanh(r) + half))
}

# The same of pairs: the sum of positive ranks less that of negative ones, over all (Kerby 2014, Compr Psychol 3:1).
rank_biserial_paired <- function(differences, conf_level) {
  differences <- differences[differences != 0]
  n <- length(differences)
  total <- n * (n + 1) / 2
  r <- sum(sign(differences) * rank(abs(differences))) / total
  se <- sqrt(n * (n + 1) * (2 * n + 1) / 6) / total
  half <- if (abs(r) < 1) stats::qnorm(1 - (1 - conf_level) / 2) * se else NA
  c(value = r, low = tanh(atanh(r) - half), high = tanh(atanh(r) + half))
}

# Eta squared of a one-way analysis of variance, its interval from the noncentral F distribution (Steiger 2004, Psychol
# Methods 9:164: lambda / (lambda + N)), and omega squared (Hays 1963).
eta_squared <- function(F, df1, df2, conf_level) {
  total <- df1 + df2 + 1
  tail <- (1 - conf_level) / 2
  limit <- function(probability) {
    if (!is.finite(F)) return(NA)
    above <- function(ncp) suppressWarnings(stats::pf(F, df1, df2, ncp)) - probability
    if (above(0) < 0) return(0)
    most <- 10 + 4 * F * df1
    while (above(most) > 0 && most < 1e5) most <- 2 * most
    if (above(most) > 0) return(NA)
    ncp <- stats::uniroot(above, c(0, most), tol = 1e-10)$root
    ncp / (ncp + total)
  }
  value <- F * df1 / (F * df1 + df2)
  ci <- c(limit(1 - tail), limit(tail))
  if (anyNA(ci) || value > ci[2]) ci <- c(NA, NA) # an F far below 1 gives 0 to 0, which leaves the estimate out
  c(
    value = value, low = ci[1], high = ci[2],
    omega = max(0, df1 * (F - 1) / (df1 * (F - 1) + total))
  )
}

# Cohen's d of pairs over the average SD of both measurements, its interval (Borenstein 2009, Introduction to Meta-Analysis,
# eq. 4.28, r being the correlation of the pairs), Hedges' g with n - 1 degrees of freedom, and d over the SD of the differences.
paired_d <- function(first, second, conf_level) {
  n <- length(first)
  d <- (mean(first) - mean(second)) / sqrt((stats::var(first) + stats::var(second)) / 2)
  r <- if (stats::sd(first) > 0 && stats::sd(second) > 0) stats::cor(first, second) else NA
  half <- stats::qnorm(1 - (1 - conf_level) / 2) * sqrt((1 / n + d^2 / (2 * n)) * 2 * (1 - r))
  c(value = d, low = d - half, high = d + half, g = d * (1 - 3 / (4 * (n - 1) - 1)), dz = mean(first - second) / stats::sd(first - second))
}

# Cohen's d of one sample against a value, with its large-sample interval (Hedges and Olkin 1985).
one_sample_d <- function(values, mu, conf_level) {
  n <- length(values)
  d <- (mean(values) - mu) / stats::sd(values)
  half <- stats::qnorm(1 - (1 - conf_level) / 2) * sqrt(1 / n + d^2 / (2 * n))
  c(value = d, low = d - half, high = d + half, g = d * (1 - 3 / (4 * (n - 1) - 1)))
}

# Standardised mean difference of numbers: the difference over the root of the mean variance, without its sign. Of more than
# two groups the average over all pairs (Austin 2009, Stat Med 28:3083; as the tableone package does).
smd_numbers <- function(values, group) {
  means <- tapply(values, group, mean, na.rm = TRUE)
  variances <- tapply(values, group, stats::var, na.rm = TRUE)
  pairs <- utils::combn(length(means), 2)
  difference <- abs(means[pairs[1, ]] - means[pairs[2, ]])
  smd <- difference / sqrt((variances[pairs[1, ]] + variances[pairs[2, ]]) / 2)
  mean(ifelse(difference == 0, 0, smd))
}

# The same of categories: the Mahalanobis distance of the shares of the levels (Yang and Dalton 2012, SAS Global Forum 335), by
# a generalised inverse, since the shares add up to 1. NA where groups share no level, so that there is no spread to divide by.
smd_levels <- function(values, group) {
  shares <- prop.table(table(values, group), 2)
  pairs <- utils::combn(ncol(shares), 2)
  distance <- function(i, j) {
    difference <- shares[, i] - shares[, j]
    if (anyNA(difference)) return(NA)
    if (all(difference == 0)) return(0)
    covariance <- function(share) diag(share, length(share)) - outer(share, share)
    parts <- svd((covariance(shares[, i]) + covariance(shares[, j])) / 2)
    real <- parts$d > 1e-10
    if (!any(real)) return(NA)
    along <- drop(crossprod(parts$u[, real, drop = FALSE], difference))
    if (sum(difference^2) - sum(along^2) > 1e-10) return(NA)
    sqrt(sum(along^2 / parts$d[real]))
  }
  mean(mapply(distance, pairs[1, ], pairs[2, ]))
}
