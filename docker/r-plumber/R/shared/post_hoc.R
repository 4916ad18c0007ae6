# Pairwise comparisons of groups, and Levene's test. All are implemented from their formulas in base R.

MOST_GROUPS_COMPARED <- 20 # 190 pairs; nobody reads more

# Returns the critical value of the studentised range for each of `df`, as exact as ptukey(): qtukey() alone has only
# four digits, so an interval could contradict its p.
tukey_critical <- function(conf_level, groups, df) {
  vapply(
    df,
    function(one) {
      near <- suppressWarnings(stats::qtukey(conf_level, groups, one))
      gap <- function(q) suppressWarnings(stats::ptukey(q, groups, one)) - conf_level
      ends <- near * c(0.99, 1.01)
      if (!is.finite(near) || !is.finite(gap(near)) || gap(ends[1]) * gap(ends[2]) >= 0) {
        return(near)
      }
      stats::uniroot(gap, ends, tol = 1e-10)$root
    },
    0,
    USE.NAMES = FALSE
  )
}

# All pairs of groups by Games and Howell 1976 (J Educ Stat 1:113): Welch's t for each pair, p from the studentised
# range. Returns a row for each pair: positions of the groups, difference of means (first minus second) with interval,
# se, t, df, p.
games_howell <- function(values, group, conf_level) {
  n <- tapply(values, group, length)
  means <- tapply(values, group, mean)
  se2 <- tapply(values, group, stats::var) / n
  pairs <- utils::combn(length(n), 2)
  i <- pairs[1, ]
  j <- pairs[2, ]
  difference <- means[i] - means[j]
  se <- sqrt(se2[i] + se2[j])
  df <- (se2[i] + se2[j])^2 / (se2[i]^2 / (n[i] - 1) + se2[j]^2 / (n[j] - 1))
  t <- difference / se
  p <- suppressWarnings(stats::ptukey(abs(t) * sqrt(2), length(n), df, lower.tail = FALSE))
  half <- tukey_critical(conf_level, length(n), df) / sqrt(2) * se
  data.frame(
    first = i,
    second = j,
    difference,
    low = difference - half,
    high = difference + half,
    se,
    t,
    df,
    p,
    row.names = NULL
  )
}

# All pairs of groups by Tukey and Kramer (Kramer 1956, Biometrics 12:307): one pooled variance. Rows as in
# games_howell().
tukey_kramer <- function(values, group, conf_level) {
  n <- tapply(values, group, length)
  means <- tapply(values, group, mean)
  df <- sum(n) - length(n)
  pooled <- sum((values - stats::ave(values, group))^2) / df
  pairs <- utils::combn(length(n), 2)
  i <- pairs[1, ]
  j <- pairs[2, ]
  difference <- means[i] - means[j]
  se <- sqrt(pooled * (1 / n[i] + 1 / n[j]))
  t <- difference / se
  p <- suppressWarnings(stats::ptukey(abs(t) * sqrt(2), length(n), df, lower.tail = FALSE))
  half <- tukey_critical(conf_level, length(n), df) / sqrt(2) * se
  data.frame(
    first = i,
    second = j,
    difference,
    low = difference - half,
    high = difference + half,
    se,
    t,
    df,
    p,
    row.names = NULL
  )
}

# All pairs of groups by Dunn 1964 (Technometrics 6:241) with its correction for ties; p adjusted by Holm 1979. Returns
# a row for each pair: positions of the groups, difference of mean ranks (first minus second), se, z, p.
dunn_holm <- function(values, group) {
  ranks <- rank(values)
  total <- length(values)
  n <- tapply(ranks, group, length)
  means <- tapply(ranks, group, mean)
  tied <- table(values)
  spread <- total * (total + 1) / 12 - sum(tied^3 - tied) / (12 * (total - 1))
  pairs <- utils::combn(length(n), 2)
  i <- pairs[1, ]
  j <- pairs[2, ]
  difference <- means[i] - means[j]
  se <- sqrt(spread * (1 / n[i] + 1 / n[j]))
  z <- difference / se
  p <- stats::p.adjust(2 * stats::pnorm(-abs(z)), "holm")
  data.frame(first = i, second = j, difference, se, z, p, row.names = NULL)
}

