# Two means of the same rows (SPEC N3).

analysis("paired_t",
  title = "Paired t test",
  params = list(first = column("numeric", "First measurement"), second = column("numeric", "Second measurement")),
  run = function(ask) {
    rows <- paired_rows(ask)
    used <- rows$used
    differences <- used$first - used$second
    if (stats::sd(differences) / sqrt(nrow(used)) <= 10 * .Machine$double.eps * max(abs(colMeans(used)))) {
      refuse("constant_variable", "All differences between the two measurements are the same.", field = "params.second", column = ask$params$second,
        hint = "A paired t test needs differences that differ.")
    }
    test <- stats::t.test(used$first, used$second, paired = TRUE, conf.level = ask$conf_level)
    d <- paired_d(used$first, used$second, ask$conf_level)
    means <- colMeans(used)
    sds <- c(stats::sd(used$first), stats::sd(used$second))
    difference <- mean(differences)
    digits <- ask$digits
    interval <- ci_words(beside(test$conf.int[1], unlist(used)), beside(test$conf.int[2], unlist(used)), ask$conf_level, digits)
    shown <- fmt(beside(difference, unlist(used)), digits)
    normality <- normality_check(differences, "the differences", "With 30 or more pairs this matters little; with fewer, compare with the signed-rank test.")

    result(
      method = "Paired t-test", n = rows$n,
      estimates = list(
        estimate("mean_difference", sprintf("Mean difference, %s minus %s", rows$first, rows$second), difference, test$conf.int[1], test$conf.int[2], ask$conf_level),
        estimate("mean_1", paste0("Mean, ", rows$first), means[1]), estimate("mean_2", paste0("Mean, ", rows$second), means[2]),
        estimate("sd_1", paste0("SD, ", rows$first), sds[1]), estimate("sd_2", paste0("SD, ", rows$second), sds[2]),
        estimate("sd_difference", "SD of the differences", stats::sd(differences))
      ),
      statistics = list(t = test$statistic, df = test$parameter, p = test$p.value),
      effect_sizes = list(
        effect_size("cohens_d", "Cohen's d", d["value"], d["low"], d["high"], method = "pooled SD of both measurements"),
        effect_size("hedges_g", "Hedges' g", d["g"], method = "d (1 - 3 / (4 df - 1))"),
        effect_size("cohens_dz", "Cohen's dz", d["dz"], method = "SD of the differences")
      ),
      tables = list(table_of("main", sprintf("%s and %s", rows$first, rows$second),
        list(col("measurement", "Measurement"), col("n", "n", "integer"), col("mean", "Mean", "number", digits), col("sd", "SD", "number", digits)),
        list(
          list(measurement = rows$first, n = nrow(used), mean = means[[1]], sd = sds[1]), list(measurement = rows$second, n = nrow(used), mean = means[[2]], sd = sds[2]),
          list(measurement = "Difference", n = nrow(used), mean = difference, sd = stats::sd(differences))
        ),
        footnotes = c(sprintf("Paired t-test: t(%s) = %s, p %s; mean difference %s (%s).", label_of(test$parameter), fmt(test$statistic), p_text(test$p.value), shown, interval), missing_note(rows$n))
      )),
      assumptions = list(normality),
      recommendation = skewed_advice(normality, nrow(used), "Wilcoxon signed-rank test", "wilcoxon",
        any(vapply(unlist(ask$params), function(id) ask$data[[id]]$type == "ordered", NA))),
      sentence = sentence(
        "The mean was ", fmt(means[1], digits), " (SD ", fmt(sds[1], digits), ") for ", rows$first, " and ", fmt(means[2], digits), " (SD ", fmt(sds[2], digits), ") for ", rows$second,
        ": mean difference ", shown, " (", interval, "; paired t-test, ", it("t"), "(", label_of(test$parameter), ") = ", fmt(test$statistic), ", ", p_words(test$p.value), "; ",
        it("d"), " = ", fmt(d["value"]), "; ", missing_words(rows$n), ")."
      ),
      figures = list(pairs_figure(used, rows$first, rows$second), qq_figure("qq", differences, "Differences")),
      script = script(c(
        rows$lines,
        sprintf("conf_level <- %s", literal(ask$conf_level)),
        "test <- t.test(used$first, used$second, paired = TRUE, conf.level = conf_level)",
        code_of("paired_d"),
        "d <- paired_d(used$first, used$second, conf_level)",
        "result <- list(",
        "  mean_difference = mean(used$first - used$second), mean_difference_low = test$conf.int[1], mean_difference_high = test$conf.int[2],",
        "  mean_1 = mean(used$first), mean_2 = mean(used$second), sd_1 = sd(used$first), sd_2 = sd(used$second), sd_difference = sd(used$first - used$second),",
        "  t = unname(test$statistic), df = unname(test$parameter), p = test$p.value,",
        "  cohens_d = d[[\"value\"]], cohens_d_low = d[[\"low\"]], cohens_d_high = d[[\"high\"]], hedges_g = d[[\"g\"]], cohens_dz = d[[\"dz\"]]",
        ")"
      ))
    )
  }
)
