# The result of a meta-analysis: estimates, statistics and sentence.

# Returns the ids of an estimate: "or" with "log_or", "md" alone; for subgroup i "or_group_1".
meta_ids <- function(read, i = NULL) {
  id <- paste0(tolower(read$measure), if (!is.null(i)) paste0("_group_", i))
  list(id = id, log = if (read$ratio) paste0("log_", id) else id)
}

# Returns the result of a meta-analysis.
meta_result <- function(read, pooled, ask) {
  whole <- pooled$whole
  k <- whole$k
  d <- ask$digits
  ratio <- read$ratio
  back <- function(x) if (ratio) exp(x) else x
  say <- function(x) effect_text(x, read, pooled, d)
  what <- MEASURE_NAMES[[read$measure]]
  method <- meta_method_name(whole$method, whole$knapp)
  reported <- function(fit, i = NULL, of = "pooled") {
    ids <- meta_ids(read, i)
    c(
      if (ratio) {
        list(estimate(
          ids$id,
          sprintf("%s, %s", capital(what), of),
          exp(fit$b),
          exp(fit$low),
          exp(fit$high),
          ask$conf_level,
          digits = d
        ))
      },
      list(c(
        estimate(
          ids$log,
          sprintf("%s, %s", if (ratio) paste("Log", what) else capital(what), of),
          fit$b,
          fit$low,
          fit$high,
          ask$conf_level,
          se = fit$se,
          p = fit$p
        ),
        stats::setNames(list(fit$statistic), if (fit$knapp) "t" else "z")
      ))
    )
  }
  estimates <- reported(whole)
  if (!anyNA(whole$pi)) {
    estimates <- c(
      estimates,
      list(estimate(
        "prediction",
        sprintf("%s of a new study (prediction interval)", capital(what)),
        back(whole$b),
        back(whole$pi[1]),
        back(whole$pi[2]),
        ask$conf_level,
        digits = d
      ))
    )
  }
  for (i in seq_along(pooled$groups)) {
    estimates <- c(estimates, reported(pooled$groups[[i]], i, label(names(pooled$groups)[i], 60)))
  }

  statistics <- list(k = k)
  statistics[[if (whole$knapp) "t" else "z"]] <- whole$statistic
  if (whole$knapp) {
    statistics$df <- whole$df
  }
  statistics <- c(statistics, list(p = whole$p, se_wald = whole$wald_se))
  if (k > 1) {
    statistics <- c(statistics, list(Q = whole$q, Q_df = whole$q_df, Q_p = whole$q_p, I2 = whole$i2, H2 = whole$h2))
  }
  if (!is.na(whole$tau2)) {
    statistics <- c(statistics, list(tau2 = whole$tau2, se_tau2 = whole$se_tau2, tau = sqrt(whole$tau2)))
  }
  if (!is.null(pooled$tests)) {
    statistics <- c(statistics, list(rank_tau = pooled$tests$tau, rank_p = pooled$tests$rank_p))
    if (!is.na(pooled$tests$t)) {
      statistics <- c(
        statistics,
        list(
          egger_intercept = pooled$tests$intercept,
          egger_t = pooled$tests$t,
          egger_df = pooled$tests$df,
          egger_p = pooled$tests$p
        )
      )
    }
  }
  for (i in seq_along(pooled$groups)) {
    one <- pooled$groups[[i]]
    if (!is.na(one$tau2)) {
      statistics[[paste0("tau2_group_", i)]] <- one$tau2
    }
    if (one$k > 1) statistics[[paste0("I2_group_", i)]] <- one$i2
  }
  if (!is.null(pooled$between)) {
    statistics <- c(
      statistics,
      list(Q_between = pooled$between$q, df_between = pooled$between$df, p_between = pooled$between$p)
    )
  }

  people <- if (read$kind != "given") sum(read$used$n_1, read$used$n_2) else NA
  inside <- c(
    paste0(
      if (whole$knapp) sprintf("%s(%d)", it("t"), whole$df) else it("z"),
      " = ",
      fixed(whole$statistic, 2),
      ", ",
      p_words(whole$p)
    ),
    if (!anyNA(whole$pi)) sprintf("prediction interval %s to %s", say(whole$pi[1]), say(whole$pi[2]))
  )
  spread <- if (k > 1) {
    c(
      sprintf("%s² = %s%%", it("I"), fixed(round(whole$i2, 1), 1)),
      if (!is.na(whole$tau2)) sprintf("τ² = %s", fixed(round(whole$tau2, 3), 3)),
      sprintf("%s(%d) = %s, %s", it("Q"), whole$q_df, fixed(whole$q, 2), p_words(whole$q_p))
    )
  }
  left <- c(
    if (read$n$missing - length(read$empty) > 0) {
      sprintf("%s left out for missing numbers", plural(read$n$missing - length(read$empty), "study", "studies"))
    },
    if (length(read$empty)) sprintf("%s without information left out", plural(length(read$empty), "study", "studies"))
  )
  told <- sentence(
    if (k == 1) {
      sprintf("One study%s gave", participants_words(people))
    } else {
      sprintf("%s studies%s gave a pooled", capital(in_words(k)), participants_words(people))
    },
    if (k == 1) sprintf(" %s ", if (grepl("^[aeo]", what)) "an" else "a") else " ",
    what,
    " of ",
    say(whole$b),
    compared_arms(read, whole$b, whole$p < ask$alpha),
    " (",
    sprintf("%s%% CI %s to %s", label_of(100 * ask$conf_level), say(whole$low), say(whole$high)),
    "; ",
    method,
    "; two-sided test, ",
    paste(inside, collapse = "; "),
    ")",
    if (k > 1) paste0("; heterogeneity ", paste(spread, collapse = ", ")) else "",
    if (length(left)) paste0(" (", paste(left, collapse = "; "), ")") else "",
    ".",
    if (!is.null(pooled$between)) {
      sprintf(
        " By %s, %s; these subgroups %s (%s(%d) = %s, %s).",
        label(ask$data[[ask$options$subgroup]]$said),
        subgroups_words(pooled, say, what),
        if (pooled$between$p < ask$alpha) "differed" else "did not differ clearly",
        it("Q"),
        pooled$between$df,
        fixed(pooled$between$q, 2),
        p_words(pooled$between$p)
      )
    } else {
      ""
    }
  )
  result(
    method = sprintf("Meta-analysis of %ss, %s", what, method),
    n = read$n,
    reason = meta_reason(read, whole),
    estimates = estimates,
    statistics = statistics,
    tables = meta_tables(read, pooled, ask, method),
    assumptions = meta_assumptions(read, pooled, ask),
    sentence = told,
    figures = c(list(forest_figure(read, pooled, ask)), if (k >= 3) list(funnel_figure(read, pooled, ask))),
    warnings = meta_warnings(read, pooled, ask),
    script = meta_script(read, pooled, ask)
  )
}

