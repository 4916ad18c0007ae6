# Parsing of a request: it is checked against the contract and the description of the analysis before any statistics
# function sees it. The parsed request is called `ask`.

MOST_BYTES <- 20e6
MOST_ROWS <- 50000
MOST_COLUMNS <- 30
MOST_LEVELS <- 200
MOST_CHARACTERS <- 10000 # characters of a cell

# Parses the body (text) of a request for `entry` of a registry. Refuses whatever the contract does not allow. Returns
# list(entry, request_id, params, options, data, alpha, conf_level, seed, digits, formats, wants_script).
ask_of <- function(text, entry) {
  if (nchar(text, "bytes") > MOST_BYTES) {
    refuse("too_large", "The request has more than 20 MB.", hint = "Send only the columns the analysis needs.")
  }
  if (is_deep(text)) {
    refuse("bad_json", "The body is nested too deeply.")
  }
  body <- tryCatch(read_json(text), error = function(problem) {
    if (out_of_memory(problem)) {
      stop(problem)
    }
    refuse("bad_json", "The body is not JSON.")
  })
  if (!is_object(body) || !length(body)) {
    refuse("bad_json", "The body is not a JSON object.")
  }
  for (part in c("data", "output", "params")) {
    if (!is.null(body[[part]]) && !is_object(body[[part]])) {
      refuse("bad_option", sprintf("%s must be an object.", part), field = part)
    }
  }
  if (!identical(as.character(body[["contract"]]), CONTRACT)) {
    refuse("unsupported_contract", "This service only supports contract 1.", field = "contract")
  }
  ask <- list(
    entry = entry,
    request_id = one_text(body[["request_id"]], "request_id", most = 64),
    alpha = within_bounds(body[["alpha"]], 0.05, 1e-6, 0.5, "alpha"),
    conf_level = within_bounds(body[["conf_level"]], 0.95, 0.5, 0.9999, "conf_level"),
    seed = as.integer(within_bounds(body[["seed"]], 20250101, 0, .Machine$integer.max, "seed")),
    digits = as.integer(within_bounds(body[["output"]][["digits"]], 2, 0, 6, "output.digits")),
    formats = formats_of(body[["output"]][["figures"]]),
    wants_script = !identical(body[["output"]][["script"]], FALSE)
  )
  ask$data <- data_of(body[["data"]])
  given <- body[["params"]]
  options <- given[["options"]]
  given$options <- NULL
  ask$params <- checked(given, entry$params, "params", ask$data)
  if (!is.null(options) && !is_object(options)) {
    refuse("bad_option", "options must be an object.", field = "params.options")
  }
  # conf_level is a field of the request; it is also accepted among the options.
  if (!is.null(options[["conf_level"]])) {
    ask$conf_level <- within_bounds(options[["conf_level"]], 0.95, 0.5, 0.9999, "params.options.conf_level")
    options[["conf_level"]] <- NULL
  }
  ask$options <- checked(options, entry$options, "params.options", ask$data)
  ask
}

MOST_DEEP <- 20 # levels of nested brackets; a request needs 5

# Returns whether brackets are nested more deeply than the recursive JSON parser should handle.
is_deep <- function(text) {
  deepest <- function(bytes) {
    opened <- grepRaw("[[{]", bytes, all = TRUE)
    if (length(opened) <= MOST_DEEP) {
      return(0)
    }
    closed <- grepRaw("[]}]", bytes, all = TRUE)
    max(cumsum(c(rep(1L, length(opened)), rep(-1L, length(closed)))[order(c(opened, closed))]))
  }
  without_strings <- function() gsub("\"(?:[^\"\\\\]|\\\\.)*+\"", "", text, perl = TRUE, useBytes = TRUE)
  deepest(charToRaw(text)) > MOST_DEEP && deepest(charToRaw(without_strings())) > MOST_DEEP
}

# Returns whether a value was a JSON object; an empty object and an empty array look the same.
is_object <- function(value) is.list(value) && (!length(value) || !is.null(names(value)))

# Returns a text field of a request; "" if it is missing.
one_text <- function(value, field, most) {
  if (is.null(value)) {
    return("")
  }
  if (!is.character(value) || length(value) != 1 || is.na(value) || nchar(value) > most) {
    refuse("bad_option", sprintf("%s must be a text of at most %d characters.", field, most), field = field)
  }
  value
}

# Returns a numeric field of a request, or its default if it is missing.
within_bounds <- function(value, default, min, max, field) {
  if (is.null(value)) {
    return(default)
  }
  if (!is.numeric(value) || length(value) != 1 || is.na(value) || value < min || value > max) {
    refuse(
      "bad_option",
      sprintf("%s must be a number from %s to %s.", field, label_of(min), label_of(max)),
      field = field
    )
  }
  value
}

