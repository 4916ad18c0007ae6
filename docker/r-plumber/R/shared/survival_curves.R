# The numbers of a Kaplan-Meier analysis: rows, curves, estimates and the log-rank test.

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

# Returns medians and survival at given times as estimates.
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
