# The models of a meta-analysis. All numbers are on the pooling scale (logarithms for ratios).

# Returns the name of a pooling method.
meta_method_name <- function(method, knapp_hartung) {
  if (method == "MH") {
    return("fixed effect, Mantel-Haenszel")
  }
  if (method == "FE") {
    return("fixed effect, inverse variance")
  }
  paste0(
    "random effects, ",
    c(REML = "REML", DL = "DerSimonian-Laird", PM = "Paule-Mandel")[[method]],
    if (knapp_hartung) ", Knapp-Hartung"
  )
}

# Returns all pooled results: list(effects, whole, groups, between, without, tests).
meta_pooled <- function(read, ask) {
  effects <- meta_effects(read)
  whole <- fit_studies(read, effects, seq_len(nrow(effects)), ask)
  groups <- if (!is.null(read$used$group)) {
    lapply(stats::setNames(levels(read$used$group), levels(read$used$group)), function(one) {
      at <- which(read$used$group == one)
      c(fit_studies(read, effects, at, ask), list(rows = at))
    })
  }
  k <- nrow(effects)
  list(
    effects = effects,
    whole = whole,
    groups = groups,
    same = any(vapply(c(list(whole), groups), `[[`, NA, "same")),
    between = if (length(groups) > 1) between_groups(groups),
    without = if (k >= 3 && k <= 100) {
      lapply(seq_len(k), function(out) {
        tryCatch(fit_studies(read, effects, setdiff(seq_len(k), out), ask), refusal = function(problem) {
          list(b = NA, low = NA, high = NA, i2 = NA)
        })
      })
    },
    tests = if (k >= 10) funnel_tests(effects)
  )
}

# Returns effect and variance of each study. A study with a 0 cell gets half an event in all four cells, the others do
# not.
meta_effects <- function(read) {
  used <- read$used
  found <- suppressWarnings(switch(
    read$kind,
    counts = metafor::escalc(
      measure = read$measure,
      ai = used$events_1,
      n1i = used$n_1,
      ci = used$events_2,
      n2i = used$n_2
    ),
    means = metafor::escalc(
      measure = read$measure,
      m1i = used$mean_1,
      sd1i = used$sd_1,
      n1i = used$n_1,
      m2i = used$mean_2,
      sd2i = used$sd_2,
      n2i = used$n_2
    ),
    given = data.frame(yi = used$estimate, vi = used$se^2)
  ))
  data.frame(yi = as.numeric(found$yi), vi = as.numeric(found$vi))
}

