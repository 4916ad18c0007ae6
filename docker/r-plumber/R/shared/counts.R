# Tables of counts (SPEC N3): what chi-square, Fisher and McNemar share. Counts come as two columns or as rows of numbers.

MOST_COUNT <- 1e9 # in all: R's own routines count in 32 bits
EXACT_SECONDS <- 4 # for Fisher beyond 2 x 2, before it is simulated
MOST_EXACT <- 400 # cells: beyond that it is simulated at once
MOST_SIMULATED <- 10000 # cells
SIMULATIONS <- 10000

# The table of an ask: list(counts, n, rows, columns, row_name, column_name, lines, reads). `counts` is a matrix without
# names, `lines` is the script that makes it. `square` gives both columns the same levels (McNemar).
counted <- function(ask, square = FALSE) {
  given <- ask$params$counts
  if (!is.null(given) && (!is.null(ask$params$row) || !is.null(ask$params$column))) {
    refuse("bad_option", "Give either two columns or counts, not both.", field = "params.counts")
  }
  found <- if (is.null(given)) counted_columns(ask, square) else counted_given(given)
  found$name <- sprintf("%s by %s", found$row_name, found$column_name)
  found
}

counted_columns <- function(ask, square) {
  for (param in c("row", "column")) if (is.null(ask$params[[param]])) {
    refuse("unknown_column", sprintf("%s are missing.", capital(paste0(param, "s"))), field = paste0("params.", param), hint = "Choose two columns, or give counts.")
  }
  if (ask$params$row == ask$params$column) refuse("bad_option", "Rows and columns are the same column.", field = "params.column", column = ask$params$column)
  least <- if (square) 1 else 2
  found <- complete(row = factor_of(ask, "row", levels = c(least, MOST_LEVELS)), column = factor_of(ask, "column", levels = c(least, MOST_LEVELS)))
  used <- found$used
  if (square) {
    all <- square_levels(ask, used)
    used[] <- lapply(used, function(one) factor(as.character(one), levels = all))
  } else {
    for (param in c("row", "column")) if (nlevels(used[[param]]) < 2) {
      refuse("group_levels", sprintf("Only one level of %s is left once incomplete rows are out.", name_of(ask, param)),
        field = paste0("params.", param), column = ask$params[[param]])
    }
  }
  list(
    counts = unclass(unname(table(used$row, used$column))), n = found$n, rows = vapply(levels(used$row), label, "", USE.NAMES = FALSE),
    columns = vapply(levels(used$column), label, "", USE.NAMES = FALSE), row_name = label(name_of(ask, "row")), column_name = label(name_of(ask, "column")),
    lines = c(
      sprintf("row <- %s", factor_code(ask, ask$params$row, levels(used$row))),
      sprintf("column <- %s", factor_code(ask, ask$params$column, levels(used$column))),
      "counts <- unclass(unname(table(row, column)))"
    ), reads = TRUE
  )
}

# The levels of either column, in the order of the first.
square_levels <- function(ask, used) {
  all <- union(levels(used$row), levels(used$column))
  if (length(all) > 2 && !length(intersect(levels(used$row), levels(used$column)))) {
    refuse("group_levels", sprintf("%s and %s have no level in common, so they are not two measurements of the same thing.", name_of(ask, "row"), name_of(ask, "column")),
      field = "params.column", column = ask$params$column, suggest = "chi_square")
  }
  given <- c(ask$data[[ask$params$row]]$levels, ask$data[[ask$params$column]]$levels)
  if (length(given)) all <- c(intersect(unique(given), all), setdiff(all, given)) else if (all(grepl("^-?[0-9.]+$", all))) all <- all[order(as.numeric(all))] else all <- sort(all, method = "radix")
  all
}

counted_given <- function(given) {
  bad <- function(says) refuse("bad_option", says, field = "params.counts", hint = "Each row and each column needs a count above 0.")
  if (min(dim(given)) < 2) bad("Counts have at least two rows and two columns.")
  if (sum(given) > MOST_COUNT) bad("The counts add up to more than 1,000,000,000.")
  if (sum(given) == 0) refuse("too_few_observations", "All counts are 0.", field = "params.counts")
  storage.mode(given) <- "double"
  list(
    counts = given, n = count_of(sum(given)), rows = sprintf("Row %d", seq_len(nrow(given))), columns = sprintf("Column %d", seq_len(ncol(given))),
    row_name = "rows", column_name = "columns",
    lines = sprintf("counts <- matrix(%s, nrow = %d, byrow = TRUE)", literal(as.vector(t(given))), nrow(given)), reads = FALSE
  )
}

