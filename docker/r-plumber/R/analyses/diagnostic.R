# A diagnostic test against a reference standard (SPEC N3): sensitivity, specificity and what follows from the four
# counts. Intervals are Wilson's, or exact (Clopper-Pearson) if a count is 0; the result has both. Likelihood ratios:
# Simel 1991, J Clin Epidemiol 44:763.

analysis(
  "diagnostic",
  title = "Accuracy of a diagnostic test",
  params = list(
    test = column("factor", "Test", required = FALSE),
    reference = column("factor", "Reference standard", required = FALSE),
    counts = counts("Counts: tp, fp, fn, tn (or a row of the test's positives, a row of its negatives)")
  ),
  options = list(
    event_value = value_of("Value of the reference that means diseased"),
    test_value = value_of("Value of the test that means positive")
  ),
  run = function(ask) {
    found <- diagnostic_counts(ask)
    x <- found$counts
    total <- sum(x)
    diseased <- x[["tp"]] + x[["fn"]]
    healthy <- x[["fp"]] + x[["tn"]]
    if (diseased == 0) {
      refuse("no_events", "Nobody has the disease by the reference.", field = found$field)
    }
    if (healthy == 0) {
      refuse(
        "group_levels",
        "Everybody has the disease by the reference: specificity cannot be estimated.",
        field = found$field
      )
    }
    shares <- diagnostic_shares(x)
    titles <- c(
      sensitivity = "Sensitivity",
      specificity = "Specificity",
      ppv = "Positive predictive value",
      npv = "Negative predictive value",
      accuracy = "Accuracy",
      prevalence = "Prevalence (reference)",
      apparent_prevalence = "Positive by the test",
      lr_pos = "Positive likelihood ratio",
      lr_neg = "Negative likelihood ratio",
      dor = "Diagnostic odds ratio",
      youden = "Youden index",
      nnd = "Number needed to diagnose"
    )
    exact <- any(x == 0)
    wilson <- lapply(shares, function(s) wilson_interval(s[1], s[2], ask$conf_level))
    clopper <- lapply(shares, function(s) exact_interval(s[1], s[2], ask$conf_level))
    chosen <- if (exact) clopper else wilson
    value <- lapply(shares, function(s) if (s[2] == 0) NA else s[1] / s[2])
    ratios <- diagnostic_ratios(x, ask$conf_level)
    youden <- value$sensitivity + value$specificity - 1
    nnd <- if (youden == 0) NA else 1 / youden

    estimates <- c(
      lapply(names(shares), function(id) {
        estimate(id, titles[[id]], value[[id]], chosen[[id]][1], chosen[[id]][2], ask$conf_level, format = "percent")
      }),
      lapply(names(ratios), function(id) {
        estimate(
          id,
          titles[[id]],
          ratios[[id]][1],
          ratios[[id]][2],
          ratios[[id]][3],
          ask$conf_level,
          digits = ratio_digits(ratios[[id]])
        )
      }),
      list(
        estimate("youden", titles[["youden"]], youden, digits = 3),
        estimate("nnd", titles[["nnd"]], nnd, digits = 2)
      )
    )
    both <- list()
    for (id in names(shares)) {
      for (kind in c("wilson", "exact")) {
        interval <- if (kind == "wilson") wilson[[id]] else clopper[[id]]
        both[[paste0(id, "_low_", kind)]] <- interval[1]
        both[[paste0(id, "_high_", kind)]] <- interval[2]
      }
    }
    method <- if (exact) "exact (Clopper-Pearson)" else "Wilson"
    percent <- function(id) {
      if (is.na(value[[id]])) {
        "not estimable"
      } else {
        sprintf(
          "%s%% (%s)",
          fixed(100 * value[[id]], 1),
          ci_words(100 * chosen[[id]][1], 100 * chosen[[id]][2], ask$conf_level, 1, end = "%")
        )
      }
    }
    lr <- function(id) {
      x <- ratios[[id]]
      digits <- ratio_digits(x)
      if (is.na(x[1])) {
        "not estimable"
      } else {
        sprintf("%s (%s)", fixed(x[1], digits), ci_words(x[2], x[3], ask$conf_level, digits))
      }
    }
    warnings <- list()
    if (exact) {
      warnings[[1]] <- warning_of(
        "zero_cell",
        "One of the four counts is 0: exact intervals are shown, and ratios that would divide by it are not estimable."
      )
    }
    if (youden < 0) {
      warnings[[length(warnings) + 1]] <- warning_of(
        "direction",
        "The test is positive more often in people without the disease. Check which values mean positive and diseased."
      )
    }
    result(
      method = sprintf("Diagnostic accuracy, %s intervals", method),
      reason = if (exact) "a count is 0, so exact intervals" else "default; Wilson's intervals",
      n = found$n,
      estimates = estimates,
      statistics = c(list(tp = x[["tp"]], fp = x[["fp"]], fn = x[["fn"]], tn = x[["tn"]]), both),
      tables = list(
        table_of(
          "main",
          sprintf("Accuracy of %s against %s", found$test, found$reference),
          list(
            col("measure", "Measure"),
            col("of", "n / N"),
            col("value", "Estimate", "number", 3),
            col("low", "CI from", "number", 3),
            col("high", "CI to", "number", 3)
          ),
          lapply(estimates, function(one) {
            s <- shares[[one$id]]
            list(
              measure = one$label,
              of = if (!is.null(s)) sprintf("%s / %s", label_of(s[1]), label_of(s[2])),
              value = one$value,
              low = one$ci[[1]],
              high = one$ci[[2]],
              formats = if (!is.null(s)) list(value = "percent", low = "percent", high = "percent"),
              digits = if (!is.null(one$digits)) list(value = one$digits, low = one$digits, high = one$digits)
            )
          }),
          footnotes = c(
            sprintf(
              "%s%% confidence intervals: %s for proportions, on the log scale for ratios (Simel 1991).",
              label_of(100 * ask$conf_level),
              method
            ),
            "Predictive values hold for the prevalence in these data.",
            missing_note(found$n, found$reads)
          )
        ),
        table_of(
          "counts",
          "Counts",
          list(
            col("test", found$test),
            col("diseased", if (found$reads) found$diseased else "Diseased", "integer"),
            col("healthy", if (found$reads) "Without it" else "Not diseased", "integer"),
            col("total", "Total", "integer")
          ),
          list(
            list(
              test = if (found$reads) found$positive else "Positive",
              diseased = x[["tp"]],
              healthy = x[["fp"]],
              total = x[["tp"]] + x[["fp"]]
            ),
            list(
              test = if (found$reads) "All others" else "Negative",
              diseased = x[["fn"]],
              healthy = x[["tn"]],
              total = x[["fn"]] + x[["tn"]]
            ),
            list(test = "Total", diseased = diseased, healthy = healthy, total = total)
          )
        )
      ),
      assumptions = list(assumption(
        "spectrum",
        "Design",
        paste0(
          "Accuracy carries over only to patients like these. The test and ",
          "the reference should have been read without knowing the other."
        ),
        status = "not_run"
      )),
      sentence = sentence(
        "Of ",
        label_of(diseased),
        " with ",
        found$diseased,
        ", ",
        label_of(x[["tp"]]),
        " had ",
        found$positive,
        ": sensitivity ",
        percent("sensitivity"),
        "; of ",
        label_of(healthy),
        " without, ",
        label_of(x[["tn"]]),
        " did not: specificity ",
        percent("specificity"),
        "; positive predictive value ",
        percent("ppv"),
        " and negative predictive value ",
        percent("npv"),
        " at a prevalence of ",
        fixed(100 * value$prevalence, 1),
        "%; positive likelihood ratio ",
        lr("lr_pos"),
        " and negative likelihood ratio ",
        lr("lr_neg"),
        " (",
        method,
        " intervals of the percentages; ",
        missing_words(found$n, known = found$reads),
        ")."
      ),
      warnings = warnings,
      script = diagnostic_script(ask, found, exact)
    )
  }
)

