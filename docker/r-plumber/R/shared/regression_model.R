# What linear, logistic and Cox regression share: the predictors as columns of a model, their terms and coefficients,
# and the refusal of models that cannot be computed.
#
# In a model a numeric predictor is named by its id ("c2"), a factor by its id and a full stop ("c3."), so that R's own
# name of a coefficient is the id of an estimate: c2, "c3.12+ yrs".

MOST_CELLS <- 1e7 # cells of a model matrix: rows times parameters
MOST_TERMS <- 300
SENTENCE_TERMS <- 6

# Returns the rows of a model: list(used, n, names, formula). `first` is a named list of the columns on the left side;
# `left` is its R code.
model_rows <- function(ask, first, left) {
  ids <- ask$params$predictors
  for (param in setdiff(names(ask$params), "predictors")) {
    if (ask$params[[param]] %in% ids) {
      refuse(
        "bad_option",
        sprintf("%s is also among the predictors.", name_of(ask, param)),
        field = "params.predictors",
        column = ask$params[[param]],
        hint = "Take it out of the predictors."
      )
    }
  }
  predictors <- lapply(ids, function(id) predictor_of(ask, id))
  names <- ifelse(vapply(predictors, is.factor, NA), paste0(ids, "."), ids)
  names(predictors) <- names
  rows <- do.call(complete, c(first, predictors, list(least = 3)))
  for (i in seq_along(ids)) {
    refuse_single(ask, ids[i], rows$used[[names[i]]])
  }
  parameters <- 1 +
    sum(vapply(names, function(name) if (is.factor(rows$used[[name]])) nlevels(rows$used[[name]]) - 1 else 1, 1))
  if (parameters > MOST_TERMS || parameters * nrow(rows$used) > MOST_CELLS) {
    refuse(
      "too_large",
      sprintf(
        "The model would have %s parameters for %s rows, which is too much.",
        label_of(parameters),
        label_of(nrow(rows$used))
      ),
      field = "params.predictors",
      hint = "Take out predictors with many levels."
    )
  }
  if (nrow(rows$used) <= parameters) {
    refuse(
      "too_few_observations",
      sprintf(
        "%s complete rows are too few for a model of %s parameters.",
        label_of(nrow(rows$used)),
        label_of(parameters)
      ),
      field = "params.predictors",
      hint = "Choose fewer predictors, or look at what is missing."
    )
  }
  list(
    used = rows$used,
    n = rows$n,
    ids = ids,
    names = names,
    parameters = parameters,
    formula = stats::reformulate(names, left)
  )
}

# Refuses a predictor that has the same value in all complete rows.
refuse_single <- function(ask, id, values) {
  if (length(unique(values)) > 1) {
    return(invisible())
  }
  refuse(
    if (is.factor(values)) "group_levels" else "constant_variable",
    sprintf("All values of %s are the same in the complete rows.", ask$data[[id]]$name),
    field = "params.predictors",
    column = id,
    hint = "Take it out of the predictors."
  )
}

# Refuses numbers whose squares R cannot hold.
refuse_large_numbers <- function(values, named, field, column = NULL) {
  if (all(is.finite(values)) && all(abs(values) <= 1e150)) {
    return(invisible())
  }
  refuse(
    "not_converged",
    sprintf("%s has numbers too large to compute with.", named),
    field = field,
    column = column,
    hint = "Use other units, so that the numbers get smaller."
  )
}

# Refuses predictors of which one is determined by the others. `tolerance` is that of the fitting function.
refuse_singular <- function(ask, model, tolerance = 1e-7) {
  matrix <- stats::model.matrix(stats::update(model$formula, NULL ~ .), model$used)
  refuse_large_numbers(matrix, "A predictor", "params.predictors")
  found <- qr(matrix, tol = tolerance)
  if (found$rank == ncol(matrix)) {
    return(invisible(matrix))
  }
  left_out <- colnames(matrix)[found$pivot[(found$rank + 1):ncol(matrix)]]
  labels <- vapply(terms_of(ask, model), function(term) if (term$id %in% left_out) term$label else "", "")
  labels <- utils::head(labels[labels != ""], 3)
  first <- Filter(function(term) term$id %in% left_out, terms_of(ask, model))[[1]]
  refuse(
    "singular_model",
    sprintf(
      "%s %s determined by the other predictors, so that the model has no single solution.",
      listed(labels),
      if (length(labels) > 1) "are" else "is"
    ),
    field = "params.predictors",
    column = first$column,
    hint = "Take it out, or one of those it depends on."
  )
}

