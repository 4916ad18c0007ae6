# Tables of counts (SPEC N3): the parts that chi-square, Fisher and McNemar share. Counts come as two columns or as rows
# of numbers.

MOST_COUNT <- 1e9 # in total: R's own routines count in 32 bits
EXACT_SECONDS <- 4 # processor time for Fisher's test beyond 2 x 2 before it is simulated
MOST_EXACT <- 400 # cells; larger tables are simulated at once
MOST_SIMULATED <- 10000 # cells
SIMULATIONS <- 10000

# Returns the table of a request: list(counts, n, rows, columns, row_name, column_name, lines, reads). `counts` is a
# matrix without names; `lines` is the script that makes it. `square` gives both columns the same levels (McNemar).
counted <- function(ask, square = FALSE) {
  given <- ask$params$counts
  if (!is.null(given) && (!is.null(ask$params$row) || !is.null(ask$params$column))) {
    refuse("bad_option", "Give either two columns or counts, not both.", field = "params.counts")
  }
  found <- if (is.null(given)) counted_columns(ask, square) else counted_given(given)
  found$name <- sprintf("%s by %s", found$row_name, found$column_name)
  found
}

# Returns the table of counts of two columns.
counted_columns <- function(ask, square) {
  for (param in c("row", "column")) {
    if (is.null(ask$params[[param]])) {
      refuse(
        "unknown_column",
        sprintf("%s are missing.", capital(paste0(param, "s"))),
        field = paste0("params.", param),
        hint = "Choose two columns, or give counts."
      )
    }
  }
  if (ask$params$row == ask$params$column) {
    refuse("bad_option", "Rows and columns are the same column.", field = "params.column", column = ask$params$column)
  }
  least <- if (square) 1 else 2
  found <- complete(
    row = factor_of(ask, "row", levels = c(least, MOST_LEVELS)),
    column = factor_of(ask, "column", levels = c(least, MOST_LEVELS))
  )
  used <- found$used
  if (square) {
    all <- square_levels(ask, used)
    used[] <- lapply(used, function(one) factor(as.character(one), levels = all))
  } else {
    for (param in c("row", "column")) {
      if (nlevels(used[[param]]) < 2) {
        refuse(
          "group_levels",
          sprintf("Only one level of %s is left once incomplete rows are out.", name_of(ask, param)),
          field = paste0("params.", param),
          column = ask$params[[param]]
        )
      }
    }
  }
  list(
    counts = unclass(unname(table(used$row, used$column))),
    n = found$n,
    rows = level_words(levels(used$row), 80),
    columns = level_words(levels(used$column), 80),
    row_name = label(name_of(ask, "row")),
    column_name = label(name_of(ask, "column")),
    lines = c(
      sprintf("row <- %s", factor_code(ask, ask$params$row, levels(used$row))),
      sprintf("column <- %s", factor_code(ask, ask$params$column, levels(used$column))),
      "counts <- unclass(unname(table(row, column)))"
    ),
    reads = TRUE
  )
}

# Returns the levels of both columns, in the order of the first.
square_levels <- function(ask, used) {
  all <- union(levels(used$row), levels(used$column))
  if (length(all) > 2 && !length(intersect(levels(used$row), levels(used$column)))) {
    refuse(
      "group_levels",
      sprintf(
        "%s and %s have no level in common, so they are not two measurements of the same thing.",
        name_of(ask, "row"),
        name_of(ask, "column")
      ),
      field = "params.column",
      column = ask$params$column,
      suggest = "chi_square"
    )
  }
  given <- c(ask$data[[ask$params$row]]$levels, ask$data[[ask$params$column]]$levels)
  if (length(given)) {
    all <- c(intersect(unique(given), all), setdiff(all, given))
  } else if (all(grepl("^-?[0-9.]+$", all))) {
    all <- all[order(as.numeric(all))]
  } else {
    all <- sort(all, method = "radix")
  }
  all
}

# Returns the table of typed counts.
counted_given <- function(given) {
  bad <- function(says) {
    refuse("bad_option", says, field = "params.counts", hint = "Each row and each column needs a count above 0.")
  }
  if (min(dim(given)) < 2) {
    bad("Counts have at least two rows and two columns.")
  }
  if (sum(given) > MOST_COUNT) {
    bad("The counts add up to more than 1,000,000,000.")
  }
  if (sum(given) == 0) {
    refuse("too_few_observations", "All counts are 0.", field = "params.counts")
  }
  storage.mode(given) <- "double"
  list(
    counts = given,
    n = count_of(sum(given)),
    rows = sprintf("Row %d", seq_len(nrow(given))),
    columns = sprintf("Column %d", seq_len(ncol(given))),
    row_name = "rows",
    column_name = "columns",
    lines = sprintf("counts <- matrix(%s, nrow = %d, byrow = TRUE)", literal(as.vector(t(given))), nrow(given)),
    reads = FALSE
  )
}

