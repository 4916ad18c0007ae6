# Fisher's exact test (SPEC N3). The odds ratio is R's conditional estimate, not ad / bc; the result has both.

analysis(
  "fisher",
  title = "Fisher's exact test of two groupings",
  params = COUNT_PARAMS,
  options = list(alternative = one_of("Alternative hypothesis (2 x 2 only)", c("two.sided", "less", "greater"))),
  seconds = 20,
  run = function(ask) {
    found <- counted(ask)
    refuse_empty(found)
    if (all(dim(found$counts) == 2)) fisher_two(ask, found) else fisher_more(ask, found)
  }
)

# Returns the result for a 2 x 2 table.
fisher_two <- function(ask, found) {
  counts <- found$counts
  # R enumerates every table with these totals.
  if (min(rowSums(counts), colSums(counts)) > 2e6) {
    refuse(
      "bad_option",
      "The counts are too large for the exact test.",
      field = "params.counts",
      suggest = "chi_square",
      hint = "With counts this large use chi-square."
    )
  }
  test <- function(alternative) stats::fisher.test(counts, alternative = alternative, conf.level = ask$conf_level)
  all <- lapply(c(two.sided = "two.sided", less = "less", greater = "greater"), test)
  p <- all[[ask$options$alternative]]$p.value
  conditional <- all$two.sided
  v <- cramer(chi_square_numbers(counts, ask$conf_level, exact = TRUE), ask$conf_level)
  sample <- counts[1, 1] * counts[2, 2] / (counts[1, 2] * counts[2, 1])
  groups <- row_words(found)
  estimates <- list(
    exact_ratio(found, p, ask$options$alternative, ask$conf_level),
    estimate(
      "odds_ratio_conditional",
      "The same with the central exact interval, which goes with twice the smaller one-sided p",
      conditional$estimate,
      conditional$conf.int[1],
      conditional$conf.int[2],
      ask$conf_level,
      digits = ratio_digits(c(conditional$estimate, conditional$conf.int))
    ),
    estimate(
      "odds_ratio_sample",
      sprintf("Odds ratio (sample, ad / bc) of %s", compared_words(found)),
      sample,
      digits = ratio_digits(sample)
    )
  )
  # R's "greater" means a larger odds ratio: the second column is more frequent in the second row.
  side <- side_words(
    ask$options$alternative,
    groups[2],
    groups[1],
    sprintf("a larger share of %s", column_words(found, 2)),
    "among"
  )
  two_sided <- ask$options$alternative == "two.sided"
  method <- paste0("Fisher's exact test", if (!two_sided) ", one-sided")
  result(
    method = method,
    reason = if (two_sided) "" else "a one-sided alternative was chosen",
    n = found$n,
    estimates = estimates,
    statistics = list(
      p = p,
      p_two_sided = all$two.sided$p.value,
      p_less = all$less$p.value,
      p_greater = all$greater$p.value
    ),
    effect_sizes = v,
    tables = list(count_table(
      found,
      c(
        sprintf("Fisher's exact test, %s: p %s.", side, p_text(p)),
        if (two_sided) exact_note(estimates),
        "The odds ratio is the conditional maximum likelihood estimate; ad / bc stands beside it.",
        missing_note(found$n, found$reads)
      )
    )),
    assumptions = list(assumption(
      "expected_counts",
      "Smallest expected count",
      "The test is exact: it holds for small counts too.",
      min(expected_of(counts))
    )),
    sentence = counts_sentence(found, paste0("Fisher's exact test, ", side), NULL, p, estimates, v, ask$alpha),
    figures = when_asked(ask, list(shares_figure(found))),
    warnings = if (any(counts == 0)) {
      list(warning_of("zero_cell", "A cell is 0, so the sample odds ratio is 0 or infinite."))
    } else {
      list()
    },
    script = script(
      c(
        found$lines,
        chi_square_code(ask$conf_level, TRUE),
        sprintf("central <- fisher.test(counts, conf.level = %s)", literal(ask$conf_level)),
        sprintf("test <- fisher.test(counts, alternative = %s)", quoted(ask$options$alternative)),
        exact_ratio_code(ask$options$alternative, ask$conf_level),
        "p_less <- fisher.test(counts, alternative = \"less\")$p.value",
        "p_greater <- fisher.test(counts, alternative = \"greater\")$p.value",
        "result <- c(",
        EXACT_RESULT,
        paste0(
          "  odds_ratio_conditional = unname(central$estimate), odds_ratio_conditional_low ",
          "= central$conf.int[1], odds_ratio_conditional_high = central$conf.int[2],"
        ),
        "  odds_ratio_sample = counts[1, 1] * counts[2, 2] / (counts[1, 2] * counts[2, 1]),",
        "  p = test$p.value, p_two_sided = central$p.value, p_less = p_less, p_greater = p_greater,",
        V_RESULT[["exact"]],
        ")"
      ),
      reads = found$reads
    )
  )
}

# Returns the result for a larger table.
fisher_more <- function(ask, found) {
  if (ask$options$alternative != "two.sided") {
    refuse(
      "bad_option",
      "A one-sided alternative needs two rows and two columns.",
      field = "params.options.alternative"
    )
  }
  test <- fisher_rc(found$counts)
  v <- cramer(chi_square_numbers(found$counts, ask$conf_level, exact = TRUE), ask$conf_level)
  method <- if (test$simulated) {
    sprintf("Fisher's exact test, p simulated with %s tables", format(SIMULATIONS, big.mark = ","))
  } else {
    "Fisher's exact test"
  }
  result(
    method = method,
    reason = if (test$simulated) "the exact p takes too long for a table of this size" else "",
    n = found$n,
    statistics = list(p = test$p, p_two_sided = test$p),
    effect_sizes = v,
    tables = list(count_table(found, c(method, missing_note(found$n, found$reads)))),
    assumptions = list(assumption(
      "expected_counts",
      "Smallest expected count",
      "The test holds for small counts too.",
      min(expected_of(found$counts))
    )),
    sentence = counts_sentence(found, method, NULL, test$p, list(), v, ask$alpha),
    figures = when_asked(ask, list(shares_figure(found))),
    warnings = if (test$simulated) list(warning_of("simulated_p", simulated_words())) else list(),
    script = script(
      c(
        found$lines,
        chi_square_code(ask$conf_level, TRUE),
        fisher_rc_code(test$simulated),
        "result <- c(",
        "  p = min(1, test$p.value), p_two_sided = min(1, test$p.value),",
        V_RESULT[["exact"]],
        ")"
      ),
      reads = found$reads
    )
  )
}
