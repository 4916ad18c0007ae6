# Columns of a request as R vectors. A grouping variable becomes a factor whatever its type (sleep's group is 1 and 2).

# Returns the display name of the column in parameter `param`.
name_of <- function(ask, param) ask$data[[ask$params[[param]]]]$name

# Returns all rows of a column as numbers, NA for missing. Refuses text, and names the first such cells.
numeric_of <- function(ask, param, id = ask$params[[param]]) {
  one <- ask$data[[id]]
  values <- one$values
  if (is.logical(values)) {
    values <- as.numeric(values)
  }
  if (is.character(values)) {
    known <- !is.na(values)
    read <- suppressWarnings(as.numeric(values)) # as.numeric() reads "Inf" as a number
    wrong <- known & (is.na(read) | grepl("[xX]", values)) # as.numeric() also reads hexadecimal numbers
    if (any(wrong)) {
      first <- utils::head(which(wrong), 3)
      refuse(
        "not_numeric",
        sprintf(
          "%s holds text where a number is needed: %s.",
          one$name,
          paste(sprintf("“%s” in row %d", vapply(values[first], shortened, "", most = 20), first), collapse = ", ")
        ),
        field = paste0("params.", param),
        column = id,
        hint = "Correct these cells, or mark them as missing, and run again."
      )
    }
    values <- read
  }
  if (!length(values) || all(is.na(values))) {
    refuse("all_missing", sprintf("%s has no values.", one$name), field = paste0("params.", param), column = id)
  }
  if (any(is.infinite(values))) {
    refuse(
      "not_numeric",
      sprintf("%s holds an infinite number.", one$name),
      field = paste0("params.", param),
      column = id,
      hint = "Mark such cells as missing and run again."
    )
  }
  as.numeric(values)
}

# Like numeric_of(), but refuses numbers so large that their squares, and so every variance, would be infinite.
bounded_of <- function(ask, param, id = ask$params[[param]]) {
  values <- numeric_of(ask, param, id)
  far <- which(abs(values) > 1e100)
  if (length(far)) {
    refuse(
      "not_numeric",
      sprintf("%s holds a number beyond 10^100, in row %s.", ask$data[[id]]$name, label_of(far[1])),
      field = paste0("params.", param),
      column = id,
      hint = "Mark such cells as missing, or measure in another unit."
    )
  }
  values
}

# Returns all rows of a column as a factor. The order is that of the column's levels if given, else by value; levels
# without rows are dropped. `levels` are the allowed numbers of levels, such as c(2, 2) or c(2, 200). `suggest` names
# the analysis that fits when there are more.
factor_of <- function(ask, param, id = ask$params[[param]], levels = c(1, MOST_LEVELS), suggest = NULL) {
  one <- ask$data[[id]]
  values <- labels_of(one$values)
  if (!length(values) || all(is.na(values))) {
    refuse("all_missing", sprintf("%s has no values.", one$name), field = paste0("params.", param), column = id)
  }
  order <- if (length(one$levels)) one$levels else in_order(one$values)
  made <- droplevels(factor(values, levels = unique(c(order, stats::na.omit(unique(values))))))
  found <- nlevels(made)
  if (found < levels[[1]] || found > levels[[2]]) {
    wanted <- if (levels[[1]] == levels[[2]]) {
      sprintf("must have %s", in_words(levels[[1]]))
    } else if (found < levels[[1]]) {
      sprintf("must have at least %s", in_words(levels[[1]]))
    } else {
      sprintf("may have at most %s", in_words(levels[[2]]))
    }
    refuse(
      "group_levels",
      sprintf("%s %s levels, found %s.", one$name, wanted, label_of(found)),
      field = paste0("params.", param),
      column = id,
      suggest = if (found > levels[[2]]) suggest
    )
  }
  made
}

