# ROC curves (SPEC N3): the area with DeLong's interval (DeLong 1988, Biometrics 44:837) by pROC. The user states the
# direction of the score; it is never taken from the data, because a direction chosen from the data makes every area 0.5
# or more.

ROC_PARAMS <- list(
  outcome = column("event", "Outcome (who has the condition)"),
  score = column("numeric", "Score or measurement")
)
ROC_OPTIONS <- list(
  direction = one_of("Which scores indicate the condition", c("higher", "lower")),
  event_value = value_of("Value of the outcome that counts as the condition")
)

# Runs an analysis of an ROC curve.
run_roc <- function(ask) {
  cases <- event_of(ask, "outcome")
  rows <- complete(case = cases, score = bounded_of(ask, "score"), least = 4)
  used <- rows$used
  count <- c(cases = sum(used$case == 1), controls = sum(used$case == 0))
  if (count[["cases"]] == 0) {
    refuse(
      "no_events",
      sprintf("No complete row has the condition (%s).", label(name_of(ask, "outcome"))),
      field = "params.outcome",
      column = ask$params$outcome
    )
  }
  if (count[["controls"]] == 0) {
    refuse(
      "group_levels",
      sprintf("%s must have two levels, found one: every complete row has the condition.", name_of(ask, "outcome")),
      field = "params.outcome",
      column = ask$params$outcome
    )
  }
  if (any(count < 2)) {
    refuse(
      "too_few_observations",
      "At least 2 rows with and 2 without the condition are needed.",
      field = "params.outcome",
      column = ask$params$outcome
    )
  }
  refuse_constant(ask, used$score, "score")
  sign <- if (ask$options$direction == "higher") "<" else ">"
  curve <- pROC::roc(used$case, used$score, levels = c(0, 1), direction = sign, quiet = TRUE)
  area <- suppressWarnings(pROC::ci.auc(curve, conf.level = ask$conf_level, method = "delong"))
  auc <- as.numeric(curve$auc)
  se <- suppressWarnings(sqrt(pROC::var(curve, method = "delong")))
  z <- if (se > 0) (auc - 0.5) / se else NA
  # if the groups do not overlap, DeLong's interval has no width, which would suggest certainty
  ends <- if (se > 0) area[c(1, 3)] else c(NA, NA)
  p <- 2 * stats::pnorm(-abs(z))
  youden <- curve$sensitivities + curve$specificities - 1
  inner <- which(is.finite(curve$thresholds))
  best <- best_cut(curve)
  ties <- sum(abs(youden[inner] - youden[best]) < 1e-12) - 1
  sens <- wilson_interval(sum(used$case == 1) * curve$sensitivities[best], count[["cases"]], ask$conf_level)
  spec <- wilson_interval(sum(used$case == 0) * curve$specificities[best], count[["controls"]], ask$conf_level)

  outcome <- label(name_of(ask, "outcome"))
  score <- label(name_of(ask, "score"))
  event <- label(event_label(ask, "outcome"), 40)
  condition <- event_words(ask, "outcome")$said
  cut <- precision_of(used$score, ask$digits)
  digits <- apart_digits(ends, 3, 0.5)
  interval <- ci_words(ends[1], ends[2], ask$conf_level, digits)
  words <- sprintf("AUC %s (%s)", fixed(auc, digits), interval)
  others <- length(unique(stats::na.omit(labels_of(ask$data[[ask$params$outcome]]$values))))
  warnings <- list()
  if (auc < 0.5) {
    warnings[[1]] <- warning_of(
      "direction",
      sprintf(
        paste0(
          "%s scores go with the condition less often than not. If this ",
          "is how the score is meant, choose the other direction."
        ),
        capital(ask$options$direction)
      ),
      ask$params$score
    )
  }
  if (auc == 1 || auc == 0) {
    warnings[[length(warnings) + 1]] <- warning_of(
      "perfect_separation",
      paste0(
        "The score separates the two groups completely, so the area has ",
        "neither an interval nor a test. Do not read it as certainty."
      ),
      ask$params$score
    )
  }
  if (min(count) < 10) {
    warnings[[length(warnings) + 1]] <- warning_of(
      "few_events",
      sprintf(
        "Only %s with and %s without the condition: the interval is rough.",
        label_of(count[["cases"]]),
        label_of(count[["controls"]])
      )
    )
  }

  number_of <- function(id, label, at, of) list(measure = label, value = at, low = of[1], high = of[2])
  result(
    method = "ROC curve, DeLong interval",
    n = c(rows$n, list(by_group = list(cases = count[["cases"]], controls = count[["controls"]]))),
    reason = sprintf("%s values of the score count as pointing to %s = %s", ask$options$direction, outcome, event),
    estimates = list(
      estimate(
        "auc",
        "Area under the curve",
        auc,
        ends[1],
        ends[2],
        ask$conf_level,
        digits = digits,
        se = se,
        z = z,
        p = p
      ),
      estimate(
        "youden_threshold",
        sprintf("Cut-off with the largest Youden index, %s", score),
        curve$thresholds[best],
        digits = cut
      ),
      estimate(
        "youden_sensitivity",
        "Sensitivity at this cut-off",
        curve$sensitivities[best],
        sens[1],
        sens[2],
        ask$conf_level,
        format = "percent"
      ),
      estimate(
        "youden_specificity",
        "Specificity at this cut-off",
        curve$specificities[best],
        spec[1],
        spec[2],
        ask$conf_level,
        format = "percent"
      )
    ),
    statistics = list(
      z = z,
      p = p,
      se_delong = se,
      n_cases = count[["cases"]],
      n_controls = count[["controls"]],
      youden = youden[best]
    ),
    tables = list(table_of(
      "main",
      sprintf("%s as a test of %s = %s", score, outcome, event),
      list(
        col("measure", "Measure"),
        col("value", "Value", "number", 3),
        col("low", "CI from", "number", 3),
        col("high", "CI to", "number", 3)
      ),
      list(
        number_of("auc", "Area under the curve", auc, ends),
        list(
          measure = "Cut-off (Youden)",
          value = curve$thresholds[best],
          low = NA,
          high = NA,
          digits = list(value = cut)
        ),
        number_of("sens", "Sensitivity at the cut-off", curve$sensitivities[best], sens),
        number_of("spec", "Specificity at the cut-off", curve$specificities[best], spec)
      ),
      footnotes = c(
        sprintf(
          "%s%% intervals: DeLong for the area, Wilson for sensitivity and specificity.",
          label_of(100 * ask$conf_level)
        ),
        sprintf(
          paste0(
            "%s %s the cut-off points to the condition. It was chosen in these same data, ",
            "so sensitivity and specificity are too favourable for other patients.%s"
          ),
          score,
          if (sign == "<") "above" else "below",
          if (ties > 0) sprintf(" %s do as well.", plural(ties, "other cut-off", "other cut-offs")) else ""
        ),
        if (others > 2) sprintf("All other values of %s count as without the condition.", outcome),
        missing_note(rows$n)
      )
    )),
    sentence = sentence(
      said_of(ask, "score"),
      " as a marker of ",
      condition,
      " (",
      label_of(count[["cases"]]),
      " rows with and ",
      label_of(count[["controls"]]),
      " without it): area under the ROC curve ",
      fixed(auc, digits),
      " (",
      if (!is.na(p)) {
        paste0(interval, ", DeLong; two-sided test against 0.5, ", it("z"), " = ", fixed(z, 2), ", ", p_words(p))
      } else {
        "the values of the two do not overlap, so that there is neither an interval nor a test"
      },
      "); ",
      ask$options$direction,
      " values count as pointing to ",
      condition,
      "; ",
      missing_words(rows$n),
      "."
    ),
    figures = list(roc_figure(curve, best, words, score)),
    warnings = warnings,
    packages = "pROC",
    script = script(
      c(
        sprintf("case <- %s", event_code(ask, ask$params$outcome, event_label(ask, "outcome"))),
        sprintf("score <- %s", numeric_code(ask, ask$params$score)),
        "used <- na.omit(data.frame(case, score))",
        sprintf("curve <- roc(used$case, used$score, levels = c(0, 1), direction = %s)", quoted(sign)),
        sprintf("area <- ci.auc(curve, conf.level = %s, method = \"delong\")", literal(ask$conf_level)),
        "se <- sqrt(var(curve, method = \"delong\"))",
        "z <- if (se > 0) (as.numeric(auc(curve)) - 0.5) / se else NA",
        code_of("best_cut", "wilson_interval"),
        "best <- best_cut(curve)",
        sprintf(
          "sens <- wilson_interval(curve$sensitivities[best] * sum(used$case == 1), sum(used$case == 1), %s)",
          literal(ask$conf_level)
        ),
        sprintf(
          "spec <- wilson_interval(curve$specificities[best] * sum(used$case == 0), sum(used$case == 0), %s)",
          literal(ask$conf_level)
        ),
        "result <- list(",
        paste0(
          "  auc = as.numeric(auc(curve)), auc_low = if (se > 0) area[1] else NA, auc_high = ",
          "if (se > 0) area[3] else NA, auc_se = se, auc_z = z, auc_p = 2 * pnorm(-abs(z)),"
        ),
        paste0(
          "  youden_threshold = curve$thresholds[best], youden_sensitivity = curve$sensitivities[best], ",
          "youden_specificity = curve$specificities[best],"
        ),
        paste0(
          "  youden_sensitivity_low = sens[1], youden_sensitivity_high = sens[2], ",
          "youden_specificity_low = spec[1], youden_specificity_high = spec[2],"
        ),
        paste0(
          "  z = z, p = 2 * pnorm(-abs(z)), se_delong = se, n_cases = sum(used$case == 1), n_controls ",
          "= sum(used$case == 0), youden = curve$sensitivities[best] + curve$specificities[best] - 1"
        ),
        ")"
      ),
      packages = "pROC"
    )
  )
}

