# Script code that linear, logistic and Cox regression share.

# Returns the code `used <- na.omit(data.frame(...))` with the columns of `first` (named code) and the predictors.
rows_code <- function(ask, model, first) {
  predictors <- vapply(
    seq_along(model$ids),
    function(i) {
      values <- model$used[[model$names[i]]]
      if (is.factor(values)) factor_code(ask, model$ids[i], levels(values)) else numeric_code(ask, model$ids[i])
    },
    ""
  )
  lines <- sprintf("  %s = %s", c(names(first), model$names), c(first, predictors))
  titles <- vapply(
    seq_along(model$ids),
    function(i) {
      sprintf("#   %s is %s", model$names[i], sub("^# ", "", comment_line(quoted(ask$data[[model$ids[i]]]$name))))
    },
    ""
  )
  c(
    "# In the model each predictor has a short name:",
    titles,
    "used <- na.omit(data.frame(",
    paste0(lines, c(rep(",", length(lines) - 1), "")),
    "))"
  )
}

# Returns the code of the ratios: exp() of the coefficients `b` and of `ci`, NA for those that go to 0 or infinity.
ratios_code <- function(name, b, endless) {
  c(
    sprintf("%s <- exp(cbind(%s, ci))", name, b),
    if (length(endless)) {
      c(
        "# Events and non-events are separated: these ratios run to 0 or infinity.",
        sprintf("%s[term %%in%% %s, ] <- NA", name, quoted_vector(endless))
      )
    },
    sprintf(
      paste0(
        "%s <- c(setNames(%s[, 1], paste0(\"%s.\", term)), setNames(%s[, 2], paste0(\"%s.\", ",
        "term, \"_low\")), setNames(%s[, 3], paste0(\"%s.\", term, \"_high\")))"
      ),
      name,
      name,
      name,
      name,
      name,
      name,
      name
    )
  )
}

# Returns the code of an event as 0 and 1, as event_of() reads it.
event_lines <- function(ask, param) {
  if (!is.null(ask$options$event_value)) {
    return(event_code(ask, ask$params[[param]], ask$options$event_value))
  }
  found <- event_label(ask, param)
  if (tolower(found) == "true") {
    return(sprintf("as.numeric(tolower(%s) == \"true\")", column_code(ask, ask$params[[param]])))
  }
  event_code(ask, ask$params[[param]], found)
}
