# Table 1: characteristics of the participants, in total and by group (SPEC N3). p values are off by default: in a
# randomised trial differences at baseline are chance (CONSORT 2010, item 15); standardised differences say how large
# they are.

analysis(
  "table1",
  title = "Table 1, characteristics of the groups",
  params = list(
    columns = columns("any", "Characteristics", most = 29),
    group = column("factor", "Groups", required = FALSE)
  ),
  options = list(
    p_values = flag("Show p values (not in a randomised trial)"),
    smd = flag("Show standardised mean differences"),
    parametric = columns("numeric", "Show by mean and SD", least = 0, most = 29, required = FALSE)
  ),
  run = function(ask) {
    ids <- ask$params$columns
    grouped <- !is.null(ask$params$group)
    if (grouped && ask$params$group %in% ids) {
      refuse(
        "bad_option",
        sprintf("%s is both a characteristic and the groups.", name_of(ask, "group")),
        field = "params.group",
        column = ask$params$group
      )
    }
    total <- length(ask$data[[ids[1]]]$values)
    group <- if (grouped) factor_of(ask, "group", levels = c(2, 8)) else factor(rep("all", total))
    if (total < 1) {
      refuse("all_missing", "There are no rows.", field = "params.columns")
    }
    kept <- !is.na(group)
    found <- lapply(ids, function(id) {
      one <- described_column(ask, id)
      if (is.null(one$values)) {
        refuse(
          "group_levels",
          sprintf(
            "%s has %s different values; Table 1 shows at most %d.",
            one$name,
            label_of(one$distinct),
            MOST_SHOWN
          ),
          field = "params.columns",
          column = id,
          hint = "Leave it out, or join its values into fewer categories."
        )
      }
      one$values <- one$values[kept]
      if (all(is.na(one$values))) {
        refuse(
          "all_missing",
          sprintf("%s has no values in rows with a group.", one$name),
          field = "params.columns",
          column = id,
          hint = "Leave this column out."
        )
      }
      one$parametric <- one$numeric && id %in% ask$options$parametric
      one
    })
    group <- group[kept]
    numbers <- lapply(found, function(one) {
      if (one$numeric) summary_numbers(one$id, one$values, group) else summary_levels(one$id, one$values, group)
    })
    groups <- if (grouped) group_words(levels(group), name_of(ask, "group"))
    tests <- if (grouped && ask$options$p_values) lapply(found, table1_test, group = group, seed = ask$seed)
    smd <- if (grouped && ask$options$smd) {
      lapply(found, function(one) if (one$numeric) smd_numbers(one$values, group) else smd_levels(one$values, group))
    }
    n <- count_of(total, length(group), if (grouped) group)

    result(
      method = "Table 1",
      n = n,
      estimates = unlist(
        Map(
          function(one, values) {
            described_estimates(
              one,
              values,
              groups = groups,
              digits = if (one$numeric) precision_of(one$values, ask$digits) else 1
            )
          },
          found,
          numbers
        ),
        recursive = FALSE
      ),
      statistics = if (length(tests)) stats::setNames(lapply(tests, `[[`, "p"), paste0(ids, ".p")),
      effect_sizes = if (!length(smd)) {
        list()
      } else {
        Map(
          function(one, value) {
            effect_size(
              paste0(one$id, ".smd"),
              paste("Standardised mean difference,", one$name),
              value,
              method = if (nlevels(group) > 2) {
                "mean of all pairs of groups"
              } else {
                "difference over the root of the mean variance"
              }
            )
          },
          found,
          smd
        )
      },
      tables = list(table1_table(found, numbers, group, groups, tests, smd, ask)),
      sentence = table1_sentence(found, group, groups, n, smd, if (grouped) name_of(ask, "group")),
      recommendation = if (length(tests)) {
        recommend(
          paste0(
            "In a randomised trial leave the p values out: differences at baseline ",
            "are chance there. Show standardised differences instead."
          )
        )
      },
      warnings = c(
        lapply(
          Filter(function(one) one$parametric && !is.null(skew_words(one$values, one$name)), found),
          function(one) {
            warning_of("mean_of_skewed", skew_words(one$values, one$name), one$id)
          }
        ),
        if ("simulated" %in% vapply(tests, `[[`, "", "name")) list(warning_of("simulated_p", simulated_words()))
      ),
      script = table1_script(ask, found, group, tests, smd)
    )
  }
)

