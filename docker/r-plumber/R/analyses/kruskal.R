# Kruskal-Wallis test of several groups (SPEC N3), with Dunn's pairwise comparisons.

analysis(
  "kruskal",
  title = "Kruskal-Wallis test of several groups",
  params = list(outcome = column("any", "What was measured"), group = column("factor", "Groups")),
  run = function(ask) {
    rows <- grouped_rows(ask, levels = c(2, MOST_LEVELS), least = 3, least_each = 1, ordinal = TRUE)
    used <- rows$used
    groups <- rows$groups
    scale <- rows$scale
    test <- stats::kruskal.test(used$outcome, used$group)
    epsilon <- unname(test$statistic) / (nrow(used) - 1)
    numbers <- described(used$outcome, used$group)
    k <- nlevels(used$group)
    compared <- k <= MOST_GROUPS_COMPARED
    pairs <- if (compared) dunn_holm(used$outcome, used$group)
    digits <- rows$digits
    small <- any(rows$sizes < 5)
    spread <- median_words(numbers, scale, digits, rows$unit)

    result(
      method = "Kruskal-Wallis test",
      n = rows$n,
      estimates = c(
        group_estimates(
          numbers,
          groups,
          c("median", "q1", "q3"),
          c("Median", "First quartile", "Third quartile"),
          digits
        ),
        if (compared) pair_estimates(pairs, groups, "Difference of mean ranks", ask$conf_level)
      ),
      statistics = list(chi_squared = test$statistic, df = test$parameter, p = test$p.value),
      effect_sizes = list(effect_size(
        "epsilon_squared",
        "Epsilon squared",
        epsilon,
        method = "chi squared / (n - 1) (Tomczak and Tomczak 2014)"
      )),
      tables = c(
        list(table_of(
          "main",
          sprintf("%s by %s", rows$outcome, rows$group),
          median_columns("group", rows$group, scale, digits),
          lapply(seq_len(k), function(i) {
            c(list(group = groups[i], n = rows$sizes[i]), median_cells(numbers[, i], scale, digits))
          }),
          footnotes = c(
            sprintf(
              "Kruskal-Wallis test: χ²(%s) = %s, p %s.",
              label_of(test$parameter),
              fixed(test$statistic),
              p_text(test$p.value)
            ),
            missing_note(rows$n)
          )
        )),
        if (compared && k > 2) {
          list(pair_table(
            pairs,
            groups,
            "Differences between pairs of groups",
            "Difference of mean ranks",
            sprintf("Dunn's test; p values are adjusted for %s by Holm's method.", plural(nrow(pairs), "comparison")),
            digits,
            ask$conf_level,
            "p, adjusted"
          ))
        }
      ),
      assumptions = list(assumption(
        "approximation",
        "Size of the groups",
        if (small) {
          "A group has fewer than five values: the p value from the chi-squared distribution is rough there."
        } else {
          "All groups have five values or more, so that the p value from the chi-squared distribution holds."
        },
        min(rows$sizes),
        status = if (small) "concern" else "ok"
      )),
      sentence = sentence(
        begun(rows$by, "The median of "),
        rows$said,
        " was ",
        groups_sentence(numbers["median", ], spread, groups),
        if (k <= 5) extremes_words(numbers["median", ], groups, spread, told = test$p.value < ask$alpha),
        " (Kruskal-Wallis test, ",
        it("χ²"),
        "(",
        label_of(test$parameter),
        ") = ",
        fixed(test$statistic),
        ", ",
        p_words(test$p.value),
        "; ε² = ",
        fixed(epsilon),
        "; ",
        missing_words(rows$n),
        ").",
        if (compared && k > 2) {
          order <- utils::head(order(pairs$p), 3)
          sprintf(
            " Dunn's comparisons of pairs%s, %s values adjusted by Holm's method: %s.",
            if (nrow(pairs) > 3) " (those with the smallest p values)" else "",
            it("p"),
            paste(
              sprintf(
                "%s and %s, %s",
                groups[pairs$first[order]],
                groups[pairs$second[order]],
                vapply(pairs$p[order], p_words, "")
              ),
              collapse = "; "
            )
          )
        }
      ),
      figures = list(boxes_figure("box", used$outcome, used$group, rows$outcome, rows$group)),
      warnings = c(list(), if (!compared) list(not_compared(k, ask$params$group))),
      script = script(c(
        rows$lines,
        "test <- kruskal.test(used$outcome, used$group)",
        code_of("described"),
        code_of("numbered"),
        if (compared) c(code_of("dunn_holm"), code_of("pair_numbers")),
        "numbers <- described(used$outcome, used$group)",
        "result <- c(",
        paste0(
          "  chi_squared = test$statistic[[1]], df = test$parameter[[1]], p = test$p.value, ",
          "epsilon_squared = test$statistic[[1]] / (nrow(used) - 1),"
        ),
        if (compared) "  pair_numbers(dunn_holm(used$outcome, used$group)),",
        paste0(numbered_code(c("median", "q1", "q3")), c(",", ",", "")),
        ")"
      ))
    )
  }
)
