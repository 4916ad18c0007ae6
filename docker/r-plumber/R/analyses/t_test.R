# Two-sample t test (SPEC N3). Welch is the default: no test of variances chooses it (Rasch 2011, Statistical Papers
# 52:219).

analysis(
  "t_test",
  title = "t test of two independent groups",
  params = list(outcome = column("numeric", "What was measured"), group = column("factor", "Groups")),
  options = list(
    var_equal = flag("Assume equal variances (Student)"),
    alternative = one_of("Alternative hypothesis", c("two.sided", "less", "greater"))
  ),
  check = function(ask) {
    student <- ask$options$var_equal
    list(
      method = if (student) "Student two-sample t-test" else "Welch two-sample t-test",
      reason = if (student) "equal variances were chosen" else "default; variances not assumed equal",
      warnings = list()
    )
  },
  run = function(ask) {
    rows <- grouped_rows(ask, suggest = "anova")
    used <- rows$used
    if (within_is_constant(used)) {
      refuse(
        "constant_variable",
        "Within each group all values are the same.",
        field = "params.outcome",
        column = ask$params$outcome,
        hint = "A t test needs some spread."
      )
    }
    chosen <- ask$entry$check(ask)
    test <- stats::t.test(
      outcome ~ group,
      data = used,
      var.equal = ask$options$var_equal,
      alternative = ask$options$alternative,
      conf.level = ask$conf_level
    )
    numbers <- described(used$outcome, used$group)
    sizes <- rows$sizes
    alternative <- ask$options$alternative
    d <- two_sample_d(used$outcome, used$group, test, ask$conf_level, alternative)
    one_sided <- if (alternative != "two.sided") alternative
    difference <- numbers["mean", 1] - numbers["mean", 2]
    digits <- rows$digits
    groups <- rows$groups
    residuals <- used$outcome - stats::ave(used$outcome, used$group)
    normality <- normality_check(
      residuals,
      "the residuals",
      "With 30 or more in each group this matters little; with fewer, compare with the rank test."
    )
    skew <- skew_check(used$outcome, used$group, groups, rows$outcome)
    ends <- as.numeric(test$conf.int)
    at <- apart_digits(ends, digits, 0)
    interval <- ci_words(ends[1], ends[2], ask$conf_level, at, alternative)
    shown <- fixed(difference, at)
    side <- side_words(alternative, groups[1], groups[2], "a higher mean")

    result(
      method = chosen$method,
      reason = chosen$reason,
      n = rows$n,
      estimates = c(
        list(estimate(
          "mean_difference",
          sprintf("Mean difference, %s minus %s", groups[1], groups[2]),
          difference,
          test$conf.int[1],
          test$conf.int[2],
          ask$conf_level,
          digits = at,
          side = one_sided
        )),
        group_estimates(numbers, groups, c("mean", "sd"), c("Mean", "SD"), digits)
      ),
      statistics = list(t = test$statistic, df = test$parameter, p = test$p.value),
      effect_sizes = list(
        effect_size(
          "cohens_d",
          "Cohen's d",
          d["value"],
          d["low"],
          d["high"],
          method = "pooled SD; interval from noncentral t of the test",
          conf_level = ask$conf_level,
          side = one_sided
        ),
        effect_size("hedges_g", "Hedges' g", d["g"], method = "d (1 - 3 / (4 df - 1))")
      ),
      tables = list(table_of(
        "main",
        sprintf("%s by %s", rows$outcome, rows$group),
        list(
          col("group", rows$group),
          col("n", "n", "integer"),
          col("mean", "Mean", "number", digits),
          col("sd", "SD", "number", digits)
        ),
        lapply(seq_along(groups), function(i) {
          list(group = groups[i], n = sizes[[i]], mean = numbers["mean", i], sd = numbers["sd", i])
        }),
        footnotes = c(
          sprintf(
            "%s, %s: t(%s) = %s, p %s; mean difference (%s minus %s) %s (%s).",
            chosen$method,
            side,
            fixed(test$parameter, if (ask$options$var_equal) 0 else 1),
            fixed(test$statistic),
            p_text(test$p.value),
            groups[1],
            groups[2],
            shown,
            interval
          ),
          missing_note(rows$n)
        )
      )),
      assumptions = c(list(normality), skew),
      recommendation = skewed_advice(
        normality,
        sizes,
        "Mann-Whitney test",
        "mann_whitney",
        ask$data[[ask$params$outcome]]$type == "ordered",
        skew
      ),
      sentence = sentence(
        begun(rows$by, "The mean of "),
        rows$said,
        " was ",
        groups_sentence(
          numbers["mean", ],
          mean_words(numbers["mean", ], numbers["sd", ], digits, rows$unit, sizes),
          groups
        ),
        direction_words(numbers["mean", ], groups, fixed(numbers["mean", ], digits), told = test$p.value < ask$alpha),
        ": ",
        minus_words("mean difference", groups, in_unit(shown, rows$unit)),
        " (",
        interval,
        "; ",
        chosen$method,
        ", ",
        side,
        ", ",
        it("t"),
        "(",
        fixed(test$parameter, if (ask$options$var_equal) 0 else 1),
        ") = ",
        fixed(test$statistic),
        ", ",
        p_words(test$p.value),
        "; ",
        "Cohen's ",
        it("d"),
        " = ",
        fixed(d["value"]),
        "; ",
        missing_words(rows$n),
        ")."
      ),
      figures = list(
        boxes_figure("box", used$outcome, used$group, rows$outcome, rows$group),
        qq_figure("qq", residuals, "Residuals")
      ),
      script = script(c(
        rows$lines,
        sprintf(
          "test <- t.test(outcome ~ group, data = used, var.equal = %s, alternative = %s, conf.level = %s)",
          ask$options$var_equal,
          quoted(ask$options$alternative),
          literal(ask$conf_level)
        ),
        "means <- tapply(used$outcome, used$group, mean)",
        "sds <- tapply(used$outcome, used$group, sd)",
        code_of("tail_of", "noncentral_t", "two_sample_d"),
        sprintf(
          "d <- two_sample_d(used$outcome, used$group, test, %s, %s)",
          literal(ask$conf_level),
          quoted(alternative)
        ),
        "result <- list(",
        paste0(
          "  mean_difference = means[[1]] - means[[2]], mean_difference_low ",
          "= test$conf.int[1], mean_difference_high = test$conf.int[2],"
        ),
        "  mean_1 = means[[1]], mean_2 = means[[2]], sd_1 = sds[[1]], sd_2 = sds[[2]],",
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

# Returns whether no group has any spread relative to its mean: t.test() and similar functions fail then.
within_is_constant <- function(used) {
  spread <- tapply(used$outcome, used$group, stats::sd) / sqrt(tapply(used$outcome, used$group, length))
  sqrt(sum(spread^2)) < 10 * .Machine$double.eps * max(abs(tapply(used$outcome, used$group, mean))) || all(spread == 0)
}
