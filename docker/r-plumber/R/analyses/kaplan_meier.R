# Kaplan-Meier survival with the log-rank test (SPEC N3). Intervals are log-log, which also hold near 0 and 1 (Borgan
# and Liestøl 1990, Scand J Stat 17:35).

MOST_CURVES <- 20
analysis(
  "kaplan_meier",
  title = "Kaplan-Meier survival",
  params = KM_PARAMS,
  options = KM_OPTIONS,
  packages = "survival",
  check = function(ask) {
    list(
      method = if (is.null(ask$params$group)) "Kaplan-Meier" else "Kaplan-Meier with log-rank test",
      reason = "default",
      warnings = list()
    )
  },
  run = function(ask) {
    rows <- km_rows(ask)
    used <- rows$used
    groups <- rows$groups
    fit <- rows$fit
    at <- sort(unique(ask$options$at))
    curves <- km_numbers(fit, levels(used$group), at)
    names <- if (rows$grouped) groups else "All"
    estimates <- km_estimates(ask, curves, levels(used$group), names, at, rows$grouped)
    follow <- summary(rows$reverse)$table[["median"]]
    estimates <- c(
      estimates,
      list(estimate(
        "follow_up",
        "Median follow-up (reverse Kaplan-Meier)",
        follow,
        digits = decimals_in(round(follow, ask$digits))
      ))
    )
    test <- if (rows$grouped) log_rank(used, ask$conf_level)
    ratio <- if (length(groups) == 2) test$ratio
    if (!is.null(ratio)) {
      estimates <- c(
        estimates,
        list(estimate(
          "hr_log_rank",
          sprintf("Hazard ratio by the log-rank test (Peto), %s against %s", groups[2], groups[1]),
          ratio[1],
          ratio[2],
          ratio[3],
          ask$conf_level,
          digits = ratio_digits(ratio, ask$digits)
        ))
      )
    }
    warnings <- km_warnings(curves, names, at, rows, test)
    time <- label(name_of(ask, "time"))
    method <- if (rows$grouped) "Kaplan-Meier with log-rank test" else "Kaplan-Meier"

    result(
      method = method,
      reason = "log-log intervals",
      n = rows$n,
      estimates = estimates,
      statistics = c(
        list(events = sum(used$event)),
        if (!is.null(test)) list(chi_squared = test$chi_squared, df = test$df, p = test$p)
      ),
      tables = km_tables(ask, rows, curves, names, at, test),
      assumptions = km_checks(used, rows, groups),
      recommendation = if (rows$grouped && length(groups) > 2) {
        recommend(
          "With more than two groups the log-rank test says that curves differ somewhere, not which. Cox regression compares each group with the first.",
          "cox"
        )
      },
      sentence = km_sentence(ask, rows, curves, names, at, test, ratio),
      figures = when_asked(ask, list(km_figure(ask, rows))),
      warnings = warnings,
      script = script(
        c(
          "used <- na.omit(data.frame(",
          sprintf("  time = %s,", numeric_code(ask, ask$params$time)),
          sprintf("  event = %s%s", event_lines(ask, "event"), if (rows$grouped) "," else ""),
          if (rows$grouped) sprintf("  group = %s", factor_code(ask, ask$params$group, levels(used$group))),
          "))",
          if (!rows$grouped) "used$group <- factor(\"all\")",
          sprintf(
            "fit <- survfit(Surv(time, event) ~ group, data = used, conf.type = \"log-log\", conf.int = %s)",
            literal(ask$conf_level)
          ),
          sprintf("at <- %s", if (length(at)) literal(at) else "numeric()"),
          code_of("km_numbers"),
          "curves <- km_numbers(fit, levels(used$group), at)",
          "follow <- survfit(Surv(time, 1 - event) ~ 1, data = used)",
          if (!is.null(test)) {
            c("test <- survdiff(Surv(time, event) ~ group, data = used)", "df <- sum(test$exp > 0) - 1")
          },
          if (!is.null(ratio)) c(code_of("peto_ratio"), sprintf("hr <- peto_ratio(test, %s)", literal(ask$conf_level))),
          if (rows$grouped) "end <- paste0(\".\", levels(used$group))" else "end <- \"\"",
          "result <- c(",
          "  setNames(curves$median, paste0(\"median\", end)), setNames(curves$median_low, paste0(\"median\", end, \"_low\")), setNames(curves$median_high, paste0(\"median\", end, \"_high\")),",
          "  setNames(curves$n, paste0(\"n\", end)), setNames(curves$events, paste0(\"events\", end)),",
          if (length(at)) {
            c(
              "  unlist(lapply(seq_along(at), function(i) {",
              "    id <- paste0(\"survival\", end, \".\", format(at[i], digits = 15, trim = TRUE))",
              "    c(setNames(curves$survival[, i], id), setNames(curves$low[, i], paste0(id, \"_low\")), setNames(curves$high[, i], paste0(id, \"_high\")))",
              "  })),"
            )
          },
          "  follow_up = summary(follow)$table[[\"median\"]],",
          if (!is.null(ratio)) "  hr_log_rank = hr[1], hr_log_rank_low = hr[2], hr_log_rank_high = hr[3],",
          if (!is.null(test)) "  chi_squared = test$chisq, df = df, p = pchisq(test$chisq, df, lower.tail = FALSE),",
          "  events = sum(used$event)",
          ")"
        ),
        packages = "survival"
      )
    )
  }
)

