# Power functions of the sample size designs, and the script lines that search for the number needed.

# Returns the power with a typed number of participants: list(numbers, code).
power_given <- function(ask, power_at, id = "power_at_n") {
  if (is.null(ask$params[["n"]])) {
    return(NULL)
  }
  list(
    numbers = list(n_given = ask$params[["n"]], power_at_n = power_at(ask$params[["n"]])),
    code = sprintf(
      "result$n_given <- %s; result$power_at_n <- power_at(%s)",
      literal(ask$params[["n"]]),
      literal(ask$params[["n"]])
    ),
    words = sprintf(
      " With %s%s the power would be %s.",
      plural(ask$params[["n"]], "participant"),
      if (id == "group") " in each group" else "",
      percent_words(round(power_at(ask$params[["n"]]), 3))
    )
  )
}

# Power of tests with n in each group: t tests by the noncentral t distribution like stats::power.t.test(), two
# proportions like power.prop.test(), means of groups like power.anova.test(). R's own search for n is less exact than
# ours.
t_power <- function(n, d, alpha, sides, samples) {
  df <- samples * (n - 1)
  stats::pt(stats::qt(1 - alpha / sides, df), df, ncp = sqrt(n / samples) * d, lower.tail = FALSE)
}

# Returns the power of the test of two proportions.
proportions_power <- function(n, p1, p2, alpha, sides) {
  stats::pnorm(
    (sqrt(n) * abs(p1 - p2) - stats::qnorm(1 - alpha / sides) * sqrt((p1 + p2) * (1 - (p1 + p2) / 2))) /
      sqrt(p1 * (1 - p1) + p2 * (1 - p2))
  )
}

# Returns the power of a one-way analysis of variance.
f_power <- function(n, groups, f, alpha) {
  df <- groups * (n - 1)
  stats::pf(stats::qf(1 - alpha, groups - 1, df), groups - 1, df, ncp = groups * n * f^2, lower.tail = FALSE)
}

# Returns how many are needed to find a correlation `r`.
correlation_size <- function(alpha, sides, power, r) {
  ((stats::qnorm(1 - alpha / sides) + stats::qnorm(power)) / atanh(r))^2 + 3
}

# Returns how many events a log-rank test needs.
log_rank_events <- function(alpha, sides, power, allocation, hazard_ratio) {
  (stats::qnorm(1 - alpha / sides) + stats::qnorm(power))^2 / (allocation * (1 - allocation) * log(hazard_ratio)^2)
}

# Returns the script lines that find how many are needed for `power`, at least `least`, with the power function `name`
# of `numbers`; earlier lines assign the numbers that are `known`.
search_code <- function(name, numbers, power, least = 2, known = character()) {
  c(
    code_of(name),
    assigned(c(numbers[setdiff(names(numbers), known)], power = power)),
    sprintf("power_at <- function(n) %s(n, %s)", name, paste(names(numbers), collapse = ", ")),
    sprintf(
      paste0(
        "exact <- if (power_at(%s) >= power) %s else uniroot(function(n) power_at(n) ",
        "- power, c(%s, 1e7), tol = 1e-9, maxiter = 10000)$root"
      ),
      literal(least),
      literal(least),
      literal(least)
    )
  )
}
