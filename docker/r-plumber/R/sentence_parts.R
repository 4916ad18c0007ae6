# Building blocks of the sentences of all analyses: names of columns, levels and groups, the direction of a difference,
# and decimals. A sentence must be clear on its own, so a level is never given without its column.

# Returns the number of decimals for means, SDs, quartiles and differences of `values`: one more than the data have, at
# most `digits` unless the SD needs more for two significant digits; none if the SD is at least 1,000 and the data are
# whole numbers.
precision_of <- function(values, digits = 2) {
  values <- values[is.finite(values)]
  spread <- if (length(values) > 1) stats::sd(values) else 0
  own <- decimals_in(values)
  if (own == 0 && spread >= 1000) {
    return(0)
  }
  need <- if (spread > 0) 1 - floor(log10(spread)) else 0
  min(own + 1, max(digits, min(need, 6)))
}

# Returns how many decimals the values were written with: as many as 99% of them need.
decimals_in <- function(values) {
  values <- utils::head(values[is.finite(values)], 5000)
  if (!length(values)) {
    return(0)
  }
  for (digits in 0:5) {
    if (mean(abs(values - round(values, digits)) < 1e-9 * pmax(1, abs(values))) >= 0.99) return(digits)
  }
  6
}

# Returns the number of decimals for a ratio and its interval, `values`: enough that none reads 0.00 (at most four), and
# that no end of the interval rounds to the value `null` of no difference.
ratio_digits <- function(values, digits = 2, null = 1) {
  found <- abs(values[is.finite(values) & values != 0])
  if (length(found) && min(found) < 10^-digits) {
    digits <- max(digits, min(4, ceiling(-log10(min(found)))))
  }
  apart_digits(values[-1], digits, null)
}

# --- columns and levels
# --------------------------------------------------------------------------------------------------

# Returns the name of a column for a sentence, without its unit, which follows the numbers.
said_of <- function(ask, param, id = ask$params[[param]]) label(ask$data[[id]]$said)

# Returns the unit of a column.
unit_of <- function(ask, param, id = ask$params[[param]]) label(ask$data[[id]]$unit, 30)

# Returns text with a unit: "3055.7 g", "45.2%".
in_unit <- function(text, unit) {
  if (!nzchar(unit)) {
    return(text)
  }
  ifelse(grepl("^[0-9−]", text), paste0(text, if (unit %in% c("%", "°")) "" else " ", unit), text)
}

# Returns the unit that several columns share, "" if they differ.
shared_unit <- function(ask, ids) {
  units <- unique(vapply(ids, function(id) unit_of(ask, id = id), ""))
  if (length(units) == 1) units else ""
}

YES <- c("yes", "true", "ja", "oui", "si", "sí", "sim", "haan", "हाँ", "हां", "是", "نعم", "да")
NO <- c("no", "false", "nein", "non", "não", "nahi", "nahin", "नहीं", "否", "لا", "нет")

# Returns whether a level means nothing without the name of its column: numbers, yes and no, symbols, one to three
# letters.
is_bare <- function(levels) {
  tolower(levels) %in% c(YES, NO) | !grepl("[[:alpha:]]", levels) | nchar(levels) <= 3
}

# Returns levels as labels that stay distinct even if they were shortened.
level_words <- function(levels, most = 60) {
  said <- vapply(levels, label, "", most = most, USE.NAMES = FALSE)
  said[!nzchar(said)] <- "(blank)"
  again <- duplicated(said) | duplicated(said, fromLast = TRUE)
  said[again] <- sprintf("%s [%d]", said[again], seq_along(said)[again])
  said
}

# Returns groups for a sentence: "steroid" as it is, but "sex = 1" and "Diabetes = yes" for all levels of a column if
# one of them means nothing alone.
group_words <- function(levels, name) {
  said <- level_words(levels)
  if (any(is_bare(said))) paste(label(name, 60), "=", said) else said
}

# Returns a level with its column: "Low birth weight = yes", "Arm = steroid".
level_of_column <- function(name, level) paste(label(name), "=", level_words(level))

# Returns "By Smoking status, " if the groups do not name their column themselves, else "".
by_words <- function(groups, name) {
  if (all(startsWith(groups, paste(label(name, 60), "=")))) "" else sprintf("By %s, ", label(name))
}

# Returns the beginning of a sentence about a level: "Low birth weight was found", "low = 1 was found", "Outcome was
# Poor".
found_words <- function(name, level) {
  told <- grepl("^[[:alpha:]][[:alpha:] '’-]{4,}$", name) &&
    !tolower(name) %in% c("outcome", "result", "event", "status", "value", "group", "test", "answer")
  if (tolower(level) %in% YES && told) {
    return(paste(name, "was found"))
  }
  if (is_bare(level)) sprintf("%s = %s was found", name, level) else sprintf("%s was %s", name, level)
}

