# Mann-Whitney test of two groups (SPEC N3): for ordinal outcomes, and with the t test if values are skewed.

analysis(
  "mann_whitney",
  title = "Mann-Whitney U test of two independent groups",
  params = list(outcome = column("any", "What was measured"), group = column("factor", "Groups")),
  run = function(ask) {
    rows <- grouped_rows(ask, suggest = "kruskal", least = 3, least_each = 1, ordinal = TRUE)
    used <- rows$used
    first <- used$outcome[used$group == levels(used$group)[1]]
    second <- used$outcome[used$group == levels(used$group)[2]]
    exact <- length(first) < 50 && length(second) < 50 && !anyDuplicated(used$outcome)
    found <- rank_sum(first, second, ask$conf_level)
    biserial <- rank_biserial(first, second, found[["W"]], found[["p"]], ask$conf_level)
    numbers <- described(used$outcome, used$group)
    digits <- rows$digits
    groups <- rows$groups
    scale <- rows$scale
    method <- if (exact) "Mann-Whitney U test (exact)" else "Mann-Whitney U test (normal approximation)"
    spread <- median_words(numbers, scale, digits, rows$unit)
    near <- vapply(found[c("shift", "low", "high")], beside, 0, values = used$outcome)
    at <- apart_digits(near[-1], digits, 0)
    open <- open_end(found[c("low", "high")], found[["p"]], ask$conf_level)
    W <- fixed(found["W"], if (found["W"] == round(found["W"])) 0 else 1)
    shift <- is.null(scale) && !is.na(found[["low"]])

    result(
      method = method,
      n = rows$n,
      reason = if (exact) {
        "exact, as no values are equal and each group has fewer than 50"
      } else {
        "normal approximation with continuity correction, as values are equal or a group has 50 or more"
      },
      estimates = rank_estimates(found, groups, numbers, scale, digits, at, open, ask$conf_level),
      statistics = as.list(found[c("W", "p", "p_greater", "p_less", "p_asymptotic", "p_greater_asymptotic")]),
      effect_sizes = list(rank_effect(biserial, ask$conf_level, "2 W / (n1 n2) - 1")),
      tables = list(table_of(
        "main",
        sprintf("%s by %s", rows$outcome, rows$group),
        median_columns("group", rows$group, scale, digits),
        lapply(seq_along(groups), function(i) {
          c(list(group = groups[i], n = rows$sizes[i]), median_cells(numbers[, i], scale, digits))
        }),
        footnotes = c(sprintf("%s, two-sided: W = %s, p %s.", method, W, p_text(found[["p"]])), missing_note(rows$n))
      )),
      sentence = sentence(
        begun(rows$by, "The median of "),
        rows$said,
        " was ",
        groups_sentence(numbers["median", ], spread, groups),
        ranked_words(biserial[["value"]], groups, told = found[["p"]] < ask$alpha),
        if (shift) {
          sprintf(
            ": %s (%s; ",
            minus_words("Hodges-Lehmann difference", groups, in_unit(fixed(near[1], at), rows$unit)),
            ci_words(near[2], near[3], ask$conf_level, at, open = open)
          )
        } else {
          " ("
        },
        method,
        ", two-sided, ",
        it("W"),
        " = ",
        W,
        ", ",
        p_words(found[["p"]]),
        "; rank-biserial correlation ",
        fixed(biserial["value"]),
        "; ",
        missing_words(rows$n),
        ")."
      ),
      assumptions = list(assumption(
        "shape",
        "Look at the box plot",
        "Read as a difference of medians only where both groups have a like shape; the test itself compares ranks.",
        status = "not_run"
      )),
      figures = list(boxes_figure("box", used$outcome, used$group, rows$outcome, rows$group)),
      script = script(c(
        rows$lines,
        sprintf("conf_level <- %s", literal(ask$conf_level)),
        "first <- used$outcome[used$group == levels(group)[1]]",
        "second <- used$outcome[used$group == levels(group)[2]]",
        code_of("is_rejected"),
        code_of("settled"),
        code_of("coefficient_interval"),
        code_of("halving"),
        code_of("place_interval"),
        code_of("rank_sum"),
        code_of("rank_biserial"),
        code_of("described"),
        code_of("numbered"),
        "found <- rank_sum(first, second, conf_level)",
        "r <- rank_biserial(first, second, found[[\"W\"]], found[[\"p\"]], conf_level)",
        "numbers <- described(used$outcome, used$group)",
        "result <- c(",
        "  found[c(\"W\", \"p\", \"p_greater\", \"p_less\", \"p_asymptotic\", \"p_greater_asymptotic\")],",
        if (is.null(scale)) {
          paste0(
            "  median_difference = found[[\"shift\"]], median_difference_low ",
            "= found[[\"low\"]], median_difference_high = found[[\"high\"]],"
          )
        },
        "  rank_biserial = r[[\"value\"]], rank_biserial_low = r[[\"low\"]], rank_biserial_high = r[[\"high\"]],",
        paste0(numbered_code(c("median", "q1", "q3")), c(",", ",", "")),
        ")"
      ))
    )
  }
)

# Wilcoxon's rank sum test as in wilcox.test(): W of the first group, two-sided and one-sided p, p without continuity
# correction, and the location difference with its interval (NA if R has none: all values equal, or too few).
rank_sum <- function(first, second, conf_level) {
  p_of <- function(...) suppressWarnings(stats::wilcox.test(first, second, ...))$p.value
  test <- suppressWarnings(stats::wilcox.test(first, second))
  place <- tryCatch(
    suppressWarnings(stats::wilcox.test(first, second, conf.int = TRUE, conf.level = conf_level)),
    error = function(problem) NULL
  )
  interval <- if (is.null(place)) c(NA, NA) else place$conf.int
  achieved <- attr(interval, "conf.level")
  if (!is.null(achieved) && achieved < conf_level) {
    interval <- c(NA, NA)
  }
  interval <- place_interval(interval, test$p.value, conf_level, diff(range(first, second)))
  c(
    W = unname(test$statistic),
    p = test$p.value,
    p_greater = p_of(alternative = "greater"),
    p_less = p_of(alternative = "less"),
    p_asymptotic = p_of(exact = FALSE, correct = FALSE),
    p_greater_asymptotic = p_of(alternative = "greater", exact = FALSE, correct = FALSE),
    shift = if (is.null(place)) NA else unname(place$estimate),
    low = interval[1],
    high = interval[2]
  )
}
