# Agreement of raters about categories (SPEC N3). Two raters: Cohen's kappa, weighted or not, with the large-sample
# variances of Fleiss, Cohen and Everitt 1969 (Psychol Bull 72:323). Three or more: Fleiss' kappa (1971), z by Fleiss,
# Nee and Landis 1979.

analysis(
  "kappa",
  title = "Agreement of raters (kappa)",
  params = list(raters = columns("factor", "Raters", least = 2, most = 30)),
  options = list(weights = one_of("Weights", c("unweighted", "linear", "quadratic"))),
  check = function(ask) {
    many <- length(ask$params$raters) > 2
    list(
      method = if (many) {
        "Fleiss' kappa"
      } else if (ask$options$weights == "unweighted") {
        "Cohen's kappa"
      } else {
        sprintf("Cohen's kappa with %s weights", ask$options$weights)
      },
      reason = if (many) "three or more raters" else "two raters",
      warnings = list()
    )
  },
  run = function(ask) {
    ids <- ask$params$raters
    many <- length(ids) > 2
    weights <- ask$options$weights
    if (many && weights != "unweighted") {
      refuse(
        "bad_option",
        "Weights are for two raters.",
        field = "params.options.weights",
        hint = "Choose unweighted, or two of the raters. For ordered scores of many raters use the ICC.",
        suggest = "icc"
      )
    }
    columns <- lapply(ids, function(id) as.character(factor_of(ask, "raters", id)))
    categories <- common_categories(lapply(ids, function(id) levels(factor_of(ask, "raters", id))))
    if (length(categories) > MOST_LEVELS) {
      refuse(
        "group_levels",
        sprintf("At most %d categories, found %s.", MOST_LEVELS, label_of(length(categories))),
        field = "params.raters",
        suggest = "icc"
      )
    }
    names(columns) <- paste0("r", seq_along(ids))
    rows <- do.call(complete, c(columns, list(least = 3)))
    made <- if (many) {
      fleiss_kappa(rows$used, categories, ask$conf_level)
    } else {
      cohen_kappa(rows$used, categories, weights, ask$conf_level)
    }
    if (is.na(made$kappa)) {
      refuse(
        "constant_variable",
        "Every rating is the same category, so agreement beyond chance cannot be measured.",
        field = "params.raters",
        column = ids[[1]]
      )
    }
    method <- if (many) {
      "Fleiss' kappa"
    } else if (weights == "unweighted") {
      "Cohen's kappa"
    } else {
      sprintf("Cohen's kappa with %s weights", weights)
    }
    raters <- vapply(ids, function(id) label(ask$data[[id]]$name, 40), "")
    said <- level_words(vapply(ids, function(id) ask$data[[id]]$said, ""), 40)
    agreed <- if (many) {
      sprintf(" on average in %s%% of pairs of ratings", fixed(100 * made$observed, 1))
    } else if (weights == "unweighted") {
      paste(" in", of_words(round(made$observed * rows$n$used), rows$n$used, "subjects"))
    } else {
      sprintf(" with a weighted agreement (%s weights) of %s%%", weights, fixed(100 * made$observed, 1))
    }
    ordered <- paste(vapply(categories, label, "", most = 30), collapse = " < ")
    digits <- apart_digits(c(made$low, made$high), 3, 0)
    interval <- ci_words(made$low, made$high, ask$conf_level, digits)
    result(
      method = method,
      reason = if (many) "three or more raters" else "two raters",
      n = rows$n,
      estimates = list(
        estimate(
          "kappa",
          method,
          made$kappa,
          made$low,
          made$high,
          ask$conf_level,
          digits = digits,
          se = made$se,
          z = made$z_wald,
          p = made$p
        ),
        estimate(
          "percent_agreement",
          if (many) "Mean agreement of pairs of raters (%)" else "Observed agreement (%)",
          100 * made$observed,
          digits = 1
        ),
        estimate("expected_agreement", "Agreement expected by chance (%)", 100 * made$expected, digits = 1)
      ),
      statistics = list(
        z_wald = made$z_wald,
        p = made$p,
        z = made$z,
        p_z = made$p_z,
        se_asymptotic = made$se,
        se_null = made$se_null,
        raters = length(ids),
        categories = length(categories)
      ),
      tables = list(kappa_table(
        rows$used,
        categories,
        raters,
        many,
        c(
          sprintf(
            "%s = %s (%s). Interval and p use %s. By the standard error under no agreement z = %s, p %s.",
            method,
            fixed(made$kappa, digits),
            interval,
            if (many) "the jackknife over subjects" else "the asymptotic standard error",
            fixed(made$z, 2),
            p_text(made$p_z)
          ),
          if (weights != "unweighted") sprintf("Order of the categories: %s.", label(ordered, 300)),
          sprintf("Landis and Koch (1977) call a kappa of %s.", landis(made$kappa)),
          missing_note(rows$n)
        )
      )),
      assumptions = list(assumption(
        "prevalence",
        "Spread of the categories",
        if (max(made$shares) > 0.8) {
          sprintf(
            paste0(
              "%s%% of all ratings are in one category. Kappa can then be low although ",
              "the raters mostly agree: report the observed agreement with it."
            ),
            fixed(100 * max(made$shares), 0)
          )
        } else {
          "No category holds more than 80% of the ratings."
        },
        max(made$shares),
        status = if (max(made$shares) > 0.8) "concern" else "ok"
      )),
      sentence = sentence(
        if (length(said) <= 6) listed(said) else sprintf("The %s raters", in_words(length(ids))),
        " agreed",
        agreed,
        ", against ",
        fixed(100 * made$expected, 1),
        "% expected by chance: ",
        method,
        " ",
        fixed(made$kappa, digits),
        " (",
        interval,
        "; ",
        if (!is.na(made$p)) {
          paste0("two-sided Wald test against 0, ", it("z"), " = ", fixed(made$z_wald, 2), ", ", p_words(made$p), "; ")
        },
        missing_words(rows$n, "subject"),
        ")."
      ),
      warnings = if (rows$n$used < 30) {
        list(warning_of(
          "few_subjects",
          sprintf("With %s rated the large-sample interval is rough.", plural(rows$n$used, "subject", "subjects"))
        ))
      } else {
        list()
      },
      script = kappa_script(ask, categories, many, weights)
    )
  }
)

