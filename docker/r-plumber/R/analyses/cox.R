# Cox regression (SPEC N3): Efron's method for ties; no covariate is dropped. Proportional hazards are checked and
# reported.

MOST_ZPH <- 60 # parameters for cox.zph(), whose cost grows with their square

analysis(
  "cox",
  title = "Cox regression of survival",
  params = list(
    time = column("numeric", "Time to event or end of follow-up"),
    event = column("event", "Event (or censored)"),
    predictors = columns("any", "Predictors", most = 28)
  ),
  options = list(event_value = value_of("Which value is the event")),
  packages = "survival",
  run = function(ask) {
    time <- times_of(ask)
    model <- model_rows(ask, list(time = time, event = event_of(ask, "event")), "survival::Surv(time, event)")
    used <- model$used
    events <- sum(used$event)
    if (events == 0) {
      refuse(
        "no_events",
        sprintf("%s has no event in the complete rows.", name_of(ask, "event")),
        field = "params.event",
        column = ask$params$event
      )
    }
    matrix <- refuse_singular(ask, model, 1e-10)
    fitted <- fitted_quietly(function() survival::coxph(model$formula, data = used, ties = "efron", x = TRUE))
    fit <- fitted$value
    if (is.null(fit)) {
      refuse_not_converged()
    }
    if (anyNA(stats::coef(fit))) {
      refuse_singular_cox(ask, model, fit)
    }
    whole <- summary(fit, conf.int = ask$conf_level)
    table <- whole$coefficients[, c("coef", "se(coef)", "z", "Pr(>|z|)"), drop = FALSE]
    endless <- endless_of(model, fitted, table)
    if (!length(endless) && (any(!is.finite(table)) || any(grepl("did not converge", fitted$said)))) {
      refuse_not_converged()
    }
    ci <- table[, 1] + outer(table[, 2], c(-1, 1) * stats::qnorm(1 - (1 - ask$conf_level) / 2))
    terms <- terms_of(ask, model)
    labels <- vapply(terms, `[[`, "", "label")
    ratios <- ratios_of(ask, "hr", "Hazard ratio", table, ci, labels, endless)
    names(ratios) <- rownames(table)
    ps <- stats::setNames(as.list(ifelse(rownames(table) %in% endless, NA, table[, 4])), rownames(table))
    event <- event_words(ask, "event")
    enough <- events_per_parameter(events, model$parameters - 1)
    apart <- monotone_words(terms, endless)
    hazards <- if (length(endless)) list() else proportional(fit, terms, model)
    adjusted <- length(model$ids) > 1
    name <- if (adjusted) "adjusted hazard ratio" else "hazard ratio"
    # With a single term the likelihood ratio test asks the same as Wald's test, whose interval is shown: report only
    # one.
    single <- nrow(table) == 1 && !length(endless)

    result(
      method = "Cox proportional hazards regression",
      reason = "Efron's method for ties",
      n = model$n,
      estimates = c(coefficients_of(ask, table, ci, labels, "z", endless), unname(ratios)),
      statistics = list(
        events = events,
        lr_chi_squared = whole$logtest[[1]],
        lr_df = whole$logtest[[2]],
        lr_p = whole$logtest[[3]],
        p = if (single) ps[[1]] else whole$logtest[[3]],
        wald_chi_squared = fit$wald.test,
        wald_p = whole$waldtest[[3]],
        score_chi_squared = whole$sctest[[1]],
        score_p = whole$sctest[[3]],
        concordance = whole$concordance[[1]],
        concordance_se = whole$concordance[[2]]
      ),
      tables = list(model_table(
        ask,
        model,
        sprintf("%s: Cox regression", label(name_of(ask, "time"))),
        if (adjusted) "Adjusted HR" else "HR",
        ratios,
        ps,
        c(
          event$note,
          "HR: hazard ratio, with Wald intervals and tests.",
          if (length(endless)) apart$text,
          missing_note(model$n)
        )
      )),
      assumptions = c(
        apart$assumptions,
        hazards$assumptions,
        enough$assumptions,
        if (!length(endless)) collinearity(ask, model, matrix, cox_covariance(fit))
      ),
      recommendation = hazards$recommendation,
      sentence = sentence(
        "Cox regression of ",
        said_of(ask, "time"),
        " until ",
        event$said,
        " (",
        of_inside(events, nrow(used)),
        "): ",
        terms_words(ask, model, "its estimated hazard was", name, ratios, ps),
        if (!single) {
          paste0(
            "; likelihood ratio ",
            it("χ²"),
            "(",
            label_of(whole$logtest[[2]]),
            ") = ",
            fixed(whole$logtest[[1]], 2),
            ", ",
            p_words(whole$logtest[[3]])
          )
        },
        "; ",
        if (single) "two-sided Wald test" else "terms by two-sided Wald tests",
        "; concordance ",
        fixed(whole$concordance[[1]], 2),
        "; ",
        missing_words(model$n),
        ".",
        if (length(endless)) paste0(" ", apart$text)
      ),
      figures = when_asked(ask, terms_figure(ask, model, capital(name), ratios, ratio = TRUE)),
      warnings = c(apart$warnings, hazards$warnings, enough$warnings, event$warnings),
      script = script(
        c(
          rows_code(ask, model, c(time = numeric_code(ask, ask$params$time), event = event_lines(ask, "event"))),
          "model <- coxph(Surv(time, event) ~ ., data = used, ties = \"efron\")",
          "fit <- summary(model)",
          "b <- fit$coefficients",
          sprintf("z <- qnorm(1 - (1 - %s) / 2)", literal(ask$conf_level)),
          "ci <- cbind(b[, \"coef\"] - z * b[, \"se(coef)\"], b[, \"coef\"] + z * b[, \"se(coef)\"])",
          "term <- rownames(b)",
          ratios_code("hr", "b[, \"coef\"]", endless),
          if (!length(endless) && model$parameters - 1 <= MOST_ZPH) "print(cox.zph(model)) # proportional hazards",
          "result <- c(",
          paste0(
            "  setNames(b[, \"coef\"], term), setNames(ci[, 1], paste0(term, ",
            "\"_low\")), setNames(ci[, 2], paste0(term, \"_high\")),"
          ),
          paste0(
            "  setNames(b[, \"se(coef)\"], paste0(term, \"_se\")), setNames(b[, \"z\"], ",
            "paste0(term, \"_z\")), setNames(b[, \"Pr(>|z|)\"], paste0(term, \"_p\")),"
          ),
          "  hr,",
          paste0(
            "  events = sum(used$event), lr_chi_squared = fit$logtest[[1]], ",
            "lr_df = fit$logtest[[2]], lr_p = fit$logtest[[3]],"
          ),
          sprintf("  p = %s,", if (single) "b[1, 5]" else "fit$logtest[[3]]"),
          paste0(
            "  wald_chi_squared = unname(model$wald.test), wald_p = fit$waldtest[[3]], ",
            "score_chi_squared = fit$sctest[[1]], score_p = fit$sctest[[3]],"
          ),
          "  concordance = fit$concordance[[1]], concordance_se = fit$concordance[[2]]",
          ")"
        ),
        packages = "survival"
      )
    )
  }
)

