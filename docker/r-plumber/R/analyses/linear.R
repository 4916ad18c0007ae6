# Linear regression (SPEC N3): ordinary least squares with all chosen predictors.

analysis(
  "linear",
  title = "Linear regression",
  params = list(outcome = column("numeric", "What was measured"), predictors = columns("any", "Predictors", most = 29)),
  run = function(ask) {
    model <- model_rows(ask, list(outcome = numeric_of(ask, "outcome")), "outcome")
    used <- model$used
    refuse_constant(ask, used$outcome, "outcome")
    refuse_large_numbers(used$outcome, name_of(ask, "outcome"), "params.outcome", ask$params$outcome)
    matrix <- refuse_singular(ask, model)
    fit <- stats::lm(model$formula, data = used)
    made <- fitted_quietly(function() summary(fit))
    table <- made$value$coefficients
    if (is.null(table) || nrow(table) < model$parameters || any(!is.finite(table[, 1]))) {
      refuse_not_converged()
    }
    perfect <- length(made$said) > 0 || any(!is.finite(table))
    rownames(table)[1] <- "intercept"
    ci <- stats::confint(fit, level = ask$conf_level)
    terms <- terms_of(ask, model)
    estimates <- coefficients_of(ask, table, ci, c("Intercept", vapply(terms, `[[`, "", "label")), "t")
    names(estimates) <- rownames(table)
    ps <- stats::setNames(as.list(table[, 4]), rownames(table))
    f <- made$value$fstatistic
    p <- stats::pf(f[[1]], f[[2]], f[[3]], lower.tail = FALSE)
    r2 <- made$value$r.squared
    outcome <- label(name_of(ask, "outcome"))
    residuals <- stats::residuals(fit)
    digits <- slope_digits(used$outcome, table[, 1], ci, ask$digits)
    estimates <- lapply(estimates, function(one) replace(one, "digits", digits))
    checks <- linear_checks(ask, model, fit, matrix, perfect)

    result(
      method = if (length(model$ids) > 1) "Multiple linear regression" else "Simple linear regression",
      reason = "least squares",
      n = model$n,
      estimates = estimates,
      statistics = list(
        r_squared = r2,
        adj_r_squared = made$value$adj.r.squared,
        f = f[[1]],
        df_model = f[[2]],
        df_residual = f[[3]],
        p = p,
        sigma = made$value$sigma,
        aic = stats::AIC(fit)
      ),
      effect_sizes = list(effect_size("f_squared", "Cohen's f squared", r2 / (1 - r2))),
      tables = list(model_table(
        ask,
        model,
        sprintf("%s: linear regression", outcome),
        "Difference",
        estimates,
        ps,
        c(
          "Difference in the outcome for each unit more, or against the reference; t tests.",
          sprintf("R² = %s.", fixed(r2, 2)),
          missing_note(model$n)
        ),
        intercept = estimates$intercept,
        digits = digits
      )),
      assumptions = checks$assumptions,
      recommendation = checks$recommendation,
      warnings = checks$warnings,
      sentence = if (perfect) {
        sentence(
          "Linear regression of ",
          said_of(ask, "outcome"),
          ": the predictors fit it exactly (",
          it("R"),
          "² = ",
          fixed(r2, 2),
          "), so that intervals and p values mean nothing; ",
          missing_words(model$n),
          "."
        )
      } else {
        sentence(
          "Linear regression of ",
          said_of(ask, "outcome"),
          ": ",
          terms_words(
            ask,
            model,
            "its estimated mean was",
            if (length(model$ids) > 1) "adjusted difference" else "difference",
            estimates,
            ps,
            null = 0,
            unit = unit_of(ask, "outcome"),
            digits = digits
          ),
          "; ",
          it("R"),
          "² = ",
          fixed(r2, 2),
          ", ",
          it("F"),
          "(",
          label_of(f[[2]]),
          ", ",
          label_of(f[[3]]),
          ") = ",
          fixed(f[[1]], 2),
          ", ",
          p_words(p),
          "; terms by two-sided ",
          it("t"),
          " tests; ",
          missing_words(model$n),
          "."
        )
      },
      figures = when_asked(
        ask,
        c(
          line_figure(ask, model, outcome),
          terms_figure(ask, model, "Difference", estimates, ratio = FALSE),
          list(residual_figure(fit, residuals))
        )
      ),
      script = script(c(
        rows_code(ask, model, c(outcome = numeric_code(ask, ask$params$outcome))),
        "model <- lm(outcome ~ ., data = used)",
        "fit <- summary(model)",
        sprintf("ci <- confint(model, level = %s)", literal(ask$conf_level)),
        "term <- sub(\"(Intercept)\", \"intercept\", rownames(fit$coefficients), fixed = TRUE)",
        "result <- c(",
        paste0(
          "  setNames(fit$coefficients[, 1], term), setNames(ci[, 1], paste0(term, ",
          "\"_low\")), setNames(ci[, 2], paste0(term, \"_high\")),"
        ),
        paste0(
          "  setNames(fit$coefficients[, 2], paste0(term, \"_se\")), setNames(fit$coefficients[, ",
          "3], paste0(term, \"_t\")), setNames(fit$coefficients[, 4], paste0(term, \"_p\")),"
        ),
        paste0(
          "  r_squared = fit$r.squared, adj_r_squared = fit$adj.r.squared, f = fit$fstatistic[[1]], ",
          "df_model = fit$fstatistic[[2]], df_residual = fit$fstatistic[[3]],"
        ),
        paste0(
          "  p = pf(fit$fstatistic[[1]], fit$fstatistic[[2]], fit$fstatistic[[3]], ",
          "lower.tail = FALSE), sigma = fit$sigma, aic = AIC(model),"
        ),
        "  f_squared = fit$r.squared / (1 - fit$r.squared)",
        ")"
      ))
    )
  }
)