# Returns the rows and the curves: list(used, n, grouped, groups, fit, reverse).
km_rows <- function(ask) {
  grouped <- !is.null(ask$params$group)
  if (length(unique(unlist(ask$params))) < length(unlist(ask$params))) {
    refuse(
      "bad_option",
      "Time, event and groups must be different columns.",
      field = "params.event",
      column = ask$params$event
    )
  }
  group <- if (grouped) {
    factor_of(ask, "group", levels = c(2, MOST_CURVES))
  } else {
    factor(rep("all", length(ask$data[[ask$params$time]]$values)))
  }
  rows <- complete(
    time = times_of(ask),
    event = event_of(ask, "event"),
    group = group,
    by = if (grouped) "group",
    least = 2
  )
  used <- rows$used
  if (grouped && nlevels(used$group) < 2) {
    refuse(
      "group_levels",
      "Only one group is left once incomplete rows are out.",
      field = "params.group",
      column = ask$params$group
    )
  }
  if (sum(used$event) == 0) {
    refuse(
      "no_events",
      sprintf("%s has no event in the complete rows.", name_of(ask, "event")),
      field = "params.event",
      column = ask$params$event
    )
  }
  list(
    used = used,
    n = rows$n,
    grouped = grouped,
    groups = if (grouped) group_words(levels(used$group), name_of(ask, "group")) else "All",
    conf_level = ask$conf_level,
    fit = survival::survfit(
      survival::Surv(time, event) ~ group,
      data = used,
      conf.type = "log-log",
      conf.int = ask$conf_level
    ),
    reverse = survival::survfit(survival::Surv(time, 1 - event) ~ 1, data = used)
  )
}

# Returns for each curve: rows, events, median with its interval, and survival at the times `at` (NA beyond the last
# time).
km_numbers <- function(fit, groups, at) {
  table <- matrix(summary(fit)$table, nrow = length(groups), dimnames = list(NULL, colnames(rbind(summary(fit)$table))))
  ends <- grep("LCL|UCL", colnames(table))
  blank <- matrix(NA_real_, length(groups), length(at))
  made <- list(
    n = table[, "records"],
    events = table[, "events"],
    median = table[, "median"],
    median_low = table[, ends[1]],
    median_high = table[, ends[2]],
    survival = blank,
    low = blank,
    high = blank,
    at_risk = blank
  )
  for (i in seq_along(groups)) {
    one <- if (length(groups) > 1) fit[i] else fit
    inside <- at <= max(one$time)
    if (!any(inside)) {
      next
    }
    then <- summary(one, times = at[inside])
    made$survival[i, inside] <- then$surv
    made$low[i, inside] <- then$lower
    made$high[i, inside] <- then$upper
    made$at_risk[i, inside] <- then$n.risk
    # Before the first event the interval has no width, which would suggest certainty.
    flat <- inside & !is.na(made$low[i, ]) & made$low[i, ] == made$high[i, ]
    made$low[i, flat] <- made$high[i, flat] <- NA
  }
  made
}

