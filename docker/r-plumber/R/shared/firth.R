# Firth's penalised logistic regression (Firth 1993, Biometrika 80:27): estimates stay finite under separation.
# Intervals and p come from the penalised likelihood (Heinze and Schemper 2002, Statistics in Medicine 21:2409). Scripts
# contain these functions unchanged.

MOST_FIRTH <- 1e7 # rows times parameters cubed: each interval fits the model about twenty times

# The penalised fit of `y` (0 and 1) on the columns of `x`; those in `fixed` keep their values from `start`.
firth_fit <- function(x, y, fixed = integer(), start = rep(0, ncol(x))) {
  free <- setdiff(seq_len(ncol(x)), fixed)
  state <- function(b) {
    p <- plogis(drop(x %*% b))
    w <- p * (1 - p)
    root <- chol(crossprod(x * sqrt(w)))
    list(p = p, w = w, root = root, loglik = sum(ifelse(y == 1, log(p), log1p(-p))) + sum(log(diag(root))))
  }
  b <- start
  now <- state(b)
  for (step in 1:200) {
    if (!length(free)) {
      break
    }
    hat <- colSums(backsolve(now$root, t(x * sqrt(now$w)), transpose = TRUE)^2)
    score <- drop(crossprod(x, y - now$p + hat * (0.5 - now$p)))[free]
    move <- drop(solve(crossprod(x[, free, drop = FALSE] * sqrt(now$w)), score))
    move <- move * min(1, 5 / max(abs(move)))
    for (half in 0:30) {
      tried <- b
      tried[free] <- b[free] + move / 2^half
      new <- tryCatch(state(tried), error = function(problem) NULL)
      if (!is.null(new) && is.finite(new$loglik) && new$loglik >= now$loglik - 1e-12) break
    }
    if (is.null(new) || !is.finite(new$loglik)) {
      break
    }
    done <- max(abs(tried - b)) < 1e-11
    b <- tried
    now <- new
    if (done) break
  }
  list(
    b = b,
    se = sqrt(diag(chol2inv(now$root))),
    loglik = now$loglik,
    fitted = now$p,
    converged = !length(free) || max(abs(score)) < 1e-6
  )
}

# The fit with the profile interval, test statistic and p of each coefficient, and a test of all but the first together.
firth_table <- function(x, y, conf_level) {
  fit <- firth_fit(x, y)
  need <- qchisq(conf_level, 1) / 2
  one <- function(j) {
    null <- firth_fit(x, y, j, replace(fit$b, j, 0))
    drop_at <- function(value) fit$loglik - firth_fit(x, y, j, replace(fit$b, j, value))$loglik - need
    end <- function(sign) {
      far <- fit$b[j] + sign * 2 * fit$se[j]
      for (tries in 1:20) {
        if (drop_at(far) > 0) {
          break
        }
        far <- far + sign * 2 * fit$se[j]
      }
      if (drop_at(far) <= 0) {
        return(NA)
      }
      uniroot(drop_at, sort(c(fit$b[j], far)), tol = 1e-9)$root
    }
    chi_squared <- max(0, 2 * (fit$loglik - null$loglik))
    c(end(-1), end(1), chi_squared, pchisq(chi_squared, 1, lower.tail = FALSE))
  }
  rest <- vapply(seq_len(ncol(x)), one, numeric(4))
  none <- firth_fit(x, y, seq_len(ncol(x))[-1])
  list(
    fit = fit,
    table = cbind(b = fit$b, se = fit$se, chi_squared = rest[3, ], p = rest[4, ]),
    ci = t(rest[1:2, , drop = FALSE]),
    lr = max(0, 2 * (fit$loglik - none$loglik))
  )
}

