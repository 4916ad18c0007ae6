# What the Mann-Whitney and the Wilcoxon signed-rank test share.

# Returns the estimates of a rank test: the Hodges-Lehmann difference unless the values are steps of a `scale`, then
# median and quartiles of both `sides`. `found` has shift, low and high; `open` names an end without a limit, or is "".
rank_estimates <- function(found, sides, numbers, scale, digits, difference_digits, open, conf_level) {
  c(
    if (is.null(scale)) {
      list(estimate(
        "median_difference",
        sprintf("Hodges-Lehmann difference, %s minus %s", sides[1], sides[2]),
        found["shift"],
        found["low"],
        found["high"],
        conf_level,
        digits = difference_digits,
        open = if (open != "") open
      ))
    },
    group_estimates(numbers, sides, c("median", "q1", "q3"), c("Median", "First quartile", "Third quartile"), digits)
  )
}

# Returns the rank-biserial correlation as an effect size, computed by `method`.
rank_effect <- function(biserial, conf_level, method) {
  effect_size(
    "rank_biserial",
    "Rank-biserial correlation",
    biserial["value"],
    biserial["low"],
    biserial["high"],
    conf_level = conf_level,
    method = method
  )
}
