# Logistic regression (SPEC N3): maximum likelihood with Wald intervals. Separation is reported, never shown as a
# number.

analysis(
  "logistic",
  title = "Logistic regression",
  params = list(
    outcome = column("event", "Outcome (event or not)"),
    predictors = columns("any", "Predictors", most = 29)
  ),
  options = list(
    event_value = value_of("Which value is the event"),
    firth = flag("Penalised likelihood (Firth), for separation or few events")
  ),
  run = function(ask) {
    model <- model_rows(ask, list(outcome = event_of(ask, "outcome")), "outcome")
    used <- model$used
    events <- sum(used$outcome)
    if (events == 0) {
      refuse(
        "no_events",
        sprintf("%s has no event in the complete rows.", name_of(ask, "outcome")),
        field = "params.outcome",
        column = ask$params$outcome
      )
    }
    if (events == nrow(used)) {
      refuse(
        "constant_variable",
        sprintf("Every complete row of %s is an event.", name_of(ask, "outcome")),
        field = "params.outcome",
        column = ask$params$outcome
      )
    }
    matrix <- refuse_singular(ask, model, 1e-10)
    if (ask$options$firth) {
      return(firth_result(ask, model, matrix, events))
    }
    made <- logistic_fit(model)
    fit <- made$fit
    table <- summary(fit)$coefficients
    if (nrow(table) < model$parameters || any(!is.finite(table))) {
      refuse_not_converged()
    }
    rownames(table)[1] <- "intercept"
    ci <- table[, 1] + outer(table[, 2], c(-1, 1) * stats::qnorm(1 - (1 - ask$conf_level) / 2))
    endless <- sub("(Intercept)", "intercept", made$endless, fixed = TRUE)
    terms <- terms_of(ask, model)
    labels <- c("Intercept", vapply(terms, `[[`, "", "label"))
    ratios <- ratios_of(ask, "or", "Odds ratio", table, ci, labels, endless)
    names(ratios) <- rownames(table)
    ps <- stats::setNames(as.list(ifelse(rownames(table) %in% endless, NA, table[, 4])), rownames(table))
    event <- event_words(ask, "outcome")
    outcome <- label(name_of(ask, "outcome"))
    lr <- fit$null.deviance - fit$deviance
    lr_df <- fit$df.null - fit$df.residual
    lr_p <- stats::pchisq(lr, lr_df, lower.tail = FALSE)
    # With a single term the likelihood ratio test asks the same as Wald's test, whose interval is shown: report only
    # one.
    single <- lr_df == 1 && !length(endless)
    enough <- events_per_parameter(
      min(events, nrow(used) - events),
      model$parameters - 1,
      if (events <= nrow(used) / 2) "events" else "rows without the event"
    )
    apart <- separation_words(terms, endless)
    adjusted <- length(model$ids) > 1

    result(
      method = if (adjusted) "Multiple logistic regression" else "Simple logistic regression",
      reason = "maximum likelihood, Wald intervals",
      n = model$n,
      estimates = c(coefficients_of(ask, table, ci, labels, "z", endless), unname(ratios)),
      statistics = list(
        events = events,
        null_deviance = fit$null.deviance,
        residual_deviance = fit$deviance,
        df_null = fit$df.null,
        df_residual = fit$df.residual,
        aic = fit$aic,
        mcfadden_r2 = 1 - fit$deviance / fit$null.deviance,
        lr_chi_squared = lr,
        lr_df = lr_df,
        lr_p = lr_p,
        p = if (single) ps[[2]] else lr_p,
        c_statistic = concordance_of(fit$fitted.values, used$outcome)
      ),
      tables = list(model_table(
        ask,
        model,
        sprintf("%s: logistic regression", outcome),
        if (adjusted) "Adjusted OR" else "OR",
        ratios,
        ps,
        c(
          event$note,
          "OR: odds ratio, with Wald intervals and tests.",
          if (length(endless)) apart$text,
          missing_note(model$n)
        )
      )),
      assumptions = c(
        apart$assumptions,
        enough$assumptions,
        if (!length(endless)) collinearity(ask, model, matrix, stats::vcov(fit))
      ),
      recommendation = if (length(endless)) {
        recommend(
          "Run again with penalised likelihood (Firth), which gives a finite odds ratio, or join rare levels.",
          "logistic",
          "advise"
        )
      },
      sentence = sentence(
        "Logistic regression of ",
        event$said,
        " (",
        of_inside(events, nrow(used)),
        "): ",
        terms_words(
          ask,
          model,
          "its estimated odds were",
          if (adjusted) "adjusted odds ratio" else "odds ratio",
          ratios,
          ps
        ),
        if (!single) {
          paste0("; likelihood ratio ", it("χ²"), "(", label_of(lr_df), ") = ", fixed(lr, 2), ", ", p_words(lr_p))
        },
        "; ",
        if (single) "two-sided Wald test" else "terms by two-sided Wald tests",
        "; ",
        missing_words(model$n),
        ".",
        if (length(endless)) paste0(" ", apart$text)
      ),
      figures = when_asked(
        ask,
        terms_figure(ask, model, if (adjusted) "Adjusted odds ratio" else "Odds ratio", ratios, ratio = TRUE)
      ),
      warnings = c(apart$warnings, enough$warnings, event$warnings),
      script = script(c(
        rows_code(ask, model, c(outcome = event_lines(ask, "outcome"))),
        paste0(
          "model <- glm(outcome ~ ., data = used, family = binomial(), ",
          "control = glm.control(epsilon = 1e-12, maxit = 60))"
        ),
        "fit <- summary(model)$coefficients",
        sprintf("z <- qnorm(1 - (1 - %s) / 2)", literal(ask$conf_level)),
        "ci <- cbind(fit[, 1] - z * fit[, 2], fit[, 1] + z * fit[, 2])",
        "term <- sub(\"(Intercept)\", \"intercept\", rownames(fit), fixed = TRUE)",
        ratios_code("or", "fit[, 1]", endless),
        code_of("concordance_of"),
        "c_statistic <- concordance_of(fitted(model), used$outcome)",
        "lr <- model$null.deviance - model$deviance",
        "lr_df <- model$df.null - model$df.residual",
        "result <- c(",
        paste0(
          "  setNames(fit[, 1], term), setNames(ci[, 1], paste0(term, ",
          "\"_low\")), setNames(ci[, 2], paste0(term, \"_high\")),"
        ),
        paste0(
          "  setNames(fit[, 2], paste0(term, \"_se\")), setNames(fit[, 3], ",
          "paste0(term, \"_z\")), setNames(fit[, 4], paste0(term, \"_p\")),"
        ),
        "  or,",
        paste0(
          "  events = sum(used$outcome), null_deviance = model$null.deviance, residual_deviance ",
          "= model$deviance, df_null = model$df.null, df_residual = model$df.residual,"
        ),
        paste0(
          "  aic = model$aic, mcfadden_r2 = 1 - model$deviance / model$null.deviance, lr_chi_squared ",
          "= lr, lr_df = lr_df, lr_p = pchisq(lr, lr_df, lower.tail = FALSE),"
        ),
        sprintf("  p = %s,", if (single) "fit[2, 4]" else "pchisq(lr, lr_df, lower.tail = FALSE)"),
        "  c_statistic = c_statistic",
        ")"
      ))
    )
  }
)

