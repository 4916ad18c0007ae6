# The parts that comparisons of groups share: rows, group names for sentences, checks in words, and pieces of scripts.

# Returns the rows with values in both the outcome and the group. `levels` limits the number of groups, `suggest` names
# the analysis for more, `least_each` is the smallest group size. With `ordinal` an ordered column may be the outcome,
# by its numbers or by the ranks of its levels. Returns list(used, n, sizes, outcome, group, groups, said, unit, by,
# digits, scale, lines): a data frame of outcome and group; the counts; labels of both columns, and of the groups for
# sentences; the outcome without its unit, and the unit; the beginning of a sentence; the decimals of the outcome; the
# levels behind the ranks (NULL for numbers); and the lines of a script that make `used`.
grouped_rows <- function(ask, levels = c(2, 2), suggest = NULL, least = 4, least_each = 2, ordinal = FALSE) {
  if (identical(ask$params$outcome, ask$params$group)) {
    refuse(
      "bad_option",
      sprintf("%s is both what was measured and the groups.", name_of(ask, "group")),
      field = "params.group",
      column = ask$params$group
    )
  }
  group <- factor_of(ask, "group", levels = levels, suggest = suggest)
  measured <- measured_of(ask, "outcome", ordinal = ordinal)
  rows <- complete(outcome = measured$values, group = group, by = "group", least = least)
  used <- rows$used
  if (nlevels(used$group) < levels[[1]]) {
    refuse(
      "group_levels",
      sprintf(
        "%s groups are left once incomplete rows are out; %s are needed.",
        capital(in_words(nlevels(used$group))),
        in_words(levels[[1]])
      ),
      field = "params.group",
      column = ask$params$group,
      hint = "Look at what is missing in the chosen columns."
    )
  }
  refuse_constant_of(ask, used$outcome, "outcome")
  sizes <- table(used$group)
  few <- names(sizes)[sizes < least_each]
  if (length(few)) {
    refuse(
      "too_few_observations",
      sprintf(
        "Each group needs at least %s values; “%s” has %s.",
        in_words(least_each),
        shortened(few[1], 40),
        in_words(sizes[[few[1]]])
      ),
      field = "params.group",
      column = ask$params$group,
      hint = "Leave this group out or join it with another."
    )
  }
  list(
    used = used,
    n = rows$n,
    sizes = as.vector(sizes),
    outcome = label(name_of(ask, "outcome")),
    group = label(name_of(ask, "group")),
    said = said_of(ask, "outcome"),
    unit = unit_of(ask, "outcome"),
    by = by_words(group_words(levels(used$group), name_of(ask, "group")), name_of(ask, "group")),
    digits = precision_of(used$outcome, ask$digits),
    groups = group_words(levels(used$group), name_of(ask, "group")),
    scale = measured$levels,
    lines = c(
      paste("outcome <-", measured$code),
      sprintf("group <- %s", factor_code(ask, ask$params$group, levels(used$group))),
      "used <- na.omit(data.frame(outcome, group))"
    )
  )
}

# Returns a measured column: list(values, levels, code). With `ordinal`, an ordered column with words as levels is
# replaced by the positions of its levels, from 1, which is all that rank tests need.
measured_of <- function(ask, param, id = ask$params[[param]], ordinal = FALSE) {
  one <- ask$data[[id]]
  if (ordinal && one$type == "ordered" && length(one$levels) && anyNA(suppressWarnings(as.numeric(one$levels)))) {
    made <- factor_of(ask, param, id)
    return(list(
      values = as.numeric(made),
      levels = levels(made),
      code = sprintf("as.numeric(%s)", factor_code(ask, id, levels(made)))
    ))
  }
  list(values = bounded_of(ask, param, id), levels = NULL, code = numeric_code(ask, id))
}

# Like refuse_constant(), also for a column that is one of several.
refuse_constant_of <- function(ask, values, param, id = ask$params[[param]]) {
  if (length(unique(values)) < 2) {
    refuse(
      "constant_variable",
      sprintf("All values of %s are the same.", ask$data[[id]]$name),
      field = paste0("params.", param),
      column = id,
      hint = "There is nothing to compare in a column of one value."
    )
  }
}

# Returns a difference in location for a sentence: 0 if R, which finds it by bisection, cannot tell it from 0 among
# `values`.
beside <- function(difference, values) {
  if (!is.na(difference) && abs(difference) < halving(diff(range(values)))) 0 else difference
}

# Returns a number of an ordinal outcome in words: its level, or "between mild and severe".
scale_words <- function(value, scale, digits) {
  if (is.null(scale)) {
    return(fixed(value, digits))
  }
  ends <- unique(vapply(scale[c(floor(value), ceiling(value))], label, "", most = 40, USE.NAMES = FALSE))
  if (length(ends) == 1) ends else paste("between", ends[1], "and", ends[2])
}