km_estimates <- function(ask, curves, levels, names, at, grouped) {
  digits <- time_digits(ask, curves)
  unlist(
    lapply(seq_along(names), function(i) {
      end <- if (grouped) paste0(".", levels[i]) else ""
      of <- if (grouped) paste0(", ", names[i]) else ""
      c(
        list(
          estimate(
            paste0("median", end),
            paste0("Median survival", of),
            curves$median[i],
            curves$median_low[i],
            curves$median_high[i],
            ask$conf_level,
            digits = digits
          ),
          estimate(paste0("n", end), paste0("Number", of), curves$n[i], digits = 0),
          estimate(paste0("events", end), paste0("Events", of), curves$events[i], digits = 0)
        ),
        lapply(seq_along(at), function(j) {
          estimate(
            paste0("survival", end, ".", format(at[j], digits = 15, trim = TRUE)),
            sprintf("Survival at %s%s", in_unit(label_of(at[j]), unit_of(ask, "time")), of),
            curves$survival[i, j],
            curves$low[i, j],
            curves$high[i, j],
            ask$conf_level,
            format = "percent"
          )
        })
      )
    }),
    recursive = FALSE
  )
}

# The log-rank test, NULL if the groups were never at risk together at an event, so that nothing can be compared.
log_rank <- function(used, conf_level) {
  test <- fitted_quietly(function() survival::survdiff(survival::Surv(time, event) ~ group, data = used))$value
  df <- sum(test$exp > 0) - 1
  if (is.null(test) || df < 1 || !is.finite(test$chisq)) {
    return(NULL)
  }
  ratio <- if (length(test$obs) == 2 && !any(tapply(used$event, used$group, sum) == 0)) peto_ratio(test, conf_level)
  list(chi_squared = test$chisq, df = df, p = stats::pchisq(test$chisq, df, lower.tail = FALSE), ratio = ratio)
}

# The hazard ratio of two groups that belongs to the log-rank test: exp((O - E) / V), with its interval (Peto 1977, Br J
# Cancer 35:1). The interval excludes 1 if the test is significant; the one of Cox regression may not.
peto_ratio <- function(test, conf_level) {
  variance <- test$var[2, 2]
  exp((test$obs[2] - test$exp[2]) / variance + c(0, -1, 1) * qnorm(1 - (1 - conf_level) / 2) / sqrt(variance))
}

km_warnings <- function(curves, names, at, rows, test) {
  found <- list()
  add <- function(code, says) found[[length(found) + 1]] <<- warning_of(code, says)
  open <- names[is.na(curves$median)]
  if (length(open)) {
    add(
      "median_not_reached",
      if (rows$grouped) {
        sprintf("Median survival was not reached in %s.", listed(utils::head(open, 5)))
      } else {
        "Median survival was not reached: more than half had no event."
      }
    )
  }
  beyond <- at[colSums(is.na(curves$survival)) > 0]
  if (length(beyond)) {
    add(
      "beyond_follow_up",
      sprintf(
        "No one was followed to %s in every group, so survival there is not estimable.",
        listed(vapply(utils::head(beyond, 5), label_of, ""))
      )
    )
  }
  if (rows$grouped) {
    if (is.null(test)) {
      add(
        "not_comparable",
        "The groups were never under observation together when an event came, so that no log-rank test can be made."
      )
    }
    none <- names[curves$events == 0]
    if (length(none)) add("no_events_in_group", sprintf("%s had no event.", capital(listed(utils::head(none, 5)))))
  }
  found
}