# Returns the result of a penalised logistic regression.
firth_result <- function(ask, model, matrix, events) {
  used <- model$used
  if (nrow(used) * model$parameters^3 > MOST_FIRTH) {
    refuse(
      "too_large",
      sprintf(
        "Firth's method with %s parameters for %s rows takes too long.",
        label_of(model$parameters),
        label_of(nrow(used))
      ),
      field = "params.options.firth",
      hint = "Choose fewer predictors, or run without it."
    )
  }
  made <- fitted_quietly(function() firth_table(matrix, used$outcome, ask$conf_level))$value
  if (is.null(made) || !made$fit$converged || any(!is.finite(made$table))) {
    refuse_not_converged()
  }
  table <- made$table
  rownames(table) <- c("intercept", colnames(matrix)[-1])
  terms <- terms_of(ask, model)
  labels <- c("Intercept", vapply(terms, `[[`, "", "label"))
  ratios <- ratios_of(ask, "or", "Odds ratio", table, made$ci, labels, character())
  names(ratios) <- rownames(table)
  ps <- stats::setNames(as.list(table[, "p"]), rownames(table))
  event <- event_words(ask, "outcome")
  df <- model$parameters - 1
  p <- stats::pchisq(made$lr, df, lower.tail = FALSE)
  adjusted <- length(model$ids) > 1
  outcome <- label(name_of(ask, "outcome"))
  enough <- events_per_parameter(min(events, nrow(used) - events), df)
  result(
    method = "Firth's penalised logistic regression",
    reason = "it was chosen",
    n = model$n,
    estimates = c(coefficients_of(ask, table, made$ci, labels, "chi_squared"), unname(ratios)),
    statistics = list(
      events = events,
      lr_chi_squared = made$lr,
      lr_df = df,
      p = p,
      c_statistic = concordance_of(made$fit$fitted, used$outcome)
    ),
    tables = list(model_table(
      ask,
      model,
      sprintf("%s: penalised logistic regression", outcome),
      if (adjusted) "Adjusted OR" else "OR",
      ratios,
      ps,
      c(
        event$note,
        "OR: odds ratio by Firth's method, with profile penalised likelihood intervals and likelihood ratio tests.",
        missing_note(model$n)
      )
    )),
    assumptions = enough$assumptions,
    warnings = c(enough$warnings, event$warnings),
    recommendation = recommend("Name Firth's method in the text, and why it was needed: separation or few events."),
    sentence = sentence(
      "Firth's penalised logistic regression of ",
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
      "; likelihood ratio ",
      it("χ²"),
      "(",
      label_of(df),
      ") = ",
      fixed(made$lr, 2),
      ", ",
      p_words(p),
      "; terms by penalised likelihood ratio tests; ",
      missing_words(model$n),
      "."
    ),
    figures = when_asked(
      ask,
      terms_figure(ask, model, if (adjusted) "Adjusted odds ratio" else "Odds ratio", ratios, ratio = TRUE)
    ),
    script = script(c(
      rows_code(ask, model, c(outcome = event_lines(ask, "outcome"))),
      code_of("firth_fit"),
      code_of("firth_table"),
      "x <- model.matrix(outcome ~ ., data = used)",
      sprintf("made <- firth_table(x, used$outcome, %s)", literal(ask$conf_level)),
      "b <- made$table",
      "ci <- made$ci",
      "term <- sub(\"(Intercept)\", \"intercept\", colnames(x), fixed = TRUE)",
      ratios_code("or", "b[, 1]", character()),
      code_of("concordance_of"),
      "c_statistic <- concordance_of(made$fit$fitted, used$outcome)",
      "lr_df <- ncol(x) - 1",
      "result <- c(",
      paste0(
        "  setNames(b[, 1], term), setNames(ci[, 1], paste0(term, ",
        "\"_low\")), setNames(ci[, 2], paste0(term, \"_high\")),"
      ),
      paste0(
        "  setNames(b[, 2], paste0(term, \"_se\")), setNames(b[, 3], paste0(term, ",
        "\"_chi_squared\")), setNames(b[, 4], paste0(term, \"_p\")),"
      ),
      paste0(
        "  or, events = sum(used$outcome), lr_chi_squared = made$lr, lr_df = lr_df, ",
        "p = pchisq(made$lr, lr_df, lower.tail = FALSE), c_statistic = c_statistic"
      ),
      ")"
    ))
  )
}