# Returns an event as 0 and 1, from 0/1, 1/2 or TRUE/FALSE, or by comparing the values with `event_value` as text.
event_of <- function(ask, param, id = ask$params[[param]], event_value = ask$options$event_value) {
  one <- ask$data[[id]]
  values <- labels_of(one$values)
  found <- sort(unique(stats::na.omit(values)))
  field <- paste0("params.", param)
  if (!length(found)) {
    refuse("all_missing", sprintf("%s has no values.", one$name), field = field, column = id)
  }
  if (!is.null(event_value)) {
    if (!event_value %in% found) {
      refuse(
        "no_events",
        sprintf("No row of %s is “%s”.", one$name, shortened(event_value, 40)),
        field = "params.options.event_value",
        column = id,
        hint = sprintf("It has: %s.", paste(vapply(utils::head(found, 5), shortened, "", most = 20), collapse = ", "))
      )
    }
    return(as.numeric(values == event_value))
  }
  low <- tolower(values)
  coded <- if (all(found %in% c("0", "1"))) {
    as.numeric(values)
  } else if (all(found %in% c("1", "2"))) {
    as.numeric(values) - 1
  } else if (all(tolower(found) %in% c("true", "false"))) {
    as.numeric(low == "true")
  } else {
    refuse(
      "bad_option",
      sprintf("%s is not 0/1, 1/2 or TRUE/FALSE.", one$name),
      field = field,
      column = id,
      hint = "Say which value is the event: options.event_value."
    )
  }
  if (!any(coded == 1, na.rm = TRUE)) {
    refuse("no_events", sprintf("%s has no event.", one$name), field = field, column = id)
  }
  coded
}

# Returns the value that counts as the event, for scripts and sentences.
event_label <- function(ask, param) {
  if (!is.null(ask$options$event_value)) {
    return(ask$options$event_value)
  }
  found <- sort(unique(stats::na.omit(labels_of(ask$data[[ask$params[[param]]]]$values))))
  if (all(found %in% c("1", "2")) && "2" %in% found) {
    "2"
  } else if (all(found %in% c("0", "1"))) {
    "1"
  } else {
    found[tolower(found) == "true"][1]
  }
}

# Returns a column for a regression model: numbers as they are, everything else as a factor.
predictor_of <- function(ask, id) {
  one <- ask$data[[id]]
  if (one$type %in% c("factor", "ordered", "text", "logical") || is.character(one$values) || is.logical(one$values)) {
    if (one$type == "numeric" && is.character(one$values)) {
      return(numeric_of(ask, "predictors", id))
    }
    return(factor_of(ask, "predictors", id, levels = c(2, MOST_LEVELS)))
  }
  numeric_of(ask, "predictors", id)
}

# Returns values as the text they have in data.csv: 1 and not 1.0, 100000 and not 1e+05.
labels_of <- function(values) {
  if (is.numeric(values)) {
    text <- formatC(values, digits = 15, width = 1, format = "fg")
    text[is.na(values)] <- NA
    return(text)
  }
  if (is.logical(values)) {
    return(ifelse(is.na(values), NA, ifelse(values, "true", "false")))
  }
  as.character(values)
}

# Returns a single value as text.
label_of <- function(value) labels_of(value)[[1]]

# Returns the distinct values of a column in order, as text.
in_order <- function(values) labels_of(sort(unique(stats::na.omit(values)), method = "radix"))

# Returns list(used, n): a data frame of the columns in `...` without incomplete rows, and the counts of rows. `by` is
# the name of the factor to count by. Refuses when fewer than `least` rows remain.
complete <- function(..., by = NULL, least = 2) {
  all <- data.frame(..., check.names = FALSE)
  used <- all[stats::complete.cases(all), , drop = FALSE]
  for (name in names(used)) {
    if (is.factor(used[[name]])) used[[name]] <- droplevels(used[[name]])
  }
  if (nrow(used) < least) {
    refuse(
      "too_few_observations",
      sprintf(
        "%s of %s rows are complete; at least %s are needed.",
        label_of(nrow(used)),
        label_of(nrow(all)),
        label_of(least)
      ),
      hint = "Look at what is missing in the chosen columns."
    )
  }
  list(used = used, n = count_of(nrow(all), nrow(used), if (!is.null(by)) used[[by]]))
}

# Returns the element `n` of a result.
count_of <- function(total, used = total, groups = NULL) {
  n <- list(total = total, used = used, missing = total - used)
  if (!is.null(groups)) {
    n$by_group <- as.list(table(groups))
  }
  n
}

# Refuses numbers that are all the same, because most tests divide by their spread.
refuse_constant <- function(ask, values, param) {
  if (length(unique(stats::na.omit(values))) < 2) {
    refuse(
      "constant_variable",
      sprintf("All values of %s are the same.", name_of(ask, param)),
      field = paste0("params.", param),
      column = ask$params[[param]]
    )
  }
}
