# Sample sizes of estimates: enough people for a confidence interval of a given width. They do not depend on power.

# "with 95% confidence"
precision_words <- function(l) sprintf("with %s confidence", percent_words(1 - l$alpha))
# Returns the table rows of the confidence level and the dropout.
level_rows <- function(l) {
  c("Confidence" = percent_words(1 - l$alpha), if (l$dropout > 0) c("Drop-out" = percent_words(l$dropout)))
}

design(
  "single_proportion",
  "Sample size: one proportion",
  params = size_params(
    p = number("Expected proportion", NULL, 1e-6, 1 - 1e-6),
    precision = number("Precision (half the interval's width)", NULL, 1e-6, 0.5),
    population = number("Size of the population, if it is small", NULL, 2, 1e12, whole = TRUE, required = FALSE)
  ),
  run = function(ask) {
    l <- size_levels(ask)
    p <- ask$params
    population <- if (is.null(p$population)) Inf else p$population
    z <- stats::qnorm(1 - l$alpha / 2)
    endless <- proportion_size(z, p$p, p$precision)
    exact <- proportion_size(z, p$p, p$precision, population)
    too_many(exact)
    source <- paste0(
      "Cochran 1977: z² p (1 − p) / d²",
      if (!is.null(p$population)) ", with the correction n N / (N + n − 1) for a finite population" else ""
    )
    size_result(
      ask,
      "Sample size: one proportion",
      exact,
      assumed = c(
        "Proportion" = percent_words(p$p),
        "Precision" = sprintf("± %s points", fmt_short(100 * p$precision)),
        if (!is.null(p$population)) c("Population" = label_of(p$population)),
        level_rows(l)
      ),
      told = paste0(
        sprintf(
          "To estimate a proportion of %s to within %s percentage points %s%s, %s are needed.",
          percent_words(p$p),
          fmt_short(100 * p$precision),
          precision_words(l),
          if (!is.null(p$population)) sprintf(" in a population of %s", label_of(p$population)) else "",
          plural(up(exact), "participant")
        ),
        dropout_words(l, up(exact), "%s will be recruited")
      ),
      source = source,
      numbers = list(n_exact_z196 = proportion_size(1.96, p$p, p$precision, population), n_infinite = endless),
      notes = c(
        "With z = 1.96 instead of 1.959964 the numbers before rounding up differ in the last places.",
        if (p$precision >= p$p || p$precision >= 1 - p$p) {
          "The interval would reach below 0 or above 100%: choose a smaller precision."
        }
      ),
      code = c(
        code_of("proportion_size"),
        assigned(list(p = p$p, precision = p$precision, population = population, alpha = l$alpha)),
        "exact <- proportion_size(qnorm(1 - alpha / 2), p, precision, population)"
      ),
      script_more = paste0(
        "result$n_exact_z196 <- proportion_size(1.96, p, precision, population); ",
        "result$n_infinite <- proportion_size(qnorm(1 - alpha / 2), p, precision)"
      )
    )
  }
)

# Returns how many are needed to estimate a mean to within `precision`.
mean_size <- function(alpha, sd, precision) (stats::qnorm(1 - alpha / 2) * sd / precision)^2

# Returns how many are needed to estimate a share `p` to within `precision`; fewer for a small population.
proportion_size <- function(z, p, precision, population = Inf) {
  n <- z^2 * p * (1 - p) / precision^2
  if (is.finite(population)) n * population / (population + n - 1) else n
}

design(
  "single_mean",
  "Sample size: one mean",
  params = size_params(
    sd = number("SD", NULL, 1e-9, 1e9, required = FALSE),
    precision = number("Precision (half the interval's width)", NULL, 1e-12, 1e12, required = FALSE),
    delta = number("Or the difference from a known mean", required = FALSE),
    d = number("Or the standardised difference d", NULL, -100, 100, required = FALSE),
    n = n_param("Power with this many participants")
  ),
  run = function(ask) {
    p <- ask$params
    if (is.null(p$precision)) {
      return(t_run(
        ask,
        "Sample size: one mean against a known value",
        1,
        "SD",
        "One-sample t test by the non-central t distribution, as power.t.test of R",
        function(words, power, n) {
          sprintf("To detect %s from a known mean %s, %s are needed.", words, power, plural(n, "participant"))
        }
      ))
    }
    if (!is.null(p$delta) || !is.null(p[["d"]]) || !is.null(p[["n"]])) {
      refuse("bad_option", "Give either a precision or a difference.", field = "params.precision")
    }
    if (is.null(p$sd)) {
      refuse("bad_option", "The SD is missing.", field = "params.sd")
    }
    l <- size_levels(ask)
    made <- formula_of("mean_size", c(l["alpha"], p[c("sd", "precision")]))
    exact <- made$value
    too_many(exact)
    source <- "(z SD / d)² (Cochran 1977)"
    size_result(
      ask,
      "Sample size: one mean",
      exact,
      assumed = c("SD" = fmt_short(p$sd), "Precision" = sprintf("± %s", fmt_short(p$precision)), level_rows(l)),
      told = paste0(
        sprintf(
          "To estimate a mean to within %s %s at an SD of %s, %s are needed.",
          fmt_short(p$precision),
          precision_words(l),
          fmt_short(p$sd),
          plural(up(exact), "participant")
        ),
        dropout_words(l, up(exact), "%s will be recruited")
      ),
      source = source,
      code = made$code
    )
  }
)

