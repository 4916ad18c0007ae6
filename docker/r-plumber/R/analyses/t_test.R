# Two means (SPEC N3). Welch is the default: no test of variances chooses it (Rasch 2011, Statistical Papers 52:219).

analysis("t_test",
  title = "t test of two independent groups",
  params = list(outcome = column("numeric", "What was measured"), group = column("factor", "Groups")),
  options = list(
    var_equal = flag("Assume equal variances (Student)"),
    alternative = one_of("Alternative", c("two.sided", "less", "greater"))
  ),
  check = function(ask) {
    student <- ask$options$var_equal
    list(
      method = if (student) "Student two-sample t-test" else "Welch two-sample t-test",
      reason = if (student) "equal variances were chosen" else "default; variances not assumed equal", warnings = list()
    )
  },
  run = function(ask) {
    rows <- grouped_rows(ask, suggest = "anova")
    used <- rows$used
    if (within_is_constant(used)) {
      refuse("constant_variable", "Within each group all values are the same.", field = "params.outcome", column = ask$params$outcome, hint = "A t test needs some spread.")
    }
    chosen <- ask$entry$check(ask)
    test <- stats::t.test(outcome ~ group, data = used, var.equal = ask$options$var_equal, alternative = ask$options$alternative, conf.level = ask$conf_level)
    numbers <- described(used$outcome, used$group)
    sizes <- rows$sizes
    df <- sum(sizes) - 2
    d <- (numbers["mean", 1] - numbers["mean", 2]) / sqrt(sum((sizes - 1) * numbers["sd", ]^2) / df)
    d_ci <- d_interval(d, sizes[[1]], sizes[[2]], ask$conf_level)
    difference <- numbers["mean", 1] - numbers["mean", 2]
    digits <- ask$digits
    groups <- rows$groups
    residuals <- used$outcome - stats::ave(used$outcome, used$group)
    normality <- normality_check(residuals, "the residuals", "With 30 or more in each group this matters little; with fewer, compare with the rank test.")
    interval <- ci_words(beside(test$conf.int[1], used$outcome), beside(test$conf.int[2], used$outcome), ask$conf_level, digits)
    shown <- fmt(beside(difference, used$outcome), digits)
    side <- switch(ask$options$alternative, two.sided = "", less = ", one-sided: less", greater = ", one-sided: greater")

    result(
      method = chosen$method, reason = chosen$reason, n = rows$n,
      estimates = c(
        list(estimate("mean_difference", sprintf("Mean difference, %s minus %s", groups[1], groups[2]), difference, test$conf.int[1], test$conf.int[2], ask$conf_level)),
        group_estimates(numbers, groups, c("mean", "sd"), c("Mean", "SD"))
      ),
      statistics = list(t = test$statistic, df = test$parameter, p = test$p.value),
      effect_sizes = list(
        effect_size("cohens_d", "Cohen's d", d, d_ci[1], d_ci[2], method = "pooled SD"),
        effect_size("hedges_g", "Hedges' g", d * (1 - 3 / (4 * df - 1)), method = "d (1 - 3 / (4 df - 1))")
      ),
      tables = list(table_of("main", sprintf("%s by %s", rows$outcome, rows$group),
        list(col("group", rows$group), col("n", "n", "integer"), col("mean", "Mean", "number", digits), col("sd", "SD", "number", digits)),
        lapply(seq_along(groups), function(i) list(group = groups[i], n = sizes[[i]], mean = numbers["mean", i], sd = numbers["sd", i])),
        footnotes = c(
          sprintf("%s%s: %s(%s) = %s, p %s; mean difference %s (%s).", chosen$method, side, "t", fmt(test$parameter, 1), fmt(test$statistic), p_text(test$p.value),
            shown, interval),
          missing_note(rows$n)
        )
      )),
      assumptions = list(normality),
      recommendation = skewed_advice(normality, sizes, "Mann-Whitney test", "mann_whitney", ask$data[[ask$params$outcome]]$type == "ordered"),
      sentence = sentence(
        "The mean of ", rows$outcome, " was ", groups_sentence(numbers["mean", ], sprintf("%s (SD %s)", fmt(numbers["mean", ], digits), fmt(numbers["sd", ], digits)), groups),
        ": mean difference ", shown, " (", interval, "; ", chosen$method, side, ", ",
        it("t"), "(", fmt(test$parameter, if (ask$options$var_equal) 0 else 1), ") = ", fmt(test$statistic), ", ", p_words(test$p.value), "; ",
        it("d"), " = ", fmt(d), "; ", missing_words(rows$n), ")."
      ),
      figures = list(boxes_figure("box", used$outcome, used$group, rows$outcome, rows$group), qq_figure("qq", residuals, "Residuals")),
      script = script(c(
        rows$lines,
        sprintf("test <- t.test(outcome ~ group, data = used, var.equal = %s, alternative = %s, conf.level = %s)", ask$options$var_equal, quoted(ask$options$alternative), literal(ask$conf_level)),
        "means <- tapply(used$outcome, used$group, mean)",
        "sds <- tapply(used$outcome, used$group, sd)",
        "n <- table(used$group)",
        "df <- sum(n) - 2",
        "d <- (means[[1]] - means[[2]]) / sqrt(sum((n - 1) * sds^2) / df)",
        d_interval_code(ask$conf_level),
        "result <- list(",
        "  mean_difference = means[[1]] - means[[2]], mean_difference_low = test$conf.int[1], mean_difference_high = test$conf.int[2],",
        "  mean_1 = means[[1]], mean_2 = means[[2]], sd_1 = sds[[1]], sd_2 = sds[[2]],",
        "  t = unname(test$statistic), df = unname(test$parameter), p = test$p.value,",
        "  cohens_d = d, cohens_d_low = d_ci[1], cohens_d_high = d_ci[2], hedges_g = d * (1 - 3 / (4 * df - 1))",
        ")"
      ))
    )
  }
)

# Whether no group has any spread beside the size of its mean: t.test() and its kin stop there.
within_is_constant <- function(used) {
  spread <- tapply(used$outcome, used$group, stats::sd) / sqrt(tapply(used$outcome, used$group, length))
  sqrt(sum(spread^2)) < 10 * .Machine$double.eps * max(abs(tapply(used$outcome, used$group, mean))) || all(spread == 0)
}