# The test of one characteristic by the rule of gtsummary: rank sums of two groups, Kruskal-Wallis of more (Welch's
# tests if the mean is shown); chi-square without correction if all expected counts are at least 5, else Fisher. Returns
# list(name, p).
table1_test <- function(one, group, seed) {
  name <- if (one$numeric) {
    paste0(if (one$parametric) "means" else "ranks", if (nlevels(group) > 2) "_of_groups" else "")
  } else {
    counts <- table(one$values, group)
    counts <- counts[rowSums(counts) > 0, colSums(counts) > 0, drop = FALSE]
    if (any(dim(counts) < 2)) {
      return(list(name = "none", p = NA))
    }
    if (all(outer(rowSums(counts), colSums(counts)) / sum(counts) >= 5)) "chi_square" else "fisher"
  }
  if (name == "fisher" && fisher_work(counts) > MOST_FISHER_WORK) {
    name <- "simulated"
  }
  p <- table1_p(name, one$values, group, seed)
  list(name = if (is.na(p)) "none" else name, p = p)
}

# Returns the logarithm of the number of tables with the counts of each row: beyond 30 R's exact test takes seconds, or
# fails. This is a count and not a time limit, so that the same data always give the same p.
fisher_work <- function(counts) sum(lchoose(rowSums(counts) + ncol(counts) - 1, ncol(counts) - 1))

MOST_FISHER_WORK <- 30

# Returns p of a test by its name; NA if it cannot be computed (a group without spread or without values).
table1_p <- function(name, values, group, seed) {
  used <- droplevels(stats::na.omit(data.frame(values, group)))
  if (nlevels(used$group) < nlevels(group)) {
    return(NA)
  }
  counts <- table(used$values, used$group)
  test <- tryCatch(
    suppressWarnings(switch(
      name,
      means = stats::t.test(values ~ group, data = used),
      means_of_groups = stats::oneway.test(values ~ group, data = used),
      ranks = stats::wilcox.test(values ~ group, data = used),
      ranks_of_groups = stats::kruskal.test(values ~ group, data = used),
      chi_square = stats::chisq.test(counts, correct = FALSE),
      fisher = stats::fisher.test(counts, workspace = 2e7),
      simulated = {
        set.seed(seed)
        stats::fisher.test(counts, simulate.p.value = TRUE, B = 10000)
      }
    )),
    error = function(problem) NULL
  )
  if (is.null(test) || is.nan(test$p.value)) NA else min(1, test$p.value)
}

TABLE1_TESTS <- c(
  means = "Welch's t-test",
  means_of_groups = "Welch's one-way ANOVA",
  ranks = "Wilcoxon rank-sum test",
  ranks_of_groups = "Kruskal-Wallis test",
  chi_square = "Chi-square test without continuity correction",
  fisher = "Fisher's exact test",
  simulated = "Fisher's exact test, p simulated",
  none = "No test possible"
)