# Returns the fit and the terms without a finite estimate: list(fit, endless). Under separation the standard errors grow
# with every further step; otherwise they hardly change (Lesaffre and Albert 1989, J R Stat Soc B 51:109). A stricter
# fit than R's default also gives the last digits; beyond 1e-12 glm() forces fitted values away from 0 and 1.
logistic_fit <- function(model) {
  fit_to <- function(epsilon) {
    fitted_quietly(function() {
      stats::glm(
        model$formula,
        data = model$used,
        family = stats::binomial(),
        control = stats::glm.control(epsilon = epsilon, maxit = 60)
      )
    })
  }
  made <- fit_to(1e-12)
  fit <- made$value
  if (is.null(fit)) {
    refuse_not_converged()
  }
  suspect <- length(made$said) > 0 || any(fit$fitted.values < 1e-6 | fit$fitted.values > 1 - 1e-6)
  if (!suspect) {
    return(list(fit = fit, endless = character()))
  }
  of <- function(one) summary(one)$coefficients[, 2]
  grown <- tryCatch(of(fit) / of(fit_to(1e-5)$value), error = function(problem) NULL)
  if (length(grown) != model$parameters || any(!is.finite(grown))) {
    grown <- stats::setNames(rep(Inf, model$parameters), names(stats::coef(fit)))
  }
  endless <- names(grown)[grown > 1.5]
  if (!fit$converged && !length(endless)) {
    refuse_not_converged()
  }
  list(fit = fit, endless = endless)
}

# Returns checks, warnings and text about terms without a finite estimate.
separation_words <- function(terms, endless) {
  if (!length(endless)) {
    return(list(
      assumptions = list(assumption("separation", "Separation", "No predictor separates events from non-events.")),
      warnings = list(),
      text = ""
    ))
  }
  named <- vapply(Filter(function(term) term$id %in% endless, terms), `[[`, "", "label")
  text <- if (length(named)) {
    sprintf(
      "Separation: %s %s events from non-events completely or nearly, so that %s cannot be estimated.",
      listed(utils::head(named, 4)),
      if (length(named) == 1) "separates" else "separate",
      if (length(named) == 1) "its odds ratio" else "their odds ratios"
    )
  } else {
    "Separation: the predictors separate events from non-events, so that the odds ratios cannot be estimated."
  }
  list(
    assumptions = list(assumption("separation", "Separation", text, status = "concern")),
    text = text,
    warnings = list(warning_of(
      "separation",
      text,
      unique(vapply(Filter(function(term) term$id %in% endless, terms), `[[`, "", "column"))
    ))
  )
}

# Returns how often a row with the event has the higher fitted value (the area under the ROC curve).
concordance_of <- function(fitted, outcome) {
  cases <- outcome == 1
  (sum(rank(fitted)[cases]) - sum(cases) * (sum(cases) + 1) / 2) / (sum(cases) * as.numeric(sum(!cases)))
}
