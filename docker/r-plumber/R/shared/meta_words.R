# Tables, estimates and sentence of a meta-analysis.

# Returns the ids of an estimate: "or" with "log_or", "md" alone; for subgroup i "or_group_1".
meta_ids <- function(read, i = NULL) {
  id <- paste0(tolower(read$measure), if (!is.null(i)) paste0("_group_", i))
  list(id = id, log = if (read$ratio) paste0("log_", id) else id)
}

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

participants_words <- function(people) {
  if (is.na(people)) {
    ""
  } else {
    sprintf(" (%s participants)", format(people, big.mark = ",", scientific = FALSE, trim = TRUE))
  }
}

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

meta_tables <- function(read, pooled, ask, method) {
  back <- function(x) if (read$ratio) exp(x) else x
  z <- stats::qnorm(1 - (1 - ask$conf_level) / 2)
  whole <- pooled$whole
  shows <- study_columns(read)
  keys <- c(
    list(col("study", "Study")),
    if (!is.null(read$used$group)) list(col("group", label(ask$data[[ask$options$subgroup]]$name))),
    shows$columns,
    list(
      col("value", read$measure, "number", ask$digits),
      col("low", "CI from", "number", ask$digits),
      col("high", "CI to", "number", ask$digits),
      col("weight", "Weight (%)", "number", 1)
    )
  )
  studies <- lapply(seq_len(nrow(read$used)), function(i) {
    yi <- pooled$effects$yi[i]
    half <- z * sqrt(pooled$effects$vi[i])
    c(
      list(study = label(read$used$study[i], 120)),
      if (!is.null(read$used$group)) list(group = label(as.character(read$used$group[i]))),
      shows$row(i),
      list(
        value = back(yi),
        low = back(yi - half),
        high = back(yi + half),
        weight = whole$weights[i],
        yi = yi,
        vi = pooled$effects$vi[i]
      )
    )
  })
  total <- c(
    list(study = "Pooled"),
    if (!is.null(read$used$group)) list(group = NA),
    shows$total,
    list(value = back(whole$b), low = back(whole$low), high = back(whole$high), weight = 100)
  )
  fixes <- if (read$kind == "counts" && read$measure != "RD" && any(zero_cells(read$used))) {
    "Half an event was added to each cell of the studies with a 0."
  }
  tables <- list(table_of(
    "main",
    sprintf(
      "%s of %s against %s",
      capital(MEASURE_NAMES[[read$measure]]),
      lower_first(read$arms[1]),
      lower_first(read$arms[2])
    ),
    keys,
    c(studies, list(total)),
    footnotes = c(
      sprintf(
        "%s. %s%% confidence intervals; those of single studies are Wald's.",
        capital(method),
        label_of(100 * ask$conf_level)
      ),
      fixes,
      if (read$kind == "given" && read$ratio) "The estimates were given as logarithms.",
      if (length(read$empty)) {
        sprintf(
          "Left out because no group, or everybody in both, had an event: %s.",
          label(listed(vapply(read$empty, label, "", most = 40)), 300)
        )
      },
      if (!anyNA(whole$pi)) {
        sprintf(
          "Prediction interval by %s.",
          if (whole$knapp) {
            "the t distribution with k − 2 degrees of freedom (Higgins 2009)"
          } else {
            "the normal distribution"
          }
        )
      },
      missing_note(count_of(read$n$total, read$n$used + length(read$empty)))
    )
  ))
  if (length(pooled$groups)) {
    tables <- c(
      tables,
      list(table_of(
        "subgroups",
        "Subgroups",
        list(
          col("group", "Subgroup"),
          col("k", "Studies", "integer"),
          col("value", read$measure, "number", ask$digits),
          col("low", "CI from", "number", ask$digits),
          col("high", "CI to", "number", ask$digits),
          col("p", "p", "p"),
          col("i2", "I² (%)", "number", 1),
          col("tau2", "τ²", "number", 3)
        ),
        lapply(names(pooled$groups), function(name) {
          one <- pooled$groups[[name]]
          list(
            group = label(name),
            k = one$k,
            value = back(one$b),
            low = back(one$low),
            high = back(one$high),
            p = one$p,
            i2 = one$i2,
            tau2 = one$tau2
          )
        }),
        footnotes = c(
          if (!is.null(pooled$between)) {
            sprintf(
              "Test for subgroup differences: Q(%d) = %s, p %s, from the ordinary standard errors with τ² of each subgroup.",
              pooled$between$df,
              fixed(pooled$between$q, 2),
              p_text(pooled$between$p)
            )
          },
          "A difference between subgroups compares studies, not randomised groups."
        )
      ))
    )
  }
  if (length(pooled$without)) {
    tables <- c(
      tables,
      list(table_of(
        "leave_one_out",
        "Without one study at a time",
        list(
          col("study", "Left out"),
          col("value", read$measure, "number", ask$digits),
          col("low", "CI from", "number", ask$digits),
          col("high", "CI to", "number", ask$digits),
          col("i2", "I² (%)", "number", 1)
        ),
        lapply(seq_along(pooled$without), function(i) {
          one <- pooled$without[[i]]
          list(
            study = label(read$used$study[i], 120),
            value = back(one$b),
            low = back(one$low),
            high = back(one$high),
            i2 = one$i2
          )
        }),
        footnotes = sprintf("%s.", capital(method))
      ))
    )
  }
  tables
}

zero_cells <- function(used) {
  used$events_1 == 0 | used$events_2 == 0 | used$events_1 == used$n_1 | used$events_2 == used$n_2
}

