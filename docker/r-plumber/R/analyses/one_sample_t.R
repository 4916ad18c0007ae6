# One-sample t test of a mean against a known value (SPEC N3).

analysis(
  "one_sample_t",
  title = "t test of one mean against a known value",
  params = list(outcome = column("numeric", "What was measured")),
  options = list(mu = number("Value to compare with", default = 0)),
  run = function(ask) {
    rows <- complete(values = bounded_of(ask, "outcome"), least = 2)
    values <- rows$used$values
    refuse_constant(ask, values, "outcome")
    if (stats::sd(values) / sqrt(length(values)) <= 10 * .Machine$double.eps * abs(mean(values))) {
      refuse(
        "constant_variable",
        sprintf("All values of %s are all but the same.", name_of(ask, "outcome")),
        field = "params.outcome",
        column = ask$params$outcome
      )
    }
    mu <- ask$options$mu
    test <- stats::t.test(values, mu = mu, conf.level = ask$conf_level)
    d <- one_sample_d(values, mu, ask$conf_level)
    outcome <- label(name_of(ask, "outcome"))
    average <- mean(values)
    digits <- precision_of(values, ask$digits)
    said <- said_of(ask, "outcome")
    unit <- unit_of(ask, "outcome")
    known <- in_unit(sub("-", "−", label_of(mu), fixed = TRUE), unit)
    away <- if (isTRUE(all.equal(average, mu, tolerance = 1e-12))) {
      "equal to"
    } else if (average > mu) {
      "higher than"
    } else {
      "lower than"
    }
    at <- apart_digits(test$conf.int, digits, mu)
    interval <- ci_words(test$conf.int[1], test$conf.int[2], ask$conf_level, at)
    normality <- normality_check(
      values,
      "the values",
      "With 30 or more values this matters little; with fewer, compare with a rank test."
    )

    result(
      method = "One-sample t-test",
      n = rows$n,
      estimates = list(
        estimate(
          "mean",
          paste("Mean of", outcome),
          average,
          test$conf.int[1],
          test$conf.int[2],
          ask$conf_level,
          digits = at
        ),
        estimate("sd", "SD", stats::sd(values), digits = digits),
        estimate(
          "mean_difference",
          sprintf("Mean minus %s", label_of(mu)),
          average - mu,
          test$conf.int[1] - mu,
          test$conf.int[2] - mu,
          ask$conf_level,
          digits = digits,
          null = 0
        )
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
          method = "SD of the sample"
        ),
        effect_size("hedges_g", "Hedges' g", d["g"], method = "d (1 - 3 / (4 df - 1))")
      ),
      tables = list(table_of(
        "main",
        outcome,
        list(
          col("variable", "Variable"),
          col("n", "n", "integer"),
          col("mean", "Mean", "number", digits),
          col("sd", "SD", "number", digits),
          col("difference", sprintf("Mean minus %s", label_of(mu)), "number", digits),
          col("p", "p", "p", 3)
        ),
        list(list(
          variable = outcome,
          n = rows$n$used,
          mean = average,
          sd = stats::sd(values),
          difference = average - mu,
          p = test$p.value
        )),
        footnotes = c(
          sprintf(
            "One-sample t-test against %s, two-sided: t(%s) = %s, p %s; mean %s (%s).",
            label_of(mu),
            label_of(test$parameter),
            fixed(test$statistic),
            p_text(test$p.value),
            fixed(average, at),
            interval
          ),
          missing_note(rows$n)
        )
      )),
      assumptions = c(list(normality), skew_check(values, name = outcome)),
      sentence = sentence(
        "The mean of ",
        said,
        " was ",
        in_unit(fixed(average, at), unit),
        " (SD ",
        fixed(stats::sd(values), digits),
        "; ",
        interval,
        "), ",
        away,
        " the value ",
        known,
        " that it was compared with (one-sample t-test, two-sided, ",
        t_words(test, d),
        "; ",
        missing_words(rows$n),
        ")."
      ),
      figures = list(
        histogram_figure(
          "histogram",
          values,
          outcome,
          marks = c(Mean = average, stats::setNames(mu, paste("Compared with", label_of(mu))))
        ),
        qq_figure("qq", values, outcome)
      ),
      script = script(c(
        sprintf("values <- as.numeric(na.omit(%s))", numeric_code(ask, ask$params$outcome)),
        sprintf("mu <- %s", literal(mu)),
        sprintf("conf_level <- %s", literal(ask$conf_level)),
        "test <- t.test(values, mu = mu, conf.level = conf_level)",
        code_of("tail_of"),
        code_of("noncentral_t"),
        code_of("one_sample_d"),
        "d <- one_sample_d(values, mu, conf_level)",
        "result <- list(",
        "  mean = mean(values), mean_low = test$conf.int[1], mean_high = test$conf.int[2], sd = sd(values),",
        paste0(
          "  mean_difference = mean(values) - mu, mean_difference_low = test$conf.int[1] ",
          "- mu, mean_difference_high = test$conf.int[2] - mu,"
        ),
        "  t = unname(test$statistic), df = unname(test$parameter), p = test$p.value,",
        paste0(
          "  cohens_d = d[[\"value\"]], cohens_d_low = d[[\"low\"]], ",
          "cohens_d_high = d[[\"high\"]], hedges_g = d[[\"g\"]]"
        ),
        ")"
      ))
    )
  }
)
