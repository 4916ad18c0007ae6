# Sample sizes of comparisons.

# "23 participants are needed in each group (46 in all)"
groups_words <- function(n, groups = 2) {
  sprintf("%s are needed in each group (%s in all)", plural(n, "participant"), label_of(n * groups))
}

# Registers a design of a t test.
t_design <- function(name, title, what, samples, sd_name, source, told) {
  design(
    name,
    title,
    params = size_params(
      delta = number(what, required = FALSE),
      sd = number(sd_name, NULL, 1e-9, 1e9, required = FALSE),
      d = number("Or the standardised difference d", NULL, -100, 100, required = FALSE),
      n = n_param(
        if (samples == 2) "Power with this many participants in each group" else "Power with this many participants"
      )
    ),
    run = function(ask) t_run(ask, title, samples, sd_name, source, told)
  )
}

# Runs a design of a t test.
t_run <- function(ask, title, samples, sd_name, source, told) {
  l <- size_levels(ask)
  found <- difference_of(ask, sd_name)
  numbers <- list(d = found$d, alpha = l$alpha, sides = l$sides, samples = samples)
  power_at <- function(n) do.call(t_power, c(n, numbers))
  exact <- suppressWarnings(needed(power_at, l$power))
  given <- power_given(ask, power_at, if (samples == 2) "group" else "")
  size_result(
    ask,
    title,
    exact,
    groups = samples,
    assumed = c(
      if (is.null(ask$params[["d"]])) {
        c("Difference" = fmt_short(abs(ask$params$delta)), stats::setNames(fmt_short(ask$params$sd), sd_name))
      },
      c("Standardised difference d" = fmt(found$d, 3), size_rows(l))
    ),
    told = paste0(
      told(found$words, power_words(l), up(exact)),
      dropout_words(l, up(exact), if (samples == 2) "%s will be recruited to each group" else "%s will be recruited"),
      given$words
    ),
    source = source,
    numbers = c(list(d = found$d), given$numbers),
    code = c(
      found$code,
      search_code("t_power", numbers, l$power, known = "d")
    ),
    script_more = c("result$d <- d", given$code)
  )
}

# Returns the table rows of alpha, power and sides.
size_rows <- function(l) {
  c(
    "Significance level" = sprintf("%s, %s-sided", percent_words(l$alpha), c("one", "two")[l$sides]),
    "Power" = percent_words(l$power),
    if (l$dropout > 0) c("Drop-out" = percent_words(l$dropout))
  )
}

t_design(
  "two_means",
  "Sample size: two means",
  "Difference of the means",
  2,
  "SD",
  "Two-sample t test by the non-central t distribution, as power.t.test of R",
  function(words, power, n) {
    sprintf("To detect %s between the means of two groups %s, %s.", words, power, groups_words(n))
  }
)
t_design(
  "paired",
  "Sample size: paired means",
  "Mean of the differences",
  1,
  "SD of the differences",
  "Paired t test by the non-central t distribution, as power.t.test of R",
  function(words, power, n) {
    sprintf(
      "To detect %s between two measurements of the same people %s, %s needed.",
      words,
      power,
      plural(n, "pair is", "pairs are")
    )
  }
)

design(
  "two_proportions",
  "Sample size: two proportions",
  params = size_params(
    p1 = number("Proportion in group 1", NULL, 1e-6, 1 - 1e-6),
    p2 = number("Proportion in group 2", NULL, 1e-6, 1 - 1e-6),
    n = n_param("Power with this many participants in each group")
  ),
  run = function(ask) {
    l <- size_levels(ask)
    p1 <- ask$params$p1
    p2 <- ask$params$p2
    if (p1 == p2) {
      refuse("bad_option", "The two proportions are the same.", field = "params.p2")
    }
    numbers <- list(p1 = p1, p2 = p2, alpha = l$alpha, sides = l$sides)
    power_at <- function(n) do.call(proportions_power, c(n, numbers))
    exact <- needed(power_at, l$power, 1)
    given <- power_given(ask, power_at, "group")
    source <- paste0(
      "Test of two proportions by the normal approximation without ",
      "continuity correction (Fleiss 1981), as power.prop.test of R"
    )
    size_result(
      ask,
      "Sample size: two proportions",
      exact,
      groups = 2,
      assumed = c("Proportion, group 1" = percent_words(p1), "Proportion, group 2" = percent_words(p2), size_rows(l)),
      told = paste0(
        sprintf(
          "To detect a difference between %s and %s %s, %s.",
          percent_words(p1),
          percent_words(p2),
          power_words(l),
          groups_words(up(exact))
        ),
        dropout_words(l, up(exact), "%s will be recruited to each group"),
        given$words
      ),
      source = source,
      numbers = given$numbers,
      notes = if (up(exact) * min(p1, 1 - p1, p2, 1 - p2) < 5) {
        "Fewer than 5 events, or non-events, are expected in a group: plan with Fisher's exact test."
      },
      code = search_code("proportions_power", numbers, l$power, 1),
      script_more = given$code
    )
  }
)