design(
  "diagnostic",
  "Sample size: a diagnostic test",
  params = size_params(
    sensitivity = number("Expected sensitivity", NULL, 1e-4, 1 - 1e-4, required = FALSE),
    specificity = number("Expected specificity", NULL, 1e-4, 1 - 1e-4, required = FALSE),
    precision = number("Precision (half the interval's width)", NULL, 1e-5, 0.5),
    prevalence = number("Prevalence among those tested", NULL, 1e-5, 1 - 1e-5)
  ),
  run = function(ask) {
    l <- size_levels(ask)
    p <- ask$params
    if (is.null(p$sensitivity) && is.null(p$specificity)) {
      refuse("bad_option", "Sensitivity or specificity is missing.", field = "params.sensitivity")
    }
    z <- stats::qnorm(1 - l$alpha / 2)
    ill <- if (!is.null(p$sensitivity)) proportion_size(z, p$sensitivity, p$precision)
    well <- if (!is.null(p$specificity)) proportion_size(z, p$specificity, p$precision)
    exact <- max(ill / p$prevalence, well / (1 - p$prevalence))
    too_many(exact)
    source <- paste0(
      "Buderer 1996 (Acad Emerg Med 3:895): z² Se (1 − Se) / d² with and ",
      "z² Sp (1 − Sp) / d² without the disease, each divided by its share"
    )
    part <- function(id, title, n, share) {
      list(
        estimate(paste0("n_", id), title, up(n)),
        estimate(paste0("n_total_", id), sprintf("%s: in all", title), up(n / share))
      )
    }
    more <- c(
      if (!is.null(ill)) part("diseased", "With the disease, for sensitivity", ill, p$prevalence),
      if (!is.null(well)) part("healthy", "Without the disease, for specificity", well, 1 - p$prevalence)
    )
    aims <- c(
      if (!is.null(ill)) sprintf("a sensitivity of %s", percent_words(p$sensitivity)),
      if (!is.null(well)) sprintf("a specificity of %s", percent_words(p$specificity))
    )
    parts <- c(
      if (!is.null(ill)) sprintf("%s with", label_of(up(ill))),
      if (!is.null(well)) sprintf("%s without", label_of(up(well)))
    )
    size_result(
      ask,
      "Sample size: a diagnostic test",
      exact,
      more = more,
      assumed = c(
        if (!is.null(ill)) c("Sensitivity" = percent_words(p$sensitivity)),
        if (!is.null(well)) c("Specificity" = percent_words(p$specificity)),
        "Precision" = sprintf("± %s points", fmt_short(100 * p$precision)),
        "Prevalence" = percent_words(p$prevalence),
        level_rows(l)
      ),
      told = paste0(
        sprintf(
          paste0(
            "To estimate %s to within %s percentage points %s, %s the ",
            "disease are needed; at a prevalence of %s this takes %s."
          ),
          listed(aims),
          fmt_short(100 * p$precision),
          precision_words(l),
          listed(parts),
          percent_words(p$prevalence),
          plural(up(exact), "participant")
        ),
        dropout_words(l, up(exact), "%s will be recruited")
      ),
      source = source,
      numbers = c(if (!is.null(ill)) list(n_diseased_exact = ill), if (!is.null(well)) list(n_healthy_exact = well)),
      code = c(
        code_of("proportion_size"),
        assigned(list(alpha = l$alpha, precision = p$precision, prevalence = p$prevalence)),
        "z <- qnorm(1 - alpha / 2)",
        if (!is.null(ill)) sprintf("ill <- proportion_size(z, %s, precision)", literal(p$sensitivity)),
        if (!is.null(well)) sprintf("well <- proportion_size(z, %s, precision)", literal(p$specificity)),
        sprintf(
          "exact <- max(%s)",
          paste(
            c(if (!is.null(ill)) "ill / prevalence", if (!is.null(well)) "well / (1 - prevalence)"),
            collapse = ", "
          )
        )
      ),
      script_more = c(
        if (!is.null(ill)) {
          paste0(
            "result$n_diseased_exact <- ill; result$n_diseased <- up(ill); ",
            "result$n_total_diseased <- up(ill / prevalence)"
          )
        },
        if (!is.null(well)) {
          paste0(
            "result$n_healthy_exact <- well; result$n_healthy <- up(well); ",
            "result$n_total_healthy <- up(well / (1 - prevalence))"
          )
        }
      )
    )
  }
)