# Returns Table 1.
table1_table <- function(found, numbers, group, groups, tests, smd, ask) {
  k <- nlevels(group)
  sizes <- as.vector(table(group))
  parts <- if (k > 1) c("", paste0(".", seq_len(k))) else ""
  keys <- if (k > 1) c("all", paste0("group_", seq_len(k))) else "all"
  columns <- c(
    list(
      col("variable", "Characteristic"),
      col("all", sprintf("All (n = %s)", label_of(length(group))), align = "right")
    ),
    lapply(seq_along(groups), function(i) {
      col(keys[i + 1], sprintf("%s (n = %s)", groups[i], label_of(sizes[i])), align = "right")
    }),
    if (length(smd)) list(col("smd", "SMD", "number", 2)),
    if (length(tests)) list(col("p", "p", "p", 3))
  )
  rows <- unlist(
    lapply(seq_along(found), function(i) {
      one <- found[[i]]
      of <- function(what, part) numbers[[i]][[paste0(one$id, ".", what, part)]]
      cells <- function(cell) stats::setNames(lapply(parts, cell), keys)
      ends <- c(if (length(smd)) list(smd = smd[[i]]), if (length(tests)) list(p = tests[[i]]$p))
      gone <- if (of("missing", "") > 0) {
        list(c(list(variable = "Missing", level = 1), cells(function(part) label_of(of("missing", part)))))
      }
      if (one$numeric) {
        digits <- precision_of(one$values, ask$digits)
        shown <- cells(function(part) {
          if (of("n", part) == 0) {
            "–"
          } else if (one$parametric) {
            sprintf("%s (%s)", fixed(of("mean", part), digits), fixed(of("sd", part), digits))
          } else {
            sprintf(
              "%s (%s, %s)",
              fixed(of("median", part), digits),
              fixed(of("q1", part), digits),
              fixed(of("q3", part), digits)
            )
          }
        })
        return(c(
          list(c(
            list(variable = paste0(one$name, if (one$parametric) ", mean (SD)" else ", median (Q1, Q3)")),
            shown,
            ends
          )),
          gone
        ))
      }
      levels <- lapply(seq_along(one$levels), function(j) {
        c(
          list(variable = one$levels[j], level = 1),
          cells(function(part) {
            if (of("n", part) == 0) "–" else share(of(sprintf("level_%d.n", j), part), of("n", part))
          })
        )
      })
      c(list(c(list(variable = paste0(one$name, ", n (%)")), ends)), levels, gone)
    }),
    recursive = FALSE
  )
  named <- if (length(tests)) vapply(tests, `[[`, "", "name")
  gone <- length(ask$data[[1]]$values) - length(group)
  table_of(
    "main",
    "Characteristics",
    columns,
    rows,
    c(
      paste0(
        "Quartiles are of R's type 7. Percentages are of known values; missing ",
        "values are counted in rows of their own and left out elsewhere."
      ),
      if (gone) sprintf("%s without a group %s left out.", plural(gone, "row"), if (gone == 1) "was" else "were"),
      if (length(smd)) {
        sprintf(
          "SMD: standardised mean difference%s; for categories the Mahalanobis distance of their shares.",
          if (k > 2) ", averaged over all pairs of groups" else ""
        )
      },
      vapply(
        unique(named),
        function(name) {
          sprintf("p, %s: %s.", listed(vapply(found[named == name], `[[`, "", "name")), TABLE1_TESTS[[name]])
        },
        "",
        USE.NAMES = FALSE
      ),
      if (length(tests)) "p values are not adjusted for their number."
    )
  )
}

# Returns the sentence about the participants.
table1_sentence <- function(found, group, groups, n, smd, by) {
  sizes <- as.vector(table(group))
  largest <- if (length(smd)) which.max(unlist(smd))
  sentence(
    "The table shows ",
    if (length(found) <= 6) listed(vapply(found, `[[`, "", "said")) else plural(length(found), "characteristic"),
    " of ",
    plural(length(group), "row"),
    if (length(groups)) {
      sprintf(" by %s: %s", label(by), listed(sprintf("%s in %s", vapply(sizes, share, "", of = sum(sizes)), groups)))
    },
    ".",
    if (n$missing) {
      sprintf(" %s without a group %s left out.", plural(n$missing, "row"), if (n$missing == 1) "was" else "were")
    },
    if (length(largest)) {
      sprintf(
        " The largest standardised mean difference between the groups was %s, in %s.",
        fixed(smd[[largest]]),
        found[[largest]]$said
      )
    }
  )
}

# Returns the script lines of the analysis.
table1_script <- function(ask, found, group, tests, smd) {
  grouped <- nlevels(group) > 1
  numeric <- vapply(found, `[[`, NA, "numeric")
  lines <- unlist(lapply(seq_along(found), function(i) {
    one <- found[[i]]
    c(
      sprintf("%s(\"%s\", %s, group)", if (one$numeric) "summary_numbers" else "summary_levels", one$id, one$code),
      if (length(tests)) {
        sprintf(
          "%s.p = %s",
          one$id,
          if (tests[[i]]$name == "none") {
            "NA"
          } else {
            sprintf("table1_p(\"%s\", %s, group, %d)", tests[[i]]$name, one$code, ask$seed)
          }
        )
      },
      if (length(smd)) {
        sprintf("%s.smd = %s(%s, group)", one$id, if (one$numeric) "smd_numbers" else "smd_levels", one$code)
      }
    )
  }))
  script(c(
    if (grouped) {
      c(
        sprintf("group <- %s", factor_code(ask, ask$params$group, levels(group))),
        "d <- d[!is.na(group), , drop = FALSE]",
        "group <- group[!is.na(group)]"
      )
    } else {
      "group <- factor(rep(\"all\", nrow(d)))"
    },
    if (any(numeric)) code_of("summary_numbers"),
    if (!all(numeric)) code_of("summary_levels"),
    if (length(tests)) code_of("table1_p"),
    if (length(smd)) c(if (any(numeric)) code_of("smd_numbers"), if (!all(numeric)) code_of("smd_levels")),
    "result <- c(",
    paste0("  ", lines, c(rep(",", length(lines) - 1), "")),
    ")"
  ))
}
