# Intervals that exclude the null value exactly if the test beside them is significant (docs/decisions/analyses.md).

# Returns whether p is below 1 - conf_level, allowing for rounding error.
is_rejected <- function(p, conf_level) !is.na(p) && p < 1 - conf_level - 1e-9

# Returns the probability that an interval excludes at each of its ends.
tail_of <- function(conf_level, side) (1 - conf_level) / if (side == "two.sided") 2 else 1

# Limits of the noncentrality of a t statistic (Steiger and Fouladi 1997; of pairs Algina and Keselman 2003, Educ
# Psychol Meas 63:537). Multiplied by the standard error and divided by an SD they are the limits of Cohen's d, and
# exclude 0 if the t test is significant.
noncentral_t <- function(t, df, conf_level, side = "two.sided") {
  if (!is.finite(t) || !is.finite(df)) {
    return(c(NA, NA))
  }
  tail <- tail_of(conf_level, side)
  at <- function(share) {
    gap <- function(ncp) suppressWarnings(stats::pt(t, df, ncp)) - share
    reach <- 4 * sqrt(1 + t^2 / (2 * df))
    low <- t - reach
    high <- t + reach
    for (tries in 1:40) {
      if (isTRUE(gap(low) < 0)) low <- low - (high - low) else break
    }
    for (tries in 1:40) {
      if (isTRUE(gap(high) > 0)) high <- high + (high - low) else break
    }
    if (!isTRUE(gap(low) >= 0 && gap(high) <= 0)) {
      return(NA)
    }
    stats::uniroot(gap, c(low, high), tol = 1e-10)$root
  }
  c(if (side == "less") -Inf else at(1 - tail), if (side == "greater") Inf else at(tail))
}

# Returns the odds ratios that an exact two-sided test does not reject; the test sums the outcomes that are not more
# likely than the observed one (as fisher.test() and binom.test() do; Fay 2010, R Journal 2(1):53). `log_weight` are the
# logarithms of the probabilities of the counts `x` at an odds ratio of 1; `bracket` is a much wider interval to search
# in. As the odds ratio grows, p changes smoothly except for jumps where another count becomes as likely as the observed
# one.
matching_interval <- function(log_weight, x, seen, conf_level, bracket) {
  ends <- log(bracket)
  dense <- function(log_ratio) {
    d <- log_weight + x * log_ratio
    exp(d - max(d))
  }
  near <- Reduce(`|`, lapply(c(ends[is.finite(ends)], 0), function(one) dense(one) > 1e-20)) | x == seen
  log_weight <- log_weight[near]
  x <- x[near]
  upper <- function(x, seen, log_weight, most) {
    if (!is.finite(most)) {
      return(Inf)
    }
    own <- log_weight[x == seen]
    above <- x > seen
    below <- x < seen
    at <- numeric(length(x))
    at[above] <- (own - log_weight[above] + 1e-7) / (x[above] - seen)
    at[below] <- (log_weight[below] - own - 1e-7) / (seen - x[below])
    p_of <- function(log_ratio, inside) {
      d <- log_weight + x * log_ratio
      d <- exp(d - max(d))
      sum(d[inside]) / sum(d) - (1 - conf_level)
    }
    rejected_in <- function(from, to) x == seen | (above & at >= to) | (below & at <= from)
    right <- most
    for (left in c(sort(at[x != seen & at < most], decreasing = TRUE), -Inf)) {
      inside <- rejected_in(left, right)
      if (left == -Inf) {
        return(right)
      }
      if (p_of(left, inside) >= 0) {
        if (p_of(right, inside) >= 0) {
          return(right)
        }
        return(stats::uniroot(p_of, c(left, right), inside = inside, tol = 1e-10)$root)
      }
      if (p_of(left, rejected_in(left, left)) >= 0) {
        return(left)
      }
      right <- left
    }
  }
  exp(c(-upper(rev(-x), -seen, rev(log_weight), -ends[1]), upper(x, seen, log_weight, ends[2])))
}

