# Sentences about tables of counts: how often each level was found in each group.

# Returns the row groups for a sentence. Counts that were typed have no columns, so their rows are numbered.
row_words <- function(found) {
  if (!found$reads) {
    return(found$rows)
  }
  if (any(is_bare(found$rows))) paste(found$row_name, "=", found$rows) else found$rows
}

# Returns a level of the columns: "Low birth weight = yes".
column_words <- function(found, j) {
  if (found$reads) paste(found$column_name, "=", found$columns[j]) else found$columns[j]
}

# Returns what the ratio or difference of a 2 x 2 table compares: "Low birth weight = yes, smokers against non-smokers".
compared_words <- function(found) {
  sprintf("%s, %s against %s", column_words(found, 2), row_words(found)[2], row_words(found)[1])
}

# Returns the sentence for chi-square and Fisher. `test` is the statistic in words, NULL if there is none.
counts_sentence <- function(found, method, test, p, estimates, v, alpha) {
  groups <- row_words(found)
  by <- if (found$reads) by_words(groups, found$row_name) else ""
  # the ratio that belongs to the test comes first
  ratio <- Filter(function(one) one$id %in% c("odds_ratio_exact", "odds_ratio"), estimates)
  sentence(
    by,
    if (ncol(found$counts) == 2) two_columns_words(found, groups, p < alpha) else more_columns_words(found, groups),
    " (",
    method,
    ", ",
    if (!is.null(test)) paste0(test, ", "),
    p_words(p),
    if (length(ratio)) paste0("; ", ratio_words(ratio[[1]], groups)),
    "; Cramér's ",
    it("V"),
    " = ",
    fixed(v[[1]]$value, 2),
    "; ",
    missing_words(found$n, known = found$reads),
    ")."
  )
}

# "Low birth weight was found in 29 of 115 (25.2%) among non-smokers and 30 of 74 (40.5%) among smokers, more often
# ...".
two_columns_words <- function(found, groups, told) {
  totals <- rowSums(found$counts)
  shares <- found$counts[, 2] / totals
  said <- vapply(seq_along(totals), function(i) of_words(found$counts[i, 2], totals[i]), "")
  what <- if (found$reads) found_words(found$column_name, found$columns[2]) else paste(found$columns[2], "was found")
  paste0(
    what,
    " in ",
    groups_sentence(shares, said, groups, joint = "among"),
    if (length(groups) == 2) {
      direction_words(shares, groups, fixed(100 * shares, 1), "among", "more often", told)
    } else if (length(groups) <= 5) {
      extremes_words(shares, groups, fixed(100 * shares, 1), "among", c("most often", "least often"), told)
    }
  )
}

# Returns the share of each level if there are few, else only what was compared.
more_columns_words <- function(found, groups) {
  if (length(found$counts) > 12) {
    return(sprintf(
      "%s with its %s levels was compared across %s (every share stands in the table)",
      if (found$reads) found$column_name else "A grouping",
      in_words(ncol(found$counts)),
      if (found$reads) {
        sprintf("the %s levels of %s", in_words(nrow(found$counts)), found$row_name)
      } else {
        sprintf("%s groups", in_words(nrow(found$counts)))
      }
    ))
  }
  each <- vapply(
    seq_along(groups),
    function(i) {
      total <- sum(found$counts[i, ])
      counts <- vapply(
        seq_along(found$columns),
        function(j) if (j == 1) of_words(found$counts[i, j], total) else share(found$counts[i, j], total),
        ""
      )
      sprintf("%s among %s", listed(sprintf("%s in %s", found$columns, counts)), groups[i])
    },
    ""
  )
  sprintf("%s %s", if (found$reads) paste(found$column_name, "was") else "Counts were", paste(each, collapse = "; "))
}

# "odds ratio (smokers against non-smokers) 2.02 (95% CI 1.08 to 3.78)".
ratio_words <- function(one, groups) {
  name <- sprintf(
    "%s (%s against %s, the reference)",
    if (one$id == "odds_ratio_exact") "conditional odds ratio" else "odds ratio",
    groups[2],
    groups[1]
  )
  ci <- ci_of(one)
  side <- if (is.null(one$side)) "two.sided" else one$side
  if (is.na(one$value)) {
    return(sprintf("%s not estimable, since a row or column has no counts", name))
  }
  value <- if (is.infinite(one$value)) "infinite, since a cell is 0" else fixed(one$value, one$digits)
  paste0(name, " ", value, if (!anyNA(ci)) sprintf(" (%s)", ci_words(ci[1], ci[2], one$conf_level, one$digits, side)))
}