# Chi-square divides by the totals of rows and columns.
refuse_empty <- function(found) {
  if (any(rowSums(found$counts) == 0)) refuse("too_few_observations", sprintf("%s has no count.", found$rows[which(rowSums(found$counts) == 0)[1]]), field = "params.counts")
  if (any(colSums(found$counts) == 0)) refuse("too_few_observations", sprintf("%s has no count.", found$columns[which(colSums(found$counts) == 0)[1]]), field = "params.counts")
}

expected_of <- function(counts) outer(rowSums(counts), colSums(counts)) / sum(counts)

# Counts with the share of each row's total, n (%), and a column of totals.
count_table <- function(found, footnotes) {
  keys <- sprintf("column_%d", seq_along(found$columns))
  rows <- lapply(seq_along(found$rows), function(i) {
    cells <- lapply(found$counts[i, ], share, of = sum(found$counts[i, ]))
    c(list(row = found$rows[i]), stats::setNames(cells, keys), list(total = sum(found$counts[i, ])))
  })
  total <- c(list(row = "Total"), stats::setNames(lapply(colSums(found$counts), share, of = sum(found$counts)), keys), list(total = sum(found$counts)))
  heads <- if (found$column_name == "columns") found$columns else paste0(found$column_name, ": ", found$columns)
  table_of("main", capital(found$name),
    c(list(col("row", capital(found$row_name))), Map(function(key, head) col(key, head, align = "right"), keys, heads), list(col("total", "Total", "integer"))),
    c(rows, list(total)), c("Counts with the share of each row, n (%).", footnotes)
  )
}

# Cramér's V and its interval through the non-central chi-square distribution (Smithson 2003, Confidence Intervals, p. 40);
# beyond 10,000 the root of chi-square is as good as normal, and R's non-central routine is not exact.
v_interval <- function(chi_squared, df, n, smaller, conf_level) {
  tail <- (1 - conf_level) / 2
  if (chi_squared > 10000) {
    ncp <- pmax(0, sqrt(chi_squared) + c(-1, 1) * qnorm(1 - tail))^2
  } else {
    at <- function(share) {
      if (pchisq(chi_squared, df) <= share) return(0)
      uniroot(function(ncp) pchisq(chi_squared, df, ncp) - share, c(0, 2 * chi_squared + 100), tol = 1e-10)$root
    }
    ncp <- c(at(1 - tail), at(tail))
  }
  pmin(1, sqrt(ncp / (n * smaller)))
}

cramer <- function(counts, conf_level) {
  expected <- expected_of(counts)
  chi_squared <- sum((counts - expected)^2 / expected)
  df <- (nrow(counts) - 1) * (ncol(counts) - 1)
  smaller <- min(dim(counts)) - 1
  ci <- v_interval(chi_squared, df, sum(counts), smaller, conf_level)
  list(effect_size("cramers_v", "Cramér's V", sqrt(chi_squared / (sum(counts) * smaller)), ci[1], ci[2], method = "non-central chi-square"))
}

cramer_code <- function(conf_level) c(
  code_of("v_interval"),
  "expected <- outer(rowSums(counts), colSums(counts)) / sum(counts)",
  "chi_squared <- sum((counts - expected)^2 / expected)",
  "smaller <- min(dim(counts)) - 1",
  sprintf("v_ci <- v_interval(chi_squared, prod(dim(counts) - 1), sum(counts), smaller, %s)", literal(conf_level)),
  "v <- sqrt(chi_squared / (sum(counts) * smaller))"
)

# Of a 2 x 2 table: the odds ratio ad / bc with Woolf's interval, and the difference of shares with Newcombe's interval
# (1998, Statistics in Medicine 17:873, method 10). Both read: the second column, second row against the first.
two_by_two <- function(found, conf_level) {
  counts <- found$counts
  made <- two_by_two_numbers(counts, conf_level)
  what <- sprintf("%s, %s against %s", found$columns[2], found$rows[2], found$rows[1])
  list(
    estimate("odds_ratio", sprintf("Odds ratio of %s", what), made$odds_ratio[1], made$odds_ratio[2], made$odds_ratio[3], conf_level),
    estimate("risk_difference", sprintf("Difference in share of %s", what), made$difference[1], made$difference[2], made$difference[3], conf_level)
  )
}