# --- numbers in groups
# ---------------------------------------------------------------------------------------------------

# Returns a share in words: "15 of 60 (25.0%)", "15 of 60 pairs (25.0%)".
of_words <- function(count, total, noun = "") {
  sprintf(
    "%s of %s%s (%s)",
    label_of(count),
    label_of(total),
    if (nzchar(noun)) paste0(" ", noun) else "",
    if (total > 0) paste0(fixed(100 * count / total, 1), "%") else "none"
  )
}

# The same for use inside brackets: "15 of 60, 25.0%".
of_inside <- function(count, total) sub(" \\((.*)\\)$", ", \\1", of_words(count, total))

# Returns mean and SD of each group: "3055.7 g (SD 752.7, n = 115)".
mean_words <- function(means, sds, digits, unit = "", sizes = NULL) {
  sprintf(
    "%s (SD %s%s)",
    in_unit(fixed(means, digits), unit),
    fixed(sds, digits),
    if (is.null(sizes)) "" else paste0(", n = ", vapply(sizes, label_of, ""))
  )
}

# Returns which of two groups is higher: ", higher in A than in B". `shown` are the numbers as printed: two that read
# the same are not called higher, and neither are two whose test found no difference (`told` is FALSE). `joint` is "in",
# "for" or "among".
direction_words <- function(values, groups, shown = values, joint = "in", more = "higher", told = TRUE) {
  if (anyNA(values)) {
    return("")
  }
  if (isTRUE(all.equal(values[[1]], values[[2]], tolerance = 1e-12))) {
    return(sprintf(", the same %s both", joint))
  }
  if (identical(shown[[1]], shown[[2]])) {
    return(sprintf(", nearly the same %s both", joint))
  }
  if (!isTRUE(told)) {
    return("")
  }
  first <- if (values[[1]] > values[[2]]) 1 else 2
  sprintf(", %s %s %s than %s %s", more, joint, groups[first], joint, groups[3 - first])
}

# The same for more than two groups: ", highest in white and lowest in black".
extremes_words <- function(values, groups, shown = values, joint = "in", words = c("highest", "lowest"), told = TRUE) {
  if (length(values) == 2) {
    return(direction_words(values, groups, shown, joint, sub("est$", "er", words[1]), told))
  }
  if (anyNA(values)) {
    return("")
  }
  if (length(unique(shown)) == 1) {
    return(sprintf(", %s same %s all", if (max(values) == min(values)) "the" else "nearly the", joint))
  }
  ends <- lapply(c(max(values), min(values)), function(end) groups[values == end])
  if (!isTRUE(told) || any(lengths(ends) > 3)) {
    return("")
  }
  sprintf(", %s %s %s and %s %s %s", words[1], joint, listed(ends[[1]]), words[2], joint, listed(ends[[2]]))
}

# Returns a list of the groups with their numbers; for more than `most` groups only the lowest and the highest.
groups_sentence <- function(values, described, groups, most = 5, joint = "in") {
  if (length(groups) <= most) {
    return(listed(sprintf("%s %s %s", described, joint, groups)))
  }
  ends <- c(which.min(values), which.max(values))
  sprintf(
    "from %s %s %s to %s %s %s, the lowest and the highest of %s groups",
    described[ends[1]],
    joint,
    groups[ends[1]],
    described[ends[2]],
    joint,
    groups[ends[2]],
    label_of(length(groups))
  )
}

# Returns the sidedness of a test: "two-sided", or "one-sided for higher values in A than in B".
side_words <- function(alternative, first, second, what = "higher values", joint = "in") {
  if (alternative == "two.sided") {
    return("two-sided")
  }
  ends <- if (alternative == "greater") c(first, second) else c(second, first)
  sprintf("one-sided for %s %s %s than %s %s", what, joint, ends[1], joint, ends[2])
}

# Returns a difference: "mean (A minus B) 283.8 g (95% CI 78.6 to 489.0". The caller closes the bracket.
minus_words <- function(what, groups, shown) sprintf("%s (%s minus %s) %s", what, groups[1], groups[2], shown)

# Returns which group has higher ranks, by the sign of the rank-biserial correlation: medians can be equal when ranks
# differ.
ranked_words <- function(biserial, groups, joint = "in", told = TRUE) {
  if (is.na(biserial)) {
    return("")
  }
  if (abs(biserial) < 1e-12) {
    return(sprintf(", with no difference in ranks between %s and %s", groups[1], groups[2]))
  }
  if (!isTRUE(told)) {
    return("")
  }
  first <- if (biserial > 0) 1 else 2
  sprintf(", with higher ranks %s %s than %s %s", joint, groups[first], joint, groups[3 - first])
}

# Returns the beginning of a sentence, in lower case after a first phrase: "By Arm, the mean of ".
begun <- function(by, text) if (nzchar(by)) paste0(by, tolower(substr(text, 1, 1)), substring(text, 2)) else text
