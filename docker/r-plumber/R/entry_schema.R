# The registry of analyses, sample size designs and figures, with their parameters. One description serves both the JSON
# Schema for the wizard (GET /analyses) and the validation of requests.

ANALYSES <- new.env()
DESIGNS <- new.env()
FIGURES <- new.env()

# Registers an analysis. The functions below make `params` and `options`, in the order in which a form shows them; all
# options have a default. `run(ask)` returns a result (R/result.R). The optional `check(ask)` returns which method would
# be chosen without computing it: list(method, reason, warnings). `seconds` is the limit of processor time.
analysis <- function(
  name,
  title,
  params = list(),
  options = list(),
  run,
  check = NULL,
  packages = character(),
  seconds = 20
) {
  ANALYSES[[name]] <- list(
    name = name,
    title = title,
    params = params,
    options = options,
    run = run,
    check = check,
    packages = unique(c("stats", packages)),
    seconds = seconds
  )
}

# Registers a sample size design: like an analysis, but without data. All designs also take alpha, power and sides.
design <- function(name, title, params, run) {
  DESIGNS[[name]] <- list(
    name = name,
    title = title,
    params = params,
    options = list(),
    run = run,
    check = NULL,
    packages = "stats",
    seconds = 20
  )
}

# Registers a figure that can be drawn on its own (POST /v1/figure/{kind}).
figure_kind <- function(name, title, params, options = list(), run, packages = character()) {
  FIGURES[[name]] <- list(
    name = name,
    title = title,
    params = params,
    options = options,
    run = run,
    check = NULL,
    packages = unique(c("ggplot2", packages)),
    seconds = 20
  )
}

# --- parameter types -------------------------------------------------------------------------------------------

# A column. `of` is numeric, factor (any column, made a factor), event (0/1, 1/2, TRUE/FALSE), text or any.
column <- function(of, title, required = TRUE) list(is = "column", of = of, title = title, required = required)

# Several columns, from `least` to `most`.
columns <- function(of, title, least = 1, most = 200, required = TRUE) {
  list(is = "columns", of = of, title = title, least = least, most = most, required = required)
}

# A number between `min` and `max`; with `whole` an integer.
number <- function(title, default = NULL, min = -Inf, max = Inf, whole = FALSE, required = is.null(default)) {
  list(is = "number", title = title, default = default, min = min, max = max, whole = whole, required = required)
}

# Several numbers.
numbers <- function(title, min = -Inf, max = Inf, most = 200, required = FALSE) {
  list(is = "numbers", title = title, min = min, max = max, most = most, required = required)
}

# A table of counts: rows of whole numbers.
counts <- function(title, required = FALSE) list(is = "counts", title = title, required = required)

# A choice from a list of values.
one_of <- function(title, values, default = values[[1]]) {
  list(is = "choice", title = title, values = values, default = default, required = FALSE)
}

# A switch, true or false.
flag <- function(title, default = FALSE) list(is = "flag", title = title, default = default, required = FALSE)

# A value of an event, outcome or test column. It is compared with the column's values as text and never parsed.
value_of <- function(title, required = FALSE) list(is = "value", title = title, required = required)

# --- as JSON Schema --------------------------------------------------------------------------------------------

# Returns the catalogue entry of an analysis, with the JSON Schema of its parameters.
schema_of <- function(entry) {
  params <- lapply(entry$params, property_schema)
  if (length(entry$options)) {
    params$options <- list(
      type = "object",
      properties = lapply(entry$options, property_schema),
      additionalProperties = FALSE
    )
  }
  required <- names(Filter(function(param) isTRUE(param$required), entry$params))
  list(
    name = entry$name,
    title = entry$title,
    seconds = entry$seconds,
    longest = hang_of(entry$seconds),
    params = list(
      type = "object",
      properties = if (length(params)) params else structure(list(), names = character()),
      required = array_of(required),
      additionalProperties = FALSE
    )
  )
}

# Returns the JSON Schema of a parameter.
property_schema <- function(param) {
  bound <- function(value) if (is.null(value) || is.infinite(value)) NULL else value
  kind <- if (isTRUE(param$whole)) "integer" else "number"
  schema <- switch(
    param$is,
    column = list(type = "string", column = param$of),
    columns = list(
      type = "array",
      items = list(type = "string"),
      column = param$of,
      minItems = param$least,
      maxItems = param$most
    ),
    number = list(type = kind, minimum = bound(param$min), maximum = bound(param$max), default = param$default),
    numbers = list(
      type = "array",
      items = list(type = "number", minimum = bound(param$min), maximum = bound(param$max)),
      maxItems = param$most
    ),
    counts = list(
      type = "array",
      items = list(type = "array", items = list(type = "integer", minimum = 0))
    ),
    choice = list(enum = array_of(param$values), default = param$default),
    flag = list(type = "boolean", default = param$default),
    value = list(type = "string")
  )
  Filter(Negate(is.null), c(list(title = param$title), schema))
}

# Returns the catalogue of all analyses, designs and figures.
catalogue <- function() {
  of <- function(registry) lapply(sort(ls(registry)), function(name) schema_of(registry[[name]]))
  list(contract = CONTRACT, analyses = of(ANALYSES), designs = of(DESIGNS), figures = of(FIGURES))
}
