# Paired categories (SPEC N3): the exact test if fewer than 25 pairs differ, because the approximation fails then; else
# McNemar without continuity correction (Fagerland 2013, BMC Med Res Methodol 13:91). More than two levels: Bowker's
# symmetry test.

LEAST_DISCORDANT <- 25

analysis(
  "mcnemar",
  title = "McNemar test of paired groupings",
  params = COUNT_PARAMS,
  check = function(ask) mcnemar_choice(mcnemar_counts(ask)),
  run = function(ask) {
    found <- mcnemar_counts(ask)
    chosen <- mcnemar_choice(found)
    if (nrow(found$counts) == 2) mcnemar_two(ask, found, chosen) else bowker(ask, found, chosen)
  }
)

# Returns the square table of paired counts.
mcnemar_counts <- function(ask) {
  found <- counted(ask, square = TRUE)
  if (nrow(found$counts) != ncol(found$counts)) {
    refuse("bad_option", "Paired counts have as many rows as columns.", field = "params.counts")
  }
  if (nrow(found$counts) < 2) {
    refuse(
      "group_levels",
      "Both columns have one and the same level; two are needed.",
      field = "params.column",
      column = ask$params$column
    )
  }
  if (nrow(found$counts) > 20) {
    refuse(
      "group_levels",
      sprintf("Paired columns may have at most 20 levels, found %s.", label_of(nrow(found$counts))),
      field = "params.row",
      column = ask$params$row
    )
  }
  if (found$row_name == "rows") {
    found$row_name <- "first"
    found$column_name <- "second"
    found$rows <- found$columns <- sprintf("Level %d", seq_along(found$rows))
    found$name <- "first by second"
  }
  found
}

# Chooses the exact test, McNemar's test or Bowker's test, with the reason.
mcnemar_choice <- function(found) {
  discordant <- sum(found$counts) - sum(diag(found$counts))
  if (nrow(found$counts) > 2) {
    return(list(method = "Bowker test of symmetry", reason = "more than two levels", warnings = list()))
  }
  if (discordant >= LEAST_DISCORDANT) {
    return(list(
      method = "McNemar test, uncorrected",
      reason = sprintf("default; %s pairs differ", label_of(discordant)),
      warnings = list()
    ))
  }
  list(
    method = "McNemar exact test",
    reason = sprintf(
      "%s, fewer than %d",
      if (discordant == 1) "1 pair differs" else sprintf("%s pairs differ", label_of(discordant)),
      LEAST_DISCORDANT
    ),
    warnings = list()
  )
}

