# Paired t test of two measurements of the same rows (SPEC N3).

analysis(
  "paired_t",
  title = "Paired t test",
  params = list(first = column("numeric", "First measurement"), second = column("numeric", "Second measurement")),
  run = function(ask) {
    rows <- paired_rows(ask)
    used <- rows$used
    differences <- used$first - used$second
    if (stats::sd(differences) / sqrt(nrow(used)) <= 10 * .Machine$double.eps * max(abs(colMeans(used)))) {
      refuse(
        "constant_variable",
        "All differences between the two measurements are the same.",
        field = "params.second",
        column = ask$params$second,
        hint = "A paired t test needs differences that differ."
      )
    }
    test <- stats::t.test(used$first, used$second, paired = TRUE, conf.level = ask$conf_level)
    d <- paired_d(used$first, used$second, ask$conf_level)
    means <- colMeans(used)
    sds <- c(stats::sd(used$first), stats::sd(used$second))
    difference <- mean(differences)
    digits <- rows$digits
    ends <- as.numeric(test$conf.int)
    at <- apart_digits(ends, digits, 0)
    interval <- ci_words(ends[1], ends[2], ask$conf_level, at)
    shown <- fixed(difference, at)
    told <- mean_words(means, sds, digits, rows$unit)
    normality <- normality_check(
      differences,
      "the differences",
      "With 30 or more pairs this matters little; with fewer, compare with the signed-rank test."
    )

    result(
      method = "Paired t-test",
      n = rows$n,
      estimates = list(
        estimate(
          "mean_difference",
          sprintf("Mean difference, %s minus %s", rows$first, rows$second),
          difference,
          test$conf.int[1],
          test$conf.int[2],
          ask$conf_level,
          digits = at
        ),
        estimate("mean_1", paste0("Mean, ", rows$first), means[1], digits = digits),
        estimate("mean_2", paste0("Mean, ", rows$second), means[2], digits = digits),
        estimate("sd_1", paste0("SD, ", rows$first), sds[1], digits = digits),
        estimate("sd_2", paste0("SD, ", rows$second), sds[2], digits = digits),
        estimate("sd_difference", "SD of the differences", stats::sd(differences), digits = digits)
      ),
      statistics = list(t = test$statistic, df = test$parameter, p = test$p.value),
      effect_sizes = list(
        effect_size(
          "cohens_d",
          "Cohen's d",
          d["value"],
          d["low"],
          d["high"],
          conf_level = ask$conf_level,
          method = "pooled SD of both measurements"
        ),
        effect_size("hedges_g", "Hedges' g", d["g"], method = "d (1 - 3 / (4 df - 1))"),
        effect_size(
          "cohens_dz",
          "Cohen's dz",
          d["dz"],
          d["dz_low"],
          d["dz_high"],
          conf_level = ask$conf_level,
          method = "SD of the differences"
        )
      ),
      tables = list(table_of(
        "main",
        sprintf("%s and %s", rows$first, rows$second),
        list(
          col("measurement", "Measurement"),
          col("n", "n", "integer"),
          col("mean", "Mean", "number", digits),
          col("sd", "SD", "number", digits)
        ),
        list(
          list(measurement = rows$first, n = nrow(used), mean = means[[1]], sd = sds[1]),
          list(measurement = rows$second, n = nrow(used), mean = means[[2]], sd = sds[2]),
          list(measurement = "Difference", n = nrow(used), mean = difference, sd = stats::sd(differences))
        ),
        footnotes = c(
          sprintf(
            "Paired t-test, two-sided: t(%s) = %s, p %s; mean difference (%s minus %s) %s (%s).",
            label_of(test$parameter),
            fixed(test$statistic),
            p_text(test$p.value),
            rows$first,
            rows$second,
            shown,
            interval
          ),
          missing_note(rows$n)
        )
      )),
      assumptions = list(normality),
      recommendation = skewed_advice(
        normality,
        nrow(used),
        "Wilcoxon signed-rank test",
        "wilcoxon",
        any(vapply(unlist(ask$params), function(id) ask$data[[id]]$type == "ordered", NA))
      ),
      sentence = sentence(
        "The mean was ",
        told[1],
        " for ",
        rows$said[1],
        " and ",
        told[2],
        " for ",
        rows$said[2],
        direction_words(means, rows$said, fixed(means, digits), "for", told = test$p.value < ask$alpha),
        ": ",
        minus_words("mean difference", rows$said, in_unit(shown, rows$unit)),
        " (",
        interval,
        "; paired t-test, two-sided, ",
        t_words(test, d),
        "; ",
        missing_words(rows$n, "pair"),
        ")."
      ),
      figures = list(pairs_figure(used, rows$first, rows$second), qq_figure("qq", differences, "Differences")),
      script = script(c(
        rows$lines,
        sprintf("conf_level <- %s", literal(ask$conf_level)),
        "test <- t.test(used$first, used$second, paired = TRUE, conf.level = conf_level)",
        code_of("tail_of"),
        code_of("noncentral_t"),
        code_of("paired_d"),
        "d <- paired_d(used$first, used$second, conf_level)",
        "result <- list(",
        paste0(
          "  mean_difference = mean(used$first - used$second), mean_difference_low ",
          "= test$conf.int[1], mean_difference_high = test$conf.int[2],"
        ),
        paste0(
          "  mean_1 = mean(used$first), mean_2 = mean(used$second), sd_1 = sd(used$first), ",
          "sd_2 = sd(used$second), sd_difference = sd(used$first - used$second),"
        ),
        "  t = unname(test$statistic), df = unname(test$parameter), p = test$p.value,",
        paste0(
          "  cohens_d = d[[\"value\"]], cohens_d_low = d[[\"low\"]], cohens_d_high ",
          "= d[[\"high\"]], hedges_g = d[[\"g\"]], cohens_dz = d[[\"dz\"]], cohens_dz_low ",
          "= d[[\"dz_low\"]], cohens_dz_high = d[[\"dz_high\"]]"
        ),
        ")"
      ))
    )
  }
)
