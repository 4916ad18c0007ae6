# Association of two categorical variables (SPEC N3): Pearson's chi-square without correction, or Fisher's exact test if
# an expected count is below 5.

# Parameters of all tests of count tables (also fisher.R and mcnemar.R). They are in this file because files are sourced
# in the order of their names.
COUNT_PARAMS <- list(
  row = column("factor", "Rows", required = FALSE),
  column = column("factor", "Columns", required = FALSE),
  counts = counts("Counts, row by row")
)

analysis(
  "chi_square",
  title = "Chi-square test of two groupings",
  params = COUNT_PARAMS,
  check = function(ask) chi_square_choice(counted(ask)),
  run = function(ask) {
    found <- counted(ask)
    refuse_empty(found)
    chosen <- chi_square_choice(found)
    counts <- found$counts
    small <- length(chosen$warnings) > 0
    numbers <- chi_square_numbers(counts, ask$conf_level, exact = small)
    df <- numbers[["df"]]
    least <- fixed(numbers[["expected_min"]], 1)
    two <- all(dim(counts) == 2)
    exact <- if (!small) {
      list(p = numbers[["p_chi_squared"]], simulated = FALSE)
    } else if (two) {
      list(p = stats::fisher.test(counts)$p.value, simulated = FALSE)
    } else {
      fisher_rc(counts)
    }
    v <- cramer(numbers, ask$conf_level)
    estimates <- if (two) two_by_two(found, ask$conf_level) else list()
    # The intervals of the score test would not agree with Fisher's p.
    if (two && small) {
      estimates <- c(
        list(exact_ratio(found, exact$p, "two.sided", ask$conf_level)),
        lapply(estimates, without_interval)
      )
    }
    warnings <- chosen$warnings
    if (exact$simulated) {
      warnings <- c(warnings, list(warning_of("simulated_p", simulated_words())))
    }

    result(
      method = chosen$method,
      reason = chosen$reason,
      n = found$n,
      estimates = estimates,
      statistics = c(
        list(p = exact$p),
        as.list(numbers[c("chi_squared", "df", "expected_min", "expected_11", if (small) "p_chi_squared")])
      ),
      effect_sizes = v,
      auto_test = if (small) "fisher_exact",
      tables = list(count_table(
        found,
        c(
          chosen$method,
          if (two) {
            if (small) {
              exact_note(estimates)
            } else {
              "The intervals of odds ratio and difference are those of the same test (Cornfield; Mee)."
            }
          },
          if (exact$simulated) simulated_words(),
          missing_note(found$n, found$reads)
        )
      )),
      assumptions = list(assumption(
        "expected_counts",
        "Smallest expected count",
        if (small) {
          sprintf(
            paste0(
              "The smallest expected count is %s, below 5: chi-square ",
              "is not trusted here, so Fisher's exact test was run."
            ),
            least
          )
        } else {
          sprintf("All expected counts are 5 or more; the smallest is %s.", least)
        },
        numbers[["expected_min"]],
        status = if (small) "concern" else "ok"
      )),
      recommendation = if (min(nrow(counts), ncol(counts)) > 1 && max(dim(counts)) > 2) {
        recommend(
          paste0(
            "With more than two groups the test says that shares differ ",
            "somewhere, not where. Look at the shares in the table."
          )
        )
      },
      sentence = counts_sentence(
        found,
        paste0(chosen$method, if (small && two) ", two-sided" else ""),
        if (small) NULL else paste0(it("χ²"), "(", label_of(df), ") = ", fixed(numbers[["chi_squared"]], 2)),
        exact$p,
        estimates,
        v,
        ask$alpha
      ),
      figures = when_asked(ask, list(shares_figure(found))),
      warnings = warnings,
      script = script(
        c(
          found$lines,
          chi_square_code(ask$conf_level, small),
          if (two) two_by_two_code(ask$conf_level),
          if (small) {
            (if (two) "test <- fisher.test(counts)" else fisher_rc_code(exact$simulated))
          } else {
            "test <- chisq.test(counts, correct = FALSE)"
          },
          if (small && two) exact_ratio_code("two.sided", ask$conf_level),
          "result <- c(",
          if (two) {
            if (small) c(EXACT_RESULT, TWO_VALUES) else TWO_RESULT
          },
          "  p = test$p.value,",
          sprintf(
            "  numbers[c(\"chi_squared\", \"df\", \"expected_min\", \"expected_11\"%s)],",
            if (small) ", \"p_chi_squared\"" else ""
          ),
          V_RESULT[[if (small) "exact" else "score"]],
          ")"
        ),
        reads = found$reads
      )
    )
  }
)

# Chooses Fisher's test if any expected count is below 5 (the rule of gtsummary). This is arithmetic, not a pre-test.
chi_square_choice <- function(found) {
  least <- min(expected_of(found$counts))
  if (is.na(least) || least >= 5) {
    return(list(
      method = "Pearson chi-square test, uncorrected",
      reason = "default; all expected counts are 5 or more",
      warnings = list()
    ))
  }
  list(
    method = "Fisher's exact test",
    reason = sprintf("the smallest expected count is %s, below 5", fixed(least, 1)),
    warnings = list(warning_of(
      "small_expected_counts",
      sprintf(
        "The smallest expected count is %s, below 5. Fisher's exact test was run instead of chi-square.",
        fixed(least, 1)
      )
    ))
  )
}

# Shares of each row as stacked bars.
shares_figure <- function(found) {
  shares <- found$counts / pmax(1, rowSums(found$counts))
  if (length(found$rows) > 30 || length(found$columns) > length(PALETTE)) {
    return(NULL)
  }
  names <- make.unique(vapply(found$rows, shortened, "", most = 30))
  frame <- data.frame(
    row = factor(rep(names, times = ncol(shares)), levels = rev(names)),
    column = factor(rep(make.unique(found$columns), each = nrow(shares)), levels = rev(make.unique(found$columns))),
    share = as.vector(shares)
  )
  colours <- stats::setNames(
    c("#1d4e58", "#d9a066", "#8fb3b9", "#b3541e", "#c9c3d8", "#6b5b95", "#bcd6c1", "#3f7d4e")[seq_along(found$columns)],
    make.unique(found$columns)
  )
  plot <- ggplot(frame, aes(share, row, fill = column)) +
    geom_col(width = 0.65, colour = "white", linewidth = 0.3) +
    scale_fill_manual(values = colours, breaks = make.unique(found$columns), labels = function(all) {
      vapply(all, shortened, "", most = 30)
    }) +
    scale_x_continuous(labels = function(x) paste0(round(100 * x), "%"), expand = c(0, 0)) +
    labs(
      x = "Share of the row",
      y = NULL,
      fill = if (found$column_name != "columns") shortened(found$column_name, 40)
    ) +
    theme_thesis() +
    theme(plot.margin = margin(6, 14, 6, 6), legend.title = element_text(size = 8, colour = SOFT)) +
    guides(fill = guide_legend(nrow = ceiling(sum(nchar(found$columns) + 4) / 70)))
  figure(
    "shares",
    plot,
    sprintf(
      "Stacked bars of %s: %s.",
      found$name,
      listed(vapply(
        seq_along(found$rows),
        function(i) {
          sprintf(
            "%s %s",
            found$rows[i],
            paste(sprintf("%s %s%%", found$columns, fixed(100 * shares[i, ], 1)), collapse = ", ")
          )
        },
        ""
      ))
    ),
    caption = sprintf("Shares: %s", found$name),
    height_mm = 35 + 9 * length(found$rows)
  )
}