# Returns the categories of all raters in one order: numbers by size, else in the order of the first rater, then new
# ones of the next.
common_categories <- function(levels) {
  all <- unique(unlist(levels))
  numbers <- suppressWarnings(as.numeric(all))
  if (anyNA(numbers)) all else all[order(numbers)]
}

# Returns the matrix of weights for `k` categories.
kappa_weights <- function(k, weights) {
  apart <- abs(outer(seq_len(k), seq_len(k), "-"))
  switch(
    weights,
    unweighted = (apart == 0) * 1,
    linear = 1 - apart / max(k - 1, 1),
    quadratic = 1 - (apart / max(k - 1, 1))^2
  )
}

# Cohen's kappa of two raters.
cohen_kappa <- function(used, categories, weights, conf_level) {
  share <- table(factor(used$r1, categories), factor(used$r2, categories)) / nrow(used)
  w <- kappa_weights(length(categories), weights)
  row <- rowSums(share)
  column <- colSums(share)
  chance <- outer(row, column)
  observed <- sum(w * share)
  expected <- sum(w * chance)
  if (expected >= 1 - 1e-12) {
    return(list(kappa = NA))
  }
  kappa <- (observed - expected) / (1 - expected)
  both <- outer(as.vector(w %*% column), as.vector(row %*% w), "+")
  variance <- (sum(share * (w - both * (1 - kappa))^2) - (kappa - expected * (1 - kappa))^2) /
    (nrow(used) * (1 - expected)^2)
  null <- (sum(chance * (w - both)^2) - expected^2) / (nrow(used) * (1 - expected)^2)
  kappa_result(kappa, sqrt(max(variance, 0)), sqrt(max(null, 0)), observed, expected, (row + column) / 2, conf_level)
}

# Fleiss' kappa of three or more raters.
fleiss_kappa <- function(used, categories, conf_level) {
  n <- nrow(used)
  m <- ncol(used)
  count <- sapply(categories, function(one) rowSums(used == one))
  agreed <- (rowSums(count^2) - m) / (m * (m - 1))
  share <- colSums(count) / (n * m)
  expected <- sum(share^2)
  if (expected >= 1 - 1e-12) {
    return(list(kappa = NA))
  }
  kappa <- (mean(agreed) - expected) / (1 - expected)
  without <- rowSums((rep(colSums(count), each = n) - count)^2) / (m * (n - 1))^2
  left_out <- ((sum(agreed) - agreed) / (n - 1) - without) / (1 - without)
  se <- sqrt((n - 1) / n * sum((left_out - mean(left_out))^2))
  q <- 1 - share
  null <- sqrt(2) / (sum(share * q) * sqrt(n * m * (m - 1))) * sqrt(sum(share * q)^2 - sum(share * q * (q - share)))
  kappa_result(kappa, if (is.finite(se)) se else NA, null, mean(agreed), expected, share, conf_level)
}

