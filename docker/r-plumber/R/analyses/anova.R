# One-way analysis of variance (SPEC N3): Welch's test and Games-Howell by default, with Fisher's F.

analysis(
  "anova",
  title = "One-way analysis of variance",
  params = list(outcome = column("numeric", "What was measured"), group = column("factor", "Groups")),
  options = list(
    var_equal = flag("Assume equal variances (Fisher)"),
    post_hoc = one_of("Pairwise comparisons", c("games_howell", "tukey"))
  ),
  check = function(ask) {
    equal <- ask$options$var_equal
    list(
      method = if (equal) "Fisher's one-way ANOVA" else "Welch's one-way ANOVA",
      reason = if (equal) "equal variances were chosen" else "default; variances not assumed equal",
      warnings = list()
    )
  },
  run = function(ask) {
    rows <- grouped_rows(ask, levels = c(2, MOST_LEVELS))
    used <- rows$used
    groups <- rows$groups
    flat <- tapply(used$outcome, used$group, function(x) length(unique(x)) < 2)
    if (within_is_constant(used)) {
      refuse(
        "constant_variable",
        "Within each group all values are the same.",
        field = "params.outcome",
        column = ask$params$outcome
      )
    }
    if (any(flat) && !ask$options$var_equal) {
      refuse(
        "constant_variable",
        sprintf(
          "All values in “%s” are the same; Welch's test needs some spread in every group.",
          shortened(names(flat)[flat][1], 40)
        ),
        field = "params.outcome",
        column = ask$params$outcome,
        hint = "Leave this group out, or compare by ranks.",
        suggest = "kruskal"
      )
    }
    chosen <- ask$entry$check(ask)
    fisher <- stats::oneway.test(outcome ~ group, data = used, var.equal = TRUE)
    welch <- if (!any(flat)) stats::oneway.test(outcome ~ group, data = used)
    main <- if (ask$options$var_equal) fisher else welch
    F <- function(test) {
      list(
        F = if (is.null(test)) NA else unname(test$statistic),
        df2 = if (is.null(test)) NA else unname(test$parameter[2]),
        p = if (is.null(test)) NA else test$p.value
      )
    }
    k <- nlevels(used$group)
    df1 <- k - 1
    equal <- ask$options$var_equal
    omega <- omega_squared(main$statistic[[1]], df1, main$parameter[[2]], nrow(used), ask$conf_level)
    omega_at <- apart_digits(omega["low"], 2, 0)
    eta <- eta_squared(fisher)
    residuals <- used$outcome - stats::ave(used$outcome, used$group)
    of_mean <- levene(used$outcome, used$group, mean)
    of_median <- levene(used$outcome, used$group, stats::median)
    shapiro <- if (shapiro_can(residuals)) stats::shapiro.test(residuals)
    numbers <- described(used$outcome, used$group)
    compared <- k <= MOST_GROUPS_COMPARED
    howell <- ask$options$post_hoc == "games_howell"
    by_pairs <- if (howell) "games_howell" else "tukey_kramer"
    pairs <- if (compared) match.fun(by_pairs)(used$outcome, used$group, ask$conf_level)
    method_of_pairs <- if (howell) "Games-Howell" else "Tukey (Kramer's form)"
    digits <- rows$digits
    normality <- normality_check(
      residuals,
      "the residuals",
      "With 30 or more in each group this matters little; with fewer, compare with the rank test."
    )

    skew <- skew_check(used$outcome, used$group, groups, rows$outcome)

    result(
      method = chosen$method,
      reason = chosen$reason,
      n = rows$n,
      estimates = c(
        group_estimates(numbers, groups, c("mean", "sd"), c("Mean", "SD"), digits),
        if (compared) pair_estimates(pairs, groups, "Mean difference", ask$conf_level, digits)
      ),
      statistics = c(
        list(F = main$statistic, df1 = df1, df2 = main$parameter[2], p = main$p.value),
        list(
          F_welch = F(welch)$F,
          df2_welch = F(welch)$df2,
          p_welch = F(welch)$p,
          F_fisher = F(fisher)$F,
          df2_fisher = F(fisher)$df2,
          p_fisher = F(fisher)$p
        ),
        list(
          levene_mean_F = of_mean["F"],
          levene_mean_p = of_mean["p"],
          levene_median_F = of_median["F"],
          levene_median_p = of_median["p"]
        ),
        if (!is.null(shapiro)) list(shapiro_residuals_W = shapiro$statistic, shapiro_residuals_p = shapiro$p.value)
      ),
      effect_sizes = list(
        effect_size(
          "omega_squared",
          "Omega squared",
          omega["value"],
          omega["low"],
          if (is.na(omega["low"])) NA else 1,
          conf_level = ask$conf_level,
          side = "least",
          method = sprintf(
            "of %s F (%s); one-sided interval from noncentral F",
            if (equal) "Fisher's" else "Welch's",
            if (equal) "Hays 1963" else "Carroll and Nordholm 1975"
          )
        ),
        effect_size(
          "eta_squared",
          if (equal) "Eta squared" else "Eta squared, of Fisher's F",
          eta,
          method = "of Fisher's F"
        )
      ),
      tables = c(
        list(table_of(
          "main",
          sprintf("%s by %s", rows$outcome, rows$group),
          list(
            col("group", rows$group),
            col("n", "n", "integer"),
            col("mean", "Mean", "number", digits),
            col("sd", "SD", "number", digits)
          ),
          lapply(seq_len(k), function(i) {
            list(group = groups[i], n = rows$sizes[i], mean = numbers["mean", i], sd = numbers["sd", i])
          }),
          footnotes = c(
            sprintf(
              "%s: F(%s, %s) = %s, p %s.",
              chosen$method,
              label_of(df1),
              fixed(main$parameter[2], if (ask$options$var_equal) 0 else 1),
              fixed(main$statistic),
              p_text(main$p.value)
            ),
            missing_note(rows$n)
          )
        )),
        list(table_of(
          "tests",
          "Tests of equal means",
          list(
            col("test", "Test"),
            col("F", "F", "number"),
            col("df1", "df", "integer"),
            col("df2", "df of error", "number", 1),
            col("p", "p", "p", 3)
          ),
          list(c(list(test = "Welch", df1 = df1), F(welch)), c(list(test = "Fisher", df1 = df1), F(fisher)))
        )),
        if (compared && k > 2) {
          list(pair_table(
            pairs,
            groups,
            "Differences between pairs of groups",
            "Mean difference",
            sprintf(
              "%s; p values and intervals are adjusted for %s.",
              method_of_pairs,
              plural(nrow(pairs), "comparison")
            ),
            digits,
            ask$conf_level,
            "p, adjusted"
          ))
        }
      ),
      assumptions = c(list(normality, equal_spread(of_median, ask$options$var_equal)), skew),
      recommendation = skewed_advice(
        normality,
        rows$sizes,
        "Kruskal-Wallis test",
        "kruskal",
        ask$data[[ask$params$outcome]]$type == "ordered",
        skew
      ),
      sentence = sentence(
        begun(rows$by, "The mean of "),
        rows$said,
        " was ",
        groups_sentence(
          numbers["mean", ],
          mean_words(numbers["mean", ], numbers["sd", ], digits, rows$unit, rows$sizes),
          groups
        ),
        if (k <= 5) {
          extremes_words(numbers["mean", ], groups, fixed(numbers["mean", ], digits), told = main$p.value < ask$alpha)
        },
        " (",
        chosen$method,
        ", ",
        it("F"),
        "(",
        label_of(df1),
        ", ",
        fixed(main$parameter[2], if (ask$options$var_equal) 0 else 1),
        ") = ",
        fixed(main$statistic),
        ", ",
        p_words(main$p.value),
        "; ω² = ",
        fixed(omega["value"], omega_at),
        if (!is.na(omega["low"])) paste0(", ", ci_words(omega["low"], 1, ask$conf_level, omega_at, "least")),
        "; ",
        missing_words(rows$n),
        ").",
        if (compared && k > 2) pairs_sentence(pairs, groups, method_of_pairs, digits, ask$conf_level, rows$unit)
      ),
      figures = list(
        boxes_figure("box", used$outcome, used$group, rows$outcome, rows$group),
        qq_figure("qq", residuals, "Residuals")
      ),
      warnings = c(list(), if (!compared) list(not_compared(k, ask$params$group))),
      script = script(c(
        rows$lines,
        sprintf("conf_level <- %s", literal(ask$conf_level)),
        "fisher <- oneway.test(outcome ~ group, data = used, var.equal = TRUE)",
        if (!is.null(welch)) "welch <- oneway.test(outcome ~ group, data = used)",
        code_of(
          "eta_squared",
          "omega_squared",
          "levene",
          "described",
          "numbered",
          if (compared) c("tukey_critical", by_pairs, "pair_numbers")
        ),
        "of_mean <- levene(used$outcome, used$group, mean)",
        "of_median <- levene(used$outcome, used$group, median)",
        if (!is.null(shapiro)) "shapiro <- shapiro.test(used$outcome - ave(used$outcome, used$group))",
        "numbers <- described(used$outcome, used$group)",
        if (compared) sprintf("pairs <- %s(used$outcome, used$group, conf_level)", by_pairs),
        sprintf("main <- %s", if (equal) "fisher" else "welch"),
        "omega <- omega_squared(main$statistic[[1]], main$parameter[[1]], main$parameter[[2]], nrow(used), conf_level)",
        "result <- c(",
        "  F = main$statistic[[1]], df1 = main$parameter[[1]], df2 = main$parameter[[2]], p = main$p.value,",
        if (is.null(welch)) {
          "  F_welch = NA, df2_welch = NA, p_welch = NA,"
        } else {
          "  F_welch = welch$statistic[[1]], df2_welch = welch$parameter[[2]], p_welch = welch$p.value,"
        },
        "  F_fisher = fisher$statistic[[1]], df2_fisher = fisher$parameter[[2]], p_fisher = fisher$p.value,",
        paste0(
          "  levene_mean_F = of_mean[[\"F\"]], levene_mean_p = of_mean[[\"p\"]], levene_median_F ",
          "= of_median[[\"F\"]], levene_median_p = of_median[[\"p\"]],"
        ),
        if (!is.null(shapiro)) "  shapiro_residuals_W = shapiro$statistic[[1]], shapiro_residuals_p = shapiro$p.value,",
        paste0(
          "  omega_squared = omega[[\"value\"]], omega_squared_low = omega[[\"low\"]], ",
          "omega_squared_high = 1, eta_squared = eta_squared(fisher),"
        ),
        if (compared) "  pair_numbers(pairs),",
        paste0(numbered_code(c("mean", "sd")), c(",", "")),
        ")"
      ))
    )
  }
)

