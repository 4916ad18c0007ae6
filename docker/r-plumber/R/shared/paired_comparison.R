# The parts that comparisons of two measurements of the same rows share.

# Returns the rows with values in both params first and second: list(used, n, first, second, said, unit, digits, scale,
# lines). `ordinal` is as in grouped_rows(); both columns must then have the same levels.
paired_rows <- function(ask, ordinal = FALSE) {
  ids <- unlist(ask$params[c("first", "second")])
  if (ids[[1]] == ids[[2]]) {
    refuse(
      "bad_option",
      sprintf("%s is both the first and the second measurement.", name_of(ask, "first")),
      field = "params.second",
      column = ids[[2]]
    )
  }
  first <- measured_of(ask, "first", ordinal = ordinal)
  second <- measured_of(ask, "second", ordinal = ordinal)
  scale <- shared_scale(ask, ids, list(first, second), "second")
  if (!is.null(scale)) {
    first$values <- as.numeric(factor(labels_of(ask$data[[ids[[1]]]]$values), levels = scale))
    second$values <- as.numeric(factor(labels_of(ask$data[[ids[[2]]]]$values), levels = scale))
    first$code <- sprintf("as.numeric(%s)", factor_code(ask, ids[[1]], scale))
    second$code <- sprintf("as.numeric(%s)", factor_code(ask, ids[[2]], scale))
  }
  rows <- complete(first = first$values, second = second$values, least = 2)
  list(
    used = rows$used,
    n = rows$n,
    first = label(name_of(ask, "first")),
    second = label(name_of(ask, "second")),
    said = level_words(c(said_of(ask, "first"), said_of(ask, "second")), 80),
    unit = shared_unit(ask, ids),
    digits = max(precision_of(rows$used$first, ask$digits), precision_of(rows$used$second, ask$digits)),
    scale = scale,
    lines = c(
      paste("first <-", first$code),
      paste("second <-", second$code),
      "used <- na.omit(data.frame(first, second))"
    )
  )
}

# Returns the levels that several ordinal columns share, NULL if all are numbers. Refuses columns with different scales.
shared_scale <- function(ask, ids, measured, param) {
  worded <- vapply(measured, function(one) !is.null(one$levels), NA)
  if (!any(worded)) {
    return(NULL)
  }
  scales <- lapply(ids, function(id) ask$data[[id]]$levels)
  if (!all(worded) || length(unique(scales)) > 1) {
    refuse(
      "bad_option",
      "The columns do not have the same levels in the same order.",
      field = paste0("params.", param),
      column = ids[[length(ids)]],
      hint = "Give them the same levels where you say what each column means."
    )
  }
  scales[[1]]
}

# Two measurements as boxes, with lines that connect the values of each row.
pairs_figure <- function(used, first, second) {
  sides <- factor(rep(c("1", "2"), each = nrow(used)))
  levels(sides) <- if (first == second) paste(c(first, second), 1:2) else c(first, second)
  boxes_figure(
    "pairs",
    c(used$first, used$second),
    sides,
    "Measured value",
    "Measurement",
    row = rep(seq_len(nrow(used)), 2),
    caption = sprintf("%s and %s. Boxes show quartiles and median; lines join the values of a row", first, second)
  )
}
