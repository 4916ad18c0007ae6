# Skew that mean and SD alone reveal. Values that cannot be negative lie within two SDs of their mean only if the mean
# is at least twice the SD; below that they are likely to be skewed (Altman and Bland 1996, BMJ 313:1200), and if the SD
# exceeds the mean they are skewed. A column counts as non-negative if none of its values is negative.

# Returns the SD divided by the mean, for values that are never negative. It is 0 if a value is negative, if the mean is
# not above the median, or with fewer than four values or three different ones.
spread_to_mean <- function(values) {
  known <- values[!is.na(values)]
  if (length(known) < 4 || length(unique(known)) < 3 || any(known < 0) || mean(known) <= stats::median(known)) {
    return(0)
  }
  stats::sd(known) / mean(known)
}

IS_LIKELY_SKEWED <- 0.5 # SD divided by mean
IS_SKEWED <- 1

# Returns the remark on one column, NULL if it is not skewed.
skew_words <- function(values, name) {
  ratio <- spread_to_mean(values)
  if (ratio <= IS_LIKELY_SKEWED) {
    return(NULL)
  }
  sprintf(
    "The SD of %s is %s, although no value is negative: it is %s. Report its median and quartiles.",
    name,
    if (ratio > IS_SKEWED) "larger than its mean" else "more than half its mean",
    if (ratio > IS_SKEWED) "skewed" else "likely to be skewed"
  )
}

# Returns the check of the values of each group, or of all: a list with one assumption, empty if no group is skewed.
skew_check <- function(values, group = rep(1, length(values)), groups = "", name = "the outcome") {
  ratios <- vapply(split(values, group), spread_to_mean, 0)
  worst <- which.max(ratios)
  if (ratios[[worst]] <= IS_LIKELY_SKEWED) {
    return(list())
  }
  text <- skew_words(
    split(values, group)[[worst]],
    if (groups[worst] == "") name else sprintf("%s in %s", name, groups[worst])
  )
  list(assumption("skew", "SD against mean", text, ratios[[worst]], status = "concern"))
}

# Returns advice that names the columns that mean and SD describe badly, NULL if there are none.
skew_advice <- function(found, what) {
  names <- vapply(
    Filter(function(one) one$numeric && spread_to_mean(one$values) > IS_LIKELY_SKEWED, found),
    `[[`,
    "",
    "name"
  )
  if (!length(names)) {
    return(NULL)
  }
  recommend(
    sprintf(
      paste0(
        "%s: the SD is more than half the mean, although no value is ",
        "negative, which speaks for skew (Altman and Bland 1996). %s"
      ),
      listed(utils::head(names, 6)),
      what
    ),
    strength = "advise"
  )
}