# Returns the requested figure formats.
formats_of <- function(value) {
  if (is.null(value)) {
    return(character())
  }
  value <- unlist(value)
  if (length(value) && (!is.character(value) || !all(value %in% c("svg", "png", "pdf")))) {
    refuse("bad_option", "The format of a figure must be svg, png or pdf.", field = "output.figures")
  }
  unique(value)
}

# --- columns ---------------------------------------------------------------------------------------------------

# Returns the columns by id: list(id, header, name, said, unit, type, levels, values). `header` is the header in
# data.csv; `name` is the label of the request, else the header; `said` is the name without its `unit`. Values are
# numeric, logical or character, NA for null.
data_of <- function(data) {
  if (is.null(data) || !length(data[["columns"]])) {
    return(list())
  }
  if (!is.list(data[["columns"]]) || !is.null(names(data[["columns"]]))) {
    refuse("bad_option", "columns must be an array.", field = "data.columns")
  }
  if (length(data[["columns"]]) > MOST_COLUMNS) {
    refuse(
      "too_large",
      sprintf("%d columns are too many: at most %d.", length(data[["columns"]]), MOST_COLUMNS),
      field = "data.columns"
    )
  }
  found <- lapply(data[["columns"]], column_of)
  ids <- vapply(found, `[[`, "", "id")
  if (anyDuplicated(ids)) {
    refuse("bad_option", "Two columns have the same id.", field = "data.columns")
  }
  rows <- unique(vapply(found, function(one) length(one$values), 0L))
  if (length(rows) > 1) {
    refuse("bad_option", "The columns differ in length.", field = "data.columns")
  }
  names(found) <- ids
  found
}

# Returns a column of a request after checking it.
column_of <- function(one) {
  if (!is.list(one) || !is.character(one[["id"]]) || length(one[["id"]]) != 1 || !grepl("^c[0-9]{1,4}$", one[["id"]])) {
    refuse("bad_option", "The id of a column must be c1, c2 and so on.", field = "data.columns")
  }
  values <- unname(one[["values"]])
  if (is.null(values)) {
    values <- logical()
  }
  if (is.list(values)) {
    values <- cells(values)
  }
  if (length(values) > MOST_ROWS) {
    refuse(
      "too_large",
      sprintf("%s rows are too many: at most %s.", label_of(length(values)), label_of(MOST_ROWS)),
      field = "data.columns"
    )
  }
  if (is.character(values) && any(nchar(values) > MOST_CHARACTERS, na.rm = TRUE)) {
    refuse(
      "too_large",
      sprintf("A cell has more than %s characters.", label_of(MOST_CHARACTERS)),
      field = "data.columns",
      column = one[["id"]]
    )
  }
  type <- if (is.null(one[["type"]])) "numeric" else one[["type"]]
  if (!identical(length(type), 1L) || !type %in% c("numeric", "factor", "ordered", "logical", "date", "text")) {
    refuse(
      "bad_option",
      "The type of a column must be numeric, factor, ordered, logical, date or text.",
      field = "data.columns",
      column = one[["id"]]
    )
  }
  header <- if (is_text(one[["name"]])) one[["name"]] else one[["id"]]
  name <- if (is_text(one[["label"]]) && nzchar(one[["label"]])) one[["label"]] else header
  unit <- if (is_text(one[["unit"]])) trimws(one[["unit"]]) else ""
  list(
    id = one[["id"]],
    type = type,
    values = values,
    levels = as.character(unlist(one[["levels"]])),
    header = header,
    name = name,
    said = without_unit(name, unit),
    unit = unit
  )
}

# Returns a name without its unit: "Birth weight" for "Birth weight (g)" and "g".
without_unit <- function(name, unit) {
  end <- sprintf("(%s)", unit)
  if (!nzchar(unit) || !endsWith(name, end) || nchar(name) <= nchar(end)) {
    return(name)
  }
  trimws(substr(name, 1, nchar(name) - nchar(end)))
}

# Returns whether a value is a single string.
is_text <- function(value) is.character(value) && length(value) == 1 && !is.na(value)

# Returns cells of mixed types as a vector. Numbers become text if any cell is text; "Inf" becomes a number if all
# others are numbers.
cells <- function(values) {
  if (any(vapply(values, function(cell) is.list(cell) || length(cell) > 1, NA))) {
    refuse("bad_option", "A cell must be a number, a text or null.", field = "data.columns")
  }
  values[lengths(values) == 0] <- NA
  unlist(values)
}

# --- params ----------------------------------------------------------------------------------------------------

