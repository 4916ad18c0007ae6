# The parts of a result. `run(ask)` of an analysis returns result(...); the service adds request id, versions, time and
# script.

# Returns an estimate with its interval. `id` is its name everywhere, in the script too ("mean_difference"). `digits` is
# the number of decimals in the sentence; there are more if an end of the interval would otherwise round to the value
# `null`. `format` is "percent" if a share is shown as a percentage. `side` and `open` are as in ci_words().
estimate <- function(
  id,
  label,
  value,
  low = NA,
  high = NA,
  conf_level = 0.95,
  digits = NULL,
  null = NA,
  format = NULL,
  ...
) {
  ends <- as.numeric(c(low, high))
  if (!is.null(digits)) {
    digits <- apart_digits(if (is.null(format)) ends else 100 * ends, digits, if (is.null(format)) null else 100 * null)
  }
  c(
    list(id = id, label = label(label, 200), value = as.numeric(value), ci = array_of(ends), conf_level = conf_level),
    Filter(Negate(is.null), list(digits = digits, format = format, ...))
  )
}

# Returns an effect size with its interval.
effect_size <- function(id, label, value, low = NA, high = NA, method = "", digits = 2, ...) {
  ends <- as.numeric(c(low, high))
  c(
    list(
      id = id,
      label = label,
      value = as.numeric(value),
      ci = array_of(ends),
      method = method,
      digits = apart_digits(ends, digits, 0)
    ),
    Filter(Negate(is.null), list(...))
  )
}

# Returns a table. col() makes `columns`. `rows` is a list of named lists: text; numbers in full precision, which the
# client rounds by the column's format; NULL or NA for empty cells. A row with `level` 1 is indented (a category below
# its variable).
table_of <- function(id, title, columns, rows, footnotes = character()) {
  list(
    id = id,
    title = label(title, 300),
    columns = unname(columns),
    rows = unname(rows),
    footnotes = array_of(vapply(footnotes, label, "", most = 500))
  )
}

# Returns a column of a table. `format` is text, integer, number (with `digits`), p or percent.
col <- function(key, label, format = "text", digits = 2, align = if (format == "text") "left" else "right") {
  list(key = key, label = label(label), align = align, format = format, digits = digits)
}

# Returns the check of an assumption. `status` is ok, concern or not_run; `text` is the finding in words.
assumption <- function(id, test, text, statistic = NA, p = NA, status = "ok") {
  list(id = id, test = test, statistic = as.numeric(statistic), p = as.numeric(p), status = status, text = text)
}

# Returns a recommendation. `strength` is info or advise; `alternative` is the name of another analysis.
recommend <- function(text, alternative = NULL, strength = "info") {
  list(text = text, alternative_analysis = alternative, strength = strength)
}

# Returns a warning with a code; `columns` are ids.
warning_of <- function(code, message, columns = character()) {
  list(code = code, message = message, columns = array_of(columns))
}

# Whether figures are requested for the running analysis; computed() sets this.
drawing <- new.env()
drawing$wanted <- TRUE

# Returns the result of an analysis. `figures` is not evaluated when no figures are requested. `statistics` is a flat
# named list of numbers. `script` is a list made by script() (R/script.R).
result <- function(
  method,
  n,
  estimates = list(),
  statistics = list(),
  effect_sizes = list(),
  tables = list(),
  assumptions = list(),
  recommendation = NULL,
  sentence = NULL,
  figures = list(),
  warnings = list(),
  reason = "",
  script = NULL,
  ...
) {
  list(
    method = method,
    method_reason = reason,
    n = n,
    estimates = unname(estimates),
    statistics = if (length(statistics)) lapply(statistics, as.numeric) else structure(list(), names = character()),
    effect_sizes = unname(effect_sizes),
    tables = unname(tables),
    assumptions = unname(assumptions),
    recommendation = recommendation,
    sentence = sentence,
    figures = if (drawing$wanted) unname(figures) else list(),
    warnings = unname(warnings),
    script = script,
    ...
  )
}
