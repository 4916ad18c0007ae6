# The lines of a forest plot as text and numbers: one line per study, subgroup, pooled estimate and note.

# Returns the lines of the plot from top to bottom: lists with kind ("head", "study", "pooled", "note", "interval"),
# text, a, b, effect, low, high, weight.
forest_lines <- function(read, pooled, ask) {
  shows <- study_columns(read)
  z <- stats::qnorm(1 - (1 - ask$conf_level) / 2)
  study <- function(i, indent) {
    yi <- pooled$effects$yi[i]
    half <- z * sqrt(pooled$effects$vi[i])
    c(
      list(
        kind = "study",
        text = label(read$used$study[i], 120),
        indent = indent,
        b_ = yi,
        low = yi - half,
        high = yi + half,
        weight = pooled$whole$weights[i]
      ),
      shows$row(i)
    )
  }
  sum_line <- function(fit, text, cells, kind = "pooled", indent = FALSE) {
    c(list(kind = kind, text = text, b_ = fit$b, low = fit$low, high = fit$high, indent = indent), cells)
  }
  lines <- list()
  add <- function(...) lines[[length(lines) + 1]] <<- list(...)
  if (length(pooled$groups)) {
    for (name in names(pooled$groups)) {
      one <- pooled$groups[[name]]
      add(kind = "head", text = label(name, 120))
      for (i in one$rows) {
        lines[[length(lines) + 1]] <- study(i, TRUE)
      }
      if (one$k > 1) {
        lines[[length(lines) + 1]] <- sum_line(one, "Subtotal", shows$of(one$rows), "subtotal", TRUE)
        add(kind = "note", text = heterogeneity_words(one), indent = TRUE)
      }
    }
  } else {
    for (i in seq_len(nrow(read$used))) {
      lines[[length(lines) + 1]] <- study(i, FALSE)
    }
  }
  if (pooled$whole$k > 1) {
    add(kind = "rule")
    lines[[length(lines) + 1]] <- sum_line(
      pooled$whole,
      sprintf("Pooled, %s", if (pooled$whole$method %in% c("FE", "MH")) "fixed effect" else "random effects"),
      shows$total
    )
    if (!anyNA(pooled$whole$pi)) {
      add(kind = "interval", text = "Prediction interval", low = pooled$whole$pi[1], high = pooled$whole$pi[2])
    }
    add(kind = "note", text = paste0("Heterogeneity: ", heterogeneity_words(pooled$whole)))
    add(kind = "note", text = capital(meta_method_name(pooled$whole$method, pooled$whole$knapp)))
  }
  if (!is.null(pooled$between)) {
    add(
      kind = "note",
      text = sprintf(
        "Subgroup differences: Q = %s, df = %d, p %s",
        fmt(pooled$between$q, 2),
        pooled$between$df,
        p_text(pooled$between$p)
      )
    )
  }
  lines
}

# Returns Q, I² and τ² of pooled studies in words.
heterogeneity_words <- function(fit) {
  paste0(
    sprintf("Q = %s, df = %d, p %s; I² = %s%%", fmt(fit$q, 2), fit$q_df, p_text(fit$q_p), fmt(round(fit$i2, 1), 1)),
    if (!is.na(fit$tau2)) sprintf("; τ² = %s", fmt(round(fit$tau2, 2), 2))
  )
}

# Returns a name for the middle of a line: "steroid" for "Steroid"; "BCG" stays.
lower_first <- function(text) {
  if (grepl("^[[:upper:]][[:lower:]]", text)) {
    paste0(tolower(substr(text, 1, 1)), substr(text, 2, nchar(text)))
  } else {
    text
  }
}
