# Sample sizes (SPEC N3): each with a sentence for a protocol, a script, and the source of its formula. The designs are
# in sample_size_tests.R (comparisons) and sample_size_precision.R (estimates with a given precision).

MOST_NEEDED <- 1e7

# Returns the parameters of a design, with those that every design has.
size_params <- function(...) {
  c(
    list(...),
    list(
      alpha = number("Significance level", 0.05, 1e-6, 0.5),
      power = number("Power", 0.8, 0.5, 0.9999),
      sides = number("Sides of the test (1 or 2)", 2, 1, 2, whole = TRUE),
      dropout = number("Expected dropout", 0, 0, 0.9)
    )
  )
}

# A parameter for a given number of participants, to compute the power instead of the number.
n_param <- function(title) number(title, NULL, 2, MOST_NEEDED, whole = TRUE, required = FALSE)

# Returns alpha and power of the parameters with their z values, as a list.
size_levels <- function(ask) {
  p <- ask$params
  list(
    alpha = p$alpha,
    power = p$power,
    sides = p$sides,
    z_alpha = stats::qnorm(1 - p$alpha / p$sides),
    z_power = stats::qnorm(p$power),
    dropout = p$dropout
  )
}

# Returns how many are needed, before rounding up and at least `least`; `power_at(n)` must rise with n.
needed <- function(power_at, power, least = 2) {
  if (power_at(least) >= power) {
    return(least)
  }
  if (power_at(MOST_NEEDED) < power) {
    refuse(
      "bad_option",
      "More than ten million people would be needed.",
      field = "params",
      hint = "The difference is too small to be studied. Check the numbers."
    )
  }
  stats::uniroot(function(n) power_at(n) - power, c(least, MOST_NEEDED), tol = 1e-9, maxiter = 10000)$root
}

# Returns list(value, code): the value of the function `name` for named numbers, and the script lines that compute it.
formula_of <- function(name, numbers) {
  list(
    value = do.call(name, numbers),
    code = c(code_of(name), assigned(numbers), sprintf("exact <- %s(%s)", name, paste(names(numbers), collapse = ", ")))
  )
}

# Returns assignments as code: "alpha <- 0.05; power <- 0.8".
assigned <- function(numbers) paste(names(numbers), "<-", vapply(numbers, literal, ""), collapse = "; ")

# Rounds up; a tiny amount above a whole number is rounding error, not another person.
up <- function(n) ceiling(n - 1e-8 * pmax(1, n))

# Refuses a number of participants beyond ten million.
too_many <- function(n) {
  if (!is.finite(n) || n > MOST_NEEDED) {
    refuse("bad_option", "More than ten million people would be needed.", field = "params", hint = "Check the numbers.")
  }
}

# Returns a standardised difference from {delta, sd} or {d}.
difference_of <- function(ask, what = "SD") {
  p <- ask$params
  if (!is.null(p[["d"]])) {
    if (!is.null(p$delta) || !is.null(p$sd)) {
      refuse("bad_option", sprintf("Give either the difference and the %s, or d.", what), field = "params.d")
    }
    return(list(
      d = abs(not_zero(p[["d"]], "d")),
      words = sprintf("a standardised difference of %s", fmt(abs(p[["d"]]), 2)),
      code = sprintf("d <- %s", literal(abs(p[["d"]])))
    ))
  }
  if (is.null(p$delta)) {
    refuse(
      "bad_option",
      "The difference is missing.",
      field = "params.delta",
      hint = sprintf("Give the difference and the %s, or d.", what)
    )
  }
  if (is.null(p$sd)) {
    refuse(
      "bad_option",
      sprintf("The %s is missing.", what),
      field = "params.sd",
      hint = sprintf("Give the difference and the %s, or d.", what)
    )
  }
  not_zero(p$delta, "delta")
  list(
    d = abs(p$delta) / p$sd,
    words = sprintf("a difference of %s (%s %s)", fmt_short(abs(p$delta)), what, fmt_short(p$sd)),
    code = sprintf("d <- %s / %s", literal(abs(p$delta)), literal(p$sd))
  )
}

# Returns a difference. Refuses 0.
not_zero <- function(value, param) {
  if (value == 0) {
    refuse("bad_option", "A difference of 0 cannot be found.", field = paste0("params.", param))
  }
  value
}