# Returns an effect, given on the pooling scale, as text: ratios never as 0.00 or with a power of ten, small differences
# with as many digits as they need.
effect_text <- function(value, read, pooled, digits = 2) {
  if (!read$ratio) {
    most <- max(abs(pooled$effects$yi))
    digits <- max(digits, if (read$measure == "RD") 3, if (most > 0 && most < 0.1) min(6, ceiling(-log10(most)) + 1))
    return(fmt(if (abs(value) < 1e6) round(value, digits) else value, digits))
  }
  value <- exp(value)
  if (value < 10^-digits / 2) {
    return(sprintf("<%s", formatC(10^-digits, digits = digits, format = "f")))
  }
  if (value >= 99999.5) {
    return(">99,999")
  }
  if (value >= 1000) {
    return(format(round(value), big.mark = ",", scientific = FALSE))
  }
  fixed(value, digits)
}

# " for deaths with steroid against control, lower with steroid than with control"; no direction if the test found none.
compared_arms <- function(read, b, told) {
  if (read$kind == "given") {
    return("")
  }
  arms <- vapply(read$arms, lower_first, "", USE.NAMES = FALSE)
  way <- sprintf("%s with %s than with %s", if (b > 0) "higher" else "lower", arms[1], arms[2])
  sprintf(
    " for %s%s against %s%s",
    if (nzchar(read$outcome)) paste(read$outcome, "with ") else "",
    arms[1],
    arms[2],
    if (told) paste0(", ", way) else ""
  )
}

# "the odds ratio was 0.37 in random, 0.42 in ..."; only the first six of many subgroups.
subgroups_words <- function(pooled, say, what) {
  shown <- utils::head(names(pooled$groups), 6)
  told <- listed(sprintf(
    "%s in %s",
    vapply(shown, function(name) say(pooled$groups[[name]]$b), ""),
    vapply(shown, label, "", most = 60)
  ))
  paste0(
    "the ",
    what,
    " was ",
    told,
    if (length(pooled$groups) > 6) sprintf(" and %s more", label_of(length(pooled$groups) - 6))
  )
}

# Returns the number of participants in words.
participants_words <- function(people) {
  if (is.na(people)) {
    ""
  } else {
    sprintf(" (%s participants)", format(people, big.mark = ",", scientific = FALSE, trim = TRUE))
  }
}

# Returns why this pooling method was used.
meta_reason <- function(read, whole) {
  if (whole$k == 1) {
    return("one study: there is nothing to pool")
  }
  if (whole$method == "REML" && whole$knapp) {
    "default; studies are taken to differ, and few studies widen the interval"
  } else {
    "as chosen"
  }
}