# Returns the position of the cut-off with the largest Youden index.
best_cut <- function(curve) {
  inner <- which(is.finite(curve$thresholds))
  inner[which.max(round((curve$sensitivities + curve$specificities - 1)[inner], 12))]
}

# The ROC curve with its cut-off.
roc_figure <- function(curve, best, words, score) {
  points <- data.frame(x = 1 - rev(curve$specificities), y = rev(curve$sensitivities))
  if (nrow(points) > 2000) {
    points <- points[unique(round(seq(1, nrow(points), length.out = 2000))), ]
  }
  cut <- data.frame(x = 1 - curve$specificities[best], y = curve$sensitivities[best])
  at <- sprintf(
    "Cut-off %s: sensitivity %s%%, specificity %s%%",
    fmt_short(signif(curve$thresholds[best], 4)),
    fixed(100 * cut$y, 1),
    fixed(100 * (1 - cut$x), 1)
  )
  plot <- ggplot(points, aes(x, y)) +
    annotate("segment", x = 0, y = 0, xend = 1, yend = 1, colour = SOFT, linewidth = 0.3, linetype = "22") +
    geom_path(colour = ACCENT, linewidth = 0.7) +
    geom_point(data = cut, shape = 21, size = 2.2, fill = "white", colour = ACCENT, stroke = 0.7) +
    annotate("text", x = 0.98, y = 0.13, label = words, hjust = 1, size = 3, family = FONT, colour = INK) +
    annotate("text", x = 0.98, y = 0.06, label = at, hjust = 1, size = 2.5, family = FONT, colour = SOFT) +
    scale_x_continuous("1 − specificity", limits = c(0, 1), expand = expansion(0.015)) +
    scale_y_continuous("Sensitivity", limits = c(0, 1), expand = expansion(0.015)) +
    coord_equal() +
    theme_thesis()
  figure(
    "roc",
    plot,
    sprintf("ROC curve of %s: %s. %s.", score, words, at),
    caption = sprintf("ROC curve of %s; %s", score, words),
    width_mm = 105,
    height_mm = 105
  )
}

# Returns a figure on its own: the figure `id` of a whole result, with the notes it needs.
evidence_figure <- function(made, id) {
  found <- Filter(function(one) one$id == id, made$figures)
  result(method = made$method, n = made$n, figures = found, warnings = made$warnings, reason = made$method_reason)
}

analysis("roc", title = "ROC curve", params = ROC_PARAMS, options = ROC_OPTIONS, run = run_roc, packages = "pROC")
figure_kind(
  "roc",
  "ROC curve",
  ROC_PARAMS,
  ROC_OPTIONS,
  run = function(ask) evidence_figure(run_roc(ask), "roc"),
  packages = "pROC"
)