# All pairs of columns by Wilcoxon's signed ranks, p adjusted by Holm; the difference is the median of the differences.
wilcoxon_holm <- function(values) {
  pairs <- utils::combn(ncol(values), 2)
  differences <- values[, pairs[1, ], drop = FALSE] - values[, pairs[2, ], drop = FALSE]
  p <- apply(differences, 2, function(x) if (all(x == 0)) 1 else suppressWarnings(stats::wilcox.test(x))$p.value)
  data.frame(
    first = pairs[1, ],
    second = pairs[2, ],
    difference = apply(differences, 2, stats::median),
    p = stats::p.adjust(p, "holm")
  )
}

# Levene's test: an analysis of variance of the distances from each group's centre. With the mean it is Levene's own
# (1960), with the median that of Brown and Forsythe 1974 (JASA 69:364). F and p are NA if no distance varies within a
# group.
levene <- function(values, group, centre) {
  distance <- abs(values - stats::ave(values, group, FUN = centre))
  k <- nlevels(group)
  df <- length(values) - k
  between <- sum((stats::ave(distance, group) - mean(distance))^2)
  within <- sum((distance - stats::ave(distance, group))^2)
  if (within <= 1e-20 * sum(distance^2)) {
    return(c(F = NA, p = NA))
  }
  F <- (between / (k - 1)) / (within / df)
  c(F = F, p = stats::pf(F, k - 1, df, lower.tail = FALSE))
}

# Returns a warning that there are too many groups to compare in pairs.
not_compared <- function(k, column) {
  warning_of(
    "post_hoc_not_run",
    sprintf("With %s groups, pairs are not compared: at most %d groups are.", label_of(k), MOST_GROUPS_COMPARED),
    column
  )
}

# Returns the pairs as estimates difference_1_2 and so on, with the columns of the method (low and high, se, t, df, z,
# p).
pair_estimates <- function(pairs, groups, what, conf_level, digits = NULL) {
  lapply(seq_len(nrow(pairs)), function(row) {
    one <- as.list(pairs[row, ])
    extra <- one[intersect(c("se", "t", "df", "z", "p"), names(one))]
    do.call(
      estimate,
      c(
        list(
          id = sprintf("difference_%d_%d", one$first, one$second),
          label = sprintf("%s, %s minus %s", what, groups[one$first], groups[one$second]),
          value = one$difference,
          low = if (is.null(one$low)) NA else one$low,
          high = if (is.null(one$high)) NA else one$high,
          conf_level = conf_level,
          digits = digits,
          null = 0
        ),
        extra
      )
    )
  })
}

# The same names in a script, where `pairs` is the data frame.
pair_numbers <- function(pairs) {
  id <- paste("difference", pairs$first, pairs$second, sep = "_")
  parts <- pairs[setdiff(names(pairs), c("first", "second"))]
  unlist(lapply(names(parts), function(part) {
    stats::setNames(parts[[part]], if (part == "difference") id else paste(id, part, sep = "_"))
  }))
}

# Returns the pairs as a table of a result.
pair_table <- function(pairs, groups, title, what, footnotes, digits, conf_level, p_label = "p") {
  columns <- list(col("first", "Group"), col("second", "Compared with"), col("difference", what, "number", digits))
  if (!is.null(pairs$low)) {
    interval <- sprintf("%s%% CI", label_of(100 * conf_level))
    columns <- c(
      columns,
      list(col("low", paste(interval, "from"), "number", digits), col("high", "to", "number", digits))
    )
  }
  for (one in intersect(c("t", "df", "z"), names(pairs))) {
    columns <- c(columns, list(col(one, one, "number", if (one == "df") 1 else 2)))
  }
  columns <- c(columns, list(col("p", p_label, "p", 3)))
  keys <- setdiff(vapply(columns, `[[`, "", "key"), c("first", "second"))
  rows <- lapply(seq_len(nrow(pairs)), function(row) {
    c(list(first = groups[pairs$first[row]], second = groups[pairs$second[row]]), as.list(pairs[row, keys]))
  })
  table_of("pairs", title, columns, rows, footnotes)
}