# Returns the follow-up times. Refuses negative numbers.
times_of <- function(ask) {
  time <- numeric_of(ask, "time")
  wrong <- which(time < 0)
  if (length(wrong)) {
    refuse(
      "bad_option",
      sprintf(
        "%s has negative times: %s.",
        name_of(ask, "time"),
        paste(
          sprintf("%s in row %d", vapply(time[utils::head(wrong, 3)], label_of, ""), utils::head(wrong, 3)),
          collapse = ", "
        )
      ),
      field = "params.time",
      column = ask$params$time,
      hint = "Correct these times, or mark them as missing."
    )
  }
  time
}

# Returns the covariance of the coefficients with their names, which R leaves out.
cox_covariance <- function(fit) {
  made <- stats::vcov(fit)
  dimnames(made) <- list(names(stats::coef(fit)), names(stats::coef(fit)))
  made
}

# Refuses predictors of which one is determined by the others.
refuse_singular_cox <- function(ask, model, fit) {
  id <- names(stats::coef(fit))[is.na(stats::coef(fit))][1]
  term <- Filter(function(term) term$id == id, terms_of(ask, model))[[1]]
  refuse(
    "singular_model",
    sprintf("%s is determined by the other predictors, so that the model has no single solution.", term$label),
    field = "params.predictors",
    column = term$column,
    hint = "Take it out, or one of those it depends on."
  )
}