# Returns medians with quartiles for a sentence, and as columns and cells of a table; ordinal outcomes in words.
median_words <- function(numbers, scale, digits, unit = "", sizes = numbers["n", ]) {
  size <- if (is.null(sizes)) "" else sprintf("n = %s", vapply(sizes, label_of, ""))
  if (!is.null(scale)) {
    return(paste0(
      vapply(numbers["median", ], scale_words, "", scale = scale, digits = digits),
      if (any(nzchar(size))) sprintf(" (%s)", size)
    ))
  }
  sprintf(
    "%s (quartiles %s to %s%s)",
    in_unit(fixed(numbers["median", ], digits), unit),
    fixed(numbers["q1", ], digits),
    fixed(numbers["q3", ], digits),
    if (any(nzchar(size))) paste0(", ", size) else ""
  )
}

# Returns the table columns of medians with quartiles.
median_columns <- function(key, title, scale, digits) {
  format <- if (is.null(scale)) "number" else "text"
  list(
    col(key, title),
    col("n", "n", "integer"),
    col("median", "Median", format, digits),
    col("q1", "First quartile", format, digits),
    col("q3", "Third quartile", format, digits)
  )
}

# Returns the table cells of medians with quartiles.
median_cells <- function(numbers, scale, digits) {
  sapply(
    c("median", "q1", "q3"),
    function(name) if (is.null(scale)) numbers[[name]] else scale_words(numbers[[name]], scale, digits),
    simplify = FALSE
  )
}

# Shapiro-Wilk test of `values`, which are called `what` ("the residuals"). It is reported and chooses nothing.
normality_check <- function(values, what, concern) {
  test <- paste("Shapiro-Wilk on", what)
  if (length(values) < 3 || length(values) > 5000 || !shapiro_can(values)) {
    why <- if (length(values) > 5000) {
      "With more than 5,000 values the test finds every small deviation"
    } else {
      "There are too few different values for the test"
    }
    return(assumption("normality", test, paste0(why, ". Look at the Q-Q plot instead."), status = "not_run"))
  }
  found <- stats::shapiro.test(values)
  skewed <- found$p.value < 0.05
  assumption(
    "normality",
    test,
    if (skewed) {
      paste(capital(what), "are not shaped like a normal distribution.", concern)
    } else {
      sprintf("Nothing speaks against a normal distribution of %s.", what)
    },
    found$statistic,
    found$p.value,
    if (skewed) "concern" else "ok"
  )
}

# Returns whether shapiro.test() accepts the values: it fails if they are nearly equal relative to their size.
shapiro_can <- function(values) {
  spread <- diff(range(values))
  length(values) >= 3 && length(values) <= 5000 && spread > 0 && spread >= 1e-10 * max(abs(values))
}

# Returns advice if a test of means met skewed values in small groups. The planned test stays (SPEC N4: advice, no
# switch). `skew` comes from skew_check().
skewed_advice <- function(check, sizes, test, alternative, ordinal = FALSE, skew = list()) {
  if (ordinal) {
    return(recommend(
      sprintf("The outcome is ordinal: its distances are not known. The %s needs only its order.", test),
      alternative,
      "advise"
    ))
  }
  skewed <- length(skew) > 0 && skew[[1]]$statistic > IS_SKEWED
  if ((check$status == "concern" || skewed) && any(sizes < 30)) {
    return(recommend(
      sprintf(
        paste0(
          "Values are skewed or have outliers and a group has fewer than 30. ",
          "Compare with the %s. What the protocol planned stands first."
        ),
        test
      ),
      alternative,
      "advise"
    ))
  }
  NULL
}

# Returns mean, SD and the five-number summary of each group, a row for each statistic. Quartiles are R's type 7, its
# default.
described <- function(values, group) {
  sapply(split(values, group), function(x) {
    c(
      n = length(x),
      mean = mean(x),
      sd = stats::sd(x),
      min = min(x),
      q1 = stats::quantile(x, 0.25, names = FALSE),
      median = stats::median(x),
      q3 = stats::quantile(x, 0.75, names = FALSE),
      max = max(x)
    )
  })
}

# Returns estimates mean_1, mean_2, ... from described(); `numbers` are its rows, `titles` their names for people.
group_estimates <- function(numbers, groups, rows, titles, digits = NULL) {
  unlist(
    lapply(seq_along(groups), function(i) {
      lapply(seq_along(rows), function(j) {
        estimate(
          sprintf("%s_%d", rows[j], i),
          sprintf("%s, %s", titles[j], groups[i]),
          numbers[rows[j], i],
          digits = digits
        )
      })
    }),
    recursive = FALSE
  )
}

# The same in a script: names mean_1, mean_2, ... for a row of numbers.
numbered <- function(name, values) stats::setNames(as.vector(values), paste(name, seq_along(values), sep = "_"))

# Returns the script line of numbered().
numbered_code <- function(rows, of = "numbers") sprintf("  numbered(\"%s\", %s[\"%s\", ])", rows, of, rows)