# Returns the script lines of the analysis.
diagnostic_script <- function(ask, found, exact) {
  script(
    c(
      found$code,
      code_of("diagnostic_shares", "wilson_interval", "exact_interval", "diagnostic_ratios"),
      sprintf("conf_level <- %s", literal(ask$conf_level)),
      "x <- c(tp = tp, fp = fp, fn = fn, tn = tn)",
      "result <- as.list(x)",
      "shares <- diagnostic_shares(x)",
      "for (id in names(shares)) {",
      "  of <- shares[[id]]",
      "  if (of[2] == 0) next",
      "  wilson <- wilson_interval(of[1], of[2], conf_level)",
      "  exact <- exact_interval(of[1], of[2], conf_level)",
      "  result[[id]] <- of[1] / of[2]",
      "  result[paste0(id, c(\"_low_wilson\", \"_high_wilson\"))] <- wilson",
      "  result[paste0(id, c(\"_low_exact\", \"_high_exact\"))] <- exact",
      sprintf("  result[paste0(id, c(\"_low\", \"_high\"))] <- %s", if (exact) "exact" else "wilson"),
      "}",
      "ratios <- diagnostic_ratios(x, conf_level)",
      "for (id in names(ratios)) result[paste0(id, c(\"\", \"_low\", \"_high\"))] <- ratios[[id]]",
      "result$youden <- result$sensitivity + result$specificity - 1",
      "result$nnd <- if (result$youden == 0) NA else 1 / result$youden"
    ),
    reads = found$reads
  )
}