# Returns the result for two levels.
mcnemar_two <- function(ask, found, chosen) {
  counts <- found$counts
  gained <- counts[1, 2]
  lost <- counts[2, 1]
  n <- sum(counts)
  exact <- gained + lost < LEAST_DISCORDANT
  tests <- mcnemar_tests(gained, lost)
  chi_squared <- tests[["chi_squared"]]
  made <- mcnemar_numbers(gained, lost, n, exact, ask$conf_level)
  p <- tests[[if (exact) "p_exact" else "p_chi_squared"]]
  what <- sprintf("%s, %s against %s", found$columns[2], found$column_name, found$row_name)
  before <- (counts[2, 1] + counts[2, 2]) / n
  after <- (counts[1, 2] + counts[2, 2]) / n
  sides <- level_words(c(found$row_name, found$column_name), 80)
  difference_at <- apart_digits(100 * made$difference[-1], 1, 0)
  ratio_at <- ratio_digits(made$odds_ratio)
  pairs <- sprintf("%s of %s pairs", label_of(gained + lost), label_of(n))
  result(
    method = chosen$method,
    reason = chosen$reason,
    n = found$n,
    estimates = list(
      estimate(
        "difference",
        sprintf("Difference in share of %s", what),
        made$difference[1],
        made$difference[2],
        made$difference[3],
        ask$conf_level,
        digits = difference_at,
        format = "percent"
      ),
      estimate(
        "odds_ratio",
        sprintf("Odds ratio (paired) of %s", what),
        made$odds_ratio[1],
        made$odds_ratio[2],
        made$odds_ratio[3],
        ask$conf_level,
        digits = ratio_at
      ),
      estimate(
        "share_first",
        sprintf("Share of %s in %s", found$columns[2], found$row_name),
        before,
        format = "percent"
      ),
      estimate(
        "share_second",
        sprintf("Share of %s in %s", found$columns[2], found$column_name),
        after,
        format = "percent"
      )
    ),
    statistics = c(list(p = p), as.list(tests), list(discordant = gained + lost)),
    effect_sizes = list(effect_size("cohens_g", "Cohen's g", made$g)),
    tables = list(count_table(
      found,
      c(
        chosen$method,
        if (exact) {
          "The interval of the odds ratio is exact, as the test is."
        } else {
          "The intervals are those of the same test: Tango's of the difference, Wilson's of the odds ratio."
        },
        missing_note(found$n, found$reads)
      )
    )),
    assumptions = list(assumption(
      "discordant",
      "Pairs that differ",
      if (gained + lost == 0) {
        "No pair differs between the two columns: there is nothing to test, and p is 1."
      } else if (exact) {
        sprintf("%s differ, fewer than %d: the exact test was run.", pairs, LEAST_DISCORDANT)
      } else {
        sprintf("%s differ, enough for the chi-square approximation.", pairs)
      },
      gained + lost,
      status = if (gained + lost == 0) "concern" else "ok"
    )),
    sentence = sentence(
      "“",
      found$columns[2],
      "” was found in ",
      of_words(counts[2, 1] + counts[2, 2], n),
      " for ",
      sides[1],
      " and in ",
      of_words(counts[1, 2] + counts[2, 2], n),
      " for ",
      sides[2],
      direction_words(
        c(before, after),
        sides,
        fixed(100 * c(before, after), 1),
        "for",
        "more often",
        told = p < ask$alpha
      ),
      ": ",
      minus_words("difference", rev(sides), fixed(made$difference[1] * 100, difference_at)),
      " percentage points (",
      if (!exact) {
        paste0(ci_words(100 * made$difference[2], 100 * made$difference[3], ask$conf_level, difference_at), "; ")
      },
      chosen$method,
      ", two-sided, ",
      if (!exact) paste0(it("χ²"), "(1) = ", fixed(chi_squared, 2), ", "),
      p_words(p),
      "; ",
      pairs,
      " differ; ",
      if (gained + lost > 0) {
        paste0(
          sprintf("paired odds ratio (%s against %s) ", sides[2], sides[1]),
          if (lost == 0) "infinite" else fixed(made$odds_ratio[1], ratio_at),
          " (",
          ci_words(made$odds_ratio[2], made$odds_ratio[3], ask$conf_level, ratio_at),
          "); "
        )
      },
      missing_words(found$n, "pair", found$reads),
      ")."
    ),
    script = script(
      c(
        found$lines,
        code_of("wilson_interval", "mcnemar_numbers", "mcnemar_tests"),
        "gained <- counts[1, 2]",
        "lost <- counts[2, 1]",
        "n <- sum(counts)",
        sprintf("made <- mcnemar_numbers(gained, lost, n, %s, %s)", exact, literal(ask$conf_level)),
        "tests <- mcnemar_tests(gained, lost)",
        "result <- c(tests,",
        "  difference = made$difference[1], difference_low = made$difference[2], difference_high = made$difference[3],",
        "  odds_ratio = made$odds_ratio[1], odds_ratio_low = made$odds_ratio[2], odds_ratio_high = made$odds_ratio[3],",
        "  share_first = sum(counts[2, ]) / n, share_second = sum(counts[, 2]) / n,",
        sprintf(
          "  p = tests[[\"%s\"]], discordant = gained + lost, cohens_g = made$g",
          if (exact) "p_exact" else "p_chi_squared"
        ),
        ")"
      ),
      reads = found$reads
    )
  )
}

# The exact test and McNemar's chi-square, with and without continuity correction (as mcnemar.test()). p is 1 if no pair
# differs.
mcnemar_tests <- function(gained, lost) {
  differ <- gained + lost
  chi_squared <- if (differ > 0) (gained - lost)^2 / differ else 0
  corrected <- if (differ > 0) max(0, abs(gained - lost) - 1)^2 / differ else 0
  c(
    p_exact = min(1, 2 * stats::pbinom(min(gained, lost), differ, 0.5)),
    chi_squared = chi_squared,
    df = 1,
    p_chi_squared = stats::pchisq(chi_squared, 1, lower.tail = FALSE),
    chi_squared_corrected = corrected,
    p_corrected = stats::pchisq(corrected, 1, lower.tail = FALSE)
  )
}