two_by_two_numbers <- function(counts, conf_level) {
  z <- qnorm(1 - (1 - conf_level) / 2)
  odds_ratio <- counts[1, 1] * counts[2, 2] / (counts[1, 2] * counts[2, 1])
  or_ci <- if (all(counts > 0)) odds_ratio * exp(c(-1, 1) * z * sqrt(sum(1 / counts))) else c(NA, NA)
  n <- rowSums(counts)
  p <- counts[, 2] / n
  centre <- (p + z^2 / (2 * n)) / (1 + z^2 / n)
  half <- z * sqrt(p * (1 - p) / n + z^2 / (4 * n^2)) / (1 + z^2 / n)
  low <- p - (centre - half)
  high <- (centre + half) - p
  difference <- p[2] - p[1]
  list(
    odds_ratio = c(odds_ratio, or_ci),
    difference = c(difference, difference - sqrt(low[2]^2 + high[1]^2), difference + sqrt(high[2]^2 + low[1]^2))
  )
}

two_by_two_code <- function(conf_level) c(code_of("two_by_two_numbers"), sprintf("two <- two_by_two_numbers(counts, %s)", literal(conf_level)))

TWO_RESULT <- c(
  "  odds_ratio = two$odds_ratio[1], odds_ratio_low = two$odds_ratio[2], odds_ratio_high = two$odds_ratio[3],",
  "  risk_difference = two$difference[1], risk_difference_low = two$difference[2], risk_difference_high = two$difference[3],"
)

# "44 of 120 (36.7%) in steroid and 64 of 120 (53.3%) in control", for the second of two columns.
shares_words <- function(found) {
  totals <- rowSums(found$counts)
  listed(sprintf("%s of %s (%s) in %s", vapply(found$counts[, 2], label_of, ""), vapply(totals, label_of, ""),
    vapply(seq_along(totals), function(i) if (totals[i] > 0) paste0(fmt(100 * found$counts[i, 2] / totals[i], 1), "%") else "none", ""), found$rows))
}

# Fisher's exact test beyond 2 x 2: exact where R manages it in time and memory, else simulated with the seed. Gives
# list(p, simulated).
fisher_rc <- function(counts) {
  if (length(counts) > MOST_SIMULATED) {
    refuse("too_large", sprintf("A table of %d rows and %d columns is too large for Fisher's exact test.", nrow(counts), ncol(counts)), field = "params.row",
      hint = "Join rare levels, so that every expected count reaches 5.")
  }
  if (sum(counts) > 1e7) refuse("too_large", "The counts are too large for Fisher's exact test.", field = "params.counts", suggest = "chi_square")
  exact <- if (length(counts) <= MOST_EXACT) tryCatch(within_seconds(function() stats::fisher.test(counts, workspace = 2e7)$p.value, EXACT_SECONDS), error = function(problem) NULL)
  if (is.numeric(exact)) return(list(p = min(1, exact), simulated = FALSE))
  list(p = stats::fisher.test(counts, simulate.p.value = TRUE, B = SIMULATIONS)$p.value, simulated = TRUE)
}

# What `work()` gives, NULL when it failed or took longer. Native code does not look at the clock, so it runs in a fork.
within_seconds <- function(work, seconds) {
  job <- parallel::mcparallel(work(), mc.set.seed = FALSE, silent = TRUE)
  given <- suppressWarnings(parallel::mccollect(job, wait = FALSE, timeout = seconds))
  if (is.null(given)) tools::pskill(job$pid, tools::SIGKILL)
  suppressWarnings(try(parallel::mccollect(job, wait = TRUE), silent = TRUE))
  if (is.null(given) || inherits(given[[1]], "try-error")) NULL else given[[1]]
}

fisher_rc_code <- function(simulated) {
  if (simulated) sprintf("test <- fisher.test(counts, simulate.p.value = TRUE, B = %d)", SIMULATIONS) else "test <- fisher.test(counts, workspace = 2e7)"
}

simulated_words <- function() sprintf("p was simulated with %s tables, since the exact one takes too long for a table of this size.", format(SIMULATIONS, big.mark = ","))