# Returns the decimals for the differences of a model: those of the outcome, more if a slope would read 0.0.
slope_digits <- function(outcome, slopes, ci, digits) {
  least <- abs(c(slopes[-1], ci[-1, ]))
  least <- least[is.finite(least) & least > 1e-12]
  apart_digits(
    ci[-1, ],
    max(precision_of(outcome, digits), if (length(least)) min(4, ceiling(-log10(min(least)))) else 0),
    0
  )
}

# Returns the checks of the residuals and of collinearity.
linear_checks <- function(ask, model, fit, matrix, perfect) {
  n <- nrow(model$used)
  warnings <- list()
  if (perfect) {
    says <- paste0(
      "The predictors fit the outcome exactly. Is the outcome computed ",
      "from one of them? Standard errors and p mean nothing here."
    )
    return(list(
      assumptions = list(assumption("fit", "Residuals", says, status = "concern")),
      warnings = list(warning_of("perfect_fit", says)),
      recommendation = NULL
    ))
  }
  residuals <- stats::residuals(fit)
  shape <- if (n > 5000) {
    assumption(
      "normality",
      "Shapiro-Wilk on residuals",
      paste0(
        "With more than 5,000 rows the test finds every small deviation, and the ",
        "model does not need normal residuals. Look at the figure instead."
      ),
      status = "not_run"
    )
  } else {
    test <- stats::shapiro.test(residuals)
    skewed <- test$p.value < 0.05
    assumption(
      "normality",
      "Shapiro-Wilk on residuals",
      if (skewed) {
        paste0(
          "The residuals are not shaped like a normal distribution. With many ",
          "rows this matters little; with few, intervals and p are rough."
        )
      } else {
        "Nothing speaks against normally distributed residuals."
      },
      test$statistic,
      test$p.value,
      if (skewed) "concern" else "ok"
    )
  }
  # Breusch and Pagan's test in Koenker's form: n times R squared of the squared residuals on the predictors.
  squares <- residuals^2
  score <- n * (1 - sum(stats::lm.fit(matrix, squares)$residuals^2) / sum((squares - mean(squares))^2))
  p <- stats::pchisq(score, ncol(matrix) - 1, lower.tail = FALSE)
  uneven <- is.finite(p) && p < 0.05
  spread <- assumption(
    "spread",
    "Breusch-Pagan (Koenker)",
    if (uneven) {
      paste0(
        "The residuals spread more at some values of the predictors than at others: ",
        "standard errors are rough. Look at residuals against fitted values."
      )
    } else {
      "Nothing speaks against an even spread of the residuals."
    },
    score,
    p,
    if (uneven) "concern" else "ok"
  )
  cook <- stats::cooks.distance(fit)
  far <- which(is.finite(cook) & cook > 1)
  influence <- assumption(
    "influence",
    "Cook's distance, the largest",
    if (length(far)) {
      sprintf(
        "%s the line on %s own (Cook's distance above 1): run again without, and tell both.",
        if (length(far) == 1) "One row pulls" else sprintf("%s rows pull", label_of(length(far))),
        if (length(far) == 1) "its" else "their"
      )
    } else {
      "No single row pulls the result on its own."
    },
    max(cook[is.finite(cook)], 0),
    status = if (length(far)) "concern" else "ok"
  )
  few <- n / (model$parameters - 1) < 10
  size <- assumption(
    "rows",
    "Rows per parameter",
    sprintf(
      if (few) "%s rows for %s are fewer than 10 each: the model may fit chance." else "%s rows for %s.",
      label_of(n),
      plural(model$parameters - 1, "parameter")
    ),
    n / (model$parameters - 1),
    status = if (few) "concern" else "ok"
  )
  if (few) {
    warnings <- list(warning_of("few_observations", size$text))
  }
  list(
    assumptions = c(list(shape, spread, influence, size), collinearity(ask, model, matrix, stats::vcov(fit))),
    warnings = warnings,
    recommendation = if (uneven || shape$status == "concern") {
      recommend(
        "Look at the figure of residuals before you trust p: a skewed outcome may be better on a log scale.",
        strength = "advise"
      )
    }
  )
}