# Returns the terms of a model without the intercept: list(id, column, name, title, label, level, against, said, place).
# `said` is the column's name for a sentence, `place` the words after "higher".
terms_of <- function(ask, model) {
  unlist(
    lapply(seq_along(model$ids), function(i) {
      name <- model$names[i]
      title <- label(ask$data[[model$ids[i]]]$name)
      values <- model$used[[name]]
      said <- said_of(ask, id = model$ids[i])
      if (!is.factor(values)) {
        return(list(list(
          id = name,
          column = model$ids[i],
          name = name,
          title = title,
          label = title,
          level = NULL,
          said = said,
          place = unit_more(said, unit_of(ask, id = model$ids[i]))
        )))
      }
      words <- level_words(levels(values), 80)
      lapply(seq_along(words)[-1], function(j) {
        list(
          id = paste0(name, levels(values)[j]),
          column = model$ids[i],
          name = name,
          title = title,
          level = words[j],
          against = words[1],
          said = said,
          label = sprintf("%s: %s (against %s)", title, words[j], words[1]),
          place = sprintf("for %s = %s than for %s (reference)", said, words[j], words[1])
        )
      })
    }),
    recursive = FALSE
  )
}

# Runs `fit()` and collects R's warnings: list(value, said). value is NULL if R stopped.
fitted_quietly <- function(fit) {
  said <- character()
  value <- withCallingHandlers(
    tryCatch(fit(), error = function(problem) NULL),
    warning = function(warning) {
      said <<- c(said, conditionMessage(warning))
      invokeRestart("muffleWarning")
    }
  )
  list(value = value, said = said)
}

# Refuses a model that did not converge.
refuse_not_converged <- function() {
  refuse(
    "not_converged",
    "The model did not converge.",
    field = "params.predictors",
    hint = "Choose fewer predictors, or put predictors with very large or very small numbers into other units."
  )
}

# Returns the coefficients of a model as estimates with standard error, test statistic and p; `statistic` is "t" or "z".
# Terms in `endless`, which go to infinity, have neither interval nor p.
coefficients_of <- function(ask, table, ci, labels, statistic, endless = character()) {
  ci[rownames(table) %in% endless, ] <- NA
  table[rownames(table) %in% endless, 4] <- NA
  lapply(seq_len(nrow(table)), function(i) {
    more <- stats::setNames(list(table[i, 2], table[i, 3], table[i, 4]), c("se", statistic, "p"))
    digits <- ratio_digits(c(table[i, 1], ci[i, ]), 3, null = 0)
    do.call(
      estimate,
      c(
        list(rownames(table)[i], labels[i], table[i, 1], ci[i, 1], ci[i, 2], ask$conf_level, digits = digits),
        lapply(more, as.numeric)
      )
    )
  })
}

# Returns exp() of the coefficients with their intervals. Terms without a finite estimate (separation) have none.
ratios_of <- function(ask, prefix, name, table, ci, labels, endless) {
  lapply(seq_len(nrow(table)), function(i) {
    values <- if (rownames(table)[i] %in% endless) c(NA, NA, NA) else exp(c(table[i, 1], ci[i, ]))
    estimate(
      paste0(prefix, ".", rownames(table)[i]),
      sprintf("%s, %s", name, labels[i]),
      values[1],
      values[2],
      values[3],
      ask$conf_level,
      digits = ratio_digits(values, ask$digits)
    )
  })
}

