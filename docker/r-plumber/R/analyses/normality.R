# Normality of numbers (SPEC N3): to look at, never to choose a test.

analysis(
  "normality",
  title = "Normality",
  params = list(columns = columns("numeric", "What was measured", most = 12)),
  run = function(ask) {
    ids <- ask$params$columns
    values <- lapply(ids, function(id) as.numeric(stats::na.omit(bounded_of(ask, "columns", id))))
    for (i in seq_along(ids)) {
      refuse_constant_of(ask, values[[i]], "columns", ids[i])
    }
    names <- vapply(ids, function(id) label(ask$data[[id]]$name), "", USE.NAMES = FALSE)
    numbers <- lapply(values, shape_of)
    tested <- !is.na(vapply(numbers, `[[`, 0, "W"))
    total <- length(ask$data[[ids[1]]]$values)
    n <- count_of(total, sum(Reduce(`|`, lapply(ids, function(id) !is.na(ask$data[[id]]$values)))))
    checks <- lapply(seq_along(ids), function(i) {
      one <- normality_check(
        values[[i]],
        paste("the values of", names[i]),
        "Look at the Q-Q plot: how far the ends bend from the line matters more than p."
      )
      one$id <- paste0("normality.", ids[i])
      skew <- skew_words(values[[i]], names[i])
      if (!is.null(skew)) {
        one[c("text", "status")] <- list(
          if (one$status == "ok") skew else paste(one$text, skew),
          if (one$status == "not_run") "not_run" else "concern"
        )
      }
      one
    })
    flat <- unlist(
      lapply(seq_along(ids), function(i) {
        stats::setNames(as.list(numbers[[i]][c("W", "p")]), paste(ids[i], c("W", "p"), sep = "."))
      })[tested],
      recursive = FALSE
    )
    if (length(ids) == 1 && tested[1]) {
      flat <- c(as.list(numbers[[1]][c("W", "p")]), flat)
    }
    digits <- vapply(values, precision_of, 0, digits = ask$digits)

    result(
      method = "Shapiro-Wilk test",
      n = n,
      estimates = unlist(
        lapply(seq_along(ids), function(i) {
          Map(
            function(part, title) {
              estimate(
                paste(ids[i], part, sep = "."),
                sprintf("%s, %s", title, names[i]),
                numbers[[i]][[part]],
                digits = if (part %in% c("mean", "sd")) digits[i]
              )
            },
            c("n", "mean", "sd", "skewness", "kurtosis"),
            c("n", "Mean", "SD", "Skewness", "Excess kurtosis")
          )
        }),
        recursive = FALSE
      ),
      statistics = flat,
      tables = list(table_of(
        "main",
        "Shape of the distribution",
        list(
          col("variable", "Variable"),
          col("n", "n", "integer"),
          col("missing", "Missing", "integer"),
          col("mean", "Mean", "number", max(digits)),
          col("sd", "SD", "number", max(digits)),
          col("skewness", "Skewness", "number"),
          col("kurtosis", "Excess kurtosis", "number"),
          col("W", "W", "number", 3),
          col("p", "p", "p", 3)
        ),
        lapply(seq_along(ids), function(i) {
          c(
            list(variable = names[i], missing = total - length(values[[i]])),
            as.list(numbers[[i]]),
            list(digits = list(mean = digits[i], sd = digits[i]))
          )
        }),
        footnotes = c(
          "Shapiro-Wilk test; skewness and excess kurtosis are 0 in a normal distribution.",
          "Each variable is described on the values it has."
        )
      )),
      assumptions = checks,
      recommendation = recommend(
        paste0(
          "Do not choose a test by this p value: with few rows it misses much, with ",
          "many it finds trifles. Read the Q-Q plot, and let the protocol decide."
        )
      ),
      sentence = sentence(
        paste(
          vapply(
            utils::head(seq_along(ids), 4),
            function(i) {
              known <- length(values[[i]])
              sprintf(
                "The skewness of %s was %s (%s; n = %s, %s missing).",
                said_of(ask, id = ids[i]),
                fixed(numbers[[i]][["skewness"]]),
                if (tested[i]) {
                  sprintf(
                    "Shapiro-Wilk test, %s = %s, %s",
                    it("W"),
                    fixed(numbers[[i]][["W"]], 3),
                    p_words(numbers[[i]][["p"]])
                  )
                } else {
                  "normality was not tested"
                },
                label_of(known),
                if (total == known) "none" else label_of(total - known)
              )
            },
            ""
          ),
          collapse = " "
        ),
        if (length(ids) > 4) {
          sprintf(
            " %s in the table.",
            if (length(ids) == 5) {
              "The other column is"
            } else {
              sprintf("The other %s columns are", in_words(length(ids) - 4))
            }
          )
        }
      ),
      figures = unlist(
        lapply(utils::head(seq_along(ids), 4), function(i) {
          list(
            qq_figure(paste0("qq_", ids[i]), values[[i]], names[i]),
            histogram_figure(paste0("histogram_", ids[i]), values[[i]], names[i])
          )
        }),
        recursive = FALSE
      ),
      warnings = c(
        list(),
        if (!all(tested)) {
          list(warning_of(
            "shapiro_not_run",
            sprintf(
              "The Shapiro-Wilk test takes 3 to 5,000 values that differ; it was not run for %s. Look at the Q-Q plot.",
              listed(names[!tested])
            ),
            ids[!tested]
          ))
        }
      ),
      script = script(c(
        code_of("shapiro_can"),
        code_of("shape_of"),
        "numbers_of <- function(id, values) {",
        "  numbers <- shape_of(as.numeric(na.omit(values)))",
        "  setNames(numbers, paste(id, names(numbers), sep = \".\"))",
        "}",
        "result <- c(",
        paste0(
          sprintf("  numbers_of(\"%s\", %s)", ids, vapply(ids, function(id) numeric_code(ask, id), "")),
          c(rep(",", length(ids) - 1), "")
        ),
        ")",
        if (length(ids) == 1 && tested[1]) {
          sprintf("result <- c(result, W = result[[\"%s.W\"]], p = result[[\"%s.p\"]])", ids, ids)
        }
      ))
    )
  }
)

# Returns moments (skewness and excess kurtosis, "type 1" of Joanes and Gill 1998) with W and p of Shapiro-Wilk, NA if
# the test cannot run.
shape_of <- function(values) {
  centred <- values - mean(values)
  spread <- mean(centred^2)
  test <- if (shapiro_can(values)) stats::shapiro.test(values)
  c(
    n = length(values),
    mean = mean(values),
    sd = stats::sd(values),
    skewness = mean(centred^3) / spread^1.5,
    kurtosis = mean(centred^4) / spread^2 - 3,
    W = if (is.null(test)) NA else test$statistic[[1]],
    p = if (is.null(test)) NA else test$p.value
  )
}
