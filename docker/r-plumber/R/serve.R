# The HTTP service: routes, token and limits. It answers /health while its children compute.

STARTED <- Sys.time()
RETRY_AFTER <- 1 # seconds, sent with the error "busy"

# Returns the token that requests must have; "" for none.
token_wanted <- function() {
  file <- Sys.getenv("R_PLUMBER_TOKEN_FILE")
  token <- Sys.getenv("R_PLUMBER_TOKEN")
  if (token == "" && file != "") {
    token <- trimws(paste(readLines(file, warn = FALSE), collapse = ""))
  }
  token
}

# Runs the service until the process ends.
serve <- function(host, port) {
  token <- token_wanted()
  later::later(make_ready, IDLE)
  if (token == "" && !host %in% c("127.0.0.1", "::1", "localhost")) {
    stop("R_PLUMBER_TOKEN is not set: without it the service only listens on this machine.")
  }
  Sys.unsetenv("R_PLUMBER_TOKEN") # so that children do not inherit it
  limit_memory()
  # Longer requests are not even read. Requests between MOST_BYTES and this limit get an error message.
  options(plumber.maxRequestSize = MOST_BYTES * 2, plumber.docs.callback = NULL)
  plumber::pr(filters = list()) |> # without plumber's own filters, because children parse the bodies
    plumber::pr_filter("token", function(req, res) {
      # R stores equal strings once, so this compares two pointers and takes the same time for every token.
      if (token == "" || identical(req$HTTP_X_TOKEN, token)) {
        return(plumber::forward())
      }
      said(
        res,
        refused_with(
          "bad_token",
          "The token is missing or wrong.",
          hint = "Set R_PLUMBER_TOKEN to the same value on both sides."
        )
      )
    }) |>
    plumber::pr_filter("body", function(req) {
      req$came <- req$rook.input$read() # plumber would parse it in this process if it had the usual name
      plumber::forward()
    }) |>
    plumber::pr_get("/health", function(res) said(res, list(status = 200L, body = write_json(health())))) |>
    plumber::pr_get("/analyses", function(res) said(res, list(status = 200L, body = write_json(catalogue())))) |>
    plumber::pr_post("/v1/validate/<name>", function(req, res, name) {
      asked(req, res, "analyses", name, validate_only = TRUE)
    }) |>
    plumber::pr_post("/v1/validate", function(req, res) asked(req, res, "analyses", validate_only = TRUE)) |>
    plumber::pr_post("/v1/run/<name>", function(req, res, name) asked(req, res, "analyses", name)) |>
    plumber::pr_post("/v1/sample-size/<name>", function(req, res, name) asked(req, res, "designs", name)) |>
    plumber::pr_post("/v1/figure/<name>", function(req, res, name) asked(req, res, "figures", name)) |>
    plumber::pr_set_404(function(req, res) {
      said(res, refused_with("unknown_analysis", "There is nothing at this address."))
    }) |>
    plumber::pr_set_error(function(req, res, err) {
      if (Sys.getenv("R_DEBUG") != "") {
        message("R_DEBUG: ", conditionMessage(err))
      }
      said(res, internal(""))
    }) |>
    plumber::pr_run(host = host, port = port, docs = FALSE, quiet = TRUE)
}

# Returns the bytes of a body as text; "" for a NUL byte or invalid UTF-8, which are not JSON.
text_of <- function(body) {
  text <- tryCatch(rawToChar(body), error = function(problem) "")
  if (!validUTF8(text)) {
    return("")
  }
  Encoding(text) <- "UTF-8"
  text
}

# Validates a body that contains the name of its analysis (POST /v1/validate).
validated_by_name <- function(body) {
  asked <- tryCatch(read_json(text_of(body)), error = function(problem) NULL)
  name <- if (is.list(asked)) asked[["analysis"]]
  if (!is.character(name) || length(name) != 1 || is.na(name) || !is_known(name, ANALYSES)) {
    return(no_such(if (is.character(name)) name[1] else ""))
  }
  answer(ANALYSES[[name]], body, validate_only = TRUE)
}

# Returns whether a registry has an entry with this name.
is_known <- function(name, registry) nzchar(name) && exists(name, envir = registry, inherits = FALSE)

