# Warnings, checks, tables and the sentence of a Kaplan-Meier analysis.

# Returns the warnings of a Kaplan-Meier analysis.
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

# Returns the checks of censoring and of proportional hazards.
km_checks <- function(used, rows, groups) {
  checks <- list(assumption(
    "censoring",
    "Censoring",
    sprintf(
      paste0(
        "%s of %s rows are censored. The curves hold where those who were censored ",
        "had the same outlook as those who stayed; data cannot show that."
      ),
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
        paste0(
          "The hazards are not proportional (the curves may cross): the log-rank ",
          "test has little power then, and one hazard ratio is an average."
        )
      } else {
        "Nothing speaks against proportional hazards."
      },
      made[["chisq"]],
      made[["p"]],
      if (bad) "concern" else "ok"
    ))
  )
}

# Returns the tables of a Kaplan-Meier analysis.
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

# Returns the sentence of a Kaplan-Meier analysis.
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
