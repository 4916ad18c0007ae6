# Wilcoxon signed-rank test of two measurements of the same rows (SPEC N3).

analysis(
  "wilcoxon",
  title = "Wilcoxon signed-rank test of pairs",
  params = list(first = column("any", "First measurement"), second = column("any", "Second measurement")),
  run = function(ask) {
    rows <- paired_rows(ask, ordinal = TRUE)
    used <- rows$used
    differences <- used$first - used$second
    if (all(differences == 0)) {
      refuse(
        "constant_variable",
        "In every row both measurements are the same.",
        field = "params.second",
        column = ask$params$second,
        hint = "There is no difference to test."
      )
    }
    zeros <- sum(differences == 0)
    exact <- nrow(used) < 50 && !zeros && !anyDuplicated(abs(differences))
    found <- signed_rank(used$first, used$second, ask$conf_level)
    biserial <- rank_biserial_paired(differences, found[["p"]], ask$conf_level)
    digits <- rows$digits
    method <- if (exact) "Wilcoxon signed-rank test (exact)" else "Wilcoxon signed-rank test (normal approximation)"
    sides <- c(rows$first, rows$second)
    numbers <- described(c(used$first, used$second), factor(rep(1:2, each = nrow(used))))
    scale <- rows$scale
    spread <- median_words(numbers, scale, digits, rows$unit, NULL)
    near <- vapply(found[c("shift", "low", "high")], beside, 0, values = differences)
    at <- apart_digits(near[-1], digits, 0)
    open <- open_end(found[c("low", "high")], found[["p"]], ask$conf_level)
    shift <- is.null(scale) && !is.na(found[["low"]])
    V <- fixed(found["V"], if (found["V"] == round(found["V"])) 0 else 1)

    result(
      method = method,
      n = rows$n,
      reason = if (exact) {
        "exact, as no two differences are equal and there are fewer than 50 pairs"
      } else {
        paste0(
          "normal approximation with continuity correction, as differences ",
          "are equal or zero, or there are 50 pairs or more"
        )
      },
      estimates = rank_estimates(found, sides, numbers, scale, digits, at, open, ask$conf_level),
      statistics = as.list(found[c("V", "p", "p_greater", "p_less", "p_asymptotic")]),
      effect_sizes = list(rank_effect(biserial, ask$conf_level, "difference of positive and negative rank sums")),
      tables = list(table_of(
        "main",
        sprintf("%s and %s", sides[1], sides[2]),
        median_columns("measurement", "Measurement", scale, digits),
        lapply(1:2, function(i) {
          c(list(measurement = sides[i], n = nrow(used)), median_cells(numbers[, i], scale, digits))
        }),
        footnotes = c(
          sprintf("%s, two-sided: V = %s, p %s.", method, V, p_text(found[["p"]])),
          if (zeros) {
            sprintf("%s without a difference %s no rank.", plural(zeros, "pair"), if (zeros == 1) "has" else "have")
          },
          missing_note(rows$n)
        )
      )),
      assumptions = list(
        if (is.null(scale)) {
          symmetry_of(differences)
        } else {
          assumption(
            "symmetry",
            "Symmetry of the differences",
            paste0(
              "Distances on an ordinal scale are taken as equal here; ",
              "with few levels, report the share that improved too."
            ),
            status = "not_run"
          )
        }
      ),
      sentence = sentence(
        "The median was ",
        spread[1],
        " for ",
        rows$said[1],
        " and ",
        spread[2],
        " for ",
        rows$said[2],
        ranked_words(biserial[["value"]], rows$said, "for", told = found[["p"]] < ask$alpha),
        if (shift) {
          sprintf(
            ": %s (%s; ",
            minus_words("Hodges-Lehmann difference", rows$said, in_unit(fixed(near[1], at), rows$unit)),
            ci_words(near[2], near[3], ask$conf_level, at, open = open)
          )
        } else {
          " ("
        },
        method,
        ", two-sided, ",
        it("V"),
        " = ",
        V,
        ", ",
        p_words(found[["p"]]),
        "; rank-biserial correlation ",
        fixed(biserial["value"]),
        "; ",
        missing_words(rows$n, "pair"),
        ")."
      ),
      figures = list(pairs_figure(used, sides[1], sides[2])),
      script = script(c(
        rows$lines,
        sprintf("conf_level <- %s", literal(ask$conf_level)),
        code_of("is_rejected"),
        code_of("settled"),
        code_of("coefficient_interval"),
        code_of("halving"),
        code_of("place_interval"),
        code_of("signed_rank"),
        code_of("rank_biserial_paired"),
        code_of("described"),
        code_of("numbered"),
        "found <- signed_rank(used$first, used$second, conf_level)",
        "r <- rank_biserial_paired(used$first - used$second, found[[\"p\"]], conf_level)",
        "numbers <- described(c(used$first, used$second), factor(rep(1:2, each = nrow(used))))",
        "result <- c(",
        "  found[c(\"V\", \"p\", \"p_greater\", \"p_less\", \"p_asymptotic\")],",
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

# Wilcoxon's signed-rank test as in wilcox.test(): V, two-sided and one-sided p, p without continuity correction, and
# the location difference with its interval (NA if R has none).
signed_rank <- function(first, second, conf_level) {
  p_of <- function(...) suppressWarnings(stats::wilcox.test(first, second, paired = TRUE, ...))$p.value
  test <- suppressWarnings(stats::wilcox.test(first, second, paired = TRUE))
  place <- tryCatch(
    suppressWarnings(stats::wilcox.test(first, second, paired = TRUE, conf.int = TRUE, conf.level = conf_level)),
    error = function(problem) NULL
  )
  interval <- if (is.null(place)) c(NA, NA) else place$conf.int
  achieved <- attr(interval, "conf.level")
  if (!is.null(achieved) && achieved < conf_level) {
    interval <- c(NA, NA)
  }
  interval <- place_interval(interval, test$p.value, conf_level, diff(range(first - second)))
  c(
    V = unname(test$statistic),
    p = test$p.value,
    p_greater = p_of(alternative = "greater"),
    p_less = p_of(alternative = "less"),
    p_asymptotic = p_of(exact = FALSE, correct = FALSE),
    shift = if (is.null(place)) NA else unname(place$estimate),
    low = interval[1],
    high = interval[2]
  )
}

# Returns the check that differences are symmetric, which the signed-rank test needs: their skewness in words.
symmetry_of <- function(differences) {
  spread <- mean((differences - mean(differences))^2)
  if (length(differences) < 3 || spread == 0) {
    return(assumption(
      "symmetry",
      "Skewness of the differences",
      "There are too few different values to tell.",
      status = "not_run"
    ))
  }
  skewness <- mean((differences - mean(differences))^3) / spread^1.5
  skewed <- abs(skewness) > 1
  assumption(
    "symmetry",
    "Skewness of the differences",
    if (skewed) {
      "The differences are skewed: the test then speaks of ranks, not of the median difference."
    } else {
      "The differences are about symmetric, as the test assumes."
    },
    skewness,
    status = if (skewed) "concern" else "ok"
  )
}