# Returns the terms whose hazard ratio goes to 0 or infinity: R warns about some, and their standard errors grow with a
# stricter fit.
endless_of <- function(model, fitted, table) {
  if (!length(fitted$said) && all(is.finite(table))) {
    return(character())
  }
  strict <- fitted_quietly(function() {
    survival::coxph(
      model$formula,
      data = model$used,
      ties = "efron",
      control = survival::coxph.control(eps = 1e-15, toler.chol = 1e-18, iter.max = 60)
    )
  })$value
  grown <- if (is.null(strict)) rep(Inf, nrow(table)) else sqrt(diag(as.matrix(stats::vcov(strict)))) / table[, 2]
  grown[!is.finite(grown)] <- Inf
  rownames(table)[grown > 1.5]
}

# Returns checks, warnings and text about terms whose hazard ratio has no finite estimate.
monotone_words <- function(terms, endless) {
  if (!length(endless)) {
    return(list(assumptions = list(), warnings = list(), text = ""))
  }
  found <- Filter(function(term) term$id %in% endless, terms)
  text <- sprintf(
    "Separation: for %s all events lie on one side, so that %s cannot be estimated.",
    listed(utils::head(vapply(found, `[[`, "", "label"), 4)),
    if (length(found) == 1) "the hazard ratio" else "the hazard ratios"
  )
  list(
    assumptions = list(assumption("separation", "Separation", text, status = "concern")),
    text = text,
    warnings = list(warning_of("separation", text, unique(vapply(found, `[[`, "", "column"))))
  )
}

# Grambsch and Therneau's test for each predictor and for all (Biometrika 1994, 81:515).
proportional <- function(fit, terms, model) {
  if (model$parameters - 1 > MOST_ZPH) {
    return(list(
      assumptions = list(assumption(
        "proportional",
        "cox.zph",
        "The model is too large for the check of proportional hazards.",
        status = "not_run"
      ))
    ))
  }
  made <- fitted_quietly(function() survival::cox.zph(fit)$table)$value
  if (is.null(made) || any(!is.finite(made[, "p"]))) {
    return(list(
      assumptions = list(assumption(
        "proportional",
        "cox.zph",
        "Proportional hazards could not be checked: there are too few events.",
        status = "not_run"
      ))
    ))
  }
  single <- made[rownames(made) != "GLOBAL", , drop = FALSE]
  titles <- vapply(model$names, function(name) Filter(function(term) term$name == name, terms)[[1]]$title, "")
  each <- lapply(seq_len(nrow(single)), function(i) {
    bad <- single[i, "p"] < 0.05
    assumption(
      sprintf("proportional.%s", model$ids[i]),
      "cox.zph",
      if (bad) {
        sprintf("The hazard ratio of %s changes over time: the one number given is an average.", titles[i])
      } else {
        sprintf("Nothing speaks against proportional hazards of %s.", titles[i])
      },
      single[i, "chisq"],
      single[i, "p"],
      if (bad) "concern" else "ok"
    )
  })
  global <- made[nrow(made), ]
  bad <- titles[single[, "p"] < 0.05]
  any <- length(bad) > 0 || global[["p"]] < 0.05
  whole <- assumption(
    "proportional",
    "cox.zph, all predictors",
    if (global[["p"]] < 0.05) {
      "Taken together, the hazards are not proportional."
    } else {
      "Taken together, nothing speaks against proportional hazards."
    },
    global[["chisq"]],
    global[["p"]],
    if (global[["p"]] < 0.05) "concern" else "ok"
  )
  says <- if (length(bad)) {
    sprintf("Hazards are not proportional for %s (cox.zph p < 0.05).", listed(utils::head(bad, 5)))
  } else {
    "Hazards are not proportional, taking all predictors together (cox.zph p < 0.05)."
  }
  list(
    assumptions = c(list(whole), if (length(each) > 1) each),
    warnings = if (any) list(warning_of("non_proportional", says)) else list(),
    recommendation = if (any) {
      recommend(
        paste0(
          "Say in the text that the hazard ratio is an average over the follow-up. Look ",
          "at the Kaplan-Meier curves; strata or shorter periods may describe it better."
        ),
        "kaplan_meier",
        "advise"
      )
    }
  )
}
