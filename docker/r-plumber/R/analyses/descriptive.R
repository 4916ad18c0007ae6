# Descriptive statistics of each column (SPEC N3): mean, SD and the five-number summary, or counts and percentages.

analysis(
  "descriptive",
  title = "Descriptive statistics",
  params = list(columns = columns("any", "Columns to describe", most = 30)),
  run = function(ask) {
    found <- lapply(ask$params$columns, function(id) described_column(ask, id))
    kind <- vapply(
      found,
      function(one) {
        if (one$numeric) {
          "numbers"
        } else if (is.null(one$values)) {
          "text"
        } else {
          "levels"
        }
      },
      ""
    )
    all <- factor(rep("all", length(ask$data[[ask$params$columns[1]]]$values)))
    numbers <- lapply(found, function(one) {
      if (one$numeric) {
        summary_numbers(one$id, one$values, all)
      } else if (!is.null(one$values)) {
        summary_levels(one$id, one$values, all)
      } else {
        stats::setNames(c(one$known, one$missing, one$distinct), paste0(one$id, c(".n", ".missing", ".distinct")))
      }
    })
    missing <- Reduce(`&`, lapply(ask$params$columns, function(id) is.na(ask$data[[id]]$values)))
    n <- count_of(length(all), sum(!missing))
    places <- vapply(found, function(one) if (one$numeric) precision_of(one$values, ask$digits) else 1, 0)

    result(
      method = "Descriptive statistics",
      n = n,
      estimates = unlist(
        Map(
          function(one, values, digits) described_estimates(one, values, ask$conf_level, digits = digits),
          found,
          numbers,
          places
        ),
        recursive = FALSE
      ),
      tables = described_tables(found, numbers, kind, places),
      sentence = sentence(
        paste(utils::head(unlist(Map(described_words, found, numbers, places)), 4), collapse = " "),
        if (length(found) > 4) sprintf(" The table describes all %s columns.", label_of(length(found)))
      ),
      figures = utils::head(
        unlist(
          lapply(found, function(one) {
            if (is.null(one$values)) {
              return(NULL)
            }
            if (one$numeric) {
              return(list(histogram_figure(paste0("histogram_", one$id), one$values[!is.na(one$values)], one$name)))
            }
            if (nlevels(one$values) <= 20) {
              list(bar_figure(paste0("bar_", one$id), one$values[!is.na(one$values)], one$name))
            }
          }),
          recursive = FALSE
        ),
        6
      ),
      recommendation = skew_advice(found, "Report their median and quartiles rather than mean and SD."),
      warnings = lapply(found[kind == "text" & !vapply(found, function(one) !is.null(one$range), NA)], function(one) {
        warning_of(
          "too_many_levels",
          sprintf("%s has %s different values: their counts are not shown.", one$name, label_of(one$distinct)),
          one$id
        )
      }),
      script = script(c(
        code_of("summary_numbers"),
        code_of("summary_levels"),
        code_of("mean_interval"),
        "all <- factor(rep(\"all\", nrow(d)))",
        paste0(
          "interval <- function(id, values) setNames(mean_interval(values, ",
          "conf_level), paste0(id, \".mean\", c(\"_low\", \"_high\")))"
        ),
        paste0(
          "texts <- function(id, values) setNames(",
          "c(sum(!is.na(values)), sum(is.na(values)), length(unique(na.omit(values)))), ",
          "paste0(id, c(\".n\", \".missing\", \".distinct\")))"
        ),
        sprintf("conf_level <- %s", literal(ask$conf_level)),
        "result <- c(",
        paste0(
          unlist(lapply(found, function(one) {
            if (one$numeric) {
              sprintf(c("  summary_numbers(\"%s\", %s, all)", "  interval(\"%s\", %s)"), one$id, one$code)
            } else {
              sprintf(
                "  %s(\"%s\", %s%s)",
                if (is.null(one$values)) "texts" else "summary_levels",
                one$id,
                one$code,
                if (is.null(one$values)) "" else ", all"
              )
            }
          })),
          c(rep(",", length(found) + sum(kind == "numbers") - 1), "")
        ),
        ")"
      ))
    )
  }
)

SUMMARY_TITLES <- c(
  n = "n",
  missing = "missing",
  mean = "mean",
  sd = "SD",
  min = "minimum",
  q1 = "first quartile",
  median = "median",
  q3 = "third quartile",
  max = "maximum",
  percent = "%",
  distinct = "different values"
)