km_checks <- function(used, rows, groups) {
  checks <- list(assumption(
    "censoring",
    "Censoring",
    sprintf(
      "%s of %s rows are censored. The curves hold where those who were censored had the same outlook as those who stayed; data cannot show that.",
      label_of(sum(used$event == 0)),
      label_of(nrow(used))
    ),
    status = "not_run"
  ))
  if (!rows$grouped || length(groups) < 2 || any(tapply(used$event, used$group, sum) == 0)) {
    return(checks)
  }
  made <- fitted_quietly(function() {
    survival::cox.zph(survival::coxph(survival::Surv(time, event) ~ group, data = used))$table["GLOBAL", ]
  })$value
  if (is.null(made) || any(!is.finite(made))) {
    return(checks)
  }
  bad <- made[["p"]] < 0.05
  c(
    checks,
    list(assumption(
      "proportional",
      "cox.zph",
      if (bad) {
        "The hazards are not proportional (the curves may cross): the log-rank test has little power then, and one hazard ratio is an average."
      } else {
        "Nothing speaks against proportional hazards."
      },
      made[["chisq"]],
      made[["p"]],
      if (bad) "concern" else "ok"
    ))
  )
}

km_tables <- function(ask, rows, curves, names, at, test) {
  ci <- function(low, high, digits) {
    if (is.na(low) && is.na(high)) {
      "not estimable"
    } else {
      sprintf(
        "%s to %s",
        if (is.na(low)) "not reached" else fixed(low, digits),
        if (is.na(high)) "not reached" else fixed(high, digits)
      )
    }
  }
  head <- sprintf("%s%% CI", label_of(100 * ask$conf_level))
  digits <- time_digits(ask, curves)
  main <- table_of(
    "main",
    sprintf("Survival%s", if (rows$grouped) paste(" by", label(name_of(ask, "group"))) else ""),
    list(
      col("group", if (rows$grouped) label(name_of(ask, "group")) else "Group"),
      col("n", "n", "integer"),
      col("events", "Events", "integer"),
      col("median", "Median", align = "right"),
      col("ci", head, align = "right")
    ),
    lapply(seq_along(names), function(i) {
      list(
        group = names[i],
        n = curves$n[i],
        events = curves$events[i],
        median = if (is.na(curves$median[i])) "not reached" else fixed(curves$median[i], digits),
        ci = ci(curves$median_low[i], curves$median_high[i], digits)
      )
    }),
    c(
      "Kaplan-Meier, log-log intervals.",
      if (!is.null(test)) {
        sprintf("Log-rank χ²(%s) = %s, p %s.", label_of(test$df), fixed(test$chi_squared, 2), p_text(test$p))
      },
      if (!is.null(test$ratio)) {
        "The hazard ratio is that of the log-rank test (Peto); Cox regression takes other variables into account."
      },
      event_words(ask, "event")$note,
      missing_note(rows$n)
    )
  )
  if (!length(at)) {
    return(list(main))
  }
  list(
    main,
    table_of(
      "survival",
      "Survival at chosen times",
      list(
        col("group", if (rows$grouped) label(name_of(ask, "group")) else "Group"),
        col("time", label(name_of(ask, "time")), align = "right"),
        col("at_risk", "At risk", "integer"),
        col("survival", "Survival", "percent", 1),
        col("ci", head, align = "right")
      ),
      unlist(
        lapply(seq_along(names), function(i) {
          lapply(seq_along(at), function(j) {
            list(
              group = names[i],
              time = label_of(at[j]),
              at_risk = curves$at_risk[i, j],
              survival = 100 * curves$survival[i, j],
              ci = if (is.na(curves$low[i, j])) {
                "not estimable"
              } else {
                sprintf("%s%% to %s%%", fixed(100 * curves$low[i, j], 1), fixed(100 * curves$high[i, j], 1))
              }
            )
          })
        }),
        recursive = FALSE
      ),
      "Kaplan-Meier, log-log intervals."
    )
  )
}

