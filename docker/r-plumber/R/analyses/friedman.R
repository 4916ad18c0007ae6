# Friedman's test of three or more measurements of the same rows (SPEC N3).

analysis(
  "friedman",
  title = "Friedman test of repeated measurements",
  params = list(columns = columns("any", "Measurements, in order", least = 2, most = 20)),
  run = function(ask) {
    ids <- ask$params$columns
    if (length(ids) < 3) {
      refuse(
        "group_levels",
        "The Friedman test compares three or more measurements, found two.",
        field = "params.columns",
        hint = "Use the Wilcoxon signed-rank test.",
        suggest = "wilcoxon"
      )
    }
    measured <- lapply(ids, function(id) measured_of(ask, "columns", id, ordinal = TRUE))
    scale <- shared_scale(ask, ids, measured, "columns")
    columns <- if (is.null(scale)) {
      lapply(measured, `[[`, "values")
    } else {
      lapply(ids, function(id) as.numeric(factor(labels_of(ask$data[[id]]$values), levels = scale)))
    }
    names(columns) <- ids
    rows <- do.call(complete, c(columns, least = 3))
    values <- unname(as.matrix(rows$used))
    if (all(apply(values, 1, function(row) length(unique(row)) == 1))) {
      refuse(
        "constant_variable",
        "In every row all measurements are the same.",
        field = "params.columns",
        hint = "There is no difference to test."
      )
    }
    test <- friedman_numbers(values)
    k <- length(ids)
    n <- nrow(values)
    kendall <- test$kendalls_w
    names <- vapply(ids, function(id) label(ask$data[[id]]$name), "", USE.NAMES = FALSE)
    column <- factor(rep(seq_len(k), each = n))
    numbers <- described(as.vector(values), column)
    pairs <- wilcoxon_holm(values)
    digits <- max(vapply(seq_len(k), function(i) precision_of(values[, i], ask$digits), 0))
    said <- level_words(vapply(ids, function(id) said_of(ask, id = id), ""), 80)
    unit <- shared_unit(ask, ids)
    shown <- median_words(numbers, scale, digits, unit, NULL)
    code <- if (is.null(scale)) {
      vapply(measured, `[[`, "", "code")
    } else {
      sprintf("as.numeric(%s)", vapply(ids, function(id) factor_code(ask, id, scale), ""))
    }

    result(
      method = "Friedman test",
      n = rows$n,
      estimates = c(
        group_estimates(
          rbind(numbers, rank = test$ranks),
          names,
          c("median", "q1", "q3", "rank"),
          c("Median", "First quartile", "Third quartile", "Mean rank"),
          digits
        ),
        pair_estimates(pairs, names, "Median of differences", ask$conf_level, digits)
      ),
      statistics = test[c("chi_squared", "df", "p")],
      effect_sizes = list(effect_size("kendalls_w", "Kendall's W", kendall, method = "chi squared / (n (k - 1))")),
      tables = list(
        table_of(
          "main",
          "Repeated measurements",
          c(median_columns("measurement", "Measurement", scale, digits), list(col("rank", "Mean rank", "number"))),
          lapply(seq_len(k), function(i) {
            c(
              list(measurement = names[i], n = n),
              median_cells(numbers[, i], scale, digits),
              list(rank = test$ranks[i])
            )
          }),
          footnotes = c(
            sprintf("Friedman test: χ²(%s) = %s, p %s.", label_of(test$df), fixed(test$chi_squared), p_text(test$p)),
            missing_note(rows$n)
          )
        ),
        pair_table(
          pairs,
          names,
          "Differences between pairs of measurements",
          "Median of differences",
          sprintf(
            "Wilcoxon signed-rank tests; p values are adjusted for %s by Holm's method.",
            plural(nrow(pairs), "comparison")
          ),
          digits,
          ask$conf_level,
          "p, adjusted"
        )
      ),
      assumptions = list(assumption(
        "approximation",
        "Number of rows",
        if (n < 10) {
          "With fewer than ten rows the p value from the chi-squared distribution is rough."
        } else {
          "There are enough rows for the p value from the chi-squared distribution."
        },
        n,
        status = if (n < 10) "concern" else "ok"
      )),
      sentence = sentence(
        "The median was ",
        groups_sentence(numbers["median", ], shown, said, joint = "for"),
        if (k <= 5) extremes_words(numbers["median", ], said, shown, "for", told = test$p < ask$alpha),
        " (Friedman test, ",
        it("χ²"),
        "(",
        label_of(test$df),
        ") = ",
        fixed(test$chi_squared),
        ", ",
        p_words(test$p),
        "; Kendall's ",
        it("W"),
        " = ",
        fixed(kendall),
        "; ",
        missing_words(rows$n, "subject"),
        ")."
      ),
      figures = list(boxes_figure(
        "box",
        as.vector(values),
        factor(column, labels = make.unique(names)),
        "Measured value",
        "Measurement",
        row = rep(seq_len(n), k),
        caption = "Repeated measurements. Boxes show quartiles and median; lines join the values of a row"
      )),
      script = script(c(
        "values <- na.omit(data.frame(",
        paste0("  ", ids, " = ", code, c(rep(",", k - 1), "")),
        "))",
        "values <- unname(as.matrix(values))",
        code_of("friedman_numbers", "described", "numbered", "wilcoxon_holm", "pair_numbers"),
        "test <- friedman_numbers(values)",
        "numbers <- described(as.vector(values), factor(rep(seq_len(ncol(values)), each = nrow(values))))",
        "result <- c(",
        "  unlist(test[c(\"chi_squared\", \"df\", \"p\", \"kendalls_w\")]),",
        "  pair_numbers(wilcoxon_holm(values)),",
        "  numbered(\"rank\", test$ranks),",
        paste0(numbered_code(c("median", "q1", "q3")), c(",", ",", "")),
        ")"
      ))
    )
  }
)

# Friedman's statistic with its correction for ties (Hollander and Wolfe 1973, p. 140). friedman.test() has the same but
# takes minutes for tens of thousands of rows: here the ranks come from comparing columns, not from ranking each row.
friedman_numbers <- function(values) {
  n <- nrow(values)
  k <- ncol(values)
  same <- lapply(seq_len(k), function(j) rowSums(values == values[, j]))
  ranks <- sapply(seq_len(k), function(j) rowSums(values < values[, j]) + (same[[j]] + 1) / 2)
  tied <- sum(Reduce(`+`, lapply(same, function(count) count^2 - 1)))
  chi_squared <- 12 * sum((colSums(ranks) - n * (k + 1) / 2)^2) / (n * k * (k + 1) - tied / (k - 1))
  list(
    chi_squared = chi_squared,
    df = k - 1,
    p = stats::pchisq(chi_squared, k - 1, lower.tail = FALSE),
    ranks = colMeans(ranks),
    kendalls_w = chi_squared / (n * (k - 1))
  )
}
