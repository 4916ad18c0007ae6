# Agreement of two measurement methods (SPEC N3; Bland and Altman 1986, Lancet i:307): bias and limits of agreement.

BA_PARAMS <- list(first = column("numeric", "First method"), second = column("numeric", "Second method"))

# Runs the analysis of two measurement methods.
run_bland_altman <- function(ask) {
  if (identical(ask$params$first, ask$params$second)) {
    refuse("bad_option", "The two methods are one column.", field = "params.second", column = ask$params$second)
  }
  rows <- complete(first = bounded_of(ask, "first"), second = bounded_of(ask, "second"), least = 3)
  used <- rows$used
  n <- nrow(used)
  difference <- used$first - used$second
  average <- (used$first + used$second) / 2
  sd <- stats::sd(difference)
  if (sd <= 1e-12 * max(abs(used$first), abs(used$second))) {
    refuse(
      "constant_variable",
      "All differences between the two methods are the same, so there are no limits of agreement.",
      field = "params.first",
      column = ask$params$first
    )
  }
  made <- agreement_limits(used$first, used$second, ask$conf_level)
  bias <- made[["bias"]]
  limits <- made[c("loa_low", "loa_high")]
  from <- function(id) made[[paste0(id, "_low")]]
  to <- function(id) made[[paste0(id, "_high")]]
  trend <- !is.na(made[["trend_p"]])
  told_trend <- trend && made[["trend_p"]] < 0.05
  first <- label(name_of(ask, "first"))
  second <- label(name_of(ask, "second"))
  out <- made[["outside"]]
  d <- max(precision_of(used$first, ask$digits), precision_of(used$second, ask$digits))
  unit <- shared_unit(ask, unlist(ask$params[c("first", "second")]))
  said <- level_words(c(said_of(ask, "first"), said_of(ask, "second")), 80)
  ends <- function(id) {
    sprintf("%s (%s)", in_unit(fixed(made[[id]], d), unit), ci_words(from(id), to(id), ask$conf_level, d))
  }
  told <- from("bias") > 0 || to("bias") < 0 # as the paired t test, to which this interval belongs
  away <- if (fixed(bias, d) == fixed(0, d)) {
    "on average the two read alike, "
  } else if (told) {
    sprintf("on average %s read %s than %s, ", said[1], if (bias > 0) "higher" else "lower", said[2])
  } else {
    ""
  }
  result(
    method = "Bland-Altman limits of agreement",
    n = rows$n,
    estimates = list(
      estimate(
        "bias",
        sprintf("Bias, %s minus %s", first, second),
        bias,
        from("bias"),
        to("bias"),
        ask$conf_level,
        digits = d,
        se = made[["bias_se"]]
      ),
      estimate(
        "loa_low",
        "Lower limit of agreement",
        limits[[1]],
        from("loa_low"),
        to("loa_low"),
        ask$conf_level,
        digits = d,
        se = made[["loa_low_se"]]
      ),
      estimate(
        "loa_high",
        "Upper limit of agreement",
        limits[[2]],
        from("loa_high"),
        to("loa_high"),
        ask$conf_level,
        digits = d,
        se = made[["loa_high_se"]]
      ),
      estimate("sd", "SD of the differences", sd, digits = d)
    ),
    statistics = as.list(made[c("n", "outside", "loa_low_2sd", "loa_high_2sd", "trend_slope", "trend_r", "trend_p")]),
    tables = list(table_of(
      "main",
      sprintf("Agreement of %s and %s", first, second),
      list(
        col("measure", "Measure"),
        col("value", "Value", "number", d),
        col("low", "CI from", "number", d),
        col("high", "CI to", "number", d)
      ),
      list(
        list(measure = "Bias (mean difference)", value = bias, low = from("bias"), high = to("bias")),
        list(measure = "SD of the differences", value = sd, low = NA, high = NA),
        list(measure = "Lower limit of agreement", value = limits[[1]], low = from("loa_low"), high = to("loa_low")),
        list(measure = "Upper limit of agreement", value = limits[[2]], low = from("loa_high"), high = to("loa_high"))
      ),
      footnotes = c(
        sprintf("Differences are %s minus %s. Limits: bias ± 1.96 SD.", first, second),
        sprintf(
          "%s%% intervals by the t distribution; of the limits with the standard error of Bland and Altman (1986).",
          label_of(100 * ask$conf_level)
        ),
        missing_note(rows$n)
      )
    )),
    assumptions = c(
      normality_of_residuals(difference - bias) |>
        lapply(function(one) {
          if (one$status == "concern") {
            one$text <- paste0(
              "The differences are not shaped like a normal distribution, ",
              "so the limits may hold more or fewer than 95% of them."
            )
          }
          if (one$status == "ok") {
            one$text <- "Nothing speaks against normally distributed differences."
          }
          one$test <- "Shapiro-Wilk on the differences"
          one
        }),
      list(
        if (!trend) {
          assumption(
            "trend",
            "Difference against mean",
            "All pairs have the same mean, so a trend could not be looked for.",
            status = "not_run"
          )
        } else {
          assumption(
            "trend",
            "Difference against mean (Pearson)",
            if (told_trend) {
              paste0(
                "The differences change with the size of the measurement. One bias and one pair ",
                "of limits do not hold for all of it; consider ratios or the log scale."
              )
            } else {
              "The differences do not visibly change with the size of the measurement."
            },
            made[["trend_r"]],
            made[["trend_p"]],
            if (told_trend) "concern" else "ok"
          )
        }
      )
    ),
    sentence = sentence(
      "Bland-Altman analysis of ",
      said[1],
      " and ",
      said[2],
      ": ",
      away,
      minus_words("mean difference", said, in_unit(fixed(bias, d), unit)),
      " (",
      ci_words(from("bias"), to("bias"), ask$conf_level, d),
      "; SD of the differences ",
      fixed(sd, d),
      "), 95% limits of agreement from ",
      ends("loa_low"),
      " to ",
      ends("loa_high"),
      "; ",
      label_of(out),
      " of ",
      plural(n, "pair", "pairs"),
      " lay outside; ",
      missing_words(rows$n, "pair"),
      "."
    ),
    figures = list(bland_altman_figure(
      average,
      difference,
      bias,
      unname(limits),
      c(to("bias") - bias, to("loa_low") - limits[[1]]),
      first,
      second,
      d
    )),
    warnings = if (n < 30) {
      list(warning_of(
        "few_pairs",
        sprintf("With %s the limits of agreement are rough: read their intervals.", plural(n, "pair", "pairs"))
      ))
    } else {
      list()
    },
    script = script(c(
      sprintf("first <- %s", numeric_code(ask, ask$params$first)),
      sprintf("second <- %s", numeric_code(ask, ask$params$second)),
      "used <- na.omit(data.frame(first, second))",
      code_of("agreement_limits"),
      sprintf("result <- agreement_limits(used$first, used$second, %s)", literal(ask$conf_level))
    ))
  )
}

