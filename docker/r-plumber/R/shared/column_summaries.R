# Summaries of columns for descriptive statistics and Table 1.

MOST_SHOWN <- 50 # levels of a column whose counts are shown

# Returns the statistics of a numeric column, for all rows and for each group: c1.median, and c1.median.1 for the first
# group. Quartiles are R's type 7. NA if a group has no value.
summary_numbers <- function(id, values, group) {
  parts <- c(list(all = values), if (nlevels(group) > 1) stats::setNames(split(values, group), seq_len(nlevels(group))))
  unlist(lapply(names(parts), function(part) {
    x <- parts[[part]]
    known <- x[!is.na(x)]
    numbers <- c(
      n = length(known),
      missing = sum(is.na(x)),
      mean = NA,
      sd = NA,
      min = NA,
      q1 = NA,
      median = NA,
      q3 = NA,
      max = NA
    )
    if (length(known)) {
      numbers[3:9] <- c(
        mean(known),
        stats::sd(known),
        min(known),
        stats::quantile(known, c(0.25, 0.5, 0.75), names = FALSE),
        max(known)
      )
    }
    stats::setNames(numbers, paste0(id, ".", names(numbers), if (part == "all") "" else paste0(".", part)))
  }))
}

# Returns counts and percentages (of known values) of each level in the same way: c2.level_1.n, c2.level_1.percent.2.
summary_levels <- function(id, values, group) {
  parts <- c(list(all = values), if (nlevels(group) > 1) stats::setNames(split(values, group), seq_len(nlevels(group))))
  unlist(lapply(names(parts), function(part) {
    x <- parts[[part]]
    counts <- as.vector(table(x))
    levels <- paste0(".level_", seq_along(counts))
    end <- if (part == "all") "" else paste0(".", part)
    numbers <- c(sum(counts), sum(is.na(x)), counts, if (sum(counts)) 100 * counts / sum(counts) else NA * counts)
    stats::setNames(numbers, paste0(id, c(".n", ".missing", paste0(levels, ".n"), paste0(levels, ".percent")), end))
  }))
}

# Returns the interval of a mean by the t distribution, NA for fewer than two values.
mean_interval <- function(values, conf_level) {
  values <- values[!is.na(values)]
  n <- length(values)
  if (n < 2) {
    return(c(NA, NA))
  }
  mean(values) + c(-1, 1) * stats::qt(1 - (1 - conf_level) / 2, n - 1) * stats::sd(values) / sqrt(n)
}

# Returns a column to describe: list(id, name, said, unit, numeric, values, levels, code, remark). `remark` says why its
# levels are not shown.
described_column <- function(ask, id, most = MOST_SHOWN) {
  one <- ask$data[[id]]
  name <- label(one$name)
  if (one$type == "numeric") {
    return(list(
      id = id,
      name = name,
      said = said_of(ask, id = id),
      unit = unit_of(ask, id = id),
      numeric = TRUE,
      values = bounded_of(ask, "columns", id),
      code = numeric_code(ask, id)
    ))
  }
  text <- labels_of(one$values)
  known <- unique(stats::na.omit(text))
  if (!length(known)) {
    refuse(
      "all_missing",
      sprintf("%s has no values.", one$name),
      field = "params.columns",
      column = id,
      hint = "Leave this column out."
    )
  }
  if (length(known) > most || one$type == "date") {
    return(list(
      id = id,
      name = name,
      said = said_of(ask, id = id),
      numeric = FALSE,
      values = NULL,
      known = sum(!is.na(text)),
      distinct = length(known),
      range = if (one$type == "date") range(known),
      missing = sum(is.na(text)),
      code = column_code(ask, id)
    ))
  }
  values <- factor_of(ask, "columns", id)
  list(
    id = id,
    name = name,
    said = said_of(ask, id = id),
    numeric = FALSE,
    values = values,
    levels = level_words(levels(values), 80),
    code = factor_code(ask, id, levels(values))
  )
}