# Returns a number as people type it: 5, 0.25, 12.5.
fmt_short <- function(value) sub("-", "−", label_of(signif(value, 6)), fixed = TRUE)

# "80%"
percent_words <- function(share) sprintf("%s%%", fmt_short(100 * share))

# Returns power and significance level in words.
power_words <- function(l) {
  sprintf(
    "with %s power at a %s-sided significance level of %s",
    percent_words(l$power),
    c("one", "two")[l$sides],
    percent_words(l$alpha)
  )
}

# Returns the numbers with dropout in words.
dropout_words <- function(l, n, what) {
  if (l$dropout == 0) {
    return("")
  }
  sprintf(
    " Allowing for %s of participants dropping out, %s.",
    percent_words(l$dropout),
    sprintf(what, label_of(up(n / (1 - l$dropout))))
  )
}

# Returns the result of a design. `numbers` are statistics; `n` is the number needed, `exact` its value before rounding
# up; `groups` is the number of groups that need it. `assumed` are rows of the table, label = text. `code` are the lines
# that compute `exact`.
size_result <- function(
  ask,
  method,
  exact,
  groups = 1,
  unit = "participants",
  assumed,
  told,
  source,
  code,
  numbers = list(),
  total = NULL,
  more = list(),
  script_more = NULL,
  notes = NULL
) {
  l <- size_levels(ask)
  n <- up(exact)
  each <- groups > 1
  all <- if (is.null(total)) n * groups else total
  recruited <- if (l$dropout == 0 || (unit == "events" && is.null(total))) {
    NA
  } else {
    up(up(if (each) n else all) / (1 - l$dropout)) * if (each) groups else 1
  }
  id <- if (each) {
    "n_per_group"
  } else if (unit == "events") {
    "events"
  } else {
    "n"
  }
  name <- if (each) {
    "Needed in each group"
  } else if (unit == "events") {
    "Events needed"
  } else {
    "Needed"
  }
  estimates <- c(
    list(estimate(id, name, n)),
    if (id != "n") {
      if (!is.null(total) || each) list(estimate("n_total", "Needed in all", all))
    },
    if (!is.na(recruited)) list(estimate("n_recruited", "To be recruited, drop-outs included", recruited)),
    more
  )
  statistics <- c(
    stats::setNames(list(exact), paste0(id, "_exact")),
    list(alpha = l$alpha, power = l$power, sides = l$sides),
    numbers
  )
  rows <- c(
    lapply(seq_along(assumed), function(i) list(what = names(assumed)[i], value = assumed[[i]])),
    lapply(estimates, function(one) {
      list(what = one$label, value = format(one$value, big.mark = ",", scientific = FALSE, trim = TRUE))
    })
  )
  result(
    method = method,
    n = count_of(0),
    reason = "by formula, from the assumptions below",
    estimates = estimates,
    statistics = statistics,
    tables = list(table_of(
      "main",
      method,
      list(col("what", "Assumption or result"), col("value", "Value", align = "right")),
      rows,
      footnotes = c(source, notes)
    )),
    assumptions = list(assumption(
      "assumed",
      "Assumptions",
      paste0(
        "The number is as good as the assumptions. Say where each comes from: an earlier ",
        "study, a pilot, or the smallest difference that matters to patients."
      ),
      status = "not_run"
    )),
    sentence = sentence(
      told,
      " Calculation: ",
      if (grepl("^[A-Z][a-z]+[ -][a-z]", source)) lower_first(source) else source,
      "."
    ),
    source = source,
    script = script(
      c(
        code,
        code_of("up"),
        sprintf(
          "result <- list(%s_exact = exact, %s = up(exact), alpha = %s, power = %s, sides = %s)",
          id,
          id,
          literal(l$alpha),
          literal(l$power),
          literal(l$sides)
        ),
        script_more,
        if (id != "n" && each) sprintf("result$n_total <- %d * result$%s", groups, id),
        if (!is.na(recruited)) {
          sprintf(
            "result$n_recruited <- up(%s / (1 - %s))%s",
            if (each) {
              paste0("result$", id)
            } else if (is.null(total)) {
              "result$n"
            } else {
              "result$n_total"
            },
            literal(l$dropout),
            if (each) sprintf(" * %d", groups) else ""
          )
        }
      ),
      reads = FALSE
    )
  )
}