# Returns bias and limits of agreement with their intervals by the t distribution, and how the differences change with
# the mean (NA if all means are equal).
agreement_limits <- function(first, second, conf_level) {
  difference <- first - second
  average <- (first + second) / 2
  n <- length(difference)
  bias <- mean(difference)
  sd <- stats::sd(difference)
  limits <- bias + c(-1, 1) * stats::qnorm(0.975) * sd
  t <- stats::qt(1 - (1 - conf_level) / 2, n - 1)
  bias_se <- sd / sqrt(n)
  loa_se <- sd * sqrt(3 / n)
  made <- c(
    bias = bias,
    bias_low = bias - t * bias_se,
    bias_high = bias + t * bias_se,
    bias_se = bias_se,
    sd = sd,
    loa_low = limits[1],
    loa_low_low = limits[1] - t * loa_se,
    loa_low_high = limits[1] + t * loa_se,
    loa_low_se = loa_se,
    loa_high = limits[2],
    loa_high_low = limits[2] - t * loa_se,
    loa_high_high = limits[2] + t * loa_se,
    loa_high_se = loa_se,
    n = n,
    outside = sum(difference < limits[1] | difference > limits[2]),
    loa_low_2sd = bias - 2 * sd,
    loa_high_2sd = bias + 2 * sd,
    trend_slope = NA,
    trend_r = NA,
    trend_p = NA
  )
  if (stats::var(average) > 0) {
    trend <- stats::cor.test(average, difference)
    made[c("trend_slope", "trend_r", "trend_p")] <- c(
      stats::cov(average, difference) / stats::var(average),
      trend$estimate,
      trend$p.value
    )
  }
  made
}