# Returns the answer for an unknown analysis.
no_such <- function(name) {
  refused_with(
    "unknown_analysis",
    sprintf("There is no analysis called %s.", label(name, 60)),
    hint = "GET /analyses lists them."
  )
}

# Runs the analysis `name` of `registry` on a body, in a child. The arguments are plain data, so that they can be sent
# to a waiting child.
do_work <- function(registry, name, body, validate_only) {
  if (is.null(name)) {
    return(validated_by_name(body))
  }
  answer(REGISTRIES[[registry]][[name]], body, validate_only)
}

REGISTRIES <- list(analyses = ANALYSES, designs = DESIGNS, figures = FIGURES)

# Runs an entry of `registry` (its name) in a child and sends the answer when it is done. Without `name` the body has
# it.
asked <- function(req, res, registry, name = NULL, validate_only = FALSE) {
  known <- REGISTRIES[[registry]]
  if (!is.null(name) && !is_known(name, known)) {
    return(said(res, no_such(name)))
  }
  body <- req$came
  if (length(body) > MOST_BYTES) {
    return(said(
      res,
      refused_with("too_large", "The request has more than 20 MB.", hint = "Send only the columns the analysis needs.")
    ))
  }
  if (running$count >= CHILDREN) {
    res$setHeader("Retry-After", as.character(RETRY_AFTER))
    return(said(res, refused_with("busy", "The statistics service is busy. Try again in a moment.")))
  }
  entry <- if (is.null(name)) list(name = "validate", seconds = 20) else get(name, envir = known, inherits = FALSE)
  work <- list(registry = registry, name = name, body = body, validate_only = validate_only)
  started <- Sys.time()
  promises::promise(function(resolve, reject) {
    in_child(work, entry$seconds, function(given) {
      made <- if (identical(given, "timeout")) {
        refused_with(
          "timeout",
          sprintf("The analysis used %s of processor time and was stopped.", plural(entry$seconds, "second")),
          hint = "Choose fewer variables or fewer levels, and run again."
        )
      } else if (identical(given, "hung")) {
        refused_with(
          "timeout",
          sprintf(
            "The analysis did not end within %s, although it used less processor time than it may, and was stopped.",
            plural(hang_of(entry$seconds), "second")
          ),
          hint = "Run it again when the machine has less to do."
        )
      } else if (!is.list(given)) {
        internal("")
      } else {
        given
      }
      log_line(entry$name, length(body), started, made)
      resolve(said(res, made))
    })
  })
}

# Logs the analysis, its size, time and outcome, but no names or values from users.
log_line <- function(name, bytes, started, made) {
  id <- regmatches(made$body, regexec("\"request_id\":\"([0-9A-Za-z-]{0,64})\"", made$body))[[1]]
  message(sprintf(
    "%s %s request=%s bytes=%d ms=%.0f code=%s",
    format(Sys.time(), "%Y-%m-%dT%H:%M:%S"),
    name,
    if (length(id) > 1) id[[2]] else "",
    bytes,
    1000 * as.numeric(difftime(Sys.time(), started, units = "secs")),
    made$code
  ))
}

# Returns the answer for a refused request.
refused_with <- function(code, message, hint = NULL, request_id = "") {
  refusal <- list(message = message, call = NULL, code = code, hint = hint)
  class(refusal) <- c("refusal", "error", "condition")
  list(status = STATUS[[code]], body = write_json(refusal_body(refusal, request_id)), code = code)
}

# Writes an answer to the HTTP response.
said <- function(res, made) {
  res$status <- made$status
  res$setHeader("Content-Type", "application/json; charset=utf-8")
  res$setHeader("Cache-Control", "no-store")
  res$body <- made$body
  res
}

# Returns the state of the service for GET /health.
health <- function() {
  packages <- unique(unlist(lapply(ls(ANALYSES), function(name) ANALYSES[[name]]$packages)))
  c(
    list(
      status = "ok",
      contract = CONTRACT,
      uptime_s = round(as.numeric(difftime(Sys.time(), STARTED, units = "secs"))),
      running = running$count
    ),
    versions(unique(c(packages, "plumber", "jsonlite", "ggplot2", "svglite")))
  )
}