# Returns the statistics of a column as estimates; `groups` are the groups that end their ids.
described_estimates <- function(one, numbers, conf_level = NULL, groups = NULL, digits = NULL) {
  parts <- strsplit(substring(names(numbers), nchar(one$id) + 2), ".", fixed = TRUE)
  lapply(seq_along(numbers), function(i) {
    words <- parts[[i]]
    level <- if (grepl("^level_", words[1])) one$levels[as.integer(substring(words[1], 7))]
    if (!is.null(level)) {
      words <- words[-1]
    }
    group <- if (length(words) > 1) groups[as.integer(words[2])]
    title <- paste(
      c(if (is.null(level)) one$name else paste0(one$name, ", ", level), group, SUMMARY_TITLES[[words[1]]]),
      collapse = ": "
    )
    ci <- if (!is.null(conf_level) && words[1] == "mean") mean_interval(one$values, conf_level) else c(NA, NA)
    estimate(
      names(numbers)[i],
      title,
      numbers[[i]],
      ci[1],
      ci[2],
      if (is.null(conf_level)) 0.95 else conf_level,
      digits = if (!words[1] %in% c("n", "missing", "distinct")) digits
    )
  })
}

# Returns the tables of descriptive statistics.
described_tables <- function(found, numbers, kind, places) {
  digits <- max(places)
  stated <- c("mean", "sd", "min", "q1", "median", "q3", "max")
  of <- function(i, what) numbers[[i]][[paste(found[[i]]$id, what, sep = ".")]]
  counted <- which(kind == "numbers")
  numeric <- if (length(counted)) {
    list(table_of(
      "main",
      "Numbers",
      c(
        list(
          col("variable", "Variable"),
          col("n", "n", "integer"),
          col("missing", "Missing", "integer"),
          col("mean", "Mean", "number", digits),
          col("sd", "SD", "number", digits)
        ),
        Map(
          function(key, title) col(key, title, "number", digits),
          c("min", "q1", "median", "q3", "max"),
          c("Minimum", "First quartile", "Median", "Third quartile", "Maximum")
        )
      ),
      lapply(counted, function(i) {
        c(
          list(variable = found[[i]]$name),
          sapply(c("n", "missing", "mean", "sd", "min", "q1", "median", "q3", "max"), of, i = i, simplify = FALSE),
          list(digits = stats::setNames(as.list(rep(places[i], length(stated))), stated))
        )
      }),
      footnotes = c("Quartiles are of R's type 7. Each variable is described on the values it has.")
    ))
  }
  listed <- which(kind != "numbers")
  levels <- if (length(listed)) {
    list(table_of(
      if (length(counted)) "categories" else "main",
      "Categories",
      list(col("variable", "Variable"), col("n", "n", "integer"), col("percent", "%", "number", 1)),
      unlist(
        lapply(listed, function(i) {
          one <- found[[i]]
          head <- list(list(variable = one$name, n = of(i, "n"), percent = NULL))
          rows <- if (is.null(one$values)) {
            if (is.null(one$range)) {
              list(list(variable = "Different values", level = 1, n = one$distinct))
            } else {
              list(list(variable = sprintf("From %s to %s", one$range[1], one$range[2]), level = 1))
            }
          } else {
            lapply(seq_along(one$levels), function(j) {
              list(
                variable = one$levels[j],
                level = 1,
                n = of(i, sprintf("level_%d.n", j)),
                percent = of(i, sprintf("level_%d.percent", j))
              )
            })
          }
          gone <- if (of(i, "missing") > 0) list(list(variable = "Missing", level = 1, n = of(i, "missing")))
          c(head, rows, gone)
        }),
        recursive = FALSE
      ),
      footnotes = "Percentages are of known values."
    ))
  }
  c(numeric, levels)
}

# Returns the sentence about one column.
described_words <- function(one, numbers, digits) {
  of <- function(what) numbers[[paste(one$id, what, sep = ".")]]
  gone <- sprintf("n = %s, %s missing", label_of(of("n")), if (of("missing") == 0) "none" else label_of(of("missing")))
  if (one$numeric) {
    return(sprintf(
      "The mean of %s was %s (SD %s), the median %s (quartiles %s to %s, range %s to %s; %s).",
      one$said,
      in_unit(fixed(of("mean"), digits), one$unit),
      fixed(of("sd"), digits),
      in_unit(fixed(of("median"), digits), one$unit),
      fixed(of("q1"), digits),
      fixed(of("q3"), digits),
      fixed(of("min"), digits),
      fixed(of("max"), digits),
      gone
    ))
  }
  if (!is.null(one$range)) {
    return(sprintf("The dates of %s run from %s to %s (%s).", one$name, one$range[1], one$range[2], gone))
  }
  if (is.null(one$values)) {
    return(sprintf("There are %s different values of %s (%s).", label_of(one$distinct), one$name, gone))
  }
  counts <- vapply(seq_along(one$levels), function(j) of(sprintf("level_%d.n", j)), 0)
  first <- if (length(counts) > 5) utils::head(order(-counts), 3) else seq_along(counts)
  told <- c(of_words(counts[first[1]], sum(counts)), vapply(counts[first[-1]], share, "", of = sum(counts)))
  sprintf(
    "%s was %s%s (%s).",
    one$said,
    if (length(counts) > 5) sprintf("most often, of its %s levels, ", label_of(length(counts))) else "",
    listed(sprintf("%s in %s", one$levels[first], told)),
    gone
  )
}
