# Agreement of raters or devices about numbers (SPEC N3): the six intraclass correlations of Shrout and Fleiss 1979
# (Psychol Bull 86:420); intervals of the two-way random form by McGraw and Wong 1996.

ICC_FORMS <- c(
  icc1 = "ICC(1,1): each subject has raters of its own, single rating",
  icc2 = "ICC(2,1): two-way random, absolute agreement, single rating",
  icc3 = "ICC(3,1): two-way mixed, consistency, single rating",
  icc1k = "ICC(1,k): each subject has raters of its own, mean of raters",
  icc2k = "ICC(2,k): two-way random, absolute agreement, mean of raters",
  icc3k = "ICC(3,k): two-way mixed, consistency, mean of raters"
)

analysis(
  "icc",
  title = "Agreement of raters about numbers (ICC)",
  params = list(raters = columns("numeric", "Raters or devices", least = 2, most = 30)),
  options = list(form = one_of("Form of the ICC", c("icc2", "icc1", "icc3", "icc1k", "icc2k", "icc3k"))),
  run = function(ask) {
    ids <- ask$params$raters
    columns <- stats::setNames(lapply(ids, function(id) bounded_of(ask, "raters", id)), paste0("r", seq_along(ids)))
    rows <- do.call(complete, c(columns, list(least = 3)))
    x <- as.matrix(rows$used)
    if (length(unique(as.vector(x))) < 2) {
      refuse("constant_variable", "All ratings are the same.", field = "params.raters", column = ids[[1]])
    }
    made <- icc_of(x, ask$conf_level)
    if (made$msb < 1e-14 * made$mst) {
      refuse(
        "constant_variable",
        "All subjects have the same mean rating, so there is nothing for raters to tell apart.",
        field = "params.raters",
        column = ids[[1]]
      )
    }
    form <- ask$options$form
    one <- made$forms[[form]]
    short <- sub(":.*", "", ICC_FORMS[[form]])
    digits <- apart_digits(c(one$value, one$low, one$high), 2, 1)
    shown <- names(ICC_FORMS)
    result(
      method = paste("Intraclass correlation", short),
      reason = sub("^[^:]*: ", "", ICC_FORMS[[form]]),
      n = rows$n,
      estimates = lapply(c(form, setdiff(shown, form)), function(id) {
        it <- made$forms[[id]]
        estimate(
          id,
          ICC_FORMS[[id]],
          it$value,
          it$low,
          it$high,
          ask$conf_level,
          digits = digits,
          p = it$p,
          p_beside = FALSE
        ) # a one-sided test beside a two-sided interval
      }),
      statistics = c(
        list(
          F = one$f,
          df1 = one$df1,
          df2 = one$df2,
          p = one$p,
          subjects = nrow(x),
          raters = ncol(x),
          ms_subjects = made$msb,
          ms_raters = made$msj,
          ms_error = made$mse,
          ms_within = made$msw
        ),
        unlist(
          lapply(shown, function(id) stats::setNames(list(made$forms[[id]]$f), paste0(id, "_F"))),
          recursive = FALSE
        )
      ),
      tables = list(
        table_of(
          "main",
          "Intraclass correlations",
          list(
            col("form", "Form"),
            col("value", "ICC", "number", digits),
            col("low", "CI from", "number", digits),
            col("high", "CI to", "number", digits)
          ),
          lapply(shown, function(id) {
            it <- made$forms[[id]]
            list(form = ICC_FORMS[[id]], value = it$value, low = it$low, high = it$high)
          }),
          footnotes = c(
            sprintf("%s%% intervals of Shrout and Fleiss (1979).", label_of(100 * ask$conf_level)),
            missing_note(rows$n)
          )
        ),
        table_of(
          "tests",
          "F tests of no agreement",
          list(col("form", "Form"), col("f", "F", "number", 2), col("df", "df"), col("p", "p", "p")),
          lapply(shown, function(id) {
            it <- made$forms[[id]]
            list(form = ICC_FORMS[[id]], f = it$f, df = sprintf("%s, %s", label_of(it$df1), label_of(it$df2)), p = it$p)
          }),
          footnotes = paste0(
            "One-sided tests of an ICC of 0, apart from the two-sided intervals. That ",
            "raters agree better than not at all says little: read the interval."
          )
        ),
        table_of(
          "raters",
          "Raters",
          list(
            col("rater", "Rater"),
            col("mean", "Mean", "number", precision_of(x, ask$digits)),
            col("sd", "SD", "number", precision_of(x, ask$digits))
          ),
          lapply(seq_along(ids), function(i) {
            list(rater = label(ask$data[[ids[i]]]$name), mean = mean(x[, i]), sd = stats::sd(x[, i]))
          })
        )
      ),
      assumptions = c(
        list(assumption(
          "raters",
          "F test of raters",
          if (is.na(made$rater_p)) {
            "The raters' means could not be compared."
          } else if (made$rater_p < 0.05) {
            "The raters' means differ. ICC(3,·) overlooks such differences; ICC(2,·) counts them."
          } else {
            "Nothing speaks for a difference between the raters' means."
          },
          made$msj / made$mse,
          made$rater_p,
          if (is.na(made$rater_p)) {
            "not_run"
          } else if (made$rater_p < 0.05) {
            "concern"
          } else {
            "ok"
          }
        )),
        lapply(normality_of_residuals(as.vector(made$residuals)), function(one) {
          if (one$status == "concern") {
            one$text <- "The residuals are not shaped like a normal distribution, so the intervals are rough."
          }
          one
        })
      ),
      sentence = sentence(
        "Agreement of ",
        if (ncol(x) <= 6) {
          listed(level_words(vapply(ids, function(id) ask$data[[id]]$said, ""), 40))
        } else {
          plural(ncol(x), "rater", "raters")
        },
        " over ",
        plural(nrow(x), "subject", "subjects"),
        ": intraclass correlation ",
        short,
        " = ",
        fixed(one$value, digits),
        " (",
        ci_words(one$low, one$high, ask$conf_level, digits),
        "; ",
        sub("^[^:]*: ", "", ICC_FORMS[[form]]),
        "; ",
        missing_words(rows$n, "subject"),
        ")."
      ),
      warnings = if (nrow(x) < 10) {
        list(warning_of(
          "few_subjects",
          sprintf(
            "With %s the interval is wide: read it, not the single number.",
            plural(nrow(x), "subject", "subjects")
          )
        ))
      } else {
        list()
      },
      script = icc_script(ask, form)
    )
  }
)

