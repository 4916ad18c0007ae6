# One mean against a value that was known beforehand (SPEC N3).

analysis("one_sample_t",
  title = "t test of one mean against a known value",
  params = list(outcome = column("numeric", "What was measured")),
  options = list(mu = number("Value to compare with", default = 0)),
  run = function(ask) {
    rows <- complete(values = bounded_of(ask, "outcome"), least = 2)
    values <- rows$used$values
    refuse_constant(ask, values, "outcome")
    if (stats::sd(values) / sqrt(length(values)) <= 10 * .Machine$double.eps * abs(mean(values))) {
      refuse("constant_variable", sprintf("All values of %s are all but the same.", name_of(ask, "outcome")), field = "params.outcome", column = ask$params$outcome)
    }
    mu <- ask$options$mu
    test <- stats::t.test(values, mu = mu, conf.level = ask$conf_level)
    d <- one_sample_d(values, mu, ask$conf_level)
    outcome <- label(name_of(ask, "outcome"))
    digits <- ask$digits
    average <- mean(values)
    interval <- ci_words(test$conf.int[1], test$conf.int[2], ask$conf_level, digits)
    normality <- normality_check(values, "the values", "With 30 or more values this matters little; with fewer, compare with a rank test.")

    result(
      method = "One-sample t-test", n = rows$n,
      estimates = list(
        estimate("mean", paste("Mean of", outcome), average, test$conf.int[1], test$conf.int[2], ask$conf_level),
        estimate("sd", "SD", stats::sd(values)),
        estimate("mean_difference", sprintf("Mean minus %s", label_of(mu)), average - mu, test$conf.int[1] - mu, test$conf.int[2] - mu, ask$conf_level)
      ),
      statistics = list(t = test$statistic, df = test$parameter, p = test$p.value),
      effect_sizes = list(
        effect_size("cohens_d", "Cohen's d", d["value"], d["low"], d["high"], method = "SD of the sample"),
        effect_size("hedges_g", "Hedges' g", d["g"], method = "d (1 - 3 / (4 df - 1))")
      ),
      tables = list(table_of("main", outcome,
        list(col("variable", "Variable"), col("n", "n", "integer"), col("mean", "Mean", "number", digits), col("sd", "SD", "number", digits),
          col("difference", sprintf("Mean minus %s", label_of(mu)), "number", digits), col("p", "p", "p", 3)),
        list(list(variable = outcome, n = rows$n$used, mean = average, sd = stats::sd(values), difference = average - mu, p = test$p.value)),
        footnotes = c(sprintf("One-sample t-test against %s: t(%s) = %s, mean %s (%s).", label_of(mu), label_of(test$parameter), fmt(test$statistic), fmt(average, digits), interval), missing_note(rows$n))
      )),
      assumptions = list(normality),
      sentence = sentence(
        "The mean of ", outcome, " was ", fmt(average, digits), " (SD ", fmt(stats::sd(values), digits), "; ", interval, "), compared with ", sub("-", "−", label_of(mu), fixed = TRUE), " (one-sample t-test, ",
        it("t"), "(", label_of(test$parameter), ") = ", fmt(test$statistic), ", ", p_words(test$p.value), "; ", it("d"), " = ", fmt(d["value"]), "; ", missing_words(rows$n), ")."
      ),
      figures = list(histogram_figure("histogram", values, outcome, marks = c(Mean = average, stats::setNames(mu, paste("Compared with", label_of(mu))))), qq_figure("qq", values, outcome)),
      script = script(c(
        sprintf("values <- as.numeric(na.omit(%s))", numeric_code(ask, ask$params$outcome)),
        sprintf("mu <- %s", literal(mu)),
        sprintf("conf_level <- %s", literal(ask$conf_level)),
        "test <- t.test(values, mu = mu, conf.level = conf_level)",
        code_of("one_sample_d"),
        "d <- one_sample_d(values, mu, conf_level)",
        "result <- list(",
        "  mean = mean(values), mean_low = test$conf.int[1], mean_high = test$conf.int[2], sd = sd(values),",
        "  mean_difference = mean(values) - mu, mean_difference_low = test$conf.int[1] - mu, mean_difference_high = test$conf.int[2] - mu,",
        "  t = unname(test$statistic), df = unname(test$parameter), p = test$p.value,",
        "  cohens_d = d[[\"value\"]], cohens_d_low = d[[\"low\"]], cohens_d_high = d[[\"high\"]], hedges_g = d[[\"g\"]]",
        ")"
      ))
    )
  }
)