# The same for Fisher's test of a 2 x 2 table with the p value `p`. NA if the values that are not rejected have a gap at
# 1.
fisher_interval <- function(counts, p, conf_level) {
  rows <- rowSums(counts)
  column <- sum(counts[, 1])
  x <- max(0, column - rows[2]):min(rows[1], column)
  bracket <- if (min(counts) > 100) {
    counts[1, 1] *
      counts[2, 2] /
      (counts[1, 2] * counts[2, 1]) *
      exp(c(-1, 1) * (stats::qnorm(1 - (1 - conf_level) / 2) + 1) * sqrt(sum(1 / counts)))
  } else {
    stats::fisher.test(counts, conf.level = 1 - (1 - conf_level) / 500)$conf.int
  }
  ends <- matching_interval(lchoose(rows[1], x) + lchoose(rows[2], column - x), x, counts[1, 1], conf_level, bracket)
  without_gap(ends, 1, p, conf_level)
}

# Returns the interval of a share by the exact binomial test against the share `null`.
binomial_interval <- function(count, n, null, conf_level) {
  bracket <- stats::binom.test(count, n, conf.level = 1 - (1 - conf_level) / 500)$conf.int
  odds <- matching_interval(lchoose(n, 0:n), 0:n, count, conf_level, bracket / (1 - bracket))
  without_gap(
    ifelse(is.infinite(odds), 1, odds / (1 + odds)),
    null,
    stats::binom.test(count, n, null)$p.value,
    conf_level
  )
}

# Returns `ends`, corrected for rounding so that they agree with p of the value `null`; NA if that value is rejected
# while values on both sides of it are not.
without_gap <- function(ends, null, p, conf_level) {
  if (!is_rejected(p, conf_level)) {
    return(c(min(ends[1], null), max(ends[2], null)))
  }
  if (ends[1] <= null && ends[2] >= null) c(NA, NA) else ends
}

# Returns a critical value of a coefficient from -1 to 1, on the side of the observed one where the test puts it: an
# exact p has steps, so the large-sample value may be one step off.
settled <- function(critical, seen, p, conf_level, half_step) {
  rejected <- is_rejected(p, conf_level)
  if (rejected && critical >= seen) {
    seen - half_step
  } else if (!rejected && critical < seen) {
    seen + half_step
  } else {
    critical
  }
}

# Returns the interval of a coefficient by Fisher's transformation, as wide as the test's own critical value on that
# scale, so that it excludes 0 if the test is significant. `stretch` widens it away from 0. NA for -1 and 1 up to
# rounding.
coefficient_interval <- function(r, critical, side = "two.sided", stretch = 1) {
  if (is.na(r) || abs(r) >= 1 - 1e-12) {
    return(c(NA, NA))
  }
  half <- if (critical >= 1) Inf else atanh(critical) * stretch
  c(if (side == "less") -1 else tanh(atanh(r) - half), if (side == "greater") 1 else tanh(atanh(r) + half))
}

# Returns how far from 0 a location difference of 0 may be found: wilcox.test() bisects down to 1e-4 of a unit.
halving <- function(spread) min(1e-4 * spread, 2e-4)

# Returns the limits of a location difference that R finds by bisection, corrected to agree with p of no difference. If
# many values are equal they end at 0 itself, which the test may still reject (open_end()). NA if values on both sides
# of 0 are not rejected but 0 is.
place_interval <- function(ends, p, conf_level, spread) {
  if (!all(is.finite(ends))) {
    return(c(NA, NA))
  }
  ends[abs(ends) < halving(spread)] <- 0
  if (!is_rejected(p, conf_level)) {
    return(c(min(ends[1], 0), max(ends[2], 0)))
  }
  if (ends[1] * ends[2] < 0 || all(ends == 0)) c(NA, NA) else as.numeric(ends)
}

# Returns the end, low or high, of such an interval that is 0 and not part of it; "" if there is none.
open_end <- function(ends, p, conf_level) {
  if (anyNA(ends) || !is_rejected(p, conf_level)) {
    ""
  } else if (ends[[1]] == 0) {
    "low"
  } else if (ends[[2]] == 0) {
    "high"
  } else {
    ""
  }
}