# Returns kappa with its interval, z and p, and the observed and expected agreement.
kappa_result <- function(kappa, se, se_null, observed, expected, shares, conf_level) {
  if (!is.na(se) && se < 1e-12) {
    se <- NA
  } # if all agree, or one rater uses one category: an interval without width would suggest certainty
  half <- stats::qnorm(1 - (1 - conf_level) / 2) * se
  z <- if (se_null > 0) kappa / se_null else NA
  # from the standard error of the interval, so that p agrees with it
  z_wald <- if (!is.na(se) && se > 0) kappa / se else NA
  list(
    kappa = kappa,
    low = max(-1, kappa - half),
    high = min(1, kappa + half),
    se = se,
    se_null = se_null,
    z = z,
    p_z = 2 * stats::pnorm(-abs(z)),
    z_wald = z_wald,
    p = 2 * stats::pnorm(-abs(z_wald)),
    observed = observed,
    expected = expected,
    shares = as.vector(shares)
  )
}

# Returns the label of a kappa by Landis and Koch, with their names: it is a convention, not a measure.
landis <- function(kappa) {
  words <- c(
    "below 0 poor",
    "0.00 to 0.20 slight",
    "0.21 to 0.40 fair",
    "0.41 to 0.60 moderate",
    "0.61 to 0.80 substantial",
    "0.81 to 1.00 almost perfect"
  )
  words[[1 + sum(round(kappa, 2) >= c(0, 0.21, 0.41, 0.61, 0.81))]]
}

# Returns the table of ratings: a cross table of two raters, else counts per rater.
kappa_table <- function(used, categories, raters, many, footnotes) {
  shown <- utils::head(categories, 20)
  footnotes <- c(
    footnotes,
    if (length(categories) > 20) sprintf("The first 20 of %s categories are shown.", label_of(length(categories)))
  )
  if (many) {
    count <- lapply(shown, function(one) {
      c(list(category = label(one)), stats::setNames(as.list(colSums(used == one)), names(used)))
    })
    return(table_of(
      "main",
      "Ratings",
      c(
        list(col("category", "Category")),
        lapply(seq_along(raters), function(i) col(names(used)[i], raters[i], "integer"))
      ),
      count,
      footnotes
    ))
  }
  cross <- table(factor(used$r1, categories), factor(used$r2, categories))
  keys <- paste0("k", seq_along(shown))
  table_of(
    "main",
    sprintf("Ratings of %s (rows) and %s (columns)", raters[1], raters[2]),
    c(
      list(col("category", raters[1])),
      lapply(seq_along(shown), function(j) col(keys[j], shown[j], "integer")),
      list(col("total", "Total", "integer"))
    ),
    lapply(seq_along(shown), function(i) {
      c(
        list(category = label(shown[i])),
        stats::setNames(lapply(seq_along(shown), function(j) cross[[i, j]]), keys),
        list(total = sum(cross[i, ]))
      )
    }),
    footnotes
  )
}

# Returns the script lines of the analysis.
kappa_script <- function(ask, categories, many, weights) {
  ids <- ask$params$raters
  level <- literal(ask$conf_level)
  start <- c(
    sprintf("categories <- %s", quoted_vector(categories)),
    sprintf("r%d <- %s", seq_along(ids), vapply(ids, function(id) column_code(ask, id), "")),
    sprintf("used <- na.omit(data.frame(%s))", paste0("r", seq_along(ids), collapse = ", "))
  )
  made <- if (many) {
    c(code_of("fleiss_kappa"), sprintf("made <- fleiss_kappa(used, categories, %s)", level))
  } else {
    c(
      code_of("kappa_weights", "cohen_kappa"),
      sprintf("made <- cohen_kappa(used, categories, %s, %s)", quoted(weights), level)
    )
  }
  script(c(
    start,
    code_of("kappa_result"),
    made,
    "result <- c(made[c(\"kappa\", \"z_wald\", \"p\", \"z\", \"p_z\")], list(",
    paste0(
      "  kappa_low = made$low, kappa_high = made$high, kappa_se = made$se, kappa_z = made$z_wald, ",
      "kappa_p = made$p, se_asymptotic = made$se, se_null = made$se_null,"
    ),
    sprintf(
      paste0(
        "  percent_agreement = 100 * made$observed, expected_agreement ",
        "= 100 * made$expected, raters = %d, categories = %d"
      ),
      length(ids),
      length(categories)
    ),
    "))"
  ))
}