# Returns the decimals of all medians and their intervals: times are shown as they were counted, 31 and not 31.00.
time_digits <- function(ask, curves) {
  decimals_in(round(c(curves$median, curves$median_low, curves$median_high), ask$digits))
}

km_sentence <- function(ask, rows, curves, names, at, test, ratio) {
  shown <- seq_len(min(length(names), 4))
  unit <- unit_of(ask, "time")
  event <- event_words(ask, "event")$said
  digits <- time_digits(ask, curves)
  time <- function(value) in_unit(fixed(value, digits), unit)
  level <- sprintf("%s%% CI", label_of(100 * ask$conf_level))
  of <- function(i) if (rows$grouped) paste(" in", names[i]) else ""
  medians <- vapply(
    shown,
    function(i) {
      counts <- sprintf("%s, with %s", of_inside(curves$events[i], curves$n[i]), event)
      if (is.na(curves$median[i])) {
        return(sprintf("not reached%s (%s)", of(i), counts))
      }
      ends <- c(curves$median_low[i], curves$median_high[i])
      ci <- if (all(is.na(ends))) {
        "interval not estimable"
      } else {
        sprintf(
          "%s %s to %s",
          level,
          if (is.na(ends[1])) "not estimable" else fixed(ends[1], digits),
          if (is.na(ends[2])) "not reached" else fixed(ends[2], digits)
        )
      }
      sprintf("%s%s (%s; %s)", time(curves$median[i]), of(i), ci, counts)
    },
    ""
  )
  then <- if (length(at)) {
    last <- length(at)
    parts <- vapply(
      shown,
      function(i) {
        s <- curves$survival[i, last]
        if (is.na(s)) {
          return(sprintf("not estimable%s", of(i)))
        }
        sprintf(
          "%s%%%s (%s)",
          fixed(100 * s, 1),
          of(i),
          ci_words(100 * curves$low[i, last], 100 * curves$high[i, last], ask$conf_level, 1, end = "%")
        )
      },
      ""
    )
    sprintf(
      "; the share without %s at %s was %s",
      event,
      if (nzchar(unit)) {
        in_unit(label_of(at[last]), unit)
      } else {
        sprintf("%s = %s", said_of(ask, "time"), label_of(at[last]))
      },
      listed(parts)
    )
  }
  ratio_at <- if (!is.null(ratio)) ratio_digits(ratio, ask$digits)
  sentence(
    if (rows$grouped) begun(by_words(names, name_of(ask, "group")), "The median of ") else "The median of ",
    said_of(ask, "time"),
    " until ",
    event,
    " (Kaplan-Meier) was ",
    listed(medians),
    if (length(names) > 4) sprintf(", with %s in the table", plural(length(names) - 4, "more group")),
    if (length(names) == 2) {
      direction_words(
        curves$median,
        names,
        fixed(curves$median, digits),
        more = "longer",
        told = !is.null(test) && test$p < ask$alpha
      )
    },
    then,
    if (!is.null(test)) {
      paste0(
        "; log-rank test",
        if (length(names) == 2) ", two-sided" else "",
        ", ",
        it("χ²"),
        "(",
        label_of(test$df),
        ") = ",
        fixed(test$chi_squared, 2),
        ", ",
        p_words(test$p)
      )
    },
    if (!is.null(ratio)) {
      sprintf(
        "; hazard ratio by the log-rank test (%s against %s, the reference) %s (%s)",
        names[2],
        names[1],
        fixed(ratio[1], ratio_at),
        ci_words(ratio[2], ratio[3], ask$conf_level, ratio_at)
      )
    },
    "; ",
    missing_words(rows$n),
    "."
  )
}