# The regression line with its band, for a single numeric predictor.
line_figure <- function(ask, model, outcome) {
  if (length(model$names) != 1 || is.factor(model$used[[model$names]])) {
    return(list())
  }
  x <- label(ask$data[[model$ids]]$name)
  frame <- data.frame(x = model$used[[model$names]], y = model$used$outcome)
  plot <- ggplot(frame, aes(x, y)) +
    geom_smooth(
      method = "lm",
      formula = y ~ x,
      level = ask$conf_level,
      colour = INK,
      fill = "#c9d6d4",
      linewidth = 0.5
    ) +
    geom_point(
      size = if (nrow(frame) > 1000) 0.5 else 1,
      alpha = if (nrow(frame) > 300) 0.35 else 0.7,
      colour = ACCENT
    ) +
    labs(x = shortened(x, 60), y = shortened(outcome, 45)) +
    theme_thesis()
  list(figure(
    "line",
    plot,
    sprintf(
      "%s against %s, %s points with the regression line and its %s%% band.",
      outcome,
      x,
      label_of(nrow(frame)),
      label_of(100 * ask$conf_level)
    ),
    caption = sprintf("%s against %s with the regression line", outcome, x),
    points = nrow(frame)
  ))
}

# The residuals against the fitted values.
residual_figure <- function(fit, residuals) {
  frame <- data.frame(x = stats::fitted(fit), y = residuals)
  plot <- ggplot(frame, aes(x, y)) +
    geom_hline(yintercept = 0, colour = SOFT, linewidth = 0.3, linetype = "22") +
    geom_point(
      size = if (nrow(frame) > 1000) 0.5 else 1,
      alpha = if (nrow(frame) > 300) 0.35 else 0.7,
      colour = ACCENT
    ) +
    labs(x = "Fitted value", y = "Residual") +
    theme_thesis()
  figure(
    "residuals",
    plot,
    sprintf("Residuals against fitted values, %s points, around a line at 0.", label_of(nrow(frame))),
    caption = "Residuals against fitted values",
    points = nrow(frame)
  )
}
