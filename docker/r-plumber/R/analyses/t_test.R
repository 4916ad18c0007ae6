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
    group <- factor_of(ask, "group", levels = c(2, 2), suggest = "anova")
    rows <- complete(outcome = numeric_of(ask, "outcome"), group = group, by = "group", least = 4)
    used <- rows$used
    if (nlevels(used$group) < 2) refuse("group_levels", "Only one group is left once incomplete rows are out.", field = "params.group", column = ask$params$group)
    refuse_constant(ask, used$outcome, "outcome")
    sizes <- table(used$group)
    if (any(sizes < 2)) refuse("too_few_observations", "Each group needs at least 2 values.", field = "params.group", column = ask$params$group)
    if (all(tapply(used$outcome, used$group, stats::var) == 0)) refuse("constant_variable", "Within each group all values are the same.", field = "params.outcome", column = ask$params$outcome)

    chosen <- ask$entry$check(ask)
    test <- stats::t.test(outcome ~ group, data = used, var.equal = ask$options$var_equal, alternative = ask$options$alternative, conf.level = ask$conf_level)
    means <- tapply(used$outcome, used$group, mean)
    sds <- tapply(used$outcome, used$group, stats::sd)
    df <- sum(sizes) - 2
    pooled <- sqrt(sum((sizes - 1) * sds^2) / df)
    d <- unname((means[1] - means[2]) / pooled)
    d_ci <- d_interval(d, sizes[[1]], sizes[[2]], ask$conf_level)
    g <- d * (1 - 3 / (4 * df - 1))
    difference <- unname(test$estimate[1] - test$estimate[2])
    outcome <- label(name_of(ask, "outcome"))
    groups <- vapply(levels(used$group), label, "")

    result(
      method = chosen$method, reason = chosen$reason, n = rows$n,
      estimates = list(
        estimate("mean_difference", sprintf("Mean difference, %s minus %s", groups[1], groups[2]), difference, test$conf.int[1], test$conf.int[2], ask$conf_level),
        estimate("mean_1", sprintf("Mean, %s", groups[1]), means[1]), estimate("mean_2", sprintf("Mean, %s", groups[2]), means[2]),
        estimate("sd_1", sprintf("SD, %s", groups[1]), sds[1]), estimate("sd_2", sprintf("SD, %s", groups[2]), sds[2])
      ),
      statistics = list(t = test$statistic, df = test$parameter, p = test$p.value),
      effect_sizes = list(
        effect_size("cohens_d", "Cohen's d", d, d_ci[1], d_ci[2], method = "pooled SD"),
        effect_size("hedges_g", "Hedges' g", g, method = "d (1 - 3 / (4 df - 1))")
      ),
      tables = list(table_of("main", sprintf("%s by %s", outcome, label(name_of(ask, "group"))),
        list(col("group", "Group"), col("n", "n", "integer"), col("mean", "Mean", "number"), col("sd", "SD", "number")),
        lapply(seq_along(groups), function(i) list(group = groups[i], n = sizes[[i]], mean = means[[i]], sd = sds[[i]])),
        footnotes = c(chosen$method, missing_note(rows$n))
      )),
      assumptions = normality_of_residuals(used$outcome - stats::ave(used$outcome, used$group)),
      sentence = sentence(
        outcome, " was ", fmt(means[1], ask$digits), " (SD ", fmt(sds[1], ask$digits), ") in ", groups[1], " and ", fmt(means[2], ask$digits), " (SD ",
        fmt(sds[2], ask$digits), ") in ", groups[2], ": mean difference ", fmt(difference, ask$digits), " (", ci_words(test$conf.int[1], test$conf.int[2], ask$conf_level, ask$digits),
        "; ", chosen$method, ", ", it("t"), "(", fmt(test$parameter, 1), ") = ", fmt(test$statistic, 2), ", ", p_words(test$p.value), "; ", it("d"), " = ", fmt(d, 2), "; ", missing_words(rows$n), ")."
      ),
      figures = list(box_figure("box", used$outcome, used$group, outcome, label(name_of(ask, "group")))),
      script = script(c(
        sprintf("outcome <- %s", numeric_code(ask, ask$params$outcome)),
        sprintf("group <- %s", factor_code(ask, ask$params$group, levels(used$group))),
        "used <- na.omit(data.frame(outcome, group))",
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