# Returns the pooled estimate of the studies in `rows`: list(b, se, low, high, statistic, df, p, wald_se, tau2, ...,
# weights).
fit_studies <- function(read, effects, rows, ask) {
  k <- length(rows)
  method <- if (k == 1) "FE" else read$method # a single study is not pooled
  random <- !method %in% c("FE", "MH")
  knapp <- random && ask$options$knapp_hartung && k > 1
  level <- 100 * ask$conf_level
  used <- read$used[rows, , drop = FALSE]
  fit <- withCallingHandlers(
    if (method == "MH") {
      metafor::rma.mh(
        measure = read$measure,
        ai = used$events_1,
        n1i = used$n_1,
        ci = used$events_2,
        n2i = used$n_2,
        level = level
      )
    } else {
      fit_rma(effects[rows, ], method, knapp, level)
    },
    warning = function(warning) invokeRestart("muffleWarning")
  )
  # If all effects are equal, Knapp and Hartung's interval has no width: the ordinary one is used, with a warning.
  same <- knapp && fit$se < 1e-6 / sqrt(sum(1 / effects$vi[rows]))
  if (same) {
    knapp <- FALSE
    fit <- suppressWarnings(fit_rma(effects[rows, ], method, knapp, level))
  }
  if (!is.finite(fit$beta[1]) || !is.finite(fit$se) || fit$se == 0) {
    where <- if (length(rows) < nrow(effects) && !is.null(used$group)) {
      sprintf("of subgroup “%s” ", label(as.character(used$group[1]), 40))
    } else {
      ""
    }
    refuse(
      "no_events",
      sprintf("The studies %shave too few events to be pooled this way.", where),
      field = "params.options.method",
      hint = "Choose REML or FE, or the risk difference."
    )
  }
  df <- if (knapp) k - 1 else NA
  b <- as.numeric(fit$beta)
  wald <- if (knapp) sqrt(1 / sum(1 / (effects$vi[rows] + fit$tau2))) else fit$se
  tau2 <- if (random) fit$tau2 else NA
  spread <- if (random && k >= 3) {
    # Higgins 2009 (J R Stat Soc A 172:137): t with k - 2 degrees of freedom with Knapp-Hartung, normal with Wald's
    # interval.
    critical <- if (knapp) {
      stats::qt(1 - (1 - ask$conf_level) / 2, k - 2)
    } else {
      stats::qnorm(1 - (1 - ask$conf_level) / 2)
    }
    b + c(-1, 1) * critical * sqrt(tau2 + fit$se^2)
  } else {
    c(NA, NA)
  }
  weights <- tryCatch(as.numeric(stats::weights(fit)), error = function(problem) rep(NA_real_, k))
  list(
    b = b,
    se = fit$se,
    low = fit$ci.lb,
    high = fit$ci.ub,
    statistic = as.numeric(fit$zval),
    df = df,
    p = as.numeric(fit$pval),
    wald_se = wald,
    tau2 = tau2,
    se_tau2 = if (random) fit$se.tau2 else NA,
    i2 = if (k > 1) fit$I2 else NA,
    h2 = if (k > 1) fit$H2 else NA,
    q = if (k > 1) fit$QE else NA,
    q_df = if (k > 1) k - 1 else NA,
    q_p = if (k > 1) fit$QEp else NA,
    pi = spread,
    weights = weights,
    k = k,
    method = method,
    knapp = knapp,
    same = same,
    control = fit$control,
    stepped = identical(fit$control, SHORT_STEPS)
  )
}

# Precision of the between-study variance: finer than metafor's own 1e-5, which shows in the third digit of I².
META_CONTROL <- list(REML = list(threshold = 1e-8, maxiter = 1000), PM = list(tol = 1e-10), DL = list(), FE = list())
SHORT_STEPS <- list(threshold = 1e-8, stepadj = 0.5, maxiter = 10000)

# Fits metafor's model. REML may not converge with this precision, or with its usual steps; both are relaxed before it
# fails.
fit_rma <- function(effects, method, knapp, level) {
  test <- if (knapp) "knha" else "z"
  fit <- function(control) {
    tryCatch(
      metafor::rma(yi, vi, data = effects, method = method, test = test, level = level, control = control),
      error = function(problem) NULL
    )
  }
  for (control in list(META_CONTROL[[method]], list(), SHORT_STEPS)) {
    found <- fit(control)
    if (!is.null(found)) {
      found$control <- control
      break
    }
  }
  if (is.null(found)) {
    refuse(
      "not_converged",
      "The variance between the studies could not be estimated.",
      field = "params.options.method",
      hint = "Choose DL or PM, and look for a study with a mistyped number."
    )
  }
  found
}

# Tests for subgroup differences: their estimates are compared with their ordinary standard errors, each with its own
# tau2 (Borenstein 2009, ch. 19).
between_groups <- function(groups) {
  b <- vapply(groups, `[[`, 0, "b")
  w <- 1 / vapply(groups, `[[`, 0, "wald_se")^2
  q <- sum(w * (b - sum(w * b) / sum(w))^2)
  list(q = q, df = length(groups) - 1, p = stats::pchisq(q, length(groups) - 1, lower.tail = FALSE))
}

# Tests of funnel asymmetry: rank correlation (Begg 1994) and regression (Egger 1997).
funnel_tests <- function(effects) {
  muffled <- function(work) tryCatch(suppressWarnings(work), error = function(problem) NULL)
  # Like metafor's ranktest(), but without its exact p value, which R does not have beyond about 150 studies.
  apart <- (effects$yi - sum(effects$yi / effects$vi) / sum(1 / effects$vi)) /
    sqrt(effects$vi - 1 / sum(1 / effects$vi))
  rank <- muffled(stats::cor.test(apart, effects$vi, method = "kendall", exact = nrow(effects) < 50))
  egger <- if (length(unique(effects$vi)) > 2) {
    muffled(stats::coef(summary(stats::lm(yi / sqrt(vi) ~ I(1 / sqrt(vi)), data = effects))))
  }
  list(
    tau = if (is.null(rank)) NA else as.numeric(rank$estimate),
    rank_p = if (is.null(rank)) NA else as.numeric(rank$p.value),
    intercept = if (is.null(egger)) NA else egger[1, 1],
    t = if (is.null(egger)) NA else egger[1, 3],
    df = nrow(effects) - 2,
    p = if (is.null(egger)) NA else egger[1, 4]
  )
}