# Generalised variance inflation (Fox and Monette 1992), a value for each predictor: GVIF^(1 / (2 df)) squared, which is
# the usual VIF for a numeric one.
inflation_of <- function(model, matrix, covariance) {
  if (length(model$names) < 2) {
    return(NULL)
  }
  terms <- colnames(matrix)[-1]
  correlation <- tryCatch(stats::cov2cor(covariance[terms, terms, drop = FALSE]), error = function(problem) NULL)
  if (is.null(correlation) || any(!is.finite(correlation))) {
    return(NULL)
  }
  logdet <- function(part) if (length(part)) as.numeric(determinant(part, logarithm = TRUE)$modulus) else 0
  whole <- logdet(correlation)
  values <- vapply(
    model$names,
    function(name) {
      own <- if (is.factor(model$used[[name]])) terms %in% paste0(name, levels(model$used[[name]])) else terms == name
      exp(
        (logdet(correlation[own, own, drop = FALSE]) + logdet(correlation[!own, !own, drop = FALSE]) - whole) / sum(own)
      )
    },
    1
  )
  if (any(!is.finite(values))) NULL else values
}

# Returns the check of collinearity.
collinearity <- function(ask, model, matrix, covariance) {
  values <- inflation_of(model, matrix, covariance)
  if (is.null(values)) {
    return(list())
  }
  worst <- which.max(values)
  name <- label(ask$data[[model$ids[worst]]]$name)
  high <- values[worst] >= 5
  list(assumption(
    "collinearity",
    "Variance inflation factor, the largest",
    if (high) {
      sprintf(
        paste0(
          "%s is largely explained by the other predictors (VIF %s): its ",
          "own share cannot be told apart well, and its interval is wide."
        ),
        name,
        fixed(values[worst], 1)
      )
    } else {
      sprintf(
        "The predictors are not too closely related: the largest VIF is %s, for %s.",
        fixed(values[worst], 1),
        name
      )
    },
    values[worst],
    status = if (high) "concern" else "ok"
  ))
}

# Returns a warning for fewer than 10 events per parameter: intervals and p need more (Peduzzi 1996, J Clin Epidemiol
# 49:1373).
events_per_parameter <- function(events, parameters, what = "events") {
  each <- events / parameters
  if (each >= 10) {
    return(list(
      assumptions = list(assumption(
        "events",
        "Events per parameter",
        sprintf("%s %s for %s: %s each.", label_of(events), what, plural(parameters, "parameter"), fixed(each, 1)),
        each
      )),
      warnings = list()
    ))
  }
  says <- sprintf(
    "%s %s for %s are fewer than 10 each: the estimates may be too far from no effect, and the intervals are rough.",
    label_of(events),
    what,
    plural(parameters, "parameter")
  )
  list(
    assumptions = list(assumption("events", "Events per parameter", says, each, status = "concern")),
    warnings = list(warning_of("few_events", says))
  )
}

# Returns the value that counts as the event, and the other values: list(label, said, warnings, note); `said` includes
# the name of the column.
event_words <- function(ask, param) {
  found <- event_label(ask, param)
  values <- unique(stats::na.omit(labels_of(ask$data[[ask$params[[param]]]]$values)))
  others <- setdiff(values, found)
  note <- sprintf("Event: %s = “%s”.", label(name_of(ask, param)), label(found))
  warnings <- list()
  if (length(others) > 1 && !is.null(ask$options$event_value)) {
    says <- sprintf(
      "%s has %s values. “%s” is the event; all others count as no event.",
      label(name_of(ask, param)),
      label_of(length(values)),
      label(found)
    )
    warnings <- list(warning_of("other_values_no_event", says, ask$params[[param]]))
    note <- says
  }
  name <- said_of(ask, param)
  list(
    label = label(found),
    said = if (grepl(" was found$", found_words(name, label(found))) && tolower(found) %in% YES) {
      name
    } else {
      level_of_column(name, found)
    },
    note = note,
    warnings = warnings
  )
}
