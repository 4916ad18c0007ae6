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
          paste0(
            "With more than two groups the log-rank test says that curves differ somewhere, ",
            "not which. Cox regression compares each group with the first."
          ),
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
          paste0(
            "  setNames(curves$median, paste0(\"median\", end)), setNames(curves$median_low, ",
            "paste0(\"median\", end, \"_low\")), setNames(curves$median_high, ",
            "paste0(\"median\", end, \"_high\")),"
          ),
          "  setNames(curves$n, paste0(\"n\", end)), setNames(curves$events, paste0(\"events\", end)),",
          if (length(at)) {
            c(
              "  unlist(lapply(seq_along(at), function(i) {",
              "    id <- paste0(\"survival\", end, \".\", format(at[i], digits = 15, trim = TRUE))",
              paste0(
                "    c(setNames(curves$survival[, i], id), setNames(curves$low[, i], paste0(id, ",
                "\"_low\")), setNames(curves$high[, i], paste0(id, \"_high\")))"
              ),
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