# Returns the script: the same calls on a data frame `used`.
meta_script <- function(read, pooled, ask) {
  need <- META_NEEDS[[read$kind]]
  measure <- quoted(read$measure)
  by <- !is.null(read$used$group)
  whole <- pooled$whole
  level <- literal(100 * ask$conf_level)
  cells <- "ai = events_1, n1i = n_1, ci = events_2, n2i = n_2"
  call <- function(fit, data, used) {
    if (fit$method == "MH") {
      return(sprintf("rma.mh(measure = %s, %s, data = %s, level = %s)", measure, cells, used, level))
    }
    chosen <- fit$control
    control <- if (length(chosen)) {
      sprintf(", control = list(%s)", paste(names(chosen), "=", vapply(chosen, literal, ""), collapse = ", "))
    } else {
      ""
    }
    sprintf(
      "rma(yi, vi, data = %s, method = %s, test = %s, level = %s%s)",
      data,
      quoted(fit$method),
      quoted(if (fit$knapp) "knha" else "z"),
      level,
      control
    )
  }
  rename <- function(id, fit) {
    sprintf("result <- c(result, reported(fit, %s))", quoted(id$id))
  }
  exp_of <- if (read$ratio) "exp(spread)" else "spread"
  groups <- if (by) {
    unlist(lapply(seq_along(pooled$groups), function(i) {
      one <- pooled$groups[[i]]
      c(
        sprintf("some <- used$group == %s", quoted(names(pooled$groups)[i])),
        sprintf("fit <- %s", call(one, "used[some, ]", "used[some, ]")),
        rename(meta_ids(read, i), one),
        if (!one$method %in% c("FE", "MH")) sprintf("result[[%s]] <- fit$tau2", quoted(paste0("tau2_group_", i))),
        if (one$k > 1) sprintf("result[[%s]] <- fit$I2", quoted(paste0("I2_group_", i))),
        if (length(pooled$groups) > 1) {
          sprintf(
            "wald <- rbind(wald, c(coef(fit), %s))",
            if (one$knapp) "sqrt(1 / sum(1 / (used$vi[some] + fit$tau2)))" else "fit$se"
          )
        }
      )
    }))
  }
  between <- if (length(pooled$groups) > 1) {
    c(
      "w <- 1 / wald[, 2]^2",
      "q_between <- sum(w * (wald[, 1] - sum(w * wald[, 1]) / sum(w))^2)",
      sprintf(
        paste0(
          "result[c(\"Q_between\", \"df_between\", \"p_between\")] <- ",
          "c(q_between, %d, pchisq(q_between, %d, lower.tail = FALSE))"
        ),
        length(pooled$groups) - 1,
        length(pooled$groups) - 1
      )
    )
  }
  script(
    c(
      sprintf("%s <- %s", need, vapply(need, function(param) numeric_code(ask, ask$params[[param]]), "")),
      sprintf("study <- %s", column_code(ask, ask$params$study)),
      if (by) sprintf("group <- %s", column_code(ask, ask$options$subgroup)),
      sprintf("used <- data.frame(study, %s%s)", paste(need, collapse = ", "), if (by) ", group" else ""),
      sprintf("used <- used[complete.cases(used[, -1]), ]"),
      if (length(read$empty)) {
        sprintf(
          "used <- used[!(%s), ] # no information on a ratio",
          paste(
            c(
              "used$events_1 == 0 & used$events_2 == 0",
              if (read$measure == "OR") "used$events_1 == used$n_1 & used$events_2 == used$n_2"
            ),
            collapse = " | "
          )
        )
      },
      switch(
        read$kind,
        counts = sprintf("used <- escalc(measure = %s, %s, data = used)", measure, cells),
        means = sprintf(
          paste0(
            "used <- escalc(measure = %s, m1i = mean_1, sd1i = sd_1, n1i ",
            "= n_1, m2i = mean_2, sd2i = sd_2, n2i = n_2, data = used)"
          ),
          measure
        ),
        given = "used$yi <- used$estimate; used$vi <- used$se^2"
      ),
      sprintf("fit <- %s", call(whole, "used", "used")),
      "print(fit)",
      "reported <- function(fit, id) { # estimate, interval and test under its names",
      "  numbers <- c(coef(fit), fit$ci.lb, fit$ci.ub)",
      "  statistic <- if (identical(fit$test, \"knha\")) \"_t\" else \"_z\"",
      sprintf(
        paste0(
          "  given <- setNames(c(numbers, fit$se, fit$zval, fit$pval), paste0(%s, ",
          "c(\"\", \"_low\", \"_high\", \"_se\", statistic, \"_p\")))"
        ),
        if (read$ratio) "\"log_\", id" else "id"
      ),
      if (read$ratio) "  given <- c(given, setNames(exp(numbers), paste0(id, c(\"\", \"_low\", \"_high\"))))",
      "  as.list(given)",
      "}",
      "result <- list()",
      rename(meta_ids(read), whole),
      "result[c(\"k\", \"z\", \"p\", \"se_wald\")] <- c(fit$k, fit$zval, fit$pval, fit$se)",
      if (whole$knapp) {
        c(
          sprintf("result[[\"df\"]] <- %d", whole$df),
          "result[[\"se_wald\"]] <- sqrt(1 / sum(1 / (used$vi + fit$tau2)))",
          "result[[\"t\"]] <- fit$zval",
          "result[[\"z\"]] <- NULL"
        )
      },
      if (whole$k > 1) {
        "result[c(\"Q\", \"Q_df\", \"Q_p\", \"I2\", \"H2\")] <- c(fit$QE, fit$k - 1, fit$QEp, fit$I2, fit$H2)"
      },
      if (!is.na(whole$tau2)) "result[c(\"tau2\", \"se_tau2\", \"tau\")] <- c(fit$tau2, fit$se.tau2, sqrt(fit$tau2))",
      if (!anyNA(whole$pi)) {
        c(
          sprintf(
            "spread <- coef(fit) + c(-1, 1) * %s * sqrt(fit$tau2 + fit$se^2)",
            if (whole$knapp) {
              sprintf("qt(1 - (1 - %s) / 2, fit$k - 2)", literal(ask$conf_level))
            } else {
              sprintf("qnorm(1 - (1 - %s) / 2)", literal(ask$conf_level))
            }
          ),
          sprintf(
            "result[c(\"prediction\", \"prediction_low\", \"prediction_high\")] <- c(%s, %s)",
            if (read$ratio) "exp(coef(fit))" else "coef(fit)",
            exp_of
          )
        )
      },
      if (!is.null(pooled$tests)) {
        c(
          if (!is.na(pooled$tests$tau)) {
            c(
              "# Begg's rank correlation, as ranktest(fit)",
              "apart <- (used$yi - weighted.mean(used$yi, 1 / used$vi)) / sqrt(used$vi - 1 / sum(1 / used$vi))",
              "rank <- cor.test(apart, used$vi, method = \"kendall\", exact = nrow(used) < 50)",
              "result[c(\"rank_tau\", \"rank_p\")] <- c(rank$estimate, rank$p.value)"
            )
          },
          if (!is.na(pooled$tests$t)) {
            c(
              "egger <- coef(summary(lm(yi / sqrt(vi) ~ I(1 / sqrt(vi)), data = used)))",
              paste0(
                "result[c(\"egger_intercept\", \"egger_t\", \"egger_df\", \"egger_p\")] ",
                "<- c(egger[1, 1], egger[1, 3], nrow(used) - 2, egger[1, 4])"
              )
            )
          }
        )
      },
      if (length(pooled$groups) > 1) "wald <- NULL",
      groups,
      between,
      "# forest(fit) draws it in metafor's own style."
    ),
    packages = "metafor"
  )
}