# Returns the given parameters, checked against their descriptions, with defaults for the others. `field` is the place
# in the request, for error messages.
checked <- function(given, described, field, data) {
  unknown <- setdiff(names(given), names(described))
  if (length(unknown)) {
    refuse(
      "bad_option",
      sprintf("Unknown parameter or option “%s”.", shortened(unknown[[1]])),
      field = paste0(field, ".", shortened(unknown[[1]])),
      hint = if (length(described)) paste0("Available: ", paste(names(described), collapse = ", "), ".")
    )
  }
  found <- list()
  for (name in names(described)) {
    place <- paste0(field, ".", name)
    value <- given[[name]]
    if (is.null(value) || (length(value) == 0 && described[[name]]$is != "columns")) {
      if (isTRUE(described[[name]]$required)) {
        code <- if (described[[name]]$is %in% c("column", "columns")) "unknown_column" else "bad_option"
        refuse(code, sprintf("%s is missing.", described[[name]]$title), field = place)
      }
      value <- described[[name]]$default
      if (is.null(value)) next
    }
    found[[name]] <- checked_value(value, described[[name]], place, data)
  }
  found
}

# Returns the value of a parameter after checking it against its description.
checked_value <- function(value, description, field, data) {
  bad <- function(says) refuse("bad_option", sprintf("%s: %s", description$title, says), field = field)
  single <- length(value) == 1 && !is.list(value) && !is.na(value)
  switch(
    description$is,
    column = known_column(value, field, data),
    columns = known_columns(value, description, field, data),
    number = {
      if (!single || !is.numeric(value)) {
        bad("a number is needed.")
      }
      if (value < description$min || value > description$max || !is.finite(value)) {
        bad(sprintf("it must lie between %s and %s.", label_of(description$min), label_of(description$max)))
      }
      if (isTRUE(description$whole) && value != round(value)) {
        bad("a whole number is needed.")
      }
      as.numeric(value)
    },
    numbers = {
      value <- unlist(value)
      if (!is.numeric(value) || anyNA(value) || any(!is.finite(value))) {
        bad("numbers are needed.")
      }
      if (length(value) > description$most) {
        bad(sprintf("at most %d numbers.", description$most))
      }
      if (any(value < description$min | value > description$max)) {
        bad(sprintf("each must lie between %s and %s.", label_of(description$min), label_of(description$max)))
      }
      as.numeric(value)
    },
    counts = counts_of(value, bad),
    choice = {
      if (!single || !as.character(value) %in% description$values) {
        bad(sprintf("it must be one of %s.", paste(description$values, collapse = ", ")))
      }
      as.character(value)
    },
    flag = {
      if (!single || !is.logical(value)) {
        bad("it must be true or false.")
      }
      value
    },
    value = {
      if (!single) {
        bad("one value is needed.")
      }
      label_of(value)
    }
  )
}

# Returns the id of a column after checking that it exists.
known_column <- function(value, field, data) {
  if (!is.character(value) || length(value) != 1 || !value %in% names(data)) {
    refuse("unknown_column", "There is no such column.", field = field, hint = "Choose one of the columns of the data.")
  }
  value
}

# Returns the ids of several columns after checking that they exist.
known_columns <- function(value, description, field, data) {
  value <- unlist(value)
  if (length(value) < description$least || length(value) > description$most) {
    few <- length(value) < description$least
    refuse(
      if (few) "unknown_column" else "bad_option",
      sprintf(
        "%s: %s %d column%s.",
        description$title,
        if (few) "at least" else "at most",
        if (few) description$least else description$most,
        if ((if (few) description$least else description$most) == 1) "" else "s"
      ),
      field = field
    )
  }
  if (anyDuplicated(value)) {
    refuse("bad_option", sprintf("%s: a column is named twice.", description$title), field = field)
  }
  vapply(value, known_column, "", field = field, data = data, USE.NAMES = FALSE)
}

# Returns a table of counts as a matrix.
counts_of <- function(value, bad) {
  rows <- if (is.list(value)) value else as.list(value)
  if (length(unique(lengths(rows))) != 1 || !all(vapply(rows, is.numeric, NA))) {
    bad("enter rows of whole numbers, all of the same length.")
  }
  table <- do.call(rbind, unname(rows))
  if (anyNA(table) || any(!is.finite(table)) || any(table < 0) || any(table != round(table))) {
    bad("counts must be whole numbers from 0.")
  }
  if (length(table) > MOST_LEVELS^2 || max(dim(table)) > MOST_LEVELS) {
    bad(sprintf("at most %d rows and columns.", MOST_LEVELS))
  }
  rownames(table) <- names(rows) # an object such as {tp, fp, fn, tn} keeps its names
  table
}

# Returns a text with at most `most` characters.
shortened <- function(text, most = 60) if (nchar(text) > most) paste0(substr(text, 1, most - 1), "…") else text
