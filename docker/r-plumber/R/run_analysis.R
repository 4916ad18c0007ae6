# Running an analysis inside a child process, from the body of a request to the answer.

# Runs `entry` on the request in `body` (text or bytes). Returns list(status, body, code) with the body as JSON text.
answer <- function(entry, body, validate_only = FALSE) {
  started <- proc.time()[["elapsed"]]
  request_id <- ""
  tryCatch(
    {
      ask <- ask_of(if (is.raw(body)) text_of(body) else body, entry)
      request_id <- ask$request_id
      set.seed(ask$seed)
      body <- if (validate_only) validated(ask) else computed(ask)
      body <- c(list(contract = CONTRACT, request_id = request_id, analysis = entry$name), body)
      body$timing_ms <- round(1000 * (proc.time()[["elapsed"]] - started))
      list(status = 200L, body = write_json(body), code = "ok")
    },
    refusal = function(problem) {
      list(status = STATUS[[problem$code]], body = write_json(refusal_body(problem, request_id)), code = problem$code)
    },
    error = function(problem) {
      if (out_of_memory(problem)) {
        return(refused_with(
          "too_large",
          "The analysis needs more memory than it may have.",
          hint = "Choose fewer variables or fewer levels, and run again.",
          request_id = request_id
        ))
      }
      if (Sys.getenv("R_DEBUG") != "") {
        message("R_DEBUG: ", conditionMessage(problem), " in ", paste(deparse(conditionCall(problem)), collapse = " "))
      }
      internal(request_id)
    }
  )
}

# Returns the answer for an unexpected error. R's own message may contain patient data, so it is never sent.
internal <- function(request_id) {
  problem <- list(
    contract = CONTRACT,
    request_id = request_id,
    error = list(
      code = "internal",
      message = "The analysis failed inside R. The request's id is in the log.",
      hint = "Tell the administrator of this server."
    )
  )
  list(status = 500L, body = write_json(problem), code = "internal")
}

# Returns whether an error means that memory ran out. R has no class for it, but its messages are in English here.
out_of_memory <- function(problem) {
  grepl("cannot allocate (vector|memory)|memory exhausted|std::bad_alloc", conditionMessage(problem))
}

# Runs the analysis of a request and returns its result, with warnings, drawn figures, script and versions.
computed <- function(ask) {
  caught <- list()
  drawing$wanted <- length(ask$formats) > 0
  made <- withCallingHandlers(
    ask$entry$run(ask),
    warning = function(warning) {
      caught[[length(caught) + 1]] <<- warning_of("r_warning", scrubbed(conditionMessage(warning), ask))
      invokeRestart("muffleWarning")
    }
  )
  made$warnings <- c(made$warnings, if (length(caught)) caught[!duplicated(vapply(caught, `[[`, "", "message"))])
  drawn <- suppressWarnings(drawn_figures(made$figures, ask$formats))
  made$figures <- drawn$entries
  made$warnings <- c(made$warnings, drawn$warnings)
  if (!is.null(made$script)) {
    code <- if (ask$wants_script) script_text(ask, made$script, made$method)
    made$script <- if (!is.null(code)) {
      list(
        language = "R",
        code = code,
        data_file = if (made$script$reads) "data.csv",
        sha256 = digest::digest(code, "sha256", serialize = FALSE)
      )
    }
  }
  made$versions <- versions(unique(c(ask$entry$packages, made$packages)))
  made
}

# Returns a warning of R without quoted text and numbers, because these may be patient data.
scrubbed <- function(text, ask) {
  for (one in ask$data) {
    values <- if (is.character(one$values)) utils::head(unique(one$values), 2000)
    private <- unique(c(one$header, one$name, one$levels, values))
    private <- private[!is.na(private) & nchar(private) > 1]
    for (word in private[order(-nchar(private))]) {
      text <- gsub(word, "“…”", text, fixed = TRUE)
    }
  }
  text <- gsub("[‘'\"“`][^’'\"”`]*[’'\"”`]", "“…”", text)
  shortened(gsub("-?[0-9]+([.][0-9]+)?(e[-+]?[0-9]+)?", "…", gsub("[[:cntrl:]]+", " ", text)), 200)
}

# Returns the answer of POST /v1/validate: the columns as they are read, and the method that would be chosen. Nothing
# expensive is computed.
validated <- function(ask) {
  columns <- lapply(unname(ask$data), function(one) {
    text <- labels_of(one$values)
    known <- text[!is.na(text)]
    found <- unique(known)
    list(
      id = one$id,
      type = one$type,
      missing = sum(is.na(text)),
      distinct = length(found),
      levels = if (length(found) <= 20 && one$type != "numeric") {
        array_of(if (length(one$levels)) one$levels else sort(found))
      }
    )
  })
  chosen <- if (!is.null(ask$entry$check)) {
    ask$entry$check(ask)
  } else {
    list(method = ask$entry$title, reason = "", warnings = list())
  }
  list(
    ok = TRUE,
    columns = columns,
    method = chosen$method,
    method_reason = chosen$reason,
    warnings = unname(chosen$warnings)
  )
}

# Returns the versions of R and of packages.
versions <- function(packages) {
  list(
    r = r_version(),
    platform = R.version$platform,
    packages = lapply(stats::setNames(packages, packages), version_of)
  )
}

# Returns the version of a package. It is cached, because R reads it from a file.
version_of <- function(name) {
  if (is.null(VERSIONS[[name]])) {
    VERSIONS[[name]] <- as.character(utils::packageVersion(name))
  }
  VERSIONS[[name]]
}
VERSIONS <- new.env()