# Returns the columns between name and effect, for tables and the forest plot: list(columns, row(i), total).
study_columns <- function(read) {
  used <- read$used
  events <- function(x, n) sprintf("%s/%s", label_of(x), label_of(n))
  means <- function(m, s, n) sprintf("%s (%s), %s", fmt(m, 1), fmt(s, 1), label_of(n))
  switch(
    read$kind,
    counts = list(
      columns = list(col("a", read$arms[1], align = "right"), col("b", read$arms[2], align = "right")),
      row = function(i) list(a = events(used$events_1[i], used$n_1[i]), b = events(used$events_2[i], used$n_2[i])),
      of = function(at) {
        list(
          a = events(sum(used$events_1[at]), sum(used$n_1[at])),
          b = events(sum(used$events_2[at]), sum(used$n_2[at]))
        )
      },
      total = list(a = events(sum(used$events_1), sum(used$n_1)), b = events(sum(used$events_2), sum(used$n_2)))
    ),
    means = list(
      columns = list(
        col("a", sprintf("%s: mean (SD), n", read$arms[1]), align = "right"),
        col("b", sprintf("%s: mean (SD), n", read$arms[2]), align = "right")
      ),
      row = function(i) {
        list(a = means(used$mean_1[i], used$sd_1[i], used$n_1[i]), b = means(used$mean_2[i], used$sd_2[i], used$n_2[i]))
      },
      of = function(at) list(a = label_of(sum(used$n_1[at])), b = label_of(sum(used$n_2[at]))),
      total = list(a = label_of(sum(used$n_1)), b = label_of(sum(used$n_2)))
    ),
    given = list(columns = list(), row = function(i) list(), of = function(at) list(), total = list())
  )
}

meta_assumptions <- function(read, pooled, ask) {
  whole <- pooled$whole
  c(
    if (whole$k > 1) {
      list(assumption(
        "heterogeneity",
        "Cochran's Q and I²",
        sprintf(
          "%s %s",
          sprintf(
            "%s of the variation between the studies is more than chance.",
            if (whole$i2 >= 75) {
              "Most"
            } else if (whole$i2 >= 50) {
              "More than half"
            } else if (whole$i2 >= 25) {
              "Less than half"
            } else {
              "Hardly any"
            }
          ),
          if (whole$k < 10) "With few studies this is uncertain." else "Read the prediction interval beside it."
        ),
        whole$q,
        whole$q_p,
        if (whole$i2 >= 50 || whole$q_p < 0.1) "concern" else "ok"
      ))
    },
    list(
      if (is.null(pooled$tests)) {
        assumption(
          "small_studies",
          "Funnel plot",
          "With fewer than ten studies no test of the funnel's asymmetry is made: it could hardly find any. Look for unpublished studies in registers.",
          status = "not_run"
        )
      } else {
        p <- pooled$tests$rank_p
        both <- min(p, pooled$tests$p, na.rm = TRUE)
        assumption(
          "small_studies",
          "Begg's rank correlation",
          paste0(
            if (is.na(both)) {
              "The funnel's asymmetry could not be tested."
            } else if (both < 0.1) {
              "Small studies give other results than large ones. Unpublished studies are one reason among several."
            } else {
              "Small studies do not visibly differ from large ones."
            },
            if (!is.na(pooled$tests$p)) sprintf(" Egger's regression: p %s.", p_text(pooled$tests$p))
          ),
          pooled$tests$tau,
          p,
          if (!is.na(both) && both < 0.1) "concern" else "ok"
        )
      }
    ),
    list(assumption(
      "bias",
      "Risk of bias",
      "Pooling does not mend the faults of single studies. Say how their risk of bias was judged.",
      status = "not_run"
    ))
  )
}

meta_warnings <- function(read, pooled, ask) {
  whole <- pooled$whole
  c(
    if (whole$k == 1) list(warning_of("one_study", "There is one study with all its numbers: nothing was pooled.")),
    if (whole$k == 2) {
      list(warning_of(
        "few_studies",
        "Two studies say next to nothing about how studies differ. No prediction interval is given."
      ))
    },
    if (read$kind == "counts" && any(zero_cells(read$used))) {
      list(warning_of(
        "zero_cell",
        sprintf(
          "%s a group in which nobody or everybody had an event.",
          if (sum(zero_cells(read$used)) == 1) {
            "One study has"
          } else {
            sprintf("%s studies have", label_of(sum(zero_cells(read$used))))
          }
        )
      ))
    },
    if (length(read$empty)) {
      list(warning_of(
        "double_zero",
        sprintf(
          "%s left out: without an event in either group (or with one in everybody) a study says nothing about a ratio.",
          plural(length(read$empty), "study was", "studies were")
        )
      ))
    },
    if (read$kind == "given" && read$ratio) {
      list(warning_of(
        "estimates_taken_as_logarithms",
        sprintf(
          "The estimates were taken as logarithms of the %s. If they are the ratios themselves, take their logarithms first.",
          MEASURE_NAMES[[read$measure]]
        )
      ))
    },
    if (whole$knapp && whole$high - whole$low < 2 * stats::qnorm(1 - (1 - ask$conf_level) / 2) * whole$wald_se) {
      list(warning_of(
        "narrow_knapp_hartung",
        "The studies agree so well that the Knapp-Hartung interval is narrower than the ordinary one. Compare both before you rely on it."
      ))
    },
    if (pooled$same) {
      list(warning_of(
        "identical_effects",
        "The studies, or those of a subgroup, all have the same effect. The Knapp-Hartung interval would have no width, so the ordinary one is shown there."
      ))
    },
    if (whole$stepped) list(warning_of("slow_convergence", "REML needed shorter steps than usual to converge."))
  )
}