# Returns all six forms for a matrix of subjects x raters.
icc_of <- function(x, conf_level) {
  n <- nrow(x)
  k <- ncol(x)
  residuals <- sweep(sweep(x, 1, rowMeans(x)), 2, colMeans(x) - mean(x))
  msb <- k * stats::var(rowMeans(x))
  msj <- n * stats::var(colMeans(x))
  mse <- sum(residuals^2) / ((n - 1) * (k - 1))
  msw <- sum((x - rowMeans(x))^2) / (n * (k - 1))
  mst <- stats::var(as.vector(x))
  if (mse < 1e-14 * mst) {
    mse <- 0
  }
  if (msw < 1e-14 * mst) {
    msw <- 0
  }
  q <- 1 - (1 - conf_level) / 2
  one_way <- function(f, df1, df2, mean) {
    low <- f / stats::qf(q, df1, df2)
    high <- f * stats::qf(q, df2, df1)
    if (!is.finite(f)) {
      c(NA, NA)
    } else if (mean) {
      1 - 1 / c(low, high)
    } else {
      (c(low, high) - 1) / (c(low, high) + k - 1)
    }
  }
  two_way <- function(icc, mean) {
    fj <- msj / mse
    if (!is.finite(fj)) {
      return(c(NA, NA))
    }
    up <- n * (1 + (k - 1) * icc) - k * icc
    v <- (k - 1) * (n - 1) * (k * icc * fj + up)^2 / ((n - 1) * k^2 * icc^2 * fj^2 + up^2)
    fu <- stats::qf(q, n - 1, v)
    fl <- stats::qf(q, v, n - 1)
    rest <- k * msj + (k * n - k - n) * mse
    ci <- c(n * (msb - fu * mse) / (fu * rest + n * msb), n * (fl * msb - mse) / (rest + n * fl * msb))
    if (mean) ci * k / (1 + ci * (k - 1)) else ci
  }
  icc2 <- (msb - mse) / (msb + (k - 1) * mse + k * (msj - mse) / n)
  make <- function(value, ci, f, df2) {
    list(
      value = value,
      low = ci[1],
      high = ci[2],
      f = f,
      df1 = n - 1,
      df2 = df2,
      p = stats::pf(f, n - 1, df2, lower.tail = FALSE)
    )
  }
  f1 <- msb / msw
  f3 <- msb / mse
  d1 <- n * (k - 1)
  d3 <- (n - 1) * (k - 1)
  list(
    msb = msb,
    msj = msj,
    mse = mse,
    msw = msw,
    mst = mst,
    residuals = residuals,
    rater_p = if (mse > 0) stats::pf(msj / mse, k - 1, d3, lower.tail = FALSE) else NA,
    forms = list(
      icc1 = make((msb - msw) / (msb + (k - 1) * msw), one_way(f1, n - 1, d1, FALSE), f1, d1),
      icc2 = make(icc2, two_way(icc2, FALSE), f3, d3),
      icc3 = make((msb - mse) / (msb + (k - 1) * mse), one_way(f3, n - 1, d3, FALSE), f3, d3),
      icc1k = make((msb - msw) / msb, one_way(f1, n - 1, d1, TRUE), f1, d1),
      icc2k = make((msb - mse) / (msb + (msj - mse) / n), two_way(icc2, TRUE), f3, d3),
      icc3k = make((msb - mse) / msb, one_way(f3, n - 1, d3, TRUE), f3, d3)
    )
  )
}

# Returns the script lines of the analysis.
icc_script <- function(ask, form) {
  ids <- ask$params$raters
  script(c(
    sprintf("r%d <- %s", seq_along(ids), vapply(ids, function(id) numeric_code(ask, id), "")),
    sprintf("x <- as.matrix(na.omit(data.frame(%s)))", paste0("r", seq_along(ids), collapse = ", ")),
    code_of("icc_of"),
    sprintf("made <- icc_of(x, %s)", literal(ask$conf_level)),
    sprintf("one <- made$forms[[%s]]", quoted(form)),
    "result <- list(F = one$f, df1 = one$df1, df2 = one$df2, p = one$p, subjects = nrow(x), raters = ncol(x),",
    "  ms_subjects = made$msb, ms_raters = made$msj, ms_error = made$mse, ms_within = made$msw)",
    "for (id in names(made$forms)) {",
    paste0(
      "  result[paste0(id, c(\"\", \"_low\", \"_high\", \"_F\", \"_p\"))] ",
      "<- made$forms[[id]][c(\"value\", \"low\", \"high\", \"f\", \"p\")]"
    ),
    "}"
  ))
}