# Returns axis numbers with a minus sign instead of a hyphen.
with_minus <- function(at) sub("-", "−", format(at, trim = TRUE, drop0trailing = TRUE), fixed = TRUE)

# The Bland-Altman plot: differences against means, with the bias and the limits of agreement.
bland_altman_figure <- function(average, difference, bias, limits, half, first, second, digits) {
  at <- data.frame(
    y = c(limits[2], bias, limits[1]),
    half = half[c(2, 1, 2)],
    kind = c("limit", "bias", "limit"),
    words = c(
      sprintf("+1.96 SD\n%s", fixed(limits[2], digits)),
      sprintf("Bias\n%s", fixed(bias, digits)),
      sprintf("−1.96 SD\n%s", fixed(limits[1], digits))
    )
  )
  frame <- data.frame(average, difference)
  plot <- ggplot(frame, aes(average, difference)) +
    geom_rect(
      data = at,
      aes(xmin = -Inf, xmax = Inf, ymin = y - half, ymax = y + half),
      inherit.aes = FALSE,
      fill = "#d7e5e4",
      alpha = 0.6
    ) +
    geom_hline(yintercept = 0, colour = SOFT, linewidth = 0.25) +
    geom_hline(data = at, aes(yintercept = y, linetype = kind), colour = ACCENT, linewidth = 0.5, show.legend = FALSE) +
    scale_linetype_manual(values = c(limit = "42", bias = "solid")) +
    geom_point(
      size = 1.2,
      alpha = if (nrow(frame) > MOST_POINTS) {
        0.08
      } else if (nrow(frame) > 500) {
        0.3
      } else {
        0.8
      },
      colour = INK
    ) +
    scale_x_continuous(labels = with_minus) +
    scale_y_continuous(labels = with_minus, sec.axis = dup_axis(breaks = at$y, labels = at$words, name = NULL)) +
    labs(
      x = sprintf("Mean of %s and %s", label(first, 30), label(second, 30)),
      y = sprintf("%s − %s", label(first, 24), label(second, 24))
    ) +
    theme_thesis() +
    theme(
      axis.line.y.right = element_blank(),
      axis.ticks.y.right = element_blank(),
      axis.text.y.right = element_text(colour = INK, size = 7)
    )
  figure(
    "bland_altman",
    plot,
    sprintf(
      "Bland-Altman plot of %s and %s: bias %s, limits of agreement %s to %s.",
      first,
      second,
      fixed(bias, digits),
      fixed(limits[1], digits),
      fixed(limits[2], digits)
    ),
    caption = sprintf(
      "Bland-Altman plot of %s and %s: bias and 95%% limits of agreement with their confidence intervals (bands)",
      first,
      second
    ),
    points = nrow(frame)
  )
}

analysis("bland_altman", title = "Bland-Altman limits of agreement", params = BA_PARAMS, run = run_bland_altman)
figure_kind("bland_altman", "Bland-Altman plot", BA_PARAMS, run = function(ask) {
  evidence_figure(run_bland_altman(ask), "bland_altman")
})