# Refuses a table with an empty row or column, because chi-square divides by the totals.
refuse_empty <- function(found) {
  if (any(rowSums(found$counts) == 0)) {
    refuse(
      "too_few_observations",
      sprintf("%s has no count.", found$rows[which(rowSums(found$counts) == 0)[1]]),
      field = "params.counts"
    )
  }
  if (any(colSums(found$counts) == 0)) {
    refuse(
      "too_few_observations",
      sprintf("%s has no count.", found$columns[which(colSums(found$counts) == 0)[1]]),
      field = "params.counts"
    )
  }
}

# Returns the expected counts if rows and columns are independent.
expected_of <- function(counts) outer(rowSums(counts), colSums(counts)) / sum(counts)

# Returns the table of counts with the share of each row's total, n (%), and a column of totals.
count_table <- function(found, footnotes) {
  keys <- sprintf("column_%d", seq_along(found$columns))
  rows <- lapply(seq_along(found$rows), function(i) {
    cells <- lapply(found$counts[i, ], share, of = sum(found$counts[i, ]))
    c(list(row = found$rows[i]), stats::setNames(cells, keys), list(total = sum(found$counts[i, ])))
  })
  total <- c(
    list(row = "Total"),
    stats::setNames(lapply(colSums(found$counts), share, of = sum(found$counts)), keys),
    list(total = sum(found$counts))
  )
  heads <- if (found$column_name == "columns") found$columns else paste0(found$column_name, ": ", found$columns)
  table_of(
    "main",
    if (found$reads) found$name else capital(found$name),
    c(
      list(col("row", if (found$reads) found$row_name else capital(found$row_name))),
      Map(function(key, head) col(key, head, align = "right"), keys, heads),
      list(col("total", "Total", "integer"))
    ),
    c(rows, list(total)),
    c("Counts with the share of each row, n (%).", footnotes)
  )
}

# Fisher's exact test beyond 2 x 2: exact if R manages it within time and memory, else simulated with the seed. Returns
# list(p, simulated).
fisher_rc <- function(counts) {
  if (length(counts) > MOST_SIMULATED) {
    refuse(
      "too_large",
      sprintf("A table of %d rows and %d columns is too large for Fisher's exact test.", nrow(counts), ncol(counts)),
      field = "params.row",
      hint = "Join rare levels, so that every expected count reaches 5."
    )
  }
  if (sum(counts) > 1e7) {
    refuse(
      "too_large",
      "The counts are too large for Fisher's exact test.",
      field = "params.counts",
      suggest = "chi_square"
    )
  }
  exact <- if (length(counts) <= MOST_EXACT) {
    tryCatch(
      within_seconds(function() stats::fisher.test(counts, workspace = 2e7)$p.value, EXACT_SECONDS),
      error = function(problem) NULL
    )
  }
  if (is.numeric(exact)) {
    return(list(p = min(1, exact), simulated = FALSE))
  }
  list(p = stats::fisher.test(counts, simulate.p.value = TRUE, B = SIMULATIONS)$p.value, simulated = TRUE)
}

# Returns the value of `work()`, NULL if it failed or used more processor time. It runs in a fork, because native code
# cannot be interrupted. The limit is processor time, so that the same table gives the same p on a busy machine.
within_seconds <- function(work, seconds) {
  job <- parallel::mcparallel(work(), mc.set.seed = FALSE, silent = TRUE)
  given <- NULL
  while (is.null(given) && processor_time(job$pid) <= seconds) {
    given <- suppressWarnings(parallel::mccollect(job, wait = FALSE, timeout = 0.2))
  }
  if (is.null(given)) {
    tools::pskill(job$pid, tools::SIGKILL)
  }
  suppressWarnings(try(parallel::mccollect(job, wait = TRUE), silent = TRUE))
  if (is.null(given) || inherits(given[[1]], "try-error")) NULL else given[[1]]
}

# Returns the script lines of fisher_rc().
fisher_rc_code <- function(simulated) {
  if (simulated) {
    sprintf("test <- fisher.test(counts, simulate.p.value = TRUE, B = %d)", SIMULATIONS)
  } else {
    "test <- fisher.test(counts, workspace = 2e7)"
  }
}

# Returns the note on a simulated p value.
simulated_words <- function() {
  sprintf(
    "p was simulated with %s tables, since the exact one takes too long for a table of this size.",
    format(SIMULATIONS, big.mark = ",")
  )
}