design(
  "correlation",
  "Sample size: correlation",
  params = size_params(r = number("Correlation to detect", NULL, -0.9999, 0.9999)),
  run = function(ask) {
    l <- size_levels(ask)
    r <- abs(not_zero(ask$params$r, "r"))
    made <- formula_of("correlation_size", c(l[c("alpha", "sides", "power")], r = r))
    exact <- made$value
    too_many(exact)
    source <- "Fisher's z transformation: ((z of alpha + z of power) / atanh r)² + 3 (Hulley 2013, appendix 6C)"
    size_result(
      ask,
      "Sample size: correlation",
      exact,
      assumed = c("Correlation" = fmt_short(r), size_rows(l)),
      told = paste0(
        sprintf(
          "To detect a correlation of %s %s, %s are needed.",
          fmt_short(r),
          power_words(l),
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
  "anova",
  "Sample size: three or more means",
  params = size_params(
    groups = number("Groups", NULL, 2, 50, whole = TRUE, required = FALSE),
    f = number("Cohen's f", NULL, 1e-4, 100, required = FALSE),
    means = numbers("Or the means", most = 50),
    sd = number("SD within groups", NULL, 1e-9, 1e9, required = FALSE),
    n = n_param("Power with this many participants in each group")
  ),
  run = function(ask) {
    l <- size_levels(ask)
    p <- ask$params
    if (l$sides == 1) {
      refuse("bad_option", "An F test has no sides.", field = "params.sides", hint = "Leave it at 2.")
    }
    if (!is.null(p$means)) {
      if (!is.null(p$f)) {
        refuse("bad_option", "Give either the means and the SD, or f.", field = "params.f")
      }
      if (length(p$means) < 2) {
        refuse("bad_option", "At least two means are needed.", field = "params.means")
      }
      if (!is.null(p$groups) && p$groups != length(p$means)) {
        refuse("bad_option", "There are not as many means as groups.", field = "params.means")
      }
      if (is.null(p$sd)) {
        refuse("bad_option", "The SD is missing.", field = "params.sd")
      }
      groups <- length(p$means)
      f <- sqrt(mean((p$means - mean(p$means))^2)) / p$sd
      not_zero(f, "means")
      code <- sprintf(
        "groups <- %d; means <- %s; f <- sqrt(mean((means - mean(means))^2)) / %s",
        groups,
        literal(p$means),
        literal(p$sd)
      )
    } else {
      if (is.null(p$groups)) {
        refuse("bad_option", "The number of groups is missing.", field = "params.groups")
      }
      if (is.null(p$f)) {
        refuse(
          "bad_option",
          "The effect is missing.",
          field = "params.f",
          hint = "Give Cohen's f, or the means and the SD."
        )
      }
      groups <- p$groups
      f <- p$f
      code <- sprintf("groups <- %d; f <- %s", groups, literal(f))
    }
    power_at <- function(n) f_power(n, groups, f, l$alpha)
    exact <- suppressWarnings(needed(power_at, l$power))
    given <- power_given(ask, power_at, "group")
    source <- "One-way analysis of variance by the non-central F distribution (Cohen 1988), as power.anova.test of R"
    size_result(
      ask,
      "Sample size: three or more means",
      exact,
      groups = groups,
      assumed = c(
        "Groups" = label_of(groups),
        "Cohen's f" = fmt(f, 3),
        size_rows(l)[-1],
        "Significance level" = percent_words(l$alpha)
      ),
      told = paste0(
        sprintf(
          paste0(
            "To detect a difference between the means of %s groups with Cohen's ",
            "f = %s with %s power at a significance level of %s, %s."
          ),
          in_words(groups),
          fmt(f, 2),
          percent_words(l$power),
          percent_words(l$alpha),
          groups_words(up(exact), groups)
        ),
        dropout_words(l, up(exact), "%s will be recruited to each group"),
        given$words
      ),
      source = source,
      numbers = c(list(f = f), given$numbers),
      code = c(
        code,
        search_code("f_power", list(groups = groups, f = f, alpha = l$alpha), l$power, known = c("groups", "f"))
      ),
      script_more = c("result$f <- f", given$code)
    )
  }
)

design(
  "logrank",
  "Sample size: survival of two groups",
  params = size_params(
    hazard_ratio = number("Hazard ratio", NULL, 0.001, 1000),
    allocation = number("Share of participants in group 1", 0.5, 0.01, 0.99),
    event_rate = number("Expected share with the event", NULL, 1e-4, 1, required = FALSE)
  ),
  run = function(ask) {
    l <- size_levels(ask)
    p <- ask$params
    if (p$hazard_ratio == 1) {
      refuse("bad_option", "A hazard ratio of 1 cannot be found.", field = "params.hazard_ratio")
    }
    made <- formula_of("log_rank_events", c(l[c("alpha", "sides", "power")], p[c("allocation", "hazard_ratio")]))
    exact <- made$value
    too_many(exact)
    total <- if (!is.null(p$event_rate)) up(up(exact) / p$event_rate)
    if (!is.null(total)) {
      too_many(total)
    }
    source <- "Events for the log-rank test (Schoenfeld 1983, Biometrics 39:499)"
    size_result(
      ask,
      "Sample size: survival of two groups",
      exact,
      unit = "events",
      total = total,
      assumed = c(
        "Hazard ratio" = fmt_short(p$hazard_ratio),
        "Share in group 1" = percent_words(p$allocation),
        if (!is.null(p$event_rate)) c("Share with the event" = percent_words(p$event_rate)),
        size_rows(l)
      ),
      told = paste0(
        sprintf(
          "To detect a hazard ratio of %s %s, with %s of participants in group 1, %s are needed",
          fmt_short(p$hazard_ratio),
          power_words(l),
          percent_words(p$allocation),
          plural(up(exact), "event")
        ),
        if (!is.null(total)) {
          sprintf(
            "; if %s of participants have the event, this takes %s",
            percent_words(p$event_rate),
            plural(total, "participant")
          )
        } else {
          ""
        },
        ".",
        if (!is.null(total)) dropout_words(l, total, "%s will be recruited") else ""
      ),
      source = source,
      notes = if (is.null(total)) {
        "How many participants this takes depends on the share who have the event during the study."
      },
      code = made$code,
      script_more = if (!is.null(total)) sprintf("result$n_total <- up(result$events / %s)", literal(p$event_rate))
    )
  }
)