# The difference of paired shares (second minus first), the odds ratio gained / lost and Cohen's g. Both intervals
# exclude no difference if the test is significant. Exact: Clopper and Pearson's interval of the share of `gained` among
# the pairs that differ, as odds; none of the difference, which would need another test. Else Wilson's of that share,
# and Tango's score interval of the difference (1998, Stat Med 17:891): McNemar's chi-square without correction is the
# score test of both.
mcnemar_numbers <- function(gained, lost, n, exact, conf_level) {
  differ <- gained + lost
  odds <- difference <- c(NA, NA)
  tail <- (1 - conf_level) / 2
  z <- qnorm(1 - tail)
  if (exact && differ > 0) {
    share <- c(
      if (gained == 0) 0 else qbeta(tail, gained, lost + 1),
      if (lost == 0) 1 else qbeta(1 - tail, gained + 1, lost)
    )
    odds <- share / (1 - share)
  }
  if (!exact) {
    share <- wilson_interval(gained, differ, conf_level)
    odds <- if (lost == 0) {
      c(share[1] / (1 - share[1]), Inf)
    } else if (gained == 0) {
      c(0, share[2] / (1 - share[2]))
    } else {
      share / (1 - share)
    }
    score <- function(delta) {
      if (delta == at) {
        return(0)
      }
      B <- -differ + (2 * n - gained + lost) * delta
      q <- (sqrt(max(0, B^2 + 8 * n * lost * delta * (1 - delta))) - B) / (4 * n)
      spread <- n * (2 * q + delta * (1 - delta))
      (gained - lost - n * delta) / sqrt(max(spread, 1e-12))
    }
    at <- (gained - lost) / n
    end <- function(sign) {
      gap <- function(delta) score(delta) + sign * z
      outer <- sign * (1 - 1e-9)
      if (sign * at >= 1 - 1e-9 || gap(at) * gap(outer) > 0) {
        return(sign)
      }
      uniroot(gap, sort(c(at, outer)), tol = 1e-12)$root
    }
    difference <- c(end(-1), end(1))
  }
  list(
    difference = c((gained - lost) / n, difference),
    odds_ratio = c(gained / lost, odds),
    g = if (differ > 0) max(gained, lost) / differ - 0.5 else 0
  )
}

# Returns the most common changes between two columns: "from moderate to mild (9 pairs)".
change_words <- function(found) {
  moved <- found$counts
  diag(moved) <- 0
  at <- which(moved == max(moved), arr.ind = TRUE)
  at <- at[seq_len(min(nrow(at), 3)), , drop = FALSE]
  sprintf(
    "%s (%s%s)",
    listed(sprintf("from %s to %s", found$rows[at[, 1]], found$columns[at[, 2]]), "or"),
    plural(max(moved), "pair"),
    if (nrow(at) > 1) " each" else ""
  )
}

# Bowker's test as in mcnemar.test(), but without pairs of empty cells.
symmetry_test <- function(counts) {
  above <- upper.tri(counts) & (counts + t(counts)) > 0
  chi_squared <- sum((counts - t(counts))[above]^2 / (counts + t(counts))[above])
  c(
    chi_squared = chi_squared,
    df = sum(above),
    p = stats::pchisq(chi_squared, sum(above), lower.tail = FALSE),
    discordant = sum(counts) - sum(diag(counts))
  )
}

# Returns the result for more than two levels.
bowker <- function(ask, found, chosen) {
  counts <- found$counts
  test <- symmetry_test(counts)
  chi_squared <- test[["chi_squared"]]
  df <- test[["df"]]
  differ <- test[["discordant"]]
  if (df == 0) {
    refuse(
      "constant_variable",
      "No pair differs between the two columns, so there is nothing to test.",
      field = "params.column",
      column = ask$params$column
    )
  }
  p <- test[["p"]]
  result(
    method = chosen$method,
    reason = chosen$reason,
    n = found$n,
    statistics = as.list(test),
    tables = list(count_table(found, c(chosen$method, missing_note(found$n, found$reads)))),
    assumptions = list(assumption(
      "discordant",
      "Pairs that differ",
      if (differ < LEAST_DISCORDANT) {
        sprintf(
          "Only %s: the chi-square approximation is rough.",
          if (differ == 1) "1 pair differs" else sprintf("%s pairs differ", label_of(differ))
        )
      } else {
        "Enough pairs differ for the chi-square approximation."
      },
      differ,
      status = if (differ < LEAST_DISCORDANT) "concern" else "ok"
    )),
    sentence = sentence(
      sprintf(
        "%s differed between %s and %s, most often %s",
        of_words(differ, sum(counts), "pairs"),
        found$row_name,
        found$column_name,
        change_words(found)
      ),
      " (",
      chosen$method,
      ", ",
      it("χ²"),
      "(",
      label_of(df),
      ") = ",
      fixed(chi_squared, 2),
      ", ",
      p_words(p),
      "; ",
      missing_words(found$n, "pair", found$reads),
      ")."
    ),
    script = script(
      c(
        found$lines,
        code_of("symmetry_test"),
        "result <- symmetry_test(counts)"
      ),
      reads = found$reads
    )
  )
}