# Returns what the spread of the groups means for the chosen test.
equal_spread <- function(found, assumed) {
  test <- "Levene's test about the median (Brown-Forsythe)"
  if (is.na(found[["p"]])) {
    return(assumption(
      "equal_variances",
      test,
      "There is too little spread within the groups for the test.",
      status = "not_run"
    ))
  }
  differ <- found[["p"]] < 0.05
  text <- if (!differ) {
    "Nothing speaks against equal spread in all groups."
  } else if (assumed) {
    "The spread differs between groups, and the chosen test assumes that it does not. Run it without that assumption."
  } else {
    "The spread differs between groups. Welch's test allows for that."
  }
  assumption("equal_variances", test, text, found[["F"]], found[["p"]], if (differ && assumed) "concern" else "ok")
}

# Returns the most different pairs in words: those with the smallest adjusted p, at most three.
pairs_sentence <- function(pairs, groups, method, digits, conf_level, unit = "") {
  pairs <- pairs[!is.na(pairs$p), ]
  if (!nrow(pairs)) {
    return("")
  }
  order <- utils::head(order(pairs$p, -abs(pairs$difference)), 3)
  said <- vapply(
    order,
    function(row) {
      one <- pairs[row, ]
      at <- if (is.null(one$low)) digits else apart_digits(c(one$low, one$high), digits, 0)
      sprintf(
        "%s minus %s: %s (%s%s)",
        groups[one$first],
        groups[one$second],
        in_unit(fixed(one$difference, at), unit),
        if (is.null(one$low)) "" else paste0(ci_words(one$low, one$high, conf_level, at), ", "),
        p_words(one$p)
      )
    },
    ""
  )
  sprintf(
    " %s comparisons of pairs%s, %s values adjusted: %s.",
    method,
    if (nrow(pairs) > 3) " (those with the smallest p values)" else "",
    it("p"),
    paste(said, collapse = "; ")
  )
}
